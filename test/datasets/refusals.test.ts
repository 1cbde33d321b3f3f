import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { bulkFixture, fileOf, importFiles, packed7z, refusalOf, sdmxFixture, tempDir } from "./workshop.ts";

const linesOf = async (path: string) => (await readFile(path, "utf8")).trimEnd().split("\n");
const bulk = await linesOf(bulkFixture);
const sdmx = await linesOf(sdmxFixture);

/** The lines with line `number` (the header is 1) changed. */
const edited = (lines: string[], number: number, edit: (line: string) => string) =>
  lines.map((line, at) => (at === number - 1 ? edit(line) : line));

type Case = { what: string; lines: string[]; says: RegExp; path?: string };

const cases: Case[] = [
  {
    what: "an unknown layout, naming the first column that differs",
    lines: edited(bulk, 1, (line) => line.replace("PRODUCT_SITC", "SITC")),
    says: /column 5 is "SITC" and should be PRODUCT_SITC/,
    path: "bad.csv:1:PRODUCT_SITC",
  },
  { what: "a column too few", lines: edited(bulk, 4, (line) => line.replace(/,0$/, "")), says: /line 4/ },
  {
    what: "one column where there should be many, told once",
    lines: edited(bulk, 4, () => "DE"),
    says: /line 4: Expected Number of Columns: 18 Found: 1; nothing/,
  },
  { what: "a column too many", lines: edited(sdmx, 7, (line) => `${line},x`), says: /line 7/ },
  {
    what: "a value that is no number",
    lines: edited(bulk, 3, (line) => line.replace(",500,500,", ",5oo,500,")),
    says: /line 3: VALUE_EUR "5oo"/,
    path: "bad.csv:3:VALUE_EUR",
  },
  {
    what: "a fraction of a euro",
    lines: edited(sdmx, 3, (line) => line.replace("5000.0", "5000.5")),
    says: /line 3: OBS_VALUE "5000.5": a value is whole euros/,
  },
  {
    what: "a negative value",
    lines: edited(sdmx, 3, (line) => line.replace("5000.0", "-1")),
    says: /line 3: OBS_VALUE/,
  },
  {
    what: "an empty value",
    lines: edited(sdmx, 3, (line) => line.replace("5000.0", "")),
    says: /line 3: OBS_VALUE \(empty\)/,
  },
  {
    what: "a value out of range",
    lines: edited(sdmx, 3, (line) => line.replace("5000.0", "9".repeat(16))),
    says: /line 3: OBS_VALUE/,
  },
  {
    what: "a year among months",
    lines: edited(bulk, 5, (line) => line.replace("202402", "202452")),
    says: /line 5: PERIOD "202452": period 52 is a whole year/,
  },
  {
    what: "a thirteenth month",
    lines: edited(sdmx, 2, (line) => line.replace("2024-01", "2024-13")),
    says: /line 2: TIME_PERIOD/,
  },
  {
    what: "a frequency of years",
    lines: edited(sdmx, 2, (line) => line.replace(",M,", ",A,")),
    says: /line 2: freq "A"/,
  },
  {
    what: "a reporter that is none",
    lines: edited(bulk, 6, (line) => line.replace("DE,", "EL,")),
    says: /line 6: REPORTER "EL": Greece is GR/,
  },
  {
    what: "a partner that is none",
    lines: edited(bulk, 6, (line) => line.replace(",XI,", ",EL,")),
    says: /line 6: PARTNER "EL": Greece is GR/,
  },
  {
    what: "a third flow",
    lines: edited(sdmx, 2, (line) => line.replace(",1,QUANTITY", ",3,QUANTITY")),
    says: /line 2: flow "3"/,
  },
  {
    what: "a product that is none",
    lines: edited(sdmx, 2, (line) => line.replace("39206290", "3920629")),
    says: /line 2: product/,
  },
  {
    what: "quotes",
    lines: edited(sdmx, 2, (line) => line.replace("39206290", '"39206290"')),
    says: /line 2: product/,
  },
  {
    what: "another dataflow",
    lines: edited(sdmx, 2, (line) => line.replace("045409", "059341")),
    says: /line 2: DATAFLOW/,
  },
  { what: "two layouts in one file", lines: [...sdmx, ...bulk], says: /line 11/ },
  { what: "a header in the middle", lines: [...sdmx, ...sdmx], says: /line 11: DATAFLOW "DATAFLOW"/ },
  {
    what: "an empty line",
    lines: [...sdmx.slice(0, 4), "", ...sdmx.slice(4)],
    says: /line 5: an empty line/,
  },
  {
    what: "a carriage return within a line",
    lines: edited(sdmx, 4, (line) => line.replace("39206290", "3920\r6290")),
    says: /line 4: a carriage return within the line/,
  },
  {
    what: "a Windows line end among others",
    lines: edited(sdmx, 4, (line) => `${line}\r`),
    says: /line 4: line ends are mixed/,
  },
  {
    what: "another line end among those of Windows",
    lines: edited(
      sdmx.map((line) => `${line}\r`),
      5,
      (line) => line.trimEnd(),
    ),
    says: /line 5: line ends are mixed/,
  },
  {
    what: "a line without end",
    lines: edited(sdmx, 6, (line) => line + "0".repeat(70_000)),
    says: /line 6: a line longer than 65536 bytes/,
  },
  { what: "a NUL byte", lines: edited(sdmx, 4, (line) => `${line}\0`), says: /line \d: a NUL byte/ },
  {
    what: "lines that contradict each other",
    lines: [...sdmx, sdmx[2]!.replace("5000.0", "5001.0")],
    says: /line 11: .* stands in bad.csv line 3 already, with another amount/,
  },
  {
    what: "a mass without its value",
    lines: sdmx.filter((_, at) => at !== 2),
    says: /line 2: a quantity whose value is in none of the files/,
  },
  { what: "a header and nothing else", lines: sdmx.slice(0, 1), says: /holds a header and nothing else/ },
];

describe("a bad file is refused whole, by name, line and column", () => {
  test.each(cases)("$what", async ({ lines, says, path }) => {
    const dir = await tempDir();
    const file = await fileOf(dir, "bad.csv", lines);
    const refusal = await refusalOf(importFiles(dir, [file], { reporters: ["DE"] }));
    expect(refusal.code).toBe("invalid");
    expect(refusal.message).toMatch(/bad\.csv/);
    expect(refusal.message).toMatch(says);
    if (path) expect(refusal.errors?.[0]?.path).toBe(path);
  });

  test("one cut off in the middle of a line", async () => {
    const dir = await tempDir();
    const file = join(dir, "cut.csv");
    await writeFile(file, (await readFile(sdmxFixture, "utf8")).slice(0, -3));
    const refusal = await refusalOf(importFiles(dir, [file], { reporters: ["DE"] }));
    expect(refusal.message).toMatch(/cut\.csv line 10: the file ends in the middle of a line/);
  });

  test.each([1, 20, 100, -9, -1])("a gzip file cut off (at %i)", async (at) => {
    const dir = await tempDir();
    const file = join(dir, "cut.csv.gz");
    await writeFile(file, gzipSync(await readFile(sdmxFixture)).subarray(0, at === 1 ? 12 : at));
    const refusal = await refusalOf(importFiles(dir, [file], { reporters: ["DE"] }));
    expect(refusal.message).toMatch(/cut\.csv\.gz is damaged or cut off/);
  });

  test("a gzip file with a flipped bit", async () => {
    const dir = await tempDir();
    const file = join(dir, "bent.csv.gz");
    const bytes = gzipSync(await readFile(sdmxFixture));
    bytes[bytes.length - 5]! ^= 1;
    await writeFile(file, bytes);
    const refusal = await refusalOf(importFiles(dir, [file], { reporters: ["DE"] }));
    expect(refusal.message).toMatch(/bent\.csv\.gz is damaged/);
  });

  test.each(["cut off", "bent"])("a 7z file that is %s", async (how) => {
    const dir = await tempDir();
    const bytes = await readFile(await packed7z(dir, bulkFixture));
    // The packed rows begin after a header of 32 bytes.
    if (how === "bent") bytes[60]! ^= 1;
    const file = join(dir, "bad.7z");
    await writeFile(file, how === "bent" ? bytes : bytes.subarray(0, -20));
    const refusal = await refusalOf(importFiles(dir, [file], { reporters: ["DE", "FR"] }));
    expect(refusal.code).toBe("invalid");
    expect(refusal.message).toMatch(/bad\.7z (is damaged or cut off \(7z|line)/);
  });

  test.each(["-mhe=off", "-mhe=on"])("a 7z file under a password (%s)", async (names) => {
    const dir = await tempDir();
    const archive = await packed7z(dir, bulkFixture, ["-psecret", names]);
    const refusal = await refusalOf(importFiles(dir, [archive], { reporters: ["DE", "FR"] }));
    expect(refusal.code).toBe("invalid");
    expect(refusal.message).toMatch(/full_v2_202402\.7z (is damaged or cut off \(7z|line)/);
  });

  test.each([
    ["empty.csv", ""],
    ["photo.zip", "PK\u0003\u0004xx"],
  ])("%s", async (name, content) => {
    const dir = await tempDir();
    await writeFile(join(dir, name), content);
    expect((await refusalOf(importFiles(dir, [join(dir, name)]))).code).toBe("invalid");
  });

  test("a file that is not there", async () => {
    const dir = await tempDir();
    expect((await refusalOf(importFiles(dir, [join(dir, "none.csv")]))).message).toMatch(/no such file/);
  });

  test("files of two layouts in one command", async () => {
    const refusal = await refusalOf(importFiles(await tempDir(), [sdmxFixture, bulkFixture]));
    expect(refusal.message).toMatch(/full_v2_202402\.csv is Comext bulk CSV, but ds-045409\.csv is SDMX/);
  });

  test("reporters that are absent without being said to be, and ones that are too many", async () => {
    const absent = await refusalOf(importFiles(await tempDir(), [sdmxFixture]));
    expect(absent.message).toMatch(/no rows of the reporters AT, BE.*--reporters DE/);
    const surplus = await refusalOf(importFiles(await tempDir(), [bulkFixture], { reporters: ["DE"] }));
    expect(surplus.message).toMatch(/rows of FR, which --reporters does not name/);
  });
});
