/** Charts as the printing thread draws them: what must be seen, what must not, and what a hostile name does. */

import { Resvg } from "@resvg/resvg-js";
import { afterAll, describe, expect, test } from "vitest";
import { directNames } from "../../src/adapters/printing/direct-labels.ts";
import { sizeOf, USUAL } from "../../src/adapters/printing/look.ts";
import { createPrinter } from "../../src/adapters/printing/printer.ts";
import { drawnSeries, shownSeries } from "../../src/adapters/printing/series.ts";
import { labelText, scaleOf, textWidth } from "../../src/adapters/printing/text.ts";
import type { Chart, Provenance, Series } from "../../src/core/model/chart.ts";
import { figuresInPng } from "../../src/explorer/figures.ts";

const printer = createPrinter();
afterAll(() => printer.close());

const provenance = { dataset: "d", vintage: "3fa9c0b1d2e4f5a6", synthetic: false, source: "Eurostat Comext" };
const months = (count: number) =>
  Array.from(
    { length: count },
    (_, at) => `${2020 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}`,
  );
const chartOf = (more: Partial<Chart> = {}): Chart => ({
  kind: "line",
  title: "Monthly trade",
  x: months(6),
  series: [{ name: "imports", values: [1, 2, 3, 4, 5, 6] }],
  unit: "EUR",
  notes: [],
  ...more,
});
const draw = (chart: Chart, more: Partial<Provenance> = {}) =>
  printer
    .print({ form: "image/svg+xml", chart, provenance: { ...provenance, ...more } })
    .then((svg) => svg.toString());
const drawPng = (chart: Chart) => printer.print({ form: "image/png", chart, provenance });
const textsOf = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text!);

/** The pixels of a PNG, read by placing it into a drawing: 4 bytes each. */
const pixelsOf = (png: Buffer) => {
  const href = `data:image/png;base64,${png.toString("base64")}`;
  return new Resvg(
    `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="500"><image width="900" height="500" href="${href}"/></svg>`,
  ).render().pixels;
};

describe("a picture", () => {
  test("shows title, source, vintage, unit and notes, and warns of invented figures", async () => {
    const chart = chartOf({ notes: ["A note."] });
    const texts = textsOf(await draw(chart));
    for (const text of ["Monthly trade", "Eurostat Comext · vintage 3fa9c0b1d2e4", "EUR", "A note."])
      expect(texts).toContain(text);
    expect(texts.join()).not.toContain("SYNTHETIC");
    expect(textsOf(await draw(chart, { synthetic: true }))).toContain("SYNTHETIC sandbox figures");
    const part = { coverage: { products: { complete: false, count: 18 } } };
    expect(textsOf(await draw(chart, part))).toContain("PART of the products: 18 codes");
    expect(textsOf(await draw(chart, { ...part, synthetic: true }))).toContain(
      "SYNTHETIC sandbox figures · PART of the products: 18 codes",
    );
    const whole = { coverage: { products: { complete: true, count: 18 } } };
    expect(await draw(chart, whole)).toBe(await draw(chart));
  });

  test("has the same bytes for the same chart, whatever was drawn in between", async () => {
    const first = await draw(chartOf());
    const png = await drawPng(chartOf());
    await draw(chartOf({ kind: "bar", title: "Another" }));
    expect(await draw(chartOf())).toBe(first);
    expect(await drawPng(chartOf())).toEqual(png);
    const other = createPrinter();
    expect(await other.print({ form: "image/svg+xml", chart: chartOf(), provenance })).toEqual(
      Buffer.from(first),
    );
    await other.close();
  });

  test("as PNG has 900×500 pixels, its lines in colour and its letters", async () => {
    const png = await drawPng(chartOf());
    const pixels = pixelsOf(png);
    expect(pixels.length).toBe(900 * 500 * 4);
    const isLine = (at: number) => pixels[at] === 0x00 && pixels[at + 1] === 0x72 && pixels[at + 2] === 0xb2;
    let blue = 0;
    let dark = 0;
    for (let at = 0; at < pixels.length; at += 4) {
      if (isLine(at)) blue++;
      // The title stands in the first forty rows of pixels, and nothing else does.
      if (at < 900 * 40 * 4 && pixels[at]! < 100) dark++;
    }
    expect(blue).toBeGreaterThan(500);
    expect(dark).toBeGreaterThan(300);
  });

  test("has the requested width, and on a phone breaks its title instead of cutting it", async () => {
    const title = "Imports of Germany, France and Poland from all partners, by month and in euros";
    const order = { form: "image/svg+xml", chart: chartOf({ title }), provenance, width: 375 } as const;
    const svg = (await printer.print(order)).toString();
    expect(new Resvg(svg).width).toBe(375);
    const texts = textsOf(svg);
    expect(texts).not.toContain(title);
    for (const word of title.split(" ")) expect(texts.join(" ")).toContain(word);
  });

  test("names lines at their ends where these are apart, and in a legend where they are not", async () => {
    const lines = (ends: number[]) =>
      chartOf({ x: ["a", "b"], series: ends.map((end, at) => ({ name: `line ${at}`, values: [1, end] })) });
    const isDirect = (chart: Chart) => directNames(chart, USUAL).length > 0;
    expect(isDirect(lines([10, 20, 30]))).toBe(true);
    expect(isDirect(lines([10, 20, 20.1]))).toBe(false);
    expect(
      isDirect(
        chartOf({
          x: ["a", "b"],
          series: [
            { name: "short", values: [1, null] },
            { name: "long", values: [1, 9] },
          ],
        }),
      ),
    ).toBe(false);
    expect(directNames(lines([10, 20, 30]), sizeOf(375))).toEqual([]);
    const texts = textsOf(await draw(lines([10, 20, 30])));
    expect(texts.filter((text) => text === "line 1")).toHaveLength(1);
  });

  test("carries its figures and their places for pages", async () => {
    const chart = chartOf({ x: ["a", "b", "c"], series: [{ name: "one", values: [1, null, 2.71234567] }] });
    const [, text] = /<metadata>([^<]*)<\/metadata>/.exec(await draw(chart))!;
    const figures = JSON.parse(text!.replaceAll("&#34;", '"')) as {
      width: number;
      at: number[];
      series: object[];
    };
    expect(figures).toMatchObject({ width: 900, x: ["a", "b", "c"] });
    expect(figures.at).toEqual(figures.at.toSorted((a, b) => a - b));
    expect(figures.at.every((place) => place > 20 && place < 900)).toBe(true);
    expect(figures.series).toEqual([expect.objectContaining({ name: "one", values: [1, null, 2.71235] })]);
    const { buffer, byteOffset, byteLength } = await drawPng(chart);
    expect(figuresInPng(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer)).toEqual(figures);
  });

  test("without figures says so", async () => {
    for (const series of [[], [{ name: "a", values: [null, null] }]])
      expect(textsOf(await draw(chartOf({ x: ["a", "b"].slice(0, series.length), series })))).toContain(
        "There are no figures to draw",
      );
  });

  test("with hostile names is well-formed, refers to nothing outside and has no element of theirs", async () => {
    const evil = `</text><script>alert(1)</script><image href="http://evil.example/x"/>]]>&amp;"'\u0000\u001b\ud800\u202e{a|b}{value}`;
    const kinds = ["line", "bar", "ranking"] as const;
    for (const kind of kinds) {
      const svg = await draw(
        chartOf({
          kind,
          title: evil,
          x: [evil, "b"],
          series: [
            { name: evil, values: [1, 2] },
            { name: "b", values: [2, 1] },
          ],
          unit: evil,
          notes: [evil],
        }),
        { source: evil },
      );
      // A strict reader of XML takes it.
      expect(new Resvg(svg).width).toBe(900);
      expect(new Set([...svg.matchAll(/<([a-z]\w*)/gi)].map(([, name]) => name))).toEqual(
        new Set(
          [
            "svg",
            "title",
            "metadata",
            "rect",
            "path",
            "text",
            ...(kind === "line" ? ["g", "defs", "clipPath"] : []),
          ].filter((name) => svg.includes(`<${name}`)),
        ),
      );
      expect(svg.replaceAll(/>[^<]*</g, "><")).not.toMatch(/\s(href|on\w+|xlink:href)=|url\((?!#)/);
      expect(svg).toContain("&lt;script&gt;");
    }
  });
});

describe("figures", () => {
  const scale = { divisor: 1, word: "" };
  const dataOf = (series: Series, kind: Chart["kind"] = "line") =>
    drawnSeries(chartOf({ kind, series: [series] }), scale).map(
      ({ data, lineStyle }: { data?: unknown; lineStyle?: { type?: unknown } }) => ({
        values: (data as { value: unknown }[]).map(({ value }) => value),
        type: lineStyle?.type,
      }),
    );

  test("that are unknown are gaps, never zero", () => {
    expect(dataOf({ name: "a", values: [1, null, 0] })).toEqual([{ values: [1, "-", 0], type: "solid" }]);
    for (const kind of ["bar", "ranking"] as const)
      expect(dataOf({ name: "a", values: [1, null, 0] }, kind)[0]!.values).toEqual([1, "-", 0]);
  });

  test("that are provisional continue dashed from the last settled one", () => {
    expect(dataOf({ name: "a", values: [1, 2, 3, 4], provisional: [false, false, true, true] })).toEqual([
      { values: [1, 2, "-", "-"], type: "solid" },
      { values: ["-", 2, 3, 4], type: "dashed" },
    ]);
  });

  test("have short numbers, scaled by the largest", () => {
    const of = (values: number[], unit = "EUR", base?: number) =>
      scaleOf({ ...chartOf({ series: [{ name: "a", values }], unit }), ...(base !== undefined && { base }) })
        .word;
    expect(of([1e9, 5])).toBe("billion");
    expect(of([-2_500_000])).toBe("million");
    expect(of([12_000])).toBe("thousand");
    expect(of([999])).toBe("");
    // A price or an index is written in full.
    expect(of([12_000], "EUR per tonne")).toBe("");
    expect(of([1.2], "factor", 1)).toBe("");
    expect([labelText(1_723_000_000), labelText(66.94), labelText(0)]).toEqual(["1.72B", "66.9", "0"]);
  });

  test("of more lines than colours give the largest a colour; the others are pale and named", async () => {
    const series = Array.from({ length: 27 }, (_, at) => ({
      name: `S${at}`,
      values: Array(6).fill(at + 1) as number[],
    }));
    const { coloured, pale } = shownSeries(chartOf({ series }));
    expect(coloured.map(({ name }) => name)).toEqual(["S20", "S21", "S22", "S23", "S24", "S25", "S26"]);
    expect(pale).toHaveLength(20);
    const texts = textsOf(await draw(chartOf({ series })));
    expect(texts).toContain("20 others");
    expect(texts.some((text) => text.startsWith("In colour the 7 largest. Pale: S0, S1, "))).toBe(true);
  });

  test("of a ranking without room for all end with a note", async () => {
    const x = Array.from({ length: 40 }, (_, at) => `Country ${at}`);
    const texts = textsOf(
      await draw(chartOf({ kind: "ranking", x, series: [{ name: "a", values: x.map((_, at) => 40 - at) }] })),
    );
    expect(texts).toContain("The first 30 of 40 are drawn.");
    expect(texts).toContain("Country 29");
    expect(texts).not.toContain("Country 30");
  });

  test.each([320, 375, 900])(
    "of a ranking of %i pixels have their whole unit in the picture",
    async (width) => {
      const chart = chartOf({
        kind: "ranking",
        x: ["France", "Poland", "Italy"],
        series: [{ name: "value", values: [3.2e10, 2e10, 1e10] }],
      });
      const svg = (await printer.print({ form: "image/svg+xml", chart, provenance, width })).toString();
      const [, attributes = "", unit = ""] = /<text([^>]*)>(\w+ EUR)</.exec(svg) ?? [];
      const x = Number(/translate\((\S+)/.exec(attributes)?.[1] ?? /\bx="([^"]+)"/.exec(attributes)?.[1]);
      const long = textWidth(unit, 12);
      const end = x + (attributes.includes('text-anchor="middle"') ? long / 2 : long);
      expect(end).toBeGreaterThan(width / 2);
      expect(end).toBeLessThanOrEqual(width);
    },
  );

  test("far from zero are drawn from near the smallest, with a note", async () => {
    const note = "The axis does not begin at zero.";
    const report = async (values: number[], kind: Chart["kind"] = "line") =>
      textsOf(await draw(chartOf({ kind, series: [{ name: "a", values }] }))).includes(note);
    expect(await report([900, 1000])).toBe(true);
    expect(await report([100, 1000])).toBe(false);
    expect(await report([1000])).toBe(false);
    expect(await report([900, 1000], "bar")).toBe(false);
  });

  test("of several tables name each vintage", async () => {
    const vintage = ["a", "b", "c"].map((one) => one.repeat(64)).join("+");
    const svg = await printer.print({
      form: "image/svg+xml",
      chart: chartOf(),
      provenance: { ...provenance, vintage },
    });
    expect(textsOf(svg.toString())).toContain(
      `Vintages: ${"a".repeat(12)}, ${"b".repeat(12)}, ${"c".repeat(12)}`,
    );
  });

  test("a longer or bolder text is measured as wider", () => {
    expect(textWidth("ab", 12)).toBeLessThan(textWidth("abc", 12));
    expect(textWidth("abc", 12)).toBeLessThan(textWidth("abc", 12, true));
  });
});
