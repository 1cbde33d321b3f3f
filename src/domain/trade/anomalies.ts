import { robustScore } from "./robust.ts";
import { twoSidedP } from "./student-t.ts";

/** A value is compared with the mean of this many months before it. */
export const TRAILING = 12;
/** The standard deviation counts as at least this share of the mean: a flat series must not alarm at noise. */
export const SD_FLOOR = 0.05;
/** The least number of known months up to and including the judged one. */
export const LEAST_HISTORY = 24;
/** A series whose trailing monthly mean is below this (EUR) is not judged. */
export const LEAST_BASE_EUR = 1_000_000;
/** q of Benjamini and Hochberg: the accepted share of false alarms among all alarms. */
export const FALSE_DISCOVERY_RATE = 0.05;
/** |z| below this has p > 0.05 with 11 degrees of freedom, so it can never be an alarm (t₁₁ at 0.975 is 2.20099). */
export const LEAST_Z = 2.2;
/** The most and the fewest year-on-year changes that a robust score is computed from. */
export const ROBUST_WINDOW = 36;
const LEAST_ROBUST = 12;

/** (x − mean) / max(sd, 5 % of the mean), with the mean and sample standard deviation of the trailing months. */
export function trailingScore(x: number, trailing: readonly number[]): number | undefined {
  const n = trailing.length;
  if (n < 2) return undefined;
  const mean = trailing.reduce((sum, value) => sum + value, 0) / n;
  const variance = trailing.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const deviation = Math.max(Math.sqrt(variance), SD_FLOOR * mean);
  return deviation > 0 ? (x - mean) / deviation : undefined;
}

/** Two-sided p-value of a trailing score: Student's t with 11 degrees of freedom. */
export const pOfScore = (z: number) => twoSidedP(z, TRAILING - 1);

/**
 * The robust score (median, MAD) of ln(x_t / x_{t−12}) among the same changes of earlier months, so without season.
 * `series` has no gaps and ends with the judged month; an unknown month is null. undefined: fewer than 12 changes are
 * known.
 */
export function yearOnYearScore(series: readonly (number | null)[]): number | undefined {
  const changes = series.map((value, at) => {
    const before = series[at - 12] ?? null;
    return value !== null && before !== null && value > 0 && before > 0 ? Math.log(value / before) : null;
  });
  const judged = changes.at(-1) ?? null;
  const earlier = changes.slice(-ROBUST_WINDOW - 1, -1).filter((change) => change !== null);
  if (judged === null || earlier.length < LEAST_ROBUST) return undefined;
  return robustScore(earlier)?.(judged);
}

/**
 * Benjamini and Hochberg (1995): with p sorted upwards, the k smallest of `tests` are discoveries for the largest k
 * with p_k ≤ k·q/tests. Returns the adjusted value of each p, min over j ≥ k of tests·p_j/j: a discovery if at most q.
 * `ps` may omit p-values greater than all of its own.
 */
export function adjustedPs(ps: readonly number[], tests: number): number[] {
  const order = ps.map((_, at) => at).sort((a, b) => ps[b]! - ps[a]!);
  const adjusted = new Array<number>(ps.length);
  let least = 1;
  for (const [place, at] of order.entries()) {
    least = Math.min(least, (tests * ps[at]!) / (ps.length - place));
    adjusted[at] = least;
  }
  return adjusted;
}

/** Weight of an anomaly in a reporter's trade: |z|·√share, share from 0 to 1. */
export const pulse = (z: number, share: number) => Math.abs(z) * Math.sqrt(share);
