/** Pictures of agents: their trust over the levels with signs for what happened, and a radar of what they are like. */
import { Resvg } from "@resvg/resvg-js";
import { afterAll, describe, expect, test } from "vitest";
import { createPrinter } from "../../src/adapters/printing/printer.ts";
import { zonesInView } from "../../src/adapters/printing/series.ts";
import type { Chart } from "../../src/core/model/chart.ts";
import type { Dna } from "../../src/domain/trust/behaviour.ts";
import { dnaChart, trustChart } from "../../src/projections/trust/charts.ts";

const printer = createPrinter();
afterAll(() => printer.close());

const provenance = {
  ...{ dataset: "log", vintage: "x", log_state: "position 7", source: "The log" },
  synthetic: false,
};
const draw = (chart: Chart) =>
  printer.print({ form: "image/svg+xml", chart, provenance }).then((svg) => svg.toString());
const textsOf = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text!);

// 2026-08-25 to 2026-11-22.
const stretch = { from: 20_690, to: 20_779 };
const score = (day: number, points: number) => ({
  ...{ day, score: points * 1e6, as_of_position: day, event_id: "e" },
});

describe("trust", () => {
  test("has points by day, gaps where nothing was computed, and marks on days with events", async () => {
    const scores = [score(20_690, 12), score(20_692, 14), score(20_779, 31)];
    const chart = trustChart("SX#1 a", stretch, scores, [
      { kind: "attestation", day: 20_692 },
      { kind: "penalty", day: 20_779 },
      { kind: "spend", day: 20_779 },
    ]);
    expect([chart.x[0], chart.x.at(-1), chart.x.length]).toEqual(["2026-08-25", "2026-11-22", 90]);
    expect(chart.series[0]!.values.slice(0, 4)).toEqual([12, null, 14, null]);
    expect(chart.marks!.map(({ name, at }) => [name, at.flatMap((is, day) => (is ? day : []))])).toEqual([
      ["attested", [2]],
      ["task completed", []],
      ["penalty", [89]],
    ]);
    const texts = textsOf(await draw(chart));
    for (const text of ["Trust of SX#1 a", "none", "low", "medium", "attested", "penalty", "22 Nov"])
      expect(texts).toContain(text);
    expect(texts).toContain("The log · as of position 7");
    // The legend names only drawn things, and levels far above are not drawn.
    for (const text of ["task completed", "high", "vintage x"]) expect(texts).not.toContain(text);
  });

  test("has an axis that ends with the level of the highest score", () => {
    for (const [points, end] of [
      [0, 10],
      [9.9, 10],
      [10, 30],
      [99, 100],
      [100, 100],
    ] as const)
      expect(zonesInView(trustChart("a", stretch, [score(20_779, points)], [])).end).toBe(end);
  });

  test("of a young log covers seven days, and names its last score with the day", async () => {
    const chart = trustChart("a", stretch, [score(20_779, 5)], []);
    expect([chart.x.length, chart.notes]).toEqual([
      7,
      [
        expect.stringMatching(/^5\.00 of 100 points on 2026-11-22.*: none\.$/),
        expect.anything(),
        "Nothing was computed before 2026-11-22.",
      ],
    ]);
  });

  test("before the first computation says that there is no data", async () => {
    const texts = textsOf(await draw(trustChart("a", stretch, [], [{ kind: "attestation", day: 20_779 }])));
    expect(texts).toContain("No data yet: no score was computed in these days");
    expect(texts).not.toContain("attested");
  });
});

describe("a radar", () => {
  const dna: Dna = {
    ...{ risk: 100_000, curiosity: 425_000, rigor: null, speed: null },
    ...{ social: 310_000, memory: 538_461, creativity: 1_000_000 },
  };

  test("has a corner for each measured dimension, and names the others", async () => {
    const svg = await draw(dnaChart("SX#1 a", 90, { events: 20, dna }));
    const texts = textsOf(svg);
    expect(texts.filter((text) => text === "not measured")).toHaveLength(2);
    for (const text of ["0.100", "0.425", "0.538", "1.000", "No events measure rigor or speed yet."])
      expect(texts).toContain(text);
    expect(
      [...svg.matchAll(/<circle/g)].length || [...svg.matchAll(/fill="#ffffff" stroke="#0072b2"/gi)].length,
    ).toBe(5);
    expect(new Resvg(svg).width).toBe(900);
    expect(await draw(dnaChart("SX#1 a", 90, { events: 20, dna }))).toBe(svg);
  });

  test("of few dimensions above zero is a table without a shape", async () => {
    const few = await draw(dnaChart("SX#1 a", 90, { events: 20, dna: { ...dna, risk: 0 } }));
    expect(textsOf(few)).toContain("0.425");
    expect(few).not.toMatch(/fill="#ffffff" stroke="#0072b2"/i);
  });

  test("of a newcomer names the missing data", async () => {
    expect(textsOf(await draw(dnaChart("a", 90, { events: 3, dna: null })))).toContain(
      "No data yet: 3 of the 10 events that a profile needs",
    );
  });
});
