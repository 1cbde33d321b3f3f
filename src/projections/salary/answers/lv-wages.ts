/** Gross monthly wages in Latvia by activity, with their growth before and after inflation. */

import { z } from "zod";
import { refuse } from "../../../core/model/refusal.ts";
import { type Hicp, hicp } from "../../../datasets/reference/hicp.ts";
import { type LvWage, lvWages } from "../../../datasets/reference/lv-wages.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import { perVintage } from "../../../datasets/reference/table.ts";
import { growthPct, inflationPct, realGrowthPct, yearBefore } from "../../../domain/salary/growth.ts";
import { wageNace, wageYear } from "../../../domain/salary/inputs.ts";
import { sectorName } from "../../../domain/salary/sectors.ts";
import { tradeProblems } from "../../../domain/trade/problems.ts";
import { joinable, meta, metaOf, unjoinedReason } from "./tables.ts";

export const lvWagesTables = [lvWages, hicp];

export const lvWagesInput = z.object({ year: wageYear.optional(), nace: wageNace.optional() });

const wage = z.object({
  period: z.string().describe("A year, 2024, or a quarter, 2024-Q1"),
  year: z.int(),
  quarter: z.int().nullable().describe("Quarter, 1 to 4; null: the whole year"),
  nace: z.string(),
  name: z.string(),
  gross_eur_per_month: z.number(),
  yoy_pct: z
    .number()
    .nullable()
    .describe("Growth on the same period a year before, percent; null: that wage is not known"),
  inflation_pct: z
    .number()
    .nullable()
    .describe("Growth of Latvia's HICP between the same periods, percent; null: not known"),
  real_yoy_pct: z
    .number()
    .nullable()
    .describe("yoy_pct after inflation, percent; null: yoy_pct or inflation_pct is null"),
});

export const lvWagesOutput = z.object({ data: z.array(wage), meta: meta.extend({ count: z.int() }) });

const FORMULA =
  "yoy_pct = 100·(wage ÷ wage of the same period a year before − 1). inflation_pct: the same of the mean HICP index over the months of " +
  "both periods, null unless all are known. real_yoy_pct = 100·((100 + yoy_pct) ÷ (100 + inflation_pct) − 1).";

const wagesBy = perVintage(
  (rows: readonly LvWage[]) => new Map(rows.map((row) => [`${row.nace} ${row.period}`, row])),
);
const lastBy = perVintage((rows: readonly LvWage[]) => {
  const last = new Map<string, LvWage>();
  for (const row of rows) if (row.period > (last.get(row.nace)?.period ?? "")) last.set(row.nace, row);
  return last;
});
const latvianPrices = perVintage(
  (rows: readonly Hicp[]) =>
    new Map(rows.filter(({ geo }) => geo === "LV").map(({ month, index }) => [month, index])),
);

/** The wage of an activity in the last quarter, or year, that has one. */
export function latestWage(reference: ReferenceStore, nace: string): LvWage | undefined {
  const wages = reference.find(lvWages);
  return wages && lastBy(wages).get(nace);
}

/** A line for each activity and period. Without the table of wages it refuses as unavailable; outside of it as invalid. */
export function wagesInLatvia(
  reference: ReferenceStore,
  { year, nace }: z.output<typeof lvWagesInput>,
): z.infer<typeof lvWagesOutput> {
  const wages = reference.get(lvWages);
  checkCoverage(wages.rows, year, nace);
  const index = wagesBy(wages);
  const prices = reference.find(hicp);
  const known = joinable(wages, prices) ? latvianPrices(prices!) : new Map<string, number | null>();
  const data = wages.rows
    .filter((row) => nace === undefined || row.nace === nace)
    .filter(({ period }) => year === undefined || Number(period.slice(0, 4)) === year)
    .map((row) => {
      const before = index.get(`${row.nace} ${yearBefore(row.period)}`);
      const yoy = growthPct(row.gross_eur_per_month, before?.gross_eur_per_month);
      const inflation = inflationPct((month) => known.get(month), row.period);
      const [ofYear, quarter] = row.period.split("-Q");
      return {
        period: row.period,
        year: Number(ofYear),
        quarter: quarter === undefined ? null : Number(quarter),
        nace: row.nace,
        name: sectorName(row.nace)!,
        gross_eur_per_month: row.gross_eur_per_month,
        yoy_pct: twoDecimals(yoy),
        inflation_pct: twoDecimals(inflation),
        real_yoy_pct: twoDecimals(realGrowthPct(yoy, inflation)),
      };
    });
  const about = metaOf(reference, lvWagesTables, FORMULA, [
    unjoinedReason("Real growth", wages, prices),
    prices !== undefined &&
      known.size === 0 &&
      joinable(wages, prices) &&
      "The HICP table has no index of Latvia: real growth is null.",
    "Gross wages are nominal EUR per full-time equivalent.",
  ]);
  return { data, meta: { ...about, count: data.length } };
}

const twoDecimals = (value: number | null) => (value === null ? null : Math.round(value * 100) / 100);

function checkCoverage(rows: readonly LvWage[], year: number | undefined, nace: string | undefined): void {
  const years = rows.map(({ period }) => Number(period.slice(0, 4)));
  const [from, to] = [Math.min(...years), Math.max(...years)];
  if (year !== undefined && (year < from || year > to))
    outside("year", `the table of wages has the years ${from} to ${to}, not ${year}`);
  const codes = [...new Set(rows.map((row) => row.nace))].sort();
  if (nace !== undefined && !codes.includes(nace))
    outside("nace", `the table of wages has no activity ${nace}; it has ${codes.join(", ")}`);
}

function outside(path: string, message: string): never {
  return refuse(tradeProblems["outside-coverage"], message, { errors: [{ path, message }] });
}
