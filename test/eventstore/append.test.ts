import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../eventstore/migrate.ts";
import { openPool } from "../../eventstore/pool.ts";
import { createEventStore, type EventStore } from "../../eventstore/store.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";

let database: FreshDatabase;
let pool: pg.Pool;
let store: EventStore;

beforeAll(async () => {
  database = await freshDatabase();
  await migrate(database.url, { host: "test.example" });
  pool = openPool(database.url);
  store = createEventStore(pool);
});

afterAll(async () => {
  await store.close();
  await pool.end();
  await database.drop();
});

test("200 concurrent appends", async () => {
  const results = await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      store.append({
        appends: [
          {
            tenant: "a",
            stream_id: `s${i % 20}`,
            expected_version: "any",
            events: [
              { type: "T", payload: { i } },
              { type: "T", payload: { i } },
            ],
          },
        ],
      }),
    ),
  );
  const positions = results.flatMap((r) => (r.status === "appended" ? r.events.map((e) => e.position) : []));
  expect(positions.sort((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_, i) => i + 1));
  expect((await store.head()).position).toBe(400);
  console.log((await store.readStream({ tenant: "a", stream_id: "s1" })).slice(0, 2));
  const one = await store.append({
    appends: [{ tenant: "a", stream_id: "x", expected_version: 0, events: [{ type: "T", payload: {} }] }],
    idempotency: { idem_key: "k", request_hash: Buffer.alloc(32) },
  });
  console.log(one);
  const two = await store.append({
    appends: [{ tenant: "a", stream_id: "x", expected_version: 0, events: [{ type: "T", payload: {} }] }],
    idempotency: { idem_key: "k", request_hash: Buffer.alloc(32) },
  });
  expect(two).toEqual({ ...one, status: "replayed" });
});
