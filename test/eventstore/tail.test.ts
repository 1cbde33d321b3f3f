import { afterEach, beforeEach, expect, test } from "vitest";
import { createEventStore, type EventStore } from "../../eventstore/store.ts";
import { createTail, type Tail, type TailOptions } from "../../eventstore/tail.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { appended, commitOf, type Fixture, openLog, positions } from "./fixture.ts";

let log: Fixture;
/** Another process from the log's view. */
let other: EventStore;
let tails: Tail[];
beforeEach(async () => {
  log = await openLog();
  other = createEventStore(log.pool);
  tails = [];
});
afterEach(async () => {
  await Promise.all(tails.map((tail) => tail.close()));
  await other.close();
  await log.close();
});

/** A tail that does not poll by default. */
function follow(store: EventStore, options: Partial<TailOptions> = {}): Tail {
  const tail = createTail(store, { pool: log.pool, poll_ms: 60_000, ...options });
  tails.push(tail);
  return tail;
}

async function write(store: EventStore, events: number, tenant = "a"): Promise<void> {
  for (let n = 0; n < events; n++)
    appended(await store.append(commitOf({ tenant, stream_id: `s-${n % 3}` })));
}

/** Reads until it has `events` of them. */
async function take(
  tail: Tail,
  events: number,
  subscription: Partial<Parameters<Tail["subscribe"]>[0]> = {},
) {
  const seen: number[] = [];
  for await (const batch of tail.subscribe({ after: 0, ...subscription })) {
    seen.push(...positions(batch));
    if (seen.length >= events) break;
  }
  return seen;
}

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

/** Listening backends; the last known query of a backend shows its last notice. */
const LISTENERS = `from pg_stat_activity where datname = current_database()
  and (query like 'listen%' or query like 'select pg_notify(%')`;
const listeners = async () => (await log.pool.query(`select count(*) as n ${LISTENERS}`)).rows[0].n as number;

test("subscribers miss nothing and see nothing twice while two processes write", async () => {
  const tail = follow(log.store, { window: 64 });
  follow(other);
  await write(log.store, 5);
  const readers = [take(tail, 305), take(tail, 305), take(tail, 300, { after: 5 })];
  await Promise.all([
    write(log.store, 100),
    write(log.store, 50, "b"),
    write(other, 100),
    write(other, 50, "b"),
  ]);
  const [first, second, third] = await Promise.all(readers);
  expect(first).toEqual(upTo(305));
  expect(second).toEqual(upTo(305));
  expect(third).toEqual(upTo(305).slice(5));
});

test("a tenant's subscriber sees only its own events", async () => {
  const tail = follow(log.store, { window: 4 });
  const reader = take(tail, 20, { tenant: "b" });
  for (let n = 0; n < 20; n++) {
    await write(log.store, 2, "a");
    await write(log.store, 1, "b");
  }
  expect(await reader).toEqual(upTo(60).filter((n) => n % 3 === 0));
});

test("a reader behind the window continues from the database", async () => {
  const tail = follow(log.store, { window: 10 });
  await write(log.store, 1);
  const seen: number[] = [];
  for await (const batch of tail.subscribe({ after: 0 })) {
    seen.push(...positions(batch));
    // Far more than the window has, while this reader is busy.
    if (seen.length === 1) await write(log.store, 100);
    if (seen.length >= 101) break;
  }
  expect(seen).toEqual(upTo(101));
});

test("another process's appends are announced, also after the listening connection broke", async () => {
  const lost: Error[] = [];
  const tail = follow(log.store, { onError: (error) => lost.push(error) });
  follow(other);
  await until(async () => (await listeners()) === 2);
  await write(other, 1);
  expect(await tail.reached(1, LIMIT_MS)).toBe(true);
  await log.pool.query(`select pg_terminate_backend(pid) ${LISTENERS}`);
  await until(() => lost.length > 0);
  await until(async () => (await listeners()) === 2);
  await write(other, 1);
  expect(await tail.reached(2, LIMIT_MS)).toBe(true);
});

test("appends during a broken connection are seen once it is back", async () => {
  const tail = follow(log.store);
  await until(async () => (await listeners()) === 1);
  await log.pool.query(`select pg_terminate_backend(pid) ${LISTENERS}`);
  await write(other, 3);
  expect(await tail.reached(3, LIMIT_MS)).toBe(true);
});

test("the poll finds unannounced events", async () => {
  const tail = follow(log.store, { poll_ms: 20 });
  await until(async () => (await listeners()) === 1);
  await write(other, 3);
  expect(await tail.reached(3, LIMIT_MS)).toBe(true);
});

test("reached resolves to false on the timeout or an abort", async () => {
  const tail = follow(log.store);
  expect(await tail.reached(1, 20)).toBe(false);
  const giveUp = new AbortController();
  const waiting = tail.reached(1, 60_000, giveUp.signal);
  giveUp.abort();
  expect(await waiting).toBe(false);
  await write(log.store, 1);
  expect(await tail.reached(1, LIMIT_MS)).toBe(true);
});

test("a subscription ends on an abort and when the tail closes", async () => {
  const tail = follow(log.store);
  await write(log.store, 2);
  const stop = new AbortController();
  const aborted = take(tail, 100, { signal: stop.signal });
  const closed = take(tail, 100);
  await until(() => tail.position === 2);
  stop.abort();
  expect(await aborted).toEqual([1, 2]);
  await tail.close();
  expect(await closed).toEqual([1, 2]);
  expect(await take(tail, 1)).toEqual([]);
});

test("a subscriber that starts beyond the head waits for later events", async () => {
  const tail = follow(log.store);
  await write(log.store, 3);
  const reader = take(tail, 1, { after: 4 });
  await write(log.store, 2);
  expect(await reader).toEqual([5]);
});
