import { readMonth } from "../trade/inputs.ts";
import type { Period } from "../trade/units.ts";
import { meansByMonth, type Reading } from "./indicators.ts";

/** The rates of a day: units of a foreign currency that one euro buys, by ISO 4217 code. */
export type DayRates = { date: string; rates: Readonly<Record<string, number>> };

/** A currency's rates, of the days that have one. */
export const ratesOf = (days: readonly DayRates[], currency: string): Reading[] =>
  days.flatMap(({ date, rates }) => {
    const rate = rates[currency];
    return rate === undefined ? [] : [{ at: date, value: rate }];
  });

/** Plain means over the days of each month that have a rate, by month, as the ECB averages its reference rates. */
export const monthlyMeans = (days: readonly DayRates[], currency: string): Map<Period, number> =>
  new Map([...meansByMonth(ratesOf(days, currency))].map(([month, mean]) => [readMonth(month), mean]));

/** Monthly means of months complete by the last day with rates: the mean of half a month is another figure. */
export function wholeMonthlyMeans(days: readonly DayRates[], currency: string): Map<Period, number> {
  const means = monthlyMeans(days, currency);
  const last = days
    .map(({ date }) => date)
    .sort()
    .at(-1);
  if (last !== undefined && !isLastWorkingDay(last)) means.delete(readMonth(last.slice(0, 7)));
  return means;
}

/** True if no weekday of its month comes after a day. */
export function isLastWorkingDay(day: string): boolean {
  const next = new Date(`${day}T00:00:00Z`);
  const month = next.getUTCMonth();
  do next.setUTCDate(next.getUTCDate() + 1);
  while (next.getUTCDay() % 6 === 0);
  return next.getUTCMonth() !== month;
}
