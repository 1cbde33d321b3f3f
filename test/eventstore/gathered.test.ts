/** Equal simultaneous queries, with the database's answers held back by hand. */
import { setImmediate as turn } from "node:timers/promises";
import type pg from "pg";
import { expect, test } from "vitest";
import { queriedOnce } from "../../eventstore/query-batch.ts";

const pool = {} as pg.Pool;

/** The queries in order, each answered when the test says so. */
function heldBack() {
  const asked: { question: number; answer: (by: string) => void; fail: (error: Error) => void }[] = [];
  const ask = queriedOnce(
    (_, question: number) =>
      new Promise<string>((answer, fail) => {
        asked.push({ question, answer, fail });
      }),
  );
  const questions = () => asked.map(({ question }) => question);
  return { asked, ask: (question: number) => ask(pool, question), questions };
}

test("equal simultaneous queries share one, and later ones are sent anew", async () => {
  const { asked, ask, questions } = heldBack();
  const first = [ask(1), ask(1)];
  await turn();
  const second = ask(1);
  await turn();
  // Two queries are running that miss later changes: a new question goes into a third.
  const later = [ask(1), ask(2), ask(1)];
  await turn();
  expect(questions()).toEqual([1, 1]);
  asked[0]!.answer("a");
  asked[1]!.answer("b");
  expect(await Promise.all([...first, second])).toEqual(["a", "a", "b"]);
  await turn();
  expect(questions()).toEqual([1, 1, 1, 2]);
  asked[2]!.answer("c");
  asked[3]!.answer("d");
  expect(await Promise.all(later)).toEqual(["c", "d", "c"]);
});

test("a failure rejects its batch, and no later query", async () => {
  const { asked, ask } = heldBack();
  const told = (question: number) => ask(question).catch(({ message }: Error) => message);
  const first = [told(1), told(1)];
  await turn();
  const second = told(1);
  await turn();
  const later = [told(2), told(2)];
  asked[0]!.fail(new Error("away"));
  asked[1]!.answer("b");
  expect(await Promise.all([...first, second])).toEqual(["away", "away", "b"]);
  await turn();
  asked[2]!.fail(new Error("still away"));
  expect(await Promise.all(later)).toEqual(["still away", "still away"]);
  const after = ask(2);
  await turn();
  asked[3]!.answer("back");
  expect(await after).toBe("back");
});
