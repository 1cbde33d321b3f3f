/** Report sections of what only skills call: forecasts, the caller's own money, and news that may be quoted to it. */
import type { z } from "zod";
import { type CitedText, citing } from "../../domain/reports/cited-text.ts";
import type { Fact } from "../../domain/reports/fact.ts";
import type { Finding, Section } from "../../domain/reports/report.ts";
import type { forecastOutput } from "../../domain/skills/methods.ts";
import { sectionWriters, writeSection } from "../reports/answers/section-writers.ts";
import { type AnswerWithOriginOf, factCell, type ReportDraft, section } from "../reports/writing.ts";
import type { newsOutput, ordersOutput, settlementsOutput, spendingOutput } from "./own-readings.ts";

/** The answers of what skills call besides operations. */
type OwnAnswers = {
  forecast_of_months: z.infer<typeof forecastOutput>;
  own_spending: z.infer<typeof spendingOutput>;
  own_orders: z.infer<typeof ordersOutput>;
  own_settlements: z.infer<typeof settlementsOutput>;
  own_news: z.infer<typeof newsOutput>;
};
type OwnAnswer<Name extends keyof OwnAnswers> = AnswerWithOriginOf<OwnAnswers[Name]>;

const ownSections: {
  [Name in keyof OwnAnswers]: (writing: ReportDraft, sourced: OwnAnswer<Name>) => Section[];
} = {
  forecast_of_months: forecastSections,
  own_spending: spendingSections,
  own_orders: ordersSections,
  own_settlements: settlementsSections,
  own_news: quoteNews,
};

/** All that skills may call and that has a section. */
export const sectionedNames = [...Object.keys(sectionWriters), ...Object.keys(ownSections)];

/** Writes the section of any such answer. */
export const skillSections = (writing: ReportDraft, operation: string, sourced: object): Section[] =>
  operation in ownSections
    ? (ownSections[operation as keyof OwnAnswers] as (writing: ReportDraft, sourced: object) => Section[])(
        writing,
        sourced,
      )
    : writeSection(writing, operation, sourced);

const words = { IMPORT: "imports", EXPORT: "exports" } as const;

const methodNames = {
  tsb: "smoothing of amounts and their frequency after Teunter, Syntetos and Babai",
  seasonal_tsb: "smoothing of amounts and their frequency, with factors of the season",
  mean: "the mean of the months",
  none: "too short a history for any method",
} as const;

function forecastSections(
  { at, finding, limit }: ReportDraft,
  sourced: OwnAnswer<"forecast_of_months">,
): Section[] {
  const findings: Finding[] = [];
  const rows: Section["tables"][number]["rows"] = [];
  if (sourced.answer.data.length === 0) limit(citing`There are too few complete months to forecast from.`);
  for (const [n, { flow, months, method: name }] of sourced.answer.data.entries()) {
    const method = at(sourced, `/data/${n}/method`, `method of the forecast of ${words[flow]}`, "text");
    const used = at(
      sourced,
      `/data/${n}/months_used`,
      `months that the forecast of ${words[flow]} is made of`,
      "count",
    );
    findings.push(
      finding(
        citing`The forecast of ${words[flow]} is made from ${used} months by ${method}: ${methodNames[name]}.`,
        "estimated",
      ),
    );
    for (const [m, { lo80_eur, hi80_eur }] of months.entries()) {
      const figure = (name: string, label: string) =>
        at(sourced, `/data/${n}/months/${m}/${name}`, `${label} of ${words[flow]}`, "EUR");
      const month = at(sourced, `/data/${n}/months/${m}/month`, "month that is forecast", "month");
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
              ? citing`In ${month} ${words[flow]} of ${mean} are expected; with a chance of four in five they lie between ${reach[0]!} and ${reach[1]!}.`
              : citing`In ${month} ${words[flow]} of ${mean} are expected.`,
            "estimated",
          ),
        );
    }
  }
  const columns = ["Flow", "Month", "Expected", "From", "To"];
  return [
    section("Forecast", "Expected trade of the next months.", {
      findings,
      tables: rows.length > 0 ? [{ title: "Months to come", columns, rows }] : [],
    }),
  ];
}

type Own = OwnAnswer<"own_spending"> | OwnAnswer<"own_orders"> | OwnAnswer<"own_settlements">;

/** The time of the figures: one month, or all time up to it. A month that goes on is a limit. */
function timeOf({ at, limit }: ReportDraft, sourced: Own): CitedText {
  const { month: only, over } = sourced.answer.meta;
  const month = at(sourced, "/meta/coverage/months/to", "last month that is counted", "month");
  if (!over && only !== null) limit(citing`The month is not over, so its figures are provisional.`);
  return only === null ? citing`Up to ${month}` : citing`In ${month}`;
}

/** A wallet that pays without a key belongs to no tenant. */
function limitToKeys({ limit }: ReportDraft): void {
  limit(citing`Payments that a wallet made without one of your keys are not counted.`);
}

/** A count and its noun: "1 order", "2 orders". */
const counted = (count: Fact, one: string) => citing`${count} ${one}${count.value === 1 ? "" : "s"}`;

function spendingSections(writing: ReportDraft, sourced: OwnAnswer<"own_spending">): Section[] {
  const { at, finding } = writing;
  const { data } = sourced.answer;
  const usdc = (path: string, label: string) => at(sourced, `/data/${path}`, label, "USDC");
  const time = timeOf(writing, sourced);
  limitToKeys(writing);
  const count = at(sourced, "/data/payments", "payments", "count");
  const refunds = at(sourced, "/data/refunds", "refunds", "count");
  const rows = data.by_operation.map((_, n) => [
    factCell(at(sourced, `/data/by_operation/${n}/operation`, "paid operation", "text")),
    factCell(at(sourced, `/data/by_operation/${n}/payments`, "payments for the operation", "count")),
    factCell(usdc(`by_operation/${n}/settled_usdc`, "paid for the operation")),
    factCell(usdc(`by_operation/${n}/refunded_usdc`, "refunded for the operation")),
  ]);
  const columns = ["Operation", "Payments", "Paid", "Refunded"];
  const refunded =
    data.refunds === 0
      ? citing`nothing was refunded`
      : citing`${counted(refunds, "refund")} returned ${usdc("refunded_usdc", "refunded in all")}`;
  return [
    section("Your spending", "Settled payments, and refunds.", {
      findings: [
        finding(
          data.payments === 0
            ? citing`${time} you paid for no operation, and nothing was refunded.`
            : citing`${time} you paid ${usdc("settled_usdc", "paid in all")} in ${counted(count, "payment")}, and ${refunded}.`,
        ),
      ],
      tables: rows.length > 0 ? [{ title: "By operation", columns, rows }] : [],
    }),
  ];
}

function ordersSections(writing: ReportDraft, sourced: OwnAnswer<"own_orders">): Section[] {
  const { at, finding } = writing;
  const { data } = sourced.answer;
  const eur = (path: string, label: string) => at(sourced, `/data/${path}`, label, "EUR");
  const time = timeOf(writing, sourced);
  const orders = at(sourced, "/data/orders", "orders", "count");
  const sold = at(sourced, "/data/sold", "orders that were paid for", "count");
  const rows = data.by_status.map(({ status }, n) => [
    { word: status },
    factCell(at(sourced, `/data/by_status/${n}/orders`, "orders of this status", "count")),
    factCell(eur(`by_status/${n}/gross_eur`, "with tax")),
  ]);
  const columns = ["Status", "Orders", "With tax"];
  return [
    section("Your orders", "The goods that you ordered, in every status.", {
      findings: [
        finding(
          data.orders === 0
            ? citing`${time} you ordered no goods.`
            : data.sold === 0
              ? citing`${time} you placed ${counted(orders, "order")}, and paid for none of them.`
              : citing`${time} you placed ${counted(orders, "order")}. ${sold} of them ${sold.value === 1 ? "is" : "are"} paid for, and neither cancelled nor returned: ${eur("net_eur", "net")} net, ${eur("vat_eur", "value added tax")} value added tax, ${eur("gross_eur", "gross")} in all.`,
        ),
      ],
      tables: rows.length > 0 ? [{ title: "By status", columns, rows }] : [],
    }),
  ];
}

function settlementsSections(writing: ReportDraft, sourced: OwnAnswer<"own_settlements">): Section[] {
  const { at, finding } = writing;
  const { data } = sourced.answer;
  const count = (name: string, label: string) => at(sourced, `/data/${name}`, label, "count");
  const usdc = (name: string, label: string) => at(sourced, `/data/${name}`, label, "USDC");
  const time = timeOf(writing, sourced);
  const settled = () => count("settled", "settled payments");
  limitToKeys(writing);
  return [
    section("Settlements on the chain", "The log's payments, compared with final blocks of the chain.", {
      findings: [
        finding(
          data.settled === 0
            ? citing`${time} the log has no settled payment of yours.`
            : citing`${time} the log has ${counted(settled(), "settled payment")} of yours, ${usdc("settled_usdc", "settled")}. Final blocks of the chain have ${count("confirmed", "payments confirmed by the chain")} of them, ${usdc("confirmed_usdc", "confirmed by the chain")}.`,
        ),
        ...(data.taken_back === 0
          ? []
          : [
              finding(
                citing`The chain reversed ${counted(count("taken_back", "payments taken back"), "payment")} of that time; the sums leave them out.`,
              ),
            ]),
      ],
    }),
  ];
}

/** Quotations are separate from the findings. */
function quoteNews({ quote, limit }: ReportDraft, sourced: OwnAnswer<"own_news">): Section[] {
  quote(sourced.answer.data);
  if (sourced.answer.data.length === 0) limit(citing`No news that you may quote names the country.`);
  return [];
}
