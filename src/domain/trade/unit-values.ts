/** What trade costs by mass: EUR per tonne, and which months stand out. */
import { robustScore } from "./robust.ts";

/** Above this robust score of its logarithm a unit value is an outlier. */
export const OUTLIER_SCORE = 3.5;

/** EUR per tonne of amounts with a known mass: 1000·Σvalue / Σkg; undefined without mass. */
export const pricePerTonne = (value_eur: number, quantity_kg: number): number | undefined =>
  quantity_kg > 0 ? (1000 * value_eur) / quantity_kg : undefined;

/** For each price whether |ln p − median(ln p)| / (1.4826·MAD(ln p)) > 3.5; none is where all but few are equal (MAD 0). */
export function outliers(prices: readonly number[]): boolean[] {
  const logarithms = prices.map(Math.log);
  const score = robustScore(logarithms);
  return logarithms.map((value) => score !== undefined && Math.abs(score(value)) > OUTLIER_SCORE);
}
