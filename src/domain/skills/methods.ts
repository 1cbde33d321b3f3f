/** Computations of a plan over earlier answers: pure, and called by name like operations. */
import { z } from "zod";
import { monthAfter } from "../commerce/demand.ts";
import { forecastCatalogue, LONGEST_RECORD, methods } from "../commerce/forecast.ts";
import { flows } from "../trade/units.ts";

const value = z.number().nullable().optional();
const monthOfSeries = z.object({
  period: z.string(),
  imports_eur: value,
  exports_eur: value,
  complete: z.boolean(),
});

const forecastInput = z.object({
  series: z.array(monthOfSeries).describe("The data of trade_timeline, of one reporter"),
  rests_on: z.object({
    dataset: z.string(),
    rests_on: z.string(),
    synthetic: z.boolean(),
    source: z.string(),
  }),
  months_ahead: z.int().min(1).max(12),
});

export const forecastOutput = z.object({
  data: z.array(
    z.object({
      flow: z.enum(flows),
      method: z.enum(methods),
      /** Complete months that it is made of. */
      months_used: z.int(),
      months: z.array(
        z.object({
          month: z.string(),
          mean_eur: z.number(),
          lo80_eur: z.number().nullable(),
          hi80_eur: z.number().nullable(),
        }),
      ),
      mase: z.number().nullable(),
    }),
  ),
  meta: forecastInput.shape.rests_on,
});

const amounts = { IMPORT: "imports_eur", EXPORT: "exports_eur" } as const;

/** The months that follow the last complete one, each flow apart, as the demand of a shop is forecast (docs/commerce.md). */
function forecastOfMonths({
  series,
  rests_on,
  months_ahead,
}: z.output<typeof forecastInput>): z.infer<typeof forecastOutput> {
  const data = flows.flatMap((flow) => {
    const record = trailingKnown(series, amounts[flow]);
    const last = record.at(-1);
    if (!last) return [];
    const values = record.map((one) => one.value);
    const [made] = forecastCatalogue([values], { months_ahead, window: LONGEST_RECORD });
    if (!made || made.method === "none") return [];
    const months = made.months.map(({ ahead, mean, 80: within }) => ({
      month: monthAfter(last.period, ahead),
      mean_eur: Math.round(mean),
      lo80_eur: within && Math.round(within.low),
      hi80_eur: within && Math.round(within.high),
    }));
    const mase = made.tests?.mase ?? null;
    return [{ flow, method: made.method, months_used: record.length, months, mase }];
  });
  return { data, meta: rests_on };
}

type Amount = "imports_eur" | "exports_eur";

/** The complete months before the last one, back to the first unknown one. */
function trailingKnown(series: readonly z.infer<typeof monthOfSeries>[], amount: Amount) {
  const known: { period: string; value: number }[] = [];
  for (const { period, complete, [amount]: value } of series.toReversed()) {
    if (complete && typeof value === "number") known.unshift({ period, value });
    else if (known.length > 0) break;
  }
  return known;
}

/** The methods by the names that plans have for them. */
export const methodsOfPlans = {
  forecast_of_months: { input: forecastInput, compute: forecastOfMonths },
} as const;
