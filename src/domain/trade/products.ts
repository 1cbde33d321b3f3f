/** The levels of the product nomenclature by number of digits: chapter, heading, subheading, Combined Nomenclature. */
export const productLevels = { hs2: 2, hs4: 4, hs6: 6, cn8: 8 } as const;
export type ProductLevel = keyof typeof productLevels;

/** The next finer level below a code of `digits` digits; 8 has none below it. */
export const nextDigits = (digits: number) => Math.min(digits + 2, productLevels.cn8);

/** Whether the code is a residue for confidential or special trade (39XXXXXX): it counts in the totals above it, never as a product. */
export const isResidue = (code: string) => /[^0-9]/.test(code);

/**
 * The codes of `codes` whose sum is everything below `hs` that is known, each amount once: a code is left out
 * when a coarser one already contains it. Without `hs`, everything.
 */
export function disjointCover(codes: Iterable<string>, hs = ""): string[] {
  const below = [...codes].filter((code) => code.startsWith(hs)).sort();
  const cover: string[] = [];
  for (const code of below) {
    const last = cover.at(-1);
    if (last === undefined || !code.startsWith(last)) cover.push(code);
  }
  return cover;
}
