import type { z } from "zod";
import { brief, briefInput, sectorsBrief, sectorsInput } from "../../../projections/reports/answers/brief.ts";
import { checkBrief, checkSectors } from "../../../projections/reports/answers/brief-data.ts";
import {
  checkYear,
  deepAnalysis,
  deepAnalysisInput,
} from "../../../projections/reports/answers/deep-analysis.ts";
import { dataOf, vintage } from "../../../projections/trade/answers/data.ts";
import type { PricedCall } from "../../declare/access/way.ts";
import { key, operation, pay } from "../../declare/index.ts";
import { FORMS, quotesFor, recordingEffects, reportOutput, writeReport } from "./write-report.ts";

const briefOperation = operation({
  name: "sovereign_brief",
  route: "POST /v1/agent/sovereign/brief",
  effect: recordingEffects,
  summary: "Sources of a product's imports, possible substitutes, and developments to watch",
  description: `The market, partners, the EU's three indicators of dependency, substitutes, expected trade and open alerts of one product. ${FORMS}`,
  access: [key("order"), pay("25.00")],
  input: briefInput,
  output: reportOutput,
  example: { hs: "44", region: "LV", years: "2020-2024", layers: ["sanctions"] },
  vintage,
  covers: (input: z.output<typeof briefInput>, { data }) => checkBrief(dataOf(data), input),
  handle: (context) =>
    writeReport("sovereign_brief", context as never, (ask) =>
      brief(ask, context.input, quotesFor(context as never)),
    ),
});

const ofSectors = (input: z.output<typeof sectorsInput>, { data }: PricedCall) =>
  checkSectors(dataOf(data), input);

const multiOperation = operation({
  name: "sovereign_brief_multi",
  route: "POST /v1/agent/sovereign/brief/multi",
  effect: recordingEffects,
  summary:
    "The sovereign brief of two to eight chapters together, ranked by how concentrated their sources are",
  description: FORMS,
  access: [key("order"), pay("30.00")],
  input: sectorsInput,
  output: reportOutput,
  example: { sectors: ["27", "44"], region: "LV", years: "2020-2024" },
  vintage,
  covers: ofSectors,
  handle: (context) =>
    writeReport("sovereign_brief_multi", context as never, (ask) =>
      sectorsBrief(ask, context.input, { deep: false, quotes: quotesFor(context as never) }),
    ),
});

const deepOperation = operation({
  name: "sovereign_brief_deep",
  route: "POST /v1/agent/sovereign/brief/deep",
  effect: recordingEffects,
  summary: "The sovereign brief across chapters, and the loss of each without one country",
  description: FORMS,
  access: [key("order"), pay("50.00")],
  input: sectorsInput,
  output: reportOutput,
  example: { sectors: ["27", "44"], region: "EU", years: "2020-2024" },
  vintage,
  covers: ofSectors,
  handle: (context) =>
    writeReport("sovereign_brief_deep", context as never, (ask) =>
      sectorsBrief(ask, context.input, { deep: true, quotes: quotesFor(context as never) }),
    ),
});

const deepAnalysisOperation = operation({
  name: "trade_premium_deep_analysis",
  route: "GET /v1/agent/trade-premium/deep-analysis/{reporter}/{year}",
  effect: recordingEffects,
  summary:
    "A country's year of trade: overview, products, partners, its largest import in depth, alerts, economy",
  description: `Any year that the data cover. Economic figures are of the same year. ${FORMS}`,
  access: [key("order"), pay("5.00")],
  input: deepAnalysisInput,
  output: reportOutput,
  example: { reporter: "LV", year: 2024 },
  vintage,
  covers: (input: z.output<typeof deepAnalysisInput>, { data }) => checkYear(dataOf(data), input),
  handle: (context) =>
    writeReport("trade_premium_deep_analysis", context as never, (ask) => deepAnalysis(ask, context.input)),
});

export const briefOperations = [briefOperation, multiOperation, deepOperation, deepAnalysisOperation];
