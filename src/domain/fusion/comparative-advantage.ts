/** Products of which a country exports relatively more than others. */

/** A country's exports of a product and in total, and those of its comparison group, itself included; EUR. */
export type Exports = { product: number; all: number; group_product: number; group_all: number };

/**
 * Revealed comparative advantage, R = (xᵢⱼ/Xᵢ) / (x_Gⱼ/X_G) (B. Balassa, Trade liberalisation and "revealed"
 * comparative advantage, The Manchester School 33, 1965); undefined where the group exports none of it, or the
 * country nothing.
 */
export function comparativeAdvantage({
  product,
  all,
  group_product,
  group_all,
}: Exports): number | undefined {
  return all > 0 && group_product > 0 ? ((product / all) * group_all) / group_product : undefined;
}

/**
 * (R − 1)/(R + 1), from −1 to 1, with 0 for the same share as the group (K. Laursen, DRUID Working Paper 98-30,
 * 1998).
 */
export const symmetricAdvantage = (advantage: number): number => (advantage - 1) / (advantage + 1);
