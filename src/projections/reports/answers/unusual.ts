/** What was unusual in the last months, for any report. */
import type { Finding } from "../../../domain/reports/report.ts";
import { say } from "../../../domain/reports/say.ts";
import { isReporter, partnerName } from "../../../domain/trade/reporters.ts";
import type { Writing } from "../writing.ts";

const MOST_ANOMALIES = 8;

/** Anomalies of the last months of these products in the region; those that the season does not explain are open. */
export async function unusual(report: Writing, products: readonly string[], region: string) {
  const { ask, at, finding } = report;
  const anomalies: Finding[] = [];
  const open: Finding[] = [];
  for (const product of products) {
    const told = await ask("trade_alerts", { months: 6, flow: "IMPORT", hs: product });
    const found = [...told.answer.data.alerts.entries()].filter(
      ([, one]) => !isReporter(region) || one.reporter === region,
    );
    for (const [n, one] of found.slice(0, MOST_ANOMALIES)) {
      const figure = (name: string, label: string, unit: "EUR" | "ratio" | "month" | "code") =>
        at(told, `/data/alerts/${n}/${name}`, label, unit);
      const [value, base] = [
        figure("value_eur", "imports of the month", "EUR"),
        figure("base_eur", "mean of the months before", "EUR"),
      ];
      const [period, z] = [
        figure("period", "month of the anomaly", "month"),
        figure("z", "deviations from the months before", "ratio"),
      ];
      const code = figure("product", "code of the product", "code");
      const said = say`${partnerName(one.reporter)}'s imports of HS ${code} in ${period} were ${value}, beside ${base} in a mean month before: ${z} deviations.`;
      const made = finding(said, "signal", "alert");
      anomalies.push(made);
      if (one.confirmed) open.push(made);
    }
  }
  return { anomalies, open };
}
