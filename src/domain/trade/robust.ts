/** Statistics that single extreme values do not move: median, median absolute deviation, robust score. */

/** Makes the median absolute deviation of a normal sample estimate its standard deviation: 1 / Φ⁻¹(3/4). */
export const NORMAL_MAD = 1.4826;

/** The middle value, the mean of the two middle ones where their number is even; undefined of none. */
export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2
    ? sorted[middle]
    : sorted.length
      ? (sorted[middle - 1]! + sorted[middle]!) / 2
      : undefined;
}

/**
 * (x − median) / (1.4826·MAD), the median and the median absolute deviation being those of `values` (Iglewicz and
 * Hoaglin, How to Detect and Handle Outliers, 1993, who take 3.5 as the bound); undefined where MAD is 0.
 */
export function robustScore(values: readonly number[]): ((x: number) => number) | undefined {
  const centre = median(values);
  if (centre === undefined) return undefined;
  const deviation = NORMAL_MAD * median(values.map((value) => Math.abs(value - centre)))!;
  return deviation > 0 ? (x) => (x - centre) / deviation : undefined;
}
