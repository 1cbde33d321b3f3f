/** Real rows, split into statistical procedures: their sums are the rows' own totals, to the euro. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, onTestFinished, test } from "vitest";
import { literal } from "../../src/datasets/duckdb.ts";
import { openVintages } from "../../src/datasets/vintage-store.ts";
import { procedures } from "../../src/domain/trade/procedures.ts";
import { reporterCodes } from "../../src/domain/trade/reporters.ts";
import { timeline, timelineInput } from "../../src/projections/trade/answers/series.ts";
import { bulkFixture, importFiles, limits } from "../datasets/workshop.ts";
import { here, shared } from "./real-trade.ts";

const MONTHS = [202401, 202402, 202403];

test.skipIf(!here)(
  "sums over procedures equal the totals of the real rows, to the euro and kilogram",
  async () => {
    const dir = await mkdtemp(join(tmpdir(), "tallystick-data-"));
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    const header = (await readFile(bulkFixture, "utf8")).split("\n")[0]!;
    // Shares by hash: each row has one to four procedures, and the first has what the others leave.
    await connection.run(
      `create table rows as select *, hash(reporter, partner, product, flow, period) as h
       from ${literal(join(shared, "comext_cn8_2023_2025.parquet"))}
       where length(partner) = 2 and period in (${MONTHS.join(", ")});
     create table lines as
       with others as (
         select *, unnest([2, 3, 9]) as procedure, value_eur * (h % 30)::bigint // 100 as eur,
           quantity_kg * (h % 29)::bigint // 100 as kg from rows
       ),
       kept as (select * from others where eur > 0 and (h // procedure) % 3 > 0)
       select reporter, partner, product, flow, period, procedure, eur, kg from kept
       union all
       select reporter, partner, product, flow, period, 1, value_eur - coalesce(sum(eur), 0),
         quantity_kg - coalesce(sum(kg), 0)
       from rows left join kept using (reporter, partner, product, flow, period, value_eur, quantity_kg)
       group by reporter, partner, product, flow, period, value_eur, quantity_kg`,
    );
    const columns = header.split(",").map((name) => {
      const values: Record<string, string> = {
        REPORTER: "reporter",
        PARTNER: "partner",
        TRADE_TYPE: "'E'",
        PRODUCT_NC: "product",
        FLOW: "if(flow = 'IMPORT', 1, 2)",
        STAT_PROCEDURE: "procedure",
        SUPPL_UNIT: "'NO_SU'",
        PERIOD: "period",
        VALUE_EUR: "eur",
        VALUE_NAC: "eur",
        QUANTITY_KG: "kg",
        QUANTITY_SUPPL_UNIT: "0",
      };
      return `${values[name] ?? "'1'"} as "${name}"`;
    });
    const files = MONTHS.map((period) => join(dir, `full_v2_${period}.csv`));
    for (const [at, period] of MONTHS.entries())
      await connection.run(
        `copy (select ${columns.join(", ")} from lines where period = ${period}) to ${literal(files[at]!)} (header, quote '')`,
      );
    const { manifest } = await importFiles(dir, files);
    const vintages = openVintages({ ...limits, dataDir: dir });
    await vintages.serve(manifest.vintage);
    onTestFinished(async () => {
      connection.closeSync();
      instance.closeSync();
      await vintages.close();
      await rm(dir, { recursive: true, force: true });
    });
    const trade = { vintages, allow_synthetic: false };
    const sqlSums = async (from: string, columns: string) => {
      const rows = await connection.runAndReadAll(
        `select concat_ws(' ', reporter, flow, period, product) as key, ${columns} from ${from} group by 1`,
      );
      return new Map(
        rows.getRowsJS().map(([key, eur, kg]) => [String(key), [Number(eur), Number(kg)] as const]),
      );
    };
    const real = await sqlSums("rows", "sum(value_eur), sum(quantity_kg)");
    expect(real.size).toBeGreaterThan(1_000);
    const found = new Map<string, readonly [number, number]>();
    const all = new Map<string, readonly [number, number]>();
    const products = manifest.coverage.products.codes;
    const ofMonths = async (
      hs: string,
      procedure: (typeof procedures)[number] | undefined,
      sums: typeof all,
    ) => {
      const input = timelineInput.parse({
        reporters: [...reporterCodes],
        hs,
        ...(procedure && { procedure }),
      });
      for (const row of (await timeline(trade, input)).data)
        for (const [flow, eur, kg] of [
          ["IMPORT", row.imports_eur, row.imports_kg],
          ["EXPORT", row.exports_eur, row.exports_kg],
        ] as const) {
          if (!eur) continue;
          const key = `${row.reporter} ${flow} ${row.period.replace("-", "")} ${hs}`;
          const [before, mass] = sums.get(key) ?? [0, 0];
          sums.set(key, [before + eur, mass + (kg ?? 0)]);
        }
    };
    for (const hs of products) {
      await ofMonths(hs, undefined, all);
      for (const procedure of procedures) await ofMonths(hs, procedure, found);
    }
    const positive = new Map([...real].filter(([, [eur]]) => eur > 0));
    expect(all).toEqual(positive);
    expect(found).toEqual(positive);
  },
);
