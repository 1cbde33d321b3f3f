/** Digits of each level: chapter, heading, subheading, Combined Nomenclature. */
export const productLevels = { hs2: 2, hs4: 4, hs6: 6, cn8: 8 } as const;

/** The next finer level below a code of `digits` digits; 8 for 8. */
export const nextDigits = (digits: number) => Math.min(digits + 2, productLevels.cn8);

/** A residue of confidential or special trade (39XXXXXX) counts in the totals above it, never as a product. */
export const isResidue = (code: string) => /[^0-9]/.test(code);

/** A residue of suppressed codes, such as 39XXXXXX; other letters mark special trade. */
export const isConfidential = (code: string) => code.includes("X");

/** The first code that contains another of the list, as 39 contains 39206290. */
export function firstNested(codes: readonly string[]): { outer: string; inner: string } | undefined {
  const sorted = [...codes].sort();
  const at = sorted.findIndex((code, place) => place > 0 && code.startsWith(sorted[place - 1]!));
  return at === -1 ? undefined : { outer: sorted[at - 1]!, inner: sorted[at]! };
}
