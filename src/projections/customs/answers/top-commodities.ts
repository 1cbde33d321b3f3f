/** Latvia's largest products: `top-commodities`, its CN8 codes by value or by mass. */
import { z } from "zod";
import { direction } from "../../../domain/customs/inputs.ts";
import { basis, dataset, limit, procedure, year } from "../../../domain/trade/inputs.ts";
import { flows, sixDecimals } from "../../../domain/trade/units.ts";
import { crossingOf } from "../../trade/answers/one-year.ts";
import { aboutNames, namesOf, type TradeData, yearOrLast } from "../../trade/answers/question.ts";
import { productRow, RANKED, type RankedBy, rankFinest, totals } from "../../trade/answers/rankings.ts";
import { aboutCustoms, customsMeta, customsQuestion, LATVIA, onLatvia } from "./question.ts";

export const commoditiesInput = z.object({
  year: year.optional(),
  direction: direction.optional(),
  limit,
  sort: z
    .enum(["value", "weight"], "sort is value or weight")
    .default("value")
    .describe("Rank by value in EUR, or by weight (reported mass)"),
  procedure: procedure.optional(),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

/** A CN8 code's line. The last line, `rest`, is the total less the lines above it. */
const commodityRow = productRow.extend({
  share_of_mass: z.number().nullable().describe("Share of the total reported mass, 0 to 1; null: no mass"),
});

export const commoditiesOutput = z.object({
  data: z.array(commodityRow),
  meta: customsMeta.extend({
    year: z.int(),
    direction: z.enum(flows).nullable(),
    sort: z.enum(["value", "weight"]),
    count: z.int().describe("Number of ranked lines, without the rest"),
    ranked_of: z.int().describe("Number of CN8 codes with trade"),
    total: totals,
  }),
});

const columnOf: Record<"value" | "weight", RankedBy> = { value: "value_eur", weight: "quantity_kg" };

/** The CN8 codes of Latvia's trade in a year; confidential trade counts in the total and has no line of its own. */
export async function topCommodities(
  trade: TradeData,
  input: z.output<typeof commoditiesInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof commoditiesOutput>> {
  const question = customsQuestion(input);
  const crossing = crossingOf(input.basis, question.years);
  return onLatvia(trade, { ...question, crossing }, async (lease) => {
    const year = yearOrLast(lease, question);
    const years = { from: year, to: year };
    const { rows, ...ranked } = await rankFinest(
      lease,
      namesOf(trade),
      {
        reporter: LATVIA,
        flow: input.direction,
        limit: input.limit,
        years,
        hs: undefined,
        by: columnOf[input.sort],
      },
      signal,
    );
    const mass = ranked.total.quantity_kg;
    return {
      data: rows.map((row) => ({
        ...row,
        share_of_mass: mass && row.quantity_kg !== null ? sixDecimals(row.quantity_kg / mass) : null,
      })),
      meta: {
        ...aboutCustoms(lease, question, years),
        year,
        direction: input.direction ?? null,
        sort: input.sort,
        ...ranked,
        ...aboutNames(trade),
        formula: `ranked by ${input.sort} at CN8; share_of_mass = known mass / total known mass; ${RANKED}`,
      },
    };
  });
}
