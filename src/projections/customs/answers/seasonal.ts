/** The season of a product in Latvia's trade: `seasonal`, twelve factors around 1 for a code of the nomenclature. */
import { z } from "zod";
import { code, direction } from "../../../domain/customs/inputs.ts";
import { basis, dataset, years } from "../../../domain/trade/inputs.ts";
import { flows } from "../../../domain/trade/units.ts";
import { aboutNames, namesOf, type TradeData, yearsOrAll } from "../../trade/answers/question.ts";
import { profile, profilesOf, SEASON_FORMULA } from "../../trade/answers/seasonality.ts";
import { aboutCustoms, customsMeta, customsQuestion, LATVIA, onLatvia, span } from "./question.ts";

export const seasonalInput = z.object({
  code,
  years: years.optional(),
  direction: direction.optional(),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

export const seasonalOutput = z.object({
  data: z.array(profile).describe("One profile per direction"),
  meta: customsMeta.extend({
    code: z.string(),
    name: z.string().nullable(),
    years: span,
    direction: z.enum(flows).nullable(),
    count: z.int(),
  }),
});

/** The seasonal profile of Latvia's trade in the products under a code, each direction apart. */
export async function seasonal(
  trade: TradeData,
  input: z.output<typeof seasonalInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof seasonalOutput>> {
  const question = customsQuestion(input);
  return onLatvia(trade, { ...question, compares: true }, async (lease) => {
    const requestedYears = yearsOrAll(lease, question.years);
    const data = await profilesOf(lease, { ...question, reporter: LATVIA, years: requestedYears }, signal);
    return {
      data,
      meta: {
        ...aboutCustoms(lease, question, requestedYears),
        code: input.code,
        name: namesOf(trade)(input.code),
        years: requestedYears,
        direction: input.direction ?? null,
        count: data.length,
        ...aboutNames(trade),
        formula: SEASON_FORMULA,
      },
    };
  });
}
