/** The rules, and the classification of descriptions. Both are free and read no log. */
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { sha256 } from "../../../core/model/fields.ts";
import { classification, classify } from "../../../domain/compliance/classify.ts";
import { NOTICE } from "../../../domain/compliance/document.ts";
import { element, mapping } from "../../../domain/compliance/mapping.ts";
import { type Rules, ruleDate, source } from "../../../domain/compliance/rule.ts";
import { rulesOn } from "../../../domain/compliance/rules.ts";
import { json, open, operation } from "../../declare/index.ts";
import { rulesDigest } from "./record.ts";

export const asOf = z.iso
  .date("is a day, YYYY-MM-DD")
  .optional()
  .describe("The day whose rules apply. Default: today");

export const editionFields = {
  rules: z.string().describe("The edition of the rules"),
  rules_sha256: sha256.describe("SHA-256 of that edition and the lexicon"),
  dates: z.array(ruleDate),
  sources: z.array(source),
  notice: z.string(),
};

export const editionAnswer = (rules: Rules) => ({
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
  summary: "The events of this log that answer each element of Article 12 of the AI Act",
  description: "Event types, their streams, retention, and missing elements; with the dates of application.",
  access: [open()],
  input: z.object({ as_of: asOf }),
  output: json(z.object({ elements: z.array(element), ...editionFields })),
  example: {},
  handle: async ({ input, app }) => ({
    elements: [...mapping],
    ...editionAnswer(rulesFor(app, input.as_of)),
  }),
});

const checkOperation = operation({
  name: "compliance_check",
  route: "GET /soul/compliance/risk-classification",
  summary: "The class of a described system under the AI Act, and why",
  description:
    "A lexicon and dated rules decide, without a model: the same text gets the same answer. Denied or quoted words do not count. In languages other than English the lexicon has only the plainest words. The answer's questions name the missing facts.",
  access: [open()],
  secrets: ["description"],
  input: z.object({
    description: z
      .string()
      .min(20, "is 20 to 4,000 characters")
      .max(4_000, "is 20 to 4,000 characters")
      .describe("The system's purpose, its data, and the persons concerned; in English"),
    as_of: asOf,
  }),
  output: json(classification.extend(editionFields)),
  example: { description: "Reads CVs and ranks job applicants, so that recruiters call the best first." },
  handle: async ({ input, app }) => {
    const rules = rulesFor(app, input.as_of);
    return { ...classify(input.description, rules), ...editionAnswer(rules) };
  },
});

export const ruleOperations = [mappingOperation, checkOperation];
