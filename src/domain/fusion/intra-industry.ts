/** One product's trade in both directions, in EUR. */
export type TwoWay = { imports: number; exports: number };

/**
 * The share of trade in the same goods both ways: 1 − Σ|x − m| / Σ(x + m), from 0 (each product one way) to 1 (H.
 * Grubel and P. Lloyd, Intra-industry Trade, 1975). Finer products give a lower share. Undefined without trade.
 */
export function intraIndustry(products: readonly TwoWay[]): number | undefined {
  const total = products.reduce((sum, { imports, exports }) => sum + imports + exports, 0);
  const oneWay = products.reduce((sum, { imports, exports }) => sum + Math.abs(exports - imports), 0);
  return total > 0 ? 1 - oneWay / total : undefined;
}
