/** Changes of amounts from year to year. */

/** value / before − 1; null where either is unknown, or the earlier one is 0. */
export const changeOf = (
  value: number | null | undefined,
  before: number | null | undefined,
): number | null =>
  value === null || value === undefined || before === null || before === undefined || before <= 0
    ? null
    : value / before - 1;

export type Growth = {
  from_year: number;
  to_year: number;
  /** Compound annual growth rate, (last / first)^(1 / years) − 1. */
  growth_per_year: number;
};

/** Growth between the first and the last year; undefined with fewer than two years or nothing at either end. */
export function growthOf(years: readonly { year: number; value: number }[]): Growth | undefined {
  const [first, last] = [years[0], years.at(-1)];
  if (!first || !last || last.year <= first.year || first.value <= 0 || last.value <= 0) return undefined;
  const growth_per_year = (last.value / first.value) ** (1 / (last.year - first.year)) - 1;
  return { from_year: first.year, to_year: last.year, growth_per_year };
}
