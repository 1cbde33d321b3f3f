/** Lines parsed by the import's single statement, compared with the rules of docs/datasets.md applied line by line. */
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import { openDuckdb, rows } from "../../src/datasets/duckdb.ts";
import { comextBulk } from "../../src/datasets/layouts/comext-bulk.ts";
import { stageDdl, stageFile } from "../../src/datasets/stage.ts";
import { aggregatePattern, otherReporters, reporterCodes } from "../../src/domain/trade/reporters.ts";
import { scaled } from "../support/scale.ts";
import { fileOf, limits, tempDir } from "./workshop.ts";

const AGGREGATE = new RegExp(`^(?:${aggregatePattern})$`);
const LINES = 250;
/** The faults in one refusal. */
const TOLD = 20;

const hasNoValue = (text: string) => /^ *(?::|NA|N\/A|NaN)? *$/i.test(text);
const isQuantity = (text: string) => /^[0-9]{1,14}(?:\.[0-9]{1,3})?$/.test(text) || hasNoValue(text);

const rules: [column: string, good: (text: string) => boolean][] = [
  [
    "REPORTER",
    (text) => [...reporterCodes, ...otherReporters].includes(text as never) || AGGREGATE.test(text),
  ],
  ["PARTNER", (text) => text !== "EL" && (/^[A-Z]{2}$/.test(text) || AGGREGATE.test(text))],
  ["PRODUCT_NC", (text) => text === "TOTAL" || /^[0-9]{2}(?:[0-9A-Z]{2}){0,3}$/.test(text)],
  ["FLOW", (text) => text === "1" || text === "2"],
  ["PERIOD", (text) => /^[0-9]{4}(?:0[1-9]|1[0-2])$/.test(text) && text >= "198801"],
  ["VALUE_EUR", (text) => /^[0-9]{1,15}(?:\.0+)?$/.test(text)],
  ["QUANTITY_KG", isQuantity],
  ["STAT_PROCEDURE", (text) => /^[0-9]$/.test(text)],
  ["SUPPL_UNIT", (text) => text === "" || /^[A-Za-z0-9_/.%-]{1,12}$/.test(text)],
  ["QUANTITY_SUPPL_UNIT", isQuantity],
];

type Line = Record<string, string>;

const lineOf = (at: number): Line => ({
  ...Object.fromEntries(comextBulk.columns.map((column) => [column, "x"])),
  REPORTER: reporterCodes[at % reporterCodes.length]!,
  PARTNER: "US",
  PRODUCT_NC: String(10_000_000 + at),
  FLOW: String(1 + (at % 2)),
  PERIOD: "202402",
  VALUE_EUR: String(at),
  QUANTITY_KG: `${at}.5`,
  STAT_PROCEDURE: "1",
  SUPPL_UNIT: "NO_SU",
  QUANTITY_SUPPL_UNIT: "0",
});

/** A line's first fault, as column and text; undefined for a good one. */
function faultOf(line: Line): string | undefined {
  const broken = rules.find(([column, good]) => !good(line[column]!));
  if (!broken) return undefined;
  const text = line[broken[0]]!;
  return `${broken[0]} ${text === "" ? "(empty)" : JSON.stringify(text)}`;
}

/** A good line's content. */
function readingOf(line: Line) {
  const left_out =
    line.PRODUCT_NC === "TOTAL"
      ? "total_product"
      : reporterCodes.includes(line.REPORTER as never)
        ? null
        : "other_reporter";
  if (left_out) return { left_out, cell: null };
  const [kilograms, grams = ""] = line.QUANTITY_KG!.split(".");
  const cell = [
    line.REPORTER,
    line.FLOW === "1" ? "IMPORT" : "EXPORT",
    line.PERIOD,
    line.PARTNER,
    line.PRODUCT_NC,
    BigInt(line.VALUE_EUR!.split(".")[0]!),
    ...(hasNoValue(line.QUANTITY_KG!) ? [] : [`${BigInt(kilograms!)}.${grams.padEnd(3, "0")}`]),
  ];
  return { left_out, cell: cell.join(" ") };
}

const notable = [
  ..."EL,DE,de, DE,DE ,D,DEU,GB,XI,EU,WORLD,EU27_2020,EXT_EU27_2020,EUROZONE,39,3916,391610,39161000".split(
    ",",
  ),
  ..."3,39XXXXXX,39xxxxxx,391610001,TOTAL,Total,0,1,2,3,1.0,01,+1,-1,1e3,0x10,1.,.5,1.5,1.0005,0.001,00.000".split(
    ",",
  ),
  ...`${"9".repeat(15)},${"9".repeat(16)},${"9".repeat(14)}.999,${"9".repeat(15)}.0,NaN,inf,NULL,1_000,１`.split(
    ",",
  ),
  ..."198712,198801,202400,202412,202413,202452,2024-02,20242,999912".split(","),
  "",
  '"1"',
  "'",
  " ",
  "\t",
  "é",
];

const texts = fc.oneof(
  fc.constantFrom(...notable),
  fc.string({ maxLength: 12, unit: "grapheme" }).map((text) => text.replace(/[,\p{C}\u2028\u2029]/gu, "")),
);

const damage = fc.record({
  at: fc.nat(LINES - 1),
  column: fc.constantFrom(...rules.map(([column]) => column)),
  text: texts,
});

async function staged(lines: Line[]) {
  const dir = await tempDir();
  const header = comextBulk.columns.join(",");
  const texts = lines.map((line) => comextBulk.columns.map((column) => line[column]).join(","));
  const path = await fileOf(dir, "month.csv", [header, ...texts]);
  const instance = await openDuckdb(limits, dir);
  onTestFinished(() => instance.closeSync());
  const connection = await instance.connect();
  await connection.run(`attach '${join(dir, "stage.duckdb")}' as stage; ${stageDdl}`);
  const file = { name: "month.csv", path, sha256: "", bytes: 0, header, lines: lines.length + 1 };
  try {
    await stageFile(connection, comextBulk, file, 0);
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.errors ?? [] };
    throw error;
  }
  return {
    read: await rows(
      connection,
      `select left_out, case when left_out is null then
         concat_ws(' ', reporter, flow, period, partner, product, value_eur, quantity_kg) end as cell
       from stage.readings order by rowid`,
    ),
  };
}

test("thousands of damaged lines are refused by line, column and text, or parsed, as the rules say", async () => {
  const seen = { refused: 0, read: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { maxLength: 15 }), async (damages) => {
      const lines = Array.from({ length: LINES }, (_, at) => lineOf(at));
      for (const { at, column, text } of damages) lines[at]![column] = text;
      const faults = lines.flatMap((line, at) => {
        const fault = faultOf(line);
        return fault === undefined ? [] : [{ path: `month.csv:${at + 2}:${fault.split(" ")[0]}`, fault }];
      });
      const { refused, read } = await staged(lines);
      if (faults.length > 0) {
        seen.refused++;
        expect(refused?.map(({ path }) => path)).toEqual(faults.map(({ path }) => path));
        for (const [of, { fault }] of faults.entries())
          expect(refused![of]!.message.startsWith(`${fault}: `)).toBe(true);
      } else {
        seen.read++;
        expect(read).toEqual(lines.map(readingOf));
      }
    }),
    { numRuns: scaled(40, 10) },
  );
  expect(seen.refused).toBeGreaterThan(0);
});

test("each text in each column is refused or parsed as the rules say", async () => {
  const columns = rules.map(([column]) => column);
  const pairs = [
    ...columns.flatMap((column) => notable.map((text) => [column, text] as const)),
    ...fc.sample(fc.tuple(fc.constantFrom(...columns), texts), 500),
  ];
  const damaged = pairs.map(([column, text], at) => ({ ...lineOf(at), [column]: text }));
  const good = damaged.filter((line) => faultOf(line) === undefined);
  expect(good.length).toBeGreaterThan(50);
  expect((await staged(good)).read).toEqual(good.map(readingOf));
  const bad = damaged.filter((line) => faultOf(line) !== undefined);
  for (let from = 0; from < bad.length; from += TOLD) {
    const some = bad.slice(from, from + TOLD);
    const { refused } = await staged(some);
    expect(refused?.map(({ message }) => message.split(": ")[0])).toEqual(some.map(faultOf));
  }
});
