import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { familiesIn, familyOf } from "../../src/domain/trade/code-families.ts";
import { CodeHistory, type CodeLine } from "../../src/domain/trade/code-history.ts";

const listed = (year: number, code: string): CodeLine => ({
  nomenclature: "CN",
  year,
  code,
  name: `${code} in ${year}`,
  became_year: null,
  became: null,
  reused: false,
});
const pair = (year: number, code: string, became: string, reused = false): CodeLine => ({
  ...listed(year, code),
  name: null,
  became_year: year + 1,
  became,
  reused,
});

/** 2021: phones are one code. 2022: two. 2023: one of them joins with a third. */
const phones = new CodeHistory([
  pair(2021, "85171200", "85171300"),
  pair(2021, "85171200", "85171400"),
  pair(2021, "85076000", "85076000"),
  pair(2021, "85181000", "85181000"),
  pair(2022, "85171300", "85171500"),
  pair(2022, "85171400", "85171500"),
  pair(2022, "85171400", "85181000"),
  pair(2022, "85181000", "85181000", true),
  pair(2022, "85076000", "85076000"),
]);

describe("a code's history", () => {
  test("a code exists in its years only; a code of no edition always does", () => {
    expect(phones.yearsOf("85171200")).toEqual([{ from: null, to: 2021 }]);
    expect(phones.yearsOf("85171300")).toEqual([{ from: 2022, to: 2022 }]);
    expect(phones.yearsOf("85171500")).toEqual([{ from: 2023, to: null }]);
    expect(phones.yearsOf("85076000")).toEqual([{ from: null, to: null }]);
    expect(phones.yearsOf("99999999")).toEqual([]);
    const years = [2005, 2021, 2022, 2023, 2030];
    expect(years.map((year) => phones.exists("85171200", year))).toEqual([true, true, false, false, false]);
    expect(years.map((year) => phones.exists("851713", year))).toEqual([false, false, true, false, false]);
    expect(years.map((year) => phones.exists("8517", year))).toEqual(years.map(() => true));
    expect(years.every((year) => phones.exists("99999999", year))).toBe(true);
  });

  test("each January names the code's heirs and ancestors, at every level of digits", () => {
    expect(phones.revisionsOf("85171200")).toEqual([
      { year: 2022, became: ["85171300", "85171400"], came_from: [], kept: false },
    ]);
    expect(phones.revisionsOf("85181000")).toEqual([
      { year: 2023, became: [], came_from: ["85171400"], kept: true },
    ]);
    expect(phones.isReused("85181000", 2023)).toBe(true);
    expect(phones.revisionsOf("851712")).toEqual([
      { year: 2022, became: ["851713", "851714"], came_from: [], kept: false },
    ]);
    expect(phones.revisionsOf("8517").map(({ year, became }) => [year, became])).toEqual([[2023, ["8518"]]]);
    expect(phones.revisionsOf("85076000")).toEqual([]);
  });

  test("between two editions without a correspondence a code may exist; with one its January is known", () => {
    const undated = new CodeHistory([listed(2017, "85171200"), listed(2022, "85171300")]);
    expect([2019, 2022].map((year) => undated.exists("85171200", year))).toEqual([true, false]);
    expect([2016, 2019, 2022].map((year) => undated.exists("85171300", year))).toEqual([false, true, true]);
    const dated = new CodeHistory([
      { ...listed(2017, "851712"), nomenclature: "HS", became_year: 2022, became: "851713" },
    ]);
    expect([2019, 2021, 2022].map((year) => dated.exists("851713", year))).toEqual([false, false, true]);
    expect(dated.revisionsOf("851712")[0]).toMatchObject({ year: 2022, became: ["851713"] });
  });

  test("a code in both editions has its history even if the correspondence omits it", () => {
    const forgetful = new CodeHistory([
      pair(2021, "81129221", "81124110"),
      listed(2021, "81129221"),
      listed(2022, "81129221"),
    ]);
    expect(forgetful.heirs("81129221", 2022).toSorted()).toEqual(["81124110", "81129221"]);
    expect(familyOf(forgetful, "81129221", { from: 2021, to: 2022 }).inYear(2022)).toEqual([
      "81124110",
      "81129221",
    ]);
  });
});

describe("a family", () => {
  test("of one code that becomes two goes forward and back", () => {
    const years = { from: 2020, to: 2022 };
    for (const code of ["85171200", "85171300", "85171400"]) {
      const family = familyOf(phones, code, years);
      expect(family.inYear(2020)).toEqual(["85171200"]);
      expect(family.inYear(2022)).toEqual(["85171300", "85171400"]);
    }
  });

  test("codes that changed many to many stay joined over all changes of the years; no other change counts", () => {
    const family = familyOf(phones, "85171300", { from: 2020, to: 2024 });
    expect(family.inYear(2021)).toEqual(["85171200", "85181000"]);
    expect(family.inYear(2022)).toEqual(["85171300", "85171400", "85181000"]);
    expect(family.inYear(2023)).toEqual(["85171500", "85181000"]);
    expect(familyOf(phones, "85171300", { from: 2022, to: 2022 }).inYear(2022)).toEqual(["85171300"]);
  });

  test("of a basis year has the goods that the number meant then, and the changes to that year", () => {
    expect(familyOf(phones, "85171200", { from: 2022, to: 2022 }, 2021).inYear(2022)).toEqual([
      "85171300",
      "85171400",
    ]);
    expect(
      familyOf(phones, "85171200", { from: 2020, to: 2023 }, 2022).spans.flatMap(({ codes }) => codes),
    ).toEqual([]);
  });
});

const year0 = 2000;
/** Random editions of ten possible codes, each January with random pairs between the codes of both. */
const histories = fc
  .array(fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { minLength: 1, maxLength: 12 }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((januaries) => {
    const codeOf = (n: number) => `8517${n % 2}${n % 3}${n}0`;
    const lines = new Map<string, CodeLine>();
    // A code that has an heir has a past, and one that has a past has an heir.
    januaries.forEach((pairs, at) => {
      for (const [from, to] of pairs) {
        const line = pair(year0 + at, codeOf(from), codeOf(to));
        lines.set(`${at} ${from} ${to}`, line);
      }
    });
    return {
      history: new CodeHistory([...lines.values()]),
      years: { from: year0, to: year0 + januaries.length },
    };
  });

describe("over random histories", () => {
  test("families share no code of a year, and every heir and ancestor is inside", () =>
    fc.assert(
      fc.property(histories, fc.constantFrom(4, 6, 8), ({ history, years }, digits) => {
        const families = familiesIn(history, digits, years);
        for (let year = years.from; year <= years.to; year++) {
          const codes = families.flatMap((family) => family.inYear(year));
          expect(new Set(codes).size).toBe(codes.length);
          for (const family of families)
            for (const code of family.inYear(year)) {
              expect(history.exists(code, year)).toBe(true);
              if (year === years.to) continue;
              const next = new Set(family.inYear(year + 1));
              const heirs = history.heirs(code, year + 1).filter((one) => history.exists(one, year + 1));
              expect(heirs.every((one) => next.has(one))).toBe(true);
            }
        }
      }),
    ));

  test("goods that move along the pairs never leave their family", () =>
    fc.assert(
      fc.property(histories, fc.nat(), ({ history, years }, seed) => {
        const families = familiesIn(history, 8, years);
        for (const family of families) {
          let [code, draw] = [family.inYear(years.from)[0], seed];
          for (let year = years.from + 1; code !== undefined && year <= years.to; year++) {
            const heirs: string[] = history.heirs(code, year).filter((one) => history.exists(one, year));
            code = heirs[draw % Math.max(heirs.length, 1)];
            draw = (draw * 48_271) % 2_147_483_647;
            if (code !== undefined) expect(family.inYear(year)).toContain(code);
          }
        }
      }),
    ));

  test("every member of a year has the same family where the basis is that year", () =>
    fc.assert(
      fc.property(histories, ({ history, years }) => {
        for (const family of familiesIn(history, 8, years))
          for (const { from, codes } of family.spans)
            for (const code of codes)
              expect(familyOf(history, code, years, from).spans).toEqual(family.spans);
      }),
    ));

  test("a code exists exactly in its spans of years", () =>
    fc.assert(
      fc.property(histories, fc.nat(9), ({ history, years }, n) => {
        const code = `8517${n % 2}${n % 3}${n}0`;
        const spans = history.yearsOf(code);
        fc.pre(spans.length > 0);
        for (let year = years.from - 2; year <= years.to + 2; year++)
          expect(history.exists(code, year)).toBe(
            spans.some(({ from, to }) => (from ?? year) <= year && year <= (to ?? year)),
          );
      }),
    ));
});
