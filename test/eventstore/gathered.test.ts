/** Equal simultaneous queries, with the database's answers held back by hand. */
import { setImmediate as turn } from "node:timers/promises";
import type pg from "pg";
import { expect, test } from "vitest";
import { queriedOnce } from "../../eventstore/query-batch.ts";

const pool = {} as pg.Pool;

/** The queries in order, each answered when the test says so. */
function heldBack() {
  const requests: { question: number; answer: (by: string) => void; fail: (error: Error) => void }[] = [];
  const ask = queriedOnce(
    (_, question: number) =>
      new Promise<string>((answer, fail) => {
        requests.push({ question, answer, fail });
      }),
  );
  const questions = () => requests.map(({ question }) => question);
  return { requests, ask: (question: number) => ask(pool, question), questions };
}

test("equal simultaneous queries share one, and later ones are sent separately", async () => {
  const { requests, ask, questions } = heldBack();
  const first = [ask(1), ask(1)];
  await turn();
  const second = ask(1);
  await turn();
  // Two queries are running that miss later changes: a new question goes into a third.
  const later = [ask(1), ask(2), ask(1)];
  await turn();
  expect(questions()).toEqual([1, 1]);
  requests[0]!.answer("a");
  requests[1]!.answer("b");
  expect(await Promise.all([...first, second])).toEqual(["a", "a", "b"]);
  await turn();
  expect(questions()).toEqual([1, 1, 1, 2]);
  requests[2]!.answer("c");
  requests[3]!.answer("d");
  expect(await Promise.all(later)).toEqual(["c", "d", "c"]);
});

test("a failure rejects its batch, and no later query", async () => {
  const { requests, ask } = heldBack();
  const answerOf = (question: number) => ask(question).catch(({ message }: Error) => message);
  const first = [answerOf(1), answerOf(1)];
  await turn();
  const second = answerOf(1);
  await turn();
  const later = [answerOf(2), answerOf(2)];
  requests[0]!.fail(new Error("away"));
  requests[1]!.answer("b");
  expect(await Promise.all([...first, second])).toEqual(["away", "away", "b"]);
  await turn();
  requests[2]!.fail(new Error("still away"));
  expect(await Promise.all(later)).toEqual(["still away", "still away"]);
  const after = ask(2);
  await turn();
  requests[3]!.answer("back");
  expect(await after).toBe("back");
});
