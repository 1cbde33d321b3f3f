/** Trade over time: the monthly series of `timeline` and the yearly one of `balance`. */
import { z } from "zod";
import type { Lease } from "../../datasets/vintage-store.ts";
import { hasDelivered } from "../../domain/trade/coverage.ts";
import { dataset, flow, hs, readYears, reporter, reportersField, years } from "../../domain/trade/inputs.ts";
import { type ReporterCode, reporterCodes } from "../../domain/trade/reporters.ts";
import { type Flow, monthsBetween, monthText, type Years, yearOf } from "../../domain/trade/units.ts";
import {
  deliveries,
  formula,
  meta,
  metaOf,
  onDataset,
  orAll,
  type TradeData,
  yearsOrAll,
} from "./question.ts";
import { flowSums, inFlow, inReporters, totalsIn } from "./tables.ts";

const amount = z.number().nullable();

export const timelineInput = z.object({
  reporters: reportersField.optional(),
  flow: flow.optional(),
  years: years.optional(),
  hs: hs.optional(),
  dataset: dataset.optional(),
});

/** A month of one reporter, or of the sum of the 27 (`EU27`). Zero is no trade; null is not delivered. */
export const timelineRow = z.object({
  reporter: z.string().describe("Reporter code, or EU27 for the sum of the 27"),
  period: z.string().describe("YYYY-MM"),
  imports_eur: amount
    .optional()
    .describe("EUR; null = not delivered; absent when only exports were asked for"),
  imports_kg: amount.optional().describe("Known mass in kg; null = none stated"),
  exports_eur: amount.optional(),
  exports_kg: amount.optional(),
  complete: z.boolean().describe("false: provisional, or not every reporter has delivered this month"),
});

export const timelineOutput = z.object({
  data: z.array(timelineRow),
  meta: meta.extend({ count: z.int(), formula }),
});

/** The monthly series of each reporter named, or of the sum of the 27. */
export async function timeline(
  trade: TradeData,
  input: z.output<typeof timelineInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof timelineOutput>> {
  const asked = input.years === undefined ? undefined : readYears(input.years);
  const reporters = orAll(input.reporters);
  const question = {
    ...input,
    reporters,
    years: asked,
    fields: { reporter: "reporters", years: "years" },
  } as const;
  return onDataset(trade, question, async (lease) => {
    const span = yearsOrAll(lease, asked);
    const label = input.reporters ? "reporter" : "'EU27'";
    const found = await lease.query<SeriesRow>(
      `select ${label} as reporter, period, ${flowSums} from ${totalsIn(lease, { hs: input.hs, years: span })}
       where ${inReporters(reporters)} and ${inFlow(input.flow)} group by 1, 2`,
      undefined,
      signal,
    );
    const data = input.reporters
      ? reporters.flatMap((code) => series(lease, code, [code], span, input.flow, found))
      : series(lease, "EU27", reporters, span, input.flow, found);
    return {
      data,
      meta: { ...metaOf(lease, { hs: input.hs, reporters, years: span }), count: data.length, formula: SUMS },
    };
  });
}

export const SUMS =
  "sums of EUR values; a total is the source's WORLD row where it has one, else the sum over partners; masses are sums of the known ones";

type SeriesRow = {
  reporter: string;
  period: number;
  imports_eur: number | null;
  exports_eur: number | null;
  imports_kg: number | null;
  exports_kg: number | null;
};

function series(
  lease: Lease,
  label: string,
  members: readonly ReporterCode[],
  span: Years,
  flow: Flow | undefined,
  found: SeriesRow[],
): z.infer<typeof timelineRow>[] {
  const rows = new Map(found.filter(({ reporter }) => reporter === label).map((row) => [row.period, row]));
  const delivered = deliveries(lease);
  return monthsOf(lease, span).map((period) => {
    const row = rows.get(period);
    const isDelivered = (code: ReporterCode) => {
      const coverage = delivered.get(code);
      return coverage !== undefined && hasDelivered(coverage, period);
    };
    // Where something was delivered, no row means no trade.
    const absent = members.some(isDelivered) ? 0 : null;
    return {
      reporter: label,
      period: monthText(period),
      ...(flow !== "EXPORT" && {
        imports_eur: row?.imports_eur ?? absent,
        imports_kg: row?.imports_kg ?? null,
      }),
      ...(flow !== "IMPORT" && {
        exports_eur: row?.exports_eur ?? absent,
        exports_kg: row?.exports_kg ?? null,
      }),
      complete: members.every(isDelivered),
    };
  });
}

function monthsOf({ manifest }: Lease, span: Years): number[] {
  const { from, to } = manifest.coverage.months;
  return monthsBetween(Math.max(from, span.from * 100 + 1), Math.min(to, span.to * 100 + 12));
}

export const balanceInput = z.object({
  reporter,
  years: years.optional(),
  hs: hs.optional(),
  dataset: dataset.optional(),
});

/** A year of one reporter, in EUR; balance = exports − imports. */
export const balanceRow = z.object({
  year: z.int(),
  imports_eur: z.number(),
  exports_eur: z.number(),
  balance_eur: z.number().describe("exports − imports"),
  months: z.int().describe("Months of the year delivered in full"),
  complete: z.boolean().describe("All twelve months are delivered in full"),
});

export const balanceOutput = z.object({
  data: z.array(balanceRow),
  meta: meta.extend({ count: z.int(), reporter: z.enum(reporterCodes), formula }),
});

/** Yearly imports, exports and balance of one reporter. */
export async function balance(
  trade: TradeData,
  input: z.output<typeof balanceInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof balanceOutput>> {
  const asked = input.years === undefined ? undefined : readYears(input.years);
  const reporters = [input.reporter];
  const question = {
    ...input,
    reporters,
    years: asked,
    fields: { reporter: "reporter", years: "years" },
  } as const;
  return onDataset(trade, question, async (lease) => {
    const span = yearsOrAll(lease, asked);
    const found = await lease.query<{ year: number; imports_eur: number | null; exports_eur: number | null }>(
      `select period // 100 as year, ${flowSums} from ${totalsIn(lease, { hs: input.hs, years: span })}
       where ${inReporters(reporters)} group by 1`,
      undefined,
      signal,
    );
    const months = monthsOf(lease, span);
    const coverage = deliveries(lease).get(input.reporter)!;
    const data: z.infer<typeof balanceRow>[] = [];
    for (let year = span.from; year <= span.to; year++) {
      const row = found.find((one) => one.year === year);
      const delivered = months.filter(
        (period) => yearOf(period) === year && hasDelivered(coverage, period),
      ).length;
      if (!row && delivered === 0) continue;
      const imports_eur = row?.imports_eur ?? 0;
      const exports_eur = row?.exports_eur ?? 0;
      const balance_eur = exports_eur - imports_eur;
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
        ...metaOf(lease, { hs: input.hs, reporters, years: span }),
        count: data.length,
        reporter: input.reporter,
        formula: `balance = exports − imports; ${SUMS}`,
      },
    };
  });
}
