/**
 * Strategies: one feature of a series each, and the probability that a logistic regression gives a statement for it.
 * A prediction for a month uses only earlier months; only the mirror reads what partners have already delivered of
 * that month.
 */
import { sixDecimals } from "../trade/units.ts";
import { knownAt, lagOf, outcomeAt, periodAt, type Series } from "./series.ts";

export type Strategy = {
  name: string;
  /** Incremented with each change of the feature, fit or stake: bets of two versions are never summed. */
  version: number;
  /** Says what it looks at, after "since". */
  reason: string;
  /** The feature of a month; undefined where its inputs are unknown. */
  feature(series: Series, at: number): number | undefined;
  /** True for months that the strategy bets on. */
  bets?(series: Series, at: number): boolean;
};

const YEAR = 12;

/** The mean of `count` values from an index on; undefined where one is unknown. */
function mean(values: readonly (number | null)[], from: number, count: number): number | undefined {
  let sum = 0;
  for (let at = from; at < from + count; at++) {
    const value = knownAt(values, at);
    if (value === undefined) return undefined;
    sum += value;
  }
  return sum / count;
}

const logRatio = (above: number | undefined, below: number | undefined) =>
  above === undefined || below === undefined ? undefined : Math.log(above / below);

/** ln(last three months / the same three of the year before); of an indicator, ln(last month / three months before it). */
const momentum: Strategy = {
  name: "momentum",
  version: 2,
  reason: "the growth of the last three months",
  feature: ({ subject, values }, at) =>
    subject.kind === "above_level"
      ? logRatio(knownAt(values, at - 1), knownAt(values, at - 4))
      : logRatio(mean(values, at - 3, 3), mean(values, at - 3 - YEAR, 3)),
};

/** The standings of each series that is in use. */
const relativeLevels = new WeakMap<readonly (number | null)[], (number | undefined)[]>();

/** ln(month / mean of the twelve months around it), for a month with six known ones before it and five after. */
function relativeLevel(values: readonly (number | null)[], at: number): number | undefined {
  let all = relativeLevels.get(values);
  if (!all) {
    all = values.map((_, month) => logRatio(knownAt(values, month), mean(values, month - 6, YEAR)));
    relativeLevels.set(values, all);
  }
  return all[at];
}

/**
 * The seasonal residual of the month to be exceeded: its level within its year, less the usual level of that calendar
 * month. An unusually high month is seldom exceeded.
 */
const seasonal: Strategy = {
  name: "seasonal",
  version: 2,
  reason: "how far last year's month lay off the usual course of the year",
  feature({ subject, values }, at) {
    if (subject.kind !== "above_last_year") return undefined;
    const base = relativeLevel(values, at - YEAR);
    if (base === undefined) return undefined;
    const usual: number[] = [];
    for (let before = at - 2 * YEAR; before >= 0; before -= YEAR) {
      const stood = relativeLevel(values, before);
      if (stood !== undefined) usual.push(stood);
    }
    return usual.length === 0 ? undefined : base - usual.reduce((sum, one) => sum + one, 0) / usual.length;
  },
};

/** ln(month / same month a year before) of the flow as those partners state it that have delivered the month before the reporter has. */
const mirror: Strategy = {
  name: "mirror",
  version: 2,
  reason: "what partners that have delivered the month already say of the flow",
  feature: ({ mirror = [] }, at) => logRatio(knownAt(mirror, at), knownAt(mirror, at - YEAR)),
};

/** ln(three months before / the same months of the two years before): the spike of src/domain/fusion/front-running.ts, where a policy begins. */
const frontRun: Strategy = {
  name: "front-run",
  version: 2,
  reason: "the imports of the three months before a policy begins",
  feature({ subject, values }, at) {
    if (subject.kind !== "above_last_year" || subject.flow !== "IMPORT") return undefined;
    const [last, first] = [mean(values, at - 3 - YEAR, 3), mean(values, at - 3 - 2 * YEAR, 3)];
    return last === undefined || first === undefined
      ? undefined
      : logRatio(mean(values, at - 3, 3), (last + first) / 2);
  },
  bets: (series, at) => series.policies?.has(periodAt(series, at)) ?? false,
};

export const strategies: readonly Strategy[] = [momentum, seasonal, mirror, frontRun];

/** Months that the line looks back on. */
export const LINE_MONTHS = 10;
/** The lower bound of a line; the upper one is 1 less this. */
const LEAST_LINE = 0.05;

const within = (value: number) => Math.min(1 - LEAST_LINE, Math.max(LEAST_LINE, value));

/**
 * Climatology: the share of the last ten decided months before an index whose statement was true, as (k + ½) / (n +
 * 1), clamped to 0.05 … 0.95. That is the posterior mean under Jeffreys' prior (Brown, Cai and DasGupta 2001,
 * Statistical Science 16).
 */
export function lineAt(series: Series, at: number): number {
  let [n, k] = [0, 0];
  for (let before = at - 1; before >= 0 && n < LINE_MONTHS; before--) {
    const outcome = outcomeAt(series, before);
    if (outcome === undefined) continue;
    n++;
    if (outcome) k++;
  }
  return sixDecimals(within((k + 0.5) / (n + 1)));
}

export type Point = { x: number; y: boolean };

/** Fewer months fit nothing. */
const LEAST_POINTS = 24;
const MOST_STEPS = 25;

/**
 * The probability at `x` by a logistic regression on one standardised feature, fitted by Newton's method. A normal
 * prior of variance 1 shrinks both coefficients (le Cessie and van Houwelingen 1992, Applied Statistics 41), so that
 * separated points fit too. Undefined with fewer than 24 points, or a constant feature.
 */
export function chanceAt(points: readonly Point[], x: number): number | undefined {
  const n = points.length;
  if (n < LEAST_POINTS) return undefined;
  const centre = points.reduce((sum, point) => sum + point.x, 0) / n;
  const spread = Math.sqrt(points.reduce((sum, point) => sum + (point.x - centre) ** 2, 0) / n);
  if (!(spread > 1e-12)) return undefined;
  const standardised = points.map(({ x, y }) => ({ z: (x - centre) / spread, y: y ? 1 : 0 }));
  let [a, b] = [0, 0];
  for (let step = 0; step < MOST_STEPS; step++) {
    let [ga, gb, haa, hab, hbb] = [-a, -b, 1, 0, 1];
    for (const { z, y } of standardised) {
      const p = 1 / (1 + Math.exp(-a - b * z));
      const [off, weight] = [y - p, p * (1 - p)];
      ga += off;
      gb += off * z;
      haa += weight;
      hab += weight * z;
      hbb += weight * z * z;
    }
    const determinant = haa * hbb - hab * hab;
    const [da, db] = [(hbb * ga - hab * gb) / determinant, (haa * gb - hab * ga) / determinant];
    a += da;
    b += db;
    if (Math.abs(da) + Math.abs(db) < 1e-9) break;
  }
  return sixDecimals(1 / (1 + Math.exp(-a - (b * (x - centre)) / spread)));
}

/** A strategy's feature and outcome for each month of a series, computed once; a point has both. */
export type History = readonly (Point & { at: number })[];

export const historyOf = ({ feature }: Strategy, series: Series): History =>
  series.values.flatMap((_, at) => {
    const y = outcomeAt(series, at);
    const x = y === undefined ? undefined : feature(series, at);
    return y === undefined || x === undefined ? [] : [{ at, x, y }];
  });

/** A strategy's opinion of a month: the line, and its own probability; undefined where it has none. */
export function opinionAt(
  strategy: Strategy,
  series: Series,
  at: number,
  history?: History,
): { line: number; p: number } | undefined {
  const { feature, bets = () => true } = strategy;
  if (!bets(series, at)) return undefined;
  const x = feature(series, at);
  if (x === undefined || knownAt(series.values, at - lagOf(series)) === undefined) return undefined;
  const p = chanceAt(
    (history ?? historyOf(strategy, series)).filter((point) => point.at < at),
    x,
  );
  return p === undefined ? undefined : { line: lineAt(series, at), p };
}
