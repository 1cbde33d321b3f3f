/** The rules themselves, and descriptions held against them: free, and of nobody's log. */
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { sha256 } from "../../../core/model/fields.ts";
import { classified, classify } from "../../../domain/compliance/classify.ts";
import { NOTICE } from "../../../domain/compliance/document.ts";
import { element, mapping } from "../../../domain/compliance/mapping.ts";
import { type Rules, ruleDate, source } from "../../../domain/compliance/rule.ts";
import { rulesOn } from "../../../domain/compliance/rules.ts";
import { json, open, operation } from "../../declare/index.ts";
import { rulesDigest } from "./record.ts";

export const asOf = z.iso
  .date("is a day, YYYY-MM-DD")
  .optional()
  .describe("The rules of this day; of today unless said");

export const ruled = {
  rules: z.string().describe("The edition that answers"),
  rules_sha256: sha256.describe("Of that edition and the lexicon"),
  dates: z.array(ruleDate),
  sources: z.array(source),
  notice: z.string(),
};

export const rulesShown = (rules: Rules) => ({
  rules: rules.id,
  rules_sha256: rulesDigest(rules),
  dates: [...rules.dates],
  sources: [...rules.sources],
  notice: NOTICE,
});

export const rulesFor = ({ clock }: App, as_of: string | undefined): Rules =>
  rulesOn(as_of ?? clock.now().toISOString().slice(0, 10));

const mappingOperation = operation({
  name: "compliance_mapping",
  route: "GET /soul/compliance/mapping",
  summary: "What of this log answers Article 12 of the AI Act, element by element",
  description:
    "Types of events, where they stand, for how long, and what is missing; with what applies from when.",
  access: [open()],
  input: z.object({ as_of: asOf }),
  output: json(z.object({ elements: z.array(element), ...ruled })),
  example: {},
  handle: async ({ input, app }) => ({
    elements: [...mapping],
    ...rulesShown(rulesFor(app, input.as_of)),
  }),
});

const checkOperation = operation({
  name: "compliance_check",
  route: "GET /soul/compliance/risk-classification",
  summary: "In which class of the AI Act a described system falls, and why",
  description:
    "By a lexicon and dated rules, no model: the same text has the same answer. What is not said, denied or quoted is no ground, and of other languages only the plainest words are read; then it asks.",
  access: [open()],
  secrets: ["description"],
  input: z.object({
    description: z
      .string()
      .min(20, "is 20 to 4,000 characters")
      .max(4_000, "is 20 to 4,000 characters")
      .describe("What the system does, with which data, about whom; in English"),
    as_of: asOf,
  }),
  output: json(classified.extend(ruled)),
  example: { description: "Reads CVs and ranks job applicants, so that recruiters call the best first." },
  handle: async ({ input, app }) => {
    const rules = rulesFor(app, input.as_of);
    return { ...classify(input.description, rules), ...rulesShown(rules) };
  },
});

export const ruleOperations = [mappingOperation, checkOperation];
