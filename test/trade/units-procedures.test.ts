/** Supplementary units and statistical procedures, against the raw lines, which are read without the service's code. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SnapshotStore } from "../../src/datasets/snapshots.ts";
import { openVintages, type VintageStore } from "../../src/datasets/vintage-store.ts";
import { type Procedure, procedures } from "../../src/domain/trade/procedures.ts";
import { monthsBetween, monthText } from "../../src/domain/trade/units.ts";
import { pricesInput, pricesPerTonne } from "../../src/projections/trade/answers/prices.ts";
import { productDetail, productDetailInput } from "../../src/projections/trade/answers/product-detail.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { rankingInput, topPartners, topProducts } from "../../src/projections/trade/answers/rankings.ts";
import { timeline, timelineInput } from "../../src/projections/trade/answers/series.ts";
import { bulkFixture, fileOf, importFiles, limits, refusalOf, sdmxFixture } from "../datasets/workshop.ts";

let dir: string;
let vintages: VintageStore;
let trade: TradeData;
let header: string;
let files: string[];
let vintage: string;
let raw: (sql: string) => Promise<unknown[][]>;

const months = monthsBetween(202301, 202404);
const units: Record<string, string> = {
  "22042100": "LTR",
  "85171300": "NO",
  "85176200": "NO",
  "41041100": "NO",
  "39161000": "NO_SU",
  "85XXXXXX": "NO_SU",
};

/** A month's lines: every product, partner and flow in one to three procedures; some without mass or quantity. */
const linesOf = (period: number) => {
  const lines: string[] = [];
  let n = period;
  const draw = () => (n = (n * 48_271) % 2_147_483_647);
  for (const product of Object.keys(units))
    for (const partner of ["CN", "DE", "US"])
      for (const flow of [1, 2])
        for (const procedure of [1, 2, 3, 9]) {
          if (procedure !== 1 && draw() % 3 !== 0) continue;
          const eur = draw() % 1_000_000;
          const kg = draw() % 10 === 0 ? 0 : draw() % 5_000;
          const unit = units[product]!;
          const su = unit === "NO_SU" || draw() % 8 === 0 ? 0 : `${1 + (draw() % 900)}.${draw() % 10}`;
          lines.push(
            `LV,${partner},E,${product},1,1,1,1,1,1,${flow},${procedure},${unit},${period},${eur},${eur},${kg},${su}`,
          );
        }
  return lines;
};

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-data-"));
  header = (await readFile(bulkFixture, "utf8")).split("\n")[0]!;
  files = await Promise.all(
    months.map((period) => fileOf(dir, `full_v2_${period}.csv`, [header, ...linesOf(period)])),
  );
  const built = await importFiles(dir, files, { reporters: ["LV"] });
  vintage = built.manifest.vintage;
  vintages = openVintages({ ...limits, dataDir: dir });
  await vintages.serve(vintage);
  trade = { vintages, allow_synthetic: false };
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run(
    `create table raw as select * from read_csv('${join(dir, "full_v2_*.csv")}', all_varchar = true)`,
  );
  raw = async (sql) => (await connection.runAndReadAll(sql)).getRowsJS() as unknown[][];
});
afterAll(async () => {
  await vintages?.close();
  await rm(dir, { recursive: true, force: true });
});

const flowText = { IMPORT: "1", EXPORT: "2" } as const;
const isOf = (procedure: Procedure | undefined) =>
  procedure === undefined
    ? "true"
    : {
        normal: `"STAT_PROCEDURE" = '1'`,
        inward: `"STAT_PROCEDURE" = '2'`,
        outward: `"STAT_PROCEDURE" = '3'`,
        other: `"STAT_PROCEDURE" = '9'`,
      }[procedure];

test("500 prices per unit equal those over the raw lines, each procedure apart and all together", async () => {
  let compared = 0;
  for (const procedure of [undefined, ...procedures])
    for (const hs of Object.keys(units).filter((code) => units[code] !== "NO_SU"))
      for (const flow of ["IMPORT", "EXPORT"] as const) {
        const input = pricesInput.parse({ reporter: "LV", hs, flow, procedure });
        const { data } = await pricesPerTonne(trade, input);
        const found = await raw(
          `select "PERIOD"::int, sum("VALUE_EUR"::bigint)::double, sum("QUANTITY_SUPPL_UNIT"::decimal(18, 3))::double
           from raw where "PRODUCT_NC" = '${hs}' and "FLOW" = '${flowText[flow]}' and ${isOf(procedure)}
             and "QUANTITY_SUPPL_UNIT"::double > 0 group by 1 order by 1`,
        );
        expect(found.length).toBeGreaterThan(0);
        for (const [period, eur, quantity] of found as [number, number, number][]) {
          const row = data.series.find((one) => one.period === monthText(period))!;
          expect(row.unit).toBe(units[hs]);
          expect(row.quantity_in_units).toBeCloseTo(quantity, 3);
          expect(row.price_eur_per_unit).toBeCloseTo(eur / quantity, 5);
          compared++;
        }
      }
  expect(compared).toBeGreaterThan(500);
});

describe("procedures", () => {
  const ask = (fields: object) => timeline(trade, timelineInput.parse({ reporters: ["LV"], ...fields }));

  test("add up to all together in every month, to the euro and the gram, for chapters and codes", async () => {
    for (const hs of [undefined, "85", "8517", "85171300"]) {
      const all = (await ask({ hs })).data;
      const each = await Promise.all(
        procedures.map(async (procedure) => (await ask({ hs, procedure })).data),
      );
      for (const column of ["imports_eur", "imports_kg", "exports_eur", "exports_kg"] as const)
        for (const [at, month] of all.entries()) {
          const sum = each.reduce((total, rows) => total + (rows[at]![column] ?? 0), 0);
          expect(sum).toBeCloseTo(month[column] ?? 0, 3);
        }
    }
  });

  test("each equal the raw lines, and partners, products and details take one too", async () => {
    for (const procedure of procedures) {
      const found = await raw(
        `select "PERIOD"::int, sum("VALUE_EUR"::bigint)::double from raw
         where "FLOW" = '1' and ${isOf(procedure)} group by 1 order by 1`,
      );
      const { data, meta } = await ask({ flow: "IMPORT", procedure });
      expect(data.map(({ imports_eur }) => imports_eur)).toEqual(found.map(([, eur]) => eur));
      expect(meta.procedure).toBe(procedure);
      const year = found.filter(([period]) => Math.floor((period as number) / 100) === 2023);
      const total = year.reduce((sum, [, eur]) => sum + (eur as number), 0);
      const input = rankingInput.parse({ reporter: "LV", year: 2023, flow: "IMPORT", limit: 50, procedure });
      for (const answer of [await topPartners(trade, input), await topProducts(trade, input)])
        expect(answer.meta.total.value_eur).toBe(total);
    }
    const detail = await productDetail(
      trade,
      productDetailInput.parse({ reporter: "LV", hs: "85", procedure: "inward", years: "2023" }),
    );
    const [[eur]] = (await raw(
      `select sum("VALUE_EUR"::bigint)::double from raw where "STAT_PROCEDURE" = '2'
         and starts_with("PRODUCT_NC", '85') and starts_with("PERIOD", '2023')`,
    )) as [[number]];
    expect(detail.data.total.value_eur).toBe(eur);
  });

  test("a dataset that states none refuses one by its field, and months before are null", async () => {
    const other = await mkdtemp(join(tmpdir(), "tallystick-data-"));
    const { manifest } = await importFiles(other, [sdmxFixture], { reporters: ["DE"] });
    const store = openVintages({ ...limits, dataDir: other });
    await store.serve(manifest.vintage);
    const input = timelineInput.parse({ reporters: ["DE"], procedure: "inward", dataset: manifest.dataset });
    const refusal = await refusalOf(timeline({ vintages: store, allow_synthetic: false }, input));
    expect(refusal).toMatchObject({ message: expect.stringMatching(/states no statistical procedures/) });
    expect(refusal.errors).toMatchObject([{ path: "procedure" }]);
    await store.close();
    await rm(other, { recursive: true, force: true });
  });
});

test("a month imported again replaces its units and procedures, and a repeated line counts once", async () => {
  const again = await fileOf(dir, "again.csv", [
    header,
    "LV,CN,E,85171300,1,1,1,1,1,1,1,2,NO,202404,100,100,5,4",
    "LV,CN,E,85171300,1,1,1,1,1,1,1,2,NO,202404,100,100,5,4",
    "LV,CN,E,85171300,1,1,1,1,1,1,2,1,NO,202404,70,70,5,7",
  ]);
  const built = await importFiles(dir, [again], { reporters: ["LV"], replaces: vintage });
  expect(built.report.equal_duplicates).toBe(1);
  const store = openVintages({ ...limits, dataDir: dir });
  await store.serve(built.manifest.vintage);
  const pricesOf = async (fields: object) => {
    const input = pricesInput.parse({ reporter: "LV", hs: "85171300", flow: "IMPORT", ...fields });
    return (await pricesPerTonne({ vintages: store, allow_synthetic: false }, input)).data.series;
  };
  expect((await pricesOf({})).at(-1)).toMatchObject({
    price_eur_per_unit: 25,
    quantity_in_units: 4,
    value_eur: 100,
  });
  expect((await pricesOf({ procedure: "inward" })).at(-1)).toMatchObject({ price_eur_per_unit: 25 });
  expect((await pricesOf({ procedure: "normal" })).at(-1)).toMatchObject({
    price_eur_per_unit: null,
    quantity_in_units: null,
  });
  // The months before are as they were.
  const input = pricesInput.parse({ reporter: "LV", hs: "85171300", flow: "IMPORT" });
  expect((await pricesOf({})).slice(0, -1)).toEqual(
    (await pricesPerTonne(trade, input)).data.series.slice(0, -1),
  );
  await store.close();
});

test("a heading of several units has no price per unit, and a contradicting quantity is refused", async () => {
  const mixed = await fileOf(dir, "mixed.csv", [
    header,
    "LV,CN,E,22042100,1,1,1,1,1,1,1,1,LTR,202405,100,100,5,4",
    "LV,CN,E,22042900,1,1,1,1,1,1,1,1,NO,202405,100,100,5,4",
  ]);
  const built = await importFiles(dir, [mixed], { reporters: ["LV"] });
  const store = openVintages({ ...limits, dataDir: dir });
  await store.serve(built.manifest.vintage);
  const input = pricesInput.parse({ reporter: "LV", hs: "2204", flow: "IMPORT" });
  const { data } = await pricesPerTonne({ vintages: store, allow_synthetic: false }, input);
  expect(data.series[0]).toMatchObject({
    unit: null,
    price_eur_per_unit: null,
    quantity_in_units: null,
    value_eur: 200,
  });
  await store.close();
  const line = (quantity: string, procedure = "1") =>
    `LV,CN,E,22042100,1,1,1,1,1,1,1,${procedure},LTR,202405,100,100,5,${quantity}`;
  const refused = async (...lines: string[]) => {
    const file = await fileOf(dir, "bad.csv", [header, ...lines]);
    return (await refusalOf(importFiles(dir, [file], { reporters: ["LV"] }))).message;
  };
  expect(await refused(line("4"), line("5"))).toMatch(
    /line 3: .* is already in bad.csv line 2, with a different amount/,
  );
  expect(await refused(line("-4"))).toMatch(
    /QUANTITY_SUPPL_UNIT "-4": a supplementary quantity is a number from 0/,
  );
  expect(await refused(line("4", "T"))).toMatch(/STAT_PROCEDURE "T": a statistical procedure is a digit/);
});

test("the confidential share of each chapter is that of its suppressed codes", async () => {
  const input = rankingInput.parse({ reporter: "LV", year: 2023, flow: "IMPORT", limit: 20 });
  const { data } = await topProducts(trade, input);
  const found = await raw(
    `select substr("PRODUCT_NC", 1, 2), sum("VALUE_EUR"::bigint) filter (contains("PRODUCT_NC", 'X'))::double,
       sum("VALUE_EUR"::bigint)::double from raw where "FLOW" = '1' and starts_with("PERIOD", '2023') group by 1`,
  );
  expect(found).toHaveLength(4);
  for (const [chapter, confidential, all] of found as [string, number | null, number][])
    expect(data.find(({ product }) => product === chapter)!.confidential_share).toBeCloseTo(
      (confidential ?? 0) / all,
      6,
    );
  expect(data.at(-1)).toMatchObject({ product: "rest", confidential_share: null });
});

test("SDMX files' supplementary quantities have a price, from WORLD rows where there are some", async () => {
  const line = (partner: string, indicator: string, month: string, value: string) =>
    `ESTAT:DS-045409(1.0),01/01/26 11:00:00,M,DE,${partner},85171300,1,${indicator},${month},${value}`;
  const file = await fileOf(dir, "sdmx.csv", [
    "DATAFLOW,LAST UPDATE,freq,reporter,partner,product,flow,indicators,TIME_PERIOD,OBS_VALUE",
    line("CN", "VALUE_IN_EUROS", "2024-01", "1000.0"),
    line("CN", "SUP_QUANTITY", "2024-01", "8"),
    line("CN", "QUANTITY_IN_100KG", "2024-01", "0.5"),
    line("WORLD", "VALUE_IN_EUROS", "2024-01", "3000.0"),
    line("WORLD", "SUP_QUANTITY", "2024-01", "12"),
    line("CN", "VALUE_IN_EUROS", "2024-02", "1000.0"),
    line("CN", "SUP_QUANTITY", "2024-02", "8.5"),
  ]);
  const built = await importFiles(dir, [file], { reporters: ["DE"] });
  const store = openVintages({ ...limits, dataDir: dir });
  await store.serve(built.manifest.vintage);
  const input = pricesInput.parse({ reporter: "DE", hs: "85171300", flow: "IMPORT" });
  const { data } = await pricesPerTonne({ vintages: store, allow_synthetic: false }, input);
  expect(data.series).toMatchObject([
    { price_eur_per_unit: 250, quantity_in_units: 12, unit: null },
    { price_eur_per_unit: 117.647059, quantity_in_units: 8.5 },
  ]);
  await store.close();
});

test("a snapshot has units and procedures, and its sums are those of the raw lines", async () => {
  const snapshots = new SnapshotStore({ data_dir: dir, vintages });
  const { path } = await snapshots.open(vintage, "2026-01-01T00:00:00.000Z");
  await snapshots.close();
  const all = await raw(
    `select sum(value_eur)::double, sum(inward_eur)::double, sum(outward_eur)::double, sum(other_eur)::double,
       sum(quantity_in_units)::double, count(distinct unit) from read_parquet('${path}')`,
  );
  const eur = (of: Procedure | undefined) => `(sum("VALUE_EUR"::bigint) filter (${isOf(of)}))::double`;
  const found = await raw(
    `select ${[undefined, "inward", "outward", "other"].map((of) => eur(of as Procedure | undefined)).join(", ")},
       sum("QUANTITY_SUPPL_UNIT"::decimal(18, 3))::double, 2 from raw`,
  );
  expect(all.map((row) => row.map(Number))).toEqual(found.map((row) => row.map(Number)));
});
