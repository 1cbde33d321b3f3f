/**
 * Monthly series of real trade as stand-ins for demand: 41 CN8 codes and 27 reporters with the whole world, by flow, in
 * EUR over 35 months from 2023-01; only those with at least four months of trade.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";

const file = join(
  resolve(process.env.SHARED_DATA ?? new URL("../../../shared/data", import.meta.url).pathname),
  "comext_cn8_2023_2025.parquet",
);

/** Whether this machine has the file; logs a missing one. */
export const here = existsSync(file);
if (!here) console.warn(`no ${file} (set SHARED_DATA): the forecast is not measured on real series`);

const MONTHS = 35;
const LEAST_TRADED = 4;

export const traded = (series: readonly number[]) => series.filter((value) => value > 0).length;

export async function realSeries(): Promise<number[][]> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const sql = `select concat_ws(' ', reporter, product, flow) as name,
      ((period // 100 - 2023) * 12 + period % 100 - 1)::int as at, sum(value_eur)::double as value
    from '${file}' where partner = 'WORLD' and period < 202512 group by all`;
  const found = new Map<string, number[]>();
  for (const row of (await connection.runAndReadAll(sql)).getRowObjects()) {
    const { name, at, value } = row as { name: string; at: number; value: number };
    const series = found.get(name) ?? Array.from({ length: MONTHS }, () => 0);
    series[at] = value;
    found.set(name, series);
  }
  connection.closeSync();
  return [...found.values()].filter((series) => traded(series) >= LEAST_TRADED);
}

/** The documented origins: this many months are known. Each forecasts three months ahead. */
export const ORIGINS = [24, 27, 30, 32] as const;
export const AHEAD = 3;

/** Kinds of series that are measured separately, with their number of forecasts. */
export const kinds = {
  "without zeros": (series: readonly number[], _origin: number) => traded(series) === MONTHS,
  "over a quarter zeros": (series: readonly number[], origin: number) =>
    traded(series) < 0.75 * MONTHS && traded(series.slice(0, origin)) >= LEAST_TRADED,
};
