/** A country's year of trade: overview, products, partners, its largest import in depth, alerts and the economy around it. */
import { z } from "zod";
import { refuse } from "../../../domain/refusal.ts";
import type { Section } from "../../../domain/reports/report.ts";
import { say } from "../../../domain/reports/say.ts";
import { reporter } from "../../../domain/trade/inputs.ts";
import { partnerName } from "../../../domain/trade/reporters.ts";
import { REST } from "../../trade/answers/rankings.ts";
import {
  type AnswerTo,
  type Ask,
  factCell,
  section,
  type Writing,
  type Written,
  wordCell,
  writing,
} from "../writing.ts";
import {
  dependencyFindings,
  expectedSection,
  limitsOf,
  partnersSection,
  seasonFindings,
  sizeSection,
  substitutionFindings,
} from "./market-sections.ts";
import { unusual } from "./unusual.ts";

export const deepAnalysisInput = z.object({
  reporter,
  year: z
    .int("year is a whole number such as 2024")
    .min(2005, "year is 2005 at the earliest")
    .max(2026, "year is 2026 at the latest")
    .describe("A calendar year that the country has delivered in full, 2005 to 2026"),
});

/** Years that the overview goes back. */
const YEARS_BEFORE = 4;
const MOST_RANKED = 10;

/** What a country traded in a year, of which all must be delivered. */
export async function deepAnalysis(
  asked: Ask,
  { reporter, year }: z.output<typeof deepAnalysisInput>,
): Promise<Written> {
  const report = writing(asked);
  const { ask, at, finding } = report;
  const all = await ask("fusion_country_stats", { country: reporter });
  const complete = all.answer.data.filter((one) => one.complete).map((one) => one.year);
  if (!complete.includes(year)) {
    const last = complete.at(-1);
    const message = `is no year that ${reporter} has delivered in full${last === undefined ? "" : `; the last is ${last}`}`;
    refuse("invalid", `year ${message}`, { errors: [{ path: "year", message }] });
  }
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
  const overview = section("The year in sum", "What the country bought and sold, beside the years before.", {
    findings:
      imports && exports && balance
        ? [
            finding(
              say`In ${years.at(-1)!} ${partnerName(reporter)} imported ${imports} and exported ${exports}, a balance of ${balance}.`,
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
        columns: ["Year", "Imports", "Exports", "Balance"],
        rows: shown.map((n, row) => [
          factCell(years[row]),
          factCell(figure(n, "imports_eur", "imports of the year")),
          factCell(figure(n, "exports_eur", "exports of the year")),
          factCell(figure(n, "balance_eur", "exports less imports")),
        ]),
      },
    ],
  });
  const products = await ask("trade_top_products", { reporter, year, flow: "IMPORT", limit: MOST_RANKED });
  const partners = await ask("trade_top_partners", { reporter, year, flow: "IMPORT", limit: MOST_RANKED });
  const sections: Section[] = [
    overview,
    rankedProducts(report, products),
    section("Where imports come from", "The largest partners of the year.", {
      tables: [
        {
          title: "Largest partners",
          columns: ["Partner", "Imports", "Share"],
          rows: partners.answer.data.flatMap((one, n) =>
            one.partner === REST
              ? []
              : [
                  [
                    wordCell(one.name),
                    factCell(at(partners, `/data/${n}/value_eur`, "imports from the partner", "EUR")),
                    factCell(
                      one.share === null
                        ? undefined
                        : at(partners, `/data/${n}/share`, "share of imports", "share"),
                    ),
                  ],
                ],
          ),
        },
      ],
    }),
  ];
  const [largest] = products.answer.data;
  if (largest && largest.product !== REST) {
    const told = await ask("fusion_market_intel", {
      hs: largest.product,
      reporter,
      flow: "IMPORT",
      years: `${year - YEARS_BEFORE}-${year}`,
    });
    sections.push(
      { ...sizeSection(report, told), title: "The largest import" },
      { ...partnersSection(report, told, false), title: "Its sources" },
      expectedSection(report, told),
      section("Whether it depends on few", "By the three indicators, and who grew while the largest fell.", {
        findings: [
          ...dependencyFindings(report, told),
          ...substitutionFindings(report, told),
          ...seasonFindings(report, told),
        ],
      }),
    );
    limitsOf(report, told);
    const { anomalies } = await unusual(report, [largest.product], reporter);
    sections.push(
      section(
        "What was unusual",
        "Months far from those before; each is a signal, and no finding of a cause.",
        {
          findings: anomalies,
        },
      ),
    );
  }
  return report.finish({
    title: `A year of trade: ${partnerName(reporter)}`,
    question: `What did ${partnerName(reporter)} trade in ${year}?`,
    of: all,
    sections: [...sections, await economy(report)],
  });
}

function rankedProducts({ at, finding }: Writing, told: AnswerTo<"trade_top_products">): Section {
  const rows = told.answer.data.flatMap(({ product, name, share }, n) =>
    product === REST
      ? []
      : [
          {
            product: at(told, `/data/${n}/product`, "code of the product", "code"),
            name: name === null ? undefined : at(told, `/data/${n}/name`, "name of the product", "text"),
            value: at(told, `/data/${n}/value_eur`, "imports of the product", "EUR"),
            share: share === null ? undefined : at(told, `/data/${n}/share`, "share of imports", "share"),
          },
        ],
  );
  const [first] = rows;
  return section("What it imports", "The largest products of the year.", {
    findings: first?.share
      ? [finding(say`The largest is ${first.name ?? first.product} with ${first.share} of all imports.`)]
      : [],
    tables: [
      {
        title: "Largest products",
        columns: ["Code", "Name", "Imports", "Share"],
        rows: rows.map(({ product, name, value, share }) => [product, name, value, share].map(factCell)),
      },
    ],
  });
}

/** Interest, exchange rate, inflation and oil as of now. */
async function economy({ ask, at, limit }: Writing): Promise<Section> {
  const told = await ask("trade_macro_context", {});
  const known = told.answer.data.flatMap(({ value }, n) => (value === null ? [] : n));
  if (known.length < told.answer.data.length)
    limit(say`Some indicators of the economy have no table that is loaded.`);
  return section("The economy around it", "The last values that the tables tell of.", {
    tables:
      known.length > 0
        ? [
            {
              title: "Indicators",
              columns: ["Indicator", "Unit", "Value", "As of"],
              rows: known.map((n) => [
                factCell(at(told, `/data/${n}/name`, "name of the indicator", "text")),
                factCell(at(told, `/data/${n}/unit`, "unit of the indicator", "text")),
                factCell(at(told, `/data/${n}/value`, "value of the indicator", "ratio")),
                factCell(
                  told.answer.data[n]!.as_of === null
                    ? undefined
                    : at(told, `/data/${n}/as_of`, "day of the value", "code"),
                ),
              ]),
            },
          ]
        : [],
  });
}
