import {
  concentration,
  concentrationInput,
  concentrationOutput,
} from "../../../projections/trade/answers/concentration.ts";
import { dataOf, vintage } from "../../../projections/trade/answers/data.ts";
import { pricesChart, seasonChart } from "../../../projections/trade/answers/forms/prices.ts";
import { concentrationChart } from "../../../projections/trade/answers/forms/rankings.ts";
import { concentrationTable, seasonTable } from "../../../projections/trade/answers/forms/tables.ts";
import { pricesInput, pricesOutput, pricesPerTonne } from "../../../projections/trade/answers/prices.ts";
import { season, seasonInput, seasonOutput } from "../../../projections/trade/answers/seasonality.ts";
import { json, key, operation, pay } from "../../declare/index.ts";

const priceOperation = operation({
  name: "trade_price_per_tonne",
  route: "GET /v1/agent/trade/price-per-tonne",
  summary: "Monthly EUR per tonne of a product, with statistics and outliers",
  description: `Value over mass; value without a mass is reported as excluded. The statistics cover
complete months. Without a flow imports and exports are separate.`,
  access: [key("read"), pay("0.10")],
  input: pricesInput,
  output: json(pricesOutput, { table: "data.series", chart: pricesChart }),
  example: { reporter: "LV", hs: "44", years: "2023-2024", flow: "EXPORT" },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => pricesPerTonne(dataOf(data), input, signal),
});

const seasonalityOperation = operation({
  name: "trade_seasonality",
  route: "GET /v1/agent/trade/seasonality",
  summary: "Seasonality of a product: twelve monthly factors, peak and trough",
  description: `1.0 is an average month, without the trend. Fewer than 24 complete months are refused. Without a flow you get one profile for each flow; one with too few months has a note.`,
  access: [key("read"), pay("0.10")],
  input: seasonInput,
  output: json(seasonOutput, { table: seasonTable, chart: seasonChart }),
  example: { reporter: "LV", hs: "44", years: "2020-2024", flow: "EXPORT" },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => season(dataOf(data), input, signal),
});

const concentrationOperation = operation({
  name: "trade_concentration",
  route: "GET /v1/agent/trade/concentration",
  summary: "How concentrated a reporter's trade is on few partners: HHI, CR3, CR5",
  description: `The Herfindahl–Hirschman index and its class, the share of the three and five largest partners, and the ten largest.
The index covers the source's listed partners; \`listed_share\` is their part of the total.`,
  access: [key("read"), pay("0.10")],
  input: concentrationInput,
  output: json(concentrationOutput, { table: concentrationTable, chart: concentrationChart }),
  example: { reporter: "LV", hs: "27", year: 2024, flow: "IMPORT" },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => concentration(dataOf(data), input, signal),
});

export const tradeAnalyticsOperations = [priceOperation, seasonalityOperation, concentrationOperation];
