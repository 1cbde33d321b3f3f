import { country, countryInput, countryOutput } from "../../../projections/fusion/answers/country.ts";
import {
  countryStats,
  countryStatsInput,
  countryStatsOutput,
} from "../../../projections/fusion/answers/country-stats.ts";
import { countryStatsChart, productChart } from "../../../projections/fusion/answers/forms.ts";
import { market, marketInput, marketOutput } from "../../../projections/fusion/answers/market.ts";
import { product, productInput, productOutput } from "../../../projections/fusion/answers/product.ts";
import { dataOf, vintage } from "../../../projections/trade/answers/data.ts";
import { json, key, operation, pay } from "../../declare/index.ts";
import { countryVintage, marketVintage, onOneState } from "./data.ts";

const countryStatsOperation = operation({
  name: "fusion_country_stats",
  route: "GET /v1/agent/fusion/country-stats",
  summary: "Any country's trade by year: imports, exports, balance, growth, share of EU trade",
  description: `EU countries report themselves. Other countries appear only in their trade with the 27, by the 27's reports
(\`meta.view\`). Growth compares complete years.`,
  access: [key("read"), pay("0.10")],
  input: countryStatsInput,
  output: json(countryStatsOutput, { table: "data", chart: countryStatsChart }),
  example: { country: "LV", years: "2020-2024" },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => countryStats(dataOf(data), input, signal),
});

const marketIntelOperation = operation({
  name: "fusion_market_intel",
  route: "GET /v1/agent/fusion/market-intel",
  summary:
    "A product's market by all methods that apply: size, growth, prices, partners, dependency, expected trade",
  description: `Size and growth, effects of prices and quantities, the partners and their concentration, the season. For one
country also comparative advantage and gravity; for imports dependency and substitutes. Missing parts are
in \`absent\` with the reason, and are never zero. The figures are statistics, not advice.`,
  access: [key("read"), pay("0.25")],
  input: marketInput,
  output: json(marketOutput, { table: "data.partners" }),
  example: { hs: "44", reporter: "LV", flow: "IMPORT", years: "2020-2024" },
  vintage: marketVintage,
  covers: "handle",
  handle: ({ input, data: current, signal }) =>
    onOneState(current, (data) => market(dataOf(data), data.reference, input, signal)),
});

const countryOperation = operation({
  name: "fusion_country",
  route: "GET /v1/agent/fusion/country",
  aliases: ["/v1/agent/fusion/country-profile"],
  summary:
    "A country's profile: trade, partners, products, advantage, dependency, wages, AI exposure, prices",
  description: `EU countries report themselves. Other countries appear only in their trade with the 27, by the 27's reports
(\`meta.view\`). \`absent\` names each missing part with its reason; none is zero.`,
  access: [key("read"), pay("0.25")],
  input: countryInput,
  output: json(countryOutput, { table: "data.trade" }),
  example: { country: "LV", year: 2024 },
  vintage: countryVintage,
  covers: "handle",
  handle: ({ input, data: current, signal }) =>
    onOneState(current, (data) => country(dataOf(data), data.reference, input, signal)),
});

const productOperation = operation({
  name: "fusion_product",
  route: "GET /v1/agent/fusion/product",
  summary:
    "Traders of a product: EU countries and their partners ranked, prices by mass, trade both ways, sources outside the EU",
  description: `All 27 EU countries with imports, exports, EUR per tonne and the Grubel–Lloyd index, the twenty largest partners, and the
concentration of sources outside the EU.`,
  access: [key("read"), pay("0.10")],
  input: productInput,
  output: json(productOutput, { table: "data.reporters", chart: productChart }),
  example: { hs: "44", year: 2024 },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => product(dataOf(data), input, signal),
});

export const fusionOperations = [
  marketIntelOperation,
  countryOperation,
  countryStatsOperation,
  productOperation,
];
