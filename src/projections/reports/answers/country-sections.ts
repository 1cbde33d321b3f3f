/** Sections of a report on a country: its years, partners, products, dependencies, and the economy around it. */

import { type CitedText, citing } from "../../../domain/reports/cited-text.ts";
import type { Fact } from "../../../domain/reports/fact.ts";
import type { Finding, Section } from "../../../domain/reports/report.ts";
import { nameInBrackets } from "../../../domain/trade/product-names.ts";
import { inSentence, partnerName } from "../../../domain/trade/reporters.ts";
import type { Flow } from "../../../domain/trade/units.ts";
import { REST } from "../../trade/answers/rankings.ts";
import { withFamily } from "../code-limits.ts";
import {
  type AnswerTo,
  deliveredCell,
  factCell,
  largest,
  type ReportDraft,
  section,
  wordCell,
} from "../writing.ts";

const words = { IMPORT: "imports", EXPORT: "exports" } as const;

/** Imports, exports and balance by year; `base` is the pointer to the list of years. */
export function yearsSection(
  { at, finding, ledger, limit }: ReportDraft,
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
  const complete = lines.filter((_, n) => years[n]!.complete);
  const [begins] = lines;
  if (begins && years[0]!.year > Number(String(sourced.origin.input.years ?? "9999").slice(0, 4)))
    limit(citing`Earlier years were requested; the figures begin in ${begins.year}.`);
  const last = complete.at(-1) ?? lines.at(-1);
  const [from, to] = meta.view === "through_partners" ? [" from the EU", " to it"] : ["", ""];
  const product = productOf(at, sourced);
  const findings: Finding[] = [];
  if (last?.imports && last.exports && last.balance) {
    const soFar = complete.length === 0 ? ", so far," : "";
    findings.push(
      finding(
        citing`In ${last.year}${soFar} ${inSentence(meta.name)} imported ${last.imports}${product}${from} and exported ${last.exports}${to}, a balance of ${last.balance}.`,
      ),
    );
    // A growth is null where the years before and after are not of the same goods.
    const isOneSeries = years
      .filter((one) => one.complete)
      .slice(1)
      .every(({ imports_growth, exports_growth }) => imports_growth !== null && exports_growth !== null);
    const [first] = complete;
    if (isOneSeries && first?.imports && first.exports && first !== last) {
      const change = (name: "imports" | "exports") =>
        ledger.computed(`change of ${name}`, "change", "a / b - 1", [last[name]!, first[name]!]);
      findings.push(
        finding(
          citing`From ${first.year} to ${last.year} its imports changed by ${change("imports")} and its exports by ${change("exports")}.`,
        ),
      );
    }
  }
  return section("Trade by year", "The country's purchases and sales.", {
    findings,
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
        columns: ["Year", "Imports", "Exports", "Balance", "Delivered"],
        rows: lines.map(({ year, imports, exports, balance }, n) => [
          ...[year, imports, exports, balance].map(factCell),
          deliveredCell(years[n]!.complete),
        ]),
      },
    ],
  });
}

/** Words on the product of an answer; none for all goods. */
function productOf(
  at: ReportDraft["at"],
  sourced: { answer: { meta: { hs?: string | null } } } & Parameters<ReportDraft["at"]>[0],
): CitedText {
  if (!sourced.answer.meta.hs) return citing``;
  const { hs } = sourced.answer.meta;
  return citing` of HS ${at(sourced, "/meta/hs", "code of the figures", "code")}${nameInBrackets(hs)}${withFamily(sourced.answer)}`;
}

/** A country's profile: its partners and products, its strengths, and its dependence on few sources. */
export function countrySections(writing: ReportDraft, sourced: AnswerTo<"fusion_country">): Section[] {
  const { at, finding, limit } = writing;
  const { data, meta } = sourced.answer;
  const linesOf = (of: "partners" | "products", flow: "imports" | "exports") =>
    data[of][flow].map(({ name, code, share }, n) => {
      const base = `/data/${of}/${flow}/${n}`;
      const chapter =
        of === "partners"
          ? undefined
          : name === null
            ? at(sourced, `${base}/code`, "code of the chapter", "code")
            : at(sourced, `${base}/name`, "name of the chapter", "text");
      return {
        name: chapter ? citing`${chapter}` : citing`${inSentence(name ?? code)}`,
        cell: chapter ? factCell(chapter) : wordCell(name ?? code),
        value: at(sourced, `${base}/value_eur`, `${flow} of the year`, "EUR"),
        share: share === null ? undefined : at(sourced, `${base}/share`, `share of ${flow}`, "share"),
      };
    });
  const side = (of: "partners" | "products", flow: "imports" | "exports") => ({
    title: `Largest ${of}, ${flow}`,
    columns: [of === "partners" ? "Partner" : "Chapter", "Value", "Share"],
    rows: linesOf(of, flow).map(({ cell, value, share }) => [cell, factCell(value), factCell(share)]),
  });
  const sides = (of: "partners" | "products") =>
    (["imports", "exports"] as const).map((flow) => side(of, flow)).filter(({ rows }) => rows.length > 0);
  const mostOf = (of: "partners" | "products"): Finding[] =>
    (["imports", "exports"] as const).flatMap((flow) => {
      const lines = linesOf(of, flow);
      const named = largest(lines);
      if (!named) return [];
      const role = of === "products" ? flow : flow === "imports" ? "seller" : "buyer";
      const isOne = lines.filter(({ share }) => share).length === 1;
      const verb = of === "products" || !isOne ? (of === "products" ? " are" : "s are") : " is";
      const whole = meta.view === "reported" ? "" : flow === "imports" ? " from the EU" : " to the EU";
      const year = at(sourced, "/meta/year", "year that is reported", "year");
      return [finding(citing`In ${year} its largest ${role}${verb} ${named} of all ${flow}${whole}.`)];
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
        citing`In most of the last three full years imports of ${name} depended on few sources outside the EU. In the last of these years the concentration was ${figure("concentration", "concentration of sources outside the EU", "index")}, and ${figure("extra_share", "share of imports from outside the EU", "share")} came from outside.`,
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
      citing`No ${of === "advantage" ? "comparative advantage" : of.replaceAll("_", " ")} of ${meta.name}: ${at(sourced, `/data/absent/${n}/why`, "why a figure is absent", "text")}.`,
    );
  return [
    yearsSection(writing, sourced),
    section("Trading partners", "The largest partners of the year.", {
      findings: mostOf("partners"),
      tables: sides("partners"),
    }),
    section("Traded products", "The largest chapters of the year.", {
      findings: mostOf("products"),
      tables: sides("products"),
    }),
    section("Strengths and dependence", "By chapter.", { findings }),
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
  const { name, view } = sourced.answer.meta;
  const findings: Finding[] = [];
  if (wages && wages.labour_cost_eur_per_hour !== null && wages.labour_cost_year !== null) {
    const cost = at(sourced, "/data/wages/labour_cost_eur_per_hour", "labour cost of an hour", "EUR");
    const year = at(sourced, "/data/wages/labour_cost_year", "year of the labour cost", "year");
    findings.push(finding(citing`An hour of work in ${inSentence(name)} cost ${cost} in ${year}.`));
  }
  if (inflation) {
    const rate = at(sourced, "/data/inflation/yoy_pct", "change of consumer prices in a year", "percent");
    const month = at(sourced, "/data/inflation/month", "month of the prices", "month");
    findings.push(finding(citing`Consumer prices in ${month} were ${rate} above those of a year before.`));
  }
  if (ai_exposure && ai_exposure.score !== null && view === "reported") {
    const score = at(sourced, "/data/ai_exposure/score", "exposure of work to AI", "ratio");
    findings.push(
      finding(
        citing`The exposure of work to generative AI in the EU as a whole is ${score}, on a scale from nought to one.`,
        "estimated",
      ),
    );
  }
  return section("Work and prices", "Figures from other tables than the trade data.", { findings });
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
  const most = largest(rows.map(({ name, product, share }) => ({ name: citing`${name ?? product}`, share })));
  const { meta } = sourced.answer;
  const year = most && yearOf(at, sourced);
  const title =
    flow === undefined
      ? "Products, imports and exports together"
      : flow === "IMPORT"
        ? "Its imports"
        : "Its exports";
  return section(title, "The largest products of the year.", {
    findings: most
      ? [
          finding(
            citing`In ${year!} the largest ${flow === undefined ? "goods of" : `${trade} of`} ${countryOf(meta.reporter)} were ${most} of all ${trade}.`,
          ),
        ]
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

const ranked = { IMPORT: "sellers", EXPORT: "buyers", both: "partners" } as const;
const ways = { IMPORT: "to", EXPORT: "from", both: "of" } as const;

/** The largest partners of a country's flow, or of both. */
export function rankedPartners(
  { at, finding }: ReportDraft,
  sourced: AnswerTo<"trade_top_partners">,
  flow: Flow | undefined,
): Section {
  const trade = flow === undefined ? "trade" : words[flow];
  const title =
    flow === undefined
      ? "Partners, imports and exports together"
      : flow === "IMPORT"
        ? "Where imports come from"
        : "Where exports go";
  const rows = sourced.answer.data.flatMap(({ partner, name, share }, n) =>
    partner === REST
      ? []
      : [
          {
            name,
            value: at(sourced, `/data/${n}/value_eur`, `${trade} with the partner`, "EUR"),
            share: share === null ? undefined : at(sourced, `/data/${n}/share`, `share of ${trade}`, "share"),
          },
        ],
  );
  const most = largest(rows.map(({ name, share }) => ({ name: citing`${inSentence(name)}`, share })));
  const year = most && yearOf(at, sourced);
  const way = flow ?? "both";
  return section(title, "The largest partners of the year.", {
    findings: most
      ? [
          finding(
            citing`In ${year!} the largest ${ranked[way]}${productOf(at, sourced)} ${ways[way]} ${countryOf(sourced.answer.meta.reporter)} were ${most} of its ${trade}.`,
          ),
        ]
      : [],
    tables: [
      {
        title: "Largest partners",
        columns: ["Partner", flow === "IMPORT" ? "Imports" : "Value", "Share"],
        rows: rows.map(({ name, value, share }) => [wordCell(name), factCell(value), factCell(share)]),
      },
    ],
  });
}

/** Interest, exchange rate, inflation and oil, as the answer has them. */
export function economySection(
  { at, finding, limit }: ReportDraft,
  sourced: AnswerTo<"trade_macro_context">,
): Section {
  const known = sourced.answer.data.flatMap(({ value }, n) => (value === null ? [] : n));
  if (known.length < sourced.answer.data.length)
    limit(citing`Some indicators of the economy have no value of that time in the tables that are loaded.`);
  const lines = known.map((n) => ({
    name: at(sourced, `/data/${n}/name`, "name of the indicator", "text"),
    unit: at(sourced, `/data/${n}/unit`, "unit of the indicator", "text"),
    value: at(sourced, `/data/${n}/value`, "value of the indicator", "ratio"),
    as_of:
      sourced.answer.data[n]!.as_of === null
        ? undefined
        : at(sourced, `/data/${n}/as_of`, "day of the value", "code"),
  }));
  return section("The economy around it", "The last values in the tables.", {
    findings: lines.map(({ name, unit, value, as_of }) =>
      finding(citing`${name}: ${value}, in ${unit}${as_of ? citing`, as of ${as_of}` : ""}.`),
    ),
    tables:
      lines.length > 0
        ? [
            {
              title: "Indicators",
              columns: ["Indicator", "Unit", "Value", "As of"],
              rows: lines.map(({ name, unit, value, as_of }) => [name, unit, value, as_of].map(factCell)),
            },
          ]
        : [],
  });
}

const yearOf = (at: ReportDraft["at"], sourced: Parameters<ReportDraft["at"]>[0]): Fact =>
  at(sourced, "/meta/year", "year that is reported", "year");

const countryOf = (code: string | null | undefined): string =>
  code ? inSentence(partnerName(code)) : "the EU";
