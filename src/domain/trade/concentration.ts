/**
 * Thresholds of the Herfindahl–Hirschman index between the classes, on its scale to 10,000. 2023: the merger guidelines
 * of the US Department of Justice and FTC of 2023, 1000 and 1800. 2010: those of 2010, 1500 and 2500.
 */
export const guidelines = {
  "2023": { moderate: 1000, high: 1800 },
  "2010": { moderate: 1500, high: 2500 },
} as const;
export type Guideline = keyof typeof guidelines;

export const classes = ["unconcentrated", "moderately_concentrated", "highly_concentrated"] as const;
export type Class = (typeof classes)[number];

export type Concentration = {
  /** Σ(100·share)², from 10,000/n for n equal parts to 10,000 for a single one. */
  hhi: number;
  /** Sum of the three largest shares, 0 to 1. */
  cr3: number;
  cr5: number;
  /** The number of equal parts that would give the same index: 10,000 / HHI. */
  effective_number: number;
};

/** The index and ratios of amounts ≥ 0 in any unit; undefined if they sum to 0. */
export function concentrationOf(amounts: readonly number[]): Concentration | undefined {
  const sum = amounts.reduce((total, amount) => total + amount, 0);
  if (sum <= 0) return undefined;
  const shares = amounts.map((amount) => amount / sum).sort((a, b) => b - a);
  const largest = (count: number) => shares.slice(0, count).reduce((total, share) => total + share, 0);
  const hhi = shares.reduce((total, share) => total + (100 * share) ** 2, 0);
  return { hhi, cr3: largest(3), cr5: largest(5), effective_number: 10_000 / hhi };
}

/** A value on a threshold is in the class below: both guidelines say "greater than". */
export function classify(hhi: number, guideline: Guideline): Class {
  const { moderate, high } = guidelines[guideline];
  if (hhi > high) return "highly_concentrated";
  return hhi > moderate ? "moderately_concentrated" : "unconcentrated";
}
