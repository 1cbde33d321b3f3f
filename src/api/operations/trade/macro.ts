import type { Data } from "../../../datasets/reading.ts";
import {
  macroContext,
  macroInput,
  macroOutput,
  macroTables,
} from "../../../projections/macro/answers/context.ts";
import { macroChart, macroTable } from "../../../projections/macro/answers/forms.ts";
import { json, key, operation, pay } from "../../declare/index.ts";

const macroContextOperation = operation({
  name: "trade_macro_context",
  route: "GET /v1/agent/trade/macro-context",
  summary: "ECB refinancing rate, EUR/USD, euro-area inflation and Brent crude",
  description: `The last value of each indicator with its day or month, the previous one, and the last twelve months. Each has one
table, with its source and vintage; invented values are marked \`synthetic\`, and missing ones are null.`,
  access: [key("read"), pay("0.01")],
  input: macroInput,
  output: json(macroOutput, { table: macroTable, chart: macroChart }),
  example: { indicators: ["eur_usd"] },
  vintage: ({ reference }: Data) => reference.vintages(macroTables),
  covers: "handle",
  handle: async ({ input, data }) => macroContext(data.reference, input),
});

export const macroOperations = [macroContextOperation];
