import { query, queryInput, queryOutput } from "../../../projections/reports/answers/query.ts";
import { json, key, operation, pay, reads } from "../../declare/index.ts";
import { type Asking, asking, STEP_MS } from "../../serve/asking.ts";
import { askOf } from "../reports/made.ts";
import { queryVintage } from "./data.ts";

const queryOperation = operation({
  name: "fusion_query",
  route: "POST /v1/agent/fusion/query",
  effect: reads,
  summary: "Ask all sources a question in words: a plan answers with text, facts, steps",
  description: `Read without a model: countries, products, years and an intent's words, in English or Latvian. Without a match you get a free 400 with the
nearest three.`,
  access: [key("read"), pay("0.10")],
  input: queryInput,
  output: json(queryOutput),
  example: { question: "How dependent is Latvia on imports of mineral fuels?" },
  vintage: queryVintage,
  handle: (context) =>
    asking(context as never, (asked: Asking) => query(askOf(asked), asked.reference, context.input), {
      step_ms: STEP_MS,
    }),
});

export const queryOperations = [queryOperation];
