import { z } from "zod";
import type { YearRollup } from "../../../datasets/rollups/year.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { completenessOf, flowsOf, lastCompleteYear } from "../../../domain/trade/coverage.ts";
import { dataset, hs } from "../../../domain/trade/inputs.ts";
import { reporterCode, reporterCodes, reporters } from "../../../domain/trade/reporters.ts";
import { monthText } from "../../../domain/trade/units.ts";
import {
  formula,
  meta,
  metaOf,
  monthsOf,
  onDataset,
  refuseUnopened,
  type TradeData,
  yearsOrAll,
} from "./question.ts";
import { rollupsOf, totalOf } from "./rolled-up.ts";
import { SUMS } from "./series.ts";
import { flowSums, partnersIn, recordsIn, type Slice, totalsIn } from "./tables.ts";

export const overviewInput = z.object({
  format: z
    .enum(["json", "summary"], "format is json or summary")
    .default("json")
    .describe("json = all fields; summary = a paragraph of text with the headline figures"),
  hs: hs.optional(),
  dataset: dataset.optional(),
});

const headline = z.object({
  records: z.int().describe("Number of rows under `hs`"),
  countries: z.int().describe("Number of reporters with data under `hs`"),
  date_range: z.object({ from: z.string(), to: z.string() }),
  year: z.int().nullable().describe("The last year complete for every reporter; null: none"),
  imports_eur: z.int().nullable().describe("Imports of all reporters in `year`, in EUR; null: no year"),
  exports_eur: z.int().nullable(),
});

export const overviewOutput = z.object({
  data: z.union([
    headline.extend({
      reporters: z.array(z.string()).describe("Codes of the reporters"),
      partners: z.int().describe("Number of partner countries and territories, over all years"),
      products: z.int(),
      datasets: z.array(
        z.object({
          dataset: z.string(),
          vintage: z.string(),
          synthetic: z.boolean(),
          source: z.string(),
          months: z.object({ from: z.string(), to: z.string() }),
          all_products: z.boolean(),
          reporters: z.int().describe("Number of the 27 that the dataset covers"),
        }),
      ),
    }),
    z.object({ text: z.string(), headline }),
  ]),
  meta: meta.extend({ formula }),
});

export async function overview(
  trade: TradeData,
  input: z.output<typeof overviewInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof overviewOutput>> {
  // Counts would be wrong until every released dataset is open.
  if (input.dataset === undefined) refuseUnopened(trade);
  return onDataset(trade, { ...input, reporters: [] }, async (lease, { hs }) => {
    const { coverage } = lease.manifest;
    const span = yearsOrAll(lease, undefined);
    const all = coverage.reporters.map(({ reporter }) => reporter);
    const year = lastCompleteYear(coverage, { hs, reporters: all }) ?? null;
    const slice = { hs, years: span };
    const [counts, sums] = await Promise.all([
      countsOf(lease, slice, signal),
      year === null ? undefined : sumsOf(lease, { hs, years: { from: year, to: year } }, signal),
    ]);
    const about = metaOf(lease, { hs, reporters: all, years: span });
    const figures = {
      records: counts.records,
      countries: counts.reporters,
      date_range: about.coverage.months,
      year,
      imports_eur: sums?.imports_eur ?? null,
      exports_eur: sums?.exports_eur ?? null,
    };
    const data =
      input.format === "summary"
        ? { text: paragraph(figures, about, hs), headline: figures }
        : {
            ...figures,
            reporters: about.coverage.reporters,
            partners: counts.partners,
            products: about.coverage.products.count,
            datasets: datasetsOf(trade),
          };
    return { data, meta: { ...about, formula: SUMS } };
  });
}

type Counts = { records: number; partners: number; reporters: number };

async function countsOf(lease: Lease, slice: Slice, signal: AbortSignal | undefined): Promise<Counts> {
  const rollups = countedIn(lease, slice);
  if (rollups) {
    const records = [...recordsOf(rollups).values()];
    return {
      records: records.reduce((sum, count) => sum + count, 0),
      partners: new Set(rollups.flatMap(({ partners }) => partners)).size,
      reporters: records.length,
    };
  }
  const [counts] = await lease.query<Counts>(
    `select coalesce(sum(records), 0)::bigint as records, count(*) as reporters,
       (select count(distinct partner) from ${partnersIn(lease, slice)}) as partners
     from ${recordsIn(lease, slice)}`,
    undefined,
    signal,
  );
  return counts!;
}

/** Roll-ups count rows of all products only. */
const countedIn = (lease: Lease, slice: Slice) =>
  slice.hs === undefined ? rollupsOf(lease, slice) : undefined;

function recordsOf(rollups: readonly YearRollup[]): Map<string, number> {
  const byReporter = new Map<string, number>();
  for (const rollup of rollups)
    for (const reporter of rollup.reporters) {
      const records = rollup.records(reporter);
      if (records) byReporter.set(reporter, (byReporter.get(reporter) ?? 0) + records);
    }
  return byReporter;
}

type Sums = { imports_eur: number | null; exports_eur: number | null };

async function sumsOf(
  lease: Lease,
  slice: Slice,
  signal: AbortSignal | undefined,
): Promise<Sums | undefined> {
  const rollups = rollupsOf(lease, slice);
  if (rollups) return totalOf(rollups, { hs: slice.hs, reporters: reporterCodes }).byFlow();
  const [sums] = await lease.query<Sums>(
    `select ${flowSums} from ${totalsIn(lease, slice)}`,
    undefined,
    signal,
  );
  return sums;
}

/** The answer lists all datasets, so it leases each. */
const datasetsOf = ({ vintages, allow_synthetic }: TradeData) =>
  vintages
    .open()
    .filter(({ synthetic }) => allow_synthetic || !synthetic)
    .map(({ dataset }) => {
      const lease = vintages.lease(dataset);
      lease.release();
      return lease.manifest;
    })
    .map(({ dataset, vintage, synthetic, source, coverage }) => ({
      dataset,
      vintage,
      synthetic,
      source,
      months: { from: monthText(coverage.months.from), to: monthText(coverage.months.to) },
      all_products: coverage.products.national,
      reporters: coverage.reporters.length,
    }));

function paragraph(
  figures: z.infer<typeof headline>,
  about: z.infer<typeof meta>,
  hs: string | undefined,
): string {
  const what = hs === undefined ? "all products" : `all products under ${hs}`;
  const { complete, count } = about.coverage.products;
  const scope = complete ? what : `${count} of ${what}, which is not a total`;
  const billions = (value: number | null) => `EUR ${((value ?? 0) / 1e9).toFixed(1)} billion`;
  const sums =
    figures.year === null
      ? "No year is complete yet."
      : `In ${figures.year}, the last complete year, imports were ${billions(figures.imports_eur)} and exports ${billions(figures.exports_eur)}.`;
  const caution = about.synthetic ? " These are invented figures of the sandbox." : "";
  return (
    `${figures.records.toLocaleString("en")} records of EU trade (${scope}) by ${figures.countries} countries, ` +
    `${figures.date_range.from} to ${figures.date_range.to}. ${sums}${caution} Source: ${about.source}.`
  );
}

export const countriesInput = z.object({
  format: z
    .enum(["json", "compact"], "format is json or compact")
    .default("json")
    .describe("json = all fields; compact = codes with flags"),
  hs: hs.optional(),
  dataset: dataset.optional(),
});

const flags = z.object({
  code: reporterCode,
  imports: z.boolean(),
  exports: z.boolean(),
  from: z.string().nullable().describe("First month with data, YYYY-MM; null: none"),
  to: z.string().nullable().describe("Last complete month, YYYY-MM; null: none"),
  complete: z.boolean().describe("true: every month of the dataset is complete"),
});

export const countriesOutput = z.object({
  data: z.array(
    z.union([
      flags.extend({
        name: z.string(),
        records: z.int().describe("Number of the reporter's rows under `hs`"),
        provisional_months: z.array(z.string()),
        missing_months: z
          .int()
          .describe("Number of months that the reporter lacks, up to the dataset's last"),
      }),
      flags,
    ]),
  ),
  meta: meta.extend({ count: z.int() }),
});

export async function countries(
  trade: TradeData,
  input: z.output<typeof countriesInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof countriesOutput>> {
  return onDataset(trade, { ...input, reporters: [] }, async (lease, { hs }) => {
    const { coverage } = lease.manifest;
    const span = yearsOrAll(lease, undefined);
    const slice = { hs, years: span };
    const deliveries = await deliveredOf(lease, slice, signal);
    const months = monthsOf(lease, span);
    const isComplete = completenessOf(coverage, hs);
    const data = reporterCodes.map((code) => {
      const flows = deliveries.find(({ reporter }) => reporter === code);
      const delivered = coverage.reporters.find(({ reporter }) => reporter === code);
      const unknown = months.filter(
        (period) => !flowsOf(undefined).every((flow) => isComplete(code, flow, period)),
      );
      const compact = {
        code,
        imports: flows?.imports ?? false,
        exports: flows?.exports ?? false,
        from: delivered ? monthText(delivered.from) : null,
        to: delivered ? monthText(delivered.to) : null,
        complete: unknown.length === 0,
      };
      if (input.format === "compact") return compact;
      return {
        ...compact,
        name: reporters[code],
        records: flows?.records ?? 0,
        provisional_months: (delivered?.provisional ?? []).map(monthText),
        missing_months: unknown.length,
      };
    });
    const about = metaOf(lease, { hs, reporters: reporterCodes, years: span });
    return { data, meta: { ...about, count: data.length } };
  });
}

type Flows = { reporter: string; records: number; imports: boolean; exports: boolean };

async function deliveredOf(lease: Lease, slice: Slice, signal: AbortSignal | undefined): Promise<Flows[]> {
  const rollups = countedIn(lease, slice);
  if (!rollups)
    return lease.query<Flows>(
      `select * from ${recordsIn(lease, slice)} join (
         select reporter, bool_or(flow = 'IMPORT') as imports, bool_or(flow = 'EXPORT') as exports
         from ${totalsIn(lease, slice)} group by reporter
       ) using (reporter)`,
      undefined,
      signal,
    );
  return [...recordsOf(rollups)].flatMap(([reporter, records]) => {
    const { imports, exports, isNone } = totalOf(rollups, { reporters: [reporter] });
    return isNone ? [] : [{ reporter, records, imports: !imports.isNone, exports: !exports.isNone }];
  });
}
