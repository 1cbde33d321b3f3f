/** China's trade with the EU27 in the real Eurostat files, against plain SQL over the normalised parquet file. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, test } from "vitest";
import { ecbRates } from "../../src/datasets/reference/ecb-rates.ts";
import { openVintages } from "../../src/datasets/vintage-store.ts";
import { monthlyMeans } from "../../src/domain/macro/exchange-rates.ts";
import { anyTargetInput } from "../../src/projections/mirror/answers/answer.ts";
import { reconstruct } from "../../src/projections/mirror/answers/reconstruct.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { limits } from "../datasets/workshop.ts";
import { here, realTradeIn, shared } from "../trade/real-trade.ts";

type Row = {
  product: string;
  flow: string;
  period: number;
  value: number;
  kg: number | null;
  weighed: number;
};

const PARQUET = join(shared, "comext_cn8_2023_2025.parquet");

async function sql<T>(query: string): Promise<T[]> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  return (await connection.runAndReadAll(query)).getRowObjectsJS() as T[];
}

describe.skipIf(!here)("over the real files", () => {
  let trade: TradeData;
  let chinese: Row[];
  beforeAll(async () => {
    const dir = await mkdtemp(join(tmpdir(), "tallystick-mirror-"));
    const { bilateral } = await realTradeIn(dir);
    const vintages = openVintages({ ...limits, dataDir: dir });
    await vintages.serve(bilateral);
    trade = { vintages, allow_synthetic: false };
    chinese = await sql<Row>(
      `select product, flow, period::integer as period, sum(value_eur)::double as value,
         sum(quantity_kg) filter (quantity_kg > 0)::double as kg,
         coalesce(sum(value_eur) filter (quantity_kg > 0), 0)::double as weighed
       from '${PARQUET}' where partner = 'CN' group by all`,
    );
    return async () => {
      await vintages.close();
      await rm(dir, { recursive: true, force: true });
    };
  });

  test("each of the 18 codes is reconstructed in both directions, month by month", async () => {
    const products = [...new Set(chinese.map(({ product }) => product))];
    expect(products).toHaveLength(18);
    let whole = 0;
    for (const hs of products)
      for (const [direction, flow] of [
        ["EXPORT", "IMPORT"],
        ["IMPORT", "EXPORT"],
      ] as const) {
        const rows = new Map(
          chinese.filter((row) => row.product === hs && row.flow === flow).map((row) => [row.period, row]),
        );
        const request = anyTargetInput.parse({ target_country: "CN", direction, hs });
        const { data, meta } = await reconstruct(trade, () => undefined, request);
        expect(meta).toMatchObject({ synthetic: false, dataset: "comext-ds-045409", product: hs });
        for (const month of data) {
          const row = rows.get(month.year * 100 + month.month) ?? { value: 0, kg: null, weighed: 0 };
          expect(month.reported_eur + month.excluded_eur).toBe(row.value);
          if (!month.complete) continue;
          whole++;
          const value = direction === "IMPORT" ? row.value * 1.1 : row.value / 1.1;
          expect(Math.abs(month.value_eur - value)).toBeLessThanOrEqual(0.5);
          expect(month.quantity_kg).toBe(row.kg);
          expect(month.without_mass_eur).toBe(row.value - row.weighed);
        }
      }
    expect(whole).toBeGreaterThan(18 * 2 * 24);
  });

  test("reliability is one less the weighted median distance of the two ends", async () => {
    const request = anyTargetInput.parse({
      target_country: "CN",
      direction: "EXPORT",
      hs: "39206290",
      month: "2024-03",
    });
    const { data, meta } = await reconstruct(trade, () => undefined, request);
    // Every pair-month's distance and weight, in order; months that somebody has not delivered in full are few.
    const ratios = await sql<{ distance: number; weight: number }>(
      `select abs(ln(i.v / e.v)) as distance, i.v + e.v as weight
       from (select reporter, partner, period, sum(value_eur)::double as v from '${PARQUET}'
             where product = '39206290' and flow = 'IMPORT' group by all) i
       join (select reporter, partner, period, sum(value_eur)::double as v from '${PARQUET}'
             where product = '39206290' and flow = 'EXPORT' group by all) e
       on i.reporter = e.partner and i.partner = e.reporter and i.period = e.period
       where i.v > 0 and e.v > 0 order by distance`,
    );
    const total = ratios.reduce((sum, { weight }) => sum + weight, 0);
    let passed = 0;
    const middle = ratios.find(({ weight }) => (passed += weight) >= total / 2)!;
    expect(meta.reliability.pair_months).toBeGreaterThan(0.95 * ratios.length);
    expect(meta.reliability.median_abs_ln_ratio).toBeCloseTo(middle.distance, 2);
    expect(data[0]!.reliability).toBeCloseTo(1 - middle.distance, 2);
  });

  test("dollars use the plain mean of the month's published rates", async () => {
    const text = gunzipSync(await readFile(join(shared, "ecb-eurofxref-hist.csv.gz"))).toString();
    const days = ecbRates.layouts[0]!.read({ name: "eurofxref-hist.csv", text });
    const reference = { dataset: "ecb-rates", vintage: "ab", source: "ECB", synthetic: false, as_of: null };
    const dollars = { reference: { ...reference, rows: days }, usd_per_eur: monthlyMeans(days, "USD") };
    const request = anyTargetInput.parse({
      target_country: "CN",
      direction: "EXPORT",
      hs: "39206290",
      year: 2024,
    });
    const { data, meta } = await reconstruct(
      trade,
      (synthetic) => (synthetic ? undefined : dollars),
      request,
    );
    const means = await sql<{ month: number; usd: number }>(
      `select substr(Date::varchar, 6, 2)::integer as month, avg(USD::double) as usd
       from read_csv('${join(shared, "ecb-eurofxref-hist.csv.gz")}', header = true, all_varchar = true)
       where Date like '2024-%' group by all order by all`,
    );
    expect(means).toHaveLength(12);
    expect(data.map(({ value_usd }) => value_usd)).toEqual(
      means.map(({ month, usd }) => Math.round(data[month - 1]!.value_eur * usd)),
    );
    expect(meta.rates).toMatchObject({ dataset: "ecb-rates", synthetic: false });
  });
});
