import { z } from "zod";
import { intents } from "../../../domain/fusion/intents.ts";
import {
  capabilitiesOutput,
  fusionCapabilities,
  fusionIntents,
  fusionSources,
  intentsOutput,
  sourcesOutput,
} from "../../../projections/fusion/answers/discovery.ts";
import { newsExtent } from "../../../projections/ingest/news.ts";
import { readingOf } from "../../../projections/reports/answers/query.ts";
import { dataOf } from "../../../projections/trade/answers/data.ts";
import { json, open, operation } from "../../declare/index.ts";

const sourcesOperation = operation({
  name: "fusion_sources",
  route: "GET /v1/agent/fusion/sources",
  summary: "The datasets and tables of fusion, loaded and missing",
  description: "Each with its vintage, coverage, licence and publication lag.",
  access: [open()],
  input: z.object({}),
  output: json(sourcesOutput),
  example: {},
  handle: async ({ app, data, caller }) =>
    fusionSources(dataOf(data), data.reference, await newsExtent(app.pool, caller.tenant)),
});

const capabilitiesOperation = operation({
  name: "fusion_capabilities",
  route: "GET /v1/agent/fusion/capabilities",
  summary: "The statistical methods, each with formula, source and missing data",
  description:
    "`meta.planted` lists synthetic patterns in the sandbox; each method's `planted` lists those it should find.",
  access: [open()],
  input: z.object({}),
  output: json(capabilitiesOutput),
  example: {},
  handle: async ({ data }) => fusionCapabilities(dataOf(data), data.reference),
});

const intentsOperation = operation({
  name: "fusion_intents",
  route: "GET /v1/agent/fusion/intents",
  summary: "The intents of fusion_query, with slots and an example",
  description:
    "Each intent is a plan of steps over other operations. With `question`, the answer shows how fusion_query would read it, at no cost.",
  access: [open()],
  input: z.object({
    question: z
      .string()
      .trim()
      .min(1)
      .max(500, "is at most 500 characters")
      .optional()
      .describe("A question to read"),
  }),
  output: json(intentsOutput),
  example: { question: "How dependent is Latvia on imports of mineral fuels?" },
  handle: async ({ input: { question }, data }) =>
    fusionIntents(question === undefined ? null : readingOf(data.reference, question, intents)),
});

export const discoveryOperations = [sourcesOperation, capabilitiesOperation, intentsOperation];
