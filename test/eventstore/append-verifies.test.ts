/** Appended events pass the verifier, which shares no line with the append path: in the tables and in an export. */
import { Writable } from "node:stream";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportLog } from "../../eventstore/files/export.ts";
import { createLog, migrate } from "../../eventstore/migrate.ts";
import { openPool } from "../../eventstore/pool.ts";
import { createEventStore, type EventStore } from "../../eventstore/store.ts";
import type { Commit, JsonObject } from "../../eventstore/types.ts";
import { verifyDatabase } from "../../eventstore/verify/verify-database.ts";
import { verifyExport } from "../../eventstore/verify/verify-export.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { scaled } from "../support/scale.ts";

let database: FreshDatabase;
let pool: ReturnType<typeof openPool>;
let store: EventStore;
let logs = 1;

beforeAll(async () => {
  database = await freshDatabase();
  await migrate(database.url, { host: "log.test" });
  pool = openPool(database.url);
  store = createEventStore(pool);
});
afterAll(async () => {
  await store.close();
  await pool.end();
  await database.drop();
});

const text = fc
  .string({ unit: "grapheme", maxLength: 20 })
  .filter((s) => !s.includes("\0") && s.isWellFormed());
const payload = fc.dictionary(
  text.filter((s) => s !== "__proto__"),
  fc.oneof(
    text,
    fc.integer(),
    fc.double({
      noNaN: true,
      noDefaultInfinity: true,
      maxExcluded: true,
      minExcluded: true,
      max: 2 ** 53,
      min: -(2 ** 53),
    }),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.integer()),
  ),
) as fc.Arbitrary<JsonObject>;
const streams = [
  { tenant: "acme", stream_id: "s" },
  { tenant: "acme", stream_id: "ſ→\u{1F9FE}" },
  { tenant: "other", stream_id: "s" },
];
const commit = fc.record({
  streams: fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }),
  payloads: fc.array(payload, { minLength: 1, maxLength: 3 }),
  meta: payload.map(({ commit: _, ...meta }) => meta),
  key: fc.option(fc.nat(8)),
});

const bytesOf = async (write: (to: Writable) => Promise<unknown>): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  const keep = new Writable({
    write(chunk, _, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  await write(keep);
  return Buffer.concat(chunks);
};

test("any commits, many at once, with repeated keys, verify", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(commit, { minLength: 1, maxLength: 25 }), async (wanted) => {
      const log_id = ++logs;
      await createLog(pool, { log_id, host: "log.test" });
      const commits = wanted.map(
        (one): Commit => ({
          log_id,
          meta: one.meta,
          appends: one.streams.map((n) => ({
            ...streams[n]!,
            expected_version: "any",
            events: one.payloads.map((value) => ({ type: "Happened", payload: value })),
          })),
          ...(one.key !== null && {
            idempotency: { idem_key: `key ${one.key}`, request_hash: Buffer.alloc(32, one.key) },
          }),
        }),
      );
      await Promise.all(commits.map((one) => store.append(one)));
      const inTables = await verifyDatabase(pool, log_id);
      expect(inTables.verdicts.filter(({ ok }) => !ok)).toEqual([]);
      const exported = await bytesOf((to) => exportLog(pool, { log_id }, to));
      const inExport = await verifyExport(
        (async function* () {
          yield exported;
        })(),
      );
      expect(inExport.verdicts.filter(({ ok }) => !ok)).toEqual([]);
      expect(inExport.head).toEqual(inTables.head);
    }),
    { numRuns: scaled(30, 10) },
  );
});
