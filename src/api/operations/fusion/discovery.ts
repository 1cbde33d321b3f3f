import { z } from "zod";
import {
  capabilitiesOutput,
  fusionCapabilities,
  fusionIntents,
  fusionSources,
  intentsOutput,
  sourcesOutput,
} from "../../../projections/fusion/answers/discovery.ts";
import { newsKnown } from "../../../projections/ingest/news.ts";
import { dataOf } from "../../../projections/trade/answers/data.ts";
import { json, open, operation } from "../../declare/index.ts";

const sourcesOperation = operation({
  name: "fusion_sources",
  route: "GET /v1/agent/fusion/sources",
  summary: "The datasets and tables that fusion draws from, and those it has not",
  description: "Each with its vintage, what it covers, its licence, and how late it is published.",
  access: [open()],
  input: z.object({}),
  output: json(sourcesOutput),
  example: {},
  handle: async ({ app, data, caller }) =>
    fusionSources(dataOf(data), data.reference, await newsKnown(app.pool, caller.tenant)),
});

const capabilitiesOperation = operation({
  name: "fusion_capabilities",
  route: "GET /v1/agent/fusion/capabilities",
  summary: "The statistical methods, each with its formula, its source, and what it lacks now",
  description:
    "`meta.planted` tells what was invented into the sandbox for them to find, and `planted` of each which of it is its.",
  access: [open()],
  input: z.object({}),
  output: json(capabilitiesOutput),
  example: {},
  handle: async ({ data }) => fusionCapabilities(dataOf(data), data.reference),
});

const intentsOperation = operation({
  name: "fusion_intents",
  route: "GET /v1/agent/fusion/intents",
  summary: "The intents that fusion_query answers, with their slots and an example",
  description: "Each is a plan of steps over other operations.",
  access: [open()],
  input: z.object({}),
  output: json(intentsOutput),
  example: {},
  handle: async () => fusionIntents(),
});

export const discoveryOperations = [sourcesOperation, capabilitiesOperation, intentsOperation];
