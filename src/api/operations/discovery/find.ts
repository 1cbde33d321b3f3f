import { z } from "zod";
import { limit } from "../../../core/model/fields.ts";
import { priceText } from "../../declare/access/way.ts";
import { type Catalogue, json, type Operation, open, operation } from "../../declare/index.ts";
import { inputReader } from "../../declare/input.ts";
import { withoutPatterns } from "../../declare/json-schema.ts";
import { operationFinder } from "../../describe/find-operations.ts";

/** A catalogue never changes while the service runs, so its words are read once. */
const finders = new WeakMap<Catalogue, ReturnType<typeof operationFinder>>();

function finderOf(catalogue: Catalogue) {
  const finder = finders.get(catalogue) ?? operationFinder(catalogue.operations);
  finders.set(catalogue, finder);
  return finder;
}

const rowOf = (found: Operation) => ({
  name: found.name,
  area: found.area,
  route: found.route,
  summary: found.summary,
  description: found.description,
  price: priceText(found),
  input: withoutPatterns(inputReader(found.input).schema),
});

const find = operation({
  name: "operations_find",
  route: "GET /v1/agent/operations",
  summary: "Find operations by words",
  description:
    "Each operation has its input as JSON Schema and its price, best match first. Over MCP, operations_call calls them.",
  access: [open()],
  input: z.object({
    q: z
      .string("is text")
      .trim()
      .min(1, "has at least one word, such as seasonality")
      .max(200, "has at most 200 characters")
      .describe("The task, in a few English words"),
    limit: limit("How many to list, 1 to 20", { most: 20, usual: 5 }),
  }),
  output: json(
    z.object({
      data: z.array(
        z.object({
          name: z.string().describe("The operation's name, and the MCP tool's"),
          area: z.string(),
          route: z.string(),
          summary: z.string(),
          description: z.string(),
          price: z.string(),
          input: z.record(z.string(), z.unknown()).describe("JSON Schema of the input"),
        }),
      ),
      meta: z.object({ count: z.int(), total: z.int().describe("Number of operations that match any word") }),
    }),
  ),
  lists: "none",
  example: { q: "seasons of a product", limit: 3 },
  handle: async ({ input, catalogue }) => {
    const found = finderOf(catalogue)(input.q);
    const data = found.slice(0, input.limit).map(rowOf);
    return { data, meta: { count: data.length, total: found.length } };
  },
});

export const findOperations = [find];
