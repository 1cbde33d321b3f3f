/** The forecast alone: figures computed by hand, the choice of a method, and no look ahead. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  backtested,
  comparedHistories,
  forecastCatalogue,
  preferredHistory,
} from "../../src/domain/commerce/forecast.ts";
import { type PastError, reaches } from "../../src/domain/commerce/intervals.ts";
import { meanStep, seasonalFactors, seasonalTsb, tsb } from "../../src/domain/commerce/smoothing.ts";
import { scaled } from "../support/scale.ts";

const repeated = (value: number, times: number) => Array.from({ length: times }, () => value);
const horizon = { months_ahead: 3, window: 36 };
const only = (record: number[], more: Partial<typeof horizon> = {}) =>
  forecastCatalogue([record], { ...horizon, ...more })[0]!;

/** Seeded random numbers (Lehmer's generator). */
function dice(seed: number) {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
const heating = (months: number, seed: number) => {
  const chance = dice(seed);
  return Array.from({ length: months }, (_, at) =>
    Math.round(1_000 * (1 + 0.6 * Math.cos((2 * Math.PI * at) / 12)) * (0.8 + 0.4 * chance())),
  );
};
const noise = (months: number, seed: number) => {
  const chance = dice(seed);
  return Array.from({ length: months }, () => Math.round(60 + 80 * chance()));
};

describe("TSB", () => {
  test("of constant demand is that demand", () => {
    expect(tsb(repeated(10, 20))).toBeCloseTo(10, 9);
    expect(tsb([])).toBe(0);
    expect(tsb(repeated(0, 20))).toBe(0);
  });

  test("lowers only the probability without orders, by the β with the least error", () => {
    // z = 10, p = 1 from the first half; twice (1 − 0.2).
    expect(tsb([10, 10, 0, 0])).toBeCloseTo(10 * 0.8 ** 2, 9);
  });

  test("moves size and probability separately with demand", () => {
    // From [4, 0]: z = 4, p = 0.5. Every constant forecasts 2, so the first ones are chosen: z = 4 + 0.05·2, p = 0.5 +
    // 0.05·0.5.
    expect(tsb([4, 0, 6])).toBeCloseTo(4.1 * 0.525, 9);
    expect(tsb([4, 0, 6, 2])).not.toBe(tsb([4, 0, 2, 6]));
  });

  test.each([6, 12, 24, 36])(
    "falls below a tenth within 24 months without demand, after %i of demand",
    (months) => {
      for (const window of [12, 24, 36]) {
        const before = only(noise(months, months), { window }).months[0]!.mean;
        const after = only([...noise(months, months), ...repeated(0, 24)], { window }).months[0]!.mean;
        expect(before).toBeGreaterThan(60);
        expect(after).toBeLessThan(before / 10);
      }
    },
  );
});

describe("seasons", () => {
  const year = [10, 20, 30, 40, 50, 60, 60, 50, 40, 30, 20, 10];
  const mean = 35;

  test("of n years differ from 1 like the ratios, shrunk by n/(n + 1)", () => {
    // Two whole years have one ratio of each month, three have two.
    for (const [years, part] of [
      [2, 1 / 2],
      [3, 2 / 3],
    ] as const) {
      const factors = seasonalFactors(Array.from({ length: years }, () => year).flat());
      for (const [at, factor] of factors.entries())
        expect(factor).toBeCloseTo(1 + (year[at]! / mean - 1) * part, 9);
    }
  });

  test("do not exist if no month has a whole year around it", () => {
    expect(seasonalFactors(year)).toEqual(repeated(1, 12));
    expect(seasonalFactors(repeated(0, 30))).toEqual(repeated(1, 12));
  });

  test("apply to the coming months, whatever month the series begins with", () => {
    const ahead = (from: number) =>
      seasonalTsb(Array.from({ length: 36 }, (_, at) => year[(at + from) % 12]!));
    for (const from of [0, 5]) {
      const said = Array.from({ length: 12 }, (_, at) => ahead(from)(at + 1));
      const highest = said.indexOf(Math.max(...said));
      expect([5, 6]).toContain((highest + from) % 12);
    }
  });

  test("are used from 24 months on if they were more accurate", () => {
    expect(only(heating(48, 1)).method).toBe("seasonal_tsb");
    expect(only(heating(48, 1), { window: 24 }).method).toBe("seasonal_tsb");
    expect(only(heating(48, 1), { window: 23 }).method).toBe("tsb");
    expect(only(heating(23, 1)).method).toBe("tsb");
    expect(only(noise(48, 1)).method).toBe("tsb");
  });

  test("make the forecast of heating demand better than the mean of a year", () => {
    const { tests } = only(heating(60, 2));
    expect(tests!.mae).toBeLessThan(0.8 * tests!.against.mae);
  });
});

describe("intervals", () => {
  const errors = (count: number): PastError[] =>
    Array.from({ length: count }, (_, at) => ({ ahead: 1, age: 0, steps: at + 1 }));
  const reachOf = (count: number) => reaches(errors(count), { most: 1, ages: 1 })(1, 0);

  test("reach to the ⌈(n + 1)·level⌉-th smallest error, and are null if there is none", () => {
    expect(reachOf(3)).toEqual({ 80: null, 95: null });
    expect(reachOf(4)).toEqual({ 80: 4, 95: null });
    expect(reachOf(18)).toEqual({ 80: 16, 95: null });
    expect(reachOf(19)).toEqual({ 80: 16, 95: 19 });
    expect(reachOf(99)).toEqual({ 80: 80, 95: 95 });
  });

  test("as of an earlier month use only errors known by then, of the same months ahead", () => {
    const report = reaches(
      [
        ...errors(4),
        ...errors(4).map((one) => ({ ...one, age: 3 })),
        ...errors(9).map((one) => ({ ...one, ahead: 2 })),
      ],
      { most: 2, ages: 4 },
    );
    expect([
      report(1, 4)[80],
      report(1, 3)[80],
      report(1, 0)[80],
      report(2, 3)[80],
      report(2, 0)[80],
    ]).toEqual([null, 4, 4, null, 8]);
  });

  test("contain their mean, the wide one the narrow one, and nothing below zero", () => {
    const catalogue = [heating(48, 3), noise(40, 4), [...repeated(0, 20), 3, 0, 0, 5, 0, 0, 0, 4]];
    for (const { months } of forecastCatalogue(catalogue, horizon))
      for (const { mean, 80: narrow, 95: wide } of months) {
        expect(wide!.low).toBeGreaterThanOrEqual(0);
        expect(wide!.low).toBeLessThanOrEqual(narrow!.low);
        expect(narrow!.low).toBeLessThanOrEqual(mean);
        expect(mean).toBeLessThanOrEqual(narrow!.high);
        expect(narrow!.high).toBeLessThanOrEqual(wide!.high);
      }
  });

  test("of one product include the other products' errors", () => {
    const short = noise(10, 5);
    expect(only(short).months[0]![95]).toBeNull();
    const [among] = forecastCatalogue([short, noise(40, 6)], horizon);
    expect(among!.months[0]![95]).not.toBeNull();
    expect(among!.months[0]!.mean).toBe(only(short).months[0]!.mean);
  });
});

describe("a short record", () => {
  test("of fewer than six months gives their mean, with the interval of normal months while no error is known", () => {
    const forecast = only([4, 8, 0, 4, 4]);
    expect(forecast).toMatchObject({ method: "mean", tests: null, coverage: { 80: null, 95: null, n: 0 } });
    for (const month of forecast.months) {
      expect(month.mean).toBe(4);
      expect(month[80]!.high).toBeCloseTo(4 + 1.312 * meanStep([4, 8, 0, 4, 4]), 9);
      expect(month[95]!.high).toBeCloseTo(4 + 2.006 * meanStep([4, 8, 0, 4, 4]), 9);
    }
  });

  test.each([3, 4, 5])("of %i months has an interval for every product, from the errors of all", (window) => {
    const catalogue = [heating(48, 1), noise(40, 7), [4, 8, 0, 4], [5, 5, 5], [0, 0, 0], [9]];
    for (const { method, months } of forecastCatalogue(catalogue, { months_ahead: 12, window })) {
      expect(method).toBe("mean");
      for (const { 80: narrow, 95: wide } of months) {
        expect(narrow!.high).toBeLessThanOrEqual(wide!.high);
        expect(narrow!.low).toBeGreaterThanOrEqual(wide!.low);
      }
    }
    const [, , among] = forecastCatalogue(catalogue, { months_ahead: 3, window });
    const alone = only([4, 8, 0, 4], { window });
    expect(among!.months[0]!.mean).toBe(alone.months[0]!.mean);
    expect(among!.months[0]![80]).not.toEqual(alone.months[0]![80]);
  });

  test("of no month gives no forecast", () => {
    expect(only([])).toMatchObject({ method: "none", months: [], tests: null });
  });

  test("of constant demand has no interval: nothing measures its error", () => {
    const [same] = forecastCatalogue([repeated(7, 30), noise(40, 8)], horizon);
    expect(same!.months[0]).toEqual({ ahead: 1, mean: expect.closeTo(7, 9), 80: null, 95: null });
    expect(same!.tests).toMatchObject({ mase: null, origins: 24 });
  });
});

describe("coverage", () => {
  const trend = (months: number, seed: number) => noise(months, seed).map((one, at) => one + 6 * at);
  const catalogues: [string, number[][]][] = [
    ["seasons", [heating(60, 1), heating(54, 2), heating(60, 3)]],
    ["trends", [trend(60, 4), trend(48, 5)]],
    ["noise", [noise(60, 6), noise(60, 7)]],
    [
      "all kinds",
      [heating(60, 8), trend(60, 9), noise(60, 10), [...repeated(0, 20), 3, 0, 0, 5, 0, 0, 0, 4]],
    ],
  ];

  test.each(catalogues)(
    "of %s is at least 80 and 95 of a hundred tested months, with any history",
    (_, records) => {
      for (const window of [3, 6, 12, 24, 36])
        for (const months_ahead of [1, 3, 12]) {
          const results = forecastCatalogue(records, { months_ahead, window }).map(
            ({ coverage }) => coverage,
          );
          const n = results.reduce((sum, one) => sum + one.n, 0);
          const share = (level: 80 | 95) =>
            results.reduce((sum, one) => sum + (one[level] ?? 0) * one.n, 0) / n;
          expect(n).toBeGreaterThan(50);
          expect([window, months_ahead, share(80) >= 80 - 1e-9, share(95) >= 95 - 1e-9]).toEqual([
            window,
            months_ahead,
            true,
            true,
          ]);
        }
    },
  );
});

describe("the preferred history", () => {
  const maeOf = (record: number[], window: number) => only(record, { window }).tests!.mae;

  test("has the least error of those compared", () => {
    for (const record of [heating(60, 1), noise(60, 2)]) {
      const preferred = preferredHistory(record, 3)!;
      for (const window of comparedHistories)
        expect(maeOf(record, preferred)).toBeLessThanOrEqual(maeOf(record, window));
    }
    expect(preferredHistory(heating(60, 1), 3)).toBeGreaterThanOrEqual(24);
  });

  test("is short where the level has changed, and unknown of a short record", () => {
    const changed = Array.from({ length: 60 }, (_, at) => 100 * Math.floor(at / 6));
    expect(preferredHistory(changed, 1)).toBe(3);
    expect(preferredHistory([4, 8, 0], 3)).toBeNull();
  });
});

describe("the reported tests", () => {
  test("cover all earlier months from the seventh on, against the mean of a year", () => {
    const record = noise(20, 9);
    const { tests } = only(record, { months_ahead: 1 });
    const origins = Array.from({ length: 14 }, (_, at) => at + 6);
    const off = (said: (seen: number[]) => number) =>
      origins.map((origin) => Math.abs(record[origin]! - said(record.slice(0, origin))));
    const meanOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(tests!.origins).toBe(14);
    expect(tests!.mae).toBeCloseTo(meanOf(off(tsb)), 9);
    expect(tests!.against.mae).toBeCloseTo(meanOf(off((seen) => meanOf(seen.slice(-12)))), 9);
    const scaled = off(tsb).map((error, at) => error / meanStep(record.slice(0, origins[at])));
    expect(tests!.mase).toBeCloseTo(meanOf(scaled), 9);
  });

  test("never look ahead: another future changes no earlier forecast", () => {
    const months = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(
        fc.array(months, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 7, max: 39 }),
        fc.constantFrom(12, 36),
        fc.infiniteStream(fc.nat()),
        (catalogue, known, window, chance) => {
          const shuffled = catalogue.map((record) => [
            ...record.slice(0, known),
            ...record
              .slice(known)
              .map((quantity) => ({ quantity, at: chance.next().value }))
              .sort((a, b) => a.at - b.at)
              .map(({ quantity }) => quantity),
          ]);
          const said = (records: number[][]) =>
            backtested(records, { months_ahead: 3, window }).map(({ past }) =>
              past
                .filter(({ forecast }) => forecast.age >= 40 - known)
                .map(({ forecast, ahead, said, reach }) => ({ method: forecast.method, ahead, said, reach })),
            );
          expect(said(shuffled)).toEqual(said(catalogue));
        },
      ),
      { numRuns: scaled(60, 10) },
    );
  });
});
