/** Answers over a change of codes that would be false without it: totals of no code, and a number with other goods. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { methodsOfPlans } from "../../src/domain/skills/methods.ts";
import { skills } from "../../src/domain/skills/skills.ts";
import { market, marketInput } from "../../src/projections/fusion/answers/market.ts";
import { alerts, alertsInput } from "../../src/projections/trade/answers/alerts.ts";
import { concentration, concentrationInput } from "../../src/projections/trade/answers/concentration.ts";
import { corridor, corridorInput } from "../../src/projections/trade/answers/corridor.ts";
import { pricesInput, pricesPerTonne } from "../../src/projections/trade/answers/prices.ts";
import { productDetail, productDetailInput } from "../../src/projections/trade/answers/product-detail.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { rankingInput, topPartners, topProducts } from "../../src/projections/trade/answers/rankings.ts";
import { timeline, timelineInput } from "../../src/projections/trade/answers/series.ts";
import { woodInput, woodProducts } from "../../src/projections/trade/answers/wood.ts";
import { storeOf } from "../reference/store-of.ts";
import { type ChangedTrade, eurOf, months, openChangedTrade } from "./changed-codes.ts";

let opened: ChangedTrade;
let trade: TradeData;
beforeAll(async () => {
  opened = await openChangedTrade();
  trade = opened.trade;
});
afterAll(() => opened?.close());

const ENDED = "85171200";
const KEPT = "85299090";
const yearOf = (year: number, ...codes: string[]) =>
  months.reduce(
    (sum, period, n) =>
      Math.floor(period / 100) === year ? codes.reduce((all, code) => all + eurOf(code, n), sum) : sum,
    0,
  );

describe("a year without the code", () => {
  const input = (fields: object) =>
    rankingInput.parse({ reporter: "LV", hs: ENDED, year: 2023, flow: "IMPORT", ...fields });

  test("has null totals in rankings, details and concentration, never zero", async () => {
    for (const answer of [await topPartners(trade, input({})), await topProducts(trade, input({}))]) {
      expect(answer.data).toEqual([]);
      expect(answer.meta.total).toEqual({ value_eur: null, quantity_kg: null });
      expect(answer.meta.codes!.changes[0]!.became.map(({ code }) => code)).toEqual(["85171300", "85171400"]);
    }
    const known = await topPartners(trade, input({ year: 2021 }));
    expect(known.meta.total.value_eur).toBe(yearOf(2021, ENDED));
    const woods = async (fields: object) => {
      const parsed = woodInput.parse({ reporter: "LV", flow: "IMPORT", ...fields });
      return (await woodProducts(trade, parsed)).meta.total.value_eur;
    };
    expect(await woods({ hs: "44031000", year: 2023 })).toBeNull();
    expect(await woods({ hs: "440311", year: 2021 })).toBeNull();
    expect(await woods({ hs: "440311", year: 2023 })).toBe(yearOf(2023, "44031100"));
    expect(await woods({ hs: "44031000", year: 2023, basis: "family" })).toBe(
      yearOf(2023, "44031100", "44031200"),
    );
    const detail = (years: string) =>
      productDetail(trade, productDetailInput.parse({ reporter: "LV", hs: ENDED, years }));
    expect((await detail("2022-2023")).data.total.value_eur).toBeNull();
    expect((await detail("2021-2023")).data.total.value_eur).toBe(yearOf(2021, ENDED));
    const concentrated = async (year: number) => {
      const parsed = concentrationInput.parse({ reporter: "LV", hs: ENDED, year, flow: "IMPORT" });
      return (await concentration(trade, parsed)).data[0]!;
    };
    expect(await concentrated(2023)).toMatchObject({
      hhi: null,
      listed_value_eur: null,
      total_value_eur: null,
      note: expect.stringContaining("does not exist"),
    });
    expect((await concentrated(2021)).total_value_eur).toBe(yearOf(2021, ENDED));
  });

  test("has its heirs' figures as a family, although no change lies within it", async () => {
    const partners = await topPartners(trade, input({ basis: "family" }));
    expect(partners.meta.total.value_eur).toBe(yearOf(2023, "85171300", "85171400"));
    const parsed = timelineInput.parse({ reporters: ["LV"], hs: ENDED, basis: "family", years: "2023" });
    const answer = await timeline(trade, parsed);
    const sum = answer.data.reduce((all, { imports_eur }) => all + imports_eur!, 0);
    expect(sum).toBe(yearOf(2023, "85171300", "85171400"));
    expect(answer.meta.codes!.family!.map(({ code }) => code)).toEqual(["85171300", "85171400"]);
    const heir = timelineInput.parse({ reporters: ["LV"], hs: "85171300", basis: "family", years: "2020" });
    expect((await timeline(trade, heir)).meta.codes!.family!.map(({ code }) => code)).toEqual([ENDED]);
  });

  test("counts as no earlier year: partners' amounts are null as reported, and those of the family by default", async () => {
    const tables = await storeOf();
    const partner = async (fields: object) => {
      const parsed = marketInput.parse({ reporter: "LV", hs: "85171300", years: "2022", ...fields });
      return (await market(trade, tables, parsed)).data.partners[0]!;
    };
    expect(await partner({ basis: "reported" })).toMatchObject({ before_eur: null, contribution: null });
    expect((await partner({})).before_eur).toBe(yearOf(2021, ENDED));
  });
});

describe("a number that goes on with other goods", () => {
  const pairOf = async (from: TradeData, fields: object) => {
    const input = corridorInput.parse({
      reporter: "LV",
      partner: "CN",
      hs: KEPT,
      years: "2019-2022",
      ...fields,
    });
    return (await corridor(from, input)).data.databases[0]!.directions[1]!;
  };

  test("gives a corridor no alert and no season over the change", async () => {
    const bare = await pairOf(opened.unchanged, {});
    expect(bare.alerts.length).toBeGreaterThan(0);
    expect(bare.seasonality.months_used).toBe(48);
    const alone = await pairOf(trade, {});
    expect(alone.alerts).toEqual([]);
    expect(alone.seasonality.months_used).toBe(12);
    expect(alone.months.map(({ importer_eur }) => importer_eur)).toEqual(
      months.slice(0, 48).map((_, n) => eurOf(KEPT, n)),
    );
    const family = await pairOf(trade, { basis: "family" });
    expect(family.alerts).toEqual([]);
    expect(family.seasonality.months_used).toBe(48);
  });

  test("has no change of price over it", async () => {
    const change = async (from: TradeData, years: string) => {
      const input = pricesInput.parse({ reporter: "LV", hs: KEPT, flow: "IMPORT", years });
      return (await pricesPerTonne(from, input)).data.summary[0]!.change;
    };
    expect(await change(opened.unchanged, "2021-2022")).not.toBeNull();
    expect(await change(trade, "2021-2022")).toBeNull();
    expect(await change(trade, "2022-2023")).not.toBeNull();
    expect(await change(trade, "2020-2021")).not.toBeNull();
  });
});

describe("chapters that exchanged goods", () => {
  const moved = [{ year: 2022, chapters: ["85", "90"] }];
  const dataset = "comext-bulk";

  test("are named where months of before and after are compared", async () => {
    const watched = async (fields: object) => {
      const input = alertsInput.parse({ reporter: "LV", months: 24, flow: "IMPORT", dataset, ...fields });
      return (await alerts(trade, input)).meta;
    };
    expect((await watched({})).chapters_moved).toEqual(moved);
    const one = await watched({ hs: "85" });
    expect(one.chapters_moved).toEqual(moved);
    expect(one.codes).toBeUndefined();
    expect((await watched({ hs: "85076000" })).chapters_moved).toBeUndefined();
    expect(
      (await alerts(opened.unchanged, alertsInput.parse({ dataset }))).meta.chapters_moved,
    ).toBeUndefined();
  });

  test("are not where the years do not cross the change, or nothing is compared", async () => {
    const of = async (fields: object) => {
      const input = marketInput.parse({ reporter: "LV", hs: "85", dataset, ...fields });
      return (await market(trade, await storeOf(), input)).meta.chapters_moved;
    };
    expect(await of({})).toEqual(moved);
    expect(await of({ years: "2019-2021" })).toBeUndefined();
    // Its methods look at the two years before.
    expect(await of({ years: "2023" })).toEqual(moved);
    const input = timelineInput.parse({ reporters: ["LV"], hs: "85", dataset });
    expect((await timeline(trade, input)).meta.chapters_moved).toBeUndefined();
    const compared = timelineInput.parse({ reporters: ["LV"], hs: "85", dataset, basis: "compared" });
    expect((await timeline(trade, compared)).meta.chapters_moved).toEqual(moved);
  });
});

test("a forecast of a code that ended is that of its family, and begins after the last month", async () => {
  const [step] = skills.find(({ name }) => name === "oracle")!.steps;
  const forecastOn = async (basis: unknown) => {
    const input = timelineInput.parse({ reporters: ["LV"], hs: ENDED, flow: "IMPORT", basis });
    const { data } = await timeline(trade, input);
    const rests_on = { dataset: "d", rests_on: "v", synthetic: false, source: "s" };
    const { forecast_of_months: method } = methodsOfPlans;
    return method.compute(method.input.parse({ series: data, rests_on, months_ahead: 3 })).data[0]!;
  };
  const found = await forecastOn(step!.input.basis);
  expect(found.months.map(({ month }) => month)).toEqual(["2024-01", "2024-02", "2024-03"]);
  expect(found.months_used).toBe(60);
  // As reported it would be one of the months after the code's end.
  expect((await forecastOn("reported")).months[0]!.month).toBe("2022-01");
});
