/** The outcomes of a bet, counted exactly: each with its number of equally likely ways, and its multiplier. */

/** Multipliers are whole ten-thousandths: 10,000 gives the stake back. */
export const MULTIPLIER_UNIT = 10_000n;

/** `ways` of `of` equally likely ones pay the stake times `multiplier` ten-thousandths. */
export type Outcome = { about: string; ways: bigint; of: bigint; multiplier: bigint };

/** The number of subsets of k among n. */
export function choose(n: number, k: number): bigint {
  if (k < 0 || k > n) return 0n;
  let sets = 1n;
  for (let i = 1; i <= k; i++) sets = (sets * BigInt(n - k + i)) / BigInt(i);
  return sets;
}

export type Fraction = { over: bigint; under: bigint };

/** The house's average share of every stake: 1 − Σ ways · multiplier / (of · 10,000), in lowest terms. */
export function edgeOf(outcomes: readonly Outcome[]): Fraction {
  const [{ of }] = outcomes as [Outcome];
  const under = of * MULTIPLIER_UNIT;
  const paid = outcomes.reduce((sum, { ways, multiplier }) => sum + ways * multiplier, 0n);
  return reduced({ over: under - paid, under });
}

export const chanceOf = ({ ways, of }: Outcome): Fraction => reduced({ over: ways, under: of });

function reduced({ over, under }: Fraction): Fraction {
  const divisor = greatestCommonDivisor(over < 0n ? -over : over, under);
  return { over: over / divisor, under: under / divisor };
}

const greatestCommonDivisor = (a: bigint, b: bigint): bigint =>
  b === 0n ? a : greatestCommonDivisor(b, a % b);

/** `1/13`. */
export const fractionText = ({ over, under }: Fraction) => `${over}/${under}`;

/** As a number, exact to twelve decimals. */
export const fractionNumber = ({ over, under }: Fraction) => Number((over * 10n ** 15n) / under) / 1e15;
