/**
 * Split conformal intervals (Vovk, Gammerman and Shafer, "Algorithmic Learning in a Random World", 2005; Lei et al.,
 * JASA 113, 2018): as wide as earlier forecast errors. The errors of all products are pooled, each in steps of its own
 * series (its mean monthly change), because one product has too few.
 */

/** The error in steps that 80 or 95 of 100 months stay within; null = too few errors are known. */
export type Reach = Record<80 | 95, number | null>;

/** An absolute error of an earlier forecast, in steps; `age`: months since its month ended, 0 = the newest. */
export type PastError = { ahead: number; age: number; steps: number };

/**
 * The reach of a forecast `ahead` months ahead, made `age` months ago, from the errors known then. `ages`: the longest
 * age; `most`: the farthest month ahead.
 */
export function reaches(
  errors: readonly PastError[],
  { most, ages }: { most: number; ages: number },
): (ahead: number, age: number) => Reach {
  const reachByMonth = Array.from({ length: most }, (_, at) => {
    const byAge = Array.from({ length: ages + 1 }, (): number[] => []);
    for (const { ahead, age, steps } of errors) if (ahead === at + 1) byAge[age]!.push(steps);
    let pool: Float64Array = new Float64Array();
    const reachByAge: Reach[] = [];
    for (let age = ages; age >= 0; age -= 1) {
      pool = merged(pool, Float64Array.from(byAge[age]!).sort());
      reachByAge[age] = { 80: quantile(pool, 0.8), 95: quantile(pool, 0.95) };
    }
    return reachByAge;
  });
  return (ahead, age) => reachByMonth[ahead - 1]![age]!;
}

/** The ⌈(n + 1)·level⌉-th smallest; null if n is too small (95 % below 19). */
function quantile(sorted: Float64Array, level: number): number | null {
  // In floating point 20 × 0.95 is slightly above 19.
  const rank = Math.ceil((sorted.length + 1) * level - 1e-9);
  return sorted[rank - 1] ?? null;
}

function merged(left: Float64Array, right: Float64Array): Float64Array {
  const all = new Float64Array(left.length + right.length);
  for (let at = 0, l = 0, r = 0; at < all.length; at += 1)
    all[at] = r >= right.length || left[l]! <= right[r]! ? left[l++]! : right[r++]!;
  return all;
}
