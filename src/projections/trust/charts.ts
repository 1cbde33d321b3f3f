import type pg from "pg";
import type { Chart } from "../../core/model/chart.ts";
import { type Dna, dimensions, LEAST_EVENTS } from "../../domain/trust/behaviour.ts";
import { METHOD } from "../../domain/trust/rules.ts";
import type { EvidenceKind } from "../../domain/trust/score.ts";
import { dateOf } from "./days.ts";
import type { DayScore } from "./scores.ts";

/** Days with evidence or attestations of an agent. */
export type EvidenceDay = { kind: EvidenceKind | "attestation"; day: number };

export async function evidenceDays(
  pool: pg.Pool,
  sx: number,
  { from, to }: { from: number; to: number },
): Promise<EvidenceDay[]> {
  const text = `select distinct kind, day from read.trust_evidence_v3 where sx = $1 and day between $2 and $3
    union select 'attestation', day from read.trust_edges_v3 where to_sx = $1 and from_sx <> $1 and day between $2 and $3`;
  return (await pool.query<EvidenceDay>(text, [sx, from, to])).rows;
}

/** The lower bound of each level, in points. */
const ZONES = [
  { from: 0, name: "none" },
  { from: 10, name: "low" },
  { from: 30, name: "medium" },
  { from: 60, name: "high" },
  { from: 85, name: "very high" },
];

/** The least number of drawn days. */
const LEAST_DAYS = 7;
/** A line of fewer days says less than its last figure in words. */
const FEW_DAYS = 4;

const MARKS = [
  { kind: "attestation", name: "attested", shape: "up" },
  { kind: "task", name: "task completed", shape: "round" },
  { kind: "penalty", name: "penalty", shape: "down" },
] as const;

/** A day without a computation is a gap; the line begins with the first computation. */
export function trustChart(
  name: string,
  { from, to }: { from: number; to: number },
  scores: readonly DayScore[],
  happenings: readonly EvidenceDay[],
): Chart {
  const first = scores[0]?.day;
  // In a young log the empty days before it would leave only a dot.
  const begin = first === undefined ? from : Math.max(from, Math.min(first, to - LEAST_DAYS + 1));
  const days = Array.from({ length: to - begin + 1 }, (_, at) => begin + at);
  const points = new Map(scores.map(({ day, score }) => [day, score / 1e6]));
  const values = days.map((day) => points.get(day) ?? null);
  const marks = MARKS.map(({ kind, ...mark }) => {
    const on = new Set(happenings.flatMap((one) => (one.kind === kind ? one.day : [])));
    return { ...mark, at: days.map((day) => on.has(day)) };
  });
  return {
    kind: "line",
    title: `Trust of ${name}`,
    x: days.map(dateOf),
    series: [{ name: "trust", values }],
    unit: "points",
    zones: ZONES,
    zones_end: 100,
    marks: first === undefined ? [] : marks,
    empty: "No data yet: no score was computed in these days",
    notes:
      first === undefined
        ? []
        : [
            ...(scores.length < FEW_DAYS ? [lastScore(scores.at(-1)!, scores.length)] : []),
            `Each day's last computation by ${METHOD}; anybody can recompute it from the log.`,
            ...(first > from ? [`Nothing was computed before ${dateOf(first)}.`] : []),
          ],
  };
}

function lastScore({ day, score }: DayScore, days: number): string {
  const points = score / 1e6;
  const level = ZONES.findLast(({ from }) => from <= points)?.name;
  const since = days === 1 ? "the first day with a score" : `one of ${days} days with a score`;
  return `${points.toFixed(2)} of 100 points on ${dateOf(day)}, ${since}: ${level}.`;
}

export function dnaChart(
  name: string,
  days: number,
  { dna, events }: { dna: Dna | null; events: number },
): Chart {
  const missing = dna === null ? [] : dimensions.filter((one) => dna[one] === null);
  return {
    kind: "radar",
    title: `The character of ${name}`,
    x: [...dimensions],
    series: dna
      ? [{ name, values: dimensions.map((one) => (dna[one] === null ? null : dna[one] / 1e6)) }]
      : [],
    unit: "",
    empty: `No data yet: ${events} of the ${LEAST_EVENTS} events that a profile needs`,
    notes:
      dna === null
        ? []
        : [
            `From ${events} events of ${days} days. Each dimension is a ratio of two counts.`,
            ...(missing.length > 0 ? [`No events measure ${missing.join(" or ")} yet.`] : []),
          ],
  };
}
