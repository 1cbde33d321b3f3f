/** A code that ends and its heirs, asked on every basis: null, never zero, and no alert about a change of codes. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commoditiesInput, topCommodities } from "../../src/projections/customs/answers/top-commodities.ts";
import { market, marketInput } from "../../src/projections/fusion/answers/market.ts";
import { alerts, alertsInput } from "../../src/projections/trade/answers/alerts.ts";
import { corridor, corridorInput } from "../../src/projections/trade/answers/corridor.ts";
import { flowPulse, flowPulseInput } from "../../src/projections/trade/answers/flow-pulse.ts";
import { productDetailChart, timelineChart } from "../../src/projections/trade/answers/forms/lines.ts";
import { heatmap, heatmapInput } from "../../src/projections/trade/answers/heatmap.ts";
import { pricesInput, pricesPerTonne } from "../../src/projections/trade/answers/prices.ts";
import { productDetail, productDetailInput } from "../../src/projections/trade/answers/product-detail.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { rankingInput, topProducts } from "../../src/projections/trade/answers/rankings.ts";
import { season, seasonInput } from "../../src/projections/trade/answers/seasonality.ts";
import { timeline, timelineInput } from "../../src/projections/trade/answers/series.ts";
import { sources, sourcesInput } from "../../src/projections/trade/answers/sources.ts";
import { storeOf } from "../reference/store-of.ts";
import { type ChangedTrade, eurOf, months, openChangedTrade } from "./changed-codes.ts";

let opened: ChangedTrade;
let trade: TradeData;
beforeAll(async () => {
  opened = await openChangedTrade();
  trade = opened.trade;
});
afterAll(() => opened?.close());

const ask = (fields: object) =>
  timeline(trade, timelineInput.parse({ reporters: ["LV"], flow: "IMPORT", ...fields }));
const of = (answer: Awaited<ReturnType<typeof ask>>) => answer.data.map(({ imports_eur }) => imports_eur);
const sums = (...all: string[]) => months.map((_, n) => all.reduce((sum, code) => sum + eurOf(code, n), 0));

describe("as reported", () => {
  test("a code is null outside its years, and the answer names its heirs", async () => {
    const answer = await ask({ hs: "85171200" });
    expect(of(answer)).toEqual(months.map((_, n) => (n < 36 ? eurOf("85171200", n) : null)));
    expect(answer.data.at(-1)!.complete).toBe(false);
    expect(answer.meta.codes).toMatchObject({
      basis: "reported",
      years: [{ from: null, to: 2021 }],
      changes: [
        {
          year: 2022,
          kept: false,
          became: [
            { code: "85171300", name: "Smartphones" },
            { code: "85171400", name: null },
          ],
          came_from: [],
        },
      ],
      family: null,
    });
    expect(answer.meta.incomplete).toEqual([]);
    const heir = await ask({ hs: "85171300" });
    expect(of(heir)).toEqual(months.map((_, n) => (n < 36 ? null : eurOf("85171300", n))));
    expect(heir.meta.codes!.changes[0]).toMatchObject({
      year: 2022,
      came_from: [{ code: "85171200", name: "Phones" }],
    });
  });

  test("only years without the code are all null, at six digits too", async () => {
    for (const hs of ["85171200", "851712"])
      expect(new Set(of(await ask({ hs, years: "2022-2023" })))).toEqual(new Set([null]));
    expect(of(await ask({ hs: "8517" }))).toEqual(sums("85171200", "85171300", "85171400"));
  });

  test("a code that no revision changed has no note", async () => {
    expect((await ask({ hs: "85076000" })).meta.codes).toBeUndefined();
    expect((await ask({ hs: "85" })).meta.codes).toBeUndefined();
  });

  test("detail and prices leave out the same months", async () => {
    const detail = await productDetail(trade, productDetailInput.parse({ reporter: "LV", hs: "85171200" }));
    expect(detail.data.months.map(({ imports_eur }) => imports_eur)).toEqual(
      of(await ask({ hs: "85171200" })),
    );
    expect(detail.meta.codes!.years).toEqual([{ from: null, to: 2021 }]);
    const input = pricesInput.parse({ reporter: "LV", hs: "85171200", flow: "IMPORT" });
    const { data } = await pricesPerTonne(trade, input);
    expect(data.series.filter(({ value_eur }) => value_eur === null)).toHaveLength(24);
    expect(data.summary[0]!.months).toBe(36);
  });

  test("a heatmap of the code needs all 27 reporters, and names the missing ones", async () => {
    const input = heatmapInput.parse({ year: 2022, flow: "IMPORT", hs: "85171300", dataset: "comext-bulk" });
    await expect(heatmap(trade, input)).rejects.toThrow(/not AT, BE, .* for 85171300/);
  });
});

describe("as a family", () => {
  test("one code that becomes two is the same series from either side", async () => {
    for (const hs of ["85171200", "85171300", "85171400"]) {
      const answer = await ask({ hs, basis: "family" });
      expect(of(answer)).toEqual(sums("85171200", "85171300", "85171400"));
      expect(answer.data.every(({ complete }) => complete)).toBe(true);
      expect(answer.meta.codes).toMatchObject({
        basis: "family",
        family: [
          { code: "85171200" },
          { code: "85171300" },
          { code: "85171400", years: [{ from: 2022, to: null }] },
        ],
      });
      expect(answer.meta.coverage.products.codes).toEqual(["85171200", "85171300", "85171400"]);
    }
  });

  test("many to many stays joined over chapters, forward and back", async () => {
    for (const hs of ["90139010", "85249100", "90139020", "85299090"])
      expect(of(await ask({ hs, basis: "family" }))).toEqual(
        sums("90139010", "85249100", "90139020", "85299090"),
      );
  });

  test("a basis year reads the code in that year's meaning, and refuses a code that it does not have", async () => {
    expect(of(await ask({ hs: "85171200", basis: "2021" }))).toEqual(
      sums("85171200", "85171300", "85171400"),
    );
    expect(of(await ask({ hs: "85171200", basis: "2021", years: "2023" }))).toHaveLength(12);
    await expect(ask({ hs: "85171200", basis: "2022" })).rejects.toMatchObject({
      message: expect.stringMatching(/85171200 is not a code of 2022: it is one until 2021/),
    });
    expect(() => timelineInput.parse({ basis: "1850" })).toThrow(
      /basis is reported, compared, family, or a year/,
    );
  });

  test("without a table a basis is refused, and as reported nothing changes", async () => {
    const bare = opened.unchanged;
    const input = timelineInput.parse({ reporters: ["LV"], hs: "85171200", basis: "family" });
    await expect(timeline(bare, input)).rejects.toMatchObject({
      message: expect.stringMatching(/omit basis/),
    });
    const before = await timeline(
      bare,
      timelineInput.parse({ reporters: ["LV"], flow: "IMPORT", hs: "85171200" }),
    );
    expect(before.data.at(-1)!.imports_eur).toBe(0);
    expect(before.meta.codes).toBeUndefined();
  });

  test("rankings of two years have the same lines, and add up to the same total", async () => {
    const rank = (fields: object) =>
      topProducts(trade, rankingInput.parse({ reporter: "LV", flow: "IMPORT", limit: 50, ...fields }));
    const reported = await rank({ hs: "8517", year: 2022 });
    expect(reported.data.map(({ product }) => product)).toEqual(["851713", "851714", "rest"]);
    const family = await rank({ hs: "8517", year: 2022, basis: "family" });
    expect(family.data[0]).toMatchObject({ product: "851713", codes: "851713 851714", rank: 1 });
    expect(family.meta.total).toEqual(reported.meta.total);
    const old = await rank({ hs: "8517", year: 2022, basis: "2021" });
    expect(old.data[0]).toMatchObject({ product: "851712", codes: "851713 851714" });
    const commodities = async (year: number) => {
      const input = commoditiesInput.parse({ year, direction: "IMPORT", basis: "2021", limit: 20 });
      return (await topCommodities(trade, input)).data.map(({ product }) => product).toSorted();
    };
    expect(await commodities(2021)).toEqual(["44031000", "85076000", "85171200", "85299090", "rest"]);
    expect(await commodities(2023)).toEqual(["44031000", "85076000", "85171200", "85299090", "rest"]);
  });
});

describe("comparisons over the change", () => {
  test("alerts, movers and pulses see the family move, not the codes", async () => {
    for (const hs of ["85171200", "85171300"]) {
      const { data, meta } = await alerts(
        trade,
        alertsInput.parse({ reporter: "LV", months: 24, flow: "IMPORT", hs }),
      );
      expect(data.alerts).toEqual([]);
      expect(meta.tested).toBe(24);
      expect(data.movers.every(({ change }) => Math.abs(change!) < 0.05)).toBe(true);
      expect(meta.codes).toMatchObject({ basis: "family" });
      const pulse = await flowPulse(
        trade,
        flowPulseInput.parse({ reporter: "LV", months: 24, flow: "IMPORT", hs, limit: 5 }),
      );
      expect(pulse.data).toEqual([]);
      expect(pulse.meta.tested).toBe(24);
    }
  });

  test("basis=compared is the family where the years cross the change, and the code alone elsewhere", async () => {
    const joined = await ask({ hs: "85171200", basis: "compared" });
    expect(of(joined)).toEqual(sums("85171200", "85171300", "85171400"));
    expect(joined.meta.codes!.basis).toBe("family");
    const before = await ask({ hs: "85171200", basis: "compared", years: "2019-2021" });
    expect(before.meta.codes!.basis).toBe("reported");
    const bare = timelineInput.parse({ reporters: ["LV"], hs: "85171200", basis: "compared" });
    expect((await timeline(opened.unchanged, bare)).meta.codes).toBeUndefined();
  });

  test("with basis reported the change is not judged, instead of appearing as a fall to zero", async () => {
    const input = alertsInput.parse({
      ...{ reporter: "LV", months: 24, flow: "IMPORT" },
      ...{ hs: "85171200", basis: "reported" },
    });
    const { data, meta } = await alerts(trade, input, undefined, "optional");
    expect([data.alerts, data.movers, meta.tested]).toEqual([[], [], 0]);
    await expect(alerts(trade, input)).rejects.toThrow("too little data");
  });

  test("seasons and growth run over the family", async () => {
    const profile = async (fields: object) => {
      const input = seasonInput.parse({
        reporter: "LV",
        hs: "85171300",
        flow: "IMPORT",
        ...fields,
      });
      return (await season(trade, input)).data[0]!;
    };
    expect((await profile({})).months_used).toBe(60);
    expect((await profile({ basis: "reported" })).months_used).toBe(24);
    // Within the years after the change nothing is crossed.
    expect((await profile({ years: "2022-2023" })).months_used).toBe(24);
    const noTables = await storeOf();
    const input = marketInput.parse({ reporter: "LV", hs: "85171200", flow: "IMPORT" });
    const { data, meta } = await market(trade, noTables, input);
    expect(data.growth).toMatchObject({ from: 2019, to: 2023 });
    expect(Math.abs(data.growth!.rate)).toBeLessThan(0.02);
    expect(meta.codes!.basis).toBe("family");
  });

  test("corridors and single sources use the basis", async () => {
    const input = corridorInput.parse({ reporter: "LV", partner: "CN", hs: "85171200" });
    const corridorOf = async (fields: object) =>
      (await corridor(trade, { ...input, ...fields })).data.databases[0]!.directions[1]!.months;
    expect((await corridorOf({})).at(-1)!.importer_eur).toBeNull();
    expect((await corridorOf({ basis: "family" })).at(-1)!.importer_eur).toBe(
      eurOf("85171300", 59) + eurOf("85171400", 59),
    );
    const single = await sources(
      trade,
      sourcesInput.parse({ reporter: "LV", hs: "85171300", year: 2022, basis: "family" }),
    );
    const year = sums("85171300", "85171400").slice(36, 48);
    expect(single.data[0]).toMatchObject({
      partner: "CN",
      total_eur: year.reduce((sum, one) => sum + one, 0),
    });
  });
});

test("charts mark the January of the change and name the family", async () => {
  const chart = timelineChart(await ask({ hs: "85171200", basis: "family" }));
  expect(chart.x.filter((_, at) => chart.marks![0]!.at[at])).toEqual(["2022-01"]);
  expect(chart.notes).toEqual(["Sum of 85171200, 85171300, 85171400, which changed into each other."]);
  const detail = await productDetail(trade, productDetailInput.parse({ reporter: "LV", hs: "85171200" }));
  const alone = productDetailChart(detail);
  expect(alone.marks![0]!.at.filter(Boolean)).toHaveLength(1);
  expect(alone.notes).toContain("85171200 ended with 2021 and became 85171300, 85171400.");
  const notesOf = async (hs: string) => timelineChart(await ask({ hs })).notes;
  expect(await notesOf("85171300")).toEqual(["85171300 began in 2022 and came from 85171200."]);
  expect(await notesOf("85299090")).toEqual(["85299090 has other goods since 2022."]);
  const kept = await ask({ hs: "85299090" });
  const { series } = timelineChart(kept);
  expect(series.map(({ name }) => name)).toEqual(["imports", "imports since 2022"]);
  expect(series.map(({ values }) => values.findIndex((value) => value !== null))).toEqual([0, 36]);
  expect(series[0]!.values.map((value, at) => value ?? series[1]!.values[at])).toEqual(of(kept));
  expect(timelineChart(await ask({ hs: "85076000" })).marks![0]!.at).not.toContain(true);
});
