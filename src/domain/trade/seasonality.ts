export type Month = {
  /** 1 to 12. */
  month: number;
  /** null = unknown. */
  value: number | null;
};

/** Twelve factors, January first, 1 = the average month; or the reason for none. */
export type Seasonality =
  | { enough: true; profile: number[]; ratios: number }
  | { enough: false; reason: string; ratios: number };

/** Fewer months cannot give each calendar month a ratio. */
export const LEAST_MONTHS = 24;

/**
 * Classical decomposition by ratio to moving average (Hyndman and Athanasopoulos, Forecasting: Principles and Practice,
 * 3rd ed., 3.4): each month over its centred 2×12 average, averaged by calendar month, scaled to mean 1. `series` has
 * no gaps; an unknown month is null and voids every average that includes it.
 */
export function seasonality(series: readonly Month[]): Seasonality {
  const known = series.filter(({ value }) => value !== null).length;
  if (known < LEAST_MONTHS) {
    const reason = `${known} months are known; a seasonal profile needs at least ${LEAST_MONTHS}`;
    return { enough: false, reason, ratios: 0 };
  }
  const ratios = Array.from({ length: 12 }, (): number[] => []);
  for (let at = 6; at + 6 < series.length; at++) {
    const trend = centredAverage(series, at);
    const { month, value } = series[at]!;
    if (trend !== undefined && trend > 0 && value !== null) ratios[month - 1]!.push(value / trend);
  }
  const count = ratios.reduce((sum, { length }) => sum + length, 0);
  if (ratios.some(({ length }) => length === 0)) {
    const reason = "there is no full year with trade around each calendar month";
    return { enough: false, reason, ratios: count };
  }
  const means = ratios.map((of) => of.reduce((sum, ratio) => sum + ratio, 0) / of.length);
  const mean = means.reduce((sum, one) => sum + one, 0) / 12;
  if (mean === 0) return { enough: false, reason: "there was no trade in these months", ratios: count };
  return { enough: true, profile: means.map((one) => one / mean), ratios: count };
}

/** (½x₋₆ + x₋₅ + … + x₊₅ + ½x₊₆) / 12; undefined if one of these months is unknown. */
function centredAverage(series: readonly Month[], at: number): number | undefined {
  let sum = 0;
  for (let offset = -6; offset <= 6; offset++) {
    const { value } = series[at + offset]!;
    if (value === null) return undefined;
    sum += Math.abs(offset) === 6 ? value / 2 : value;
  }
  return sum / 12;
}
