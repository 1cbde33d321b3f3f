import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { headerOf, readTextFile } from "../../src/datasets/reference/read.ts";
import { referenceLayoutOf } from "../../src/datasets/reference/tables.ts";
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
    what: "a value that is not a number",
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
  {
    what: "a NUL byte",
    lines: edited(sdmx, 4, (line) => `${line}\0`),
    says: /line \d: a NUL byte in \w+ \(byte \d+ of the line\)/,
  },
  {
    what: "lines that contradict each other",
    lines: [...sdmx, sdmx[2]!.replace("5000.0", "5001.0")],
    says: /line 11: .* is already in bad.csv line 3, with a different amount/,
  },
  {
    what: "a mass without its value",
    lines: sdmx.filter((_, at) => at !== 2),
    says: /line 2: none of the files has the value of this quantity/,
  },
  { what: "a header and nothing else", lines: sdmx.slice(0, 1), says: /has only a header/ },
];

describe("a bad file is refused whole, and the error names file, line and column", () => {
  test.each(cases)("$what", async ({ lines, says, path }) => {
    const dir = await tempDir();
    const file = await fileOf(dir, "bad.csv", lines);
    const refusal = await refusalOf(importFiles(dir, [file], { reporters: ["DE"] }));
    expect(refusal.code).toBe("invalid");
    expect(refusal.message).toMatch(/bad\.csv/);
    expect(refusal.message).toMatch(says);
    if (path) expect(refusal.errors?.[0]?.path).toBe(path);
  });

  const foreign: [what: string, bytes: Buffer, says: RegExp][] = [
    ["XML", Buffer.from('<?xml version="1.0"?>\n\n<LIST/>\n'), /looks like XML/],
    ["JSON", Buffer.from('{"rows": [\n\n]}\n'), /looks like JSON/],
    [
      "a list without a header, ended as under DOS",
      Buffer.from('36,"AEROCARIBBEAN AIRLINES",-0- ,"CUBA"\r\n173,"ANGLO",-0- ,"CUBA"\r\n\x1a'),
      /line 1: looks like a table of 4 columns without a header line/,
    ],
    [
      "a table of others",
      Buffer.from("Name,Age\n\nx,1\n"),
      /a table of 2 columns that begin with "Name", "Age"/,
    ],
    ["a text", Buffer.from("# Title\n\nwords\n"), /a table of 1 column that begins with "# Title"/],
    [
      "a table of reference data",
      Buffer.from("Date,Price\n2024-01-02,75.1\n"),
      /line 1: is the table of reference data brent; import it by itself/,
    ],
  ];

  test.each(foreign)("%s is named by its kind, with the importable formats", async (_, bytes, says) => {
    const dir = await tempDir();
    for (const packed of [bytes, gzipSync(bytes)]) {
      const file = join(dir, "given");
      await writeFile(file, packed);
      const refusal = await refusalOf(importFiles(dir, [sdmxFixture, file], { reporters: ["DE"] }));
      expect(refusal.message).toMatch(says);
      if (!refusal.message.includes("by itself")) expect(refusal.message).toMatch(/Comext.*Comtrade.*hicp/);
    }
  });

  test("a DOS end-of-file mark ends the file", async () => {
    const dir = await tempDir();
    const file = join(dir, "marked.csv");
    await writeFile(file, Buffer.concat([await readFile(sdmxFixture), Buffer.from([0x1a])]));
    const { report } = await importFiles(dir, [file], { reporters: ["DE"] });
    expect(report.rows_read).toBe(sdmx.length - 1);
  });

  test("one truncated within a line", async () => {
    const dir = await tempDir();
    const file = join(dir, "cut.csv");
    await writeFile(file, (await readFile(sdmxFixture, "utf8")).slice(0, -3));
    const refusal = await refusalOf(importFiles(dir, [file], { reporters: ["DE"] }));
    expect(refusal.message).toMatch(/cut\.csv line 10: the file ends in the middle of a line/);
  });

  test.each([1, 20, 100, -9, -1])("a truncated gzip file (at %i)", async (at) => {
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

  test.each(["-mhe=off", "-mhe=on"])("a 7z file with a password (%s)", async (names) => {
    const dir = await tempDir();
    const archive = await packed7z(dir, bulkFixture, ["-psecret", names]);
    const refusal = await refusalOf(importFiles(dir, [archive], { reporters: ["DE", "FR"] }));
    expect(refusal.code).toBe("invalid");
    expect(refusal.message).toBe(
      "full_v2_202402.7z has no text; if the archive has a password, unpack it first",
    );
  });

  test.each(["a folder", "an empty file"])("a 7z file of %s", async (what) => {
    const dir = await tempDir();
    const inside = join(dir, "inside");
    if (what === "a folder") await mkdir(inside);
    else await writeFile(inside, "");
    const refusal = await refusalOf(importFiles(dir, [await packed7z(dir, inside)]));
    expect(refusal.message).toMatch(/full_v2_202402\.7z has no text; if the archive has a password/);
  });

  test("more files than a release can name, before any is read", async () => {
    const refusal = await refusalOf(importFiles(await tempDir(), Array<string>(2_001).fill("none.csv")));
    expect(refusal.message).toMatch(/2001 files in one import; at most 2000: import them in several/);
  });

  test("amounts whose sum is inexact, naming the line with the largest", async () => {
    const dir = await tempDir();
    const value = (partner: string, amount: string) =>
      sdmx[2]!.replace(",FR,", `,${partner},`).replace("5000.0", amount);
    const most = ["AT", "BE", "BG", "CY", "CZ", "DK", "EE", "ES", "FI"].map((code) =>
      value(code, "9".repeat(15)),
    );
    const small = await fileOf(dir, "small.csv", [sdmx[0]!, value("FR", "5"), ...most]);
    const options = { reporters: ["DE" as const] };
    const first = await importFiles(dir, [small], options);
    const more = await fileOf(dir, "more.csv", [
      sdmx[0]!,
      value("FR", "3").replace("2024-01", "2025-01"),
      value("CN", "9".repeat(14)).replace("2024-01", "2025-01"),
    ]);
    const upon = await refusalOf(importFiles(dir, [more], { ...options, replaces: first.manifest.vintage }));
    expect(upon.message).toMatch(/^more\.csv line 3: .* adds up to more than 9007199254740991 EUR/);
    const large = await fileOf(dir, "large.csv", [
      sdmx[0]!,
      value("FR", "5"),
      ...most,
      value("HR", "9".repeat(15)),
    ]);
    const atOnce = await refusalOf(importFiles(await tempDir(), [large], options));
    expect(atOnce.message).toMatch(/^large\.csv line 3: .* adds up to more than 9007199254740991 EUR/);
    const mass = [sdmx[1]!.replace("12.34", "9".repeat(12))];
    for (const code of ["AT", "BE", "BG", "CY", "CZ", "DK", "EE", "ES", "FI", "HR", "HU"]) {
      mass.push(value(code, "1"), mass[0]!.replace(",FR,", `,${code},`));
    }
    const heavy = await fileOf(dir, "heavy.csv", [sdmx[0]!, value("FR", "5"), ...mass]);
    const kilograms = await refusalOf(importFiles(await tempDir(), [heavy], options));
    expect(kilograms.message).toMatch(/^heavy\.csv line 3: .* more than 999999999999999 kg/);
  });

  test.each([
    ["empty.csv", ""],
    ["photo.zip", "PK\u0003\u0004xx"],
  ])("%s", async (name, content) => {
    const dir = await tempDir();
    await writeFile(join(dir, name), content);
    expect((await refusalOf(importFiles(dir, [join(dir, name)]))).code).toBe("invalid");
  });

  test.each([
    ["a missing file", "none.csv", /none\.csv: there is no such file or folder: check the path/],
    ["a file below a file", "a.csv/b.csv", /b\.csv: a part of this path is a file/],
    ["a folder", "folder.csv", /folder\.csv is not a file: name a file/],
    ["a pipe that nobody writes to", "pipe.csv", /pipe\.csv is not a file: name a file/],
    ["a link to itself", "loop.csv", /loop\.csv: its links lead in a circle/],
  ])("%s", async (_, name, says) => {
    const dir = await tempDir();
    await fileOf(dir, "a.csv", bulk);
    await mkdir(join(dir, "folder.csv"));
    await symlink(join(dir, "loop.csv"), join(dir, "loop.csv"));
    execFileSync("mkfifo", [join(dir, "pipe.csv")]);
    const path = join(dir, name);
    expect(await headerOf(path)).toBe("");
    expect((await refusalOf(importFiles(dir, [path]))).message).toMatch(says);
    expect((await refusalOf(readTextFile(path))).message).toMatch(says);
  });

  test("a file that the system cannot read, by its name", async () => {
    const { message } = await refusalOf(importFiles(await tempDir(), ["/proc/self/mem"]));
    expect(message).toMatch(/^\/proc\/self\/mem: it cannot be read or written: check the disk/);
  });

  const text = `${bulk.join("\n")}\n`;
  const utf16 = Buffer.from(text, "utf16le");
  test.each([
    ["gzip within gzip", gzipSync(gzipSync(text)), /looks like gzip within another packing/],
    [
      "gzip that is cut off",
      gzipSync(text).subarray(0, 60),
      /cut off \(gzip: unexpected end of file\): fetch it/,
    ],
    ["bzip2", Buffer.from("BZh91AY&SY"), /looks like bzip2/],
    ["xz", Buffer.from("\xfd7zXZ\0\0", "latin1"), /looks like xz/],
    ["UTF-16 without a mark", utf16, /looks like text in UTF-16/],
    ["UTF-16 of the other order", Buffer.from(utf16).swap16(), /looks like text in UTF-16/],
    [
      "noise",
      Buffer.from("\x01\x02,\x03\xff\nx\n", "latin1"),
      /line 1: is not text: it is damaged, or packed .* Fetch it/,
    ],
    [
      "a 7z archive that is cut off",
      Buffer.from("377abcaf271c0004", "hex"),
      /\(7z: .*Can not open .*\): fetch it/,
    ],
    ["a Parquet file that is cut off", Buffer.from("PAR1xxxx"), /not a Parquet file .*: fetch it again/],
    [
      "a workbook that is cut off",
      Buffer.from("PK\x03\x04 xl/workbook.xml"),
      /not a workbook .*: fetch it again/,
    ],
  ])("%s, with the remedy and no byte of it", async (_, bytes, says) => {
    const dir = await tempDir();
    const path = join(dir, "bad.csv");
    await writeFile(path, bytes);
    const { message } = await refusalOf(importFiles(dir, [path]));
    expect(message).toMatch(says);
    expect(message).not.toMatch(/[^ -~]|\\u/);
  });

  test("XML that is cut off, in one line and with the remedy", async () => {
    const dir = await tempDir();
    const { layout } = referenceLayoutOf("<export ")!;
    const read = () => layout.read({ name: join(dir, "eu.xml"), text: "<export>\n<sanctionEntity><nameA" });
    expect(read).toThrow(
      /^\S+ line \d+: not well-formed XML, so it is damaged or cut off \(.*\): fetch it again$/,
    );
  });

  test("files of two layouts in one command", async () => {
    const refusal = await refusalOf(importFiles(await tempDir(), [sdmxFixture, bulkFixture]));
    expect(refusal.message).toMatch(/full_v2_202402\.csv is Comext bulk CSV, but ds-045409\.csv is SDMX/);
  });

  test("missing reporters that were not stated, and extra ones", async () => {
    const absent = await refusalOf(importFiles(await tempDir(), [sdmxFixture]));
    expect(absent.message).toMatch(/no rows of the reporters AT, BE.*--reporters DE/);
    const surplus = await refusalOf(importFiles(await tempDir(), [bulkFixture], { reporters: ["DE"] }));
    expect(surplus.message).toMatch(/rows of FR, which --reporters does not name/);
  });
});

test.each([0, 1, 4_100])(
  "an import goes on after a kill or a full disk left %i bytes of its lock",
  async (bytes) => {
    const dir = await tempDir();
    const request = () => importFiles(dir, [bulkFixture], { reporters: ["DE", "FR"] });
    const first = await request();
    const lock = join(dir, "vintages", "import.lock");
    await truncate(lock, bytes);
    expect((await request()).manifest.vintage).toBe(first.manifest.vintage);
    expect((await readdir(join(dir, "vintages"))).filter((name) => name.includes("lock"))).toEqual([
      "import.lock",
    ]);
  },
);

test("a lock that cannot be opened is named with the reason", async () => {
  const dir = await tempDir();
  const lock = join(dir, "vintages", "import.lock");
  await mkdir(lock, { recursive: true });
  const { code, message } = await refusalOf(importFiles(dir, [bulkFixture]));
  expect([code, message]).toEqual(["unavailable", expect.stringContaining(`${lock} cannot be locked (`)]);
});
