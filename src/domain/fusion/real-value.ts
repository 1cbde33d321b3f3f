/**
 * A value at the prices of the index's base, 100 · nominal / index: with Eurostat's HICP (2015 = 100), "deflated by consumer
 * prices", since there is no index of the prices of trade in every product. Undefined where the index is not above 0.
 */
export const realValue = (nominal: number, index: number): number | undefined =>
  index > 0 ? (100 * nominal) / index : undefined;
