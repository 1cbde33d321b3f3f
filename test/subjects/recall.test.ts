/** Keys without a record are destroyed, and no others, during concurrent sealing, refusals, kills and erasures. */

import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { areas } from "../../src/areas/index.ts";
import { withParts } from "../../src/core/app.ts";
import { StreamCache } from "../../src/core/commands/stream-cache.ts";
import { transact } from "../../src/core/commands/transact.ts";
import { SubjectsUnavailable } from "../../src/core/model/ports/subjects.ts";
import { mailSubject } from "../../src/core/model/sealed.ts";
import * as recall from "../../src/core/model/unused-keys.ts";
import { eraseSubject } from "../../src/reactors/subjects/erasure.ts";
import { recallReactor } from "../../src/reactors/subjects/recall.ts";
import { aroundCommits } from "../support/around-commits.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { letter, letters, placeOf, write } from "./letters.ts";

let vault: FreshDatabase;
let keys: pg.Client;
let service: Service;
beforeAll(async () => {
  vault = await freshDatabase();
  service = await startService({ vault: vault.url, areas: [...areas, letters] });
  keys = new pg.Client({ connectionString: vault.url });
  await keys.connect();
});
afterAll(async () => {
  await keys?.end();
  await service?.stop();
  await vault?.drop();
});

const meta = { actor: "test" };
const tenant = "acme";
const named = (name: string) => mailSubject(tenant, `${name}@example.org`);
const idOf = (name: string) => service.app.subjects.find(named(name));

/** Writes to somebody; `before`: what happens each time after the letter was sealed and before it is recorded. */
async function writeTo(
  name: string,
  before: () => Promise<void> = async () => {},
  { unit = service.app.unit, is_new = false } = {},
) {
  const id = randomBytes(16).toString("hex");
  const place = placeOf(tenant, id);
  const { result } = await transact(unit, { meta }, async ({ decide, personal }) => {
    const to = personal({ subject: named(name), place, value: { mail: name }, is_new });
    // It is sealed before the wait for the first stream.
    await decide(letter, { tenant, id: randomBytes(16).toString("hex") }, () => []);
    await before();
    await decide(letter, { tenant, id }, write({ letter_id: id, words: 1, to }));
    return to;
  });
  return { sealed: result, place };
}

/** Is sealed for, and nothing comes of it. */
async function refused(name: string): Promise<void> {
  const why = new Error("refused");
  await expect(writeTo(name, () => Promise.reject(why))).rejects.toBe(why);
}

/** Ages all keys to two hours ago. */
const age = () =>
  keys.query(
    "update subject_keys.subjects set given_at = given_at - interval '2 hours' where given_at is not null",
  );

const recalls = () => service.app.store.readStream({ tenant: "operator", stream_id: "keys-unused" });

/** A tick, an hour after the recall before it. */
async function sweep(app = service.app): Promise<void> {
  const last = (await service.app.load(recall, recall.target))?.recalled_at;
  const now = new Date(last ? Date.parse(last) + recall.UNUSED_S * 1_000 : Date.now());
  expect(await turn(withParts(app, { clock: { now: () => now } }), recallReactor, { patient: true })).toEqual(
    {
      status: "done",
    },
  );
}

const opens = async ({ sealed, place }: Awaited<ReturnType<typeof writeTo>>) =>
  !(await service.app.subjects.open([{ sealed, place }]))[0]!.erased;

test("a key without a record within an hour is destroyed; a used one stays, however old", async () => {
  const used = await writeTo("used");
  await refused("unused");
  await sweep();
  expect(await idOf("unused")).toBeDefined();
  expect(await recalls()).toEqual([]);
  await age();
  await sweep();
  expect(await idOf("unused")).toBeUndefined();
  expect((await recalls()).map(({ payload }) => payload.keys)).toEqual([1]);
  await age();
  await sweep();
  expect(await opens(used)).toBe(true);
  expect(await recalls()).toHaveLength(1);
});

test("a value sealed under a key that is destroyed before its record is sealed anew, and opens", async () => {
  let runs = 0;
  const written = await writeTo("slow", async () => {
    if (++runs > 1) return;
    await age();
    await sweep();
    expect(await idOf("slow")).toBeUndefined();
  });
  expect(runs).toBe(2);
  expect(await opens(written)).toBe(true);
  expect(await idOf("slow")).toBe(written.sealed.subject_id);
});

test("a key used during its recall is not destroyed: recorded before the recall, or issued after the selection", async () => {
  await refused("late");
  await refused("again");
  await age();
  const { app } = service;
  let between: Awaited<ReturnType<typeof writeTo>>;
  let after: Awaited<ReturnType<typeof writeTo>>;
  // The recall is an event of the log: just before it a letter is recorded, and just after it another is begun.
  const store = { ...app.store };
  aroundCommits(store, async (_, send) => {
    // A separate process, which has no knowledge of the commit that waits here.
    between = await writeTo("late", undefined, { unit: { ...app.unit, cache: new StreamCache() } });
    return send();
  });
  const subjects = {
    ...app.subjects,
    recall: async (chosen: Parameters<typeof app.subjects.recall>[0]) => {
      after = await writeTo("again");
      return app.subjects.recall(chosen);
    },
  };
  await sweep(withParts(app, { subjects, unit: { ...app.unit, store } }));
  expect([await opens(between!), await opens(after!)]).toEqual([true, true]);
});

test("a recall interrupted by a crash is done an hour later, and the log has at most one recall an hour", async () => {
  await refused("left");
  await age();
  const { app } = service;
  const begun = (await recalls()).length;
  const dies = { ...app.subjects, recall: () => Promise.reject(new Error("killed")) };
  const last = Date.parse((await app.load(recall, recall.target))!.recalled_at);
  const at = (minutes: number, more = app) => ({
    ...more,
    clock: { now: () => new Date(last + minutes * 60_000) },
  });
  expect(await turn(at(60, withParts(app, { subjects: dies })), recallReactor)).toMatchObject({
    status: "failed",
  });
  expect(await turn(at(119), recallReactor)).toEqual({ status: "done" });
  expect([(await recalls()).length - begun, await idOf("left")]).toEqual([1, expect.any(String)]);
  expect(await turn(at(120), recallReactor)).toEqual({ status: "done" });
  expect([(await recalls()).length - begun, await idOf("left")]).toEqual([2, undefined]);
});

test("an erased subject is not restored, and its name is another subject's afterwards", async () => {
  const before = await writeTo("erased");
  await eraseSubject(service.app, named("erased"), { by: "owner", meta });
  await refused("erased");
  await age();
  await sweep();
  expect(await idOf("erased")).toBeUndefined();
  const after = await writeTo("erased");
  expect([await opens(before), await opens(after)]).toEqual([false, true]);
});

test("data of a subject under erasure are sealed for a new subject, also by a process that has not seen the erasure", async () => {
  const before = await writeTo("leaving");
  const { app } = service;
  const away = { ...app.subjects, erase: () => Promise.reject(new SubjectsUnavailable("away")) };
  const erasing = eraseSubject(withParts(app, { subjects: away }), named("leaving"), { by: "owner", meta });
  await expect(erasing).rejects.toThrow("away");
  expect([await idOf("leaving"), await opens(before)]).toEqual([before.sealed.subject_id, true]);
  // Another process does not share this one's cache.
  const unit = { ...app.unit, cache: new StreamCache() };
  let runs = 0;
  const count = async () => void runs++;
  const after = await writeTo("leaving", count, { unit, is_new: true });
  expect(runs).toBe(2);
  expect(after.sealed.subject_id).not.toBe(before.sealed.subject_id);
  expect([await opens(before), await opens(after)]).toEqual([false, true]);
});

test("two concurrent commands under an old issued key are both recorded", async () => {
  await refused("both");
  await age();
  const written = await Promise.all([writeTo("both"), writeTo("both"), writeTo("both")]);
  expect(new Set(written.map(({ sealed }) => sealed.subject_id)).size).toBe(1);
  await age();
  await sweep();
  for (const one of written) expect(await opens(one)).toBe(true);
});
