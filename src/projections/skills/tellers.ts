/** Report sections of what only skills call: forecasts, the caller's own money, and news that may be quoted to it. */
import type { z } from "zod";
import { say } from "../../domain/reports/cited-text.ts";
import type { Finding, Section } from "../../domain/reports/report.ts";
import type { forecastOutput } from "../../domain/skills/methods.ts";
import { sectionWriters, writeSection } from "../reports/answers/section-writers.ts";
import { factCell, type ReportDraft, type SourcedAnswerOf, section } from "../reports/writing.ts";
import type { newsOutput, ordersOutput, settlementsOutput, spendingOutput } from "./own.ts";

/** The answers of what skills call besides operations. */
type OwnAnswers = {
  forecast_of_months: z.infer<typeof forecastOutput>;
  own_spending: z.infer<typeof spendingOutput>;
  own_orders: z.infer<typeof ordersOutput>;
  own_settlements: z.infer<typeof settlementsOutput>;
  own_news: z.infer<typeof newsOutput>;
};
type Told<Name extends keyof OwnAnswers> = SourcedAnswerOf<OwnAnswers[Name]>;

const own: { [Name in keyof OwnAnswers]: (writing: ReportDraft, told: Told<Name>) => Section[] } = {
  forecast_of_months: forecastSections,
  own_spending: spendingSections,
  own_orders: ordersSections,
  own_settlements: settlementsSections,
  own_news: quoteNews,
};

/** All that skills may call and that has a section. */
export const tellable = [...Object.keys(sectionWriters), ...Object.keys(own)];

/** Writes the section of any such answer. */
export const toldOfSkill = (writing: ReportDraft, operation: string, told: object): Section[] =>
  operation in own
    ? (own[operation as keyof OwnAnswers] as (writing: ReportDraft, told: object) => Section[])(writing, told)
    : writeSection(writing, operation, told);

const words = { IMPORT: "imports", EXPORT: "exports" } as const;

function forecastSections({ at, finding, limit }: ReportDraft, told: Told<"forecast_of_months">): Section[] {
  const findings: Finding[] = [];
  const rows: Section["tables"][number]["rows"] = [];
  if (told.answer.data.length === 0) limit(say`There are too few complete months to forecast from.`);
  for (const [n, { flow, months }] of told.answer.data.entries())
    for (const [m, { lo80_eur, hi80_eur }] of months.entries()) {
      const figure = (name: string, label: string) =>
        at(told, `/data/${n}/months/${m}/${name}`, `${label} of ${words[flow]}`, "EUR");
      const month = at(told, `/data/${n}/months/${m}/month`, "month that is forecast", "month");
      const mean = figure("mean_eur", "expected value");
      const reach =
        lo80_eur === null || hi80_eur === null
          ? []
          : [figure("lo80_eur", "lower end"), figure("hi80_eur", "upper end")];
      rows.push([{ word: words[flow] }, ...[month, mean, reach[0], reach[1]].map(factCell)]);
      if (m === 0)
        findings.push(
          finding(
            reach.length === 2
              ? say`In ${month} ${words[flow]} of ${mean} are to be expected; four times of five they lie between ${reach[0]!} and ${reach[1]!}.`
              : say`In ${month} ${words[flow]} of ${mean} are to be expected.`,
            "estimated",
          ),
        );
    }
  const columns = ["Flow", "Month", "Expected", "From", "To"];
  return [
    section("What is to be expected", "By exponential smoothing of the months before, with their season.", {
      findings,
      tables: rows.length > 0 ? [{ title: "Months to come", columns, rows }] : [],
    }),
  ];
}

function spendingSections({ at, finding }: ReportDraft, told: Told<"own_spending">): Section[] {
  const usdc = (path: string, label: string) => at(told, `/data/${path}`, label, "USDC");
  const count = at(told, "/data/payments", "payments", "count");
  const refunds = at(told, "/data/refunds", "refunds", "count");
  const month = at(told, "/meta/coverage/months/to", "last month that is counted", "month");
  const rows = told.answer.data.by_operation.map((_, n) => [
    factCell(at(told, `/data/by_operation/${n}/operation`, "what was paid for", "text")),
    factCell(at(told, `/data/by_operation/${n}/payments`, "payments for it", "count")),
    factCell(usdc(`by_operation/${n}/settled_usdc`, "paid for it")),
    factCell(usdc(`by_operation/${n}/refunded_usdc`, "given back of it")),
  ]);
  const columns = ["Operation", "Payments", "Paid", "Given back"];
  return [
    section("What you have spent", "Payments that were settled, and what went back.", {
      findings: [
        finding(
          say`Up to ${month}, ${count} payments of yours came to ${usdc("settled_usdc", "paid in all")}; ${refunds} refunds gave back ${usdc("refunded_usdc", "given back in all")}.`,
        ),
      ],
      tables: rows.length > 0 ? [{ title: "By operation", columns, rows }] : [],
    }),
  ];
}

function ordersSections({ at, finding }: ReportDraft, told: Told<"own_orders">): Section[] {
  const eur = (path: string, label: string) => at(told, `/data/${path}`, label, "EUR");
  const month = at(told, "/meta/coverage/months/to", "last month that is counted", "month");
  const orders = at(told, "/data/orders", "orders", "count");
  const sold = at(told, "/data/sold", "orders that were paid for", "count");
  const rows = told.answer.data.by_status.map(({ status }, n) => [
    { word: status },
    factCell(at(told, `/data/by_status/${n}/orders`, "orders that stand so", "count")),
    factCell(eur(`by_status/${n}/gross_eur`, "with tax")),
  ]);
  return [
    section("Your orders", "Goods ordered here, whatever came of them.", {
      findings: [
        finding(
          say`Up to ${month} there are ${orders} orders, ${sold} of them paid for: ${eur("net_eur", "net")} net, ${eur("vat_eur", "value added tax")} tax, ${eur("gross_eur", "gross")} in all.`,
        ),
      ],
      tables:
        rows.length > 0
          ? [{ title: "By where they stand", columns: ["They are", "Orders", "With tax"], rows }]
          : [],
    }),
  ];
}

function settlementsSections({ at, finding }: ReportDraft, told: Told<"own_settlements">): Section[] {
  const count = (name: string, label: string) => at(told, `/data/${name}`, label, "count");
  const usdc = (name: string, label: string) => at(told, `/data/${name}`, label, "USDC");
  return [
    section("Settlements against the chain", "What the log has, held against blocks that stay for good.", {
      findings: [
        finding(
          say`The log has ${count("settled", "settled payments")} payments as settled, ${usdc("settled_usdc", "settled")}; ${count("confirmed", "payments confirmed by the chain")} of them, ${usdc("confirmed_usdc", "confirmed by the chain")}, stand in blocks that stay. The chain took back ${count("taken_back", "payments taken back")}.`,
        ),
      ],
    }),
  ];
}

/** Quotations are separate from the findings. */
function quoteNews({ quote, limit }: ReportDraft, told: Told<"own_news">): Section[] {
  quote(told.answer.data);
  if (told.answer.data.length === 0) limit(say`No news: none that you may be quoted name the country.`);
  return [];
}
