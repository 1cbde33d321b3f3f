/**
 * Whether one monthly series runs ahead of another: the correlation of their deseasonalised log changes at −12 … 12 months. It says
 * what moved first, and never why.
 */
import { adjustedPs } from "../trade/anomalies.ts";

export const LEAST_MONTHS = 48;
export const MOST_LAG = 12;
/** Accepted share of false finds among all pairs and lags: q of Benjamini and Hochberg. */
export const FALSE_DISCOVERY_RATE = 0.1;
/** Months that stay together when a series is drawn anew, so that what follows month on month stays in it. */
const BLOCK = 12;
const DRAWS = 999;

/** `values` are in order of months without gaps, `from` being the calendar month of the first, 1 to 12; null is not known. */
export type Monthly = { name: string; from: number; values: readonly (number | null)[] };

/** `lag` months after the first the second does the same; a negative lag is the other way round. */
export type LeadLag = {
  first: string;
  second: string;
  lag: number;
  correlation: number;
  p: number;
  adjusted_p: number;
};

/** The log changes from month to month less the mean change of their calendar month; null where a month is not known or not above 0. */
export function deseasonalisedChanges({ from, values }: Monthly): (number | null)[] {
  const changes = values.slice(1).map((value, at) => {
    const before = values[at]!;
    return value !== null && before !== null && value > 0 && before > 0 ? Math.log(value / before) : null;
  });
  return withoutMonths(changes, from);
}

/** Less the means of each twelfth value, of which the first is of the calendar month `from`. */
function withoutMonths(changes: Changes, from: number): (number | null)[] {
  const [sums, counts] = [new Array<number>(12).fill(0), new Array<number>(12).fill(0)];
  for (const [at, change] of changes.entries()) {
    if (change === null) continue;
    sums[(from + at) % 12]! += change;
    counts[(from + at) % 12]!++;
  }
  return changes.map((change, at) =>
    change === null ? null : change - sums[(from + at) % 12]! / counts[(from + at) % 12]!,
  );
}

/** The pairs and lags that are found at q = 0.10, the surest first; undefined for fewer than two series of 48 known months. */
export function leadsAndLags(given: readonly Monthly[]): LeadLag[] | undefined {
  const long = given.filter(({ values }) => values.filter((value) => value !== null).length >= LEAST_MONTHS);
  if (long.length < 2) return undefined;
  const series = long.map((one) => ({ name: one.name, changes: deseasonalisedChanges(one) }));
  const prepared = series.map(({ changes }) => preparedOf(changes));
  const tried = series.flatMap((second, at) =>
    triedLags(prepared.slice(0, at), second.changes).flatMap((lags, first) =>
      lags.map((one) => ({ ...one, first: series[first]!.name, second: second.name })),
    ),
  );
  const adjusted = adjustedPs(
    tried.map(({ p }) => p),
    tried.length,
  );
  return tried
    .map((one, at) => ({ ...one, adjusted_p: adjusted[at]! }))
    .filter(({ adjusted_p }) => adjusted_p <= FALSE_DISCOVERY_RATE)
    .sort((a, b) => a.adjusted_p - b.adjusted_p || Math.abs(b.correlation) - Math.abs(a.correlation));
}

type Changes = readonly (number | null)[];

/**
 * Every lag between each of `firsts` and the second, with its p-value by the circular block bootstrap (D. Politis and J. Romano, 1992): the second series is
 * drawn anew in blocks of a year, which keeps what it owes to itself and breaks what it owes to the first. Its months are taken out again, as they are of
 * what is observed: else chance would look smaller than it is. What is drawn serves all firsts.
 */
function triedLags(
  firsts: readonly Prepared[],
  second: Changes,
): { lag: number; correlation: number; p: number }[][] {
  const whole = preparedOf(second);
  const observed = firsts.map((first) => correlations(first, whole));
  const beyond = firsts.map(() => lags.map(() => 0));
  const draw = numbersFrom(second.length);
  for (let round = 0; round < DRAWS && firsts.length > 0; round++) {
    const drawn = preparedOf(withoutMonths(redrawn(second, draw), 0));
    for (const [of, first] of firsts.entries())
      for (const [at, value] of correlations(first, drawn).entries())
        if (Math.abs(value) >= Math.abs(observed[of]![at]!)) beyond[of]![at]!++;
  }
  return firsts.map((_, of) =>
    lags.map((lag, at) => ({
      lag,
      correlation: observed[of]![at]!,
      p: (1 + beyond[of]![at]!) / (1 + DRAWS),
    })),
  );
}

const lags = Array.from({ length: 2 * MOST_LAG + 1 }, (_, at) => at - MOST_LAG);

/** A series, and where it has no gaps the sums of its first n values and of their squares. */
export type Prepared = {
  changes: Changes;
  whole?: { values: Float64Array; sums: Float64Array; squares: Float64Array };
};

export function preparedOf(changes: Changes): Prepared {
  if (changes.includes(null)) return { changes };
  const values = Float64Array.from(changes as readonly number[]);
  const [sums, squares] = [new Float64Array(values.length + 1), new Float64Array(values.length + 1)];
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!;
    sums[at + 1] = sums[at]! + value;
    squares[at + 1] = squares[at]! + value * value;
  }
  return { changes, whole: { values, sums, squares } };
}

/** The correlations of two series at all lags. Of series without gaps only products are left to be summed for each. */
export function correlations(first: Prepared, second: Prepared): number[] {
  const [one, other] = [first.whole, second.whole];
  const isFast = one && other && one.values.length === other.values.length;
  return lags.map((lag) =>
    isFast ? summed(one, other, lag) : correlation(first.changes, second.changes, lag),
  );
}

type Whole = NonNullable<Prepared["whole"]>;

function summed(first: Whole, second: Whole, lag: number): number {
  const [from, to] = [Math.max(0, -lag), Math.min(first.values.length, first.values.length - lag)];
  const n = to - from;
  if (n <= 0) return 0;
  const within = (of: Float64Array, shift: number) => of[to + shift]! - of[from + shift]!;
  const [x, xx] = [within(first.sums, 0), within(first.squares, 0)];
  const [y, yy] = [within(second.sums, lag), within(second.squares, lag)];
  let xy = 0;
  for (let at = from; at < to; at++) xy += first.values[at]! * second.values[at + lag]!;
  return ratio(n, x, y, xx, yy, xy);
}

function ratio(n: number, x: number, y: number, xx: number, yy: number, xy: number): number {
  const spread = Math.sqrt((n * xx - x * x) * (n * yy - y * y));
  return spread > 1e-12 ? (n * xy - x * y) / spread : 0;
}

/** Pearson's correlation of first[t] with second[t + lag], over the months that both know; 0 where one does not move. */
export function correlation(first: Changes, second: Changes, lag: number): number {
  let [n, x, y, xx, yy, xy] = [0, 0, 0, 0, 0, 0];
  for (let at = Math.max(0, -lag); at < first.length && at + lag < second.length; at++) {
    const [a, b] = [first[at]!, second[at + lag]!];
    if (a === null || b === null) continue;
    n++;
    x += a;
    y += b;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  return ratio(n, x, y, xx, yy, xy);
}

function redrawn(series: Changes, draw: () => number): Changes {
  const drawn: (number | null)[] = [];
  while (drawn.length < series.length) {
    const from = Math.floor(draw() * series.length);
    for (let at = 0; at < BLOCK && drawn.length < series.length; at++)
      drawn.push(series[(from + at) % series.length]!);
  }
  return drawn;
}

/** Numbers from 0 to 1, always the same ones, so that an answer is too: Marsaglia's xorshift (Journal of Statistical Software 8, 2003). */
function numbersFrom(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 4_294_967_296;
  };
}
