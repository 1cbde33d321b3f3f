import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { confidenceOf, LEAST_RATIOS, reliabilityOf } from "../../src/domain/mirror/confidence.ts";
import { coveredMonths, mirrorOf, partnersOf, reconstructed } from "../../src/domain/mirror/reconstruct.ts";
import type { Coverage } from "../../src/domain/trade/coverage.ts";
import { reporterCodes } from "../../src/domain/trade/reporters.ts";
import { flows } from "../../src/domain/trade/units.ts";

const flow = fc.constantFrom(...flows);
const eur = fc.nat(1_000_000_000);

describe("the reconstructed value", () => {
  test("imports are exports plus 10 %, and exports are imports divided by 1.1", () => {
    expect(reconstructed("IMPORT", 1_000, 0.1)).toBe(1_100);
    expect(reconstructed("EXPORT", 1_100, 0.1)).toBe(1_000);
    expect(reconstructed("EXPORT", 1_000, 0.1)).toBe(909);
    expect(flows.map(mirrorOf)).toEqual(["EXPORT", "IMPORT"]);
  });

  test("without freight both directions equal the reports", () => {
    fc.assert(fc.property(flow, eur, (direction, value) => reconstructed(direction, value, 0) === value));
  });

  test("the two ends of one amount convert to each other, but for rounding", () => {
    fc.assert(
      fc.property(eur, fc.double({ min: 0, max: 0.5, noNaN: true }), (fob, tau) => {
        const cif = reconstructed("IMPORT", fob, tau);
        return Math.abs(reconstructed("EXPORT", cif, tau) - fob) <= 1;
      }),
    );
  });

  test("a country is not a partner of its own", () => {
    expect(partnersOf("CN")).toEqual(reporterCodes);
    expect(partnersOf("DE")).toHaveLength(26);
  });
});

describe("confidence", () => {
  test("is the product of its factors", () => {
    const evidence = { reported: 18, partners: 27, reliability: 0.9, value_eur: 1_000, weighed_eur: 950 };
    expect(confidenceOf(evidence)).toEqual({
      coverage: 0.666667,
      reliability: 0.9,
      mass_quality: 0.95,
      confidence: 0.57,
    });
    // Without any trade there is no mass to judge.
    expect(confidenceOf({ ...evidence, value_eur: 0, weighed_eur: 0 })).toMatchObject({
      mass_quality: null,
      confidence: 0.6,
    });
    expect(confidenceOf({ ...evidence, reliability: null }).confidence).toBeNull();
  });

  test("reliability is one less the median distance, at least 0, and unknown with too few", () => {
    const enough = { count: LEAST_RATIOS, median_abs_ln: 0.25 };
    expect(reliabilityOf(enough)).toBe(0.75);
    expect(reliabilityOf({ ...enough, median_abs_ln: 1.4 })).toBe(0);
    expect(reliabilityOf({ ...enough, count: LEAST_RATIOS - 1 })).toBeNull();
  });

  test("is between 0 and 1", () => {
    const evidence = fc
      .record({
        partners: fc.integer({ min: 1, max: 27 }),
        value_eur: eur,
        distance: fc.float({ min: 0, noNaN: true }),
      })
      .chain(({ partners, value_eur, distance }) =>
        fc.record({
          partners: fc.constant(partners),
          reported: fc.integer({ min: 0, max: partners }),
          reliability: fc.constant(reliabilityOf({ count: 99, median_abs_ln: distance })),
          value_eur: fc.constant(value_eur),
          weighed_eur: fc.integer({ min: 0, max: value_eur }),
        }),
      );
    fc.assert(
      fc.property(evidence, (one) => {
        const { confidence } = confidenceOf(one);
        return confidence! >= 0 && confidence! <= 1;
      }),
    );
  });
});

describe("the covered months", () => {
  const entry = { from: 202401, provisional: [], missing: [] };
  const spoken = { products: ["44"], flows: [...flows], from: 202401, to: 202403 };
  const coverage: Coverage = {
    months: { from: 202401, to: 202403 },
    reporters: [
      { ...entry, reporter: "DE", to: 202402 },
      { ...entry, reporter: "FR", to: 202401 },
    ],
    products: { national: false, complete_below: ["44"], codes: ["44"] },
    spoken: [
      { ...spoken, reporters: ["DE"] },
      { ...spoken, reporters: ["FR"], flows: ["IMPORT"] },
    ],
  };
  const monthsOf = (more: object) =>
    coveredMonths(coverage, { target: "CN", direction: "EXPORT", hs: "44", ...more }).map(
      ({ period, reported, not_reported }) => [period, reported.join(), not_reported.length],
    );

  test("are those that at least one partner reported in full, in the partners' flow", () => {
    expect(monthsOf({})).toEqual([
      [202401, "DE,FR", 25],
      [202402, "DE", 26],
    ]);
    expect(monthsOf({ direction: "IMPORT" })).toEqual([
      [202401, "DE", 26],
      [202402, "DE", 26],
    ]);
    expect(monthsOf({ target: "DE" })).toEqual([[202401, "FR", 25]]);
    expect(monthsOf({ period: 202402 })).toEqual([[202402, "DE", 26]]);
    expect(monthsOf({ years: { from: 2023, to: 2023 } })).toEqual([]);
    expect(monthsOf({ hs: "45" })).toEqual([]);
  });
});
