/**
 * Split conformal intervals (Vovk, Gammerman and Shafer, "Algorithmic Learning in a Random World", 2005; Lei et al., JASA 113, 2018):
 * as wide as the errors of earlier forecasts were. Those of all products are taken together, each in steps of its own series
 * (its mean change of a month), since one product alone has too few.
 */

/** How far a forecast may be off, in steps, so that 80 or 95 of a hundred months lie within; null where too few errors are known to say it. */
export type Reach = Record<80 | 95, number | null>;

/** An error of an earlier forecast, without its sign, in steps; `age`: how many months ago its month ended, 0 the newest. */
export type PastError = { ahead: number; age: number; steps: number };

/**
 * How far a forecast so many months ahead, made so many months ago, was said to reach: by the errors that were known then, and no
 * others. `ages`: how far back; `most`: the farthest month ahead.
 */
export function reaches(
  errors: readonly PastError[],
  { most, ages }: { most: number; ages: number },
): (ahead: number, age: number) => Reach {
  const known = Array.from({ length: most }, (_, at) => {
    const byAge = Array.from({ length: ages + 1 }, (): number[] => []);
    for (const { ahead, age, steps } of errors) if (ahead === at + 1) byAge[age]!.push(steps);
    let pool: Float64Array = new Float64Array();
    const told: Reach[] = [];
    for (let age = ages; age >= 0; age -= 1) {
      pool = merged(pool, Float64Array.from(byAge[age]!).sort());
      told[age] = { 80: quantile(pool, 0.8), 95: quantile(pool, 0.95) };
    }
    return told;
  });
  return (ahead, age) => known[ahead - 1]![age]!;
}

/** The ⌈(n + 1)·level⌉-th smallest; null where that is none of them: of 95 % below 19. */
function quantile(sorted: Float64Array, level: number): number | null {
  // 20 × 0.95 is 19 and a little more in floating point.
  const rank = Math.ceil((sorted.length + 1) * level - 1e-9);
  return sorted[rank - 1] ?? null;
}

function merged(left: Float64Array, right: Float64Array): Float64Array {
  const all = new Float64Array(left.length + right.length);
  for (let at = 0, l = 0, r = 0; at < all.length; at += 1)
    all[at] = r >= right.length || left[l]! <= right[r]! ? left[l++]! : right[r++]!;
  return all;
}
