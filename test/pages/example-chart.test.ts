/** The chart at / shows years and countries that the open data cover. */
import { expect, test } from "vitest";
import { aboutChart, chartedIn } from "../../src/api/describe/pages/example-chart.ts";
import type { Manifest } from "../../src/datasets/manifest.ts";
import { type ReporterCode, reporterCodes } from "../../src/domain/trade/reporters.ts";
import { type Flow, flows } from "../../src/domain/trade/units.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";

type Span = { from: number; to: number };
type Described = {
  dataset?: string;
  synthetic?: boolean;
  reporters: Partial<Record<ReporterCode, Span>>;
  flows?: Flow[];
  products?: string[];
  partners?: string[];
};

/** A dataset as far as the choice looks at it; all products unless some are named. */
function dataset({ reporters, flows: delivered = [...flows], products, partners, ...named }: Described) {
  const spans = Object.entries(reporters) as [ReporterCode, Span][];
  const months = {
    from: Math.min(...spans.map(([, { from }]) => from)),
    to: Math.max(...spans.map(([, { to }]) => to)),
  };
  const coverage: Manifest["coverage"] = {
    months,
    reporters: spans.map(([reporter, span]) => ({ reporter, ...span, provisional: [], missing: [] })),
    products: {
      national: products === undefined,
      complete_below: products === undefined ? [""] : [],
      codes: products ?? ["44", "84"],
    },
    spoken: spans.map(([reporter, span]) => ({
      products: products ?? [""],
      ...(partners && { partners }),
      reporters: [reporter],
      flows: delivered,
      ...span,
    })),
  };
  return { dataset: "one", synthetic: false, ...named, coverage } as Manifest;
}

const of = (open: Manifest[], allow_synthetic = true) =>
  chartedIn({ vintages: { open: () => open, awaited: () => [] }, allow_synthetic } as never as TradeData);

const span = (from: number, to: number): Span => ({ from, to });
const all = Object.fromEntries(reporterCodes.map((code) => [code, span(202001, 202512)]));

test("the chart shows the last five years of Germany, France and Poland, where they are covered", () => {
  const charted = of([dataset({ reporters: { ...all, MT: span(200201, 202512) } })]);
  expect(charted).toMatchObject({
    reporters: ["DE", "FR", "PL"],
    flow: "IMPORT",
    years: { from: 2021, to: 2025 },
    hs: undefined,
  });
  expect(aboutChart(charted!)).toBe(
    "A line chart: monthly imports of Germany, France and Poland, 2021 to 2025",
  );
});

test("the chart shows no year that is delivered in part, if others are complete", () => {
  const charted = of([
    dataset({ reporters: { ...all, MT: span(200201, 202512), PL: span(202001, 202511) } }),
  ]);
  expect(charted).toMatchObject({ reporters: ["DE", "FR", "PL"], years: { from: 2020, to: 2024 } });
});

test("the chart shows other countries and years, if the data have those", () => {
  const charted = of([
    dataset({
      reporters: {
        AT: span(201001, 201112),
        EE: span(201401, 201803),
        FR: span(201801, 201802),
        LV: span(201001, 201803),
        LT: span(201601, 201803),
      },
    }),
  ]);
  expect(charted).toMatchObject({ reporters: ["FR", "EE", "LV"], years: { from: 2014, to: 2018 } });
});

test("the chart shows one country's exports of one product in one year", () => {
  const charted = of([
    dataset({ reporters: { LV: span(202401, 202402) }, flows: ["EXPORT"], products: ["4407", "44"] }),
  ]);
  expect(aboutChart(charted!)).toBe("A line chart: monthly exports of Latvia, 44 Wood and charcoal, 2024");
});

test("the chart uses the first dataset that can be drawn, real ones before invented ones", () => {
  const real = dataset({ dataset: "real", reporters: { LV: span(202401, 202402) } });
  const parts = dataset({ dataset: "parts", reporters: { LV: span(202401, 202402) }, partners: ["DE"] });
  const invented = dataset({ dataset: "sandbox", synthetic: true, reporters: all });
  expect(of([invented, parts, real])?.dataset).toBe("real");
  expect(of([invented, parts])?.dataset).toBe("sandbox");
  expect(of([invented, parts], false)).toBeUndefined();
  expect(of([])).toBeUndefined();
});
