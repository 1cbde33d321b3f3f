/** Explains a score line by line; all lines add up to it to the micro-point. */
import { decayed } from "./decay.ts";
import { countedWeight } from "./pairs.ts";
import { type Rules, TS_TRUST_1 } from "./rules.ts";
import { type Evidence, pointsOf } from "./score.ts";

/** A piece of evidence and its event. */
export type EvidenceAt = Evidence & { event_id: string };

/** One attestor's live attestations of the agent, with the attestor's figures. */
export type Attestor = {
  from: number;
  /** Its score in the next-to-last round. */
  before: number;
  /** The sum of all its attestations, from `outOf`. */
  out: number;
  of_agent: readonly { event_id: string; weight_micro: number; day: number }[];
};

export type EvidenceLine = { event_id: string; kind: Evidence["kind"]; points: number };
export type AttestationLine = {
  from: number;
  event_ids: string[];
  attestor_points: number;
  weights_micro: number[];
  ages_days: number[];
  /** Counted part of this attestor's weights, in millionths. */
  counted_micro: number;
  points: number;
};
export type Cut = { cap: "tasks" | "spend" | "most" | "least"; points: number };

/** All in micro-points; lines and cuts add up to `score`. */
export type Explanation = {
  score: number;
  seeded: number;
  base: EvidenceLine[];
  attestations: AttestationLine[];
  penalties: EvidenceLine[];
  cuts: Cut[];
};

/** Sum of an agent's attestations of others on a day, each pair capped. */
export function outOf(
  edges: readonly { to: number; weight_micro: number; day: number }[],
  day: number,
  rules: Rules = TS_TRUST_1,
): number {
  const weights = new Map<number, number>();
  for (const { to, weight_micro, day: of } of edges)
    weights.set(to, (weights.get(to) ?? 0) + decayed(weight_micro, day, of));
  let out = 0;
  for (const sum of weights.values()) out += Math.min(rules.pair_most, sum);
  return out;
}

export function explain(
  of: { day: number; seeded: number; evidence: readonly EvidenceAt[]; attestors: readonly Attestor[] },
  rules: Rules = TS_TRUST_1,
): Explanation {
  const { day, seeded, evidence, attestors } = of;
  const lines = evidence.map((one) => ({
    event_id: one.event_id,
    kind: one.kind,
    points: one.kind === "penalty" ? -pointsOf(one, day, rules) : pointsOf(one, day, rules),
  }));
  const ofKind = (kind: Evidence["kind"]) => lines.filter((line) => line.kind === kind);
  const attestations = attestors.map((one) => attestationLine(one, day, rules));
  const cuts: Cut[] = [];
  const capped = (cap: Cut["cap"], points: number, bound: number) => {
    if (points !== bound) cuts.push({ cap, points: bound - points });
    return bound;
  };
  const tasks = sumOf(ofKind("task"));
  const spend = sumOf(ofKind("spend"));
  const earned =
    capped("tasks", tasks, Math.min(rules.tasks_most, tasks)) +
    capped("spend", spend, Math.min(rules.spend_most, spend)) +
    seeded +
    sumOf(attestations);
  const kept = capped("most", earned, Math.min(rules.most, earned)) + sumOf(ofKind("penalty"));
  const score = capped("least", kept, Math.max(0, kept));
  const base = lines.filter(({ kind }) => kind !== "penalty");
  return { score, seeded, base, attestations, penalties: ofKind("penalty"), cuts };
}

const sumOf = (lines: readonly { points: number }[]) => lines.reduce((sum, { points }) => sum + points, 0);

function attestationLine(
  { from, before, out, of_agent }: Attestor,
  day: number,
  rules: Rules,
): AttestationLine {
  const weights = of_agent.reduce((sum, one) => sum + decayed(one.weight_micro, day, one.day), 0);
  const counted_micro = countedWeight(Math.min(rules.pair_most, weights), out, rules);
  return {
    from,
    event_ids: of_agent.map(({ event_id }) => event_id),
    attestor_points: before,
    weights_micro: of_agent.map(({ weight_micro }) => weight_micro),
    ages_days: of_agent.map((one) => Math.max(0, day - one.day)),
    counted_micro,
    points: Math.floor((counted_micro * before) / rules.divisor),
  };
}
