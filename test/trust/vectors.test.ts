import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { DECAY, TABLE_SHA256 } from "../../src/domain/trust/decay.ts";
import { type Rules, TASKS_1, TS_TRUST_1 } from "../../src/domain/trust/rules.ts";
import { logCases } from "./log-vectors.ts";
import { cases, pointsOfCase, resultOf, TRUST_VECTORS, taskCases, vectorText } from "./vectors.ts";

test("the decay table equals the published one", () => {
  const published = readFileSync(new URL("trust-decay.txt", TRUST_VECTORS));
  expect(createHash("sha256").update(published).digest("hex")).toBe(TABLE_SHA256);
  expect(DECAY.map((left) => `${left}\n`).join("")).toBe(published.toString());
  expect(TABLE_SHA256).toBe("ded5f98d8f1ce4635d77003bed91722fa253c96fb42a4fc02c5da8216c359b8f");
});

test("the vectors equal the method's results", () =>
  expect(readFileSync(TRUST_VECTORS, "utf8")).toBe(vectorText()));

const python = spawnSync("python3", ["--version"]).status === 0;
test.skipIf(!python)(`docs/vectors/trust.py agrees${python ? "" : " (skipped: no python3 here)"}`, () => {
  const script = fileURLToPath(new URL("trust.py", TRUST_VECTORS));
  expect(execFileSync("python3", [script], { encoding: "utf8" })).toBe(
    `ok trust.json; ${cases.length} cases, ${taskCases.length} of tasks, ${logCases.length} logs\n`,
  );
});

/** Names of the cases with another result. */
const changedBy = (rules: Rules) =>
  cases
    .filter(([, of]) => resultOf(of, rules).result_sha256 !== resultOf(of).result_sha256)
    .map(([name]) => name);

describe("each omitted rule changes a vector", () => {
  const left: [keyof Rules, Partial<Rules>, string][] = [
    ["most", { most: Number.MAX_SAFE_INTEGER }, "no score is above 100"],
    ["tasks_most", { tasks_most: Number.MAX_SAFE_INTEGER }, "what tasks and calls come to is capped apart"],
    ["spend_most", { spend_most: Number.MAX_SAFE_INTEGER }, "what tasks and calls come to is capped apart"],
    ["payment_most", { payment_most: Number.MAX_SAFE_INTEGER }, "a payment counts up to 90 USDC"],
    ["pair_most", { pair_most: Number.MAX_SAFE_INTEGER }, "a second skill buys no second voice"],
    ["budget", { budget: Number.MAX_SAFE_INTEGER }, "whoever speaks of many shares a budget"],
    ["divisor", { divisor: 1 }, "a clique with one paying member"],
    ["own_voice", { own_voice: true }, "oneself is not heard"],
    ["rounds", { rounds: 1_000 }, "rounds read the round before, and 64 are the last"],
  ];
  test.each(left)("%s", (_, without, name) =>
    expect(changedBy({ ...TS_TRUST_1, ...without })).toContain(name),
  );

  test("no rule is missing here", () =>
    expect(left.map(([rule]) => rule).sort()).toEqual(Object.keys(TS_TRUST_1).sort()));

  test("silent agents", () => {
    const [, of] = cases.find(([name]) => name.startsWith("suspended"))!;
    expect(resultOf({ ...of, silent: new Set() }).result_sha256).not.toBe(resultOf(of).result_sha256);
  });

  const leftOfTasks: [keyof typeof TASKS_1, number][] = [
    ["points_a_step", 1e9],
    ["steps", 1e9],
    ["step_fee_micro", 1],
    ["points_a_usdc", 1e9],
    ["days", 1e9],
    ["window_tasks", 1e9],
    ["window_days", 0],
  ];
  test.each(leftOfTasks)("%s", (rule, value) => {
    const rules = { ...TASKS_1, [rule]: value };
    const points = taskCases.map(([, happened]) => pointsOfCase(happened, rules));
    expect(points).not.toEqual(taskCases.map(([, happened]) => pointsOfCase(happened)));
  });

  test("no rule of tasks is missing here", () =>
    expect(leftOfTasks.map(([rule]) => rule).sort()).toEqual(Object.keys(TASKS_1).sort()));

  test("tasks of linked sides", () => {
    const [, happened] = taskCases.at(-1)!;
    expect(pointsOfCase(happened)).toEqual([0]);
    expect(pointsOfCase(happened.map((one) => ({ ...one, linked: false })))).toEqual([2_000_000]);
  });
});
