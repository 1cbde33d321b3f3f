/** TARIC's duties as the workbook that is published: read as its CSV is, and refused when damaged. */
import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { path7za } from "7zip-bin";
import { expect, test } from "vitest";
import { headerOf, readTextFile } from "../../src/datasets/reference/read.ts";
import { referenceLayoutOf } from "../../src/datasets/reference/tables.ts";
import { refusalOf, tempDir } from "../datasets/workshop.ts";

const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";

const relation = (kind: string, target: string) =>
  `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/${kind}" Target="${target}"/></Relationships>`;

/** A workbook of one sheet of text cells. */
async function workbookOf(rows: string[][]): Promise<string> {
  const dir = await tempDir();
  const cell = (text: string, place: string) => `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const rowAt = (row: string[], at: number) =>
    `<row r="${at + 1}">${row.map((text, column) => cell(text, `${String.fromCharCode(65 + column)}${at + 1}`)).join("")}</row>`;
  const parts = {
    "[Content_Types].xml": `<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    "_rels/.rels": relation("officeDocument", "xl/workbook.xml"),
    "xl/workbook.xml": `<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relation("worksheet", "worksheets/sheet1.xml"),
    "xl/worksheets/sheet1.xml": `<worksheet xmlns="${SHEET}"><sheetData>${rows.map(rowAt).join("")}</sheetData></worksheet>`,
  };
  const content = join(dir, "content");
  for (const [name, text] of Object.entries(parts)) {
    await mkdir(join(content, name, ".."), { recursive: true });
    await writeFile(join(content, name), `<?xml version="1.0" encoding="UTF-8"?>${text}`);
  }
  const program = join(dir, "7za");
  await copyFile(path7za, program);
  await chmod(program, 0o700);
  await promisify(execFile)(program, ["a", "-tzip", "../duties.xlsx", "."], { cwd: content });
  return join(dir, "duties.xlsx");
}

const COLUMNS = [
  "Goods code",
  "Add code",
  "Order No.",
  "Start date",
  "End date",
  "RED_IND",
  "Origin",
  " Measure type",
  "Legal base",
  "Duty",
  "Origin code",
  " Meas. type code",
];

test("a workbook's first sheet is read like its CSV", async () => {
  const line = [
    "0101210000 80",
    "",
    "",
    "01-07-1995",
    "",
    "",
    "ERGA OMNES",
    "Third country duty",
    "R2204/99, L 278",
  ];
  const path = await workbookOf([COLUMNS, [...line, "11.500 %", "1011", "103"]]);
  const { layout, table } = referenceLayoutOf(await headerOf(path))!;
  expect(table.name).toBe("taric-duties");
  const file = await readTextFile(path);
  expect(layout.read(file)).toMatchObject([
    {
      goods_code: "0101210000",
      suffix: "80",
      origin_code: "1011",
      measure_code: "103",
      duty: "11.500 %",
      ad_valorem_pct: 11.5,
      start: "1995-07-01",
      end: null,
      legal_base: "R2204/99, L 278",
    },
  ]);
  expect(file.bytes).toBe((await readFile(path)).length);
});

test("a damaged workbook is refused, and matches no layout", async () => {
  const path = await workbookOf([COLUMNS]);
  const bytes = await readFile(path);
  await writeFile(path, bytes.subarray(0, bytes.length / 2));
  expect(await refusalOf(readTextFile(path))).toMatchObject({
    code: "invalid",
    message: expect.stringMatching(/not a workbook/),
  });
  expect(referenceLayoutOf(await headerOf(path))).toBeUndefined();
});
