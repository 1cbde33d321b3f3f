import { describe, expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import { readCsv } from "../../src/datasets/reference/csv.ts";

const file = (text: string) => ({ name: "a.csv", text });
const refusal = (work: () => unknown): Refusal => {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("was not refused");
};

describe("a small CSV file", () => {
  test("is read by its columns, quoting and line numbers included", () =>
    expect(
      readCsv(file('code,name\r\n01,"Live, animals"\r\n02,"two\r\nlines"\r\n03,x\r\n'), ["code", "name"]),
    ).toEqual([
      { line: 2, cells: { code: "01", name: "Live, animals" } },
      { line: 4, cells: { code: "02", name: "two\nlines" } },
      { line: 5, cells: { code: "03", name: "x" } },
    ]));

  test("may have further columns, where the reader allows them", () => {
    const text = "x,name,code\n1,a,01\n";
    expect(readCsv(file(text), ["code", "name"], { extra_columns: true })[0]!.cells).toEqual({
      code: "01",
      name: "a",
    });
    expect(refusal(() => readCsv(file(text), ["code", "name"])).message).toMatch(/column 1 should be code/);
  });

  test.each([
    ["", /is empty/],
    ["code,name\n", /has only a header/],
    ["code\n1\n", /column 2 should be name/],
    ["code,name,more\n1,2,3\n", /more is not one of this layout/],
    ["code,name\n1,2\n1\n", /a\.csv line 3: has 1 columns; the header has 2/],
    ['code,name\n1,"open\n', /a\.csv line \d/],
  ])("%j is refused by line and column", (text, message) => {
    const { code, message: output } = refusal(() => readCsv(file(text), ["code", "name"]));
    expect(code).toBe("invalid");
    expect(output).toMatch(message);
  });
});
