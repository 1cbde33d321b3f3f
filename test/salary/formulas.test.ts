/** The formulas of salary answers: by hand, and properties that hold for all figures. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { commonYear } from "../../src/domain/salary/comparison.ts";
import { areaOf, codesOf, groupOf, unknownCountry } from "../../src/domain/salary/countries.ts";
import { weightedMean } from "../../src/domain/salary/exposure.ts";
import {
  growthPct,
  inflationPct,
  monthsOfPeriod,
  realGrowthPct,
  yearBefore,
} from "../../src/domain/salary/growth.ts";
import { naceCodes, sectionCodes, sectorName, unknownSector } from "../../src/domain/salary/sectors.ts";

describe("the weighted mean of scores", () => {
  test("by hand: 30 at 0.5 and 60 at 0.2 are 0.3; groups without a score are left out and counted", () => {
    const two = [
      { weight: 30, score: 0.5 },
      { weight: 60, score: 0.2 },
    ];
    expect(weightedMean(two).score).toBeCloseTo(27 / 90, 12);
    const { score, covered } = weightedMean([...two, { weight: 10, score: null }]);
    expect([score, covered]).toEqual([expect.closeTo(0.3, 12), 0.9]);
  });

  test("is null where less than nine tenths have a score, and without any workers", () => {
    const little = [
      { weight: 89, score: 0.5 },
      { weight: 11, score: null },
    ];
    expect(weightedMean(little)).toEqual({ score: null, covered: 0.89 });
    expect(weightedMean([])).toEqual({ score: null, covered: null });
    expect(weightedMean([{ weight: 0, score: 1 }])).toEqual({ score: null, covered: null });
  });

  test("lies between the least and the greatest score", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            weight: fc.double({ min: 0.01, max: 1e6, noNaN: true }),
            score: fc.double({ min: 0, max: 1, noNaN: true }),
          }),
          { minLength: 1 },
        ),
        (parts) => {
          const { score } = weightedMean(parts);
          const scores = parts.map((part) => part.score);
          expect(score).toBeGreaterThanOrEqual(Math.min(...scores) - 1e-9);
          expect(score).toBeLessThanOrEqual(Math.max(...scores) + 1e-9);
        },
      ),
    ));
});

describe("growth", () => {
  test("of 1,000 to 1,100 is 10 %; without a base there is none", () => {
    expect(growthPct(1100, 1000)).toBeCloseTo(10, 12);
    expect(growthPct(1100, null)).toBeNull();
    expect(growthPct(undefined, 1000)).toBeNull();
    expect(growthPct(1100, 0)).toBeNull();
  });

  test("of 10 % is 4.76 % after 5 % of inflation, and unknown without inflation", () => {
    expect(realGrowthPct(10, 5)).toBeCloseTo(4.761905, 6);
    expect(realGrowthPct(10, null)).toBeNull();
    expect(realGrowthPct(null, 5)).toBeNull();
  });

  test("real growth and inflation combine to nominal growth", () =>
    fc.assert(
      fc.property(
        fc.double({ min: -50, max: 200, noNaN: true }),
        fc.double({ min: -20, max: 100, noNaN: true }),
        (nominal, inflation) => {
          const real = realGrowthPct(nominal, inflation)!;
          expect((1 + real / 100) * (1 + inflation / 100)).toBeCloseTo(1 + nominal / 100, 9);
        },
      ),
    ));

  test("of prices compares all months of a quarter or year with those a year before", () => {
    expect(monthsOfPeriod("2024-Q4")).toEqual(["2024-10", "2024-11", "2024-12"]);
    expect(monthsOfPeriod("2024")).toHaveLength(12);
    expect([yearBefore("2024-Q4"), yearBefore("2024")]).toEqual(["2023-Q4", "2023"]);
    const index: Record<string, number> = {
      "2023-01": 100,
      "2023-02": 102,
      "2023-03": 104,
      "2024-01": 105,
      "2024-02": 106,
      "2024-03": 107,
    };
    expect(inflationPct((month) => index[month], "2024-Q1")).toBeCloseTo((318 / 306 - 1) * 100, 12);
    expect(inflationPct((month) => index[month], "2024-Q2")).toBeNull();
    expect(inflationPct((month) => (month === "2023-02" ? null : index[month]), "2024-Q1")).toBeNull();
  });
});

test("countries are compared in the last year with the most known values", () => {
  expect(commonYear([[2022, 2023], [2022, 2023], [2022]])).toBe(2022);
  expect(
    commonYear([
      [2022, 2023],
      [2023, 2022],
    ]),
  ).toBe(2023);
  expect(commonYear([[], []])).toBeUndefined();
});

test("the groups have 27, 4 and 10 countries, each in one", () => {
  expect([codesOf("EU27"), codesOf("EFTA"), codesOf("CANDIDATE")].map(({ length }) => length)).toEqual([
    27, 4, 10,
  ]);
  expect(new Set(codesOf(undefined)).size).toBe(41);
  expect([groupOf("LV"), groupOf("NO"), groupOf("XK")]).toEqual(["EU27", "EFTA", "CANDIDATE"]);
  expect([areaOf("EL"), areaOf("EU27_2020"), areaOf("LV"), areaOf("EA20")]).toEqual([
    "GR",
    "EU27",
    "LV",
    "EA20",
  ]);
});

test.each([
  ["lv", /upper case: LV/],
  ["EL", /Greece is GR/],
  ["LATVIA", /Latvia is LV/],
  ["Latwia", /nearest is LV \(Latvia\)/],
  ["LX", /nearest is L\w/],
  ["EU27", /is part of every answer/],
  ["", /nearest is/],
])("the refused country %j gets the right name", (code, message) =>
  expect(unknownCountry(code)).toMatch(message),
);

test.each([
  ["c", /upper case: C/],
  ["C16", /nearest is C \(Manufacturing\)/],
  ["B_F", /nearest is B-F/],
  ["Z", /there are the sections A to U/],
])("the refused activity %j gets the right name", (code, message) =>
  expect(unknownSector(code)).toMatch(message),
);

test("every activity has a name in both languages, and each section its own", () => {
  for (const lang of ["en", "lv"] as const) {
    expect(naceCodes.every((code) => sectorName(code, lang)!.length > 3)).toBe(true);
    expect(new Set(sectionCodes.map((code) => sectorName(code, lang))).size).toBe(21);
  }
});
