/** Workbooks that attack the importer's memory or time: each is refused, and its process's event loop continues. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workbookText } from "../../src/datasets/reference/workbook.ts";
import { tempDir } from "./workshop.ts";
import { workbookParts, type ZipEntry, zipOf } from "./zip.ts";

const cell = (place: string, text: string) => `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
const sheet = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`;
const FINE = sheet(`<row r="1">${cell("A1", "a")}</row>`);

async function textOf(archive: Buffer, timeout_ms?: number): Promise<string> {
  const path = join(await tempDir(), "bomb.xlsx");
  await writeFile(path, archive);
  return workbookText(path, "bomb.xlsx", timeout_ms);
}

test("a handmade workbook is parsed", async () => {
  expect(await textOf(zipOf(workbookParts(FINE)))).toBe("a\r\n");
});

const twice = workbookParts(FINE);
test.each([
  [
    "one entry of half a gigabyte",
    "at most 268435456 are read",
    workbookParts(FINE, { names_bytes: 2 ** 29 }),
  ],
  [
    "an entry larger than it names",
    "not unpack to the size that it states",
    workbookParts(sheet(" ".repeat(10_000_000)), { names_bytes: 100 }),
  ],
  [
    "an entry smaller than it names",
    "not unpack to the size that it states",
    workbookParts(FINE, { names_bytes: 4_000_000 }),
  ],
  [
    "sizes that zip64 keeps elsewhere",
    "at most 268435456 are read",
    workbookParts(FINE, { names_bytes: 0xffffffff }),
  ],
  ["one entry named many times", "its entries overlap", [...twice, { ...twice[0]!, lies_at: 0 }]],
  [
    "thousands of sheets",
    "it has 10001 entries",
    Array.from({ length: 10_001 }, (_, n): ZipEntry => ({ name: `xl/${n}.xml`, text: "" })),
  ],
  ["an entry that is encrypted", "it is encrypted", workbookParts(FINE, { flags: 1 })],
])("%s is refused before anything is stored", async (_, reason, entries) => {
  await expect(textOf(zipOf(entries))).rejects.toThrow(reason);
});

test.each([
  ["its end is cut off", (archive: Buffer) => archive.subarray(0, -30)],
  ["bytes stand before its first entry", (archive: Buffer) => Buffer.concat([Buffer.alloc(64), archive])],
])("an archive is refused if %s", async (_, changed) => {
  await expect(textOf(changed(zipOf(workbookParts(FINE))))).rejects.toThrow(
    "is not a workbook that can be read",
  );
});

test("two cells at opposite corners make a huge table: its parsing thread is ended", async () => {
  const far = sheet(`<row r="1">${cell("A1", "a")}</row><row r="1048576">${cell("XFD1048576", "b")}</row>`);
  await expect(textOf(zipOf(workbookParts(far)), 1_500)).rejects.toThrow("save its first sheet as CSV");
});

test("nested entities are not expanded", async () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
  const entities = names.map((name, n) => `<!ENTITY ${name} "${n ? `&${names[n - 1]};`.repeat(10) : "ha"}">`);
  const laughs = `<!DOCTYPE l [${entities.join("")}]>${sheet(`<row r="1">${cell("A1", "&i;")}</row>`)}`;
  expect(await textOf(zipOf(workbookParts(laughs)))).toBe("&i;\r\n");
});
