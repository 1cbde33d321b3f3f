/** Anomalies of the last months, for any report. */

import { Refusal } from "../../../core/model/refusal.ts";
import { citing } from "../../../domain/reports/cited-text.ts";
import type { Finding } from "../../../domain/reports/report.ts";
import { tradeProblems } from "../../../domain/trade/problems.ts";
import { nameInBrackets } from "../../../domain/trade/product-names.ts";
import { inSentence, isReporter, partnerName, unknownPartner } from "../../../domain/trade/reporters.ts";
import { withFamily } from "../code-limits.ts";
import type { AnswerTo, ReportDraft } from "../writing.ts";

const MOST_ANOMALIES = 8;

/** An answer's alerts as findings, of one region where it is a country. */
export function anomaliesIn(
  { at, finding }: ReportDraft,
  sourced: AnswerTo<"trade_alerts">,
  region = "EU",
): Finding[] {
  return [...sourced.answer.data.alerts.entries()]
    .filter(([, one]) => !isReporter(region) || one.reporter === region)
    .slice(0, MOST_ANOMALIES)
    .map(([n, one]) => {
      const trade = one.flow === "IMPORT" ? "imports" : "exports";
      const figure = (name: string, label: string, unit: "EUR" | "ratio" | "month" | "code") =>
        at(sourced, `/data/alerts/${n}/${name}`, label, unit);
      const [value, base] = [
        figure("value_eur", `${trade} of the month`, "EUR"),
        figure("base_eur", "mean of the months before", "EUR"),
      ];
      const [period, z] = [
        figure("period", "month of the anomaly", "month"),
        figure("z", "deviations from the months before", "ratio"),
      ];
      const code = figure("product", "code of the product", "code");
      const said = citing`In ${period} the ${trade} of HS ${code}${nameInBrackets(one.product)}${withFamily(sourced.answer)} by ${inSentence(partnerName(one.reporter))} were ${value}, compared with ${base} in a mean month before: ${z} standard deviations away.`;
      return finding(said, "signal", "alert");
    });
}

/** The finding that the tested months are as usual. */
export const noneUnusual = ({ at, finding }: ReportDraft, sourced: AnswerTo<"trade_alerts">): Finding =>
  finding(
    citing`No tested month up to ${at(sourced, "/meta/coverage/months/to", "last month of the data", "month")} is unusual.`,
    "signal",
    "alert",
  );

/** The unusual months of a product; undefined, with a limit of the report, where none can be tested. */
export async function askAlerts(
  { ask, limit }: ReportDraft,
  input: Record<string, unknown>,
): Promise<AnswerTo<"trade_alerts"> | undefined> {
  try {
    return await ask("trade_alerts", input);
  } catch (error) {
    if (!(error instanceof Refusal) || error.type !== tradeProblems["outside-coverage"]) throw error;
    limit(
      citing`No recent month of this trade could be tested: it is too small, or too few months are delivered.`,
    );
    return undefined;
  }
}

/** Anomalies of the last months of these products in the region. */
export async function anomaliesOf(
  report: ReportDraft,
  products: readonly string[],
  region: string,
): Promise<Finding[]> {
  const found: Finding[] = [];
  // A country outside the 27 reports nothing that could stand out.
  if (unknownPartner(region) === undefined && !isReporter(region)) return [];
  for (const hs of products) {
    const sourced = await askAlerts(report, {
      months: 6,
      flow: "IMPORT",
      hs,
      ...(isReporter(region) && { reporter: region }),
    });
    if (!sourced) continue;
    const unusual = anomaliesIn(report, sourced, region);
    found.push(...unusual);
    if (unusual.length > 0) continue;
    const code = report.at(sourced, "/meta/hs", "code of the figures", "code");
    const month = report.at(sourced, "/meta/coverage/months/to", "last month of the data", "month");
    report.limit(citing`No unusual month of the imports of HS ${code} was found up to ${month}.`);
  }
  return found;
}
