/** Each layout of trade files, fed bad bytes, cuts and other encodings: all lines are staged, or the file is refused by name. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import { type BuildSpace, takeBuildSpace } from "../../src/datasets/build-space.ts";
import { openDuckdb, rows } from "../../src/datasets/duckdb.ts";
import { looking } from "../../src/datasets/import.ts";
import { comextBulk } from "../../src/datasets/layouts/comext-bulk.ts";
import { comtrade } from "../../src/datasets/layouts/comtrade.ts";
import { detectLayout } from "../../src/datasets/layouts/detect.ts";
import { foldCells, stageDdl, stageFile } from "../../src/datasets/stage.ts";
import { unpack } from "../../src/datasets/unpack.ts";
import { scaled } from "../support/scale.ts";
import { damage, damagedBytes } from "./damaged-bytes.ts";
import { limits } from "./workshop.ts";

const comtradeLine = (reporter: string, partner: string) => {
  const cells: Record<string, string> = {
    typeCode: "C",
    freqCode: "M",
    period: "202401",
    reporterCode: reporter,
    flowCode: "X",
    partnerCode: partner,
    partnerDesc: "Türkiye",
    partner2Code: "0",
    classificationCode: "H6",
    cmdCode: "44",
    cmdDesc: '"Wood, ""coal"""',
    customsCode: "C00",
    mosCode: "0",
    motCode: "0",
    netWgt: "500.5",
    isNetWgtEstimated: "false",
    primaryValue: "1090",
    isAggregate: "true",
  };
  return comtrade.columns.map((column) => cells[column] ?? "").join(",");
};

const SDMX = "DATAFLOW,LAST UPDATE,freq,reporter,partner,product,flow,indicators,TIME_PERIOD,OBS_VALUE";
const sdmxLine = (partner: string, indicator: string, value: string) =>
  `ESTAT:DS-045409(1.0),01/01/26 11:00:00,M,DE,${partner},39206290,1,${indicator},2024-01,${value}`;

const files = {
  "comext-bulk": [
    comextBulk.columns.join(","),
    "DE,CN,E,39206290,58310,2221,2221,220,211210,07,1,1,NO_SU,202402,1000,1000,100,0",
    "DE,CN,E,85171300,76411,2630,2630,410,2,16,1,2,NO,202402,90,90,NA,3",
    "FR,US,E,39XXXXXX,58310,2221,2221,220,211210,07,2,1,,202402,7,7,0.5,0",
  ],
  "comext-ds-045409": [
    SDMX,
    sdmxLine("FR", "QUANTITY_IN_100KG", "12.34"),
    sdmxLine("FR", "VALUE_IN_EUROS", "5000.0"),
    sdmxLine("WORLD", "VALUE_IN_EUROS", "7000.0"),
  ],
  "easy-comext": [
    "REPORTER,PARTNER,PRODUCT,FLOW,STAT_PROCEDURE,PERIOD,VALUE_IN_EUR",
    '"Austria","Türkiye","Total","EXPORT","Total","Aug. 2024","1234"',
    '"DE-Germany","CN","TOTAL","IMPORT","T","202408","99"',
  ],
  "easy-comext-by-code": [
    "reporter,partner,flow,period,value_eur",
    "AT,AM,EXPORT,201901,982972",
    "AT,AM,EXPORT,201902,2939158",
  ],
  comtrade: [comtrade.columns.join(","), comtradeLine("276", "792"), comtradeLine("251", "156")],
  snapshot: [
    "reporter,partner,product,flow,period,value_eur,quantity_kg",
    "DE,CN,39206290,IMPORT,202401,1000,12.5",
    "DE,WORLD,39206290,IMPORT,202401,1500,",
  ],
} as const;
const texts = Object.entries(files).map(
  ([name, lines]) => [name, lines.map((line) => `${line}\n`).join("")] as const,
);

let dir: string;
let space: BuildSpace;
let instance: Awaited<ReturnType<typeof openDuckdb>>;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-fuzz-"));
  space = await takeBuildSpace(dir);
  instance = await openDuckdb({ ...limits, threads: 1 });
});
afterAll(async () => {
  instance?.closeSync();
  await space?.release();
  await rm(dir, { recursive: true, force: true });
});

/** The texts of the staged lines, or the refusal. */
async function stagingOf(bytes: Uint8Array): Promise<string[] | Refusal> {
  const path = join(space.dir, "given.csv");
  await writeFile(path, bytes);
  const connection = await instance.connect();
  try {
    await connection.run(`attach ':memory:' as stage; ${stageDdl};
      create table stage.rates (month integer, per_euro double); insert into stage.rates values (202401, 1.09)`);
    const file = await unpack(space, path, 0, looking);
    const layout = detectLayout(file.name, file.header);
    const { rows: count } = await stageFile(connection, layout, file, 0);
    await foldCells(connection, [{ name: file.name, rows: count }]);
    const staged = await rows<{ line: string }>(
      connection,
      "select concat_ws(' ', reporter, flow, period, partner, product, value_eur, quantity_kg, unit) as line from stage.readings",
    );
    expect(staged).toHaveLength(count);
    return staged.map(({ line }) => line);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  } finally {
    await connection.run("detach database if exists stage");
    connection.closeSync();
  }
}

const isTold = (refusal: Refusal) =>
  expect([refusal.message, ...(refusal.errors ?? []).map(({ path }) => path)].join(" ")).toContain(
    "given.csv",
  );

test.each(texts)("%s is staged as it is", async (_, text) => {
  const staged = await stagingOf(Buffer.from(text));
  expect(staged).toHaveLength(text.split("\n").length - 2);
});

test.each(texts)("%s, damaged, is staged without U+FFFD or refused by name", async (_, text) => {
  const whole = Buffer.from(text);
  await fc.assert(
    fc.asyncProperty(damage(whole.length), async (damages) => {
      const staging = await stagingOf(damagedBytes(whole, damages));
      if (staging instanceof Refusal) isTold(staging);
      else expect(staging.join()).not.toContain("\ufffd");
    }),
    { numRuns: scaled(50, 10) },
  );
});

const isUtf8Alone = (name: string) => name !== "comtrade";

test.each(texts)("%s, a bad byte in any column, is refused by line and column", async (name, text) => {
  const lines = text.replace('"Wood, ""coal"""', "Wood").trimEnd().split("\n");
  const columns = lines[0]!.split(",");
  for (const [at, column] of columns.entries())
    for (const byte of [0x00, 0xff, 0xa0]) {
      // Windows-1252 has these.
      if (byte !== 0x00 && !isUtf8Alone(name)) continue;
      const [, second, ...others] = lines as [string, string, ...string[]];
      const cells = second.split(",");
      const cell = Buffer.concat([Buffer.from(cells[at]!), Buffer.of(byte)]);
      const bytes = Buffer.concat([
        Buffer.from(`${[lines[0], ...others].join("\n")}\n`),
        Buffer.from([...cells.slice(0, at), ""].join(",")),
        cell,
        Buffer.from([...cells.slice(at).with(0, ""), ""].join(",").slice(0, -1)),
        Buffer.from("\n"),
      ]);
      const staging = await stagingOf(bytes);
      const told = staging instanceof Refusal ? (staging.errors ?? [{ path: staging.message }])[0] : staging;
      expect([column, byte, told]).toEqual([
        column,
        byte,
        expect.objectContaining({ path: `given.csv:${lines.length}:${column}` }),
      ]);
    }
});

test("a line of UN Comtrade is read as UTF-8 or Windows-1252, as its bytes are, and no byte ends the import", async () => {
  const [header, line] = files.comtrade;
  const utf8 = Buffer.from(`${header}\n${line}\n`.replace("Türkiye", "Éire ’"));
  const windows = Buffer.concat(
    Array.from({ length: 128 }, (_, at) => {
      const [before, after] = line.split("ü") as [string, string];
      return Buffer.concat([Buffer.from(before), Buffer.from([at + 128]), Buffer.from(`${after}\n`)]);
    }),
  );
  const both = Buffer.concat([utf8, windows]);
  expect(await stagingOf(both)).toHaveLength(129);
});

test.each(texts)("%s, cut anywhere but at a line's end, is refused", async (_, text) => {
  const whole = Buffer.from(text);
  const before = (await stagingOf(whole)) as string[];
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), async (end) => {
      const staging = await stagingOf(whole.subarray(0, end));
      if (staging instanceof Refusal) isTold(staging);
      else {
        expect(whole[end - 1]).toBe(0x0a);
        expect(before).toEqual(expect.arrayContaining(staging));
      }
    }),
    { numRuns: scaled(25, 10) },
  );
});

test.each(texts)("%s in another encoding is staged alike or refused", async (_, text) => {
  const plain = (await stagingOf(Buffer.from(text))) as string[];
  for (const bytes of [
    Buffer.from(`\ufeff${text}`),
    Buffer.from(`\ufeff${text}`, "utf16le"),
    Buffer.from(text, "latin1"),
    Buffer.from(text.replaceAll("\n", "\r\n")),
  ]) {
    const staging = await stagingOf(bytes);
    if (staging instanceof Refusal) isTold(staging);
    else expect(staging.toSorted()).toEqual(plain.toSorted());
  }
});
