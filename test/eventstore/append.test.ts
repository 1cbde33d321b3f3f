import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLog } from "../../eventstore/migrate.ts";
import { openPool } from "../../eventstore/pool.ts";
import { appended, commitOf, type Fixture, keyed, openLog, positions } from "./fixture.ts";

let log: Fixture;
beforeAll(async () => {
  log = await openLog();
});
afterAll(() => log.close());

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

test("200 simultaneous appends take consecutive positions, in one order", async () => {
  const before = (await log.store.head()).position;
  const results = await Promise.all(
    range(1, 200).map((n) => log.store.append(commitOf({ stream_id: `many-${n % 7}` }, { n }))),
  );
  const given = positions(results.flatMap(appended)).sort((a, b) => a - b);
  expect(given).toEqual(range(before + 1, before + 200));
  const read = await log.store.readLog({ after: before, limit: 200 });
  expect(positions(read)).toEqual(given);
  expect(read.map((event) => event.recorded_at_us)).toEqual(
    read.map((event) => event.recorded_at_us).sort((a, b) => a - b),
  );
});

describe("expected versions", () => {
  const cases = [
    { expected_version: "any", there: 0, fits: true },
    { expected_version: "any", there: 2, fits: true },
    { expected_version: "absent", there: 0, fits: true },
    { expected_version: "absent", there: 2, fits: false },
    { expected_version: "exists", there: 0, fits: false },
    { expected_version: "exists", there: 2, fits: true },
    { expected_version: 0, there: 0, fits: true },
    { expected_version: 0, there: 2, fits: false },
    { expected_version: 2, there: 2, fits: true },
    { expected_version: 1, there: 2, fits: false },
    { expected_version: 3, there: 2, fits: false },
  ] as const;

  // A single event takes append_one; next to another request the same commit takes append.
  for (const alone of [true, false])
    test.each(cases)(
      `$expected_version on $there events, alone: ${alone}`,
      async ({ expected_version, there, fits }) => {
        const stream_id = randomUUID();
        for (let n = 0; n < there; n++) await log.store.append(commitOf({ stream_id }));
        const commit = commitOf({ stream_id, expected_version });
        const others = alone
          ? []
          : range(1, 3).map(() => log.store.append(commitOf({ stream_id: randomUUID() })));
        const result = await log.store.append(commit);
        for (const other of await Promise.all(others)) appended(other);
        if (fits) expect(appended(result)).toMatchObject([{ stream_id, version: there + 1 }]);
        else expect(result).toEqual({ status: "wrong_version", tenant: "acme", stream_id, actual: there });
        const head = await log.store.streamHead({ tenant: "acme", stream_id });
        expect(head?.version ?? 0).toBe(there + (fits ? 1 : 0));
      },
    );
});

test("a commit over several streams and tenants is complete, in the given order", async () => {
  const stream_id = randomUUID();
  const event = (n: number) => ({ type: "Moved", payload: { n } });
  const result = await log.store.append({
    appends: [
      { tenant: "a", stream_id, expected_version: 0, events: [event(1), event(2)] },
      { tenant: "b", stream_id, expected_version: "absent", events: [event(3)] },
    ],
    meta: { actor: "test" },
  });
  const events = appended(result);
  const first = events[0]!.position;
  expect(events.map(({ position, tenant, version }) => ({ position, tenant, version }))).toEqual([
    { position: first, tenant: "a", version: 1 },
    { position: first + 1, tenant: "a", version: 2 },
    { position: first + 2, tenant: "b", version: 1 },
  ]);
  const read = await log.store.readLog({ after: first - 1 });
  expect(read.map((e) => e.payload)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(read.map((e) => e.meta)).toEqual([
    { actor: "test", commit: expect.stringMatching(/^[0-9a-f]{64}$/) },
    { actor: "test" },
    { actor: "test" },
  ]);
});

test("one stream at another version refuses that whole commit, and no other", async () => {
  const [taken, free, other] = [randomUUID(), randomUUID(), randomUUID()] as const;
  appended(await log.store.append(commitOf({ stream_id: taken })));
  const event = { type: "Moved", payload: {} };
  const before = (await log.store.head()).position;
  const [refused, accepted] = await Promise.all([
    log.store.append({
      appends: [
        { tenant: "acme", stream_id: free, expected_version: 0, events: [event] },
        { tenant: "acme", stream_id: taken, expected_version: 0, events: [event] },
      ],
    }),
    log.store.append(commitOf({ stream_id: other })),
  ]);
  expect(refused).toEqual({ status: "wrong_version", tenant: "acme", stream_id: taken, actual: 1 });
  expect(positions(appended(accepted))).toEqual([before + 1]);
  expect(await log.store.readStream({ tenant: "acme", stream_id: free })).toEqual([]);
});

describe("idempotency keys", () => {
  test("the same key and request return the first events, even after the stream moved on", async () => {
    const stream_id = randomUUID();
    const commit = commitOf({ stream_id, expected_version: 0 }, { n: 1 }, keyed("k-1"));
    const first = await log.store.append(commit);
    const [second] = appended(await log.store.append(commitOf({ stream_id, expected_version: 1 })));
    expect(await log.store.append(commit)).toEqual({ status: "replayed", events: appended(first) });
    const { event_hash } = second!;
    expect(await log.store.streamHead({ tenant: "acme", stream_id })).toEqual({ version: 2, event_hash });
  });

  test("another request under the key is refused", async () => {
    appended(await log.store.append(commitOf({}, {}, keyed("k-2", 1))));
    expect(await log.store.append(commitOf({}, {}, keyed("k-2", 2)))).toEqual({ status: "idem_conflict" });
  });

  test("50 simultaneous ones with one key append once", async () => {
    const stream_id = randomUUID();
    const results = await Promise.all(
      range(1, 50).map(() => log.store.append(commitOf({ stream_id }, {}, keyed("k-3")))),
    );
    expect(results.filter((result) => result.status === "appended")).toHaveLength(1);
    expect(results.filter((result) => result.status === "replayed")).toHaveLength(49);
    expect(new Set(results.map((result) => JSON.stringify({ ...result, status: "" }))).size).toBe(1);
  });

  test("findCommit returns exactly the commit", async () => {
    const stream_id = randomUUID();
    const event = { type: "Moved", payload: {} };
    const events = appended(
      await log.store.append({
        appends: [
          { tenant: "a", stream_id, expected_version: "any", events: [event, event] },
          { tenant: "b", stream_id, expected_version: "any", events: [event] },
        ],
        ...keyed("k-4", 7),
      }),
    );
    appended(await log.store.append(commitOf()));
    const found = await log.store.findCommit({ idem_key: "k-4" });
    expect(found?.request_hash).toEqual(Buffer.alloc(32, 7));
    expect(positions(found!.events)).toEqual(positions(events));
    expect(await log.store.findCommit({ idem_key: "k-5" })).toBeUndefined();
  });
});

test("two logs have the same positions, keys and streams, and share nothing", async () => {
  await createLog(log.pool, { log_id: 2, host: "test.example" });
  const commit = (log_id: number) =>
    commitOf({ log_id, stream_id: "both", expected_version: 0 }, { log_id }, keyed("both-logs"));
  const main = appended(await log.store.append(commit(1)));
  const second = appended(await log.store.append(commit(2)));
  expect(positions(second)).toEqual([1]);
  expect(second[0]!.event_hash).not.toEqual(main[0]!.event_hash);
  expect((await log.store.readLog({ log_id: 2, after: 0 })).map((e) => e.payload)).toEqual([{ log_id: 2 }]);
  expect((await log.store.head(2)).position).toBe(1);
  expect((await log.store.identity(2)).origin).not.toBe((await log.store.identity(1)).origin);
  await expect(log.store.append(commitOf({ log_id: 3 }))).rejects.toThrow("there is no log 3");
});

test("an append in a snapshot that may precede the lock is refused", async () => {
  const client = await log.pool.connect();
  await client.query("begin isolation level repeatable read");
  await expect(client.query("select eventstore.lock_log(1)")).rejects.toThrow("read committed");
  await client.query("rollback");
  client.release();
});

test("a pool keeps idle connections longer than the minute between checkpoints", async () => {
  const pool = openPool("postgres://nobody@127.0.0.1:1/none");
  expect(pool.options.idleTimeoutMillis).toBeGreaterThan(60_000);
  await pool.end();
});
