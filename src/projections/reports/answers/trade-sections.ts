/** Sections over the facts of trade answers: series, signals and pairs of countries. */

import { citing } from "../../../domain/reports/cited-text.ts";
import type { Finding, Section } from "../../../domain/reports/report.ts";
import { nameInBrackets } from "../../../domain/trade/product-names.ts";
import { inSentence, partnerName } from "../../../domain/trade/reporters.ts";
import type { Flow } from "../../../domain/trade/units.ts";
import { LEAST_LISTED } from "../../fusion/answers/market-methods.ts";
import { JOINED, withFamily } from "../code-limits.ts";
import { type AnswerTo, deliveredCell, factCell, type ReportDraft, section, wordCell } from "../writing.ts";

const words = { IMPORT: "imports", EXPORT: "exports" } as const;
const YEAR = 12;
const MOST_YEARS = 10;

const fields = { IMPORT: "imports_eur", EXPORT: "exports_eur" } as const;
const capital = (word: string) => `${word[0]!.toUpperCase()}${word.slice(1)}`;

/** The last twelve complete months of a series; a finding names the newest. */
export function timelineSection({ at, finding }: ReportDraft, sourced: AnswerTo<"trade_timeline">): Section {
  const complete = sourced.answer.data.flatMap((row, n) => (row.complete ? [{ row, n }] : []));
  const months = complete.slice(-YEAR);
  const last = months.at(-1);
  const figure = (n: number, name: "imports_eur" | "exports_eur") =>
    typeof sourced.answer.data[n]![name] === "number"
      ? at(sourced, `/data/${n}/${name}`, name === "imports_eur" ? "imports" : "exports", "EUR")
      : undefined;
  const period = (n: number) => at(sourced, `/data/${n}/period`, "month", "month");
  const findings: Finding[] = [];
  const shown = (["IMPORT", "EXPORT"] as const).filter((flow) =>
    months.some(({ row }) => typeof row[fields[flow]] === "number"),
  );
  if (last)
    for (const flow of shown) {
      const value = figure(last.n, fields[flow]);
      if (value)
        findings.push(
          finding(citing`In ${period(last.n)}, the last complete month, ${words[flow]} were ${value}.`),
        );
    }
  return section("Month by month", "The last complete months of the series.", {
    findings,
    tables:
      months.length > 0
        ? [
            {
              title: "Months",
              columns: ["Month", ...shown.map((flow) => capital(words[flow]))],
              rows: months.map(({ n }) =>
                [period(n), ...shown.map((flow) => figure(n, fields[flow]))].map(factCell),
              ),
            },
          ]
        : [],
  });
}

export function seasonSection(
  { at, finding, limit }: ReportDraft,
  sourced: AnswerTo<"trade_seasonality">,
): Section {
  const findings: Finding[] = [];
  for (const [n, { flow, peak, trough, note }] of sourced.answer.data.entries()) {
    if (!peak || !trough) {
      if (note !== null)
        limit(
          citing`No season of ${words[flow]}: ${at(sourced, `/data/${n}/note`, "why there is no season", "text")}.`,
        );
      continue;
    }
    const turn = (which: "peak" | "trough") => ({
      month: at(sourced, `/data/${n}/${which}/month`, `month of the ${which}`, "calendar_month"),
      factor: at(sourced, `/data/${n}/${which}/factor`, `factor of the ${which}`, "ratio"),
    });
    const [high, low] = [turn("peak"), turn("trough")];
    findings.push(
      finding(
        citing`Its ${words[flow]} peak in ${high.month} at ${high.factor} times a mean month, and are lowest in ${low.month} at ${low.factor}.`,
        "reported",
        "season",
      ),
    );
  }
  return section("Its usual year", "The season without the trend.", { findings });
}

/** The months that matter most to a country, or to all. */
export function pulseSection({ at, finding }: ReportDraft, sourced: AnswerTo<"trade_flow_pulse">): Section {
  const findings = sourced.answer.data.map((one, n) => {
    const figure = (name: string, label: string, unit: "EUR" | "index" | "month" | "code") =>
      at(sourced, `/data/${n}/${name}`, label, unit);
    const trade = words[one.flow];
    const sure = one.significant ? "" : ", which may be chance";
    return finding(
      citing`In ${figure("period", "month of the anomaly", "month")} the ${trade} of HS ${figure("product", "code of the product", "code")}${nameInBrackets(one.product)}${withFamily(sourced.answer)} by ${inSentence(partnerName(one.reporter))} were ${figure("value_eur", `${trade} of the month`, "EUR")}, compared with ${figure("base_eur", "mean of the months before", "EUR")} in a mean month before: a pulse of ${figure("pulse", "deviations weighed by share of trade", "index")}${sure}.`,
      "signal",
      "alert",
    );
  });
  if (findings.length === 0)
    findings.push(finding(citing`No month is far enough from the months before to be a pulse.`, "signal"));
  return section("The strongest pulses", "Unusual months, weighted by the share of trade that they affect.", {
    findings,
  });
}

/** The products that come from one country, or go to one. */
export function sourcesSection(
  { at, finding }: ReportDraft,
  sourced: AnswerTo<"trade_source_concentration">,
): Section {
  const { data, meta } = sourced.answer;
  const trade = words[meta.flow];
  const way = meta.flow === "IMPORT" ? "from" : "to";
  const year = at(sourced, "/meta/year", "year that is reported", "year");
  const findings = data.map((one, n) => {
    const share = at(sourced, `/data/${n}/share`, "share of the one partner", "share");
    const value = at(sourced, `/data/${n}/value_eur`, "trade with the one partner", "EUR");
    const code = at(sourced, `/data/${n}/product`, "code of the product", "code");
    return finding(
      citing`In ${year} ${share} of the ${trade} of HS ${code}${nameInBrackets(one.product)}${withFamily(sourced.answer)} by ${inSentence(partnerName(one.reporter))} were ${way} ${inSentence(one.partner_name)}: ${value}.`,
      "reported",
      "concentration",
    );
  });
  if (findings.length === 0)
    findings.push(finding(citing`In ${year} no single partner had half of these ${trade}.`));
  return section("Single partners", "Products with at least half of the trade with one partner.", {
    findings,
  });
}

/** Imports that ran ahead of a policy. */
export function aheadSection({ at, finding }: ReportDraft, sourced: AnswerTo<"front_run_watch">): Section {
  const findings = sourced.answer.data.map(({ codes, hs_code }, n) => {
    const joined = codes ? JOINED : "";
    const code = at(sourced, `/data/${n}/hs_code`, "code of the product", "code");
    const day = at(sourced, `/data/${n}/policy_date`, "day of the policy", "code");
    const spike = at(sourced, `/data/${n}/spike_multiple`, "imports over those of earlier years", "ratio");
    return finding(
      citing`Before the policy of ${day}, imports of HS ${code}${nameInBrackets(hs_code)}${joined} by the EU from the countries of the policy were ${spike} times those of the same months of earlier years.`,
      "signal",
    );
  });
  if (findings.length === 0) {
    const product = sourced.origin.input.hs === undefined ? "" : " of this product";
    findings.push(finding(citing`No imports${product} ran ahead of a known policy.`, "signal"));
  }
  return section("Ahead of policies", "Each is a signal; it does not show that anyone knew of the policy.", {
    findings,
  });
}

/** The trade of two countries as each of them reports it, and the gap between both. */
export function corridorSection(
  { at, finding, limit }: ReportDraft,
  sourced: AnswerTo<"trade_corridor">,
): Section[] {
  const { databases } = sourced.answer.data;
  const product =
    sourced.answer.meta.product === null
      ? ""
      : citing` of HS ${at(sourced, "/meta/product", "code of the figures", "code")}${nameInBrackets(sourced.answer.meta.product)}`;
  const findings: Finding[] = [];
  // Without a product, a dataset of some products alone would pass for all trade of the two.
  const shown = [...databases.entries()].filter(
    ([, { about }]) => sourced.answer.meta.product !== null || about.coverage.products.complete,
  );
  const none = shown.every(([, { balance, directions }]) =>
    [
      ...balance.flatMap((one) => [one.exports_eur, one.imports_eur]),
      ...directions.flatMap(({ mirror }) => (mirror ? [mirror.exporter_eur, mirror.importer_eur] : [])),
    ].every((value) => !value),
  );
  if (none && shown[0]) {
    const { reporter, partner } = sourced.answer.data;
    const year = (end: "from" | "to", label: string) =>
      at(sourced, `/data/databases/${shown[0]![0]}/years/${end}`, label, "year");
    const [first, last] = [
      year("from", "first year of the corridor"),
      year("to", "last year of the corridor"),
    ];
    const text = citing`From ${first} to ${last} neither country reports trade${product} between ${inSentence(reporter.name)} and ${inSentence(partner.name)}.`;
    return [
      section("As both report it", "The same trade in the figures of both countries.", {
        findings: [finding(text)],
      }),
    ];
  }
  for (const [d, { directions }] of shown)
    for (const [n, { from, to, mirror }] of directions.entries()) {
      if (!mirror) continue;
      const year = (end: "from" | "to", label: string) =>
        at(sourced, `/data/databases/${d}/years/${end}`, label, "year");
      const span = citing`From ${year("from", "first year of the corridor")} to ${year("to", "last year of the corridor")}`;
      const dataset =
        shown.length < 2
          ? ""
          : citing` in the dataset ${at(sourced, `/data/databases/${d}/about/dataset`, "dataset of the corridor", "text")}`;
      const figure = (name: string, label: string, unit: "EUR" | "count") =>
        at(sourced, `/data/databases/${d}/directions/${n}/mirror/${name}`, label, unit);
      findings.push(
        finding(
          citing`${span}, over the ${figure("months", "months that both delivered", "count")} months that both delivered, ${inSentence(partnerName(from))} reports${dataset} sales${product} to ${inSentence(partnerName(to))} of ${figure("exporter_eur", "as the seller reports it", "EUR")}, and ${inSentence(partnerName(to))} reports purchases of ${figure("importer_eur", "as the buyer reports it", "EUR")}: a gap of ${figure("gap_eur", "buyer's figure less the seller's", "EUR")}.`,
        ),
      );
    }
  if (findings.length === 0)
    limit(citing`Only one of the two countries reports here, so no gap can be computed.`);
  const [first] = databases;
  const isEmpty = first?.balance.every((one) => !one.exports_eur && !one.imports_eur) ?? true;
  if (isEmpty) limit(citing`The data have no trade between the two countries.`);
  const figure = (n: number, name: "exports_eur" | "imports_eur" | "balance_eur", label: string) =>
    first!.balance[n]![name] === null
      ? undefined
      : at(sourced, `/data/databases/0/balance/${n}/${name}`, label, "EUR");
  const years = [...(first?.balance ?? []).keys()].slice(-MOST_YEARS);
  const rows = years.map((n) => [
    ...[
      at(sourced, `/data/databases/0/balance/${n}/year`, "year", "year"),
      figure(n, "exports_eur", "exports to the partner"),
      figure(n, "imports_eur", "imports from the partner"),
      figure(n, "balance_eur", "exports less imports"),
    ].map(factCell),
    deliveredCell(first!.balance[n]!.complete),
  ]);
  const { reporter, partner } = sourced.answer.data;
  const newest = years.findLast((n) => first!.balance[n]!.complete);
  const [exports, imports, balance] =
    newest === undefined
      ? []
      : [
          figure(newest, "exports_eur", "exports to the partner"),
          figure(newest, "imports_eur", "imports from the partner"),
          figure(newest, "balance_eur", "exports less imports"),
        ];
  const inNewest =
    exports && imports && balance
      ? [
          finding(
            citing`In ${at(sourced, `/data/databases/0/balance/${newest}/year`, "year", "year")} ${inSentence(reporter.name)} exported ${exports}${product} to ${inSentence(partner.name)} and imported ${imports} from there, a balance of ${balance}.`,
          ),
        ]
      : [];
  return [
    section("As both report it", "The same trade in the figures of both countries.", { findings }),
    section("Year by year", "In the figures of the first of the two countries.", {
      findings: inNewest,
      tables:
        rows.length > 0
          ? [{ title: "Balance", columns: ["Year", "Exports", "Imports", "Balance", "Delivered"], rows }]
          : [],
    }),
  ];
}

/** Corridors whose direct trade collapsed while third countries surged. */
export function rerouteSection(
  { at, finding, limit }: ReportDraft,
  sourced: AnswerTo<"trade_reroute_watch">,
): Section {
  const findings = sourced.answer.data.map((one, n) => {
    const figure = (name: string, label: string, unit: "EUR" | "share" | "code") =>
      at(sourced, `/data/${n}/${name}`, label, unit);
    const [surge] = one.surges;
    const most = surge ? `, most with ${inSentence(surge.name)}` : "";
    return finding(
      citing`Direct ${words[one.flow]} of HS ${figure("product", "code of the product", "code")}${nameInBrackets(one.product)}${withFamily(sourced.answer)} ${one.flow === "IMPORT" ? "from" : "to"} ${inSentence(one.direct.name)} fell by ${figure("collapse", "lost share of direct trade", "share")}, while trade with others surged${most}: ${figure("at_most_eur", "value that may have been rerouted", "EUR")} at most.`,
      "signal",
    );
  });
  limit(
    citing`These are figures of trade: they do not say which goods or persons are under sanctions. The operation fusion_sanctions_check screens a name.`,
  );
  if (findings.length === 0)
    findings.push(
      finding(
        citing`No direct trade collapsed while trade with third countries surged: nothing suggests a detour.`,
        "signal",
      ),
    );
  return section("Trade that may have been rerouted", "Growth with third countries has many causes.", {
    findings,
  });
}

/** The price of a tonne, and the ratio of export to import prices. */
export function pricesSection(
  { at, finding, ledger }: ReportDraft,
  sourced: AnswerTo<"trade_price_per_tonne">,
): Section {
  const { summary } = sourced.answer.data;
  const price = (flow: Flow) => {
    const n = summary.findIndex((one) => one.flow === flow && one.average_eur_per_tonne !== null);
    const label = `mean price of ${words[flow]}`;
    return n < 0
      ? undefined
      : at(sourced, `/data/summary/${n}/average_eur_per_tonne`, label, "eur_per_tonne");
  };
  const findings: Finding[] = [];
  const [imports, exports] = [price("IMPORT"), price("EXPORT")];
  const year = (end: "from" | "to", label: string) => at(sourced, `/meta/years/${end}`, label, "year");
  const span = () =>
    citing`In the complete months from ${year("from", "first year of the prices")} to ${year("to", "last year of the prices")}`;
  if (imports) findings.push(finding(citing`${span()} imports cost ${imports} on average.`));
  if (exports) findings.push(finding(citing`${span()} exports brought ${exports} on average.`));
  if (imports && exports && imports.value !== 0) {
    const gap = ledger.computed("price of exports over that of imports", "change", "a / b - 1", [
      exports,
      imports,
    ]);
    findings.push(
      finding(citing`The unit value of exports differs from that of imports by ${gap}.`, "estimated"),
    );
  }
  return section("Unit values", "Value over mass, where a mass is known.", { findings });
}

/** The concentration of a country's trade on few partners. */
export function concentrationSection(
  { at, finding, limit }: ReportDraft,
  sourced: AnswerTo<"trade_concentration">,
): Section {
  const findings: Finding[] = [];
  const rows: Section["tables"][number]["rows"] = [];
  for (const [n, one] of sourced.answer.data.entries()) {
    if (one.hhi === null) {
      limit(citing`No concentration of ${words[one.flow]}: no partner is listed.`);
      continue;
    }
    const hhi = at(sourced, `/data/${n}/hhi`, "concentration on partners", "index");
    const year = at(sourced, "/meta/year", "year that is reported", "year");
    const kind = (one.classification ?? "").replaceAll("_", " ");
    const listed =
      (one.listed_share ?? 1) >= LEAST_LISTED
        ? ""
        : citing` over the listed partners, who have ${at(sourced, `/data/${n}/listed_share`, "share of the listed partners", "share")} of them,`;
    findings.push(
      finding(
        citing`In ${year} the Herfindahl–Hirschman index of its ${words[one.flow]}${listed} was ${hhi}: ${kind}.`,
        "reported",
        "concentration",
      ),
    );
    for (const [p, partner] of one.top_partners.entries())
      rows.push([
        wordCell(partner.name),
        factCell(at(sourced, `/data/${n}/top_partners/${p}/value_eur`, "trade with the partner", "EUR")),
        factCell(at(sourced, `/data/${n}/top_partners/${p}/share`, "share of listed partners", "share")),
      ]);
  }
  return section("How concentrated it is", "By the index of Herfindahl and Hirschman.", {
    findings,
    tables:
      rows.length > 0
        ? [{ title: "Partners", columns: ["Partner", "Value", "Share of listed partners"], rows }]
        : [],
  });
}
