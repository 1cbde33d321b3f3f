/** The section of a report on the cost of work in several countries. */

import { citing, joinList } from "../../../domain/reports/cited-text.ts";
import type { Section } from "../../../domain/reports/report.ts";
import { inSentence } from "../../../domain/trade/reporters.ts";
import { type AnswerTo, factCell, type ReportDraft, section, wordCell } from "../writing.ts";

/** Countries in a sentence on the cost of work; of more, the dearest and the cheapest. */
const MOST_WAGES = 5;

/** The cost of an hour of work in several countries. */
export function wagesSection({ at, finding }: ReportDraft, sourced: AnswerTo<"salary_compare">): Section {
  const { data } = sourced.answer;
  const figure = (
    n: number,
    name: "labour_cost_eur_per_hour" | "earnings_eur_per_hour" | "ratio_to_eu27",
    label: string,
  ) =>
    data[n]![name] === null
      ? undefined
      : at(sourced, `/data/${n}/${name}`, label, name === "ratio_to_eu27" ? "ratio" : "EUR");
  const costs = data.flatMap(({ name, labour_cost_eur_per_hour }, n) => {
    const cost = figure(n, "labour_cost_eur_per_hour", "labour cost of an hour");
    return cost
      ? [{ n, amount: labour_cost_eur_per_hour!, said: citing`${cost} in ${inSentence(name)}` }]
      : [];
  });
  const byCost = costs.toSorted((one, other) => other.amount - one.amount);
  const shown = costs.length <= MOST_WAGES ? costs : [byCost[0]!, byCost.at(-1)!];
  const [any] = costs;
  return section("The cost of work", "An hour in the whole economy, compared with the EU.", {
    findings: any
      ? [
          finding(
            citing`An hour of work cost ${joinList(shown.map(({ said }) => said))} in ${at(sourced, `/data/${any.n}/labour_cost_year`, "year of the labour cost", "year")}${shown === costs ? "" : ", the most and the least"}.`,
          ),
        ]
      : [],
    tables: [
      {
        title: "An hour of work",
        columns: ["Country", "Labour cost", "Gross earnings", "Cost over that of the EU"],
        rows: data.map(({ name }, n) => [
          wordCell(name),
          factCell(figure(n, "labour_cost_eur_per_hour", "labour cost of an hour")),
          factCell(figure(n, "earnings_eur_per_hour", "gross earnings of an hour")),
          factCell(figure(n, "ratio_to_eu27", "labour cost over that of the EU")),
        ]),
      },
    ],
  });
}
