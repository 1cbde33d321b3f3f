import { z } from "zod";
import type { Lease } from "../../../datasets/vintage-store.ts";
import {
  type CompletenessCheck,
  completenessOf,
  existsIn,
  flowsOf,
  isComparable,
  reportersOfEu,
} from "../../../domain/trade/coverage.ts";
import { basis, dataset, flow, hs, procedure, year } from "../../../domain/trade/inputs.ts";
import {
  type ReporterCode,
  reporterCode,
  reporterCodes,
  reporters,
} from "../../../domain/trade/reporters.ts";
import { type Flow, flows, type Period, sixDecimals, yearOf } from "../../../domain/trade/units.ts";
import { formula, meta, metaOf, monthsOf, onDataset, type TradeData } from "./question.ts";
import { totals } from "./rankings.ts";
import { rollupsOf, totalOf } from "./rolled-up.ts";
import { SUMS } from "./series.ts";
import { flowSums, inFlow, type Slice, totalsIn } from "./tables.ts";

export const heatmapInput = z.object({
  year: year.describe("Calendar year"),
  flow: flow.optional(),
  hs: hs.optional(),
  procedure: procedure.optional(),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

const amount = z.number().nullable();

const heatmapRow = z.object({
  rank: z.int().nullable().describe("Rank by value, 1 = the largest; null = not delivered"),
  reporter: reporterCode,
  name: z.string(),
  value_eur: z
    .int()
    .nullable()
    .describe("Value in EUR (imports + exports if no flow is requested); null = not delivered"),
  imports_eur: z
    .int()
    .nullable()
    .optional()
    .describe("Imports in EUR; null = not delivered; absent: one flow was requested"),
  exports_eur: z.int().nullable().optional(),
  quantity_kg: amount.describe("Reported mass in kg; null = none"),
  share: amount.describe("Share of the sum of the 27, 0 to 1; null = not delivered"),
  change: amount.describe(
    "Change on the year before, 0.1 = 10 % more; null: either year is incomplete, or the code has other goods",
  ),
  complete: z.boolean().describe("true: all twelve months are complete"),
});

export const heatmapOutput = z.object({
  data: z.array(heatmapRow),
  meta: meta.extend({
    count: z.int(),
    year: z.int(),
    product: z.string().nullable().describe("The requested code; null = all products"),
    flow: z.enum(flows).nullable(),
    total: totals,
    formula,
  }),
});

type Sums = {
  reporter: ReporterCode;
  year: number;
  imports_eur: number | null;
  exports_eur: number | null;
  quantity_kg: number | null;
};
const amountOf = { IMPORT: "imports_eur", EXPORT: "exports_eur" } as const;

export async function heatmap(
  trade: TradeData,
  input: z.output<typeof heatmapInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof heatmapOutput>> {
  const { year, flow } = input;
  const years = { from: year, to: year };
  const question = {
    ...input,
    reporters: reportersOfEu(input.hs),
    years,
    crossing: () => ({ from: year - 1, to: year }),
    fields: { reporter: "hs", years: "year" },
  } as const;
  return onDataset(trade, question, async (lease, { hs: product }) => {
    const both = { from: year - 1, to: year };
    const yearRows = await yearsOf(lease, { hs: product, flow, years: both }, signal);
    const isComplete = completenessOf(lease.manifest.coverage, product);
    const isSame = isComparable(lease.manifest.coverage, product, year - 1, year);
    const months = monthsOf(lease, both);
    const rows = reporterCodes.map((code) => {
      const of = (query: number) => {
        const row = yearRows.find((one) => one.reporter === code && one.year === query);
        return valuesOf(
          row,
          code,
          flow,
          months.filter((period) => yearOf(period) === query),
          isComplete,
        );
      };
      const [now, before] = [of(year), of(year - 1)];
      const comparable =
        isSame && now.complete && before.complete && now.value_eur !== null && before.value_eur;
      return {
        reporter: code,
        name: reporters[code],
        ...now,
        change: comparable ? sixDecimals(now.value_eur! / before.value_eur! - 1) : null,
      };
    });
    const sum = rows.reduce((total, { value_eur }) => total + (value_eur ?? 0), 0);
    const masses = rows.map(({ quantity_kg }) => quantity_kg).filter((mass) => mass !== null);
    const sorted = rows.sort((a, b) => (b.value_eur ?? -1) - (a.value_eur ?? -1));
    const data = sorted.map((row, at) => ({
      rank: row.value_eur === null ? null : at + 1,
      ...row,
      share: row.value_eur === null || sum === 0 ? null : sixDecimals(row.value_eur / sum),
    }));
    return {
      data,
      meta: {
        ...metaOf(lease, { hs: product, flow, reporters: reporterCodes, years }),
        count: data.length,
        year,
        product: product ?? null,
        flow: flow ?? null,
        total: {
          value_eur: existsIn(lease.manifest.coverage, product, years) ? sum : null,
          quantity_kg:
            masses.length === 0 ? null : sixDecimals(masses.reduce((total, mass) => total + mass, 0)),
        },
        formula: `share = value / sum of the 27; change = value / value of the year before − 1; ${SUMS}`,
      },
    };
  });
}

async function yearsOf(
  lease: Lease,
  { hs, flow, years }: Slice & { flow: Flow | undefined },
  signal: AbortSignal | undefined,
): Promise<Sums[]> {
  const rollups = rollupsOf(lease, { hs, years });
  if (rollups)
    return rollups.flatMap((rollup) =>
      reporterCodes.flatMap((reporter) => {
        const sums = totalOf([rollup], { hs, flow, reporters: [reporter] });
        return sums.isNone ? [] : [{ reporter, year: rollup.year, ...sums.all() }];
      }),
    );
  return lease.query<Sums>(
    `select reporter, period // 100 as year, ${flowSums}, sum(quantity_kg)::double as quantity_kg
     from ${totalsIn(lease, { hs, years })} where ${inFlow(flow)} group by 1, 2`,
    undefined,
    signal,
  );
}

/** No row means no trade if a month of the year is complete; otherwise the figures are unknown. */
function valuesOf(
  row: Sums | undefined,
  reporter: ReporterCode,
  flow: Flow | undefined,
  months: Period[],
  isComplete: CompletenessCheck,
) {
  const amounts = flowsOf(flow).map(
    (of) => row?.[amountOf[of]] ?? (months.some((period) => isComplete(reporter, of, period)) ? 0 : null),
  );
  const delivered = amounts.filter((value) => value !== null);
  return {
    value_eur: delivered.length === 0 ? null : delivered.reduce((sum, value) => sum + value, 0),
    ...(flow === undefined && { imports_eur: amounts[0]!, exports_eur: amounts[1]! }),
    quantity_kg: row?.quantity_kg ?? null,
    complete:
      months.length === 12 &&
      flowsOf(flow).every((of) => months.every((period) => isComplete(reporter, of, period))),
  };
}
