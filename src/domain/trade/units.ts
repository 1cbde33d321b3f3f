export const flows = ["IMPORT", "EXPORT"] as const;
export type Flow = (typeof flows)[number];

/** A month as an integer, as in data files and tables: 202401 = January 2024. */
export type Period = number;

/** Both years included. */
export type Years = { from: number; to: number };

/** "2024-01" for 202401. */
export const monthText = (period: Period) =>
  `${Math.floor(period / 100)}-${String(period % 100).padStart(2, "0")}`;

export const yearOf = (period: Period) => Math.floor(period / 100);

const monthAt = (period: Period) => yearOf(period) * 12 + (period % 100) - 1;

export const monthsSince = (first: Period, period: Period) => monthAt(period) - monthAt(first);

/** A negative `count` goes back. */
export function addMonths(period: Period, count: number): Period {
  const months = monthAt(period) + count;
  return Math.floor(months / 12) * 100 + (months % 12) + 1;
}

/** Both months included. */
export function monthsBetween(from: Period, to: Period): Period[] {
  const months: Period[] = [];
  for (let period = from; period <= to; period = addMonths(period, 1)) months.push(period);
  return months;
}

/** Answers round shares, factors and prices to six decimals. */
export const sixDecimals = (value: number) => Math.round(value * 1e6) / 1e6;
