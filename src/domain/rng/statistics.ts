/** A test of the rolls for uniformity: Pearson's chi-square over ten cells of the possible first numbers. */

export const CELLS = 10;

/** The cell, of ten, of a number below `of`. */
export const cellOf = (value: number, of: number) => Math.floor((value * CELLS) / of);

/** The share of the numbers below `of` that fall into a cell. */
export function shareOf(cell: number, of: number): number {
  const first = (at: number) => Math.ceil((at * of) / CELLS);
  return (first(cell + 1) - first(cell)) / of;
}

export type Cell = { observed: number; expected: number };

/**
 * X² = Σ (observed − expected)² / expected over the cells that can be hit, with their number − 1 as degrees of
 * freedom. Also the probability of an X² at least as large under uniformity; null with fewer than two cells, or an
 * expectation below 5.
 */
export function chiSquare(cells: readonly Cell[]): { statistic: number; df: number; p: number } | null {
  const hit = cells.filter(({ expected }) => expected > 0);
  if (hit.length < 2 || hit.some(({ expected }) => expected < 5)) return null;
  const statistic = hit.reduce(
    (sum, { observed, expected }) => sum + (observed - expected) ** 2 / expected,
    0,
  );
  const df = hit.length - 1;
  return { statistic, df, p: upperGamma(df / 2, statistic / 2) };
}

/** Q(a, x) for a = 1/2, 1, 3/2 …: the power series of P (NIST DLMF 8.7.1) below a + 1, the continued fraction (8.9.2) above. */
function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  const scale = Math.exp(a * Math.log(x) - x - logGamma(a));
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = 1; term > sum * 1e-17; n++) {
      term *= x / (a + n);
      sum += term;
    }
    return 1 - scale * sum;
  }
  // Evaluated from its tail: 200 levels exceed the precision of doubles for x > a + 1 > 1.5.
  let tail = 0;
  for (let n = 200; n >= 1; n--) tail = (n * (n - a)) / (x + 2 * n + 1 - a - tail);
  return scale / (x + 1 - a - tail);
}

/** ln Γ(a) for a = 1/2, 1, 3/2 …, by Γ(a + 1) = a·Γ(a). */
function logGamma(a: number): number {
  let at = a % 1 === 0 ? 1 : 0.5;
  let log = at === 1 ? 0 : Math.log(Math.PI) / 2;
  for (; at < a; at++) log += Math.log(at);
  return log;
}
