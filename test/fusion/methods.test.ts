/** Each method against a case by hand, or an independent estimate. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { comparativeAdvantage, symmetricAdvantage } from "../../src/domain/fusion/comparative-advantage.ts";
import { dependency, type YearOfImports } from "../../src/domain/fusion/dependency.ts";
import { compoundGrowth, contributions } from "../../src/domain/fusion/growth.ts";
import { intraIndustry } from "../../src/domain/fusion/intra-industry.ts";
import { type Cell, priceAndQuantity } from "../../src/domain/fusion/price-quantity.ts";
import { realValue } from "../../src/domain/fusion/real-value.ts";
import { substitution } from "../../src/domain/fusion/substitution.ts";
import {
  concentratedOf,
  dependencyOf,
  type Market,
  substitutionOf,
} from "../../src/projections/fusion/answers/market-methods.ts";
import { scaled } from "../support/scale.ts";

describe("growth", () => {
  test("100 to 121 in two years is 10 % a year; from 0 there is none", () => {
    expect(compoundGrowth(100, 121, 2)).toBeCloseTo(0.1, 12);
    expect([compoundGrowth(0, 5, 1), compoundGrowth(5, 5, 0)]).toEqual([undefined, undefined]);
  });

  test("30 to 45 and 70 to 65: 0.15 − 0.05 = 0.10, the growth of the whole", () => {
    const parts = [
      { code: "A", before: 30, after: 45 },
      { code: "B", before: 70, after: 65 },
    ];
    const found = contributions(parts)!;
    expect(found[0]!.contribution).toBeCloseTo(0.15, 12);
    expect(found[1]!.contribution).toBeCloseTo(-0.05, 12);
    expect(contributions([{ code: "A", before: 0, after: 1 }])).toBeUndefined();
  });
});

test("240 at an index of 120 are 200 at the prices of its base", () => {
  expect(realValue(240, 120)).toBe(200);
  expect(realValue(240, 0)).toBeUndefined();
});

describe("price and quantity", () => {
  test("10 kg at 2 to 20 kg at 3: 15·1 by price, 2.5·10 by quantity, 40 in all", () => {
    const cell = { before: { value_eur: 20, quantity_kg: 10 }, after: { value_eur: 60, quantity_kg: 20 } };
    expect(priceAndQuantity([cell])).toEqual({ price_eur: 15, quantity_eur: 25, unsplit_eur: 0, cells: 1 });
  });

  test("cells without a mass are separate, and nothing is lost", () => {
    const amount = fc.record({
      value_eur: fc.integer({ min: 0, max: 1e9 }),
      quantity_kg: fc.option(fc.integer({ min: 0, max: 1e9 })),
    });
    fc.assert(
      fc.property(fc.array(fc.record({ before: amount, after: amount })), (cells: Cell[]) => {
        const split = priceAndQuantity(cells);
        const change = cells.reduce((sum, { before, after }) => sum + after.value_eur - before.value_eur, 0);
        // The terms may be far larger than their sum: a kilogram at millions next to a million of kilograms.
        const whole = cells.reduce((sum, { before, after }) => {
          const kg = [before.quantity_kg || 1, after.quantity_kg || 1] as const;
          return sum + (kg[0] + kg[1]) * (before.value_eur / kg[0] + after.value_eur / kg[1]);
        }, 1);
        expect(
          Math.abs(split.price_eur + split.quantity_eur + split.unsplit_eur - change) / whole,
        ).toBeLessThan(1e-12);
      }),
      { numRuns: scaled(1_000, 10) },
    );
  });
});

test("advantage: a tenth of exports where the group has a twentieth is R = 2, and (2 − 1)/(2 + 1) = 1/3", () => {
  const advantage = comparativeAdvantage({ product: 10, all: 100, group_product: 50, group_all: 1000 })!;
  expect(advantage).toBeCloseTo(2, 12);
  expect(symmetricAdvantage(advantage)).toBeCloseTo(1 / 3, 12);
  expect(comparativeAdvantage({ product: 0, all: 0, group_product: 1, group_all: 1 })).toBeUndefined();
});

test("two-way trade: imports 10 and 40, exports 30 and 40 are 1 − 20/120 = 5/6; trade of different products is 0", () => {
  const products = [
    { imports: 10, exports: 30 },
    { imports: 40, exports: 40 },
  ];
  expect(intraIndustry(products)).toBeCloseTo(5 / 6, 12);
  expect(
    intraIndustry([
      { imports: 5, exports: 0 },
      { imports: 0, exports: 5 },
    ]),
  ).toBe(0);
  expect(intraIndustry([])).toBeUndefined();
});

describe("dependency", () => {
  const year = (of: number, change: Partial<YearOfImports> = {}): YearOfImports => ({
    year: of,
    imports: 100,
    exports: 20,
    sources: [
      { country: "CN", value: 60 },
      { country: "US", value: 20 },
    ],
    ...change,
  });

  test("0.75² + 0.25² = 0.625 of sources, 80 of 100 from outside, five times the exports: dependent", () => {
    const found = dependency([year(2022), year(2023)])!;
    expect(found.years[0]).toEqual({
      year: 2022,
      concentration: 0.625,
      extra_share: 0.8,
      imports_to_exports: 5,
      dependent: true,
    });
    expect(found.dependent).toBe(true);
  });

  test("ends if one indicator is missed in two years of three, but not in one", () => {
    const sources = ["CN", "US", "JP", "IN"].map((country) => ({ country, value: 20 }));
    const less = [{ country: "CN", value: 50 }];
    for (const change of [{ sources }, { sources: less }, { exports: 100 }]) {
      expect(dependency([year(2021, change), year(2022, change), year(2023)])!.dependent).toBe(false);
      expect(dependency([year(2021, change), year(2022), year(2023)])!.dependent).toBe(true);
    }
    expect(dependency([year(2023)])).toBeUndefined();
  });

  test("years before the last three do not count", () => {
    const found = dependency([
      year(2019),
      year(2020),
      year(2021, { exports: 200 }),
      year(2022, { exports: 200 }),
      year(2023),
    ])!;
    expect(found.years.map(({ year }) => year)).toEqual([2021, 2022, 2023]);
    expect(found.dependent).toBe(false);
  });
});

describe("a dataset that names some partners alone", () => {
  const inYear = (year: number, partner: string, value_eur: number) => ({
    ...{ year, partner, value_eur, weighed_eur: value_eur, quantity_kg: 1_000 },
  });
  const market = (total: number) =>
    ({
      flow: "IMPORT",
      year: 2024,
      isComplete: () => true,
      importsIn: () => total,
      exportsIn: () => 10,
      partners: [2022, 2023, 2024].flatMap((year) => [
        inYear(year, "CN", year === 2024 ? 50 : 80),
        inYear(year, "NL", year === 2024 ? 50 : 20),
      ]),
    }) as unknown as Market;

  test("has no verdict on all sources, and says which part of the trade it names", () => {
    expect(concentratedOf(market(1_000))).toMatchObject({ partners: 2, listed_share: 0.1 });
    const why = /names the partners of only 10\.0 % of the imports of 202[23]/;
    expect(dependencyOf(market(1_000))).toMatch(why);
    expect(substitutionOf(market(1_000))).toMatch(why);
  });

  test("judges them where all are named", () => {
    expect(concentratedOf(market(100))).toMatchObject({ listed_share: 1 });
    expect(dependencyOf(market(100))).toMatchObject({ dependent: true });
    expect(substitutionOf(market(100))).toMatchObject({ top: { partner: "CN" } });
  });
});

describe("substitution", () => {
  const sources = [
    { country: "RU", before: 60, after: 10, unit_value: 100 },
    { country: "KZ", before: 20, after: 50, unit_value: 110 },
    { country: "NO", before: 20, after: 40, unit_value: 200 },
  ];

  test("60 of 100 fell to 10: KZ gained 30 and has half, NO gained 20 and has 0.4", () => {
    const found = substitution(sources)!;
    expect(found.top_share_before).toBe(0.6);
    expect(found.substitutes.map(({ country, score }) => [country, score])).toEqual([
      ["KZ", 15],
      ["NO", 8],
    ]);
    // ln: 4.605, 4.700, 5.298; their median 4.700, deviations 0.095, 0, 0.598, of which the median is 0.0953.
    expect(found.substitutes[0]!.price_distance).toBeCloseTo(1 / 1.4826, 6);
  });

  test("is absent where the top source had less than half, or did not fall", () => {
    expect(substitution(sources.map((one) => ({ ...one, before: 30 })))).toBeUndefined();
    expect(substitution(sources.map((one) => ({ ...one, after: one.before })))).toBeUndefined();
    expect(substitution([])).toBeUndefined();
  });
});
