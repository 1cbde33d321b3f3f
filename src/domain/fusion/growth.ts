/** Growth, and the contribution of each part to it. */

/**
 * Compound annual growth, (last / first)^(1/years) − 1; undefined where the first is not above 0, or no year passes.
 */
export function compoundGrowth(first: number, last: number, years: number): number | undefined {
  return first > 0 && last >= 0 && years > 0 ? (last / first) ** (1 / years) - 1 : undefined;
}

export type Part = { code: string; before: number; after: number };

/** Each part's change over the earlier total; they sum to the total's growth. Undefined where that total is 0. */
export function contributions(parts: readonly Part[]): { code: string; contribution: number }[] | undefined {
  const before = parts.reduce((sum, part) => sum + part.before, 0);
  if (before <= 0) return undefined;
  return parts.map(({ code, before: was, after }) => ({ code, contribution: (after - was) / before }));
}
