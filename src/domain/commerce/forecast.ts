/**
 * The forecast of demand, product by product, and how good it was before: the whole of it, with the choice of its method and its
 * intervals, is made again as of each earlier month from what was known by then, and held against what came.
 */
import { type PastError, type Reach, reaches } from "./intervals.ts";
import { FIRST_SEASON, meanOf, meanStep, seasonalTsb, tsb, YEAR } from "./smoothing.ts";

/** `mean`: of all months, where there are fewer than six; `none`: there is no month yet. */
export const methods = ["tsb", "seasonal_tsb", "mean", "none"] as const;
export type Method = (typeof methods)[number];

/** Months of a product that anything but their mean can be made of. */
export const LEAST_MONTHS = 6;

/** Months from which on seasons are looked for. */
export const SEASONAL_MONTHS = 24;

/** Seasons are taken where their error is at most so much of the plain one. */
const SEASONAL_GAIN = 0.9;

/** Months of the past that are looked at. */
export const LONGEST_RECORD = 60;

/** `window`: how many months each forecast is made of, those before it. */
export type Asked = { months_ahead: number; window: number };

export type Interval = { low: number; high: number };

/** Base units in the month that is so many ahead, 1 the first; no interval where too few errors are known. */
export type Month = { ahead: number; mean: number } & Record<keyof Reach, Interval | null>;

/** Errors over all months that were forecast: in base units, in steps of the series (MASE), and in percent from 0 to 200 (sMAPE). */
export type Accuracy = { mae: number; mase: number | null; smape: number };

export type Forecast = {
  method: Method;
  months: Month[];
  /** `origins`: as of how many earlier months; `against`: the plain mean of the last twelve. Null where nothing could be tested. */
  tests: ({ origins: number; against: Accuracy } & Accuracy) | null;
  /** How many of a hundred months lay within their intervals; `n`: how many had one. */
  coverage: Reach & { n: number };
};

/** The demand of a product, month by month, to the last month that is over; of all products the same. */
type Months = readonly number[];

/** Forecasts the demand of all products; the intervals of each rest on the errors of all. */
export function forecastCatalogue(records: readonly Months[], asked: Asked): Forecast[] {
  return backtested(records, asked).map(({ now, past, reachOf }) => ({
    method: now.method,
    months: Array.from({ length: now.method === "none" ? 0 : asked.months_ahead }, (_, at) => {
      const mean = now.of(at + 1);
      const reach = reachOf(at + 1);
      return { ahead: at + 1, mean, 80: around(mean, reach[80], now), 95: around(mean, reach[95], now) };
    }),
    tests: testsOf(past),
    coverage: coverageOf(past),
  }));
}

const UNKNOWN: Reach = { 80: null, 95: null };

/** The forecast of now, and those of earlier months beside what came, each with how far it was said to reach. */
export type Backtest = { now: Made; past: Tried[]; reachOf: (ahead: number) => Reach };

/** Each forecast as of each month from the seventh on, made of what was known by then, errors of the other products among it. */
export function backtested(records: readonly Months[], asked: Asked): Backtest[] {
  const walks = records.map((record) => walked(record.slice(-LONGEST_RECORD), asked));
  const errors = walks.flatMap(({ past }) => past.flatMap(errorOf));
  const known = reaches(errors, { most: asked.months_ahead, ages: LONGEST_RECORD });
  const reachOf = (made: Made, ahead: number) => (hasInterval(made) ? known(ahead, made.age) : UNKNOWN);
  return walks.map(({ now, past }) => ({
    now,
    past: past.map((one) => ({ ...one, reach: reachOf(one.made, one.ahead) })),
    reachOf: (ahead) => reachOf(now, ahead),
  }));
}

/** A forecast as of one month: `of` says what of how many months ahead; `age`: how many months ago that was. */
export type Made = { method: Method; of(ahead: number): number; step: number; age: number };

/** One month of an earlier forecast, and what came. `mean`: what the mean of twelve months said. */
type Walked = { made: Made; ahead: number; said: number; mean: number; came: number };
export type Tried = Walked & { reach: Reach };

/** Demand that has never changed has no step to measure errors by. */
const hasInterval = ({ method, step }: Made) => method !== "mean" && step > 0;

/** Forecasts as of now and of each earlier month. */
function walked(record: Months, { months_ahead, window }: Asked): { now: Made; past: Walked[] } {
  const past: Walked[] = [];
  const rivals: Rival[] = [];
  for (let origin = Math.min(LEAST_MONTHS, record.length); ; origin += 1) {
    const seen = record.slice(Math.max(0, origin - window), origin);
    const { made, rival } = madeOf(seen, { age: record.length - origin, rivals, origin });
    if (origin === record.length) return { now: made, past };
    if (rival) rivals.push(...rivalsOf(rival, record, { origin, months_ahead }));
    const mean = meanOf(seen.slice(-YEAR));
    for (const [at, came] of record.slice(origin, origin + months_ahead).entries())
      past.push({ made, ahead: at + 1, said: made.of(at + 1), mean, came });
  }
}

/** Errors of both methods in one month, which was over at `known_at`. */
type Rival = { known_at: number; plain: number; seasonal: number };
type Pair = Record<"plain" | "seasonal", (ahead: number) => number>;

function madeOf(
  seen: Months,
  { age, rivals, origin }: { age: number; rivals: readonly Rival[]; origin: number },
): { made: Made; rival?: Pair } {
  const step = meanStep(seen);
  if (seen.length === 0) return { made: { method: "none", of: () => 0, step, age } };
  if (seen.length < LEAST_MONTHS) {
    const mean = meanOf(seen);
    return { made: { method: "mean", of: () => mean, step, age } };
  }
  const level = tsb(seen);
  const plain = () => level;
  if (seen.length < FIRST_SEASON) return { made: { method: "tsb", of: plain, step, age } };
  const seasonal = seasonalTsb(seen);
  const isBetter =
    seen.length >= SEASONAL_MONTHS && hasGained(rivals.filter(({ known_at }) => known_at <= origin));
  const method = isBetter ? "seasonal_tsb" : "tsb";
  return { made: { method, of: isBetter ? seasonal : plain, step, age }, rival: { plain, seasonal } };
}

const rivalsOf = (
  { plain, seasonal }: Pair,
  record: Months,
  { origin, months_ahead }: { origin: number; months_ahead: number },
): Rival[] =>
  record.slice(origin, origin + months_ahead).map((came, at) => ({
    known_at: origin + at + 1,
    plain: Math.abs(came - plain(at + 1)),
    seasonal: Math.abs(came - seasonal(at + 1)),
  }));

function hasGained(rivals: readonly Rival[]): boolean {
  const plain = meanOf(rivals.map((one) => one.plain));
  return plain > 0 && meanOf(rivals.map((one) => one.seasonal)) <= SEASONAL_GAIN * plain;
}

const errorOf = ({ made, ahead, said, came }: Walked): PastError[] =>
  hasInterval(made) ? [{ ahead, age: made.age - ahead, steps: Math.abs(came - said) / made.step }] : [];

/** Nobody buys less than nothing. */
const around = (mean: number, reach: number | null, { step }: Made): Interval | null =>
  reach === null ? null : { low: Math.max(0, mean - reach * step), high: mean + reach * step };

function testsOf(past: readonly Tried[]): Forecast["tests"] {
  if (past.length === 0) return null;
  const origins = new Set(past.map(({ made }) => made.age)).size;
  return { origins, ...accuracyOf(past, "said"), against: accuracyOf(past, "mean") };
}

function accuracyOf(past: readonly Tried[], forecast: "said" | "mean"): Accuracy {
  const off = (one: Tried) => Math.abs(one.came - one[forecast]);
  const moving = past.filter(({ made }) => made.step > 0);
  const percents = past.map((one) => (off(one) === 0 ? 0 : (200 * off(one)) / (one.came + one[forecast])));
  return {
    mae: meanOf(past.map(off)),
    mase: moving.length === 0 ? null : meanOf(moving.map((one) => off(one) / one.made.step)),
    smape: meanOf(percents),
  };
}

function coverageOf(past: readonly Tried[]): Forecast["coverage"] {
  const told = past.filter(({ reach }) => reach[95] !== null);
  const share = (level: keyof Reach) => {
    const within = told.filter(
      ({ made, said, came, reach }) => Math.abs(came - said) <= reach[level]! * made.step,
    );
    return told.length === 0 ? null : (100 * within.length) / told.length;
  };
  return { 80: share(80), 95: share(95), n: told.length };
}
