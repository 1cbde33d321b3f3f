/** Lets a configured model choose a report's main findings. Without a usable answer, the report says why. */
import { z } from "zod";
import type { Model, Question } from "../../../core/model/ports/model.ts";
import {
  checkSummary,
  INSTRUCTIONS,
  summaryForm,
  summaryPrompt,
} from "../../../domain/reports/model-summary.ts";
import { inBrief, summarizable } from "../../../domain/reports/report.ts";
import type { ReportContent } from "../../../projections/reports/writing.ts";

const FORM = z.toJSONSchema(summaryForm);

/**
 * Returns the report, and the tokens that the model's call used. Without a usable answer, the report's sections are
 * unchanged.
 */
export async function withModelSummary(
  written: ReportContent,
  model: Model | undefined,
  { signal, within_ms }: Pick<Question, "signal" | "within_ms">,
): Promise<{ written: ReportContent; tokens: number }> {
  const findings = summarizable(written);
  const data = summaryPrompt(findings);
  if (!model || !data) return { written, tokens: 0 };
  const question = { instructions: INSTRUCTIONS, data, form: FORM, signal, within_ms };
  const outcome = await model.ask(question, (text) => checkSummary(text, findings));
  const { name, host } = model;
  const { prompt_sha256, answer_sha256, tokens } = outcome;
  const call = { name, host, prompt_sha256, answer_sha256 };
  if (!("accepted" in outcome))
    return { written: { ...written, model: { ...call, used: false, why: outcome.why } }, tokens };
  const sections = [inBrief(outcome.accepted), ...written.sections];
  return { written: { ...written, sections, model: { ...call, used: true, why: null } }, tokens };
}
