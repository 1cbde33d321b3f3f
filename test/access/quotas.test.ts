import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPool } from "../../eventstore/pool.ts";
import { createQuotas } from "../../src/adapters/quotas.ts";
import { quotaWindows } from "../../src/domain/access/quota.ts";
import { type FreshDatabase, freshDatabase, makeServiceTables } from "../support/database.ts";
import { scaled } from "../support/scale.ts";

let database: FreshDatabase;
const pools: ReturnType<typeof openPool>[] = [];
const clock = { at: new Date("2026-11-21T23:59:59Z"), now: () => clock.at };
/** The state of one process. */
const makeProcess = () => {
  const pool = openPool(database.url, { max: 4 });
  pools.push(pool);
  return createQuotas(pool, clock);
};

beforeAll(async () => {
  database = await freshDatabase();
  await makeServiceTables(database.url);
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
});

test("of 600 concurrent calls at several processes exactly 250 are granted", async () => {
  const processes = [makeProcess(), makeProcess(), makeProcess()];
  const key = { key_id: "exact", daily: 250, monthly: null };
  const taken = await Promise.all(Array.from({ length: 600 }, (_, n) => processes[n % 3]!.take(key)));
  expect(taken.filter(({ granted }) => granted)).toHaveLength(250);
  const counts = taken.filter(({ granted }) => granted).map(({ usage }) => usage.day_used);
  expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 250 }, (_, n) => n + 1));
});

test("the monthly quota applies where it is tighter than the daily one", async () => {
  const quotas = makeProcess();
  const key = { key_id: "month", daily: 10, monthly: 3 };
  const taken = await Promise.all(Array.from({ length: 5 }, () => quotas.take(key)));
  expect(taken.map(({ granted }) => granted)).toEqual([true, true, true, false, false]);
});

test("a new day starts at zero, while the month's count continues", async () => {
  const quotas = makeProcess();
  const key = { key_id: "midnight", daily: 1, monthly: 2 };
  expect((await quotas.take(key)).granted).toBe(true);
  expect((await quotas.take(key)).granted).toBe(false);
  clock.at = new Date("2026-11-22T00:00:00Z");
  expect(await quotas.take(key)).toEqual({ granted: true, usage: { day_used: 1, month_used: 2 } });
  expect((await quotas.take(key)).granted).toBe(false);
  clock.at = new Date("2026-12-01T00:00:00Z");
  expect((await quotas.take(key)).granted).toBe(true);
});

test("each of many keys gets exactly its own quota from two processes", async () => {
  const processes = [makeProcess(), makeProcess()];
  await fc.assert(
    fc.asyncProperty(
      fc.uuid(),
      fc.array(fc.record({ key: fc.nat(3), process: fc.nat(1) }), { maxLength: 60 }),
      fc.array(fc.option(fc.integer({ min: 1, max: 15 })), { minLength: 4, maxLength: 4 }),
      async (run, calls, limits) => {
        const keyOf = (n: number) => ({ key_id: `${run}-${n}`, daily: limits[n]!, monthly: null });
        const taken = await Promise.all(
          calls.map(({ key, process }) => processes[process]!.take(keyOf(key))),
        );
        for (const key of [0, 1, 2, 3]) {
          const request = calls.filter((call) => call.key === key).length;
          const granted = taken.filter((answer, n) => calls[n]!.key === key && answer.granted).length;
          expect(granted).toBe(Math.min(request, limits[key] ?? request));
        }
      },
    ),
    { numRuns: scaled(25, 10) },
  );
});

test("a call is answered 503, and not granted, while the database is unavailable", async () => {
  const pool = openPool("postgres://nobody@127.0.0.1:1/none", { max: 1 });
  await expect(
    createQuotas(pool, clock).take({ key_id: "x", daily: 1, monthly: null }),
  ).rejects.toMatchObject({
    code: "unavailable",
  });
  await pool.end();
});

test("windows state the remainder and their reset", () => {
  const at = new Date("2026-02-10T23:00:00Z");
  expect(quotaWindows({ daily: 10, monthly: 100 }, { day_used: 4, month_used: 99 }, at)).toEqual([
    { name: "monthly", limit: 100, remaining: 1, reset_s: 18 * 86_400 + 3_600, window_s: 28 * 86_400 },
    { name: "daily", limit: 10, remaining: 6, reset_s: 3_600, window_s: 86_400 },
  ]);
  expect(quotaWindows({ daily: null, monthly: null }, { day_used: 4, month_used: 9 }, at)).toEqual([]);
});
