/** 1 / Φ⁻¹(3/4): scales the MAD of a normal sample to its standard deviation. */
export const NORMAL_MAD = 1.4826;

/** The mean of the two middle values for an even number; undefined for none. */
export function median(values: readonly number[]): number | undefined {
  const sorted = Float64Array.from(values).sort();
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2
    ? sorted[middle]
    : sorted.length
      ? (sorted[middle - 1]! + sorted[middle]!) / 2
      : undefined;
}

/**
 * (x − median) / (1.4826·MAD) over `values`; undefined if MAD is 0. Source: Iglewicz and Hoaglin, How to Detect and
 * Handle Outliers, 1993 (bound 3.5).
 */
export function robustScore(values: readonly number[]): ((x: number) => number) | undefined {
  const centre = median(values);
  if (centre === undefined) return undefined;
  const deviation = NORMAL_MAD * median(values.map((value) => Math.abs(value - centre)))!;
  return deviation > 0 ? (x) => (x - centre) / deviation : undefined;
}
