/** Each lease has one owner, and a process's simultaneous requests share one statement. */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPool } from "../eventstore/pool.ts";
import { Leases, together } from "../src/core/coordination/lease.ts";
import { lookAtLog } from "../src/core/coordination/lease-statement.ts";
import type { FreshDatabase } from "./support/database.ts";
import { preparedDatabase } from "./support/prepared-database.ts";

let database: FreshDatabase;
let pool: pg.Pool;
let statements = 0;
beforeAll(async () => {
  database = await preparedDatabase();
  pool = openPool(database.url, { max: 4 });
  const { query } = pool;
  pool.query = ((...requests: Parameters<typeof query>) => {
    statements++;
    return query.apply(pool, requests);
  }) as typeof query;
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const opened = (seconds?: number) => new Leases(pool, { table: "reactors.leases", name: "reactor" }, seconds);
const names = (count: number) => Array.from({ length: count }, () => randomUUID());
const takeAll = (leases: Leases, all: readonly string[], holder: string) =>
  Promise.all(all.map((name) => leases.take(name, holder)));

test("simultaneous requests share one statement, and each lease has one owner", async () => {
  const leases = opened();
  const all = names(40);
  const [one, other] = [randomUUID(), randomUUID()];
  statements = 0;
  const taken = await takeAll(leases, all, one);
  expect(statements).toBe(1);
  expect(taken).toEqual(all.map((name) => ({ name, holder: one, token: 1 })));
  expect(await takeAll(leases, all, other)).toEqual(all.map(() => undefined));
  expect(await takeAll(leases, all, one)).toEqual(all.map((name) => ({ name, holder: one, token: 2 })));
  await Promise.all(all.slice(1).map((name) => leases.handBack({ name, holder: one })));
  expect((await takeAll(leases, all, other)).map((lease) => lease?.token)).toEqual([
    undefined,
    ...all.slice(1).map(() => 4),
  ]);
});

test("one statement takes and renews the leases of all tables, and reads the log's head and the time", async () => {
  const [reactors, processes] = [opened(), new Leases(pool, { table: "access.processes", name: "process" })];
  const [one, other, third] = names(3) as [string, string, string];
  const holder = randomUUID();
  const leases = [await reactors.take(one, holder), await processes.take(other, holder)];
  await reactors.handBack(leases[0]!);
  statements = 0;
  const requests = [
    reactors.renew(leases[0]!),
    processes.renew(leases[1]!),
    together().then(() => reactors.tryTake(third, holder)),
    together().then(() => processes.tryTake(other, randomUUID())),
    together().then(() => lookAtLog(pool)),
  ] as const;
  const [lost, renewed, taken, refused, look] = await Promise.all(requests);
  expect(statements).toBe(1);
  expect({ lost, renewed, taken }).toEqual({ lost: false, renewed: true, taken: { token: 1 } });
  expect(refused).toEqual({ token: undefined, held_ms: expect.any(Number) });
  expect(look).toMatchObject({ position: 0, now_ms: expect.any(Number) });
});

test("of many requests for one name, one succeeds, for a new or old name", async () => {
  const all = [opened(), opened(), opened()];
  const [name] = names(1) as [string];
  for (let round = 1; round <= 5; round++) {
    const requests = all.flatMap((leases) => names(4).map((holder) => leases.take(name, holder)));
    const [holder, ...others] = (await Promise.all(requests)).filter((lease) => lease !== undefined);
    expect(holder).toMatchObject({ name, token: 2 * round - 1 });
    expect(others).toEqual([]);
    await all[0]!.handBack(holder!);
  }
});

test("processes that request the same new names in different orders do not deadlock", async () => {
  const all = names(200);
  const [one, other] = [randomUUID(), randomUUID()];
  const taken = await Promise.all([
    takeAll(opened(), all, one),
    takeAll(opened(), all.toReversed(), other).then((those) => those.reverse()),
  ]);
  for (const n of all.keys())
    expect([taken[0]![n], taken[1]![n]].filter((lease) => lease !== undefined)).toHaveLength(1);
});

test("a locked row delays no other lease", async () => {
  const leases = opened(0);
  const [locked, free] = names(2) as [string, string];
  const [before, after] = [randomUUID(), randomUUID()];
  await takeAll(leases, [locked, free], before);
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query("begin");
  await client.query("select 1 from reactors.leases where reactor = $1 for share", [locked]);
  const taken = await takeAll(opened(), [locked, free], after);
  expect(taken).toEqual([undefined, { name: free, holder: after, token: 2 }]);
  await client.query("rollback");
  await client.end();
  expect(await opened().take(locked, after)).toMatchObject({ token: 2 });
});

test("an expired lease can be taken", async () => {
  const leases = opened(0.2);
  const [name] = names(1) as [string];
  const [one, other] = [randomUUID(), randomUUID()];
  const lease = await leases.take(name, one);
  await expect.poll(() => leases.take(name, other)).toMatchObject({ holder: other, token: 2 });
  expect(await leases.renew(lease!)).toBe(false);
});
