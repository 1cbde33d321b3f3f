/**
 * Imports that ran ahead of a policy: the three months before its day against the same months of the two years
 * before.
 */
import { addMonths, type Period, sixDecimals } from "../trade/units.ts";

/** Months before a policy that count. */
const MONTHS = 3;
/** With fewer other months the usual size of a spike is unknown. */
const LEAST_PLACEBOS = 24;
/** A smaller spike is not a signal. */
const LEAST_SPIKE = 1.25;

/** A monthly series: EUR by month, without months that were not delivered. */
export type Series = ReadonlyMap<Period, number>;

const monthsBefore = (period: Period) =>
  Array.from({ length: MONTHS }, (_, at) => addMonths(period, at - MONTHS));

/**
 * Mean of the months before / mean of the same months of the two years before; undefined where one is unknown, or the
 * latter is 0.
 */
export function spike(series: Series, period: Period): number | undefined {
  const months = monthsBefore(period);
  const mean = (of: Period[]) => {
    const values = of.map((month) => series.get(month));
    return values.every((value) => value !== undefined)
      ? values.reduce((sum, value) => sum + value, 0) / values.length
      : undefined;
  };
  const now = mean(months);
  const before = mean(months.flatMap((month) => [month - 100, month - 200]));
  return now === undefined || before === undefined || before <= 0 ? undefined : now / before;
}

export type Signal = { spike_multiple: number; confidence: number | null };

/**
 * The spike before a policy of this month, and the share of other months with a lower one; months that overlap it are
 * left out. The share is null with fewer than 24 known. Undefined where a month before it is the product's peak,
 * `peak` from 1 to 12: yearly peaks announce nothing.
 */
export function frontRunning(series: Series, period: Period, peak: number | undefined): Signal | undefined {
  const found = spike(series, period);
  if (found === undefined || found < LEAST_SPIKE) return undefined;
  if (monthsBefore(period).some((month) => month % 100 === peak)) return undefined;
  const near = new Set(Array.from({ length: 2 * MONTHS - 1 }, (_, at) => addMonths(period, at + 1 - MONTHS)));
  const placebos = [...series.keys()]
    .map((month) => addMonths(month, 1))
    .filter((month) => !near.has(month))
    .flatMap((month) => spike(series, month) ?? []);
  const lower = placebos.filter((one) => one < found).length;
  return {
    spike_multiple: sixDecimals(found),
    confidence: placebos.length < LEAST_PLACEBOS ? null : sixDecimals(lower / placebos.length),
  };
}
