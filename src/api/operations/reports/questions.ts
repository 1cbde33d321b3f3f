import type { z } from "zod";
import {
  CUSTOM_MS,
  customInput,
  customReading,
  customReport,
} from "../../../projections/reports/answers/custom.ts";
import {
  deepReading,
  fusionDeep,
  fusionDeepInput,
} from "../../../projections/reports/answers/fusion-deep.ts";
import { vintage } from "../../../projections/trade/answers/data.ts";
import { key, operation, pay } from "../../declare/index.ts";
import { STEP_MS } from "../../serve/nested-calls.ts";
import { stepChecks } from "../fusion/plan-steps.ts";
import { FORMS, recordingEffects, reportOutput, writeReport } from "./write-report.ts";

const customOperation = operation({
  name: "trade_premium_custom_report",
  route: "POST /v1/agent/trade-premium/custom-report",
  effect: recordingEffects,
  summary: "A report that answers one question for several countries, chapters and years",
  description: `The question alone suffices; a list that you send replaces the question's countries, years or products. The intents are those of fusion_intents over trade. At most 100
steps and a minute. ${FORMS}`,
  access: [key("order"), pay("25.00")],
  input: customInput,
  output: reportOutput,
  example: {
    question: "How dependent are they on imports?",
    reporters: ["LV", "EE"],
    years: [2022, 2023, 2024],
    products: ["27"],
  },
  vintage,
  understood: (input: z.output<typeof customInput>, call) =>
    customReading(call.data, input, stepChecks(call)),
  handle: (context) =>
    writeReport(
      "trade_premium_custom_report",
      context as never,
      (ask, data) => customReport(ask, data, context.input),
      { step_ms: STEP_MS, whole_ms: CUSTOM_MS },
    ),
});

const deepOperation = operation({
  name: "fusion_deep_analysis",
  route: "POST /v1/agent/fusion/deep-analysis",
  effect: recordingEffects,
  summary: "A report by all methods on the country, the product or both that a question names",
  description: `The report names missing data. ${FORMS}`,
  access: [key("order"), pay("25.00")],
  input: fusionDeepInput,
  output: reportOutput,
  example: { question: "What of Latvia and mineral fuels?", years: "2020-2024" },
  vintage,
  understood: (input: z.output<typeof fusionDeepInput>, call) =>
    deepReading(call.data, input, stepChecks(call).covers),
  handle: (context) =>
    writeReport("fusion_deep_analysis", context as never, (ask, data) =>
      fusionDeep(ask, data, context.input),
    ),
});

/** Registered in the area fusion, but built like the other reports. */
export const deepAnalysisOperations = [deepOperation];
export const questionOperations = [customOperation];
