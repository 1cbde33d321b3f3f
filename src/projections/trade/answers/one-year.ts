import { z } from "zod";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { type CodeBasis, isAlone } from "../../../domain/trade/code-basis.ts";
import type { Coverage } from "../../../domain/trade/coverage.ts";
import type { Procedure } from "../../../domain/trade/procedures.ts";
import { type ReporterCode, reporterCode } from "../../../domain/trade/reporters.ts";
import { type Flow, flows, type Years, yearOf } from "../../../domain/trade/units.ts";
import { formula, meta, metaOf, onDataset, type TradeData, yearOrLast } from "./question.ts";

export const yearMeta = meta
  .extend({
    reporter: reporterCode,
    year: z.int(),
    flow: z.enum(flows).nullable().describe("The requested flow; null = both"),
    formula,
  })
  .meta({ id: "YearMeta" });

/** Without `year`: the last complete one. */
export type YearQuestion = {
  reporter: ReporterCode;
  year?: number | undefined;
  flow?: Flow | undefined;
  hs?: string | undefined;
  basis?: CodeBasis | undefined;
  procedure?: Procedure | undefined;
  dataset?: string | undefined;
};

/** `work` gets the year, and the question in the dataset's codes. */
export function inOneYear<Q extends YearQuestion, T>(
  trade: TradeData,
  input: Q,
  work: (lease: Lease, years: Years, query: Q) => Promise<T>,
): Promise<T> {
  const years = input.year === undefined ? undefined : { from: input.year, to: input.year };
  const question = {
    ...input,
    reporters: [input.reporter],
    years,
    crossing: crossingOf(input.basis, years),
    fields: { years: "year" },
  } as const;
  return onDataset(trade, question, (lease, { hs }) => {
    const year = yearOrLast(lease, { ...question, hs });
    return work(lease, { from: year, to: year }, { ...input, hs });
  });
}

/** Rankings of any two years have the same families: those of all changes within the dataset. */
export const crossingOf =
  (basis: CodeBasis | undefined, years: Years | undefined) =>
  ({ months: { from, to } }: Coverage): Years => {
    const all = { from: yearOf(from), to: yearOf(to) };
    return isAlone(basis) ? (years ?? all) : all;
  };

/** The requested years, and as many before as they are compared with. */
export const crossingWith =
  (before: number, years: Years | undefined) =>
  ({ months: { from, to } }: Coverage): Years => ({
    from: Math.max(yearOf(from), (years?.from ?? 0) - before),
    to: Math.min(yearOf(to), years?.to ?? yearOf(to)),
  });

export const aboutYear = (lease: Lease, input: YearQuestion, years: Years) => ({
  ...metaOf(lease, { ...input, reporters: [input.reporter], years }),
  reporter: input.reporter,
  year: years.to,
  flow: input.flow ?? null,
});
