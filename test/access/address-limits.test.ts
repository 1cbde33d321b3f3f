/** Calls by address, counted once for all processes: each "process" here has its own pool and memory. */
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openPool } from "../../eventstore/pool.ts";
import { createAddressLimits } from "../../src/adapters/address-limits.ts";
import type { CallLimit } from "../../src/core/model/ports/address-limits.ts";
import { type FreshDatabase, freshDatabase, makeServiceTables } from "../support/database.ts";

let database: FreshDatabase;
const pools: pg.Pool[] = [];
const failures: Error[] = [];
const clock = { at: new Date("2026-11-21T23:59:00Z"), now: () => clock.at };

const makeProcess = () => {
  const pool = openPool(database.url, { max: 4 });
  pools.push(pool);
  const queries = vi.spyOn(pool, "query");
  const limits = createAddressLimits(pool, clock, (error) => failures.push(error));
  return { limits, queries };
};

/** The sum of all processes' counts. */
const usedOf = async (name: string): Promise<number> => {
  const sql = "select coalesce(sum(used), 0)::int as used from access.address_calls where limit_name = $1";
  return (await pools[0]!.query<{ used: number }>(sql, [name])).rows[0]!.used;
};

beforeAll(async () => {
  database = await freshDatabase();
  await makeServiceTables(database.url);
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
  expect(failures).toEqual([]);
});

test.each([10, 100])("three processes grant %i calls together, and not one more", async (calls) => {
  const limit: CallLimit = { name: `exact-${calls}`, calls, per: "minute" };
  const processes = [makeProcess(), makeProcess(), makeProcess()];
  const taken = await Promise.all(
    Array.from({ length: 4 * calls }, (_, n) => processes[n % 3]!.limits.take(limit, "192.0.2.1")),
  );
  expect(taken.filter(({ granted }) => granted)).toHaveLength(calls);
  const other = await processes[0]!.limits.take(limit, "192.0.2.2");
  expect(other.granted).toBe(true);
});

test("a single process grants exactly the limit, one after the other, with few queries to the database", async () => {
  const limit: CallLimit = { name: "one by one", calls: 100, per: "minute" };
  const { limits, queries } = makeProcess();
  const granted: boolean[] = [];
  for (let n = 0; n < 110; n++) granted.push((await limits.take(limit, "192.0.2.3")).granted);
  expect(granted.filter(Boolean)).toHaveLength(100);
  expect(granted.slice(100)).toEqual(Array(10).fill(false));
  expect(queries.mock.calls.length).toBeLessThan(60);
  const questions = queries.mock.calls.length;
  expect((await limits.take(limit, "192.0.2.3")).granted).toBe(false);
  expect(queries.mock.calls.length).toBe(questions);
});

test("a call gets the remaining calls and the reset: a minute after the first call, or at midnight UTC", async () => {
  const { limits } = makeProcess();
  const day: CallLimit = { name: "a day", calls: 2, per: "day" };
  expect(await limits.take(day, "a")).toEqual({ granted: true, remaining: 1, reset_s: 60 });
  expect(await limits.take(day, "a")).toEqual({ granted: true, remaining: 0, reset_s: 60 });
  expect(await limits.take(day, "a")).toEqual({ granted: false, remaining: 0, reset_s: 60 });
  const minute: CallLimit = { name: "a minute", calls: 1, per: "minute" };
  expect((await limits.take(minute, "a")).reset_s).toBe(60);
  clock.at = new Date("2026-11-22T00:00:00Z");
  expect(await limits.take(day, "a")).toMatchObject({ granted: true, remaining: 1 });
  expect(await limits.take(minute, "a")).toMatchObject({ granted: true });
});

test("a later count reaches the other process", async () => {
  const limit: CallLimit = { name: "guesses", calls: 10, per: "minute" };
  const [one, two] = [makeProcess().limits, makeProcess().limits];
  for (let n = 0; n < 9; n++) one.add(limit, "b");
  await vi.waitFor(async () => expect(await usedOf("guesses")).toBe(9), { timeout: 60_000 });
  expect([one.isSpent(limit, "b"), two.isSpent(limit, "b")]).toEqual([false, false]);
  two.add(limit, "b");
  await vi.waitFor(() => expect(two.isSpent(limit, "b")).toBe(true), { timeout: 60_000 });
});

test("a call made while the database counts is counted too once the result arrives", async () => {
  const limit: CallLimit = { name: "meanwhile", calls: 3, per: "minute" };
  const { limits, queries } = makeProcess();
  limits.add(limit, "e");
  // It is requested at the end of this tick, and answered in a later one.
  await Promise.resolve();
  expect(queries).toHaveBeenCalledTimes(1);
  limits.add(limit, "e", 2);
  // Once the second count is requested, the first has arrived, which covers one call only.
  const spent = new Promise<boolean>((done) => {
    queries.mockImplementationOnce(() => {
      done(limits.isSpent(limit, "e"));
      return Promise.resolve({ rows: [{ granted: 0, used: 3, ends_at_ms: clock.at.getTime() + 60_000 }] });
    });
  });
  expect(await spent).toBe(true);
});

test("a process counts by itself while the database is unavailable", async () => {
  const away = new pg.Pool({ connectionString: "postgres://nobody@127.0.0.1:1/none" });
  const errors: Error[] = [];
  const limits = createAddressLimits(away, clock, (error) => errors.push(error));
  const limit: CallLimit = { name: "alone", calls: 2, per: "minute" };
  const taken = [];
  for (let n = 0; n < 3; n++) taken.push((await limits.take(limit, "c")).granted);
  expect(taken).toEqual([true, true, false]);
  limits.add(limit, "d");
  expect((await limits.take(limit, "d")).granted).toBe(true);
  expect((await limits.take(limit, "d")).granted).toBe(false);
  expect(errors.length).toBeGreaterThan(0);
  await away.end();
});
