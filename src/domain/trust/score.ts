/**
 * The score ts-trust/1 from its evidence: integers, a table and a fixed iteration, so that any program comes to the same digits.
 * docs/trust-score.md is the normative text. It is personalised PageRank in the form of EigenTrust (Kamvar et al. 2003), with a damping of
 * one half and a seed that costs money; unseeded, it would fall to sybils (Cheng and Friedman 2006).
 */
import { createHash } from "node:crypto";
import { decayed } from "./decay.ts";
import { type Rules, TS_TRUST_1 } from "./rules.ts";

/** An attestation that is live: how much one agent says of a skill of another. Agents are passport numbers, days count from 1970-01-01. */
export type Edge = { from: number; to: number; weight_micro: number; day: number };

export const evidenceKinds = ["task", "spend", "penalty"] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];

/** `points` in micro-points: of a task as counted, of a payment its micro-USDC, of a penalty what it costs. */
export type Evidence = { kind: EvidenceKind; sx: number; points: number; day: number };

/** What a score is made of. Edges come in any order: what counts is the sum of each pair. */
export type Input = {
  /** The UTC day of the computation. */
  day: number;
  edges: readonly Edge[];
  evidence: readonly Evidence[];
  /** What the operator gave, by number; it does not decay. */
  seeds: ReadonlyMap<number, number>;
  /** Agents whose attestations count nothing: suspended or revoked. */
  silent: ReadonlySet<number>;
};

/** All in micro-points. `before`: the score in the round before the last, of which others were given. */
export type Score = {
  sx: number;
  score: number;
  before: number;
  base: number;
  attested: number;
  penalty: number;
};

/** `scores`: of all agents in the evidence, ascending by number, also those of 0; `edges`: the pairs that count. */
export type Result = { scores: Score[]; edges: number; rounds: number };

export function computeTrust(input: Input, rules: Rules = TS_TRUST_1): Result {
  const agents = [...new Set(agentsOf(input))].sort((a, b) => a - b);
  const at = new Map(agents.map((sx, index) => [sx, index]));
  const { base, penalty } = basesOf(input, at, rules);
  const pairs = pairsOf(input, at, rules);
  const incoming = grouped(pairs, "to", agents.length);
  const outgoing = grouped(pairs, "from", agents.length);
  const bounded = (sum: number, index: number) => Math.max(0, Math.min(rules.most, sum) - penalty[index]!);

  const attested = new Float64Array(agents.length);
  const score = Float64Array.from(base, bounded);
  const before = Float64Array.from(score);
  // Who reads what changed in the round before; in the first round, everybody.
  let due = new Set(agents.keys());
  let rounds = 0;
  while (rounds < rules.rounds) {
    rounds++;
    const changed: [index: number, value: number][] = [];
    for (const index of due) {
      let sum = 0;
      for (const { from, given } of incoming[index]!)
        sum += Math.floor((given * score[from]!) / rules.divisor);
      attested[index] = sum;
      const value = bounded(base[index]! + sum, index);
      if (value !== score[index]) changed.push([index, value]);
    }
    before.set(score);
    if (changed.length === 0) break;
    due = new Set();
    for (const [index, value] of changed) {
      score[index] = value;
      for (const { to } of outgoing[index]!) due.add(to);
    }
  }
  const scores = agents.map((sx, index) => ({
    sx,
    score: score[index]!,
    before: before[index]!,
    base: base[index]!,
    attested: attested[index]!,
    penalty: penalty[index]!,
  }));
  return { scores, edges: pairs.length, rounds };
}

function* agentsOf({ edges, evidence, seeds }: Input): Generator<number> {
  for (const { from, to } of edges) {
    yield from;
    yield to;
  }
  for (const { sx } of evidence) yield sx;
  yield* seeds.keys();
}

/** What each agent has earned by itself, and what it has lost, by index. */
function basesOf({ day, evidence, seeds }: Input, at: ReadonlyMap<number, number>, rules: Rules) {
  const sums = {
    task: new Float64Array(at.size),
    spend: new Float64Array(at.size),
    penalty: new Float64Array(at.size),
  };
  for (const one of evidence) sums[one.kind][at.get(one.sx)!]! += pointsOf(one, day, rules);
  const base = new Float64Array(at.size);
  for (const [sx, index] of at)
    base[index] =
      Math.min(rules.tasks_most, sums.task[index]!) +
      Math.min(rules.spend_most, sums.spend[index]!) +
      (seeds.get(sx) ?? 0);
  return { base, penalty: sums.penalty };
}

/** What a piece of evidence comes to on a day, before the caps. */
export const pointsOf = (
  { kind, points, day: of }: Evidence,
  day: number,
  rules: Rules = TS_TRUST_1,
): number => decayed(kind === "spend" ? Math.min(rules.payment_most, points) : points, day, of);

/** What one agent says of another, and how much of it counts: both in millionths of a weight. */
type Pair = { from: number; to: number; said: number; given: number };

/** The pairs that count, by index. */
function pairsOf({ day, edges, silent }: Input, at: ReadonlyMap<number, number>, rules: Rules): Pair[] {
  const said = new Map<number, number>();
  for (const { from, to, weight_micro, day: of } of edges) {
    if ((from === to && !rules.own_voice) || silent.has(from)) continue;
    const weight = decayed(weight_micro, day, of);
    if (weight === 0) continue;
    const pair = at.get(from)! * at.size + at.get(to)!;
    said.set(pair, (said.get(pair) ?? 0) + weight);
  }
  const out = new Float64Array(at.size);
  const pairs: Pair[] = [];
  for (const [pair, sum] of said) {
    const [from, to] = [Math.floor(pair / at.size), pair % at.size];
    const most = Math.min(rules.pair_most, sum);
    out[from]! += most;
    pairs.push({ from, to, said: most, given: most });
  }
  for (const pair of pairs) pair.given = givenOf(pair.said, out[pair.from]!, rules);
  return pairs.filter(({ given }) => given > 0);
}

/** What counts of a pair whose attestor says `out` of all. */
export const givenOf = (said: number, out: number, { budget }: Rules = TS_TRUST_1): number =>
  out > budget ? Math.floor((said * budget) / out) : said;

function grouped(pairs: readonly Pair[], by: "from" | "to", agents: number): Pair[][] {
  const groups: Pair[][] = Array.from({ length: agents }, () => []);
  for (const pair of pairs) groups[pair[by]]!.push(pair);
  return groups;
}

/** The lines `<sx> <score>\n`, ascending by number, of scores that are not 0: what a computation's digest is of. */
export const resultLines = ({ scores }: Result): string =>
  scores.map(({ sx, score }) => (score > 0 ? `${sx} ${score}\n` : "")).join("");

export const resultSha256 = (result: Result): string =>
  createHash("sha256").update(resultLines(result)).digest("hex");

const LEVELS = [
  ["very_high", 85_000_000],
  ["high", 60_000_000],
  ["medium", 30_000_000],
  ["low", 10_000_000],
  ["unproven", 0],
] as const;

export const levels = LEVELS.map(([level]) => level);
export type Level = (typeof levels)[number];

/** The level of a score in micro-points. */
export const levelOf = (score: number): Level => LEVELS.find(([, from]) => score >= from)![0];

/** A score as a share of the most there is: 0 to 1 with six decimals, floored. */
export const shareOf = (micro_points: number) => Math.floor(micro_points / 100) / 1e6;
