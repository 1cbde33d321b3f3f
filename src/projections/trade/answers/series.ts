import { z } from "zod";
import { literal } from "../../../datasets/duckdb.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { completenessOf, flowsOf } from "../../../domain/trade/coverage.ts";
import {
  basis,
  dataset,
  flow,
  hs,
  procedure,
  readYears,
  reporter,
  reportersField,
  years,
} from "../../../domain/trade/inputs.ts";
import { type ReporterCode, reporterCode } from "../../../domain/trade/reporters.ts";
import { type Flow, monthText, type Period, type Years, yearOf } from "../../../domain/trade/units.ts";
import { formula, meta, metaOf, monthsOf, onDataset, orAll, type TradeData, yearsOrAll } from "./question.ts";
import { monthsOfTrade, rollupsOf } from "./rolled-up.ts";
import { flowSums, inFlow, inReporters, totalsIn } from "./tables.ts";

const amount = z.number().nullable();

export const timelineInput = z.object({
  reporters: reportersField.optional(),
  flow: flow.optional(),
  years: years.optional(),
  hs: hs.optional(),
  procedure: procedure.optional(),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

/** A month of one reporter or of the sum of the 27 (`EU27`). 0 = no trade, null = not delivered. */
export const timelineRow = z.object({
  reporter: z.string().describe("Reporter code, or EU27 for the sum of the 27"),
  period: z.string().describe("The month, YYYY-MM"),
  imports_eur: z
    .int()
    .nullable()
    .optional()
    .describe("Imports in EUR; null = not delivered; absent: only exports were requested"),
  imports_kg: amount.optional().describe("Reported mass of the imports in kg; null = none"),
  exports_eur: z.int().nullable().optional(),
  exports_kg: amount.optional(),
  complete: z.boolean().describe("false: provisional, or incomplete for some reporter"),
});

export const timelineOutput = z.object({
  data: z.array(timelineRow),
  meta: meta.extend({ count: z.int(), formula }),
});

export async function timeline(
  trade: TradeData,
  input: z.output<typeof timelineInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof timelineOutput>> {
  const query = input.years === undefined ? undefined : readYears(input.years);
  const reporters = orAll(input.reporters);
  const question = {
    ...input,
    reporters,
    years: query,
    fields: { reporter: "reporters", years: "years" },
  } as const;
  return onDataset(trade, question, async (lease, { hs, flow }) => {
    const span = yearsOrAll(lease, query);
    const label = input.reporters ? undefined : "EU27";
    const slice = { hs, flow, years: span };
    const monthRows = await monthsIn(lease, label, { ...slice, reporters }, signal);
    const data = input.reporters
      ? reporters.flatMap((code) => series(lease, code, [code], slice, monthRows))
      : series(lease, "EU27", reporters, slice, monthRows);
    return {
      data,
      meta: { ...metaOf(lease, { ...slice, reporters }), count: data.length, formula: SUMS },
    };
  });
}

export const SUMS =
  "sums of EUR and of reported masses; a total is the source's WORLD row if it has one, else the sum over partners";

export type SeriesRow = {
  reporter: string;
  period: number;
  imports_eur: number | null;
  exports_eur: number | null;
  imports_kg: number | null;
  exports_kg: number | null;
};

type Monthly = {
  hs?: string | undefined;
  flow?: Flow | undefined;
  reporters: readonly string[];
  years: Years;
};

/** Months with trade, by reporter or summed under a name. */
export async function monthsIn(
  lease: Lease,
  together: string | undefined,
  query: Monthly,
  signal: AbortSignal | undefined,
): Promise<SeriesRow[]> {
  const rollups = rollupsOf(lease, query);
  if (rollups) return monthsOfTrade(rollups, query, together);
  const { hs, flow, reporters, years } = query;
  return lease.query<SeriesRow>(
    `select ${together === undefined ? "reporter" : literal(together)} as reporter, period, ${flowSums}
     from ${totalsIn(lease, { hs, years })}
     where ${inReporters(reporters)} and ${inFlow(flow)} group by 1, 2`,
    undefined,
    signal,
  );
}

/** The months of the years, with the sums of the reporters in `members`. */
export function series(
  lease: Lease,
  label: string,
  members: readonly ReporterCode[],
  { hs, flow, years }: { hs?: string | undefined; flow?: Flow | undefined; years: Years },
  monthRows: SeriesRow[],
): z.infer<typeof timelineRow>[] {
  const rows = new Map(
    monthRows.filter(({ reporter }) => reporter === label).map((row) => [row.period, row]),
  );
  const isComplete = completenessOf(lease.manifest.coverage, hs);
  return monthsOf(lease, years).map((period) => {
    const row = rows.get(period);
    // A complete month without a row means no trade.
    const absent = (of: Flow) => (members.some((code) => isComplete(code, of, period)) ? 0 : null);
    return {
      reporter: label,
      period: monthText(period),
      ...(flow !== "EXPORT" && {
        imports_eur: row?.imports_eur ?? absent("IMPORT"),
        imports_kg: row?.imports_kg ?? null,
      }),
      ...(flow !== "IMPORT" && {
        exports_eur: row?.exports_eur ?? absent("EXPORT"),
        exports_kg: row?.exports_kg ?? null,
      }),
      complete: flowsOf(flow).every((of) => members.every((code) => isComplete(code, of, period))),
    };
  });
}

export const balanceInput = z.object({
  reporter,
  years: years.optional(),
  hs: hs.optional(),
  procedure: procedure.optional(),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

/** A year of one reporter, in EUR; balance = exports − imports. */
const balanceRow = z.object({
  year: z.int(),
  imports_eur: z.int().nullable().describe("Imports in EUR; null = not delivered"),
  exports_eur: z.int().nullable(),
  balance_eur: z.int().nullable().describe("exports_eur − imports_eur; null if one of them is null"),
  months: z.int().describe("Number of complete months in the year"),
  complete: z.boolean().describe("true: all twelve months are complete"),
});

export const balanceOutput = z.object({
  data: z.array(balanceRow),
  meta: meta.extend({ count: z.int(), reporter: reporterCode, formula }),
});

export async function balance(
  trade: TradeData,
  input: z.output<typeof balanceInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof balanceOutput>> {
  const query = input.years === undefined ? undefined : readYears(input.years);
  const reporters = [input.reporter];
  const question = {
    ...input,
    reporters,
    years: query,
    fields: { reporter: "reporter", years: "years" },
  } as const;
  return onDataset(trade, question, async (lease, { hs }) => {
    const span = yearsOrAll(lease, query);
    const traded = await monthsIn(lease, undefined, { hs, reporters, years: span }, signal);
    const months = monthsOf(lease, span);
    const isComplete = completenessOf(lease.manifest.coverage, hs);
    const data: z.infer<typeof balanceRow>[] = [];
    for (let year = span.from; year <= span.to; year++) {
      const inYear = traded.filter(({ period }) => yearOf(period) === year);
      const sumOf = (column: "imports_eur" | "exports_eur") =>
        inYear.reduce<number | null>(
          (sum, row) => (row[column] === null ? sum : (sum ?? 0) + row[column]),
          null,
        );
      const ofYear = months.filter((period) => yearOf(period) === year);
      const isMonthComplete = (of: Flow, period: Period) => isComplete(input.reporter, of, period);
      const absent = (of: Flow) => (ofYear.some((period) => isMonthComplete(of, period)) ? 0 : null);
      const imports_eur = sumOf("imports_eur") ?? absent("IMPORT");
      const exports_eur = sumOf("exports_eur") ?? absent("EXPORT");
      if (imports_eur === null && exports_eur === null) continue;
      const balance_eur = imports_eur === null || exports_eur === null ? null : exports_eur - imports_eur;
      const delivered = ofYear.filter((period) =>
        flowsOf(undefined).every((of) => isMonthComplete(of, period)),
      ).length;
      data.push({
        year,
        imports_eur,
        exports_eur,
        balance_eur,
        months: delivered,
        complete: delivered === 12,
      });
    }
    return {
      data,
      meta: {
        ...metaOf(lease, { ...question, hs, years: span }),
        count: data.length,
        reporter: input.reporter,
        formula: `balance = exports − imports; ${SUMS}`,
      },
    };
  });
}
