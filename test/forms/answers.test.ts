/** Every operation that declares other forms, asked for each of them over HTTP and read back by somebody else's reader. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { catalogue } from "../../src/api/catalogue.ts";
import { formsOf } from "../../src/api/forms/form.ts";
import { methodOf } from "../../src/api/operation.ts";
import { exampleOf } from "../../src/api/reference.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let headers: Record<string, string>;
let folder: string;

beforeAll(async () => {
  service = await startService();
  headers = (await service.issue()).headers;
  folder = await mkdtemp(join(tmpdir(), "tallystick-forms-"));
  await openSandbox(service);
}, 60_000);
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const ask = (path: string, accept?: string, more: Record<string, string> = {}) =>
  fetch(service.url + path, { headers: { ...headers, ...(accept && { Accept: accept }), ...more } });

type Answer = {
  data: unknown;
  meta: { dataset: string; vintage: string; synthetic: boolean; source: string };
};
const jsonOf = async (path: string) => (await (await ask(path)).json()) as Answer;

/** Rows of a Parquet file as DuckDB reads them, 64-bit integers as numbers, and the file's own metadata. */
async function readParquet(bytes: Buffer) {
  const file = join(folder, "answer.parquet");
  await writeFile(file, bytes);
  const duckdb = await (await DuckDBInstance.create()).connect();
  const read = await duckdb.runAndReadAll(`select * from '${file}'`);
  const kept = await duckdb.runAndReadAll(
    `select key::varchar as key, value::varchar as value from parquet_kv_metadata('${file}')`,
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

const withForms = catalogue.filter((one) => methodOf(one) === "GET" && formsOf(one).length > 1);
const tabular = withForms.filter((operation) => formsOf(operation).includes("text/csv"));
const drawn = withForms.filter((operation) => formsOf(operation).includes("image/png"));
const named = (operations: typeof catalogue) =>
  operations.map((one) => [one.name, exampleOf(one).split(" ")[1]!] as const);

describe("rows", () => {
  test.each(named(tabular))(
    "%s: Parquet and CSV have the same rows, each with what it rests on",
    async (_, path) => {
      const { meta } = await jsonOf(path);
      const csv = await ask(path, "text/csv");
      expect(csv.status).toBe(200);
      expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
      expect(csv.headers.get("vary")).toContain("Accept");
      const rows = parse(await csv.text(), { columns: true, record_delimiter: "\r\n" }) as Record<
        string,
        string
      >[];
      const parquet = await readParquet(
        Buffer.from(await (await ask(path, "application/vnd.apache.parquet")).arrayBuffer()),
      );
      expect(parquet.rows.length).toBe(rows.length);
      const unguarded = (text: string) => text.replace(/^'(?=[=+\-@])/, "");
      const asText = (value: unknown) => (value === null ? "" : String(value));
      expect(rows.map((row) => Object.values(row).map(unguarded))).toEqual(
        parquet.rows.map((row) => Object.values(row).map(asText)),
      );
      for (const row of parquet.rows) expect(row).toMatchObject({ synthetic: true, vintage: meta.vintage });
      expect(parquet.meta).toMatchObject({ source: meta.source, vintage: meta.vintage, synthetic: "true" });
      expect(
        Object.values(parquet.types).every((type) => /^(BIGINT|DOUBLE|BOOLEAN|VARCHAR)$/.test(type)),
      ).toBe(true);
      // Nothing stands in a cell that only a program can read.
      expect(rows.flatMap(Object.values).filter((cell) => /^[[{]/.test(cell))).toEqual([]);
    },
  );
});

describe("pictures", () => {
  test.each(named(drawn))("%s", async (name, path) => {
    const svg = await (await ask(path, "image/svg+xml")).text();
    expect(svg).toContain("SYNTHETIC sandbox figures");
    const png = Buffer.from(await (await ask(path, "image/png")).arrayBuffer());
    if (process.env.PICTURES) await writeFile(join(process.env.PICTURES, `${name}.png`), png);
    expect(png.subarray(0, 8)).toEqual(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([900, 500]);
  });
});
