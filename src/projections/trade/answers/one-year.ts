import { z } from "zod";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { type ReporterCode, reporterCode } from "../../../domain/trade/reporters.ts";
import { type Flow, flows, type Years } from "../../../domain/trade/units.ts";
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
  dataset?: string | undefined;
};

/** `work` gets the year, and the question in the dataset's codes. */
export function inOneYear<Q extends YearQuestion, T>(
  trade: TradeData,
  input: Q,
  work: (lease: Lease, years: Years, query: Q) => Promise<T>,
): Promise<T> {
  const years = input.year === undefined ? undefined : { from: input.year, to: input.year };
  const question = { ...input, reporters: [input.reporter], years, fields: { years: "year" } } as const;
  return onDataset(trade, question, (lease, { hs }) => {
    const year = yearOrLast(lease, { ...question, hs });
    return work(lease, { from: year, to: year }, { ...input, hs });
  });
}

export const aboutYear = (lease: Lease, input: YearQuestion, years: Years) => ({
  ...metaOf(lease, { ...input, reporters: [input.reporter], years }),
  reporter: input.reporter,
  year: years.to,
  flow: input.flow ?? null,
});
