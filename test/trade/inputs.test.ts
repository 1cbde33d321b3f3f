import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { month } from "../../src/core/model/fields.ts";
import {
  dataset,
  flow,
  hs,
  hs2,
  limit,
  partner,
  productOf,
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
  hs2,
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
    ["hs2", "00", /from 01 to 99/],
    ["hs", "00", /from 01 to 99/],
    ["hs", "0044", /from 01 to 99/],
    ["hs", 44, /hs is text/],
    ["hs2", "4407", /from 01 to 99/],
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

test("hs narrows hs2 and must be within it", () => {
  expect(productOf({ hs2: "44" })).toBe("44");
  expect(productOf({ hs2: "44", hs: "4407" })).toBe("4407");
  expect(productOf({ hs: "4407" })).toBe("4407");
  expect(productOf({})).toBeUndefined();
  expect(() => productOf({ hs2: "44", hs: "3920" })).toThrow(/not within hs2 44/);
  expect(readMonth("2022-03")).toBe(202203);
});
