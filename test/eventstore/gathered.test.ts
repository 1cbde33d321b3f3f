/** Questions that are asked alike at one moment, with a database's answers held back by hand. */
import type pg from "pg";
import { expect, test } from "vitest";
import { askedOnce } from "../../eventstore/gathered.ts";

const pool = {} as pg.Pool;

/** What was asked, in order, each to be answered when the test says so. */
function heldBack() {
  const asked: { question: number; answer: (by: string) => void; fail: (error: Error) => void }[] = [];
  const ask = askedOnce(
    (_, question: number) =>
      new Promise<string>((answer, fail) => {
        asked.push({ question, answer, fail });
      }),
  );
  const questions = () => asked.map(({ question }) => question);
  return { asked, ask: (question: number) => ask(pool, question), questions };
}

test("equal questions of a moment are one, and what is asked later is asked anew", async () => {
  const { asked, ask, questions } = heldBack();
  const [first, second] = [ask(1), ask(1)];
  // Two queries are under way, neither of which knows what happens from here on: who asks now is told by a third.
  const later = [ask(1), ask(2), ask(1)];
  expect(questions()).toEqual([1, 1]);
  asked[0]!.answer("a");
  asked[1]!.answer("b");
  expect([await first, await second]).toEqual(["a", "b"]);
  expect(questions()).toEqual([1, 1, 1, 2]);
  asked[2]!.answer("c");
  asked[3]!.answer("d");
  expect(await Promise.all(later)).toEqual(["c", "d", "c"]);
});

test("what fails, fails for those who asked it together, and for nobody after them", async () => {
  const { asked, ask } = heldBack();
  const all = [ask(1), ask(1), ask(2), ask(2)].map((one) => one.catch(({ message }: Error) => message));
  asked[0]!.fail(new Error("away"));
  asked[1]!.answer("b");
  expect(await all[0]).toBe("away");
  expect(await all[1]).toBe("b");
  asked[2]!.fail(new Error("still away"));
  expect([await all[2], await all[3]]).toEqual(["still away", "still away"]);
  const after = ask(2);
  asked[3]!.answer("back");
  expect(await after).toBe("back");
});
