import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { inputReader } from "../../src/api/declare/input.ts";
import { month } from "../../src/core/model/fields.ts";
import type { Refusal } from "../../src/core/model/refusal.ts";
import {
  chapter,
  dataset,
  flow,
  hs,
  limit,
  partner,
  readMonth,
  readYears,
  recentMonths,
  reporter,
  reportersField,
  year,
  years,
} from "../../src/domain/trade/inputs.ts";
import { firstNested } from "../../src/domain/trade/products.ts";
import { partnerName } from "../../src/domain/trade/reporters.ts";
import { addMonths, monthsBetween } from "../../src/domain/trade/units.ts";
import { heatmapInput } from "../../src/projections/trade/answers/heatmap.ts";
import { catalogue } from "../support/catalogue.ts";

const fields = {
  reporter,
  reportersField,
  partner,
  flow,
  year,
  years,
  month,
  recentMonths,
  hs,
  chapter,
  limit,
  dataset,
};

const messageOf = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message;

describe("an input field's error names the fault and the remedy", () => {
  test.each<[keyof typeof fields, unknown, RegExp]>([
    ["reporter", "EL", /Greece is GR here/],
    ["reporter", "de", /upper case: DE/],
    ["reporter", "Germany", /Germany is DE/],
    ["reporter", "UK", /not one of the 27 reporters/],
    ["reporter", "XX", /the 27 are AT, BE/],
    ["reporter", "ß\u0000", /the 27 are/],
    ["reporter", "x".repeat(10_000), /2-letter code/],
    ["reporter", "constructor", /the 27 are/],
    ["reportersField", [], /at least one reporter/],
    ["reportersField", ["DE", "EL"], /Greece is GR/],
    ["reportersField", ["DE", "DE"], /twice/],
    ["flow", "import", /IMPORT or EXPORT/],
    ["year", 2024.5, /whole number/],
    ["year", 1900, /1988/],
    ["year", "abc", /whole number/],
    ["years", "2024-2020", /comes after/],
    ["years", "20-24", /YYYY-YYYY/],
    ["partner", "EL", /Greece is GR/],
    ["partner", "UK", /the United Kingdom is GB/],
    ["partner", "JJ", /no country or territory/],
    ["partner", "China", /2-letter code such as CN/],
    ["partner", "EU", /a group of countries/],
    ["partner", "ZZ", /no country or territory/],
    ["partner", "FX", /no country or territory/],
    ["partner", 1, /2-letter code/],
    ["chapter", "00", /from 01 to 99/],
    ["hs", "00", /from 01 to 99/],
    ["hs", "0044", /from 01 to 99/],
    ["hs", 44, /hs is text/],
    ["chapter", "4407", /from 01 to 99/],
    ["recentMonths", 25, /at most 24/],
    ["recentMonths", 0, /at least 1/],
    ["month", "2022-13", /YYYY-MM/],
    ["month", "202203", /YYYY-MM/],
    ["hs", "123", /2, 4, 6, 8 or 10 digits/],
    ["hs", "440711100", /2, 4, 6, 8 or 10 digits/],
    ["hs", "44'; drop", /2, 4, 6, 8 or 10 digits/],
    ["limit", 0, /at least 1/],
    ["limit", 101, /at most 100/],
    ["dataset", "Real Data", /name that trade\/overview lists/],
  ])("%s %j", (name, value, says) => {
    expect(messageOf(fields[name], value)).toMatch(says);
  });

  test("valid input passes", () => {
    expect(reporter.parse("GR")).toBe("GR");
    expect(limit.parse(undefined)).toBe(20);
    expect(readYears(years.parse("2020"))).toEqual({ from: 2020, to: 2020 });
    expect(readYears(years.parse("2020-2024"))).toEqual({ from: 2020, to: 2024 });
  });
});

test("a former country keeps its own name, never its successor's", () => {
  expect(partnerName("DE")).toBe("Germany");
  expect(partnerName("CW")).toBe("Curaçao");
  expect(partnerName("DD")).toMatch(/German Democratic Republic/);
  expect(partnerName("AN")).toMatch(/Antilles/);
  expect(partnerName("FX")).toBe("FX");
});

test("one fault gives one error", () => {
  expect(years.safeParse("abc").error?.issues).toHaveLength(1);
  expect(partner.safeParse("WORLD").error?.issues).toHaveLength(1);
});

test("month arithmetic crosses the end of a year", () => {
  expect(addMonths(202412, 1)).toBe(202501);
  expect(addMonths(202401, -13)).toBe(202212);
  expect(monthsBetween(202411, 202502)).toEqual([202411, 202412, 202501, 202502]);
});

test("codes that contain each other are found at every level", () => {
  expect(firstNested(["4407", "39206290", "3926", "44081000"])).toBeUndefined();
  expect(firstNested(["39206290", "4407", "39"])).toEqual({ outer: "39", inner: "39206290" });
  expect(firstNested(["39XXXXXX", "440711", "44071110"])).toEqual({ outer: "440711", inner: "44071110" });
});

describe("hs2, the alias of hs", () => {
  const reader = inputReader(heatmapInput);
  const read = (query: string) => reader.fromQuery(new URLSearchParams(query), {});
  const errorsOf = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      return (error as Refusal).errors;
    }
    return undefined;
  };

  test("is read as hs, wherever an operation takes a product", () => {
    expect(read("year=2024&hs2=44")).toEqual(read("year=2024&hs=44"));
    expect(read("year=2024&hs2=44&hs=4407")).toEqual({ year: 2024, hs: "4407" });
    const taking = catalogue.filter(({ input }) => Object.hasOwn(input.shape, "hs"));
    expect(taking.length).toBeGreaterThan(20);
    for (const { name, input, example } of taking) {
      expect([name, Object.hasOwn(input.shape, "hs2")]).toEqual([name, false]);
      const { hs: _, ...rest } = example;
      expect(inputReader(input).fromObject({ ...rest, hs2: "44" }, {})).toMatchObject({ hs: "44" });
    }
  });

  test("is named in errors by the name that was sent, and may not contradict hs", () => {
    expect(errorsOf(() => read("year=2024&hs2=4x"))).toMatchObject([{ path: "hs2" }]);
    expect(errorsOf(() => reader.fromObject({ year: 2024, hs2: 44 }, {}))).toMatchObject([{ path: "hs2" }]);
    expect(errorsOf(() => read("year=2024&hs2=44&hs=3920"))).toMatchObject([
      { path: "hs", message: expect.stringMatching(/3920 is not within hs2 44/) },
    ]);
  });

  test("is absent from every published schema", () => {
    expect(JSON.stringify(reader.schema)).not.toContain('"alias"');
    expect(Object.keys(reader.schema.properties)).not.toContain("hs2");
  });
});

test("a month is read as a period", () => {
  expect(readMonth("2022-03")).toBe(202203);
});
