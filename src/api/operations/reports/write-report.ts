/** Writes reports for callers. Each report uses one state of the data, is recorded with its digests, and is stored. */
import { z } from "zod";
import { digestOf } from "../../../core/model/objects.ts";
import type { Data } from "../../../datasets/reading.ts";
import { reportDoc } from "../../../domain/reports/pages.ts";
import * as reports from "../../../domain/reports/report.ts";
import {
  factsDigest,
  make,
  quotationsDigest,
  type Report,
  report,
  reportId,
} from "../../../domain/reports/report.ts";
import { newsOn, newsProjection } from "../../../projections/ingest/news.ts";
import { objectOf } from "../../../projections/reports/stored-reports.ts";
import type { CallOperation, QuoteNews, ReportContent } from "../../../projections/reports/writing.ts";
import { type Context, json } from "../../declare/index.ts";
import { canonical, type TimeLimits, withNestedCalls } from "../../serve/nested-calls.ts";
import { typedCalls } from "../fusion/typed-calls.ts";
import { withModelSummary } from "./model-summary.ts";

const reportMeta = z.object({
  dataset: z.string().describe("The report's main dataset"),
  vintage: z.string().describe("Comma-separated vintages of the main dataset and further tables"),
  synthetic: z.boolean().describe("true: synthetic figures of the sandbox, for trying the service out"),
  source: z.string(),
});

const reportAnswer = z.object({ data: report, meta: reportMeta });

/** A report in all its forms: JSON, Markdown, HTML and PDF. */
export const reportOutput = json(reportAnswer, { pages: ({ data }) => reportDoc(data, canonical) });

/** Part of every report's description. */
export const FORMS = "Every figure is a fact you can look up. JSON, Markdown, HTML or PDF by `Accept`.";

/** The effects of a report's operation: the report is recorded once, so repeating the request changes nothing. */
export const recordingEffects = { changes: "adds", repeatable: true, reaches_out: false } as const;

/** Writes a report, stores it, and records it in the caller's tenant with the digests of its facts and bytes. */
export async function writeReport(
  operation: string,
  context: Context<never>,
  write: (ask: CallOperation, data: Data) => Promise<ReportContent>,
  patience: TimeLimits = {},
): Promise<z.infer<typeof reportAnswer>> {
  const { app, caller, unit } = context;
  const { vintage: _, ...input } = context.input as Record<string, unknown>;
  const { plain, vintages } = await withNestedCalls(
    context,
    async (calls) => ({ plain: await write(typedCalls(calls), calls.data), vintages: calls.restsOn() }),
    patience,
  );
  const { written } = await withModelSummary(plain, app.model, context);
  const report = complete({ operation, input, vintages }, written);
  const bytes = Buffer.from(canonical(report));
  const facts = {
    report_id: report.report_id,
    operation,
    input_sha256: digestOf(canonical(report.input)),
    facts_sha256: report.facts_sha256,
    vintages,
    sha256: digestOf(bytes),
    bytes: bytes.length,
    model: written.model,
  };
  await app.objects.put(objectOf(facts), bytes);
  await unit.decide(reports, { tenant: caller.tenant, id: facts.report_id }, make(facts));
  // Answers from the stored bytes, so that later reads give the same report.
  const data = JSON.parse(bytes.toString()) as Report;
  return { data, meta: aboutReport(data) };
}

/** The most news items that one report or skill quotes. */
const MOST_QUOTED = 10;

/** Finds the news that a report may quote: the operator's, and those of the caller's own tenant. */
export const quotesFor =
  ({ app, caller }: Pick<Context<never>, "app" | "caller">): QuoteNews =>
  async (about) => {
    await app.caughtUp(newsProjection);
    return newsOn(app, { tenant: caller.tenant, ...about, limit: MOST_QUOTED });
  };

export function complete(
  { operation, input, vintages }: Pick<Report, "operation" | "input" | "vintages">,
  written: ReportContent,
): Report {
  const named = { operation, input: JSON.parse(JSON.stringify(input)) as Report["input"], vintages };
  const { model, quotations } = written;
  const quotes = quotations && { quotations_sha256: quotationsDigest(quotations, canonical) };
  const report_id = reportId({ ...named, model, ...quotes }, canonical);
  const facts_sha256 = factsDigest({ report_id, ...named, facts: written.facts }, canonical);
  const all = { report_id, ...named, ...written, facts_sha256, ...quotes };
  return { ...all, sha256: digestOf(canonical(all)) };
}

/** The `meta` of a report, with its first source. */
export function aboutReport({ sources, facts }: Report): z.infer<typeof reportMeta> {
  const [{ dataset, vintage, facts: cites } = { dataset: "", vintage: "", facts: [] }] = sources;
  return {
    dataset,
    vintage,
    synthetic: sources.some(({ synthetic }) => synthetic),
    source: String(facts.find(({ id }) => id === cites[0])?.value ?? ""),
  };
}
