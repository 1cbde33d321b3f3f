/** The statistical methods of fusion: the computation, the author, and the least data of each. */
import { LEAST_CELLS } from "./gravity.ts";
import { LEAST_MONTHS } from "./lead-lag.ts";

/** The extent of the open data. */
export type DataExtent = {
  months: number;
  national: boolean;
  reporters: number;
  tables: ReadonlySet<string>;
};

export const capabilityNames = [
  "growth",
  "contribution",
  "real_value",
  "price_and_quantity",
  "advantage",
  "intra_industry",
  "dependency",
  "substitution",
  "gravity",
  "lead_lag",
  "season",
  "rerouting",
  "alert",
] as const;

type Capability = {
  method: (typeof capabilityNames)[number];
  formula: string;
  source: string;
  least_data: string;
  asked_by: string[];
  needs(held: DataExtent): string[];
};

const MARKET = "fusion_market_intel";

const months =
  (least: number) =>
  ({ months }: DataExtent) =>
    months >= least ? [] : [`${least} months; there are ${months}`];
const table =
  (name: string) =>
  ({ tables }: DataExtent) =>
    tables.has(name) ? [] : [`the table ${name}`];
const national = ({ national }: DataExtent) => (national ? [] : ["a dataset of all products"]);
const all =
  (...needs: ((held: DataExtent) => string[])[]) =>
  (held: DataExtent) =>
    needs.flatMap((need) => need(held));

export const methods: readonly Capability[] = [
  {
    method: "growth",
    formula: "(last / first)^(1 / years) − 1",
    source: "compound annual growth",
    least_data: "two complete years",
    asked_by: [MARKET, "fusion_country_stats"],
    needs: months(24),
  },
  {
    method: "contribution",
    formula: "Δᵢ / total before",
    source: "arithmetic",
    least_data: "two complete years",
    asked_by: [MARKET],
    needs: months(24),
  },
  {
    method: "real_value",
    formula: "100 · nominal / HICP of the year",
    source: "Eurostat's harmonised index of consumer prices",
    least_data: "a month of the index in each complete year",
    asked_by: [MARKET],
    needs: table("hicp"),
  },
  {
    method: "price_and_quantity",
    formula: "ΔV = Σ q̄Δp + Σ p̄Δq",
    source: "Bennet 1920",
    least_data: "a partner with masses in two complete years",
    asked_by: [MARKET],
    needs: months(24),
  },
  {
    method: "advantage",
    formula: "R = (xᵢⱼ/Xᵢ)/(x_EUⱼ/X_EU), shown as (R−1)/(R+1) too",
    source: "Balassa 1965, Laursen 1998",
    least_data: "a year of all products that each of the 27 delivered in full",
    asked_by: [MARKET, "fusion_country"],
    needs: all(national, ({ reporters }) =>
      reporters === 27 ? [] : [`27 reporters; there are ${reporters}`],
    ),
  },
  {
    method: "intra_industry",
    formula: "1 − Σ|x − m| / Σ(x + m)",
    source: "Grubel and Lloyd 1975",
    least_data: "a year with trade",
    asked_by: ["fusion_product"],
    needs: months(1),
  },
  {
    method: "dependency",
    formula: "Σ share² > 0.4, extra-EU > half of imports, imports > exports, in 2 of 3 years",
    source: "European Commission, SWD(2021) 352",
    least_data: "two complete years of imports",
    asked_by: [MARKET, "fusion_country"],
    needs: months(24),
  },
  {
    method: "substitution",
    formula: "share · growth of sources that grew while the largest fell",
    source: "a rule of this service",
    least_data: "two complete years, a source of half of the imports that fell",
    asked_by: [MARKET],
    needs: months(24),
  },
  {
    method: "gravity",
    formula: "E[x] = exp(β ln dist + γ contig + reporter and partner effects), PPML",
    source: "Santos Silva and Tenreyro 2006",
    least_data: `${LEAST_CELLS} pairs of countries in a year`,
    asked_by: [MARKET],
    needs: all(months(12), ({ reporters }) => (reporters > 1 ? [] : ["more than one reporter"])),
  },
  {
    method: "lead_lag",
    formula: "correlation of deseasonalised log changes at −12 … 12 months, block bootstrap, q = 0.10",
    source: "Politis and Romano 1992; Benjamini and Hochberg 1995",
    least_data: `${LEAST_MONTHS} known months of each`,
    asked_by: [MARKET],
    needs: months(LEAST_MONTHS),
  },
  {
    method: "season",
    formula: "month / centred 2×12 moving average, averaged by month",
    source: "classical decomposition",
    least_data: "24 complete months",
    asked_by: [MARKET, "trade_seasonality"],
    needs: months(24),
  },
  {
    method: "rerouting",
    formula: "a direct flow that lost half or more, while third countries grew 1.5-fold by EUR 10 m or more",
    source: "a rule of this service",
    least_data: "the twelve months before and after a break",
    asked_by: ["trade_reroute_watch", "fusion_sanctions_check"],
    needs: months(24),
  },
  {
    method: "alert",
    formula: "z on the twelve months before, false discovery rate 0.05",
    source: "Benjamini and Hochberg 1995",
    least_data: "24 months, of at least EUR 1 m a month",
    asked_by: ["trade_alerts"],
    needs: months(24),
  },
];
