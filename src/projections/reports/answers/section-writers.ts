/** The report sections of each operation that a plan may call: findings and tables over the facts of its answer. */

import { citing } from "../../../domain/reports/cited-text.ts";
import type { Finding, Section } from "../../../domain/reports/report.ts";
import { inSentence } from "../../../domain/trade/reporters.ts";
import { withFamily } from "../code-limits.ts";
import {
  type AnswerTo,
  factCell,
  type OperationAnswers,
  type ReportDraft,
  section,
  wordCell,
} from "../writing.ts";
import { anomaliesIn, noneUnusual } from "./anomalies.ts";
import {
  countrySections,
  economySection,
  productsSection,
  rankedPartners,
  yearsSection,
} from "./country-sections.ts";
import { limitsOf } from "./market-limits.ts";
import {
  advantageFindings,
  dependencyFindings,
  expectedSection,
  leadFindings,
  partnersSection,
  sizeSection,
  substitutionFindings,
} from "./market-sections.ts";
import { seasonFindings } from "./market-watch.ts";
import {
  aheadSection,
  concentrationSection,
  corridorSection,
  pricesSection,
  pulseSection,
  rerouteSection,
  seasonSection,
  sourcesSection,
  timelineSection,
} from "./trade-sections.ts";
import { wagesSection } from "./wages-section.ts";

type SectionWriters = {
  [Name in keyof OperationAnswers]: (writing: ReportDraft, sourced: AnswerTo<Name>) => Section[];
};

/** A check of plans fails where an operation of a plan has none. */
export const sectionWriters: SectionWriters = {
  fusion_market_intel(writing, sourced) {
    limitsOf(writing, sourced);
    return [
      sizeSection(writing, sourced),
      partnersSection(writing, sourced, false),
      expectedSection(writing, sourced),
      section("Signals by method", "By the methods that apply.", {
        findings: [
          ...advantageFindings(writing, sourced),
          ...dependencyFindings(writing, sourced),
          ...substitutionFindings(writing, sourced),
          ...seasonFindings(writing, sourced),
          ...leadFindings(writing, sourced),
        ],
      }),
    ];
  },
  fusion_product: productSection,
  fusion_country: countrySections,
  fusion_country_stats: (writing, sourced) => [yearsSection(writing, sourced)],
  trade_alerts: (writing, sourced) => {
    const findings = anomaliesIn(writing, sourced);
    if (findings.length === 0) findings.push(noneUnusual(writing, sourced));
    return [
      section(
        "Unusual months",
        "Months far from the months before; each is a signal without a known cause.",
        { findings },
      ),
    ];
  },
  trade_top_products: (writing, sourced) => [
    productsSection(writing, sourced, sourced.answer.meta.flow ?? undefined),
  ],
  trade_top_partners: (writing, sourced) => [
    rankedPartners(writing, sourced, sourced.answer.meta.flow ?? undefined),
  ],
  trade_macro_context: (writing, sourced) => [economySection(writing, sourced)],
  salary_compare: (writing, sourced) => [wagesSection(writing, sourced)],
  trade_timeline: (writing, sourced) => [timelineSection(writing, sourced)],
  trade_seasonality: (writing, sourced) => [seasonSection(writing, sourced)],
  trade_flow_pulse: (writing, sourced) => [pulseSection(writing, sourced)],
  trade_source_concentration: (writing, sourced) => [sourcesSection(writing, sourced)],
  trade_corridor: corridorSection,
  trade_reroute_watch: (writing, sourced) => [rerouteSection(writing, sourced)],
  trade_price_per_tonne: (writing, sourced) => [pricesSection(writing, sourced)],
  trade_concentration: (writing, sourced) => [concentrationSection(writing, sourced)],
  front_run_watch: (writing, sourced) => [aheadSection(writing, sourced)],
};

/** Writes the section of any such answer. */
export const writeSection = (writing: ReportDraft, operation: string, sourced: object): Section[] =>
  (
    sectionWriters[operation as keyof OperationAnswers] as (
      writing: ReportDraft,
      sourced: object,
    ) => Section[]
  )(writing, sourced);

const MOST_LISTED = 10;

/** The index of the row with the largest amount; -1 where all are 0 or unknown. */
function mostOf<Field extends string>(rows: readonly Record<Field, number | null>[], field: Field): number {
  const amounts = rows.map((row) => row[field] ?? 0);
  const most = Math.max(0, ...amounts);
  return most > 0 ? amounts.indexOf(most) : -1;
}

/** The traders of a product, and the concentration of its sources outside the EU. */
function productSection({ at, finding }: ReportDraft, sourced: AnswerTo<"fusion_product">): Section[] {
  const { data, meta } = sourced.answer;
  const findings: Finding[] = [];
  const name =
    meta.name === null
      ? at(sourced, "/meta/product", "code of the product", "code")
      : at(sourced, "/meta/name", "name of the product", "text");
  const year = at(sourced, "/meta/year", "year that is reported", "year");
  for (const [field, role] of [
    ["exports_eur", "exporter"],
    ["imports_eur", "importer"],
  ] as const) {
    const most = mostOf(data.reporters, field);
    if (most < 0) continue;
    const value = at(sourced, `/data/reporters/${most}/${field}`, "trade of the largest reporter", "EUR");
    findings.push(
      finding(
        citing`In ${year} the largest ${role} of ${name}${withFamily(sourced.answer)} among the twenty-seven was ${inSentence(data.reporters[most]!.name)} with ${value}.`,
      ),
    );
  }
  if (data.sources_outside_eu) {
    const hhi = at(
      sourced,
      "/data/sources_outside_eu/hhi",
      "concentration of sources outside the EU",
      "index",
    );
    const countries = at(
      sourced,
      "/data/sources_outside_eu/countries",
      "countries outside that sell it",
      "count",
    );
    const kind = data.sources_outside_eu.classification.replaceAll("_", " ");
    findings.push(
      finding(
        citing`In ${year} the EU imported the product from ${countries} countries outside, with a Herfindahl–Hirschman index of ${hhi}: ${kind}.`,
        "reported",
        "concentration",
      ),
    );
  }
  const lines = (of: "reporters" | "partners", title: string) => ({
    title,
    columns: ["Country", "Imports", "Exports", "Share"],
    rows: data[of]
      .slice(0, MOST_LISTED)
      .map(({ name, share }, n) => [
        wordCell(name),
        factCell(at(sourced, `/data/${of}/${n}/imports_eur`, "imports of the product", "EUR")),
        factCell(at(sourced, `/data/${of}/${n}/exports_eur`, "exports of the product", "EUR")),
        factCell(
          share === null
            ? undefined
            : at(sourced, `/data/${of}/${n}/share`, "share of the trade of all", "share"),
        ),
      ]),
  });
  return [
    section("Traders of the product", "The twenty-seven and their partners.", {
      findings,
      tables: [lines("reporters", "Reporters"), lines("partners", "Partners of the EU")],
    }),
  ];
}
