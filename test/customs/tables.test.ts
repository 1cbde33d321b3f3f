/** The nomenclatures and duties: their layouts over real and small files, and their synthetic substitutes. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import { textOfTable } from "../../src/datasets/reference/files.ts";
import { readTextFile } from "../../src/datasets/reference/read.ts";
import { referenceLayoutOf, referenceTables } from "../../src/datasets/reference/tables.ts";
import { type TaricDuty, taricDuties } from "../../src/datasets/reference/taric-duties.ts";
import { sandboxCodes, woodNames } from "../../src/datasets/sandbox-codes.ts";
import { meantBy } from "../../src/domain/customs/duties.ts";

const shared = process.env.SHARED_DATA ?? join(import.meta.dirname, "../../../shared/data");
const isHere = existsSync(join(shared, "cn2022_en.csv.gz"));
if (!isHere) console.info("the real nomenclatures are not here: their tests are skipped");

const shell = (command: string) => execFileSync("bash", ["-c", command], { cwd: shared }).toString().trim();
async function readReal(name: string) {
  const file = await readTextFile(join(shared, name));
  const { table, layout } = referenceLayoutOf(file.header)!;
  return { name: table.name, rows: layout.read(file) as Record<string, string | null>[] };
}

describe.skipIf(!isHere)("the real files", () => {
  test("the Combined Nomenclature of 2022 has a row a line, and its texts as published", async () => {
    const { name, rows } = await readReal("cn2022_en.csv.gz");
    expect([name, rows.length]).toEqual([
      "cn-nomenclature",
      Number(shell("zcat cn2022_en.csv.gz | tail -n +2 | wc -l")),
    ]);
    const byCode = new Map(rows.map((row) => [row.code, row.name]));
    expect(byCode.size).toBe(rows.length);
    expect(byCode.get("44013100")).toBe(shell("zcat cn2022_en.csv.gz | sed -n 's/^44013100,//p'"));
    expect(byCode.get("01022110")).toMatch(/heifers "female bovines/);
    // Chapter 99 is national and is in no edition of the nomenclature.
    const invented = Object.keys({ ...woodNames, ...sandboxCodes }).filter((code) => !code.startsWith("99"));
    expect(invented.filter((code) => !byCode.has(code))).toEqual([]);
    expect(
      invented.filter((code) => byCode.get(code)!.length > 40 && byCode.get(code) === sandboxCodes[code]),
    ).toEqual([]);
  });

  test("the Harmonized System has its sections, without the line for the total", async () => {
    const { name, rows } = await readReal("hs2022.csv.gz");
    expect([name, rows.length]).toEqual([
      "hs-nomenclature",
      Number(shell("zcat hs2022.csv.gz | tail -n +2 | cut -d, -f2 | grep -cv TOTAL")),
    ]);
    const byCode = new Map(rows.map((row) => [row.code, row]));
    expect(byCode.get("4401")).toMatchObject({ section: "IX" });
    expect(byCode.get("99")).toMatchObject({ section: null });
    const sections = await readReal("hs-sections.csv");
    expect([sections.name, sections.rows.length]).toEqual(["hs-sections", 21]);
    const known = new Set(sections.rows.map(({ section }) => section));
    expect(rows.filter(({ section }) => section !== null && !known.has(section!))).toEqual([]);
    // Our own sandbox puts each chapter into the section it truly belongs to.
    const sandbox = referenceTables.find((table) => table.name === name)!.sandbox() as typeof rows;
    const differing = sandbox.filter(
      ({ code, section }) => byCode.has(code!) && byCode.get(code!)!.section !== section,
    );
    expect(differing).toEqual([]);
  });
});

const HEADER =
  "Goods code;Add code;Order No.;Start date;End date;RED_IND;Origin; Measure type;Legal base;Duty;Origin code; Meas. type code";
const LINES = [
  "0101210000 80;;;01-07-1995;;;ERGA OMNES;Third country duty;R2204/99;0.000 %;1011;103",
  "0102291000 80;;;01-07-1995;;;ERGA OMNES;Third country duty;R2204/99;10.200 % + 93.100 EUR DTN;1011;103",
  "0102291000;;094321;01-01-2025;31-12-2025;1;Switzerland;Preferential tariff quota;D0309/02;5.000  %;CH;143",
  "0102291000;;094321;01-01-2025;31-12-2025;2;Switzerland;Preferential tariff quota;D0309/02;5.000 %;CH;143",
  "0102291000;;;01-01-2025;;;ERGA OMNES;Veterinary control;R0001/25;;1011;410",
];
const read = (lines: string[], header = HEADER) => {
  const text = [header, ...lines].join("\r\n");
  const { table, layout } = referenceLayoutOf(header)!;
  expect(table.name).toBe("taric-duties");
  return layout.read({ name: "duties.csv", text: `${text}\r\n` }) as TaricDuty[];
};

test("TARIC's duties are read as published: compound duties have no percentage, controls are left out, repeated lines count once", () => {
  const rows = read(LINES);
  expect(
    rows.map(({ goods_code, suffix, duty, ad_valorem_pct }) => [goods_code, suffix, duty, ad_valorem_pct]),
  ).toEqual([
    ["0101210000", "80", "0.000 %", 0],
    ["0102291000", "80", "10.200 % + 93.100 EUR DTN", null],
    ["0102291000", "80", "5.000 %", 5],
  ]);
  expect(rows[2]).toMatchObject({
    order_no: "094321",
    start: "2025-01-01",
    end: "2025-12-31",
    origin_code: "CH",
    measure_code: "143",
  });
  const { reference } = textOfTable(taricDuties, { dataset: "x", source: "x", synthetic: true }, rows);
  expect(reference.as_of).toBe("2025-01-01");
  expect(
    read(
      LINES.map((line) => line.replaceAll(";", ",")),
      HEADER.replaceAll(";", ","),
    ),
  ).toEqual(rows);
});

test.each([
  [
    "a code of nine digits",
    LINES[0]!.replace("0101210000", "101210000"),
    /line 2.*Goods code "101210000 80"/,
  ],
  ["a day that is none", LINES[0]!.replace("01-07-1995", "31-02-1995"), /line 2.*Start date "31-02-1995"/],
  ["an origin that is none", LINES[0]!.replace("1011", "Erga"), /line 2.*Origin code "Erga"/],
  ["a line cut off", LINES[0]!.slice(0, 30), /line 2.*columns/],
  ["quotes left open", `"${LINES[0]}`, /line/],
])("TARIC with %s is refused, naming the line", (_, line, message) => {
  expect(() => read([line])).toThrow(Refusal);
  expect(() => read([line])).toThrow(message);
});

test("the synthetic tables name every code of the sandbox, and have duties on those codes only", () => {
  const rowsOf = (name: string) => {
    const table = referenceTables.find((one) => one.name === name)!;
    return textOfTable(table, { dataset: name, source: "x", synthetic: true }, table.sandbox()).reference
      .rows;
  };
  const codes = new Set((rowsOf("cn-nomenclature") as { code: string }[]).map(({ code }) => code));
  expect(Object.keys({ ...woodNames, ...sandboxCodes }).every((code) => codes.has(code))).toBe(true);
  const duties = rowsOf("taric-duties") as TaricDuty[];
  const known = [...codes];
  const strays = duties.filter(
    ({ goods_code }) => !known.some((code) => code.startsWith(meantBy(goods_code).slice(0, 8))),
  );
  expect(strays).toEqual([]);
  expect(duties.some(({ ad_valorem_pct }) => ad_valorem_pct === null)).toBe(true);
});
