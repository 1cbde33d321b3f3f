/** The report sections of each operation that a plan may call: findings and tables over the facts of its answer. */

import { say } from "../../../domain/reports/cited-text.ts";
import type { Finding, Section } from "../../../domain/reports/report.ts";
import { type Answers, type AnswerTo, factCell, type ReportDraft, section, wordCell } from "../writing.ts";
import { anomaliesIn } from "./anomalies.ts";
import {
  countrySections,
  economySection,
  productsSection,
  rankedPartners,
  wagesSection,
  yearsSection,
} from "./country-sections.ts";
import {
  advantageFindings,
  dependencyFindings,
  expectedSection,
  leadFindings,
  limitsOf,
  partnersSection,
  seasonFindings,
  sizeSection,
  substitutionFindings,
} from "./market-sections.ts";
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

type SectionWriters = { [Name in keyof Answers]: (writing: ReportDraft, told: AnswerTo<Name>) => Section[] };

/** A check of plans fails where an operation of a plan has none. */
export const sectionWriters: SectionWriters = {
  fusion_market_intel(writing, told) {
    limitsOf(writing, told);
    return [
      sizeSection(writing, told),
      partnersSection(writing, told, false),
      expectedSection(writing, told),
      section("What stands out", "By the methods that apply.", {
        findings: [
          ...advantageFindings(writing, told),
          ...dependencyFindings(writing, told),
          ...substitutionFindings(writing, told),
          ...seasonFindings(writing, told),
          ...leadFindings(writing, told),
        ],
      }),
    ];
  },
  fusion_product: productSection,
  fusion_country: countrySections,
  fusion_country_stats: (writing, told) => [yearsSection(writing, told)],
  trade_alerts: (writing, told) => [
    section(
      "What was unusual",
      "Months far from those before; each is a signal, and no finding of a cause.",
      {
        findings: anomaliesIn(writing, told).map(({ finding }) => finding),
      },
    ),
  ],
  trade_top_products: (writing, told) => [productsSection(writing, told, told.answer.meta.flow ?? undefined)],
  trade_top_partners: (writing, told) => [rankedPartners(writing, told, told.answer.meta.flow ?? undefined)],
  trade_macro_context: (writing, told) => [economySection(writing, told)],
  salary_compare: (writing, told) => [wagesSection(writing, told)],
  trade_timeline: (writing, told) => [timelineSection(writing, told)],
  trade_seasonality: (writing, told) => [seasonSection(writing, told)],
  trade_flow_pulse: (writing, told) => [pulseSection(writing, told)],
  trade_source_concentration: (writing, told) => [sourcesSection(writing, told)],
  trade_corridor: corridorSection,
  trade_reroute_watch: (writing, told) => [rerouteSection(writing, told)],
  trade_price_per_tonne: (writing, told) => [pricesSection(writing, told)],
  trade_concentration: (writing, told) => [concentrationSection(writing, told)],
  front_run_watch: (writing, told) => [aheadSection(writing, told)],
};

/** Writes the section of any such answer. */
export const writeSection = (writing: ReportDraft, operation: string, told: object): Section[] =>
  (sectionWriters[operation as keyof Answers] as (writing: ReportDraft, told: object) => Section[])(
    writing,
    told,
  );

const MOST_LISTED = 10;

/** The traders of a product, and the concentration of its sources outside the EU. */
function productSection({ at, finding }: ReportDraft, told: AnswerTo<"fusion_product">): Section[] {
  const { data, meta } = told.answer;
  const findings: Finding[] = [];
  const name =
    meta.name === null
      ? at(told, "/meta/product", "code of the product", "code")
      : at(told, "/meta/name", "name of the product", "text");
  const year = at(told, "/meta/year", "year that is reported", "year");
  const [first] = data.reporters;
  if (first) {
    const value = at(told, "/data/reporters/0/value_eur", "imports and exports of the reporter", "EUR");
    findings.push(
      finding(say`In ${year} ${first.name} traded most of ${name} among the twenty-seven: ${value}.`),
    );
  }
  if (data.sources_outside_eu) {
    const hhi = at(told, "/data/sources_outside_eu/hhi", "concentration of sources outside the EU", "index");
    const countries = at(
      told,
      "/data/sources_outside_eu/countries",
      "countries outside that sell it",
      "count",
    );
    const kind = data.sources_outside_eu.classification.replaceAll("_", " ");
    findings.push(
      finding(
        say`It comes from ${countries} countries outside the EU, with a concentration of ${hhi}: ${kind}.`,
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
        factCell(at(told, `/data/${of}/${n}/imports_eur`, "imports of the product", "EUR")),
        factCell(at(told, `/data/${of}/${n}/exports_eur`, "exports of the product", "EUR")),
        factCell(
          share === null
            ? undefined
            : at(told, `/data/${of}/${n}/share`, "share of the trade of all", "share"),
        ),
      ]),
  });
  return [
    section("Who trades it", "Among the twenty-seven, and their partners.", {
      findings,
      tables: [lines("reporters", "Reporters"), lines("partners", "Partners of the EU")],
    }),
  ];
}
