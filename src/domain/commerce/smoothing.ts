/**
 * What a forecast of demand is smoothed by: the size of demand and how often there is any, each by itself, and the seasons of
 * a year. Quantities are in base units a month; a series goes month by month and ends with the newest.
 */

/** The smoothing constants that are tried, of size and of probability; those of the least squared error are taken. */
const ALPHAS = [0.05, 0.1, 0.2, 0.3] as const;
const BETAS = [0.05, 0.1, 0.2] as const;

export const YEAR = 12;

export const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean of a month's change, without its sign: by it errors of products of any size are compared (MASE). */
export function meanStep(series: readonly number[]): number {
  let sum = 0;
  for (let at = 1; at < series.length; at += 1) sum += Math.abs(series[at]! - series[at - 1]!);
  return series.length < 2 ? 0 : sum / (series.length - 1);
}

/**
 * The method of Teunter, Syntetos and Babai ("Intermittent demand: linking forecasting to inventory obsolescence", EJOR 214,
 * 2011): the size z of a month that has demand, and the probability p that it has any, are smoothed apart,
 *
 *   demand:     z ← z + α(y − z),  p ← p + β(1 − p)
 *   no demand:  z stays,           p ← p − βp
 *
 * and every month ahead is forecast p·z, which falls when demand stops. The first year, of a shorter series its first half, gives z
 * and p their beginning; α and β are those whose forecasts of the next month had the least squared error after it.
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

/** Months on each side that a centred mean of a year reaches. */
const HALF_YEAR = YEAR / 2;

/** Months without which no season is known: a centred mean of a year, and no more. */
export const FIRST_SEASON = YEAR + 1;

/**
 * Factors of the seasons, by the place of a month in the series modulo 12: the mean ratio of a month to the centred 2×12 mean around
 * it (classical decomposition; Hyndman and Athanasopoulos, "Forecasting: Principles and Practice", 3.4), shrunk towards 1 by
 * n/(n + 1) for n ratios, and brought to a mean of 1. A month of the year that no ratio is known of has 1.
 */
export function seasonalFactors(series: readonly number[]): number[] {
  const ratios = Array.from({ length: YEAR }, (): number[] => []);
  for (let at = HALF_YEAR; at + HALF_YEAR < series.length; at += 1) {
    const ends = (series[at - HALF_YEAR]! + series[at + HALF_YEAR]!) / 2;
    const centred = (ends + sumOf(series.slice(at - HALF_YEAR + 1, at + HALF_YEAR))) / YEAR;
    if (centred > 0) ratios[at % YEAR]!.push(series[at]! / centred);
  }
  const shrunk = ratios.map((known) => 1 + ((meanOf(known) - 1) * known.length) / (known.length + 1));
  const mean = meanOf(shrunk);
  return shrunk.map((factor) => factor / mean);
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** Below this a month is not divided by its factor: where nothing is ever sold, something once would become anything. */
const LEAST_FACTOR = 0.05;

/** TSB over months divided by the factors of their seasons; what it forecasts for 1, 2 … months ahead. */
export function seasonalTsb(series: readonly number[]): (ahead: number) => number {
  const factors = seasonalFactors(series).map((factor) => Math.max(factor, LEAST_FACTOR));
  const level = tsb(series.map((quantity, at) => quantity / factors[at % YEAR]!));
  return (ahead) => level * factors[(series.length + ahead - 1) % YEAR]!;
}
