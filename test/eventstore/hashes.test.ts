import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  commitHash,
  eventHash,
  logGenesis,
  logHash,
  metaHash,
  payloadHash,
  streamGenesis,
} from "../../eventstore/hash.ts";
import { scaled } from "../support/scale.ts";
import { type Fixture, openLog } from "./fixture.ts";

let log: Fixture;
let origin: string;
beforeAll(async () => {
  log = await openLog();
  origin = (await log.store.identity()).origin;
});
afterAll(() => log.close());

const name = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
  .filter((text) => text.isWellFormed() && !text.includes("\0") && Buffer.byteLength(text) <= 255);
const bytes = fc.uint8Array({ maxLength: 300 }).map((value) => Buffer.from(value));

type Stored = {
  position: number;
  tenant: string;
  stream_id: string;
  version: number;
  event_id: string;
  type: string;
  schema_version: number;
  recorded_at_us: number;
  payload: Buffer;
  meta: Buffer;
  payload_hash: Buffer;
  meta_hash: Buffer;
  prev_hash: Buffer;
  event_hash: Buffer;
  log_hash: Buffer;
};

/** Recomputes every hash of the log from its first event on. */
async function expectSoundHashes(): Promise<void> {
  const { rows } = await log.pool.query<Stored>(
    "select * from eventstore.events where log_id = 1 order by position",
  );
  const streams = new Map<string, Buffer>();
  let chain = logGenesis(origin);
  for (const row of rows) {
    const stream = JSON.stringify([row.tenant, row.stream_id]);
    expect(row.payload_hash).toEqual(payloadHash(row.payload));
    expect(row.meta_hash).toEqual(metaHash(row.meta));
    expect(row.prev_hash).toEqual(streams.get(stream) ?? streamGenesis(origin, row.tenant, row.stream_id));
    expect(row.event_hash).toEqual(eventHash({ ...row, origin }));
    chain = logHash(chain, row.position, row.event_hash);
    expect(row.log_hash).toEqual(chain);
    streams.set(stream, row.event_hash);
  }
}

test("SQL and TypeScript agree on arbitrary bytes and names, one event at a time", async () => {
  await fc.assert(
    fc.asyncProperty(
      name,
      name,
      name,
      fc.uuid(),
      fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      bytes,
      bytes,
      async (tenant, stream, type, id, schema_version, payload, meta) => {
        await log.pool.query("select eventstore.append_one(1, null, null, $1, $2, -1, $3, $4, $5, $6, $7)", [
          tenant,
          stream,
          id,
          type,
          schema_version,
          payload,
          meta,
        ]);
      },
    ),
    { numRuns: scaled(60, 10) },
  );
  await expectSoundHashes();
});

test("SQL and TypeScript agree on commits of several events and streams", async () => {
  const event = fc.record({
    type: name,
    schema_version: fc.integer({ min: 1, max: 9 }),
    payload: fc.object(),
  });
  const payload = fc.dictionary(name, fc.oneof(name, fc.integer(), fc.boolean(), fc.constant(null)));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(
        fc.record({
          tenant: fc.constantFrom("a", "ä", "漢字"),
          stream_id: name,
          events: fc.array(
            event.chain((e) => payload.map((p) => ({ ...e, payload: p }))),
            {
              minLength: 1,
              maxLength: 4,
            },
          ),
        }),
        {
          minLength: 1,
          maxLength: 3,
          selector: (append) => JSON.stringify([append.tenant, append.stream_id]),
        },
      ),
      fc.option(fc.uuid(), { nil: undefined }),
      async (appends, idem_key) => {
        const request_hash = Buffer.alloc(32, 5);
        const result = await log.store.append({
          appends: appends.map((append) => ({ ...append, expected_version: "any" as const })),
          idempotency: idem_key === undefined ? undefined : { idem_key, request_hash },
        });
        if (result.status !== "appended") throw new Error(result.status);
        const [first] = await log.store.readLog({ after: result.events[0]!.position - 1, limit: 1 });
        const key = idem_key === undefined ? undefined : request_hash;
        expect(first!.meta).toEqual({ commit: commitHash(idem_key, key, result.events.length) });
      },
    ),
    { numRuns: scaled(40, 10) },
  );
  await expectSoundHashes();
});
