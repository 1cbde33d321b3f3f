/** Percent that `now` is above `before`; null where one of them is unknown. */
export const growthPct = (
  now: number | null | undefined,
  before: number | null | undefined,
): number | null => (now == null || before == null || before <= 0 ? null : (now / before - 1) * 100);

/** Real growth: (1 + nominal) ÷ (1 + inflation) − 1, in percent. */
export const realGrowthPct = (nominal: number | null, inflation: number | null): number | null =>
  nominal === null || inflation === null ? null : ((100 + nominal) / (100 + inflation) - 1) * 100;

/** The months of a year (2024) or quarter (2024-Q1), as YYYY-MM. */
export function monthsOfPeriod(period: string): string[] {
  const [year, quarter] = period.split("-Q");
  const first = quarter === undefined ? 1 : Number(quarter) * 3 - 2;
  return [...Array(quarter === undefined ? 12 : 3).keys()].map(
    (at) => `${year}-${String(first + at).padStart(2, "0")}`,
  );
}

/** The same period a year before. */
export const yearBefore = (period: string): string => `${Number(period.slice(0, 4)) - 1}${period.slice(4)}`;

/**
 * Percent that prices were above those of the same period a year before: mean index against mean index; null unless
 * the index of every month of both is known.
 */
export function inflationPct(
  index: (month: string) => number | null | undefined,
  period: string,
): number | null {
  const mean = (months: string[]) => {
    const known = months.map(index).filter((value) => value != null);
    return known.length === months.length
      ? known.reduce((sum, value) => sum + value, 0) / known.length
      : null;
  };
  return growthPct(mean(monthsOfPeriod(period)), mean(monthsOfPeriod(yearBefore(period))));
}
