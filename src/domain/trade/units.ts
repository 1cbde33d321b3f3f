/** The directions of trade as this service writes them. */
export const flows = ["IMPORT", "EXPORT"] as const;
export type Flow = (typeof flows)[number];

/** A month as an integer, 202401 for January 2024: how data files and tables hold it. */
export type Period = number;

/** A range of calendar years, both included. */
export type Years = { from: number; to: number };

/** "2024-01" for 202401. */
export const monthText = (period: Period) =>
  `${Math.floor(period / 100)}-${String(period % 100).padStart(2, "0")}`;

export const yearOf = (period: Period) => Math.floor(period / 100);

/** How many months lie before the period since year 0. */
const monthAt = (period: Period) => yearOf(period) * 12 + (period % 100) - 1;

/** The place of a month in a series that begins with another. */
export const monthsSince = (first: Period, period: Period) => monthAt(period) - monthAt(first);

/** The month `count` months later (earlier where negative). */
export function addMonths(period: Period, count: number): Period {
  const months = monthAt(period) + count;
  return Math.floor(months / 12) * 100 + (months % 12) + 1;
}

/** Every month from `from` to `to`, both included. */
export function monthsBetween(from: Period, to: Period): Period[] {
  const months: Period[] = [];
  for (let period = from; period <= to; period = addMonths(period, 1)) months.push(period);
  return months;
}

/** Six decimals, as answers write shares, factors and prices. */
export const sixDecimals = (value: number) => Math.round(value * 1e6) / 1e6;
