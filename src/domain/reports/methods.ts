/** The methods that reports name: the formula and the source of each figure that is not a plain sum. */

const all = {
  growth: {
    formula: "(last / first)^(1 / years) − 1",
    parameters: "complete years alone",
    source: "compound annual growth",
  },
  contribution: {
    formula: "change of the part / total before",
    parameters: "between two complete years",
    source: "arithmetic",
  },
  price_and_quantity: {
    formula: "ΔV = Σ q̄·Δp + Σ p̄·Δq",
    parameters: "over partners with masses in both years; the rest apart",
    source: "Bennet 1920",
  },
  concentration: {
    formula: "Σ (100 · share)²",
    parameters: "over listed partners; classes of the 2023 Merger Guidelines",
    source: "Herfindahl and Hirschman",
  },
  advantage: {
    formula: "R = (xᵢⱼ / Xᵢ) / (x_EUⱼ / X_EU)",
    parameters: "of exports, among the 27",
    source: "Balassa 1965, Laursen 1998",
  },
  dependency: {
    formula: "Σ share² > 0.4 and extra-EU share > 0.5 and imports > exports",
    parameters: "in 2 of the last 3 complete years; sources outside the EU",
    source: "European Commission, SWD(2021) 352",
  },
  substitution: {
    formula: "share · growth of sources that grew while the largest fell",
    parameters: "the largest had at least half of the imports",
    source: "a rule of this service",
  },
  gravity: {
    formula: "E[x] = exp(β ln distance + γ border + reporter and partner effects)",
    parameters: "Poisson pseudo-maximum likelihood, a year and product, at least 200 pairs",
    source: "Santos Silva and Tenreyro 2006",
  },
  alert: {
    formula: "z = (x − mean) / sd over the 12 months before",
    parameters: "two-sided p, false discovery rate 0.05; confirmed against the same months of earlier years",
    source: "Benjamini and Hochberg 1995",
  },
  season: {
    formula: "month's value / centred 2 × 12 moving average, averaged by month",
    parameters: "at least 24 complete months",
    source: "classical decomposition",
  },
  real_value: {
    formula: "100 · nominal / HICP of the month",
    parameters: "deflated by consumer prices, because prices of each product are missing",
    source: "Eurostat, harmonised index of consumer prices",
  },
  lead_lag: {
    formula: "correlation of deseasonalised log changes at −12 … 12 months",
    parameters: "p by a circular block bootstrap, false discovery rate 0.10 over all pairs and lags",
    source: "Politis and Romano 1992, Benjamini and Hochberg 1995",
  },
  loss: {
    formula: "imports from the source / all imports of the product",
    parameters: "what would be missing if nothing replaced it",
    source: "arithmetic",
  },
} as const satisfies Record<string, { formula: string; parameters: string; source: string }>;

export type MethodName = keyof typeof all;
export const methodNames = Object.keys(all) as [MethodName, ...MethodName[]];

/** A method in the form that an auditor checks a figure with. */
export type Method = { name: MethodName; formula: string; parameters: string; source: string };

export const methodOf = (name: MethodName): Method => ({ name, ...all[name] });
