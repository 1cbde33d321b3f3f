import type { Data } from "../../../datasets/reading.ts";
import { hsSections } from "../../../datasets/reference/cn-nomenclature.ts";
import { taricDuties } from "../../../datasets/reference/taric-duties.ts";
import {
  classifications,
  classificationsInput,
  classificationsOutput,
} from "../../../projections/customs/answers/classifications.ts";
import {
  countryAnalysis,
  countryInput,
  countryOutput,
} from "../../../projections/customs/answers/country-analysis.ts";
import {
  classificationsTable,
  commoditiesChart,
  countryChart,
  seasonalChart,
  tariffTable,
  trendsChart,
} from "../../../projections/customs/answers/forms.ts";
import { seasonal, seasonalInput, seasonalOutput } from "../../../projections/customs/answers/seasonal.ts";
import {
  tariffInput,
  tariffLookup,
  tariffOutput,
} from "../../../projections/customs/answers/tariff-lookup.ts";
import {
  commoditiesInput,
  commoditiesOutput,
  topCommodities,
} from "../../../projections/customs/answers/top-commodities.ts";
import { trends, trendsInput, trendsOutput } from "../../../projections/customs/answers/trends.ts";
import { dataOf, vintage } from "../../../projections/trade/answers/data.ts";
import { seasonTable } from "../../../projections/trade/answers/forms/tables.ts";
import { nameTables } from "../../../projections/trade/answers/names.ts";
import { json, key, operation, pay } from "../../declare/index.ts";

/**
 * Names the vintages of a table and of the trade data. Either may be missing while the other is loaded; products get
 * their names in both cases.
 */
const vintageWith =
  (...tables: { name: string }[]) =>
  (data: Data) =>
    [vintage(data), data.reference.vintages([...nameTables, ...tables])].filter(Boolean).join("+") ||
    undefined;

const classificationsOperation = operation({
  name: "customs_classifications",
  route: "GET /v1/agent/customs/classifications",
  summary: "Product codes of the Combined Nomenclature, by words or by leading digits",
  description: `Finds names with every word of \`q\`, codes that begin with \`code\`, or both; by default the chapters.
Each has its parents, its section, and whether Latvia traded under it.`,
  access: [key("read"), pay("0.01")],
  input: classificationsInput,
  output: json(classificationsOutput, { table: classificationsTable }),
  example: { q: "wood pellets" },
  vintage: vintageWith(hsSections),
  covers: "handle",
  handle: ({ input, data, signal }) => classifications(dataOf(data), data.reference, input, signal),
});

const trendsOperation = operation({
  name: "customs_trends",
  route: "GET /v1/agent/customs/trends",
  summary: "Latvia's imports and exports by year and month, with the change against the year before",
  description: `Value and reported mass of each year and month, the balance, and whether a period is complete. Changes compare
only complete periods.`,
  access: [key("read"), pay("0.05")],
  input: trendsInput,
  output: json(trendsOutput, { table: "data.months", chart: trendsChart }),
  example: { years: "2022-2024" },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => trends(dataOf(data), input, signal),
});

const commoditiesOperation = operation({
  name: "customs_top_commodities",
  route: "GET /v1/agent/customs/top-commodities",
  summary: "The CN8 codes that Latvia trades most in a year, by value or by weight",
  description: `The codes are ranked with their share; the last line is the rest. Confidential trade counts only in the
total.`,
  access: [key("read"), pay("0.05")],
  input: commoditiesInput,
  output: json(commoditiesOutput, { table: "data", chart: commoditiesChart }),
  example: { year: 2024, direction: "EXPORT", sort: "value" },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => topCommodities(dataOf(data), input, signal),
});

const countryOperation = operation({
  name: "customs_country_analysis",
  route: "GET /v1/agent/customs/country-analysis",
  summary: "Latvia's trade with one country: by year, its rank and share, the top products, the trend",
  description: `Imports, exports, balance and growth of each year, with the ten largest CN8 codes each way. The country's share of
Latvia's trade and its rank among all partners are given, too.`,
  access: [key("read"), pay("0.10")],
  input: countryInput,
  output: json(countryOutput, { table: "data.years", chart: countryChart }),
  example: { country: "SE", years: "2020-2024" },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => countryAnalysis(dataOf(data), input, signal),
});

const tariffOperation = operation({
  name: "customs_tariff_lookup",
  route: "GET /v1/agent/customs/tariff-lookup",
  summary: "Every import duty on a code: the general rate, preferences by origin, lowest and highest rate",
  description: `The TARIC lines of goods codes below the code and of its parent headings. Several rates are
listed and never averaged. A code without a duty is refused. The answer adds Latvia's trade in the code in the last
complete year, from a dataset named separately.`,
  access: [key("read"), pay("0.05")],
  input: tariffInput,
  output: json(tariffOutput, { table: tariffTable }),
  example: { code: "44071110" },
  vintage: vintageWith(taricDuties),
  covers: "handle",
  handle: ({ input, data, signal }) => tariffLookup(dataOf(data), data.reference, input, signal),
});

const seasonalOperation = operation({
  name: "customs_seasonal",
  route: "GET /v1/agent/customs/seasonal",
  summary: "Seasonality of Latvia's trade in a code: twelve monthly factors, peak and trough",
  description: `1.0 is an average month, without the trend. Fewer than 24 complete months are refused. Without a direction you get one profile for each direction; one with too few months has a note.`,
  access: [key("read"), pay("0.10")],
  input: seasonalInput,
  output: json(seasonalOutput, { table: seasonTable, chart: seasonalChart }),
  example: { code: "44013100", years: "2020-2024", direction: "EXPORT" },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => seasonal(dataOf(data), input, signal),
});

export const customsOperations = [
  classificationsOperation,
  trendsOperation,
  commoditiesOperation,
  countryOperation,
  tariffOperation,
  seasonalOperation,
];
