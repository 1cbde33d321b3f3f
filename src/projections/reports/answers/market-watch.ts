/** Findings of a market on months to watch: seasonal peaks and announced policies. */

import { citing } from "../../../domain/reports/cited-text.ts";
import type { Finding } from "../../../domain/reports/report.ts";
import { inSentence } from "../../../domain/trade/reporters.ts";
import type { Market, ReportDraft } from "../writing.ts";
import { FLOWS, productOf } from "./market-sections.ts";

export function seasonFindings(writing: ReportDraft, market: Market): Finding[] {
  const { at, finding } = writing;
  const { peak } = market.answer.data.season;
  if (!peak) return [];
  const month = at(market, "/data/season/peak/month", "month of the seasonal peak", "calendar_month");
  const factor = at(market, "/data/season/peak/factor", "peak over an average month", "ratio");
  return [
    finding(
      citing`The ${FLOWS[market.answer.meta.flow]} of ${productOf(writing, market)} have their seasonal peak in ${month}, at ${factor} times an average month.`,
      "reported",
      "season",
    ),
  ];
}

export function policyFindings({ at, finding }: ReportDraft, market: Market): Finding[] {
  return (market.answer.data.policies ?? []).map(({ name }, n) => {
    const figure = (field: string, label: string, unit: "code" | "text") =>
      at(market, `/data/policies/${n}/${field}`, label, unit);
    const [date, code] = [
      figure("date", "day of the policy", "code"),
      figure("hs", "code of the product", "code"),
    ];
    const measure = figure("measure", "measure of the policy", "text");
    const from = name === null ? "from all countries" : `from ${inSentence(name)}`;
    return finding(citing`On ${date} a policy begins on HS ${code} ${from}: ${measure}.`);
  });
}
