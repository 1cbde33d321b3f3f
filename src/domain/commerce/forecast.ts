/**
 * Forecasts demand by product and backtests it. For each earlier month the whole forecast, with its method and
 * intervals, is repeated from the data of that time and compared with the later demand.
 */
import { type PastError, type Reach, reaches } from "./intervals.ts";
import { FIRST_SEASON, meanOf, meanStep, seasonalTsb, tsb, YEAR } from "./smoothing.ts";

/** `mean`: the mean of all months, if there are fewer than six; `none`: no month yet. */
export const methods = ["tsb", "seasonal_tsb", "mean", "none"] as const;
export type Method = (typeof methods)[number];

/** With fewer months the forecast is their mean, with the interval of the catalogue. */
export const LEAST_MONTHS = 6;

/** Seasons need this many months. */
export const SEASONAL_MONTHS = 24;

/** Seasons are used if their error is at most this share of the plain error. */
const SEASONAL_GAIN = 0.9;

/** Only this many past months count. */
export const LONGEST_RECORD = 60;

/** `window`: each forecast uses this many months before it. */
export type ForecastOptions = { months_ahead: number; window: number };

export type Interval = { low: number; high: number };

/** Base units in the month `ahead` (1 = the next); no interval if too few errors are known. */
export type Month = { ahead: number; mean: number } & Record<keyof Reach, Interval | null>;

/**
 * Errors over all forecast months: in base units, in steps of the series (MASE), and in percent from 0 to 200 (sMAPE).
 */
export type Accuracy = { mae: number; mase: number | null; smape: number };

export type Forecast = {
  method: Method;
  months: Month[];
  /**
   * `origins`: number of earlier months with a forecast; `against`: the plain mean of the last twelve. null = no test
   * was possible.
   */
  tests: ({ origins: number; against: Accuracy } & Accuracy) | null;
  /** Percent of months within their intervals; `n`: months with an interval. */
  coverage: Reach & { n: number };
};

/** Monthly demand up to the last complete month, the same for all products. */
type Months = readonly number[];

/** Each product's intervals use the errors of all products. */
export function forecastCatalogue(records: readonly Months[], options: ForecastOptions): Forecast[] {
  const walks = backtested(records, options);
  const widened = wideningOf(walks.flatMap(({ past }) => past));
  return walks.map(({ now, past, reachOf }) => ({
    method: now.method,
    months: Array.from({ length: now.method === "none" ? 0 : options.months_ahead }, (_, at) => {
      const mean = now.of(at + 1);
      const reach = widened(reachOf(at + 1));
      return { ahead: at + 1, mean, 80: around(mean, reach[80], now), 95: around(mean, reach[95], now) };
    }),
    tests: testsOf(past),
    coverage: coverageOf(past.map((one) => ({ ...one, reach: widened(one.reach) }))),
  }));
}

/** Lengths of history that the backtest compares. */
export const comparedHistories = [3, 6, 12, 24, 36] as const;

/** The compared history with the least mean absolute error over the same earlier months; null without any. */
export function preferredHistory(record: Months, months_ahead: number): number | null {
  const judged = comparedHistories.map((window) => {
    const { past } = forecastsOf(record.slice(-LONGEST_RECORD), { months_ahead, window });
    return { window, months: past.length, mae: meanOf(past.map((one) => Math.abs(one.actual - one.said))) };
  });
  const [best] = judged.toSorted((a, b) => a.mae - b.mae || a.window - b.window);
  return best && best.months > 0 ? best.window : null;
}

const UNKNOWN: Reach = { 80: null, 95: null };

/**
 * Reaches in steps for a mean of few months while the catalogue has too few errors: of independent normal months, whose
 * mean change is 2σ/√π, around the mean of three.
 */
const OF_NORMAL = { 80: 1.312, 95: 2.006 };

/**
 * Widens a reach by the least factor with which the tested months of the whole catalogue keep its level. Past errors
 * alone promise too much where demand has seasons or a trend.
 */
function wideningOf(past: readonly TestedMonth[]): (reach: Reach) => Reach {
  const factorOf = (level: keyof Reach) => {
    const ratios = past
      .flatMap(({ forecast, said, actual, reach }) =>
        reach[level] === null || reach[95] === null
          ? []
          : Math.abs(actual - said) / (reach[level] * forecast.step),
      )
      .map((ratio) => (Number.isNaN(ratio) ? 0 : ratio))
      .sort((a, b) => a - b);
    const rank = Math.ceil((ratios.length * level) / 100 - 1e-9);
    const least = ratios.slice(0, rank).findLast(Number.isFinite) ?? 1;
    // A month at the bound counts, whatever its last bit.
    return least <= 1 ? 1 : least * (1 + 1e-9);
  };
  const factors = { 80: factorOf(80), 95: factorOf(95) };
  return (reach) => {
    const narrow = reach[80] === null ? null : reach[80] * factors[80];
    const wide = reach[95] === null ? null : Math.max(reach[95] * factors[95], narrow ?? 0);
    return { 80: narrow, 95: wide };
  };
}

/** The current forecast, and earlier ones with the later demand and their reach. */
export type Backtest = { now: MonthForecast; past: TestedMonth[]; reachOf: (ahead: number) => Reach };

/** A forecast for each month from the seventh on, from the data of that time, other products' errors included. */
export function backtested(records: readonly Months[], options: ForecastOptions): Backtest[] {
  const walks = withSteps(records.map((record) => forecastsOf(record.slice(-LONGEST_RECORD), options)));
  const errors = walks.flatMap(({ past }) => past.flatMap(errorOf));
  const reachAt = reaches(errors, { most: options.months_ahead, ages: LONGEST_RECORD });
  const reachOf = (forecast: MonthForecast, ahead: number): Reach => {
    if (forecast.method === "none") return UNKNOWN;
    const known = reachAt(ahead, forecast.age);
    if (forecast.method !== "mean") return forecast.step > 0 ? known : UNKNOWN;
    const narrow = known[80] ?? OF_NORMAL[80];
    return { 80: narrow, 95: known[95] ?? Math.max(OF_NORMAL[95], narrow) };
  };
  return walks.map(({ now, past }) => ({
    now,
    past: past.map((one) => ({ ...one, reach: reachOf(one.forecast, one.ahead) })),
    reachOf: (ahead) => reachOf(now, ahead),
  }));
}

/** A forecast as of one month: `of(ahead)` in base units; `age`: months since then. */
export type MonthForecast = { method: Method; of(ahead: number): number; step: number; age: number };

/** One forecast month and its demand. `mean`: the forecast of the twelve-month mean. */
type ForecastMonth = { forecast: MonthForecast; ahead: number; said: number; mean: number; actual: number };
export type TestedMonth = ForecastMonth & { reach: Reach };

type Walk = { now: MonthForecast; past: ForecastMonth[] };

/** A mean of months that are all alike takes the relative step of the catalogue, so that it has an interval. */
function withSteps(walks: readonly Walk[]): readonly Walk[] {
  const relative = walks
    .flatMap(({ now }) => (now.step > 0 && now.of(1) > 0 ? now.step / now.of(1) : []))
    .sort((a, b) => a - b);
  const median = relative[Math.floor(relative.length / 2)] ?? 1;
  return walks.map(({ now, past }) => ({
    past,
    now: now.method === "mean" && now.step === 0 ? { ...now, step: median * now.of(1) } : now,
  }));
}

/** The current forecast, and one for each earlier month. */
function forecastsOf(record: Months, { months_ahead, window }: ForecastOptions): Walk {
  const past: ForecastMonth[] = [];
  const errors: MethodErrors[] = [];
  for (let origin = Math.min(LEAST_MONTHS, record.length); ; origin += 1) {
    const history = record.slice(Math.max(0, origin - window), origin);
    // The change of a year, because that of three months is small by chance.
    const step = meanStep(record.slice(Math.max(0, origin - Math.max(window, YEAR)), origin));
    const { forecast, pair } = forecastOf(history, { age: record.length - origin, errors, origin, step });
    if (origin === record.length) return { now: forecast, past };
    if (pair) errors.push(...errorsOf(pair, record, { origin, months_ahead }));
    const mean = meanOf(history.slice(-YEAR));
    for (const [at, actual] of record.slice(origin, origin + months_ahead).entries())
      past.push({ forecast, ahead: at + 1, said: forecast.of(at + 1), mean, actual });
  }
}

/** Errors of both methods in the month that ended at `known_at`. */
type MethodErrors = { known_at: number; plain: number; seasonal: number };
type MethodPair = Record<"plain" | "seasonal", (ahead: number) => number>;

type ForecastPlace = { age: number; errors: readonly MethodErrors[]; origin: number; step: number };

function forecastOf(
  history: Months,
  { age, errors, origin, step }: ForecastPlace,
): { forecast: MonthForecast; pair?: MethodPair } {
  if (history.length === 0) return { forecast: { method: "none", of: () => 0, step, age } };
  if (history.length < LEAST_MONTHS) {
    const mean = meanOf(history);
    return { forecast: { method: "mean", of: () => mean, step, age } };
  }
  const level = tsb(history);
  const plain = () => level;
  if (history.length < FIRST_SEASON) return { forecast: { method: "tsb", of: plain, step, age } };
  const seasonal = seasonalTsb(history);
  const isBetter =
    history.length >= SEASONAL_MONTHS && isGain(errors.filter(({ known_at }) => known_at <= origin));
  const method = isBetter ? "seasonal_tsb" : "tsb";
  return { forecast: { method, of: isBetter ? seasonal : plain, step, age }, pair: { plain, seasonal } };
}

const errorsOf = (
  { plain, seasonal }: MethodPair,
  record: Months,
  { origin, months_ahead }: { origin: number; months_ahead: number },
): MethodErrors[] =>
  record.slice(origin, origin + months_ahead).map((actual, at) => ({
    known_at: origin + at + 1,
    plain: Math.abs(actual - plain(at + 1)),
    seasonal: Math.abs(actual - seasonal(at + 1)),
  }));

function isGain(errors: readonly MethodErrors[]): boolean {
  const plain = meanOf(errors.map((one) => one.plain));
  return plain > 0 && meanOf(errors.map((one) => one.seasonal)) <= SEASONAL_GAIN * plain;
}

const errorOf = ({ forecast, ahead, said, actual }: ForecastMonth): PastError[] =>
  forecast.step > 0
    ? [{ ahead, age: forecast.age - ahead, steps: Math.abs(actual - said) / forecast.step }]
    : [];

/** Demand is never negative. */
const around = (mean: number, reach: number | null, { step }: MonthForecast): Interval | null =>
  reach === null ? null : { low: Math.max(0, mean - reach * step), high: mean + reach * step };

function testsOf(past: readonly TestedMonth[]): Forecast["tests"] {
  if (past.length === 0) return null;
  const origins = new Set(past.map(({ forecast }) => forecast.age)).size;
  return { origins, ...accuracyOf(past, "said"), against: accuracyOf(past, "mean") };
}

function accuracyOf(past: readonly TestedMonth[], source: "said" | "mean"): Accuracy {
  const off = (one: TestedMonth) => Math.abs(one.actual - one[source]);
  const moving = past.filter(({ forecast }) => forecast.step > 0);
  const percents = past.map((one) => (off(one) === 0 ? 0 : (200 * off(one)) / (one.actual + one[source])));
  return {
    mae: meanOf(past.map(off)),
    mase: moving.length === 0 ? null : meanOf(moving.map((one) => off(one) / one.forecast.step)),
    smape: meanOf(percents),
  };
}

function coverageOf(past: readonly TestedMonth[]): Forecast["coverage"] {
  const covered = past.filter(({ reach }) => reach[95] !== null);
  const share = (level: keyof Reach) => {
    const within = covered.filter(
      ({ forecast, said, actual, reach }) => Math.abs(actual - said) <= reach[level]! * forecast.step,
    );
    return covered.length === 0 ? null : (100 * within.length) / covered.length;
  };
  return { 80: share(80), 95: share(95), n: covered.length };
}
