/**
 * P(|T| ≥ |t|) for Student's t with `df` degrees of freedom (an integer from 1 to 60): I_x(df/2, 1/2) with x = df / (df
 * + t²), the regularised incomplete beta function (NIST DLMF 8.17; Abramowitz and Stegun 26.7.1).
 */
export function twoSidedP(t: number, df: number): number {
  if (!Number.isFinite(t)) return Number.isNaN(t) ? Number.NaN : 0;
  const x = df / (df + t * t);
  // The series converges fast up to a half; beyond it the symmetry 8.17.4 turns it round.
  return x <= 0.5 ? betaRatio(x, df / 2, 0.5, df) : 1 - betaRatio((t * t) / (df + t * t), 0.5, df / 2, df);
}

/** I_x(a, b) by the power series 8.17.7, where {a, b} = {df/2, 1/2}. */
function betaRatio(x: number, a: number, b: number, df: number): number {
  let term = 1;
  let sum = 1 / a;
  for (let n = 1; Math.abs(term) > 1e-17 * sum * a; n++) {
    term *= (x * (n - b)) / n;
    sum += term / (a + n);
  }
  return (x ** a * sum) / betaOfHalves(df);
}

/** B(df/2, 1/2), from B(1/2, 1/2) = π and B(1, 1/2) = 2 by B(a+1, b) = B(a, b)·a/(a+b). */
function betaOfHalves(df: number): number {
  let beta = df % 2 ? Math.PI : 2;
  for (let a = df % 2 ? 0.5 : 1; a < df / 2; a++) beta *= a / (a + 0.5);
  return beta;
}
