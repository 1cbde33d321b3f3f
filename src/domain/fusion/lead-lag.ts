/**
 * Leads of one monthly series over another: the correlation of their deseasonalised log changes at −12 … 12 months.
 * It shows the order of movements, and never a cause.
 */
import { adjustedPs } from "../trade/anomalies.ts";

export const LEAST_MONTHS = 48;
export const MOST_LAG = 12;
/** Accepted share of false discoveries among all pairs and lags: q of Benjamini and Hochberg. */
export const FALSE_DISCOVERY_RATE = 0.1;
/** Length in months of the resampled blocks, which preserve the dependence between successive months. */
const BLOCK = 12;
const DRAWS = 999;
const ROUNDS_AT_ONCE = 50;

/**
 * `values` are in order of months without gaps, `from` being the calendar month of the first, 1 to 12; null =
 * unknown.
 */
export type Monthly = { name: string; from: number; values: readonly (number | null)[] };

/** The second series follows the first after `lag` months; a negative lag is the reverse. */
export type LeadLag = {
  first: string;
  second: string;
  lag: number;
  correlation: number;
  p: number;
  adjusted_p: number;
};

/** Monthly log changes less the mean change of their calendar month; null where a month is unknown or not above 0. */
export function deseasonalisedChanges({ from, values }: Monthly): (number | null)[] {
  const changes = values.slice(1).map((value, at) => {
    const before = values[at]!;
    return value !== null && before !== null && value > 0 && before > 0 ? Math.log(value / before) : null;
  });
  const { values: less } = prepared(preparedOf(changes), from);
  return changes.map((change, at) => (change === null ? null : less[at]!));
}

/**
 * The pairs and lags significant at q = 0.10, the surest first; undefined for fewer than two series of 48 known
 * months. `pause` is awaited every few milliseconds, so that other work proceeds: eight series of twenty years take
 * half a second.
 */
export async function leadsAndLags(
  given: readonly Monthly[],
  pause: () => Promise<void>,
): Promise<LeadLag[] | undefined> {
  const long = given.filter(({ values }) => values.filter((value) => value !== null).length >= LEAST_MONTHS);
  if (long.length < 2) return undefined;
  const series = long.map((one) => ({ name: one.name, changes: deseasonalisedChanges(one) }));
  const all = series.map(({ changes }) => preparedOf(changes));
  const tried: Omit<LeadLag, "adjusted_p">[] = [];
  for (const [at, second] of all.entries())
    for (const [first, lags] of (await triedLags(all.slice(0, at), second, pause)).entries())
      for (const one of lags) tried.push({ ...one, first: series[first]!.name, second: series[at]!.name });
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
 * Every lag between each of `firsts` and the second, with its p-value by the circular block bootstrap (D. Politis and
 * J. Romano, 1992): the second series is resampled in blocks of a year, which preserves its own dependence and breaks
 * that on the first. Resamples are deseasonalised like the data, or p-values would be too small. One set of resamples
 * serves all firsts.
 */
async function triedLags(
  firsts: readonly Prepared[],
  second: Prepared,
  pause: () => Promise<void>,
): Promise<{ lag: number; correlation: number; p: number }[][]> {
  const observed = firsts.map((first) => correlations(first, second));
  const beyond = firsts.map(() => lags.map(() => 0));
  const draw = numbersFrom(second.values.length);
  for (let round = 0; round < DRAWS && firsts.length > 0; round++) {
    if (round % ROUNDS_AT_ONCE === 0) await pause();
    const drawn = prepared(redrawn(second, draw), 0);
    for (const [of, first] of firsts.entries()) {
      const values = correlations(first, drawn);
      for (let at = 0; at < LAGS; at++)
        if (Math.abs(values[at]!) >= Math.abs(observed[of]![at]!)) beyond[of]![at]!++;
    }
  }
  return firsts.map((_, of) =>
    lags.map((lag, at) => ({
      lag,
      correlation: observed[of]![at]!,
      p: (1 + beyond[of]![at]!) / (1 + DRAWS),
    })),
  );
}

const LAGS = 2 * MOST_LAG + 1;
const lags = Array.from({ length: LAGS }, (_, at) => at - MOST_LAG);

/** A series with 0 for unknown values, and 1 or 0 for whether each is known. */
type Series = { values: Float64Array; known: Float64Array };

/** A series prepared for all lags: `padded` has as many zeros on both sides as there are lags. */
export type Prepared = Series & {
  padded: Float64Array;
  /** Without gaps: the sums of its first n values and of their squares, which serve all lags. */
  sums?: { values: Float64Array; squares: Float64Array };
  /** Computed only where one of two series has gaps. */
  gaps(): { squares: Float64Array; padded_squares: Float64Array; padded_known: Float64Array };
};

export const preparedOf = (changes: Changes): Prepared =>
  prepared({
    values: Float64Array.from(changes, (value) => value ?? 0),
    known: Float64Array.from(changes, (value) => (value === null ? 0 : 1)),
  });

/** `from`: the calendar month of the first value, whose monthly means are removed. */
function prepared({ values: given, known }: Series, from?: number): Prepared {
  const values = from === undefined ? given : lessMonths(given, known, from);
  const whole = known.includes(0)
    ? {}
    : { sums: { values: summing(values), squares: summing(values, values) } };
  let made: ReturnType<Prepared["gaps"]> | undefined;
  const gaps = () => {
    if (made) return made;
    const squares = values.map((value) => value * value);
    made = { squares, padded_squares: padding(squares), padded_known: padding(known) };
    return made;
  };
  return { values, known, padded: padding(values), gaps, ...whole };
}

function lessMonths(values: Float64Array, known: Float64Array, from: number): Float64Array {
  const less = new Float64Array(values.length);
  for (let month = 0; month < 12; month++) {
    const first = (month + 12 - from) % 12;
    let [sum, count] = [0, 0];
    for (let at = first; at < values.length; at += 12) {
      sum += values[at]!;
      count += known[at]!;
    }
    for (let at = first; at < values.length; at += 12)
      less[at] = known[at] === 0 ? 0 : values[at]! - sum / count;
  }
  return less;
}

function padding(values: Float64Array): Float64Array {
  const padded = new Float64Array(values.length + 2 * MOST_LAG);
  padded.set(values, MOST_LAG);
  return padded;
}

/** The sums of the first n values, or of their products with others. */
function summing(values: Float64Array, others?: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let at = 0; at < values.length; at++)
    sums[at + 1] = sums[at]! + (others ? values[at]! * others[at]! : values[at]!);
  return sums;
}

/** The correlations of two series of equal length at all lags: Pearson's, over the months that both have. */
export function correlations(first: Prepared, second: Prepared): Float64Array {
  const xy = products(first.values, second.padded);
  if (first.sums && second.sums) return ofWhole(first.sums, second.sums, first.values.length, xy);
  const { padded_known, padded_squares } = second.gaps();
  const n = products(first.known, padded_known);
  const x = products(first.values, padded_known);
  const xx = products(first.gaps().squares, padded_known);
  const y = products(first.known, second.padded);
  const yy = products(first.known, padded_squares);
  return xy.map((sum, at) => ratio(n[at]!, x[at]!, y[at]!, xx[at]!, yy[at]!, sum));
}

type PrefixSums = NonNullable<Prepared["sums"]>;

/** Without gaps only products have to be summed for each lag. */
function ofWhole(first: PrefixSums, second: PrefixSums, length: number, xy: Float64Array): Float64Array {
  const found = new Float64Array(LAGS);
  for (let at = 0; at < LAGS; at++) {
    const lag = at - MOST_LAG;
    const from = Math.max(0, -lag);
    const to = Math.min(length, length - lag);
    if (to <= from) continue;
    const x = first.values[to]! - first.values[from]!;
    const xx = first.squares[to]! - first.squares[from]!;
    const y = second.values[to + lag]! - second.values[from + lag]!;
    const yy = second.squares[to + lag]! - second.squares[from + lag]!;
    found[at] = ratio(to - from, x, y, xx, yy, xy[at]!);
  }
  return found;
}

/** The sums of first[t] · second[t + lag] at all lags. Five at a time, so that no addition waits for the one before. */
function products(first: Float64Array, padded: Float64Array): Float64Array {
  const sums = new Float64Array(LAGS);
  for (let lag = 0; lag < LAGS; lag += 5) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    let e = 0;
    for (let t = 0; t < first.length; t++) {
      const value = first[t]!;
      a += value * padded[t + lag]!;
      b += value * padded[t + lag + 1]!;
      c += value * padded[t + lag + 2]!;
      d += value * padded[t + lag + 3]!;
      e += value * padded[t + lag + 4]!;
    }
    sums[lag] = a;
    sums[lag + 1] = b;
    sums[lag + 2] = c;
    sums[lag + 3] = d;
    sums[lag + 4] = e;
  }
  return sums;
}

function ratio(n: number, x: number, y: number, xx: number, yy: number, xy: number): number {
  const spread = Math.sqrt((n * xx - x * x) * (n * yy - y * y));
  return spread > 1e-12 ? (n * xy - x * y) / spread : 0;
}

function redrawn({ values, known }: Series, draw: () => number): Series {
  const { length } = values;
  const drawn = { values: new Float64Array(length), known: new Float64Array(length) };
  for (let filled = 0; filled < length; filled += BLOCK) {
    let from = Math.floor(draw() * length);
    const end = Math.min(length, filled + BLOCK);
    for (let at = filled; at < end; at++, from++) {
      if (from === length) from = 0;
      drawn.values[at] = values[from]!;
      drawn.known[at] = known[from]!;
    }
  }
  return drawn;
}

/**
 * Numbers from 0 to 1, always the same, so that answers repeat: Marsaglia's xorshift (Journal of Statistical Software
 * 8, 2003).
 */
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
