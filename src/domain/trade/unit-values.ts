import { robustScore } from "./robust.ts";

/** A unit value with a greater robust score of its logarithm is an outlier. */
export const OUTLIER_SCORE = 3.5;

/** EUR per tonne: 1000·Σvalue / Σkg; undefined without mass. */
export const pricePerTonne = (value_eur: number, quantity_kg: number): number | undefined =>
  quantity_kg > 0 ? (1000 * value_eur) / quantity_kg : undefined;

/** |ln p − median(ln p)| / (1.4826·MAD(ln p)) > 3.5 for each price; none if MAD is 0. */
export function outliers(prices: readonly number[]): boolean[] {
  const logarithms = prices.map(Math.log);
  const score = robustScore(logarithms);
  return logarithms.map((value) => score !== undefined && Math.abs(score(value)) > OUTLIER_SCORE);
}
