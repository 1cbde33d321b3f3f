/**
 * Smoothing of demand: its size and its frequency separately, and the seasons of a year. Quantities are base units per
 * month; a series has no gaps and ends with the newest month.
 */

/** Candidate smoothing constants of size and probability; the least squared error decides. */
const ALPHAS = [0.05, 0.1, 0.2, 0.3] as const;
const BETAS = [0.05, 0.1, 0.2] as const;

export const YEAR = 12;

export const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Mean absolute monthly change, the unit of errors across products (MASE). */
export function meanStep(series: readonly number[]): number {
  let sum = 0;
  for (let at = 1; at < series.length; at += 1) sum += Math.abs(series[at]! - series[at - 1]!);
  return series.length < 2 ? 0 : sum / (series.length - 1);
}

/**
 * The method of Teunter, Syntetos and Babai ("Intermittent demand: linking forecasting to inventory obsolescence", EJOR
 * 214, 2011) smooths two values: the size z of a month with demand, and the probability p of demand.
 *
 * demand:     z ← z + α(y − z),  p ← p + β(1 − p)
 * no demand:  z stays,           p ← p − βp
 *
 * Every month ahead is forecast as p·z, which falls when demand stops. The first year, or the first half of a shorter
 * series, gives the initial z and p; α and β minimise the squared error of the one-month forecasts after it.
 */
export function tsb(series: readonly number[]): number {
  const begun = Math.min(YEAR, Math.ceil(series.length / 2));
  const sold = series.slice(0, begun).filter((quantity) => quantity > 0);
  const first = {
    size: meanOf(sold.length > 0 ? sold : series.filter((quantity) => quantity > 0)),
    probability: begun === 0 ? 0 : sold.length / begun,
  };
  let best = { error: Number.POSITIVE_INFINITY, forecast: 0 };
  for (const alpha of ALPHAS)
    for (const beta of BETAS) {
      let { size, probability } = first;
      let error = 0;
      for (let at = begun; at < series.length; at += 1) {
        const quantity = series[at]!;
        error += (quantity - probability * size) ** 2;
        if (quantity > 0) {
          size += alpha * (quantity - size);
          probability += beta * (1 - probability);
        } else probability -= beta * probability;
      }
      if (error < best.error) best = { error, forecast: probability * size };
    }
  return best.forecast;
}

/** A centred yearly mean includes this many months on each side. */
const HALF_YEAR = YEAR / 2;

/** Seasons need this many months: one centred yearly mean. */
export const FIRST_SEASON = YEAR + 1;

/**
 * Seasonal factors by month index modulo 12: the mean ratio of a month to its centred 2×12 mean (classical
 * decomposition; Hyndman and Athanasopoulos, "Forecasting: Principles and Practice", 3.4), shrunk towards 1 by n/(n +
 * 1) for n ratios, scaled to mean 1. A month without a ratio has 1.
 */
export function seasonalFactors(series: readonly number[]): number[] {
  const ratios = Array.from({ length: YEAR }, (): number[] => []);
  for (let at = HALF_YEAR; at + HALF_YEAR < series.length; at += 1) {
    const ends = (series[at - HALF_YEAR]! + series[at + HALF_YEAR]!) / 2;
    const centred = (ends + sumOf(series.slice(at - HALF_YEAR + 1, at + HALF_YEAR))) / YEAR;
    if (centred > 0) ratios[at % YEAR]!.push(series[at]! / centred);
  }
  const shrunk = ratios.map((ofMonth) => 1 + ((meanOf(ofMonth) - 1) * ofMonth.length) / (ofMonth.length + 1));
  const mean = meanOf(shrunk);
  return shrunk.map((factor) => factor / mean);
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** Smaller factors do not divide: one sale in a dead month would grow without limit. */
const LEAST_FACTOR = 0.05;

/** TSB over deseasonalised months; returns the forecast by months ahead. */
export function seasonalTsb(series: readonly number[]): (ahead: number) => number {
  const factors = seasonalFactors(series).map((factor) => Math.max(factor, LEAST_FACTOR));
  const level = tsb(series.map((quantity, at) => quantity / factors[at % YEAR]!));
  return (ahead) => level * factors[(series.length + ahead - 1) % YEAR]!;
}
