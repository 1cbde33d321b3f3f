import { dataOf, vintage } from "../../../projections/trade/answers/data.ts";
import { productDetailChart } from "../../../projections/trade/answers/forms/lines.ts";
import { heatmapChart, woodChart } from "../../../projections/trade/answers/forms/rankings.ts";
import { woodTable } from "../../../projections/trade/answers/forms/tables.ts";
import { heatmap, heatmapInput, heatmapOutput } from "../../../projections/trade/answers/heatmap.ts";
import {
  productDetail,
  productDetailInput,
  productDetailOutput,
} from "../../../projections/trade/answers/product-detail.ts";
import { woodInput, woodOutput, woodProducts } from "../../../projections/trade/answers/wood.ts";
import { json, key, operation, pay } from "../../declare/index.ts";

const woodOperation = operation({
  name: "trade_wood_products",
  route: "GET /v1/agent/trade/wood-products",
  summary: "A reporter's wood products with the top three partners of each",
  description: `The headings (HS4) of chapter 44 by value in a year, each with its three largest partners; with \`hs\` the next
finer codes below that code. The last line, \`rest\`, is trade without a heading, mostly confidential.`,
  access: [key("read"), pay("0.10")],
  input: woodInput,
  output: json(woodOutput, { table: woodTable, chart: woodChart }),
  example: { reporter: "LV", year: 2024, flow: "EXPORT" },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => woodProducts(dataOf(data), input, signal),
});

const heatmapOperation = operation({
  name: "trade_heatmap",
  route: "GET /v1/agent/trade/heatmap",
  summary: "All 27 EU countries ranked by their trade in a product in a year",
  description: `All 27 by value, with their share of the sum and the change from the year before. A country without data
comes last, without figures: no data is not zero.`,
  access: [key("read"), pay("0.10")],
  input: heatmapInput,
  output: json(heatmapOutput, { table: "data", chart: heatmapChart }),
  example: { year: 2024, flow: "EXPORT", hs: "44" },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => heatmap(dataOf(data), input, signal),
});

const productDetailOperation = operation({
  name: "trade_product_detail",
  route: "GET /v1/agent/trade/product-detail",
  summary: "A reporter's trade in a product: every month, and the top 20 partners",
  description: `The monthly imports and exports of a chapter, and its twenty largest partners over all requested years.`,
  access: [key("read"), pay("0.10")],
  input: productDetailInput,
  output: json(productDetailOutput, { table: "data.months", chart: productDetailChart }),
  example: { reporter: "LV", hs: "44", years: "2023-2024" },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => productDetail(dataOf(data), input, signal),
});

export const tradeProductOperations = [woodOperation, heatmapOperation, productDetailOperation];
