/**
 * Expected trade between two countries by size and distance: the gravity equation, E[x] = exp(β·ln dist + γ·contig +
 * reporter effect + partner effect), by Poisson pseudo-maximum likelihood (J. Santos Silva and S. Tenreyro, The log
 * of gravity, Review of Economics and Statistics 88, 2006), for one year and product. Zero trade counts; heavy tails
 * do no harm.
 */
import { CholeskyDecomposition, Matrix } from "ml-matrix";

/** A pair of countries: its trade in EUR, 0 or more, and the distance of their capitals in km. */
export type Pair = {
  reporter: string;
  partner: string;
  value: number;
  distance_km: number;
  contiguous: boolean;
};

export const LEAST_CELLS = 200;
const MOST_STEPS = 100;
/** The iteration ends when the deviance changes by less than this share of itself. */
const TOLERANCE = 1e-10;

export type Gravity = {
  /** Elasticity of trade with distance, and its robust standard error. */
  distance: { estimate: number; standard_error: number };
  /** The same for a common land border; null where no pair, or each, has one. */
  contiguity: { estimate: number; standard_error: number } | null;
  cells: number;
  /** Expected trade of each pair, in the order of the pairs given; null where it cannot be estimated. */
  expected: (number | null)[];
};

/**
 * The estimate; undefined for fewer than 200 cells, or where distance is collinear with the effects of countries.
 * Countries without any trade have no effect of their own, and their pairs are left out.
 */
export function gravity(given: readonly Pair[]): Gravity | undefined {
  const kept = withoutIdle(given);
  if (kept.length < LEAST_CELLS) return undefined;
  const reporters = [...new Set(kept.map(({ reporter }) => reporter))].sort();
  const partners = [...new Set(kept.map(({ partner }) => partner))].sort();
  const bordering = kept.filter(({ contiguous }) => contiguous).length;
  const hasBorders = bordering > 0 && bordering < kept.length;
  // Variables: distance, contiguity, an effect of each reporter, and of each partner but the first.
  const shift = hasBorders ? 2 : 1;
  const width = shift + reporters.length + partners.length - 1;
  const scale = kept.reduce((sum, { value }) => sum + value, 0) / kept.length;
  const rows = kept.map((pair): Row => {
    const partner = partners.indexOf(pair.partner);
    return {
      y: pair.value / scale,
      entries: [
        [0, Math.log(pair.distance_km)],
        ...(hasBorders && pair.contiguous ? [[1, 1] as const] : []),
        [shift + reporters.indexOf(pair.reporter), 1],
        ...(partner > 0 ? [[shift + reporters.length + partner - 1, 1] as const] : []),
      ],
    };
  });
  const fitted = estimated(rows, width);
  if (!fitted) return undefined;
  const { mu, coefficients, variance } = fitted;
  const estimateAt = (at: number) => ({
    estimate: coefficients[at]!,
    standard_error: Math.sqrt(Math.max(variance.get(at, at), 0)),
  });
  const place = new Map(kept.map((pair, at) => [pair, at]));
  return {
    distance: estimateAt(0),
    contiguity: hasBorders ? estimateAt(1) : null,
    cells: kept.length,
    expected: given.map((pair) => (place.has(pair) ? mu[place.get(pair)!]! * scale : null)),
  };
}

type Row = { y: number; entries: (readonly [column: number, value: number])[] };

/** Pairs of countries that trade at all; removing one may leave another without trade. */
function withoutIdle(pairs: readonly Pair[]): readonly Pair[] {
  const active = (side: "reporter" | "partner") =>
    new Set(pairs.filter(({ value }) => value > 0).map((pair) => pair[side]));
  const [reporters, partners] = [active("reporter"), active("partner")];
  const kept = pairs.filter(({ reporter, partner }) => reporters.has(reporter) && partners.has(partner));
  return kept.length === pairs.length ? pairs : withoutIdle(kept);
}

/**
 * Iteratively reweighted least squares. The variance is the sandwich estimator, valid where y is not Poisson, by
 * residuals over 1 − leverage (HC3 of J. MacKinnon and H. White, Journal of Econometrics 29, 1985): with an effect of
 * each country the plain one is far too small.
 */
function estimated(rows: readonly Row[], width: number) {
  let mu = rows.map(({ y }) => (y + 1) / 2);
  let deviance = Number.POSITIVE_INFINITY;
  for (let step = 0; step < MOST_STEPS; step++) {
    const working = rows.map(({ y }, at) => Math.log(mu[at]!) + (y - mu[at]!) / mu[at]!);
    const bread = new CholeskyDecomposition(crossed(rows, mu, width));
    if (!bread.isPositiveDefinite()) return undefined;
    const right = Matrix.zeros(width, 1);
    for (const [at, { entries }] of rows.entries())
      for (const [column, value] of entries)
        right.set(column, 0, right.get(column, 0) + mu[at]! * value * working[at]!);
    const coefficients = bread.solve(right).getColumn(0);
    const linear = rows.map(({ entries }) =>
      entries.reduce((sum, [column, value]) => sum + value * coefficients[column]!, 0),
    );
    mu = linear.map((one) => Math.exp(Math.min(Math.max(one, -30), 30)));
    const now = devianceOf(rows, mu);
    if (Math.abs(deviance - now) <= TOLERANCE * (now + TOLERANCE)) {
      const inverse = new CholeskyDecomposition(crossed(rows, mu, width)).solve(Matrix.eye(width, width));
      const residuals = rows.map((row, at) => (row.y - mu[at]!) / (1 - leverage(row, mu[at]!, inverse)));
      const squares = residuals.map((one) => one ** 2);
      const meat = crossed(rows, squares, width);
      return { mu, coefficients, variance: inverse.mmul(meat).mmul(inverse) };
    }
    deviance = now;
  }
  return undefined;
}

/** The leverage of a row on its own fitted value: μ·x′(X′MX)⁻¹x, below 1 where an effect has more rows than one. */
function leverage({ entries }: Row, mu: number, inverse: Matrix): number {
  let sum = 0;
  for (const [i, a] of entries) for (const [j, b] of entries) sum += a * b * inverse.get(i, j);
  return Math.min(mu * sum, 1 - 1e-9);
}

/** X′WX. */
function crossed(rows: readonly Row[], weights: readonly number[], width: number): Matrix {
  const sum = Matrix.zeros(width, width);
  for (const [at, { entries }] of rows.entries())
    for (const [i, a] of entries)
      for (const [j, b] of entries) sum.set(i, j, sum.get(i, j) + weights[at]! * a * b);
  return sum;
}

const devianceOf = (rows: readonly Row[], mu: readonly number[]) =>
  2 * rows.reduce((sum, { y }, at) => sum + (y > 0 ? y * Math.log(y / mu[at]!) : 0) - (y - mu[at]!), 0);
