/** A report summed up by a model, where one is set: its choice of the findings comes first, or the report says why it does not. */
import { z } from "zod";
import type { Model, Question } from "../../../core/model/ports/model.ts";
import { inBrief, tellable } from "../../../domain/reports/report.ts";
import { INSTRUCTIONS, retelling, retold, toRetell } from "../../../domain/reports/retold.ts";
import type { Written } from "../../../projections/reports/writing.ts";

const FORM = z.toJSONSchema(retelling);

/** The report as it is where there is no model, or nothing that it says can be used; and the tokens that asking took. */
export async function summedUp(
  written: Written,
  model: Model | undefined,
  { signal, within_ms }: Pick<Question, "signal" | "within_ms">,
): Promise<{ written: Written; tokens: number }> {
  const told = tellable(written);
  const data = toRetell(told);
  if (!model || !data) return { written, tokens: 0 };
  const question = { instructions: INSTRUCTIONS, data, form: FORM, signal, within_ms };
  const outcome = await model.ask(question, (text) => retold(text, told));
  const { name, host } = model;
  const { prompt_sha256, answer_sha256, tokens } = outcome;
  const asked = { name, host, prompt_sha256, answer_sha256 };
  if (!("kept" in outcome))
    return { written: { ...written, model: { ...asked, used: false, why: outcome.why } }, tokens };
  const sections = [inBrief(outcome.kept), ...written.sections];
  return { written: { ...written, sections, model: { ...asked, used: true, why: null } }, tokens };
}
