import { dataOf, vintage } from "../../../projections/trade/answers/data.ts";
import { balanceChart, timelineChart } from "../../../projections/trade/answers/forms/lines.ts";
import { partnersChart, productsChart } from "../../../projections/trade/answers/forms/rankings.ts";
import {
  countries,
  countriesInput,
  countriesOutput,
  overview,
  overviewInput,
  overviewOutput,
} from "../../../projections/trade/answers/overview.ts";
import {
  rankingInput,
  topPartners,
  topPartnersOutput,
  topProducts,
  topProductsOutput,
} from "../../../projections/trade/answers/rankings.ts";
import {
  balance,
  balanceInput,
  balanceOutput,
  timeline,
  timelineInput,
  timelineOutput,
} from "../../../projections/trade/answers/series.ts";
import { json, key, operation, pay } from "../../declare/index.ts";

const overviewOperation = operation({
  name: "trade_overview",
  route: "GET /v1/agent/trade/overview",
  summary: "Size of the trade data",
  description: `Records, countries and date range of a dataset, the totals of its last complete year, and the available
datasets.`,
  access: [key("read"), pay("0.01")],
  input: overviewInput,
  output: json(overviewOutput),
  example: { format: "summary" },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => overview(dataOf(data), input, signal),
});

const countriesOperation = operation({
  name: "trade_countries",
  route: "GET /v1/agent/trade/countries",
  summary: "The 27 EU countries that report, and their data",
  description: `Each of the 27 with flags for imports and exports, its first and last month, and whether it is
complete.`,
  access: [key("read"), pay("0.01")],
  input: countriesInput,
  output: json(countriesOutput, { table: "data" }),
  example: { format: "compact" },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => countries(dataOf(data), input, signal),
});

const timelineOperation = operation({
  name: "trade_timeline",
  route: "GET /v1/agent/trade/timeline",
  summary: "Monthly imports and exports",
  description: `One line per month: by default the sum of the 27 EU countries, or a series for each reporter.
Zero means no trade, null not delivered.`,
  access: [key("read"), pay("0.05")],
  input: timelineInput,
  output: json(timelineOutput, { table: "data", chart: timelineChart }),
  example: { reporters: ["DE", "FR"], flow: "IMPORT", years: "2023-2024" },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => timeline(dataOf(data), input, signal),
});

const topPartnersOperation = operation({
  name: "trade_top_partners",
  route: "GET /v1/agent/trade/top-partners",
  summary: "A reporter's largest trading partners in a year",
  description: `Single countries by value. Country groups are never ranked; the last line, \`rest\`, is the total
(the source's WORLD row if it has one) less the lines above it.`,
  access: [key("read"), pay("0.05")],
  input: rankingInput,
  output: json(topPartnersOutput, { table: "data", chart: partnersChart }),
  example: { reporter: "LV", flow: "IMPORT", year: 2024, limit: 5 },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => topPartners(dataOf(data), input, signal),
});

const topProductsOperation = operation({
  name: "trade_top_products",
  route: "GET /v1/agent/trade/top-products",
  summary: "A reporter's largest product groups in a year",
  description: `HS chapters (2 digits) by value; with \`hs\` the next finer codes below it. The last line, \`rest\`, is the
total less the lines above it, confidential trade included.`,
  access: [key("read"), pay("0.05")],
  input: rankingInput,
  output: json(topProductsOutput, { table: "data", chart: productsChart }),
  example: { reporter: "LV", flow: "EXPORT", year: 2024, limit: 5 },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => topProducts(dataOf(data), input, signal),
});

const balanceOperation = operation({
  name: "trade_balance",
  route: "GET /v1/agent/trade/balance",
  summary: "A reporter's yearly imports, exports and balance",
  description: `In EUR; balance = exports − imports. An incomplete year is marked.`,
  access: [key("read"), pay("0.05")],
  input: balanceInput,
  output: json(balanceOutput, { table: "data", chart: balanceChart }),
  example: { reporter: "LV", years: "2020-2024" },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => balance(dataOf(data), input, signal),
});

export const tradeOperations = [
  overviewOperation,
  countriesOperation,
  timelineOperation,
  topPartnersOperation,
  topProductsOperation,
  balanceOperation,
];
