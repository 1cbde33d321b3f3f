/** Turns of processes on one stream: nothing is decided twice, and no process that dies or sleeps holds up the others for long. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { migrate } from "../eventstore/migrate.ts";
import { openPool } from "../eventstore/pool.ts";
import { registry } from "../eventstore/schemas.ts";
import { createEventStore } from "../eventstore/store.ts";
import { absentSubjects } from "../src/adapters/subject-vault.ts";
import { refuse } from "../src/domain/refusal.ts";
import { StreamCache } from "../src/stream-cache.ts";
import { StreamTurns } from "../src/stream-turns.ts";
import { transact } from "../src/transact.ts";
import type { UnitParts } from "../src/unit.ts";
import { type FreshDatabase, freshDatabase } from "./support/database.ts";
import * as notes from "./support/notes.ts";

let database: FreshDatabase;
let pool: ReturnType<typeof openPool>;
const schemas = registry([notes.events]);

beforeAll(async () => {
  database = await freshDatabase();
  await migrate(database.url, { host: "log.test" });
  pool = openPool(database.url, { max: 20 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** What one process holds. */
const makeProcess = () => {
  const turns = new StreamTurns(pool);
  const store = createEventStore(pool, { schemas });
  return { store, schemas, cache: new StreamCache(), subjects: absentSubjects(), turns };
};
const keyOf = (id: string) => `acme\n${notes.streamOf(id)}`;
const take = (parts: UnitParts, id: string, text: string, onRun = () => {}) =>
  transact(parts, { meta: { actor: "test" } }, ({ decide }) => {
    onRun();
    return decide(notes, { tenant: "acme", id }, notes.take(text));
  });

test("processes that write one stream take turns, and next to nothing is decided twice", async () => {
  const processes = [makeProcess(), makeProcess(), makeProcess()];
  for (const { turns } of processes) turns.contest(keyOf("busy"));
  let runs = 0;
  const texts = Array.from({ length: 300 }, (_, n) => `note ${n}`);
  await Promise.all(texts.map((text, n) => take(processes[n % 3]!, "busy", text, () => runs++)));
  const { state } = (await take(makeProcess(), "busy", texts[0]!)).result;
  expect([...state.notes].sort()).toEqual([...texts].sort());
  expect(runs).toBeLessThan(1.2 * texts.length);
});

test("turns are taken once another process was faster, and not for what one's own commits have changed", async () => {
  const [one, other] = [makeProcess(), makeProcess()];
  const contests = vi.spyOn(one.turns, "contest");
  await Promise.all(Array.from({ length: 50 }, (_, n) => take(one, "seen", `note ${n}`)));
  // It decides upon what it saw before another commit of its own, as one does that pays meanwhile.
  await transact(
    one,
    { meta: { actor: "test" } },
    ({ decide }) => decide(notes, { tenant: "acme", id: "seen" }, notes.take("while paying")),
    { once: () => take(one, "seen", "before it"), stage: async () => undefined },
  );
  expect(contests).not.toHaveBeenCalled();
  expect(await one.turns.enter(keyOf("seen"))).toBeUndefined();
  await take(other, "seen", "from elsewhere");
  await take(one, "seen", "after it");
  expect(contests.mock.calls).toEqual([[keyOf("seen")]]);
  const turn = await one.turns.enter(keyOf("seen"));
  expect(turn).toMatchObject({ isNew: true });
  turn!.leave();
});

test("a refusal, and work that fails, leave the turn", async () => {
  const parts = makeProcess();
  for (const failure of [() => refuse("conflict", "not so"), () => Promise.reject(new Error("broken"))]) {
    parts.turns.contest(keyOf("left"));
    const work = transact(parts, { meta: { actor: "test" } }, async ({ decide }) => {
      await decide(notes, { tenant: "acme", id: "left" }, notes.take("a"));
      return failure();
    });
    await expect(work).rejects.toThrow();
    const other = makeProcess();
    other.turns.contest(keyOf("left"));
    const turn = await other.turns.enter(keyOf("left"));
    expect(turn).toMatchObject({ isNew: true });
    turn!.leave();
  }
});

test("who pays keeps no turn meanwhile", async () => {
  const [one, other] = [makeProcess(), makeProcess()];
  for (const { turns } of [one, other]) turns.contest(keyOf("paid"));
  await transact(
    one,
    { meta: { actor: "test" } },
    ({ decide }) => decide(notes, { tenant: "acme", id: "paid" }, notes.take("paid for")),
    {
      once: async () => {
        const turn = await other.turns.enter(keyOf("paid"));
        expect(turn).toMatchObject({ isNew: true });
        turn!.leave();
      },
      stage: async () => undefined,
    },
  );
});

test("who waits too long for a turn goes on without", async () => {
  const [asleep, other] = [makeProcess(), makeProcess()];
  for (const { turns } of [asleep, other]) turns.contest(keyOf("asleep"));
  const held = await asleep.turns.enter(keyOf("asleep"));
  expect((await take(other, "asleep", "a")).events).toHaveLength(1);
  // It does not wait again: what the other has decided since is seen in the log.
  expect(await other.turns.enter(keyOf("asleep"))).toBeUndefined();
  held!.leave();
});

test("a process that says nothing for some seconds loses its turn, and is told so by nobody", async () => {
  const [asleep, other] = [makeProcess(), makeProcess()];
  asleep.turns.contest(keyOf("silent"));
  const held = await asleep.turns.enter(keyOf("silent"));
  await vi.waitFor(
    async () => {
      other.turns.contest(keyOf("silent"));
      const turn = await other.turns.enter(keyOf("silent"));
      expect(turn).toMatchObject({ isNew: true });
      turn!.leave();
    },
    { timeout: 10_000 },
  );
  held!.leave();
  expect((await take(asleep, "silent", "a")).events).toHaveLength(1);
});

test("turns hold three connections at most", async () => {
  const { turns } = makeProcess();
  const names = ["a", "b", "c", "d"];
  for (const name of names) turns.contest(keyOf(name));
  const entered = await Promise.all(names.map((name) => turns.enter(keyOf(name))));
  expect(entered.filter(Boolean)).toHaveLength(3);
  for (const turn of entered) turn?.leave();
  const fourth = await turns.enter(keyOf("d"));
  expect(fourth).toBeDefined();
  fourth!.leave();
});
