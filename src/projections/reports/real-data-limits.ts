/** Sentences on real data that are loaded where a report's figures are synthetic. */
import { type CitedText, citing } from "../../domain/reports/cited-text.ts";
import type { AnswerWithOrigin, Ledger } from "../../domain/reports/fact.ts";

type AnswerBesideReal = { meta?: { real_data?: { dataset: string }[] } };

/** A sentence for each real dataset that an answer names; `named` has those of earlier answers. */
export function realDataLimits(
  { at }: Ledger,
  sourced: AnswerWithOrigin,
  named: ReadonlySet<string>,
): { dataset: string; said: CitedText }[] {
  const { real_data = [] } = (sourced.answer as AnswerBesideReal).meta ?? {};
  return real_data.flatMap(({ dataset }, n) => {
    if (named.has(dataset)) return [];
    const figure = (field: string, label: string) =>
      at(sourced, `/meta/real_data/${n}/${field}`, label, "text");
    const name = figure("dataset", "real dataset");
    const why = figure("why", "why the real dataset does not answer");
    return {
      dataset,
      said: citing`These figures are synthetic. The real dataset ${name} does not answer: ${why}.`,
    };
  });
}
