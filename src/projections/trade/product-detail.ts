/** All about one reporter's trade of a product: `product-detail`, its months and its largest partners. */
import { z } from "zod";
import { dataset, hs2, hsWithin, productOf, readYears, reporter, years } from "../../domain/trade/inputs.ts";
import { reporterCodes } from "../../domain/trade/reporters.ts";
import { formula, meta, metaOf, onDataset, type TradeData, yearsOrAll } from "./question.ts";
import { partnerRow, RANKED, rankPartners, totals } from "./rankings.ts";
import { monthsSql, type SeriesRow, series, timelineRow } from "./series.ts";

const TOP_PARTNERS = 20;

export const productDetailInput = z.object({
  reporter,
  hs2,
  years: years.optional(),
  hs: hsWithin.optional(),
  dataset: dataset.optional(),
});

export const productDetailOutput = z.object({
  data: z.object({
    months: z.array(timelineRow.omit({ reporter: true })),
    top_partners: z
      .array(partnerRow)
      .describe("The 20 largest over all the years asked for, imports + exports, and the rest"),
    total: totals.describe("Over all the years asked for, imports + exports"),
  }),
  meta: meta.extend({
    reporter: z.enum(reporterCodes),
    product: z.string(),
    years: z.object({ from: z.int(), to: z.int() }),
    ranked_of: z.int().describe("How many partners there are"),
    formula,
  }),
});

/** The months and the largest partners of a reporter's trade in a product. */
export async function productDetail(
  trade: TradeData,
  input: z.output<typeof productDetailInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof productDetailOutput>> {
  const product = productOf(input)!;
  const question = {
    ...input,
    hs: product,
    reporters: [input.reporter],
    years: input.years === undefined ? undefined : readYears(input.years),
    fields: { hs: input.hs === undefined ? "hs2" : "hs" },
  } as const;
  return onDataset(trade, question, async (lease) => {
    const span = yearsOrAll(lease, question.years);
    const asked = { reporters: question.reporters, hs: product, years: span };
    const [found, partners] = await Promise.all([
      lease.query<SeriesRow>(monthsSql(lease, "reporter", asked), undefined, signal),
      rankPartners(
        lease,
        { ...asked, reporter: input.reporter, flow: undefined, limit: TOP_PARTNERS },
        signal,
      ),
    ]);
    const months = series(lease, input.reporter, question.reporters, asked, found);
    return {
      data: {
        months: months.map(({ reporter: _, ...month }) => month),
        top_partners: partners.rows,
        total: partners.total,
      },
      meta: {
        ...metaOf(lease, asked),
        reporter: input.reporter,
        product,
        years: span,
        ranked_of: partners.ranked_of,
        formula: RANKED,
      },
    };
  });
}
