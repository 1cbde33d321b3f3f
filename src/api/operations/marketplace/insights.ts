import { z } from "zod";
import { json, open, operation, paymentOf } from "../../declare/index.ts";
import { inputReader } from "../../declare/input.ts";
import { exampleOf } from "../../describe/reference.ts";

/** Areas whose priced operations answer questions about data. */
const AREAS: readonly string[] = ["trade", "customs", "salary", "fusion", "mirror", "reports"];

const catalog = operation({
  name: "soul_insights",
  route: "GET /soul/insights/catalog",
  summary: "The paid questions about trade, customs, wages and markets",
  description:
    "Generated from the operations: each with its input, price, data and a working example. An insight_id is also the name of an MCP tool.",
  access: [open()],
  input: z.object({}),
  output: json(
    z.object({
      entries: z.array(
        z.object({
          insight_id: z.string(),
          title: z.string(),
          operation: z.string().describe("Its method and path"),
          unit_price_usd: z.string(),
          inputs: z.array(z.object({ name: z.string(), required: z.boolean(), about: z.string() })),
          vintage: z.string().nullable().describe("The vintage it uses now; null if it has none yet"),
          example: z.string().describe("An example call"),
        }),
      ),
    }),
  ),
  example: {},
  handle: async ({ data, catalogue }) => ({
    entries: catalogue.operations.flatMap((one) => {
      const payment = paymentOf(one);
      if (!payment || !AREAS.includes(one.area)) return [];
      const { properties, required = [] } = inputReader(one.input).schema;
      return {
        insight_id: one.name,
        title: one.summary,
        operation: one.route,
        unit_price_usd: payment.unit_price,
        inputs: Object.entries(properties).map(([name, { description = "" }]) => ({
          name,
          required: required.includes(name),
          about: description,
        })),
        vintage: one.vintage?.(data) ?? null,
        example: exampleOf(one),
      };
    }),
  }),
});

export const insightOperations = [catalog];
