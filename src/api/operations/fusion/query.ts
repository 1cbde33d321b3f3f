import type { z } from "zod";
import { query, queryInput, queryOutput, queryReading } from "../../../projections/reports/answers/query.ts";
import { json, key, operation, pay, reads } from "../../declare/index.ts";
import { type NestedCalls, STEP_MS, withNestedCalls } from "../../serve/nested-calls.ts";
import { queryVintage } from "./data.ts";
import { stepChecks } from "./plan-steps.ts";
import { typedCalls } from "./typed-calls.ts";

const queryOperation = operation({
  name: "fusion_query",
  route: "POST /v1/agent/fusion/query",
  effect: reads,
  summary: "Ask all sources a question in words: a plan answers with text, facts, steps",
  description: `No model reads the question: rules find countries, products, years and words of an intent, in English or Latvian. Without
a match you get a free 400 with the three nearest intents.`,
  access: [key("read"), pay("0.10")],
  input: queryInput,
  output: json(queryOutput),
  example: { question: "How dependent is Latvia on imports of mineral fuels?" },
  vintage: queryVintage,
  understood: (input: z.output<typeof queryInput>, call) => queryReading(call.data, input, stepChecks(call)),
  handle: (context) =>
    withNestedCalls(
      context as never,
      (calls: NestedCalls) => query(typedCalls(calls), calls.data, context.input),
      {
        step_ms: STEP_MS,
      },
    ),
});

export const queryOperations = [queryOperation];
