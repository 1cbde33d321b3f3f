/** The analyses over the sandbox: against plain SQL over its tables, as properties, and with too little data. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { cnNomenclature } from "../../src/datasets/reference/cn-nomenclature.ts";
import { reporterCodes } from "../../src/domain/trade/reporters.ts";
import { flows } from "../../src/domain/trade/units.ts";
import {
  classifications,
  classificationsInput,
} from "../../src/projections/customs/answers/classifications.ts";
import { product as fusionProduct, productInput } from "../../src/projections/fusion/answers/product.ts";
import { anyTargetInput } from "../../src/projections/mirror/answers/answer.ts";
import { reconstruct } from "../../src/projections/mirror/answers/reconstruct.ts";
import { rankingInput, topPartners } from "../../src/projections/trade/answers/rankings.ts";
import { woodInput } from "../../src/projections/trade/answers/wood.ts";
import { refusalOf } from "../datasets/workshop.ts";
import { made, storeOf } from "../reference/store-of.ts";
import { scaled } from "../support/scale.ts";
import { openAnalyses } from "./analyses.ts";

let opened: Awaited<ReturnType<typeof openAnalyses>>;
let ask: (typeof opened)["ask"];
let sql: (typeof opened)["sql"];

const partnersOf = (request: object) => topPartners(opened.trade, rankingInput.parse(request));

beforeAll(async () => {
  opened = await openAnalyses();
  ({ ask, sql } = opened);
  return opened.close;
});

describe("wood products", () => {
  test("lists headings with their top three partners, equal to the cells", async () => {
    const { data, meta } = await ask.wood({ reporter: "LV", year: 2024, flow: "EXPORT" });
    const expected = await sql<{ code: string; value: number; partners: string[] }>(`
      select code, sum(value)::bigint as value, list(partner order by value desc, partner)[:3] as partners from (
        select product[:4] as code, partner, sum(value_eur) as value from cells
        where reporter = 'LV' and flow = 'EXPORT' and period // 100 = 2024 and hs2 = '44' group by all
      ) group by 1 order by 2 desc, 1`);
    const found = data.slice(0, -1);
    expect(found.map((row) => [row.product, row.value_eur])).toEqual(
      expected.map(({ code, value }) => [code, value]),
    );
    expect(found.map((row) => row.top_partners.map(({ partner }) => partner))).toEqual(
      expected.map(({ partners }) => partners),
    );
    expect(found[0]!.name).toBeTypeOf("string");
    expect(data.at(-1)).toMatchObject({ product: "rest", value_eur: 0, top_partners: [] });
    expect(meta).toMatchObject({ count: expected.length, year: 2024, synthetic: true });
  });

  test("lists the next finer codes with hs, and only wood", async () => {
    const { data } = await ask.wood({ reporter: "LV", year: 2024 });
    const heading = data[0]!.product;
    const finer = await ask.wood({ reporter: "LV", year: 2024, hs: heading });
    expect(finer.data.slice(0, -1).every(({ product }) => product.length === 6)).toBe(true);
    expect(finer.meta.total.value_eur).toBe(data[0]!.value_eur);
    const leaf = finer.data[0]!.product;
    const finest = await ask.wood({ reporter: "LV", year: 2024, hs: leaf });
    const whole = await ask.wood({ reporter: "LV", year: 2024, hs: finest.data[0]!.product });
    expect(whole.data[0]).toMatchObject({
      value_eur: finest.data[0]!.value_eur,
      top_partners: finest.data[0]!.top_partners,
    });
    expect(woodInput.safeParse({ reporter: "LV", hs: "39" }).error?.issues[0]?.message).toMatch(/chapter 44/);
  });
});

describe("heatmap", () => {
  test("lists all 27 and marks the undelivered December of 2025", async () => {
    const { data, meta } = await ask.heatmap({ year: 2025, hs: "87" });
    expect(data.map(({ reporter }) => reporter).sort()).toEqual([...reporterCodes].sort());
    expect(data.map(({ rank }) => rank)).toEqual(Array.from({ length: 27 }, (_, at) => at + 1));
    const late = data.filter(({ complete }) => !complete).map(({ reporter }) => reporter);
    expect(late.sort()).toEqual(meta.incomplete.map(({ reporter }) => reporter).sort());
    for (const row of data) {
      expect(row.value_eur).toBe(row.imports_eur! + row.exports_eur!);
      expect(row.change === null).toBe(late.includes(row.reporter));
    }
  });

  test("below chapters one country never represents the EU, even if its dataset is named", async () => {
    const { trade } = opened;
    const product = { hs: "39206290" };
    const requests = [
      () => ask.heatmap({ year: 2024, ...product }),
      () => ask.heatmap({ year: 2024, ...product, dataset: "comext-ds-045409" }),
      () => ask.sources({ year: 2024, ...product }),
      () => ask.alerts({ months: 6, ...product }),
      () => ask.pulse({ months: 6, ...product }),
      () => fusionProduct(trade, productInput.parse({ year: 2024, ...product })),
      () =>
        reconstruct(
          trade,
          () => undefined,
          anyTargetInput.parse({ target_country: "CN", direction: "EXPORT", year: 2024, ...product }),
        ),
    ];
    for (const one of requests) {
      const refusal = await refusalOf(one());
      expect(refusal).toMatchObject({ type: { slug: "outside-coverage" } });
      expect(refusal.message).toMatch(
        /covers the reporters DE; not AT, BE, .* for 39206290.*; give chapter 39, or/,
      );
    }
    // Its own country is answered, and the answer says whom it covers.
    const { meta } = await partnersOf({ reporter: "DE", year: 2024, ...product });
    expect(meta.coverage.reporters).toEqual(["DE"]);
    expect(meta.real_data).toBeUndefined();
  });

  test("an answer from the sandbox lists the real data, if there are any", async () => {
    const { meta } = await ask.heatmap({ year: 2024, hs: "87" });
    expect(meta).toMatchObject({
      synthetic: true,
      real_data: [{ dataset: "comext-ds-045409", why: "covers the products 39206290" }],
    });
    const named = await partnersOf({ reporter: "DE", year: 2024, hs: "39", dataset: "sandbox" });
    expect(named.meta.real_data).toMatchObject([{ dataset: "comext-ds-045409" }]);
    const names = await storeOf(made(cnNomenclature, cnNomenclature.sandbox(), true));
    const listed = classificationsInput.parse({ code: "44", dataset: "sandbox" });
    expect((await classifications(opened.trade, names, listed)).meta.data).toMatchObject({
      ...{ dataset: "sandbox", synthetic: true },
      real_data: [{ dataset: "comext-ds-045409" }],
    });
  });

  test("refuses a year and a product outside the coverage by field", async () => {
    const refusal = await refusalOf(ask.heatmap({ year: 2004, hs: "44" }));
    expect(refusal).toMatchObject({ code: "invalid", errors: [{ path: "year" }] });
    const product = await refusalOf(ask.heatmap({ year: 2024, hs: "77" }));
    expect(product).toMatchObject({ code: "invalid", errors: [{ path: "hs" }] });
    const partners = await refusalOf(ask.concentration({ reporter: "DE", year: 2024, hs: "77" }));
    expect(partners).toMatchObject({ errors: [{ path: "hs" }] });
    const finer = await refusalOf(ask.prices({ reporter: "DE", hs: "870322" }));
    expect(finer).toMatchObject({
      errors: [{ path: "hs", message: expect.stringMatching(/covers the products/) }],
    });
  });
});

describe("product detail and prices", () => {
  test("has months, partners and the rest that add up to the total", async () => {
    const { data, meta } = await ask.detail({ reporter: "DE", hs: "87", years: "2022-2024" });
    expect(data.months).toHaveLength(36);
    const months = data.months.reduce((sum, row) => sum + row.imports_eur! + row.exports_eur!, 0);
    const partners = data.top_partners.reduce((sum, { value_eur }) => sum + value_eur, 0);
    expect([months, partners]).toEqual([data.total.value_eur, data.total.value_eur]);
    expect(meta).toMatchObject({ reporter: "DE", product: "87", years: { from: 2022, to: 2024 } });
  });

  test.each([
    ["44", "cells"],
    ["87", "chapter_partners"],
  ])("prices chapter %s over %s and reports the value without a mass", async (hs, table) => {
    const { data } = await ask.prices({ reporter: "DE", hs, flow: "IMPORT", years: "2023-2024" });
    const expected = await sql<{ period: number; price: number; excluded: number }>(`
      select period, 1000 * sum(value_eur) filter (quantity_kg > 0) / sum(quantity_kg)::double as price,
        coalesce(sum(value_eur) filter (quantity_kg is null), 0)::bigint as excluded
      from ${table} where reporter = 'DE' and flow = 'IMPORT' and hs2 = '${hs}' and period // 100 in (2023, 2024)
      group by 1 order by 1`);
    expect(data.series.map((row) => row.excluded_value_eur)).toEqual(expected.map((row) => row.excluded));
    for (const [at, row] of data.series.entries())
      expect(row.price_eur_per_tonne! / expected[at]!.price).toBeCloseTo(1, 7);
    const excluded = expected.reduce((sum, row) => sum + row.excluded, 0);
    expect(excluded).toBeGreaterThan(0);
    expect(data.summary[0]).toMatchObject({ months: 24, excluded_value_eur: excluded });
    expect(data.summary[0]!.change).toBeTypeOf("number");
  });

  test("has no price without trade, and shows a provisional month outside of the statistics", async () => {
    const one = await ask.prices({ reporter: "DE", hs: "39206290" });
    // 9000 EUR in January over 2000 kg of WORLD; no imports in February. Exports state no mass.
    expect(one.data.series).toMatchObject([
      { flow: "IMPORT", price_eur_per_tonne: 4500, value_eur: 9000, quantity_kg: 2000, complete: true },
      { flow: "IMPORT", price_eur_per_tonne: null, value_eur: 0, excluded_value_eur: 0 },
      { flow: "EXPORT", price_eur_per_tonne: null, value_eur: 0 },
      { flow: "EXPORT", price_eur_per_tonne: null, value_eur: 0, excluded_value_eur: 900 },
    ]);
    expect(one.data.summary[0]).toMatchObject({
      months: 1,
      standard_deviation_eur_per_tonne: null,
      change: null,
    });
    expect(one.data.summary[1]).toMatchObject({
      months: 0,
      average_eur_per_tonne: null,
      lowest: null,
      excluded_share: 1,
    });
    const ragged = await ask.prices({ reporter: "DE", hs: "87", flow: "EXPORT", years: "2025" });
    expect(ragged.data.series.at(-1)).toMatchObject({ period: "2025-12", complete: false });
    expect(ragged.data.summary[0]!.months).toBe(11);
  });
});

describe("seasonality", () => {
  test("needs more than one year, and the refusal says so", async () => {
    const short = ask.season({ reporter: "DE", hs: "87", flow: "EXPORT", years: "2024" });
    await expect(short).rejects.toThrow(/12 months are known.*at least 24/);
  });

  test("ignores an undelivered month", async () => {
    const { data } = await ask.season({ reporter: "DE", hs: "84", years: "2020-2025" });
    expect(data.map(({ flow, months_used }) => [flow, months_used])).toEqual([
      ["IMPORT", 71],
      ["EXPORT", 71],
    ]);
    for (const { profile, peak, trough } of data) {
      expect(profile![peak!.month - 1]).toBe(Math.max(...profile!));
      expect(profile![trough!.month - 1]).toBe(Math.min(...profile!));
    }
  });
});

describe("for any reporter, chapter, year and flow", () => {
  const question = fc.record({
    reporter: fc.constantFrom(...reporterCodes),
    hs: fc.constantFrom("27", "44", "84", "85", "87"),
    year: fc.integer({ min: 2006, max: 2024 }),
    flow: fc.constantFrom(...flows),
  });

  test("shares of partners sum to one, and the index follows from the shares within its bounds", async () => {
    await fc.assert(
      fc.asyncProperty(question, async (request) => {
        const [result] = (await ask.concentration(request)).data;
        if (result!.partners === 0)
          return expect(result).toMatchObject({ hhi: null, note: expect.any(String) });
        expect(result!.hhi).toBeGreaterThanOrEqual(10_000 / result!.partners - 0.001);
        expect(result!.hhi).toBeLessThanOrEqual(10_000.001);
        expect(result!.listed_value_eur).toBe(result!.total_value_eur);
        if (result!.partners > 10) return;
        const shares = result!.top_partners.map(({ share }) => share);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 4);
        expect(shares.reduce((sum, share) => sum + (100 * share) ** 2, 0)).toBeCloseTo(result!.hhi!, 0);
      }),
      { numRuns: scaled(30, 10) },
    );
  });

  test("shares of countries sum to one, and seasonal factors average one", async () => {
    await fc.assert(
      fc.asyncProperty(question, async ({ reporter, hs, year, flow }) => {
        const map = await ask.heatmap({ hs, year, flow });
        expect(map.data.reduce((sum, { share }) => sum + share!, 0)).toBeCloseTo(1, 4);
        const [profile] = (await ask.season({ reporter, hs, flow })).data;
        if (profile!.profile === null) return;
        expect(profile!.profile.reduce((sum, factor) => sum + factor, 0)).toBeCloseTo(12, 4);
      }),
      { numRuns: scaled(15, 10) },
    );
  });
});
