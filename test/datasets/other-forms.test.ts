/** Files in other delimiters, formats and encodings, and with bytes that none has. */
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, test } from "vitest";
import { readTextFile } from "../../src/datasets/reference/read.ts";
import { referenceLayoutOf } from "../../src/datasets/reference/tables.ts";
import { bulkFixture, fileOf, importFiles, refusalOf, tempDir } from "./workshop.ts";
import { workbookParts, zipOf } from "./zip.ts";

const lines = (await readFile(bulkFixture, "utf8")).trimEnd().split("\n");
const HEADER = "reporter,partner,product,flow,period,value_eur,quantity_kg";
const ROWS = ["LV,CN,44111210,IMPORT,202401,1000,12.5", "LV,WORLD,44111210,IMPORT,202401,5000,"];

async function importOf(dir: string, path: string) {
  const { manifest } = await importFiles(dir, [path], { afresh: true, reporters: ["LV"] });
  return { dataset: manifest.dataset, vintage: manifest.vintage, rows: manifest.inputs[0]!.rows };
}

/** A workbook whose figures after the header are numbers. */
function xlsxOf(table: readonly (readonly string[])[]): Buffer {
  const rows = table.map((row, at) => {
    const cells = row.map((cell, column) => {
      const place = `${String.fromCharCode(65 + column)}${at + 1}`;
      if (cell === "") return "";
      return /^[0-9.]+$/.test(cell) && at > 0 && column > 3
        ? `<c r="${place}"><v>${cell}</v></c>`
        : `<c r="${place}" t="inlineStr"><is><t>${cell}</t></is></c>`;
    });
    return `<row r="${at + 1}">${cells.join("")}</row>`;
  });
  return zipOf(workbookParts(`<worksheet><sheetData>${rows.join("")}</sheetData></worksheet>`));
}

describe("trade data", () => {
  test("is the same with commas, semicolons, tabs, as a workbook and as Parquet", async () => {
    const dir = await tempDir();
    const plain = await importOf(await tempDir(), await fileOf(dir, "a.csv", [HEADER, ...ROWS]));
    const found: object[] = [];
    for (const delimiter of [";", "\t"]) {
      const written = [HEADER, ...ROWS].map((line) => line.replaceAll(",", delimiter));
      found.push(await importOf(await tempDir(), await fileOf(dir, "b.csv", written)));
    }
    const workbook = join(dir, "c.xlsx");
    await writeFile(workbook, xlsxOf([HEADER, ...ROWS].map((line) => line.split(","))));
    found.push(await importOf(await tempDir(), workbook));
    const parquet = join(dir, "d[1]*.parquet");
    const connection = await (await DuckDBInstance.create()).connect();
    await connection.run(
      `copy (select *, length(partner) > 2 as is_aggregate
         from read_csv('${join(dir, "a.csv")}', types = {'product': 'VARCHAR', 'period': 'INTEGER'}))
       to '${join(dir, "d.parquet")}' (format parquet)`,
    );
    connection.closeSync();
    await copyFile(join(dir, "d.parquet"), parquet);
    found.push(await importOf(await tempDir(), parquet));
    expect(plain).toMatchObject({ dataset: "trade-snapshot", rows: 2 });
    for (const one of found) expect(one).toEqual(plain);
  });

  test.each([
    ["a column that means a code", 3, "REPORTER"],
    ["a column that nothing reads", 5, "QUANTITY_SUPPL_UNIT"],
  ])("with a bad byte in %s is refused by file, line and column", async (_, number, column) => {
    const dir = await tempDir();
    const cells = lines[number - 1]!.split(",");
    const at = lines[0]!.split(",").indexOf(column);
    cells[at] = `${cells[at]}#`;
    const bad = lines.map((line, place) => (place === number - 1 ? cells.join(",") : line));
    const path = join(dir, "bad.csv");
    await writeFile(
      path,
      Buffer.from(`${bad.join("\n")}\n`, "latin1").map((byte) => (byte === 35 ? 0xa0 : byte)),
    );
    const refusal = await refusalOf(importFiles(dir, [path]));
    expect(refusal.message).toMatch(
      new RegExp(`bad.csv line ${number}: ${column}: the byte A0 .* not UTF-8`),
    );
    expect(refusal.errors).toEqual([{ path: `bad.csv:${number}:${column}`, message: refusal.message }]);
  });

  test("as damaged Parquet is refused", async () => {
    const dir = await tempDir();
    await writeFile(join(dir, "a.parquet"), "PAR1\0\0\0\0 and more PAR1");
    const refusal = await refusalOf(importFiles(dir, [join(dir, "a.parquet")]));
    expect(refusal.message).toMatch(/^a.parquet is not a Parquet file that can be read \(/);
  });

  test("of Northern Ireland and the rest of the United Kingdom are two partners", async () => {
    const dir = await tempDir();
    const row = (partner: string, value: number) =>
      `"Latvia","United Kingdom${partner}","Total","EXPORT","Total","Jan. 2024","${value}"`;
    const header = "REPORTER,PARTNER,PRODUCT,FLOW,STAT_PROCEDURE,PERIOD,VALUE_IN_EUR";
    const parts = [" (Northern Ireland)", " (excluding Northern Ireland)"];
    const path = await fileOf(dir, "uk.csv", [header, ...parts.map((part) => row(part, 777))]);
    const { report, manifest } = await importFiles(dir, [path], { reporters: ["LV"] });
    expect(report.equal_duplicates).toBe(0);
    expect(manifest.partitions[0]!.rows).toBe(2);
    const other = await fileOf(dir, "uk2.csv", [header, row(" (Gibraltar)", 1)]);
    expect((await refusalOf(importFiles(dir, [other], { reporters: ["LV"] }))).message).toMatch(/PARTNER/);
  });
});

describe("a table of reference data", () => {
  const read = async (bytes: Buffer | string, name = "given") => {
    const dir = await tempDir();
    await writeFile(join(dir, name), bytes);
    const { text, header } = await readTextFile(join(dir, name));
    const found = referenceLayoutOf(header);
    return { table: found?.table.name, rows: found?.layout.read({ name, text }) };
  };
  const BRENT = "Date,Price\n2026-08-14,66.1\n2026-08-17,NA\n2026-08-18,65.77\n";
  const DAYS = [
    { date: "2026-08-14", usd_per_bbl: 66.1 },
    { date: "2026-08-18", usd_per_bbl: 65.77 },
  ];

  test.each(["NA", "N/A", "n/a", "NaN", ":", "", " "])("has no row for %j", async (cell) => {
    expect((await read(BRENT.replace("NA", cell))).rows).toEqual(DAYS);
  });

  test.each([";", "\t"])("may be written with %j", async (delimiter) => {
    expect(await read(BRENT.replaceAll(",", delimiter))).toEqual({ table: "brent", rows: DAYS });
  });

  test.each([
    ["UTF-8 with a mark", Buffer.from(`\ufeff${BRENT}`)],
    ["UTF-16, little end first", Buffer.from(`\ufeff${BRENT}`, "utf16le")],
    ["UTF-16, big end first", Buffer.from(`\ufeff${BRENT}`, "utf16le").swap16()],
  ])("is read in %s", async (_, bytes) => {
    expect(await read(bytes)).toEqual({ table: "brent", rows: DAYS });
  });

  const EU = (encoding: string, name: string) => `<?xml version="1.0" encoding="${encoding}"?>
<!-- a list -->
<export><sanctionEntity logicalId="1"><subjectType code="person"/><nameAlias wholeName="${name}" strong="true"/></sanctionEntity></export>`;
  const nameOf = async (bytes: Buffer | string) => {
    const { table, rows } = await read(bytes);
    expect(table).toBe("eu-consolidated");
    return (rows as { names: { name: string }[] }[])[0]!.names[0]!.name;
  };

  test.each([
    ["ISO-8859-1", Buffer.from(EU("ISO-8859-1", "Vérrakïn"), "latin1"), "Vérrakïn"],
    [
      "windows-1251",
      Buffer.from([...Buffer.from(EU("windows-1251", "#")).map((byte) => (byte === 35 ? 0xc6 : byte))]),
      "Ж",
    ],
    ["UTF-8 and references", Buffer.from(EU("UTF-8", "N&#x27;G &#1058; &amp;#39; O’V")), "N'G Т &#39; O’V"],
  ])("of XML is decoded as declared: %s", async (_, bytes, name) => {
    expect(await nameOf(bytes)).toBe(name);
  });

  test.each([
    ["an unknown encoding", Buffer.from(EU("EBCDIC-XX", "a")), /encoding ebcdic-xx is not known/],
    ["bytes that the declared one has not", Buffer.from(EU("UTF-8", "Vé"), "latin1"), /line 3: the byte E9/],
    [
      "a reference to no character",
      Buffer.from(EU("UTF-8", "a&#xD800;")),
      /line 3: &#xD800; is not a reference/,
    ],
    ["a reference to nothing", Buffer.from(EU("UTF-8", "a&nbsp;")), /line 3: &nbsp; is not a reference/],
    [
      "windows-1252 that nothing declares",
      Buffer.from("code,description\n01,LIVE\n0406,Gruyère\n", "latin1"),
      /line 3: description: the byte E8 \(byte 10 of the line\) is not UTF-8/,
    ],
    ["Parquet", Buffer.from("PAR1\0\0\0\0PAR1"), /looks like Parquet/],
  ])("with %s is refused", async (_, bytes, message) => {
    expect((await refusalOf(read(bytes))).message).toMatch(message);
  });
});

describe("no value", () => {
  const withMass = (text: string) =>
    lines.map((line) => line.replace(",7000,7000,0,", `,7000,7000,${text},`));
  const fileWith = async (dir: string, name: string, given: readonly string[]) => {
    const path = join(dir, name);
    await writeFile(path, `${given.join("\n")}\n`);
    return path;
  };

  test("a mass of no value is not known, however it is written", async () => {
    const dir = await tempDir();
    expect(withMass(":")).not.toEqual(lines);
    const vintages = [];
    for (const [at, text] of [":", "NA", "n/a", "NaN", "", "5"].entries()) {
      const path = await fileWith(dir, `mass-${at}.csv`, withMass(text));
      vintages.push(
        (await importFiles(dir, [path], { afresh: true, reporters: ["DE", "FR"] })).manifest.vintage,
      );
    }
    expect(new Set(vintages.slice(0, 5)).size).toBe(1);
    expect(vintages[5]).not.toBe(vintages[0]);
  });

  test("a row without a value in euros is refused, since only no row means no trade", async () => {
    const dir = await tempDir();
    const without = lines.map((line, at) => (at === 2 ? line.replace(/,500,500,/, ",:,500,") : line));
    const refusal = await refusalOf(
      importFiles(dir, [await fileWith(dir, "value.csv", without)], { afresh: true }),
    );
    expect(refusal.message).toMatch(
      /line 3: VALUE_EUR ":": the value is missing; for no trade, leave the row out/,
    );
  });
});
