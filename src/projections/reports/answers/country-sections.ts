/** Sections of a report on a country: its years, partners, products, dependencies, and the economy around it. */

import { citing } from "../../../domain/reports/cited-text.ts";
import type { Fact } from "../../../domain/reports/fact.ts";
import type { Finding, Section } from "../../../domain/reports/report.ts";
import type { Flow } from "../../../domain/trade/units.ts";
import { REST } from "../../trade/answers/rankings.ts";
import { type AnswerTo, factCell, type ReportDraft, section, wordCell } from "../writing.ts";

const words = { IMPORT: "imports", EXPORT: "exports" } as const;

/** Imports, exports and balance by year; `base` is the pointer to the list of years. */
export function yearsSection(
  { at, finding }: ReportDraft,
  sourced: AnswerTo<"fusion_country"> | AnswerTo<"fusion_country_stats">,
): Section {
  const { data, meta } = sourced.answer;
  const [years, base] = Array.isArray(data) ? [data, "/data"] : [data.trade, "/data/trade"];
  const figure = (n: number, name: "imports_eur" | "exports_eur" | "balance_eur", label: string) =>
    years[n]![name] === null ? undefined : at(sourced, `${base}/${n}/${name}`, label, "EUR");
  const lines = years.map((_, n) => ({
    year: at(sourced, `${base}/${n}/year`, "year", "year"),
    imports: figure(n, "imports_eur", "imports of the year"),
    exports: figure(n, "exports_eur", "exports of the year"),
    balance: figure(n, "balance_eur", "exports less imports"),
  }));
  const last = lines.at(-1);
  const seen = meta.view === "through_partners" ? " with the twenty-seven of the EU" : "";
  return section("Trade by year", "The country's purchases and sales.", {
    findings:
      last?.imports && last.exports && last.balance
        ? [
            finding(
              citing`In ${last.year} ${meta.name}${seen} imported ${last.imports} and exported ${last.exports}, a balance of ${last.balance}.`,
            ),
          ]
        : [],
    charts:
      lines.length > 1
        ? [
            {
              kind: "bar",
              title: "Trade by year",
              unit: "EUR",
              x: lines.map(({ year }) => factCell(year)),
              series: [
                { name: "Imports", facts: lines.map(({ imports }) => imports?.id ?? null) },
                { name: "Exports", facts: lines.map(({ exports }) => exports?.id ?? null) },
              ],
            },
          ]
        : [],
    tables: [
      {
        title: "Trade by year",
        columns: ["Year", "Imports", "Exports", "Balance"],
        rows: lines.map(({ year, imports, exports, balance }) =>
          [year, imports, exports, balance].map(factCell),
        ),
      },
    ],
  });
}

/** A country's profile: its partners and products, its strengths, and its dependence on few sources. */
export function countrySections(writing: ReportDraft, sourced: AnswerTo<"fusion_country">): Section[] {
  const { at, finding, limit } = writing;
  const { data, meta } = sourced.answer;
  const side = (of: "partners" | "products", flow: "imports" | "exports") => ({
    title: `Largest ${of}, ${flow}`,
    columns: [of === "partners" ? "Partner" : "Chapter", "Value", "Share"],
    rows: data[of][flow].map(({ name, code, share }, n) => {
      const base = `/data/${of}/${flow}/${n}`;
      const named =
        of === "partners"
          ? wordCell(name ?? code)
          : factCell(
              name === null
                ? at(sourced, `${base}/code`, "code of the chapter", "code")
                : at(sourced, `${base}/name`, "name of the chapter", "text"),
            );
      return [
        named,
        factCell(at(sourced, `${base}/value_eur`, `${flow} of the year`, "EUR")),
        factCell(share === null ? undefined : at(sourced, `${base}/share`, `share of ${flow}`, "share")),
      ];
    }),
  });
  const strong = data.advantage?.[0];
  const findings: Finding[] = [];
  if (strong) {
    const name = nameAt(writing, sourced, "/data/advantage/0", strong.name);
    const rca = at(sourced, "/data/advantage/0/rca", "revealed comparative advantage", "ratio");
    findings.push(
      finding(
        citing`${meta.name} is strongest in ${name}: its share of the exports is ${rca} times that of the twenty-seven.`,
        "reported",
        "advantage",
      ),
    );
  }
  for (const [n, one] of (data.dependency ?? []).entries()) {
    const name = nameAt(writing, sourced, `/data/dependency/${n}`, one.name);
    if (one.concentration === null || one.extra_share === null) continue;
    const figure = (field: string, label: string, unit: "index" | "share") =>
      at(sourced, `/data/dependency/${n}/${field}`, label, unit);
    findings.push(
      finding(
        citing`Imports of ${name} depend on few sources outside the EU: concentration ${figure("concentration", "concentration of sources outside the EU", "index")}, ${figure("extra_share", "share of imports from outside the EU", "share")} from outside.`,
        "reported",
        "dependency",
      ),
    );
  }
  if (data.dependency?.length === 0)
    findings.push(
      finding(
        citing`No chapter of its imports depends on few sources outside the EU by the three indicators.`,
        "reported",
        "dependency",
      ),
    );
  for (const [n, { of }] of data.absent.entries())
    limit(
      citing`No ${of.replaceAll("_", " ")} of ${meta.name}: ${at(sourced, `/data/absent/${n}/why`, "why a figure is absent", "text")}.`,
    );
  return [
    yearsSection(writing, sourced),
    section("With whom it trades", "The largest partners of the year.", {
      tables: [side("partners", "imports"), side("partners", "exports")],
    }),
    section("In what it trades", "The largest chapters of the year.", {
      tables: [side("products", "imports"), side("products", "exports")],
    }),
    section("Where it is strong, and where it depends on few", "By chapter.", { findings }),
    peopleSection(writing, sourced),
  ];
}

const nameAt = (
  { at }: ReportDraft,
  sourced: AnswerTo<"fusion_country">,
  base: string,
  name: string | null,
): Fact =>
  name === null
    ? at(sourced, `${base}/product`, "code of the chapter", "code")
    : at(sourced, `${base}/name`, "name of the chapter", "text");

/** The cost of work and prices in a country, and the exposure of its work to AI. */
function peopleSection({ at, finding }: ReportDraft, sourced: AnswerTo<"fusion_country">): Section {
  const { wages, inflation, ai_exposure } = sourced.answer.data;
  const { name } = sourced.answer.meta;
  const findings: Finding[] = [];
  if (wages && wages.labour_cost_eur_per_hour !== null && wages.labour_cost_year !== null) {
    const cost = at(sourced, "/data/wages/labour_cost_eur_per_hour", "labour cost of an hour", "EUR");
    const year = at(sourced, "/data/wages/labour_cost_year", "year of the labour cost", "year");
    findings.push(finding(citing`An hour of work in ${name} cost ${cost} in ${year}.`));
  }
  if (inflation) {
    const rate = at(sourced, "/data/inflation/yoy_pct", "change of consumer prices in a year", "percent");
    const month = at(sourced, "/data/inflation/month", "month of the prices", "month");
    findings.push(finding(citing`Consumer prices in ${month} were ${rate} above those of a year before.`));
  }
  if (ai_exposure && ai_exposure.score !== null) {
    const score = at(sourced, "/data/ai_exposure/score", "exposure of work to AI", "ratio");
    findings.push(
      finding(citing`Work in the EU as a whole is exposed to generative AI at ${score} of one.`, "estimated"),
    );
  }
  return section("Work and prices", "Figures of other tables than those of trade.", { findings });
}

/** The largest products of a country's flow, or of both. */
export function productsSection(
  { at, finding }: ReportDraft,
  sourced: AnswerTo<"trade_top_products">,
  flow: Flow | undefined,
): Section {
  const trade = flow === undefined ? "trade" : words[flow];
  const rows = sourced.answer.data.flatMap(({ product, name, share }, n) =>
    product === REST
      ? []
      : [
          {
            product: at(sourced, `/data/${n}/product`, "code of the product", "code"),
            name: name === null ? undefined : at(sourced, `/data/${n}/name`, "name of the product", "text"),
            value: at(sourced, `/data/${n}/value_eur`, `${trade} of the product`, "EUR"),
            share: share === null ? undefined : at(sourced, `/data/${n}/share`, `share of ${trade}`, "share"),
          },
        ],
  );
  const [first] = rows;
  return section(flow === "IMPORT" ? "Its imports" : "Its trade", "The largest products of the year.", {
    findings: first?.share
      ? [finding(citing`The largest is ${first.name ?? first.product} with ${first.share} of all ${trade}.`)]
      : [],
    tables: [
      {
        title: "Largest products",
        columns: ["Code", "Name", flow === "IMPORT" ? "Imports" : "Value", "Share"],
        rows: rows.map(({ product, name, value, share }) => [product, name, value, share].map(factCell)),
      },
    ],
  });
}

/** The largest partners of a country's flow, or of both. */
export function rankedPartners(
  { at }: ReportDraft,
  sourced: AnswerTo<"trade_top_partners">,
  flow: Flow | undefined,
): Section {
  const trade = flow === undefined ? "trade" : words[flow];
  const title = flow === "IMPORT" ? "Where imports come from" : "With whom it trades";
  return section(title, "The largest partners of the year.", {
    tables: [
      {
        title: "Largest partners",
        columns: ["Partner", flow === "IMPORT" ? "Imports" : "Value", "Share"],
        rows: sourced.answer.data.flatMap(({ partner, name, share }, n) =>
          partner === REST
            ? []
            : [
                [
                  wordCell(name),
                  factCell(at(sourced, `/data/${n}/value_eur`, `${trade} with the partner`, "EUR")),
                  factCell(
                    share === null
                      ? undefined
                      : at(sourced, `/data/${n}/share`, `share of ${trade}`, "share"),
                  ),
                ],
              ],
        ),
      },
    ],
  });
}

/** Interest, exchange rate, inflation and oil, as the answer has them. */
export function economySection(
  { at, limit }: ReportDraft,
  sourced: AnswerTo<"trade_macro_context">,
): Section {
  const known = sourced.answer.data.flatMap(({ value }, n) => (value === null ? [] : n));
  if (known.length < sourced.answer.data.length)
    limit(citing`Some indicators of the economy have no value of that time in the tables that are loaded.`);
  return section("The economy around it", "The last values that the tables tell of.", {
    tables:
      known.length > 0
        ? [
            {
              title: "Indicators",
              columns: ["Indicator", "Unit", "Value", "As of"],
              rows: known.map((n) => [
                factCell(at(sourced, `/data/${n}/name`, "name of the indicator", "text")),
                factCell(at(sourced, `/data/${n}/unit`, "unit of the indicator", "text")),
                factCell(at(sourced, `/data/${n}/value`, "value of the indicator", "ratio")),
                factCell(
                  sourced.answer.data[n]!.as_of === null
                    ? undefined
                    : at(sourced, `/data/${n}/as_of`, "day of the value", "code"),
                ),
              ]),
            },
          ]
        : [],
  });
}

/** The cost of an hour of work in several countries. */
export function wagesSection({ at }: ReportDraft, sourced: AnswerTo<"salary_compare">): Section {
  const { data } = sourced.answer;
  const figure = (
    n: number,
    name: "labour_cost_eur_per_hour" | "earnings_eur_per_hour" | "ratio_to_eu27",
    label: string,
  ) =>
    data[n]![name] === null
      ? undefined
      : at(sourced, `/data/${n}/${name}`, label, name === "ratio_to_eu27" ? "ratio" : "EUR");
  return section("The cost of work", "An hour in the whole economy, compared with the EU.", {
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
