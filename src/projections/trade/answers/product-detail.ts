import { z } from "zod";
import { basis, dataset, procedure, reporter, requiredHs, years } from "../../../domain/trade/inputs.ts";
import { aboutProduct, productMeta, productQuestion } from "./one-product.ts";
import { onDataset, type TradeData, yearsOrAll } from "./question.ts";
import { partnerRow, RANKED, rankPartners, totals } from "./rankings.ts";
import { monthsIn, series, timelineRow } from "./series.ts";

const TOP_PARTNERS = 20;

export const productDetailInput = z.object({
  reporter,
  hs: requiredHs,
  years: years.optional(),
  procedure: procedure.optional(),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

export const productDetailOutput = z.object({
  data: z.object({
    months: z.array(timelineRow.omit({ reporter: true })).describe("Figures by month"),
    top_partners: z
      .array(partnerRow)
      .describe("The 20 largest over all requested years by imports + exports, then the rest"),
    total: totals.describe("Imports + exports over all requested years"),
  }),
  meta: productMeta.extend({ ranked_of: z.int().describe("Number of partners") }),
});

export async function productDetail(
  trade: TradeData,
  input: z.output<typeof productDetailInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof productDetailOutput>> {
  return onDataset(trade, productQuestion(input), async (lease, question) => {
    const span = yearsOrAll(lease, question.years);
    const query = { reporters: question.reporters, hs: question.hs, years: span };
    const [monthRows, partners] = await Promise.all([
      monthsIn(lease, undefined, query, signal),
      rankPartners(
        lease,
        { ...query, reporter: input.reporter, flow: undefined, limit: TOP_PARTNERS },
        signal,
      ),
    ]);
    const months = series(lease, input.reporter, question.reporters, query, monthRows);
    return {
      data: {
        months: months.map(({ reporter: _, ...month }) => month),
        top_partners: partners.rows,
        total: partners.total,
      },
      meta: {
        ...aboutProduct(lease, question, span),
        ranked_of: partners.ranked_of,
        formula: RANKED,
      },
    };
  });
}
