/**
 * A report: sections of findings over facts. It is made once for a question and its vintages, and stored by its
 * digest.
 */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { madeId, sha256 } from "../../core/model/fields.ts";
import { digestOf } from "../../core/model/objects.ts";
import { modelFailures } from "../../core/model/ports/model.ts";
import { quoted } from "../ingest/quotation.ts";
import { fact } from "./fact.ts";
import { methodNames } from "./methods.ts";
import { type SummarizableReport, type Summary, summaryFaults } from "./model-summary.ts";

const ids = z.array(z.string()).describe("Ids of the facts that it cites, in order");

/** A sentence that cites all its figures. */
export const citedText = z.object({ text: z.string(), facts: ids });

export const confidences = ["reported", "estimated", "signal"] as const;

export const finding = citedText.extend({
  confidence: z
    .enum(confidences)
    .describe(
      "reported: figures as delivered, and their arithmetic; estimated: a model's; signal: unusual, and may be chance",
    ),
  method: z.enum(methodNames).nullable(),
});
export type Finding = z.infer<typeof finding>;

/** A word without digits, or a fact by its id. */
const cell = z.union([z.object({ word: z.string() }), z.object({ fact: z.string() })]);
export type Cell = z.infer<typeof cell>;

const table = z.object({
  title: z.string(),
  columns: z.array(z.string()),
  rows: z.array(z.array(cell)).describe("Rows of cells"),
});
export type ReportTable = z.infer<typeof table>;

const chart = z.object({
  kind: z.enum(["line", "bar", "ranking"]),
  title: z.string(),
  unit: z.string(),
  x: z.array(cell),
  series: z
    .array(
      z.object({
        name: z.string(),
        facts: z.array(z.string().nullable()).describe("Id of the fact at each x; null: no figure"),
      }),
    )
    .describe("Lines or bars"),
});
export type ReportChart = z.infer<typeof chart>;

const section = z.object({
  title: z.string(),
  text: z.string().describe("The section's subject; it has no figure"),
  findings: z.array(finding),
  charts: z.array(chart),
  tables: z.array(table),
});
export type Section = z.infer<typeof section>;

const source = citedText.extend({
  dataset: z.string(),
  vintage: z.string().describe("The data behind the answers drawn from it"),
  synthetic: z.boolean(),
});

const method = z.object({
  name: z.enum(methodNames),
  formula: z.string(),
  parameters: z.string(),
  source: z.string(),
});

/** The title of a model's section, which comes first. */
export const IN_BRIEF = "In brief";
export const inBrief = (retold: readonly Summary[]): Section => ({
  title: IN_BRIEF,
  text: "Findings of this report, chosen, put in order and joined by a model; it is named under methods and sources.",
  findings: retold.map((one) => ({ ...one, method: null })),
  charts: [],
  tables: [],
});

/** The parts of a report that a model may summarize. */
export const summarizable = ({
  question,
  sections,
  facts,
}: Pick<Report, "question" | "sections" | "facts">): SummarizableReport => ({
  question,
  findings: sections.flatMap(({ findings }) => findings),
  facts: new Map(facts.map((one) => [one.id, one])),
});

export const layer = z.object({
  layer: z.string(),
  available: z.boolean(),
  why: z.string().nullable().describe("Why it is not available; null where it is"),
});

/** Reasons why a model's summary is not in a report. */
const rejectionReasons = { ...modelFailures, ...summaryFaults };
type RejectionReason = keyof typeof rejectionReasons;
export const rejectionText = (why: RejectionReason): string => rejectionReasons[why];

/** The model that was asked for a summary, and the outcome. */
export const modelSummary = z.strictObject({
  name: z.string(),
  host: z.string().describe("The host of the call"),
  prompt_sha256: sha256.describe("SHA-256 of the request's body"),
  answer_sha256: sha256.nullable().describe("SHA-256 of its answer's text; null without an answer"),
  used: z.boolean().describe("true: the first section is the model's choice of the findings"),
  why: z
    .enum(Object.keys(rejectionReasons) as [RejectionReason, ...RejectionReason[]])
    .nullable()
    .describe("Why not; null where it is used"),
});

export const report = z
  .object({
    report_id: madeId.describe(
      "Computed from operation, input, vintages, model and quotations: equal questions get equal ids",
    ),
    operation: z.string(),
    input: z.record(z.string(), z.unknown()),
    vintages: z
      .string()
      .describe(
        "Comma-separated vintages of its facts; sent as `vintage` they give the same report, except for quoted news",
      ),
    title: z.string(),
    question: z.string(),
    as_of: z.string().describe("The last month of its trade data"),
    sections: z.array(section),
    facts: z.array(fact),
    facts_sha256: sha256.describe(
      "SHA-256 of the RFC 8785 form of report_id, operation, input, vintages and facts; the log has it",
    ),
    sha256: sha256.describe("SHA-256 of the RFC 8785 form of all other fields"),
    methods: z.array(method),
    sources: z.array(source),
    limits: z.array(citedText).describe("The report's limits, with reasons"),
    model: modelSummary.nullable().describe("The model that was to summarize it; null without one"),
    dependency_risks: z.array(finding).optional(),
    substitution_patterns: z.array(finding).optional(),
    watchlist_12m: z.array(finding).optional(),
    cited_anomalies: z.array(finding).optional(),
    layers: z.array(layer).optional(),
    quotations: z
      .array(quoted)
      .optional()
      .describe(
        "News that name its country or products, if requested and found: third-party text, which nothing else in it uses",
      ),
    quotations_sha256: sha256
      .optional()
      .describe("SHA-256 of the RFC 8785 form of `{ quotations }`, if there are any"),
  })
  .meta({ id: "Report" });
export type Report = z.infer<typeof report>;

export const events = {
  ReportMade: {
    means: "A report was written; its digest fixes its content.",
    1: z.strictObject({
      report_id: madeId,
      operation: z.string(),
      input_sha256: sha256.describe("SHA-256 of the RFC 8785 form of its input."),
      facts_sha256: sha256.describe("SHA-256 of its detached facts: facts.json."),
      vintages: z.string(),
      sha256: sha256.describe("SHA-256 of the RFC 8785 form of the report, which names its object."),
      bytes: z.int().positive(),
      model: modelSummary.nullable(),
    }),
  },
};

export type ReportFacts = DataOf<typeof events, "ReportMade">;
export type ReportEvent = EventOf<typeof events>;
export type ReportState = ReportFacts | undefined;

export const prefix = "report-";
export const streamOf = (report_id: string) => prefix + report_id;
export const initialState = (): ReportState => undefined;
export const evolve = (_: ReportState, { data }: ReportEvent): ReportState => data;

/** Making the same report again records nothing. */
export const make =
  (facts: ReportFacts) =>
  (state: ReportState): ReportEvent[] =>
    state ? [] : [{ type: "ReportMade", data: facts }];

/** Days that a report is stored: as long as the vintages that it can be verified at. */
export const KEEP_DAYS = 180;

/** The name of a report; `canonical` is RFC 8785. */
export function reportId(
  {
    operation,
    input,
    vintages,
    model,
    quotations_sha256,
  }: Pick<Report, "operation" | "input" | "vintages" | "model" | "quotations_sha256">,
  canonical: (value: object) => string,
): string {
  const quotes = quotations_sha256 === undefined ? {} : { quotations_sha256 };
  const named = canonical({ operation, input, vintages, model, ...quotes });
  return digestOf(named).slice(0, 32);
}

/** The digest of the quotations, which is part of a report's name. */
export const quotationsDigest = (
  quotations: NonNullable<Report["quotations"]>,
  canonical: (value: object) => string,
): string => digestOf(canonical({ quotations }));

/** The digest of facts and of the parts that name their report. */
export function factsDigest(
  {
    report_id,
    operation,
    input,
    vintages,
    facts,
  }: Pick<Report, "report_id" | "operation" | "input" | "vintages" | "facts">,
  canonical: (value: object) => string,
): string {
  return digestOf(canonical({ report_id, operation, input, vintages, facts }));
}

export const detachedFacts = report.pick({
  report_id: true,
  operation: true,
  input: true,
  vintages: true,
  model: true,
  facts: true,
  facts_sha256: true,
  quotations_sha256: true,
});
export type DetachedFacts = z.infer<typeof detachedFacts>;

/**
 * The facts alone, with the parts that name the report: the file that accompanies a PDF, and is verified without it.
 */
export const detached = (whole: Report): DetachedFacts =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => name in detachedFacts.shape)) as DetachedFacts;
