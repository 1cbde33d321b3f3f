/** Workbooks that attack the importer's memory or time: each is refused, and its process's event loop continues. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { workbookText } from "../../src/datasets/reference/workbook.ts";
import { tempDir } from "./workshop.ts";

/** An entry, and an attacker's false claims about it. */
type Entry = { name: string; text: string | Buffer; names_bytes?: number; lies_at?: number; flags?: number };

const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const WORKBOOK = `<workbook xmlns:r="${OFFICE}"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`;
const RELATIONS = `<Relationships><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`;

const cell = (place: string, text: string) => `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
const sheet = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`;
const FINE = sheet(`<row r="1">${cell("A1", "a")}</row>`);

const partsOf = (text: string, more: Partial<Entry> = {}): Entry[] => [
  { name: "xl/workbook.xml", text: WORKBOOK },
  { name: "xl/_rels/workbook.xml.rels", text: RELATIONS },
  { name: "xl/worksheets/sheet1.xml", text, ...more },
];

function zipOf(entries: readonly Entry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, text, names_bytes, lies_at, flags = 0 } of entries) {
    const plain = Buffer.from(text);
    const packed = deflateRawSync(plain);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(flags, 2);
    about.writeUInt16LE(8, 4);
    about.writeUInt32LE(crc32(plain), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(names_bytes ?? plain.length, 18);
    about.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(lies_at ?? at, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x00"), about, place, Buffer.from(name));
    if (lies_at !== undefined) continue;
    const file = Buffer.concat([Buffer.from("PK\x03\x04"), about, Buffer.from(name), packed]);
    files.push(file);
    at += file.length;
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  for (const place of [8, 10]) end.writeUInt16LE(entries.length, place);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, ...directory, end]);
}

async function textOf(archive: Buffer, timeout_ms?: number): Promise<string> {
  const path = join(await tempDir(), "bomb.xlsx");
  await writeFile(path, archive);
  return workbookText(path, "bomb.xlsx", timeout_ms);
}

test("a handmade workbook is parsed", async () => {
  expect(await textOf(zipOf(partsOf(FINE)))).toBe("a\r\n");
});

const twice = partsOf(FINE);
test.each([
  ["one entry of half a gigabyte", "at most 268435456 are read", partsOf(FINE, { names_bytes: 2 ** 29 })],
  [
    "an entry larger than it names",
    "not unpack to the size that it names",
    partsOf(sheet(" ".repeat(10_000_000)), { names_bytes: 100 }),
  ],
  [
    "an entry smaller than it names",
    "not unpack to the size that it names",
    partsOf(FINE, { names_bytes: 4_000_000 }),
  ],
  [
    "sizes that zip64 keeps elsewhere",
    "at most 268435456 are read",
    partsOf(FINE, { names_bytes: 0xffffffff }),
  ],
  ["one entry named many times", "its entries overlap", [...twice, { ...twice[0]!, lies_at: 0 }]],
  [
    "thousands of sheets",
    "it has 10001 entries",
    Array.from({ length: 10_001 }, (_, n): Entry => ({ name: `xl/${n}.xml`, text: "" })),
  ],
  ["an entry that is encrypted", "it is encrypted", partsOf(FINE, { flags: 1 })],
])("%s is refused before anything is stored", async (_, reason, entries) => {
  await expect(textOf(zipOf(entries))).rejects.toThrow(reason);
});

test.each([
  ["its end is cut off", (archive: Buffer) => archive.subarray(0, -30)],
  ["bytes stand before its first entry", (archive: Buffer) => Buffer.concat([Buffer.alloc(64), archive])],
])("an archive is refused if %s", async (_, changed) => {
  await expect(textOf(changed(zipOf(partsOf(FINE))))).rejects.toThrow("is no workbook that can be read");
});

test("two cells at opposite corners make a huge table: its parsing thread is ended", async () => {
  const far = sheet(`<row r="1">${cell("A1", "a")}</row><row r="1048576">${cell("XFD1048576", "b")}</row>`);
  await expect(textOf(zipOf(partsOf(far)), 1_500)).rejects.toThrow("save its first sheet as CSV");
});

test("nested entities are not expanded", async () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
  const entities = names.map((name, n) => `<!ENTITY ${name} "${n ? `&${names[n - 1]};`.repeat(10) : "ha"}">`);
  const laughs = `<!DOCTYPE l [${entities.join("")}]>${sheet(`<row r="1">${cell("A1", "&i;")}</row>`)}`;
  expect(await textOf(zipOf(partsOf(laughs)))).toBe("&i;\r\n");
});
