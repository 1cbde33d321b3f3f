/** The pure parts of customs by hand: duties of a code, search by name, growth of amounts. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bearingOn, dutyGroupOf, meantBy, ratesOf } from "../../src/domain/customs/duties.ts";
import { changeOf, growthOf } from "../../src/domain/customs/growth.ts";
import { searchable, searchCodes } from "../../src/domain/customs/search.ts";
import { foldedWords } from "../../src/domain/questions/words.ts";

describe("duties", () => {
  test.each([
    ["4407000000", "4407"],
    ["4407111000", "44071110"],
    ["4407111015", "4407111015"],
    ["1000000000", "10"],
    ["0101000000", "0101"],
  ])("%s means %s", (goods, meant) => expect(meantBy(goods)).toBe(meant));

  const bearing = (goods: string, code: string) => bearingOn([{ goods_code: goods }], code).length === 1;
  test.each([
    ["4407111010", "44071110", true, "a part of it"],
    ["4407111000", "44071110", true, "all of it"],
    ["4407000000", "44071110", true, "the heading that contains it"],
    ["4400000000", "44071110", true, "its chapter"],
    ["4408000000", "44071110", false, "another heading"],
    ["4407119000", "44071110", false, "a sister"],
    ["4407119000", "4407", true, "one of its parts"],
    ["4407111000", "4407111", true, "a part of an odd beginning"],
    ["4405000000", "44050000", true, "a heading that is not divided"],
  ])("a duty on %s bears on %s: %s, %s", (goods, code, bears) => expect(bearing(goods, code)).toBe(bears));

  test("the search in the index finds the same duties as reading every line", () => {
    // Few digits, so that codes share beginnings and end in zeros.
    const digits = (length: number) => fc.stringMatching(new RegExp(`^[04]{${length}}$`));
    const pairs = fc.array(digits(10), { maxLength: 60 }).map((codes) => codes.sort());
    fc.assert(
      fc.property(pairs, fc.integer({ min: 2, max: 8 }).chain(digits), (codes, code) => {
        const rows = codes.map((goods_code) => ({ goods_code }));
        const expected = rows.filter(
          ({ goods_code }) => goods_code.startsWith(code) || code.startsWith(meantBy(goods_code)),
        );
        const answer = bearingOn(rows, code).map(({ goods_code }) => goods_code);
        expect(answer.sort()).toEqual(expected.map(({ goods_code }) => goods_code));
      }),
    );
  });

  test("rates are listed separately and never averaged; an unknown one is not zero", () => {
    expect(ratesOf([])).toBeUndefined();
    expect(ratesOf([0])).toEqual({ min_pct: 0, max_pct: 0, not_ad_valorem: 0 });
    expect(ratesOf([6.5, null, 2])).toEqual({ min_pct: 2, max_pct: 6.5, not_ad_valorem: 1 });
    expect(ratesOf([null])).toEqual({ min_pct: null, max_pct: null, not_ad_valorem: 1 });
    expect(["103", "105", "142", "143", "552", "109"].map(dutyGroupOf)).toEqual([
      "third_country",
      "third_country",
      "preference",
      "preference",
      "other",
      "other",
    ]);
  });
});

describe("finding names", () => {
  const products = [
    { code: "4407", name: "Wood sawn lengthwise (excl. oak)" },
    { code: "440791", name: "Oak, sawn lengthwise" },
    { code: "44079115", name: "Oak, sawn lengthwise, sanded or end-jointed" },
    { code: "4403", name: "Wood in the rough" },
    { code: "0902", name: "Maté and tea" },
    { code: "9403", name: "Woodwind furniture" },
  ].map(searchable);

  test.each([
    ["oak", ["440791", "44079115", "4407"], "what a name excludes comes last"],
    ["OAK sawn", ["440791", "44079115", "4407"], "every word, in any order and case"],
    ["mate", ["0902"], "accents do not matter"],
    ["wood", ["4407", "4403", "9403"].sort(), "a beginning of the last word"],
    ["woo sawn", [], "only the last word may be a beginning"],
    ["pellets", [], "nothing"],
  ])("%s finds its codes", (q, codes) => {
    const answer = searchCodes(q, products);
    expect(q === "wood" ? [...answer].sort() : answer).toEqual(codes);
  });

  test("whole words come before prefixes, shorter names before longer ones", () => {
    expect(searchCodes("wood", products)).toEqual(["4407", "4403", "9403"]);
  });

  test("every result has every word of any query", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" }), (q) => {
        const words = foldedWords(q);
        fc.pre(words.length > 0);
        for (const code of searchCodes(q, products)) {
          const { whole } = products.find((product) => product.code === code)!;
          expect(words.every((word) => whole.includes(` ${word}`))).toBe(true);
        }
      }),
    );
  });
});

test("growth is compound between the ends, and there is none from 0", () => {
  expect(
    growthOf([
      { year: 2020, value: 100 },
      { year: 2022, value: 121 },
    ]),
  ).toEqual({
    from_year: 2020,
    to_year: 2022,
    growth_per_year: expect.closeTo(0.1, 12),
  });
  expect(growthOf([{ year: 2020, value: 100 }])).toBeUndefined();
  expect(
    growthOf([
      { year: 2020, value: 0 },
      { year: 2021, value: 5 },
    ]),
  ).toBeUndefined();
  expect([
    changeOf(110, 100),
    changeOf(0, 100),
    changeOf(5, 0),
    changeOf(null, 5),
    changeOf(5, undefined),
  ]).toEqual([expect.closeTo(0.1, 12), -1, null, null, null]);
});
