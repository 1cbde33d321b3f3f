/** The results of bets: stakes, gains, and the calibration of their probabilities. */
import { sixDecimals } from "../trade/units.ts";

export type Side = "yes" | "no";

/** All points of a strategy: a stake is a share of them, whatever it won before. */
export const POINTS = 1_000;
const MOST_STAKE = 10;
/** The share of Kelly's stake. */
const KELLY_SHARE = 0.25;
/** A smaller difference between chance and line is not a bet. */
export const LEAST_EDGE = 0.1;
/** A line that has moved so far against a bet ends it. */
const STOP_MOVE = 0.2;

/** The price of one point on a side at a line: the line itself, or 1 less the line. */
const costAt = (side: Side, line: number) => (side === "yes" ? line : 1 - line);

/** The side on which a probability beats a line by at least 0.10. */
export function sideOf(p: number, line: number): Side | undefined {
  // Both have six decimals; their difference as a float may be below the decimal one.
  const edge = sixDecimals(p - line);
  return edge >= LEAST_EDGE ? "yes" : edge <= -LEAST_EDGE ? "no" : undefined;
}

/**
 * Points to stake: a quarter of Kelly's share (J. L. Kelly 1956, Bell System Technical Journal 35) of 1,000 points,
 * 10 at most. For a bet at price c that pays 1 with probability p, Kelly's share is (p − c) / (1 − c).
 */
export function stakeOf(side: Side, p: number, line: number): number {
  const [chance, cost] = [side === "yes" ? p : 1 - p, costAt(side, line)];
  const share = Math.max(0, (chance - cost) / (1 - cost));
  return sixDecimals(Math.min(MOST_STAKE, KELLY_SHARE * share * POINTS));
}

/** Points won, or lost below 0, when the statement is decided: stake · (1 − cost) / cost, or the stake. */
export function gainOf(
  side: Side,
  { line, stake }: { line: number; stake: number },
  outcome: boolean,
): number {
  const cost = costAt(side, line);
  return sixDecimals(outcome === (side === "yes") ? (stake * (1 - cost)) / cost : -stake);
}

/** Points won or lost by leaving at another line: stake · (cost now / cost then − 1). */
export const gainAt = (side: Side, { line, stake }: { line: number; stake: number }, now: number): number =>
  sixDecimals(stake * (costAt(side, now) / costAt(side, line) - 1));

/** True if a line has moved 0.20 against a side. */
export const isAgainst = (side: Side, line: number, now: number): boolean =>
  sixDecimals(costAt(side, line) - costAt(side, now)) >= STOP_MOVE;

/** 95 %: z of the normal distribution. */
const Z = 1.959964;

/** The share of k in n with Wilson's interval at 95 % (E. B. Wilson 1927, JASA 22); null of nothing. */
export function winRate(k: number, n: number): { share: number; low: number; high: number } | null {
  if (n === 0) return null;
  const share = k / n;
  const centre = share + Z ** 2 / (2 * n);
  const half = Z * Math.sqrt((share * (1 - share)) / n + Z ** 2 / (4 * n ** 2));
  const scale = 1 + Z ** 2 / n;
  return {
    share: sixDecimals(share),
    low: sixDecimals(Math.max(0, (centre - half) / scale)),
    high: sixDecimals(Math.min(1, (centre + half) / scale)),
  };
}

/** Mean of (chance − outcome)², outcome 0 or 1 (G. W. Brier 1950, Monthly Weather Review 78); null of nothing. */
export const brier = (of: readonly { p: number; outcome: boolean }[]): number | null =>
  of.length === 0
    ? null
    : sixDecimals(of.reduce((sum, { p, outcome }) => sum + (p - (outcome ? 1 : 0)) ** 2, 0) / of.length);
