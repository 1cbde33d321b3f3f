/** Before the first ANALYZE the planner has no statistics of the log, and still reads only the requested part. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPool } from "../../eventstore/pool.ts";
import { createEventStore, type EventStore } from "../../eventstore/store.ts";
import { commitOf, type Fixture, openLog } from "./fixture.ts";

let log: Fixture;
beforeAll(async () => {
  log = await openLog();
  await log.pool.query("alter table eventstore.events set (autovacuum_enabled = off)");
  // Enough streams to make their index taller than the tenant's, which then seems cheaper.
  for (let n = 0; n < 30; n++) {
    const events = [{ type: "Happened", payload: { n } }];
    const stream = () => ({ tenant: "acme", stream_id: randomUUID(), expected_version: 0, events });
    await log.store.append({ appends: Array.from({ length: 1_000 }, stream) });
  }
});
afterAll(() => log.close());

type Ask = (store: EventStore, stream: { tenant: string; stream_id: string }) => Promise<unknown>;

test.each<[string, Ask]>([
  ["streams", (store, stream) => store.readStream(stream)],
  ["versions", (store, stream) => store.streamHead(stream)],
  ["appends", (store, stream) => store.append(commitOf(stream))],
])("a new stream does not slow the tenant's others: %s", async (_, ask) => {
  // One connection, whose statistics are available at once.
  const pool = openPool(log.url, { max: 1 });
  const read = async () => {
    await pool.query("select pg_stat_force_next_flush()");
    const sql = "select idx_tup_read from pg_stat_user_indexes where indexrelname = 'events_tenant'";
    return Number((await pool.query<{ idx_tup_read: string }>(sql)).rows[0]!.idx_tup_read);
  };
  const store = createEventStore(pool);
  const before = await read();
  for (let n = 0; n < 10; n++)
    await Promise.all(
      Array.from({ length: 20 }, () => ask(store, { tenant: "acme", stream_id: randomUUID() })),
    );
  expect((await read()) - before).toBeLessThan(1_000);
  await store.close();
  await pool.end();
});
