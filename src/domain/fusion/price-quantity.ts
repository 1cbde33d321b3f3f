/** The split of a change in value into prices and quantities. */

/** One cell, such as a partner, in two years: value in EUR and mass in kg; an unstated mass is null. */
export type Cell = {
  before: { value_eur: number; quantity_kg: number | null };
  after: { value_eur: number; quantity_kg: number | null };
};

export type PriceAndQuantity = {
  /** Σ q̄·Δp in EUR, over cells with a mass in both years. */
  price_eur: number;
  /** Σ p̄·Δq in EUR, over the same cells. */
  quantity_eur: number;
  /** The change of all other cells, which no price explains: new, gone, or without a mass. */
  unsplit_eur: number;
  /** The number of cells split. */
  cells: number;
};

/**
 * Bennet's indicator: ΔV = Σ q̄Δp + Σ p̄Δq with means of both years, which leaves no remainder (T. L. Bennet, The
 * theory of measurement of changes in cost of living, Journal of the Royal Statistical Society 83, 1920).
 */
export function priceAndQuantity(cells: readonly Cell[]): PriceAndQuantity {
  const split = { price_eur: 0, quantity_eur: 0, unsplit_eur: 0, cells: 0 };
  for (const { before, after } of cells) {
    const [q0, q1] = [before.quantity_kg ?? 0, after.quantity_kg ?? 0];
    if (q0 <= 0 || q1 <= 0) {
      split.unsplit_eur += after.value_eur - before.value_eur;
      continue;
    }
    const [p0, p1] = [before.value_eur / q0, after.value_eur / q1];
    split.price_eur += ((q0 + q1) / 2) * (p1 - p0);
    split.quantity_eur += ((p0 + p1) / 2) * (q1 - q0);
    split.cells++;
  }
  return split;
}
