/** Sections of a report on the answer of `market-intel` for one product. */

import { type CitedText, citing, joinList } from "../../../domain/reports/cited-text.ts";
import type { Fact } from "../../../domain/reports/fact.ts";
import type { Finding, Section } from "../../../domain/reports/report.ts";
import { inSentence, isReporter, partnerName } from "../../../domain/trade/reporters.ts";
import { LEAST_LISTED } from "../../fusion/answers/market-methods.ts";
import { withFamily } from "../code-limits.ts";
import {
  deliveredCell,
  factCell,
  largest,
  type Market,
  type ReportDraft,
  section,
  wordCell,
} from "../writing.ts";

export const FLOWS = { IMPORT: "imports", EXPORT: "exports" } as const;

/** False where a dataset lists some partners alone, such as those that were extracted. */
const isListed = ({ answer: { data } }: Market): boolean =>
  (data.concentration?.listed_share ?? 1) >= LEAST_LISTED;

/** A product's name, or its code where it has none. */
export function productOf({ at }: ReportDraft, market: Market): CitedText {
  const { name } = market.answer.meta;
  const joined = withFamily(market.answer);
  return name === null
    ? citing`goods of HS ${at(market, "/meta/product", "code of the product", "code")}${joined}`
    : citing`${at(market, "/meta/name", "name of the product", "text")}${joined}`;
}

const traderOf = ({ answer: { meta } }: Market): string =>
  meta.reporter === null ? "the EU's members together" : inSentence(partnerName(meta.reporter));

/** The data has only the trade with the 27 for a country outside them. */
const throughWhom = ({ answer: { meta } }: Market): string =>
  meta.view === "reported" ? "" : meta.flow === "IMPORT" ? " from the EU" : " to the EU";

/** The size of a market, its growth, and the parts of price and quantity in that. */
export function sizeSection(writing: ReportDraft, market: Market): Section {
  const { at, finding } = writing;
  const { data, meta } = market.answer;
  const flow = FLOWS[meta.flow];
  const findings: Finding[] = [];
  const now = data.size.findIndex(({ year }) => year === meta.year);
  if (now >= 0) {
    const year = at(market, "/meta/year", "year that is reported", "year");
    const value = at(market, `/data/size/${now}/value_eur`, `${flow} of the year`, "EUR");
    findings.push(
      finding(
        citing`In ${year} ${traderOf(market)} ${flow === "imports" ? "imported" : "exported"} ${productOf(writing, market)}${throughWhom(market)} for ${value}.`,
      ),
    );
  }
  if (data.growth) {
    const rate = at(market, "/data/growth/rate", "growth a year", "change");
    const from = at(market, "/data/growth/from", "first complete year", "year");
    const to = at(market, "/data/growth/to", "last complete year", "year");
    findings.push(
      finding(citing`From ${from} to ${to} the ${flow} changed by ${rate} a year.`, "reported", "growth"),
    );
  }
  if (data.real?.rate != null) {
    const rate = at(market, "/data/real/rate", "growth a year at constant prices", "change");
    findings.push(
      finding(citing`At constant consumer prices they changed by ${rate} a year.`, "reported", "real_value"),
    );
  }
  if (data.price_and_quantity) {
    const year = (end: "from" | "to", label: string) =>
      at(market, `/data/price_and_quantity/${end}`, label, "year");
    const [before, after] = [year("from", "year before"), year("to", "year after")];
    const partners = isListed(market) ? "" : ` ${flow === "imports" ? "from" : "to"} the listed partners`;
    const part = (name: string, label: string) =>
      at(market, `/data/price_and_quantity/${name}`, label, "EUR");
    const [change, price, quantity] = [
      part("change_eur", "change between the two years"),
      part("price_eur", "change by prices"),
      part("quantity_eur", "change by quantities"),
    ];
    const rest = part("unsplit_eur", "change that no price explains");
    findings.push(
      finding(
        citing`From ${before} to ${after} the ${flow}${partners} changed by ${change}: by ${price} through prices, by ${quantity} through quantities, and by ${rest} that cannot be split.`,
        "reported",
        "price_and_quantity",
      ),
    );
  }
  const years = data.size.map((_, n) => at(market, `/data/size/${n}/year`, "year", "year"));
  const values = data.size.map((_, n) =>
    at(market, `/data/size/${n}/value_eur`, `${flow} of the year`, "EUR"),
  );
  return section("The market", "The size and growth of the trade, by prices and by quantities.", {
    findings,
    charts: [
      {
        kind: "bar",
        title: `Yearly ${flow}`,
        unit: "EUR",
        x: years.map(factCell),
        series: [{ name: flow, facts: values.map(({ id }) => id) }],
      },
    ],
    tables: [
      {
        title: `Yearly ${flow}`,
        columns: ["Year", "Value", "Delivered"],
        rows: data.size.map(({ complete }, n) => [
          factCell(years[n]),
          factCell(values[n]),
          deliveredCell(complete),
        ]),
      },
    ],
  });
}

const MOST_PARTNERS = 10;

/** The partners of a market; `outside` leaves out those among the 27. */
export function partnersSection({ at, finding }: ReportDraft, market: Market, outside: boolean): Section {
  const { data } = market.answer;
  const shown = data.partners
    .flatMap(({ partner }, n) => (outside && isReporter(partner) ? [] : n))
    .slice(0, MOST_PARTNERS);
  const figure = (
    n: number,
    name: "value_eur" | "share" | "contribution",
    label: string,
  ): Fact | undefined =>
    data.partners[n]![name] === null
      ? undefined
      : at(
          market,
          `/data/partners/${n}/${name}`,
          label,
          name === "value_eur" ? "EUR" : name === "share" ? "share" : "change",
        );
  const names = shown.map((n) => wordCell(data.partners[n]!.name));
  const values = shown.map((n) => figure(n, "value_eur", "trade with the partner"));
  const findings: Finding[] = [];
  const shares = shown.map((n) => figure(n, "share", "share of the partner"));
  const most = largest(
    shown.map((n, row) => ({
      name: citing`${inSentence(data.partners[n]!.name)}`,
      share: shares[row],
    })),
  );
  if (most) {
    const role = market.answer.meta.flow === "IMPORT" ? "seller" : "buyer";
    const isOne = shares.filter(Boolean).length === 1;
    const verb = `${isOne ? "" : "s"}${outside ? " outside the EU" : ""} ${isOne ? "is" : "are"}`;
    const listed = isListed(market) ? "" : "listed ";
    const year = at(market, "/meta/year", "year that is reported", "year");
    findings.push(
      finding(
        citing`In ${year} the largest ${listed}${role}${verb} ${most} of the total${throughWhom(market)}.`,
      ),
    );
  }
  if (data.concentration) {
    const hhi = at(market, "/data/concentration/hhi", "concentration of partners", "index");
    const kind = data.concentration.classification.replaceAll("_", " ");
    const year = at(market, "/meta/year", "year that is reported", "year");
    const listed = isListed(market)
      ? market.answer.meta.view === "reported"
        ? "all partners"
        : "the twenty-seven"
      : citing`the listed partners, who have ${at(market, "/data/concentration/listed_share", "share of the listed partners", "share")} of the total,`;
    findings.push(
      finding(
        citing`In ${year} the Herfindahl–Hirschman index over ${listed} was ${hhi}: ${kind}.`,
        "reported",
        "concentration",
      ),
    );
  }
  return section("Partners", "The largest partners, and each one's part in the change.", {
    findings,
    charts:
      shown.length > 1
        ? [
            {
              kind: "ranking",
              title: "Largest partners",
              unit: "EUR",
              x: names,
              series: [{ name: "Value", facts: values.map((one) => one?.id ?? null) }],
            },
          ]
        : [],
    tables:
      shown.length > 0
        ? [
            {
              title: outside ? "Largest partners outside the EU" : "Largest partners",
              columns: ["Partner", "Value", "Share", "Part in growth"],
              rows: shown.map((n, row) => [
                names[row]!,
                factCell(values[row]),
                factCell(shares[row]),
                factCell(figure(n, "contribution", "part in the growth of the total")),
              ]),
            },
          ]
        : [],
  });
}

/** Findings on whether imports depend on few sources outside the EU. */
export function dependencyFindings(writing: ReportDraft, market: Market): Finding[] {
  const { at, finding } = writing;
  const { dependency } = market.answer.data;
  const product = productOf(writing, market);
  if (!dependency) return throughFindings(writing, market, product);
  const years = dependency.years.flatMap((one, n) => {
    if (one.extra_share === null) return [];
    const figure = (name: string, label: string, unit: "index" | "share" | "year") =>
      at(market, `/data/dependency/years/${n}/${name}`, label, unit);
    const year = figure("year", "year that is judged", "year");
    const outside = figure("extra_share", "share of imports from outside the EU", "share");
    if (one.concentration === null) return citing`${year} not dependent (${outside} from outside the EU)`;
    const concentration = figure("concentration", "concentration of sources outside the EU", "index");
    const verdict = one.dependent ? "dependent" : "not dependent";
    return citing`${year} ${verdict} (concentration ${concentration}, ${outside} from outside the EU)`;
  });
  if (years.length === 0) return [];
  const verdict = dependency.dependent ? "depend" : "do not depend";
  return [
    finding(
      citing`By the EU's three indicators imports of ${product} ${verdict} on sources outside: ${joinList(years)}.`,
      "reported",
      "dependency",
    ),
  ];
}

/** The largest of the 27 that sell to a country outside, and how concentrated they are. */
function throughFindings({ at, finding }: ReportDraft, market: Market, product: CitedText): Finding[] {
  const { data, meta } = market.answer;
  const [first] = data.partners;
  if (meta.view === "reported" || meta.flow !== "IMPORT") return [];
  if (!data.concentration || !first || first.share === null) return [];
  const share = at(market, "/data/partners/0/share", "share of the largest seller", "share");
  const hhi = at(market, "/data/concentration/hhi", "concentration of sellers in the EU", "index");
  return [
    finding(
      citing`${first.name} accounts for ${share} of the imports of ${product} from the EU; over the twenty-seven the Herfindahl–Hirschman index is ${hhi}.`,
      "reported",
      "concentration",
    ),
  ];
}

/** Findings on the partners that grew while the largest source fell. */
export function substitutionFindings(writing: ReportDraft, market: Market): Finding[] {
  const { at, finding } = writing;
  const { substitution } = market.answer.data;
  if (!substitution) return [];
  const top = at(
    market,
    "/data/substitution/top_share_before",
    "share of the largest source before",
    "share",
  );
  const before = at(market, "/data/substitution/top/before_eur", "largest source before", "EUR");
  const after = at(market, "/data/substitution/top/after_eur", "largest source after", "EUR");
  const others = substitution.substitutes.map(({ name }, n) => {
    const growth = at(market, `/data/substitution/substitutes/${n}/growth_eur`, "gain of the source", "EUR");
    return citing`${inSentence(name)} ${growth}`;
  });
  const fell = citing`Imports of ${productOf(writing, market)} from ${inSentence(substitution.top.name)}, with a share of ${top}, fell from ${before} to ${after}`;
  return [
    finding(
      others.length === 0
        ? citing`${fell}; no other source grew.`
        : citing`${fell}; other sources gained: ${joinList(others)}.`,
      "reported",
      "substitution",
    ),
  ];
}

/** The trade with each partner that size and distance alone predict. */
export function expectedSection({ at, finding }: ReportDraft, market: Market): Section {
  const { gravity } = market.answer.data;
  if (!gravity) return section("Expected trade", "", {});
  const distance = at(market, "/data/gravity/distance/estimate", "elasticity with distance", "ratio");
  const cells = at(market, "/data/gravity/cells", "pairs of countries in the estimate", "count");
  const rows = gravity.partners.map(({ name, actual_eur }, n) => ({
    name,
    amount: actual_eur,
    actual: at(market, `/data/gravity/partners/${n}/actual_eur`, "trade with the partner", "EUR"),
    expected: at(
      market,
      `/data/gravity/partners/${n}/expected_eur`,
      "expected trade with the partner",
      "EUR",
    ),
    times: at(market, `/data/gravity/partners/${n}/ratio`, "actual over expected", "ratio"),
  }));
  const most = rows.toSorted((one, other) => other.amount - one.amount)[0];
  return section(
    "Expected trade",
    "The trade that size and distance alone predict with each partner, compared with the actual trade.",
    {
      findings: [
        ...(most
          ? [
              finding(
                citing`Trade with ${inSentence(most.name)} is ${most.times} times what size and distance predict: ${most.actual} instead of ${most.expected}.`,
                "estimated",
                "gravity",
              ),
            ]
          : []),
        finding(
          citing`Over ${cells} pairs of countries the elasticity of trade with distance is ${distance}.`,
          "estimated",
          "gravity",
        ),
      ],
      tables: [
        {
          title: "Actual and expected",
          columns: ["Partner", "Actual", "Expected", "Ratio"],
          rows: rows.map(({ name, actual, expected, times }) => [
            wordCell(name),
            ...[actual, expected, times].map(factCell),
          ]),
        },
      ],
    },
  );
}

export function advantageFindings(writing: ReportDraft, market: Market): Finding[] {
  const { at, finding } = writing;
  if (!market.answer.data.advantage) return [];
  const rca = at(market, "/data/advantage/rca", "revealed comparative advantage", "ratio");
  return [
    finding(
      citing`The product's share in the country's exports is ${rca} times its share in those of the twenty-seven.`,
      "reported",
      "advantage",
    ),
  ];
}

export function leadFindings({ at, finding }: ReportDraft, market: Market): Finding[] {
  const { leads } = market.answer.data;
  return (leads ?? []).slice(0, MOST_LEADS).map(({ months }, n) => {
    const figure = (name: string, label: string, unit: "code" | "count" | "ratio") =>
      at(market, `/data/leads/${n}/${name}`, label, unit);
    const [first, second] = [
      figure("first", "code of the product that moves first", "code"),
      figure("second", "code of the other product", "code"),
    ];
    const correlation = figure("correlation", "correlation of their changes", "ratio");
    const after = figure("months", "months between", "count");
    return finding(
      months === 0
        ? citing`Changes of HS ${first} and HS ${second} fall into the same month (${after} between), with a correlation of ${correlation}.`
        : citing`Changes of HS ${second} follow those of HS ${first} after ${after} ${after.value === 1 ? "month" : "months"}, with a correlation of ${correlation}; this shows no cause.`,
      "signal",
      "lead_lag",
    );
  });
}

const MOST_LEADS = 5;
