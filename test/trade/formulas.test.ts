/** Each formula against cases worked out by hand or published, and as properties. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  adjustedPs,
  LEAST_Z,
  pOfScore,
  pulse,
  trailingScore,
  yearOnYearScore,
} from "../../src/domain/trade/anomalies.ts";
import { classify, concentrationOf } from "../../src/domain/trade/concentration.ts";
import { rerouting } from "../../src/domain/trade/rerouting.ts";
import { median, robustScore } from "../../src/domain/trade/robust.ts";
import { seasonality } from "../../src/domain/trade/seasonality.ts";
import { twoSidedP } from "../../src/domain/trade/student-t.ts";
import { outliers, pricePerTonne } from "../../src/domain/trade/unit-values.ts";

const amounts = fc.array(fc.integer({ min: 0, max: 1e12 }), { minLength: 1, maxLength: 250 });

describe("concentration", () => {
  test("50, 30, 20: 2500 + 900 + 400 = 3800; 10,000/3800 = 2.63 equal partners", () => {
    const found = concentrationOf([20, 50, 30])!;
    expect(found.hhi).toBeCloseTo(3800, 9);
    expect([found.cr3, found.cr5]).toEqual([1, 1]);
    expect(found.effective_number).toBeCloseTo(2.6316, 4);
  });

  test("40, 20, 10 and six of 5: 1600 + 400 + 100 + 6·25 = 2250; CR3 0.7, CR5 0.8", () => {
    const found = concentrationOf([40, 20, 10, 5, 5, 5, 5, 5, 5])!;
    expect(found.hhi).toBeCloseTo(2250, 9);
    expect(found.cr3).toBeCloseTo(0.7, 12);
    expect(found.cr5).toBeCloseTo(0.8, 12);
  });

  test("is undefined for no amounts", () => {
    expect([concentrationOf([]), concentrationOf([0, 0])]).toEqual([undefined, undefined]);
  });

  test.each([
    [1000, "2023", "unconcentrated"],
    [1000.01, "2023", "moderately_concentrated"],
    [1800, "2023", "moderately_concentrated"],
    [1801, "2023", "highly_concentrated"],
    [1801, "2010", "moderately_concentrated"],
    [2501, "2010", "highly_concentrated"],
  ] as const)("index %d by the guideline %s is %s", (hhi, guideline, expected) => {
    expect(classify(hhi, guideline)).toBe(expected);
  });

  test("the index lies between 10,000/n and 10,000, and does not depend on the unit", () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: 2, max: 1000 }), (values, factor) => {
        const found = concentrationOf(values);
        if (found === undefined) return values.every((value) => value === 0);
        expect(found.hhi).toBeGreaterThanOrEqual(10_000 / values.length - 1e-6);
        expect(found.hhi).toBeLessThanOrEqual(10_000 + 1e-6);
        expect(found.cr5).toBeGreaterThanOrEqual(found.cr3 - 1e-12);
        expect(found.cr5).toBeLessThanOrEqual(1 + 1e-9);
        expect(concentrationOf(values.map((value) => value * factor))!.hhi).toBeCloseTo(found.hhi, 6);
        return true;
      }),
    );
  });
});

describe("robust statistics", () => {
  test("the median is right for an odd and an even number of values", () => {
    expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([])]).toEqual([2, 2.5, undefined]);
  });

  test("1, 2, 3, 4, 100: median 3, deviations 2 1 0 1 97, MAD 1; 100 scores 97/1.4826 = 65.4256", () => {
    expect(robustScore([1, 2, 3, 4, 100])!(100)).toBeCloseTo(65.4256, 4);
    expect(robustScore([5, 5, 5, 9])).toBeUndefined();
  });

  test("EUR 500 for 250 kg is EUR 2,000 a tonne", () => {
    expect([pricePerTonne(500, 250), pricePerTonne(500, 0)]).toEqual([2000, undefined]);
  });

  test("a price of 1000 among 100 to 104 is an outlier, as is its inverse; equal prices have none", () => {
    expect(outliers([100, 101, 102, 103, 104, 1000])).toEqual([false, false, false, false, false, true]);
    expect(outliers([100, 101, 102, 103, 104, 10])).toEqual([false, false, false, false, false, true]);
    expect(outliers([100, 100, 100])).toEqual([false, false, false]);
  });
});

describe("seasonality", () => {
  const months = (values: (number | null)[]) => values.map((value, at) => ({ month: (at % 12) + 1, value }));
  const shape = [0.5, 0.7, 0.9, 1.1, 1.3, 1.5, 1.5, 1.3, 1.1, 0.9, 0.7, 0.5];

  test("a constant level times a shape of mean 1 gives the shape back", () => {
    const found = seasonality(months([...shape, ...shape, ...shape].map((factor) => 200 * factor)));
    expect(found).toMatchObject({ enough: true, ratios: 24 });
    for (const [at, factor] of (found as { profile: number[] }).profile.entries())
      expect(factor).toBeCloseTo(shape[at]!, 12);
  });

  test("a straight line has no season, although plain month means peak in December", () => {
    const line = Array.from({ length: 60 }, (_, at) => 100 + 3 * at);
    const found = seasonality(months(line)) as { profile: number[] };
    for (const factor of found.profile) expect(factor).toBeCloseTo(1, 12);
  });

  test("23 months are too few, 24 enough; a gap in the only year leaves none", () => {
    expect(seasonality(months(Array(23).fill(1)))).toMatchObject({ enough: false });
    expect(seasonality(months(Array(24).fill(1)))).toMatchObject({ enough: true, ratios: 12 });
    const holed = [...Array(13).fill(1), null, ...Array(11).fill(1)];
    expect(seasonality(months(holed))).toMatchObject({
      enough: false,
      reason: expect.stringMatching(/full year/),
    });
    expect(seasonality(months(Array(36).fill(0)))).toMatchObject({ enough: false });
  });

  test("the factors average one, and a multiple of the series has the same", () => {
    const series = fc.array(fc.option(fc.integer({ min: 0, max: 1e9 }), { freq: 20 }), {
      minLength: 24,
      maxLength: 120,
    });
    fc.assert(
      fc.property(series, (values) => {
        const found = seasonality(months(values));
        if (!found.enough) return;
        expect(found.profile).toHaveLength(12);
        expect(found.profile.reduce((sum, factor) => sum + factor, 0)).toBeCloseTo(12, 8);
        const tripled = seasonality(months(values.map((value) => value && 3 * value))) as typeof found;
        for (const [at, factor] of tripled.profile.entries())
          expect(factor).toBeCloseTo(found.profile[at]!, 8);
      }),
    );
  });
});

describe("Student's t", () => {
  // Critical values of the usual tables (for instance NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2).
  test.each([
    [11, 1.363, 0.2],
    [11, 1.796, 0.1],
    [11, 2.201, 0.05],
    [11, 4.437, 0.001],
    [11, 3.106, 0.01],
    [11, 4.025, 0.002],
    [1, 12.706, 0.05],
    [2, 4.303, 0.05],
    [5, 2.571, 0.05],
    [30, 2.042, 0.05],
    [60, 2.0, 0.05],
  ])("with %d degrees of freedom, |t| ≥ %d has p %d", (df, t, p) => {
    expect(twoSidedP(t, df) / p).toBeCloseTo(1, 2);
    expect(twoSidedP(-t, df)).toBe(twoSidedP(t, df));
  });

  test("one degree of freedom is Cauchy's: p = 1 − 2·arctan(t)/π; two: p = 1 − t/√(2 + t²)", () => {
    for (const t of [0, 0.3, 1, 2.5, 40]) {
      expect(twoSidedP(t, 1)).toBeCloseTo(1 - (2 * Math.atan(t)) / Math.PI, 12);
      expect(twoSidedP(t, 2)).toBeCloseTo(1 - t / Math.sqrt(2 + t * t), 12);
    }
  });

  test("p falls with |t| from 1 towards 0, also for large |t|", () => {
    const ps = [0, 0.5, 1, 2, 3, 3.4, 5, 10, 100, 1e6].map((t) => twoSidedP(t, 11));
    expect(ps[0]).toBe(1);
    expect(ps).toEqual(ps.toSorted((a, b) => b - a));
    expect(ps.at(-1)).toBeGreaterThan(0);
    expect(twoSidedP(Number.POSITIVE_INFINITY, 11)).toBe(0);
    expect(pOfScore(LEAST_Z)).toBeGreaterThan(0.05);
  });
});

describe("anomalies", () => {
  test("mean 6.5 and sd √13 of 1 to 12: 20 scores (20 − 6.5)/3.6056 = 3.7442", () => {
    const trailing = Array.from({ length: 12 }, (_, at) => at + 1);
    expect(trailingScore(20, trailing)).toBeCloseTo(3.7442, 4);
  });

  test("a flat series has the floor of 5 %: 110 after twelve of 100 scores 10/5 = 2", () => {
    expect(trailingScore(110, Array(12).fill(100))).toBe(2);
    expect(trailingScore(0, Array(12).fill(0))).toBeUndefined();
  });

  test("the year-on-year score ignores the season and alarms at a doubling", () => {
    const season = (at: number) => (at % 12 === 11 ? 500 : 100) * (1 + 0.02 * Math.sin(at * at));
    const series = Array.from({ length: 60 }, (_, at) => season(at));
    expect(Math.abs(yearOnYearScore(series)!)).toBeLessThan(3.5);
    // Twelve trailing months contain one December, so the same December looks like an anomaly.
    expect(trailingScore(series.at(-1)!, series.slice(-13, -1))).toBeGreaterThan(2.5);
    expect(yearOnYearScore(series.with(-1, 1000))).toBeGreaterThan(3.5);
    expect(yearOnYearScore(series.slice(-24))).toBeUndefined();
    expect(yearOnYearScore(series.with(-1, 0))).toBeUndefined();
  });

  // The fifteen p-values of Benjamini and Hochberg (1995), section 3.2: at q = 0.05 the first four are rejected.
  const published = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528,
    0.759, 1.0,
  ];
  test("Benjamini and Hochberg's own example has four discoveries and their adjusted values", () => {
    const adjusted = adjustedPs(published, 15);
    expect(adjusted.filter((p) => p <= 0.05)).toHaveLength(4);
    // 15·0.0001/1, 15·0.0004/2, 15·0.0019/3, 15·0.0095/4
    for (const [at, expected] of [0.0015, 0.003, 0.0095, 0.035625].entries())
      expect(adjusted[at]).toBeCloseTo(expected, 12);
    expect(adjustedPs(published.toReversed(), 15)).toEqual(adjusted.toReversed());
  });

  test("leaving out large p-values changes no discovery", () => {
    const ps = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(ps, (all) => {
        const discovered = (list: number[]) =>
          list.filter((_, at) => adjustedPs(list, all.length)[at]! <= 0.05).sort();
        expect(discovered(all.filter((p) => p <= 0.06))).toEqual(discovered(all));
      }),
    );
  });

  test("|z| of 4 on a quarter of the trade pulses with 2", () => {
    expect(pulse(-4, 0.25)).toBe(2);
  });
});

describe("rerouting", () => {
  const direct = { country: "RU", before_eur: 100e6, after_eur: 20e6 };

  test("80 of 100 million gone; 40 → 90 and 0 → 12 are surges: offset (50 + 12) / 80", () => {
    const found = rerouting(direct, [
      { country: "TR", before_eur: 40e6, after_eur: 90e6 },
      { country: "KZ", before_eur: 0, after_eur: 12e6 },
      { country: "CN", before_eur: 500e6, after_eur: 700e6 }, // Only 1.4 times as much.
      { country: "AM", before_eur: 1e6, after_eur: 9e6 }, // Only 8 million more.
    ])!;
    expect(found.surges.map(({ country, ratio, excess_eur }) => [country, ratio, excess_eur])).toEqual([
      ["TR", 2.25, 50e6],
      ["KZ", null, 12e6],
    ]);
    expect([found.drop_eur, found.collapse, found.offset]).toEqual([80e6, 0.8, 62 / 80]);
  });

  test("there is no signal without a collapse, or without a surge", () => {
    const surge = [{ country: "TR", before_eur: 40e6, after_eur: 90e6 }];
    expect(rerouting({ ...direct, after_eur: 51e6 }, surge)).toBeUndefined();
    expect(rerouting({ ...direct, after_eur: 50e6 }, surge)).toBeDefined();
    expect(rerouting({ ...direct, before_eur: 0, after_eur: 0 }, surge)).toBeUndefined();
    expect(rerouting(direct, [])).toBeUndefined();
  });
});
