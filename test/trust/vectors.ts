/**
 * Builds docs/vectors/trust.json; `npx tsx test/trust/vectors.ts` writes it, a test compares it. Each rule of the
 * method has a case with another result without it.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { TABLE_SHA256 } from "../../src/domain/trust/decay.ts";
import { METHOD, PENALTY_MICRO, type Rules, type TaskRules } from "../../src/domain/trust/rules.ts";
import {
  computeTrust,
  type Edge,
  type Evidence,
  type Input,
  resultSha256,
} from "../../src/domain/trust/score.ts";
import { type SpentPayment, type Task, taskPoints } from "../../src/domain/trust/tasks.ts";
import { DAY, logCases } from "./log-vectors.ts";

export const TRUST_VECTORS = new URL("../../docs/vectors/trust.json", import.meta.url);

const POINT = 1_000_000;
const WEIGHT = 1_000_000;

export const edge = (from: number, to: number, weight = 1, age = 0): Edge => ({
  from,
  to,
  weight_micro: Math.round(weight * WEIGHT),
  day: DAY - age,
});
export const task = (sx: number, points: number, age = 0): Evidence => ({
  ...{ kind: "task", sx, points: points * POINT, day: DAY - age },
});
export const spend = (sx: number, usdc: number, age = 0): Evidence => ({
  ...{ kind: "spend", sx, points: Math.round(usdc * 1_000_000), day: DAY - age },
});
export const penalty = (sx: number, age = 0): Evidence => ({
  ...{ kind: "penalty", sx, points: PENALTY_MICRO, day: DAY - age },
});
const tasks = (sx: number, n: number, points = 2) => Array.from({ length: n }, () => task(sx, points));

export const input = (parts: Partial<Input>): Input => ({
  ...{ day: DAY, edges: [], evidence: [], seeds: new Map(), silent: new Set() },
  ...parts,
});
export const seeds = (...of: [sx: number, points: number][]) =>
  new Map(of.map(([sx, points]) => [sx, points * POINT]));

/** Members that all attest each other and X, at the highest weight. */
export const ring = (members: readonly number[], weight = 10): Edge[] =>
  members.flatMap((from) => members.filter((to) => to !== from).map((to) => edge(from, to, weight)));

const range = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);

export const cases: [name: string, input: Input][] = [
  ["nobody", input({})],
  ["a call that was paid and one attestation", input({ evidence: [spend(1, 4)], edges: [edge(1, 2)] })],
  [
    "evidence decays by whole days, and not before its day",
    input({
      evidence: [spend(1, 3, 1), spend(2, 3, 30), spend(3, 3, 180), spend(4, 3, 181), spend(5, 3, -2)],
    }),
  ],
  ["what tasks and calls come to is capped apart", input({ evidence: [...tasks(1, 40), spend(1, 25)] })],
  ["a payment counts up to 90 USDC", input({ evidence: [spend(1, 95, 70), spend(2, 90, 70)] })],
  [
    "no score is above 100",
    input({ seeds: seeds([1, 100]), evidence: tasks(1, 10), edges: [edge(1, 2, 10)] }),
  ],
  [
    "a penalty is taken from what stands below the cap, and no score is below 0",
    input({
      seeds: seeds([1, 100], [2, 5], [3, 50]),
      evidence: [...tasks(1, 10), penalty(1), penalty(2), penalty(3, 30)],
    }),
  ],
  [
    "a second skill buys no second voice",
    input({ seeds: seeds([1, 50]), edges: [edge(1, 2, 10), edge(1, 2, 10), edge(1, 3, 10)] }),
  ],
  [
    "whoever speaks of many shares a budget",
    input({ seeds: seeds([1, 50]), edges: range(2, 7).map((to) => edge(1, to, to)) }),
  ],
  ["oneself is not heard", input({ seeds: seeds([1, 10]), edges: [edge(1, 1, 10), edge(1, 2, 1)] })],
  [
    "suspended and revoked agents are not heard and keep their scores",
    input({ seeds: seeds([1, 50], [2, 50]), edges: [edge(1, 3, 5), edge(2, 3, 5)], silent: new Set([2]) }),
  ],
  ["a clique without evidence has nothing", input({ edges: ring(range(1, 12)) })],
  ["a clique with one paying member", input({ edges: ring(range(1, 12)), evidence: [spend(1, 10)] })],
  [
    "attestations grow old, and small ones come to nothing",
    input({
      seeds: seeds([1, 80], [9, 80]),
      edges: [
        edge(1, 2, 4, 0),
        edge(1, 3, 4, 45),
        edge(1, 4, 4, 180),
        edge(1, 5, 4, 181),
        edge(9, 6, 0.0001, 179),
      ],
    }),
  ],
  [
    "rounds read the round before, and 64 are the last",
    input({
      evidence: range(1, 90).map((sx) => ({ ...spend(sx, 0), points: sx === 1 ? 4 : 3 })),
      edges: range(1, 89).map((sx) => edge(sx, sx + 1, 10)),
      seeds: seeds([91, 100]),
    }),
  ],
  ["numbers are sorted as numbers", input({ evidence: [9, 10, 100, 11, 2].map((sx) => spend(sx, 1)) })],
  [
    "a circle of three hands trust round",
    input({ edges: ring([1, 2, 3], 10), evidence: [spend(2, 7, 3), task(3, 1.5, 9)] }),
  ],
];

const kept = (day: number, micro: number, tenant = "r"): SpentPayment => ({
  kind: "kept",
  day,
  tenant,
  micro,
});
const done = (day: number, more: Partial<Task> = {}): Task => ({
  ...{ kind: "task", day, requester: "r", provider: 1, fee_micro: 10_000, linked: false },
  ...more,
});

export const taskCases: [name: string, happened: (Task | SpentPayment)[]][] = [
  [
    "0.02 for a fee of 0.01, in proportion below",
    [10_000, 20_000, 9_999, 100, 99].flatMap((fee_micro, at) => [
      kept(0, 1e6, `r${at}`),
      done(0, { fee_micro, requester: `r${at}` }),
    ]),
  ],
  [
    "a requester that has bought nothing buys six points a USDC of fees",
    [done(0), done(0, { fee_micro: 30_000 })],
  ],
  [
    "a USDC buys six points once, over all providers",
    [kept(0, 1e6), ...[1, 2, 3, 4, 5].map((provider) => done(1, { provider }))],
  ],
  ["three of a pair in thirty days", [kept(0, 1e8), ...[0, 0, 29, 29, 30, 30, 30].map((day) => done(day))]],
  [
    "what does not count takes no place among the three",
    [kept(0, 1e8), done(0, { linked: true }), done(0), done(0, { fee_micro: 99 }), done(0), done(0), done(0)],
  ],
  [
    "what was kept counts for 180 days, and so does what was given",
    [
      kept(0, 1e6),
      done(0, { provider: 2 }),
      done(0, { provider: 3 }),
      done(180),
      done(181),
      kept(181, 1e6),
      done(181, { provider: 4 }),
    ],
  ],
  ["tasks within one tenant, wallet or delegation", [kept(0, 1e8), done(0, { linked: true })]],
];

/** The result of a case under these rules, in the form of the file. */
export function resultOf(of: Input, rules?: Rules) {
  const result = computeTrust(of, rules);
  const scores = result.scores.filter(({ score }) => score > 0).map(({ sx, score }) => [sx, score]);
  return { scores, edges: result.edges, rounds: result.rounds, result_sha256: resultSha256(result) };
}

export const pointsOfCase = (happened: (Task | SpentPayment)[], rules?: TaskRules) =>
  taskPoints(happened, rules);

export function vectorText(): string {
  const logs = logCases.map(([name, events, evidence]) => ({ name, events, evidence }));
  const answer = {
    cases: cases.map(([name, of]) => ({
      name,
      input: { ...of, seeds: [...of.seeds], silent: [...of.silent] },
      result: resultOf(of),
    })),
    tasks: taskCases.map(([name, happened]) => ({ name, happened, points: pointsOfCase(happened) })),
  };
  // One case per line, so a diff shows its case.
  const lines = (of: object[]) => of.map((one) => JSON.stringify(one)).join(",\n");
  return `{"method":"${METHOD}","table_sha256":"${TABLE_SHA256}","cases":[\n${lines(answer.cases)}\n],"tasks":[\n${lines(answer.tasks)}\n],"logs":[\n${lines(logs)}\n]}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(TRUST_VECTORS, vectorText());
