/**
 * A country's year of trade: overview, products, partners, its largest import in depth, alerts and the economy around
 * it.
 */
import { z } from "zod";
import { Refusal, refuseWith } from "../../../core/model/refusal.ts";
import { citing } from "../../../domain/reports/cited-text.ts";
import type { Section } from "../../../domain/reports/report.ts";
import { reporter } from "../../../domain/trade/inputs.ts";
import { inSentence, partnerName } from "../../../domain/trade/reporters.ts";
import { yearOf } from "../../../domain/trade/units.ts";
import { statsQuestion } from "../../fusion/answers/country-stats.ts";
import { chooseDataset, type TradeData } from "../../trade/answers/question.ts";
import { REST } from "../../trade/answers/rankings.ts";
import {
  type CallOperation,
  deliveredCell,
  factCell,
  type ReportContent,
  type ReportDraft,
  reportDraft,
  section,
} from "../writing.ts";
import { anomaliesOf } from "./anomalies.ts";
import { economySection, productsSection, rankedPartners } from "./country-sections.ts";
import { limitsOf } from "./market-limits.ts";
import {
  dependencyFindings,
  expectedSection,
  partnersSection,
  sizeSection,
  substitutionFindings,
} from "./market-sections.ts";
import { seasonFindings } from "./market-watch.ts";

export const deepAnalysisInput = z.object({
  reporter,
  year: z
    .int("year is a whole number such as 2024")
    .min(2005, "year is 2005 at the earliest")
    .max(2026, "year is 2026 at the latest")
    .describe("A calendar year that the data cover, 2005 to 2026; the report says where it is incomplete"),
});

/** Refuses a year outside the data, without reading any figure. */
export function checkYear(trade: TradeData, { reporter, year }: z.output<typeof deepAnalysisInput>): void {
  const { months } = chooseDataset(trade, statsQuestion({ country: reporter })).manifest.coverage;
  const [first, last] = [yearOf(months.from), yearOf(months.to)];
  if (year < first || year > last) refuseYear(reporter, first, last);
}

const refuseYear = (reporter: string, first: number | undefined, last: number | undefined): never =>
  refuseWith("year", `year is from ${first ?? "none"} to ${last ?? "none"} for ${partnerName(reporter)}`);

/** Years before the year in question. */
const YEARS_BEFORE = 4;
const MOST_RANKED = 10;

/** Analyses a country's trade in a year of the data. */
export async function deepAnalysis(
  calls: CallOperation,
  { reporter, year }: z.output<typeof deepAnalysisInput>,
): Promise<ReportContent> {
  const report = reportDraft(calls);
  const { ask, at, finding } = report;
  const all = await ask("fusion_country_stats", { country: reporter });
  const covered = all.answer.data.map((one) => one.year);
  const [first, last] = [covered.at(0), covered.at(-1)];
  if (!covered.includes(year)) refuseYear(reporter, first, last);
  const shown = all.answer.data.flatMap((one, n) =>
    one.year >= year - YEARS_BEFORE && one.year <= year ? n : [],
  );
  const own = shown.at(-1)!;
  const figure = (n: number, name: "imports_eur" | "exports_eur" | "balance_eur", label: string) =>
    all.answer.data[n]![name] === null ? undefined : at(all, `/data/${n}/${name}`, label, "EUR");
  const [imports, exports, balance] = [
    figure(own, "imports_eur", "imports of the year"),
    figure(own, "exports_eur", "exports of the year"),
    figure(own, "balance_eur", "exports less imports"),
  ];
  const years = shown.map((n) => at(all, `/data/${n}/year`, "year", "year"));
  if (!all.answer.data[own]!.complete)
    report.limit(citing`Not all months of ${years.at(-1)!} are delivered: its figures are provisional.`);
  const overview = section(
    "The year in sum",
    "The country's purchases and sales, compared with the years before.",
    {
      findings:
        imports && exports && balance
          ? [
              finding(
                citing`In ${years.at(-1)!}${all.answer.data[own]!.complete ? "" : ", so far,"} ${inSentence(partnerName(reporter))} imported ${imports} and exported ${exports}, a balance of ${balance}.`,
              ),
            ]
          : [],
      charts: [
        {
          kind: "bar",
          title: "Trade by year",
          unit: "EUR",
          x: years.map(factCell),
          series: [
            {
              name: "Imports",
              facts: shown.map((n) => figure(n, "imports_eur", "imports of the year")?.id ?? null),
            },
            {
              name: "Exports",
              facts: shown.map((n) => figure(n, "exports_eur", "exports of the year")?.id ?? null),
            },
          ],
        },
      ],
      tables: [
        {
          title: "Trade by year",
          columns: ["Year", "Imports", "Exports", "Balance", "Delivered"],
          rows: shown.map((n, row) => [
            factCell(years[row]),
            factCell(figure(n, "imports_eur", "imports of the year")),
            factCell(figure(n, "exports_eur", "exports of the year")),
            factCell(figure(n, "balance_eur", "exports less imports")),
            deliveredCell(all.answer.data[n]!.complete),
          ]),
        },
      ],
    },
  );
  const products = await ask("trade_top_products", { reporter, year, flow: "IMPORT", limit: MOST_RANKED });
  const partners = await ask("trade_top_partners", { reporter, year, flow: "IMPORT", limit: MOST_RANKED });
  const sections: Section[] = [
    overview,
    productsSection(report, products, "IMPORT"),
    rankedPartners(report, partners, "IMPORT"),
  ];
  const [largest] = products.answer.data;
  if (largest && largest.product !== REST) {
    const sourced = await ask("fusion_market_intel", {
      hs: largest.product,
      reporter,
      flow: "IMPORT",
      years: `${Math.max(year - YEARS_BEFORE, first!)}-${year}`,
    });
    sections.push(
      { ...sizeSection(report, sourced), title: "The largest import" },
      { ...partnersSection(report, sourced, false), title: "Its sources" },
      expectedSection(report, sourced),
      section(
        "Dependence on few sources",
        "The three indicators, and the sources that grew while the largest fell.",
        {
          findings: [
            ...dependencyFindings(report, sourced),
            ...substitutionFindings(report, sourced),
            ...seasonFindings(report, sourced),
          ],
        },
      ),
    );
    limitsOf(report, sourced);
    if (year < Number(all.answer.meta.coverage.months.to.slice(0, 4)))
      report.limit(citing`Unusual months are tested only in the last half year of the data, which is later.`);
    else
      sections.push(
        section(
          "Unusual months",
          "Months far from the months before; each is a signal without a known cause.",
          { findings: await anomaliesOf(report, [largest.product], reporter) },
        ),
      );
  }
  return report.finish({
    title: `A year of trade: ${partnerName(reporter)}`,
    question: `What did ${partnerName(reporter)} trade in ${year}?`,
    of: all,
    sections: [...sections, ...(await economyIn(report, year))],
  });
}

/** The economy of the year; none, with a limit of the report, where no table tells of it. */
async function economyIn(report: ReportDraft, year: number): Promise<Section[]> {
  try {
    return [economySection(report, await report.ask("trade_macro_context", { year }))];
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "invalid") throw error;
    report.limit(citing`The loaded tables have no figures on the economy of that year.`);
    return [];
  }
}
