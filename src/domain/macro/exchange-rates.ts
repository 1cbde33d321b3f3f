import type { Period } from "../trade/units.ts";

/** The rates of a day: units of a foreign currency that one euro buys, by ISO 4217 code. */
export type DayRates = { date: string; rates: Readonly<Record<string, number>> };

/** Over the days of each month that have a rate, by month: their plain mean, as the ECB averages its reference rates. */
export function monthlyMeans(days: readonly DayRates[], currency: string): Map<Period, number> {
  const sums = new Map<Period, { sum: number; days: number }>();
  for (const { date, rates } of days) {
    const rate = rates[currency];
    if (rate === undefined) continue;
    const period = Number(date.slice(0, 4) + date.slice(5, 7));
    const { sum, days: counted } = sums.get(period) ?? { sum: 0, days: 0 };
    sums.set(period, { sum: sum + rate, days: counted + 1 });
  }
  return new Map([...sums].map(([period, { sum, days: counted }]) => [period, sum / counted]));
}

/** Units of the currency a euro in the mean of a month's days; null where no day of it has a rate. */
export const monthlyMean = (days: readonly DayRates[], currency: string, period: Period): number | null =>
  monthlyMeans(days, currency).get(period) ?? null;
