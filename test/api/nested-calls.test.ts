/** Nested answers: on the same data they are repeated and not computed, on other data they are computed. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context, Operation } from "../../src/api/declare/operation.ts";
import { type CitedAnswer, withNestedCalls } from "../../src/api/serve/nested-calls.ts";
import { catalogue } from "../support/catalogue.ts";
import { releaseVintage } from "../support/cube.ts";
import { LARGER, opened, openSandbox, sandboxIn } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
  await openSandbox(service);
});
afterAll(() => service.stop());

let computed = 0;
const named = (name: string) => catalogue.find((one) => one.name === name)!;
const counted = (name: string) =>
  ({
    ...named(name),
    handle: (context: never) => {
      computed++;
      return (named(name).handle as (context: never) => unknown)(context);
    },
  }) as unknown as Operation;
const operations = [counted("trade_balance")];

type NestedAnswer = { cited: CitedAnswer; rests_on: string };

/** A call as in a plan, with the number of times that the operation ran. */
async function repeated(input: Record<string, unknown>): Promise<NestedAnswer & { times: number }> {
  const before = computed;
  const context = {
    app: service.app,
    data: service.app.data,
    catalogue: { operations },
    signal: new AbortController().signal,
  };
  const { cited, rests_on } = await withNestedCalls(
    context as unknown as Context<never>,
    async ({ ask, restsOn }) => ({
      cited: await ask("trade_balance", input),
      rests_on: restsOn(),
    }),
  );
  return { cited, rests_on, times: computed - before };
}

const LV = { reporter: "LV", hs: "27" };

test("equal nested calls over the same vintages are computed once; a different call is computed", async () => {
  const first = await repeated(LV);
  const again = await repeated(LV);
  expect([first.times, again.times]).toEqual([1, 0]);
  expect({ ...again, times: 1 }).toEqual(first);
  expect(first.rests_on).toBe(first.cited.origin.vintage);
  expect((await repeated({ ...LV, hs: "44" })).times).toBe(1);
});

test("one caller's change to an answer does not affect the next", async () => {
  const one = await repeated({ reporter: "DE", hs: "84" });
  (one.cited.answer.meta as { rests_on: string }).rests_on = "nothing";
  const two = await repeated({ reporter: "DE", hs: "84" });
  expect([two.times, two.cited.answer.meta.rests_on]).toEqual([0, two.cited.origin.vintage]);
});

test("a refusal is not cached", async () => {
  const refused = () => repeated({ reporter: "XX" }).catch((error: { code: string }) => error.code);
  expect([await refused(), await refused()]).toEqual(["invalid", "invalid"]);
});

test("after a release the answer is computed from the new data, and the old one is not repeated", async () => {
  const before = await repeated(LV);
  expect(before.times).toBe(0);
  const { app, data_dir } = service;
  const vintage = await sandboxIn(data_dir, LARGER);
  await releaseVintage(app, data_dir, vintage);
  await opened(service, [vintage]);
  const after = await repeated(LV);
  expect(after.times).toBe(1);
  expect(after.rests_on).toContain(vintage);
  expect(after.rests_on).not.toBe(before.rests_on);
  expect((await repeated(LV)).times).toBe(0);
});
