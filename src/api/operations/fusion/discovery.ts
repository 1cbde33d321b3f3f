import { z } from "zod";
import {
  capabilitiesOutput,
  fusionCapabilities,
  fusionIntents,
  fusionSources,
  intentsOutput,
  sourcesOutput,
} from "../../../projections/fusion/answers/discovery.ts";
import { newsExtent } from "../../../projections/ingest/news.ts";
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
  description: "Each is a plan of steps over other operations.",
  access: [open()],
  input: z.object({}),
  output: json(intentsOutput),
  example: {},
  handle: async () => fusionIntents(),
});

export const discoveryOperations = [sourcesOperation, capabilitiesOperation, intentsOperation];
