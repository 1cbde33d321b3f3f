/**
 * Locks of processes on one stream: nothing is decided twice, and no dead or paused process blocks the others for
 * long.
 */
import { expect, test, vi } from "vitest";
import { openPool } from "../eventstore/pool.ts";
import { StreamLocks, type StreamLockTimes } from "../src/core/commands/stream-locks.ts";
import { transact } from "../src/core/commands/transact.ts";
import type { UnitParts } from "../src/core/commands/unit.ts";
import { refuse } from "../src/core/model/refusal.ts";
import { notebooks } from "./support/notebooks.ts";
import * as notes from "./support/notes.ts";
import { until } from "./support/until.ts";

const log = notebooks();

/** Long enough that nobody times out, however slow the machine is. */
const PATIENT = { waits_ms: 25_000, most_ms: 60_000 };

/** A process that takes locks. */
const makeProcess = (times: StreamLockTimes = PATIENT) => ({
  ...log.makeProcess(),
  locks: new StreamLocks(log.pool, times),
});
const keyOf = (id: string) => `acme\n${notes.streamOf(id)}`;
const take = (parts: UnitParts, id: string, text: string, onRun = () => {}) =>
  transact(parts, { meta: { actor: "test" } }, ({ decide }) => {
    onRun();
    return decide(notes, { tenant: "acme", id }, notes.take(text));
  });

test("processes that write one stream take locks, and almost nothing is decided twice", async () => {
  const processes = [makeProcess(), makeProcess(), makeProcess()];
  for (const { locks } of processes) locks.contest(keyOf("busy"));
  let runs = 0;
  const texts = Array.from({ length: 300 }, (_, n) => `note ${n}`);
  await Promise.all(texts.map((text, n) => take(processes[n % 3]!, "busy", text, () => runs++)));
  const { state } = (await take(makeProcess(), "busy", texts[0]!)).result;
  expect([...state.notes].sort()).toEqual([...texts].sort());
  expect(runs).toBeLessThan(1.2 * texts.length);
});

test("a process takes a lock once another process was faster, and not for its own commits", async () => {
  const [one, other] = [makeProcess(), makeProcess()];
  const contests = vi.spyOn(one.locks, "contest");
  await Promise.all(Array.from({ length: 50 }, (_, n) => take(one, "seen", `note ${n}`)));
  // It decides on the state before another commit of its own, like a payment in progress.
  await transact(
    one,
    { meta: { actor: "test" } },
    ({ decide }) => decide(notes, { tenant: "acme", id: "seen" }, notes.take("while paying")),
    { once: () => take(one, "seen", "before it"), stage: async () => undefined },
  );
  expect(contests).not.toHaveBeenCalled();
  expect(await one.locks.enter(keyOf("seen"))).toBeUndefined();
  await take(other, "seen", "from elsewhere");
  await take(one, "seen", "after it");
  expect(contests).toHaveBeenCalledWith(keyOf("seen"));
  const turn = await one.locks.enter(keyOf("seen"));
  expect(turn).toMatchObject({ isNew: true });
  turn!.leave();
});

test("a refusal, and failing work, release the lock", async () => {
  const parts = makeProcess();
  for (const failure of [() => refuse("conflict", "not so"), () => Promise.reject(new Error("broken"))]) {
    parts.locks.contest(keyOf("left"));
    const work = transact(parts, { meta: { actor: "test" } }, async ({ decide }) => {
      await decide(notes, { tenant: "acme", id: "left" }, notes.take("a"));
      return failure();
    });
    await expect(work).rejects.toThrow();
    const other = makeProcess();
    other.locks.contest(keyOf("left"));
    const turn = await other.locks.enter(keyOf("left"));
    expect(turn).toMatchObject({ isNew: true });
    turn!.leave();
  }
});

test("a command holds no lock while its payment settles", async () => {
  const [one, other] = [makeProcess(), makeProcess()];
  for (const { locks } of [one, other]) locks.contest(keyOf("paid"));
  await transact(
    one,
    { meta: { actor: "test" } },
    ({ decide }) => decide(notes, { tenant: "acme", id: "paid" }, notes.take("paid for")),
    {
      once: async () => {
        const turn = await other.locks.enter(keyOf("paid"));
        expect(turn).toMatchObject({ isNew: true });
        turn!.leave();
      },
      stage: async () => undefined,
    },
  );
});

test("a writer that waits too long for a lock continues without", async () => {
  const [asleep, other] = [makeProcess(), makeProcess({ ...PATIENT, waits_ms: 300 })];
  for (const { locks } of [asleep, other]) locks.contest(keyOf("asleep"));
  const held = await asleep.locks.enter(keyOf("asleep"));
  expect((await take(other, "asleep", "a")).events).toHaveLength(1);
  // It does not wait again: the log shows the other's decisions since.
  expect(await other.locks.enter(keyOf("asleep"))).toBeUndefined();
  held!.leave();
});

test("a lock ends after its time, and every writer of its process learns that", async () => {
  const [slow, other] = [makeProcess({ ...PATIENT, most_ms: 200 }), makeProcess()];
  for (const { locks } of [slow, other]) locks.contest(keyOf("slow"));
  const held = await slow.locks.enter(keyOf("slow"));
  const turn = await other.locks.enter(keyOf("slow"));
  expect(turn).toMatchObject({ isNew: true });
  turn!.leave();
  expect((await take(slow, "slow", "a")).events).toHaveLength(1);
  held!.leave();
});

test("a process that is paused with a lock loses it by Postgres, and its connection is not reused", async () => {
  const [stopped, other] = [makeProcess(), makeProcess()];
  for (const { locks } of [stopped, other]) locks.contest(keyOf("stopped"));
  const held = await stopped.locks.enter(keyOf("stopped"));
  const sql = `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = 1413565520 and granted
    and database = (select oid from pg_database where datname = current_database())`;
  expect((await log.pool.query(sql)).rowCount).toBe(1);
  const turn = await other.locks.enter(keyOf("stopped"));
  expect(turn).toMatchObject({ isNew: true });
  turn!.leave();
  held!.leave();
  expect((await take(stopped, "stopped", "a")).events).toHaveLength(1);
});

test("nobody waits for a connection to get a lock", async () => {
  const small = openPool(log.url, { max: 4 });
  const locks = new StreamLocks(small);
  locks.contest(keyOf("crowded"));
  const taken = await Promise.all([1, 2, 3, 4].map(() => small.connect()));
  expect(await locks.enter(keyOf("crowded"))).toBeUndefined();
  for (const client of taken) client.release();
  const turn = await locks.enter(keyOf("crowded"));
  expect(turn).toMatchObject({ isNew: true });
  turn!.leave();
  await small.end();
  locks.contest(keyOf("crowded"));
  expect(await locks.enter(keyOf("crowded"))).toBeUndefined();
});

test("work that continues after a refusal blocks nobody", async () => {
  const [one, other] = [makeProcess(), makeProcess()];
  for (const { locks } of [one, other]) locks.contest(keyOf("swallowed"));
  await transact(one, { meta: { actor: "test" } }, async ({ decide }) => {
    const target = { tenant: "acme", id: "swallowed" };
    await decide(notes, target, () => refuse("conflict", "taken")).catch(() => undefined);
    const turn = await other.locks.enter(keyOf("swallowed"));
    expect(turn).toMatchObject({ isNew: true });
    turn!.leave();
    expect((await take(one, "swallowed", "meanwhile")).events).toHaveLength(1);
  });
});

test("work that fails while another part of it queues leaves nothing", async () => {
  const parts = makeProcess();
  parts.locks.contest(keyOf("parallel"));
  const before = await parts.cache.queue(keyOf("parallel"));
  let waits: Promise<unknown> = Promise.resolve();
  const work = transact(parts, { meta: { actor: "test" } }, async ({ decide }) => {
    waits = decide(notes, { tenant: "acme", id: "parallel" }, notes.take("late"));
    throw new Error("broken");
  });
  await expect(work).rejects.toThrow("broken");
  before();
  await waits;
  expect((await take(parts, "parallel", "next")).events).toHaveLength(1);
});

test("a lock's first decision uses the committed state, not what was sent without the lock", async () => {
  const parts = makeProcess();
  const key = keyOf("border");
  await take(parts, "border", "a");
  let fail = (_: Error) => {};
  const settled = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const sent = { settled };
  parts.cache.expect(key, { state: { notes: ["a", "doomed"] }, version: 2, sent }, undefined);
  parts.locks.contest(key);
  const reads = vi.spyOn(parts.store, "readStream");
  const enters = vi.spyOn(parts.locks, "enter");
  const taken = take(parts, "border", "b");
  await until(() => enters.mock.settledResults[0]?.type === "fulfilled");
  expect(reads).not.toHaveBeenCalled();
  parts.cache.arrived(key, sent);
  fail(new Error("doomed"));
  expect((await taken).result).toMatchObject({ version: 2, state: { notes: ["a", "b"] } });
  expect(reads).toHaveBeenCalled();
});

test("locks use at most three connections", async () => {
  const { locks } = makeProcess();
  const names = ["a", "b", "c", "d"];
  for (const name of names) locks.contest(keyOf(name));
  const entered = await Promise.all(names.map((name) => locks.enter(keyOf(name))));
  expect(entered.filter(Boolean)).toHaveLength(3);
  for (const turn of entered) turn?.leave();
  // A connection counts until it is released.
  const fourth = await until(async () => (await locks.enter(keyOf("d"))) ?? false);
  fourth.leave();
});
