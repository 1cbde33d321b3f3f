/** Latvia's trade over time: `trends`, its years and months with the change against the year before. */
import { z } from "zod";
import { changeOf } from "../../../domain/customs/growth.ts";
import { direction } from "../../../domain/customs/inputs.ts";
import { dataset, years } from "../../../domain/trade/inputs.ts";
import { flows, sixDecimals, type Years } from "../../../domain/trade/units.ts";
import { type TradeData, yearsOrAll } from "../../trade/answers/question.ts";
import { monthsIn, SUMS, series, timelineRow } from "../../trade/answers/series.ts";
import { aboutCustoms, customsMeta, customsQuestion, LATVIA, onLatvia, span } from "./question.ts";

export const trendsInput = z.object({
  years: years.optional(),
  direction: direction.optional(),
  dataset: dataset.optional(),
});

const change = z
  .number()
  .nullable()
  .optional()
  .describe(
    "Change in value on the same period a year before, 0.1 = 10 %; null: either period is incomplete, or the earlier value is 0",
  );

/** A month; the change is against the same month of the year before. */
const trendMonth = timelineRow
  .omit({ reporter: true })
  .extend({ imports_change: change, exports_change: change });

/** A year: the sums of its known months. */
const trendYear = trendMonth.omit({ period: true }).extend({
  year: z.int(),
  balance_eur: z
    .int()
    .nullable()
    .optional()
    .describe("exports_eur − imports_eur; null if one of them is null; absent: one direction was requested"),
  months: z.int().describe("Number of complete months in the year"),
  complete: z.boolean().describe("true: all twelve months are complete"),
});

export const trendsOutput = z.object({
  data: z.object({
    years: z.array(trendYear).describe("Figures by year"),
    months: z.array(trendMonth).describe("Figures by month"),
  }),
  meta: customsMeta.extend({ years: span, direction: z.enum(flows).nullable() }),
});

type Month = Omit<z.infer<typeof timelineRow>, "reporter">;
type Amounts = Omit<Month, "period" | "complete">;

/** Yearly and monthly totals of Latvia, value and mass, each with its change. */
export async function trends(
  trade: TradeData,
  input: z.output<typeof trendsInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof trendsOutput>> {
  const question = customsQuestion(input);
  return onLatvia(trade, question, async (lease) => {
    const requestedYears = yearsOrAll(lease, question.years);
    // The first year requested is compared with the one before it.
    const read: Years = { from: requestedYears.from - 1, to: requestedYears.to };
    const slice = { flow: input.direction, reporters: question.reporters, years: read };
    const found = await monthsIn(lease, undefined, slice, signal);
    const months = series(lease, LATVIA, question.reporters, slice, found).map(
      ({ reporter: _, ...month }): Month => month,
    );
    const yearly = yearsIn(months);
    const isAsked = (year: number) => year >= requestedYears.from;
    return {
      data: {
        years: withChanges(yearly, (one) => one.year).filter(({ year }) => isAsked(year)),
        months: withChanges(months, ({ period }) => Number(period.replace("-", "")), 100).filter(
          ({ period }) => isAsked(Number(period.slice(0, 4))),
        ),
      },
      meta: {
        ...aboutCustoms(lease, question, requestedYears),
        years: requestedYears,
        direction: input.direction ?? null,
        formula: `change = value / value of the year before − 1, between complete years and between complete months; balance = exports − imports; ${SUMS}`,
      },
    };
  });
}

const amounts = ["imports_eur", "imports_kg", "exports_eur", "exports_kg"] as const;

/** The years of ordered months; an amount without known months is null, one that was not requested is left out. */
function yearsIn(months: Month[]) {
  const years = [...new Set(months.map(({ period }) => period.slice(0, 4)))];
  return years.map((text) => {
    const ofYear = months.filter(({ period }) => period.startsWith(text));
    const sums: Amounts = {};
    for (const amount of amounts) {
      if (ofYear[0]![amount] === undefined) continue;
      const known = ofYear.flatMap((month) => month[amount] ?? []);
      sums[amount] =
        known.length > 0 ? Math.round(known.reduce((sum, one) => sum + one, 0) * 1000) / 1000 : null;
    }
    const { imports_eur, exports_eur } = sums;
    const delivered = ofYear.filter(({ complete }) => complete).length;
    return {
      year: Number(text),
      ...sums,
      ...(imports_eur !== undefined &&
        exports_eur !== undefined && {
          balance_eur: imports_eur === null || exports_eur === null ? null : exports_eur - imports_eur,
        }),
      months: delivered,
      complete: delivered === 12,
    };
  });
}

/** Adds each row's change against the row `before` places earlier, where both are complete. */
function withChanges<Row extends Amounts & { complete: boolean }>(
  rows: Row[],
  placeOf: (row: Row) => number,
  before = 1,
): (Row & { imports_change?: number | null; exports_change?: number | null })[] {
  const complete = new Map(rows.filter((row) => row.complete).map((row) => [placeOf(row), row]));
  return rows.map((row) => {
    const earlier = complete.get(placeOf(row) - before);
    const changeIn = (amount: "imports_eur" | "exports_eur") => {
      const change = row.complete && earlier ? changeOf(row[amount], earlier[amount]) : null;
      return change === null ? null : sixDecimals(change);
    };
    return {
      ...row,
      ...(row.imports_eur !== undefined && { imports_change: changeIn("imports_eur") }),
      ...(row.exports_eur !== undefined && { exports_change: changeIn("exports_eur") }),
    };
  });
}
