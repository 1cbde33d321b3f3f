/** The ways of writing an event that bench/append.ts compares, each in its own database. */
import { randomBytes, randomUUID } from "node:crypto";
import { getPostgreSQLEventStore } from "@event-driven-io/emmett-postgresql";
import pg from "pg";
import type { AppendPrecondition } from "../eventstore/combiner.ts";
import { migrate } from "../eventstore/migrate.ts";
import { openPool } from "../eventstore/pool.ts";
import { createEventStore } from "../eventstore/store.ts";
import type { JsonObject, StreamAppend } from "../eventstore/types.ts";
import { storedHeads } from "../src/adapters/signed-heads.ts";

export type Contender = {
  name: string;
  /** Appends one request; `n` is new each time. */
  request(n: number): Promise<unknown>;
  close(): Promise<void>;
};

const STREAMS = 20_000;

/** Some 300 bytes, like a payment's claim. */
export const payload = (n: number): JsonObject => ({
  authorization: {
    from: `0x${"a1".repeat(20)}`,
    to: `0x${"b2".repeat(20)}`,
    value: String(10_000 + n),
    nonce: n,
  },
  request_digest: "9f".repeat(32),
  operation: "trade_top_partners",
  claimed_at: "2026-01-01T00:00:00.000Z",
});

/** Ours: idempotency key, both chains, the combiner; `precondition`: the service's condition on every append. */
export async function tallystick(
  url: string,
  shape: "one" | "three",
  precondition?: AppendPrecondition,
): Promise<Contender> {
  await migrate(url, { host: "bench" });
  const pool = openPool(url, { max: 4 });
  const store = createEventStore(pool, { ...(precondition && { precondition }) });
  // The caller's hashing of its request is no part of an append.
  const hashes = Array.from({ length: 1024 }, () => randomBytes(32));
  const run = randomUUID();
  const stream = (stream_id: string, events: number, n: number): StreamAppend => ({
    tenant: `tenant-${n % 50}`,
    stream_id,
    expected_version: "any",
    events: Array.from({ length: events }, () => ({ type: "PaymentClaimed", payload: payload(n) })),
  });
  return {
    name: shape === "one" ? "tallystick" : "tallystick, 3 events over 2 streams",
    request: (n) =>
      store.append({
        appends:
          shape === "one"
            ? [stream(`payment-${n % STREAMS}`, 1, n)]
            : [stream(`payment-${n % STREAMS}`, 2, n), stream(`account-${n % STREAMS}`, 1, n)],
        meta: { actor: "key:7f3a", operation: "trade_top_partners", request_id: `req-${n}` },
        idempotency: { idem_key: `${run}-${n}`, request_hash: hashes[n % 1024]! },
      }),
    close: async () => {
      await store.close();
      await pool.end();
    },
  };
}

/** The same with a signed log: this machine's memory is read, and each call must continue it. */
export async function tallystickSigned(url: string, dir: string): Promise<Contender> {
  await migrate(url, { host: "bench" });
  const signed = await storedHeads(dir);
  const pool = openPool(url, { max: 1 });
  const store = createEventStore(pool);
  await store.append({
    appends: [
      {
        tenant: "acme",
        stream_id: "first",
        expected_version: 0,
        events: [{ type: "PaymentClaimed", payload: payload(0) }],
      },
    ],
  });
  const head = await store.head();
  const { origin } = await store.identity();
  await signed.advance(origin, { size: 1, root: "0x", note: "", signed_at: "2026-01-01T00:00:00.000Z" });
  await store.close();
  await pool.end();
  const precondition = {
    place: async () => ((await signed.last(origin)) ? head : undefined),
    lost: async () => new Error("the log was cut"),
  };
  return { ...(await tallystick(url, "one", precondition)), name: "tallystick, after what was signed" };
}

export async function emmettPostgres(url: string): Promise<Contender> {
  const store = getPostgreSQLEventStore(url);
  await store.schema.migrate();
  return {
    name: "emmett-postgresql 0.42",
    request: (n) =>
      store.appendToStream(`payment-${n % STREAMS}`, [{ type: "PaymentClaimed", data: payload(n) }]),
    close: () => store.close(),
  };
}

/** One prepared INSERT per request, with a connection per caller, so that commits share their fsync. */
export async function plainInsert(url: string, callers: number): Promise<Contender> {
  const pool = new pg.Pool({ connectionString: url, max: Math.min(callers, 64) });
  await pool.query(
    "create table plain (id bigint generated always as identity primary key, payload bytea not null)",
  );
  return {
    name: "plain INSERT",
    request: (n) =>
      pool.query({
        name: "plain",
        text: "insert into plain (payload) values ($1)",
        values: [Buffer.from(JSON.stringify(payload(n)))],
      }),
    close: () => pool.end(),
  };
}

/** Events per second of one INSERT … SELECT of a log's rows into a table with the same columns and indexes. */
export async function insertSelect(url: string, rows: number): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("drop table if exists limit_copy");
  await client.query("create table limit_copy (like eventstore.events including all)");
  const started = performance.now();
  const answer = await client.query(
    `insert into limit_copy select * from eventstore.events where log_id = 1 and position <= ${rows}`,
  );
  const seconds = (performance.now() - started) / 1000;
  await client.query("drop table limit_copy");
  await client.end();
  return (answer.rowCount ?? 0) / seconds;
}
