/** Every operation that declares other forms, asked for each of them over HTTP and read back by somebody else's reader. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formsOf } from "../../src/api/declare/forms/form.ts";
import { exampleOf } from "../../src/api/describe/reference.ts";
import type { Provenance } from "../../src/core/model/chart.ts";
import { openSandboxShop } from "../../src/operator/sandbox-shop.ts";
import { catalogue } from "../support/catalogue.ts";
import { openSandbox, openSandboxLv } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let headers: Record<string, string>;
let folder: string;

beforeAll(async () => {
  service = await startService();
  headers = (await service.issue()).headers;
  folder = await mkdtemp(join(tmpdir(), "tallystick-forms-"));
  await openSandbox(service);
  await openSandboxLv(service);
  await openSandboxShop(service.app);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Asks a line such as "GET /v1/agent/trade/countries", or "POST /path {…}". */
function ask(line: string, accept = "application/json"): Promise<Response> {
  const [method, path, ...body] = line.split(" ");
  const request = { ...headers, Accept: accept };
  return method === "POST"
    ? fetch(service.url + path, {
        method,
        headers: { ...request, "Content-Type": "application/json" },
        body: body.join(" "),
      })
    : fetch(service.url + path, { headers: request });
}

type Answer = {
  data: unknown;
  meta: Provenance;
};
const jsonOf = async (path: string) => (await (await ask(path)).json()) as Answer;

/** Rows of a Parquet file as DuckDB reads them, 64-bit integers as numbers, and the file's own metadata. */
async function readParquet(bytes: Buffer) {
  const file = join(folder, "answer.parquet");
  await writeFile(file, bytes);
  const duckdb = await (await DuckDBInstance.create()).connect();
  const read = await duckdb.runAndReadAll(`select * from '${file}'`);
  const kept = await duckdb.runAndReadAll(
    `select decode(key) as key, decode(value) as value from parquet_kv_metadata('${file}')`,
  );
  const rows = read
    .getRowObjectsJS()
    .map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, v]) => [name, typeof v === "bigint" ? Number(v) : v]),
      ),
    );
  const types = Object.fromEntries(read.columnNames().map((name, at) => [name, String(read.columnType(at))]));
  return { rows, types, meta: Object.fromEntries(kept.getRows()) as Record<string, string> };
}

const withForms = catalogue.filter((operation) => formsOf(operation).length > 1);
const tabular = withForms.filter((operation) => formsOf(operation).includes("text/csv"));
const drawn = withForms.filter((operation) => formsOf(operation).includes("image/png"));
const named = (operations: typeof catalogue) => operations.map((one) => [one.name, exampleOf(one)] as const);

type Row = Record<string, unknown>;

/** Written apart from the code under test: a row with its nested objects flattened and its lists joined. */
const flat = (row: Row, prefix = ""): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]): [string, unknown][] => {
      if (Array.isArray(value)) return [[prefix + name, value.join(" ")]];
      if (typeof value !== "object" || value === null) return [[prefix + name, value]];
      return Object.entries(flat(value as Row, `${prefix}${name}.`));
    }),
  );

/** Where the rows of an answer stand, for the tables that are a list of its `data`. */
const listOf = (data: Row | Row[]): Row[] | undefined =>
  Array.isArray(data)
    ? data
    : ((data.months ?? data.series ?? (data.movers === undefined ? undefined : data.alerts)) as
        | Row[]
        | undefined);

describe("rows", () => {
  test.each(named(tabular))("%s: CSV, Parquet and JSON have the same rows", async (_, path) => {
    const { data, meta } = await jsonOf(path);
    const csv = await ask(path, "text/csv");
    expect(csv.status).toBe(200);
    const rows = parse(await csv.text(), { columns: true, record_delimiter: "\r\n" }) as Record<
      string,
      string
    >[];
    const parquet = await readParquet(
      Buffer.from(await (await ask(path, "application/vnd.apache.parquet")).arrayBuffer()),
    );
    const unguarded = (text: string) => text.replace(/^'(?=[=+\-@])/, "");
    const asText = (value: unknown) => (value === null ? "" : String(value));
    expect(rows.map((row) => Object.values(row).map(unguarded))).toEqual(
      parquet.rows.map((row) => Object.values(row).map(asText)),
    );
    for (const row of parquet.rows)
      expect(row).toMatchObject({ synthetic: true, vintage: expect.any(String) });
    // Whatever `meta` tells stands in the file too.
    const results = ([name, value]: [string, unknown]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ];
    expect(parquet.meta).toMatchObject(Object.fromEntries(Object.entries(meta).map(results)));
    // Nothing stands in a cell that only a program can read.
    expect(rows.flatMap(Object.values).filter((cell) => /^[[{]/.test(cell))).toEqual([]);
    const list = listOf(data as Row | Row[]);
    // A list within the rows has a table of its own, told below.
    if (
      !list ||
      list.some((row) =>
        Object.values(row).some((value) => Array.isArray(value) && typeof value[0] === "object"),
      )
    )
      return;
    if (list.some((row) => "profile" in row)) return;
    const { dataset, vintage, synthetic, coverage, incomplete } = meta;
    const whole = {
      ...(incomplete && !("complete" in (list[0] ?? {})) && { months_complete: incomplete.length === 0 }),
      ...(coverage && { products_complete: coverage.products.complete }),
    };
    expect(parquet.rows).toEqual(
      list.map((row) => ({ ...flat(row), ...whole, dataset, vintage, synthetic })),
    );
  });

  test("Parquet has the types of the schema", async () => {
    const path = "GET /v1/agent/trade/balance?reporter=LV&years=2020-2024";
    const { types } = await readParquet(
      Buffer.from(await (await ask(path, "application/vnd.apache.parquet")).arrayBuffer()),
    );
    expect(types).toEqual({
      year: "BIGINT",
      imports_eur: "BIGINT",
      exports_eur: "BIGINT",
      balance_eur: "BIGINT",
      months: "BIGINT",
      complete: "BOOLEAN",
      products_complete: "BOOLEAN",
      dataset: "VARCHAR",
      vintage: "VARCHAR",
      synthetic: "BOOLEAN",
    });
  });

  /** The values of a table in these columns, by CSV. */
  async function columnsOf(path: string, ...names: string[]) {
    const rows = parse(await (await ask(path, "text/csv")).text(), { columns: true }) as Record<
      string,
      string
    >[];
    return rows.map((row) => names.map((name) => row[name]));
  }
  const texts = (cells: unknown[]) =>
    cells.map((cell) => (cell === null || cell === undefined ? "" : String(cell)));

  test("seasonality has a row for each flow and month", async () => {
    const path = "GET /v1/agent/trade/seasonality?reporter=LV&hs2=44&years=2015-2024";
    const { data } = (await jsonOf(path)) as { data: { flow: string; profile: number[] }[] };
    expect(await columnsOf(path, "flow", "month", "factor")).toEqual(
      data.flatMap(({ flow, profile }) => profile.map((factor, at) => texts([flow, at + 1, factor]))),
    );
  });

  test("concentration has a row for each partner, with the index of its flow", async () => {
    const path = "GET /v1/agent/trade/concentration?reporter=DE&year=2024";
    const { data } = (await jsonOf(path)) as { data: { flow: string; hhi: number; top_partners: Row[] }[] };
    const rows = await columnsOf(path, "flow", "hhi", "rank", "partner", "share");
    expect(rows.length).toBeGreaterThan(2);
    expect(rows).toEqual(
      data.flatMap(({ flow, hhi, top_partners }) =>
        top_partners.map(({ rank, partner, share }) => texts([flow, hhi, rank, partner, share])),
      ),
    );
  });

  test("wood-products has one row for each product, with its three partners as columns", async () => {
    const path = "GET /v1/agent/trade/wood-products?reporter=DE&year=2024";
    const { data } = (await jsonOf(path)) as { data: { product: string; top_partners: Row[] }[] };
    expect(await columnsOf(path, "product", "first.partner", "second.value_eur", "third.share")).toEqual(
      data.map(({ product, top_partners: [a, b, c] }) =>
        texts([product, a?.partner, b?.value_eur, c?.share]),
      ),
    );
  });

  test("corridor has a row for each year, month and product of each database", async () => {
    const path = "GET /v1/agent/trade/corridor?reporter=DE&partner=FR&years=2020-2024";
    type Direction = { from: string; months: Row[]; products_year: number; top_products: Row[] };
    type Database = { about: Row; balance: Row[]; directions: Direction[] };
    const { data } = (await jsonOf(path)) as unknown as { data: { databases: Database[] } };
    const columns = ["dataset", "line", "from", "year", "period", "product"];
    const figures = ["balance_eur", "importer_eur", "value_eur"];
    const none = null;
    expect(await columnsOf(path, ...columns, ...figures)).toEqual(
      data.databases.flatMap(({ about: { dataset }, balance, directions }) => [
        ...balance.map(({ year, balance_eur }) =>
          texts([dataset, "year", none, year, none, none, balance_eur, none, none]),
        ),
        ...directions.flatMap(({ from, months }) =>
          months.map(({ period, importer_eur }) =>
            texts([dataset, "month", from, none, period, none, none, importer_eur, none]),
          ),
        ),
        ...directions.flatMap(({ from, products_year, top_products }) =>
          top_products.map(({ product, value_eur }) =>
            texts([dataset, "product", from, products_year, none, product, none, none, value_eur]),
          ),
        ),
      ]),
    );
    expect(data.databases[0]!.directions[0]!.months).toHaveLength(60);
  });

  test("reroute-watch has a row for each product and country that surged", async () => {
    const path = "GET /v1/agent/trade/reroute-watch?origin=CN&month=2022-03";
    const { data } = (await jsonOf(path)) as { data: { product: string; direct: Row; surges: Row[] }[] };
    expect(await columnsOf(path, "product", "direct.before_eur", "surge.country")).toEqual(
      data.flatMap(({ product, direct, surges }) =>
        surges.map(({ country }) => texts([product, direct.before_eur, country])),
      ),
    );
  });
});

describe("pictures", () => {
  // Pictures of the log show no invented figures, and may have nothing to draw.
  const ofData = drawn.filter(({ vintage }) => vintage !== undefined);
  test.each(named(ofData))("%s is marked as invented", async (_, path) => {
    const answer = await ask(path, "image/svg+xml");
    expect(answer.status).toBe(200);
    const svg = await answer.text();
    expect(svg).toContain("SYNTHETIC sandbox figures");
    expect(svg).not.toContain("There are no figures to draw");
  });
});
