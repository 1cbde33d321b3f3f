/**
 * Computes ts-trust/1 from its evidence with integers, a table and a fixed iteration, so every program gets the same
 * digits. docs/trust-score.md is the normative text. It is personalised PageRank in the form of EigenTrust (Kamvar et
 * al. 2003), with a damping of one half and a seed that costs money; unseeded, it would fall to sybils (Cheng and
 * Friedman 2006).
 */
import { createHash } from "node:crypto";
import type { AgentStatus } from "../identity/agent.ts";
import { decayed } from "./decay.ts";
import { type Agents, agentsAmong, type Edge, pairsAmong } from "./pairs.ts";
import { type Rules, TS_TRUST_1 } from "./rules.ts";

export type { Edge } from "./pairs.ts";

const evidenceKinds = ["task", "spend", "penalty"] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];

/** `points` in micro-points: a task's counted points, a payment's micro-USDC, a penalty's cost. */
export type Evidence = { kind: EvidenceKind; sx: number; points: number; day: number };

/** Edges are in any order: pairs sum them. */
export type Input = {
  /** The UTC day of the computation. */
  day: number;
  edges: readonly Edge[];
  evidence: readonly Evidence[];
  /** The operator's seeds by number; they do not decay. */
  seeds: ReadonlyMap<number, number>;
  /** Suspended or revoked agents: their attestations do not count. */
  silent: ReadonlySet<number>;
};

/** All in micro-points. `before`: the score in the next-to-last round, which the attested agents' points come from. */
export type Score = {
  sx: number;
  score: number;
  before: number;
  base: number;
  attested: number;
  penalty: number;
};

/** `scores`: every agent in the evidence, ascending by number, zeros included; `edges`: counted pairs. */
export type Result = { scores: Score[]; edges: number; rounds: number };

export function computeTrust(input: Input, rules: Rules = TS_TRUST_1): Result {
  const { edges, evidence, seeds } = input;
  const agents = agentsAmong([evidence.map(({ sx }) => sx), [...seeds.keys()]], edges);
  const { numbers } = agents;
  const { base, penalty } = basesOf(input, agents, rules);
  const { count, incoming, outgoing } = pairsAmong(agents, input, rules);
  const bounded = (sum: number, index: number) => Math.max(0, Math.min(rules.most, sum) - penalty[index]!);

  const attested = new Float64Array(numbers.length);
  const score = Float64Array.from(base, bounded);
  const before = Float64Array.from(score);
  // The agents to recompute: readers of last round's changes; in the first round, all.
  let toCompute = Int32Array.from(numbers.keys());
  const isQueued = new Uint8Array(numbers.length);
  let rounds = 0;
  while (rounds < rules.rounds) {
    rounds++;
    const changed: [index: number, value: number][] = [];
    for (const index of toCompute) {
      let sum = 0;
      for (let at = incoming.start[index]!; at < incoming.start[index + 1]!; at++)
        sum += Math.floor((incoming.weight[at]! * score[incoming.from[at]!]!) / rules.divisor);
      attested[index] = sum;
      const value = bounded(base[index]! + sum, index);
      if (value !== score[index]) changed.push([index, value]);
    }
    before.set(score);
    if (changed.length === 0) break;
    isQueued.fill(0);
    for (const [index, value] of changed) {
      score[index] = value;
      for (let at = outgoing.start[index]!; at < outgoing.start[index + 1]!; at++)
        isQueued[outgoing.to[at]!] = 1;
    }
    toCompute = numbers.map((_, index) => index).filter((index) => isQueued[index] === 1);
  }
  const scores = Array.from(numbers, (sx, index) => ({
    sx,
    score: score[index]!,
    before: before[index]!,
    base: base[index]!,
    attested: attested[index]!,
    penalty: penalty[index]!,
  }));
  return { scores, edges: count, rounds };
}

/** Each agent's own points and penalties, by index. */
function basesOf({ day, evidence, seeds }: Input, { numbers, indexOf }: Agents, rules: Rules) {
  const sums = {
    task: new Float64Array(numbers.length),
    spend: new Float64Array(numbers.length),
    penalty: new Float64Array(numbers.length),
  };
  for (const one of evidence) sums[one.kind][indexOf[one.sx]!]! += pointsOf(one, day, rules);
  const base = Float64Array.from(
    numbers,
    (sx, index) =>
      Math.min(rules.tasks_most, sums.task[index]!) +
      Math.min(rules.spend_most, sums.spend[index]!) +
      (seeds.get(sx) ?? 0),
  );
  return { base, penalty: sums.penalty };
}

/** Points of a piece of evidence on a day, before the caps. */
export const pointsOf = (
  { kind, points, day: of }: Evidence,
  day: number,
  rules: Rules = TS_TRUST_1,
): number => decayed(kind === "spend" ? Math.min(rules.payment_most, points) : points, day, of);

export const lineOf = ({ sx, score }: Pick<Score, "sx" | "score">): string => `${sx} ${score}\n`;

/** The lines, ascending by number, without zeros: a computation's digest hashes them. */
export const resultLines = ({ scores }: Result): string =>
  scores.map((one) => (one.score > 0 ? lineOf(one) : "")).join("");

export const resultSha256 = (result: Result): string =>
  createHash("sha256").update(resultLines(result)).digest("hex");

const LEVELS = [
  ["very_high", 85_000_000],
  ["high", 60_000_000],
  ["medium", 30_000_000],
  ["low", 10_000_000],
  ["none", 0],
] as const;

export const levels = LEVELS.map(([level]) => level);
export type Level = (typeof levels)[number];

/** A suspended or revoked passport has the lowest level. */
export const levelOf = (score: number, status: AgentStatus): Level =>
  status === "suspended" || status === "revoked" ? "none" : LEVELS.find(([, from]) => score >= from)![0];

/** 0 to 1 with six decimals, floored. */
export const shareOf = (micro_points: number) => Math.floor(micro_points / 100) / 1e6;
