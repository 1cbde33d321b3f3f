/** Pictures that do not mislead: what is provisional sets no scale, rates are not indices, and what is uncertain has a band. */
import { afterAll, describe, expect, test } from "vitest";
import { cutProvisional } from "../../src/adapters/printing/cut.ts";
import { optionOf } from "../../src/adapters/printing/option.ts";
import { createPrinter } from "../../src/adapters/printing/printer.ts";
import { drawnSeries } from "../../src/adapters/printing/series.ts";
import type { Chart } from "../../src/core/model/chart.ts";
import { reconstructChart } from "../../src/projections/mirror/answers/chart.ts";
import { timelineChart } from "../../src/projections/trade/answers/forms/lines.ts";
import { concentrationChart } from "../../src/projections/trade/answers/forms/rankings.ts";

const printer = createPrinter();
afterAll(() => printer.close());

const provenance = { dataset: "d", vintage: "3fa9c0b1d2e4f5a6", synthetic: false, source: "Eurostat Comext" };
const chartOf = (more: Partial<Chart>): Chart => ({
  kind: "line",
  title: "Price per tonne",
  x: ["2024-01", "2024-02", "2024-03", "2024-04", "2024-05"],
  series: [],
  unit: "EUR per tonne",
  notes: [],
  ...more,
});
const SCALE = { divisor: 1, word: "" };

test("a PNG writes letters that its font lacks in Latin letters, says so, and has the exact names as data", async () => {
  const series = [{ name: "北京", values: [1, 2, 3, 4, 5] }];
  const chart = chartOf({ title: "مرحبا 🪵", series, unit: "€㌧" });
  const print = (one: Chart) => printer.print({ form: "image/png", chart: one, provenance });
  const png = await print(chart);
  expect(png.toString()).toContain('"name":"北京"');
  const note =
    "Characters that the font lacks are transliterated in ‹ ›, or given by their number in Unicode. The JSON has the exact text.";
  const latin = {
    ...chart,
    title: "مرحبا ‹U+1FAB5›",
    series: [{ ...series[0]!, name: "‹Bei Jing›" }],
    unit: "€‹Ton›",
    notes: [note],
  };
  const pixels = (bytes: Buffer) => bytes.subarray(0, bytes.indexOf("iTXt") - 4);
  expect(pixels(png).equals(pixels(await print(latin)))).toBe(true);
  const svg = (await printer.print({ form: "image/svg+xml", chart, provenance })).toString();
  expect(svg).toContain("مرحبا 🪵");
});

describe("a provisional value far beyond the settled ones", () => {
  const chart = chartOf({
    series: [
      {
        name: "imports",
        values: [2500, 2600, 2400, 2550, 97_000],
        provisional: [false, false, false, false, true],
      },
    ],
  });

  test("is cut at the edge, marked by a triangle, and noted with its full value", async () => {
    const { series, notes } = cutProvisional(chart);
    expect(Math.max(...(series[0]!.values as number[]))).toBeLessThan(3_000);
    expect(series[0]!.cut).toEqual([false, false, false, false, true]);
    expect(notes[0]).toContain("imports 2024-05: 97K");
    const svg = (await printer.print({ form: "image/svg+xml", chart, provenance })).toString();
    expect(svg).toContain("imports 2024-05: 97K");
    expect(svg).not.toContain("100,000");
  });

  test("is drawn unchanged where it is near the others, or settled", () => {
    for (const [value, open] of [
      [2_700, true],
      [97_000, false],
    ] as const) {
      const provisional = [false, false, false, false, open];
      const same = chartOf({ series: [{ name: "a", values: [2500, 2600, 2400, 2550, value], provisional }] });
      expect(cutProvisional(same)).toEqual(same);
    }
  });
});

test("series at the right have an axis and a scale of their own", () => {
  const chart = chartOf({
    unit: "first month = 100",
    unit_right: "percent",
    series: [
      { name: "brent", values: [100, 110, 120, 130, 140] },
      { name: "rate", values: [4, 3.75, 3.5, 3.25, 3], on_right: true },
    ],
  });
  const { yAxis, series } = optionOf(chart, provenance) as { yAxis: { name: string }[]; series: object[] };
  expect(yAxis.map(({ name }) => name)).toEqual(["first month = 100", "percent"]);
  expect(series).toEqual([
    expect.not.objectContaining({ yAxisIndex: 1 }),
    expect.objectContaining({ name: "rate", yAxisIndex: 1 }),
  ]);
});

test("concentration shows shares of all trade and of listed trade, each flow in its own colour", () => {
  const partner = (rank: number, share: number, share_of_total: number) => ({
    rank,
    partner: `P${rank}`,
    name: `Country ${rank}`,
    value_eur: 1,
    share,
    share_of_total,
  });
  const flow = (of: "IMPORT" | "EXPORT") => ({
    flow: of,
    hhi: 4000,
    classification: "highly_concentrated",
    listed_share: 0.5,
    note: null,
    top_partners: [partner(1, 0.6, 0.3), partner(2, 0.4, 0.2)],
  });
  const meta = { reporter: "LV", product: "27", year: 2024 };
  const chart = concentrationChart({ data: [flow("IMPORT"), flow("EXPORT")], meta } as never);
  expect(chart.series.map(({ name }) => name)).toEqual([
    "imports, of all",
    "imports, of listed",
    "exports, of all",
    "exports, of listed",
  ]);
  const [imports, beyond, exports] = chart.series;
  expect(imports!.values).toEqual([30, 20, null, null]);
  expect(beyond!.values[0]).toBeCloseTo(30);
  expect(exports!.values).toEqual([null, null, 30, 20]);
  const colours = drawnSeries(chart, SCALE).map(({ itemStyle }) => (itemStyle as { color: string }).color);
  expect(colours[0]).toBe(colours[1]);
  expect(colours[2]).toBe(colours[3]);
  expect(colours[0]).not.toBe(colours[2]);
});

test("a band within a band has the same colour, both are scaled, and a note names the start of the axis", () => {
  const edges = (low: number, high: number) => [
    { low: 90, high: 90 },
    { low, high },
  ];
  const line = { name: "demand", values: [90, 100], provisional: [false, true] };
  const banded = { ...line, band: edges(0, 200), band_within: edges(50, 150) };
  const chart = chartOf({
    x: ["2024-01", "2024-02"],
    series: [banded],
    meaning: { provisional: "forecast" },
  });
  const drawn = drawnSeries(chart, { divisor: 10, word: "" });
  const surfaces = drawn.flatMap((one) =>
    "areaStyle" in one ? [{ colour: one.areaStyle?.color, data: one.data }] : [],
  );
  expect(surfaces.map(({ data }) => data)).toEqual([
    [0, 20],
    [0, 10],
  ]);
  expect(new Set(surfaces.map(({ colour }) => colour)).size).toBe(1);
  // Without its band the line would run along the top.
  const notesOf = (one: Chart) => JSON.stringify(optionOf(one, provenance).title);
  expect(notesOf(chart)).toContain("Dashed: forecast.");
  expect(notesOf(chart)).not.toContain("does not begin at zero");
  expect(notesOf({ ...chart, series: [line] })).toContain("does not begin at zero");
});

test("a reconstruction has a wider band where its confidence is lower", () => {
  const month = (at: number, confidence: number | null) => ({
    year: 2024,
    month: at,
    value_eur: 1000,
    complete: true,
    confidence,
  });
  const meta = {
    target: { name: "China" },
    direction: "EXPORT",
    product: "44",
    scope: "With the EU27.",
    notes: [],
    parameters: { cif_fob: 0.1 },
  };
  const data = [month(1, 0.9), month(2, 0.5), month(3, null)];
  const { series, notes } = reconstructChart({ data, meta } as never);
  const [sure, unsure, unknown] = series[0]!.band!;
  expect(sure!.high).toBeCloseTo(1000 * Math.exp(0.1));
  expect(unsure!.high - unsure!.low).toBeGreaterThan(sure!.high - sure!.low);
  expect(unknown).toBeNull();
  expect(notes[0]).toContain("0.50 to 0.90");
});

test("a month that is not delivered in full leaves a gap and a note, and never a fall", () => {
  const month = (period: string, imports_eur: number | null, complete: boolean) => ({
    reporter: "LV",
    period,
    imports_eur,
    imports_kg: null,
    complete,
  });
  const chart = timelineChart({
    data: [
      month("2026-01", 100, true),
      month("2026-02", 110, true),
      month("2026-03", 9, false),
      month("2026-04", null, false),
    ],
    meta: {
      ...provenance,
      hs: "44",
      coverage: {
        products: { complete: true, count: 1, codes: ["44"] },
        reporters: ["LV"],
        months: { from: "2026-01", to: "2026-02" },
      },
      incomplete: [],
      count: 4,
      formula: "",
    },
  });
  expect(chart.title).toBe("Monthly imports of Latvia: 44 Wood and charcoal");
  expect(chart.series).toEqual([{ name: "imports", values: [100, 110, null, null] }]);
  expect(chart.notes).toEqual(["Not drawn, because not delivered in full: 2026-03."]);
});

test("a month that one of several reporters has not delivered in full is named with its reporter", () => {
  const month = (reporter: string, period: string, complete: boolean) => ({
    ...{ reporter, period, imports_eur: 100, imports_kg: null, complete },
  });
  const chart = timelineChart({
    data: [
      month("DE", "2025-11", true),
      month("DE", "2025-12", false),
      month("LV", "2025-11", true),
      month("LV", "2025-12", true),
    ],
    meta: {
      ...provenance,
      hs: "44",
      coverage: {
        products: { complete: true, count: 1, codes: ["44"] },
        reporters: ["DE", "LV"],
        months: { from: "2025-11", to: "2025-12" },
      },
      incomplete: [],
      count: 4,
      formula: "",
    },
  });
  expect(chart.notes).toEqual(["Not drawn, because not delivered in full: 2025-12 of Germany."]);
});

test("an SVG has its title as text for screen readers, escaped", async () => {
  const chart = chartOf({ title: "Exports < imports & more" });
  const svg = (await printer.print({ form: "image/svg+xml", chart, provenance })).toString();
  expect(svg).toMatch(/^<svg role="img" [^>]*>\n<title>Exports &#60; imports &#38; more<\/title>/);
});
