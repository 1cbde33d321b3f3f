/** The table of code changes: the real files as they are, made ones of the Harmonized System, and broken ones. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codeChanges, codeHistoryOf } from "../../src/datasets/reference/code-changes.ts";
import { textOfTable } from "../../src/datasets/reference/files.ts";
import { readTextFile } from "../../src/datasets/reference/read.ts";
import { referenceLayoutOf } from "../../src/datasets/reference/tables.ts";
import { familiesIn } from "../../src/domain/trade/code-families.ts";
import { CodeHistory, type CodeLine } from "../../src/domain/trade/code-history.ts";

const shared = join(
  process.env.SHARED_DATA ?? join(import.meta.dirname, "../../../shared/data"),
  "cn-changes",
);
const files = ["CN2021.csv.gz", "CN2022.csv.gz", "CN2021_CN2022.csv.gz"];
const isHere = existsSync(join(shared, files[0]!));
if (!isHere) console.info("the real editions are not here: their tests are skipped");

const read = (name: string, text: string): CodeLine[] => {
  const { table, layout } = referenceLayoutOf(text.slice(0, text.indexOf("\n")))!;
  expect(table.name).toBe("code-changes");
  return layout.read({ name, text }) as CodeLine[];
};
const lines = (...all: string[]) => all.map((line) => `${line}\n`).join("");

describe.skipIf(!isHere)("the real change from 2021 to 2022", () => {
  const realLines = async () => {
    const all: CodeLine[] = [];
    for (const name of files) {
      const { header, text } = await readTextFile(join(shared, name));
      all.push(...(referenceLayoutOf(header)!.layout.read({ name, text }) as CodeLine[]));
    }
    return all;
  };

  test("350 CN8 and 145 HS6 codes end, 592 and 370 begin, in 322 families; 173 numbers are used again", async () => {
    const all = await realLines();
    const { reference } = textOfTable(
      codeChanges,
      { dataset: "code-changes", source: "", synthetic: false },
      all,
    );
    expect(reference.as_of).toBe("2022");
    const history = codeHistoryOf(reference);
    expect(codeHistoryOf(reference)).toBe(history);
    const codes = (year: number, digits: number) =>
      new Set(
        all.flatMap(({ year: from, code, became_year, became }) =>
          [from === year ? code : "", became_year === year ? became! : ""]
            .filter((one) => one.length >= digits)
            .map((one) => one.slice(0, digits)),
        ),
      );
    const counts = [8, 6].map((digits) => {
      const [before, after] = [codes(2021, digits), codes(2022, digits)];
      const of = (some: Set<string>, year: number) => [...some].filter((code) => !history.exists(code, year));
      return [of(before, 2022).length, of(after, 2021).length];
    });
    expect(counts).toEqual([
      [350, 592],
      [145, 370],
    ]);
    expect([...codes(2021, 8)].filter((code) => history.isReused(code, 2022))).toHaveLength(173);
    const families = familiesIn(history, 8, { from: 2021, to: 2022 });
    const moving = families.filter(
      (family) =>
        family.inYear(2021).some((code) => !history.exists(code, 2022)) ||
        family.inYear(2022).some((code) => !history.exists(code, 2021)),
    );
    expect(moving).toHaveLength(322);
    const keeps = families.filter((family) =>
      family.inYear(2021).some((code) => history.heirs(code, 2022).includes(code)),
    );
    // The correspondence names 98; 8112 92 21 is in both editions, and the correspondence forgets that.
    expect(keeps).toHaveLength(99);
    const chapters = (all: readonly string[]) => all.map((code) => code.slice(0, 2));
    const crossing = families.filter(
      (family) => new Set([...chapters(family.inYear(2021)), ...chapters(family.inYear(2022))]).size > 1,
    );
    expect(crossing).toHaveLength(14);
    expect(history.chaptersMoved(2022).join(" ")).toBe("02 04 16 17 18 19 21 24 25 30 38 71 85 88 90 94");
    expect(history.chaptersMoved(2021)).toEqual([]);
    expect(history.nameOf("85171200")).toMatch(/^Telephones for cellular networks/);
    expect(history.heirs("85171200", 2022)).toEqual(["85171300", "85171400"]);
  });
});

describe("made files", () => {
  test("editions of the Harmonized System pair in either order, with spaces and dots in their codes", () => {
    const all = [
      ...read(
        "hs17.csv",
        lines("HS 2017,HS 2022,TYPE", "8517.12,8517.13,", "8517.12,8517.14,", "0101.21,0101.21,"),
      ),
      ...read("hs28.csv", lines("HS 2028,HS 2022", "8517 13,8517 13", "8517 19,8517 14", "010121,010121")),
      ...read(
        "list.csv",
        lines("HS 2028,SupText,URI,Name", "01,Animals,,Chapter 1", "8517 19,Other phones,,x"),
      ),
    ];
    const history = new CodeHistory(all);
    expect(history.revisions).toEqual([2022, 2028]);
    expect(history.yearsOf("851714")).toEqual([{ from: 2022, to: 2027 }]);
    expect(history.yearsOf("851712")).toEqual([{ from: null, to: 2021 }]);
    expect(history.revisionsOf("851719")).toEqual([
      { year: 2028, became: [], came_from: ["851714"], kept: false },
    ]);
    expect(history.nameOf("851719")).toBe("Other phones");
  });

  test.each([
    [
      "a bad code",
      lines("CN 2021,CN 2022", "85171200,8517130"),
      /line 2: CN 2022 "8517130" is not a code of 4, 6 or 8 digits/,
    ],
    [
      "a bad listed code",
      lines("CN 2021,SupText,URI,Name", "851x,a,b,c"),
      /line 2: CN 2021 "851x" is not a code/,
    ],
    [
      "a mark of another code",
      lines("CN 2021,CN 2022,CN2021_Reused Code", "85171200,85171300,8517 99 99"),
      /CN2021_Reused Code "8517 99 99" is not the line's own code, or nothing/,
    ],
    ["a short line", lines("CN 2021,CN 2022,TYPE", "85171200"), /line 2: has 1 columns; the header has 3/],
  ])("%s is refused with its line", (_, text, message) => {
    expect(() => read("made.csv", text)).toThrow(message);
  });

  test("a file with headers of one edition only, or of two nomenclatures, is refused", () => {
    expect(referenceLayoutOf("CN 2021,CN 2021")).toBeUndefined();
    expect(referenceLayoutOf("CN 2021,HS 2022")).toBeUndefined();
  });
});
