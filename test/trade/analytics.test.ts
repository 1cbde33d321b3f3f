/** The analyses over the sandbox: against plain SQL over its tables, as properties, and where there is too little data. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { openVintages } from "../../src/datasets/vintage-store.ts";
import { trailingScore } from "../../src/domain/trade/anomalies.ts";
import { isReporter, reporterCodes } from "../../src/domain/trade/reporters.ts";
import { flows } from "../../src/domain/trade/units.ts";
import { alerts, alertsInput, alertsOutput } from "../../src/projections/trade/alerts.ts";
import {
  concentration,
  concentrationInput,
  concentrationOutput,
} from "../../src/projections/trade/concentration.ts";
import { corridor, corridorInput, corridorOutput } from "../../src/projections/trade/corridor.ts";
import { flowPulse, flowPulseInput, flowPulseOutput } from "../../src/projections/trade/flow-pulse.ts";
import { heatmap, heatmapInput, heatmapOutput } from "../../src/projections/trade/heatmap.ts";
import { pricesInput, pricesOutput, pricesPerTonne } from "../../src/projections/trade/prices.ts";
import {
  productDetail,
  productDetailInput,
  productDetailOutput,
} from "../../src/projections/trade/product-detail.ts";
import type { TradeData } from "../../src/projections/trade/question.ts";
import { season, seasonInput, seasonOutput } from "../../src/projections/trade/seasonality.ts";
import { timeline, timelineInput } from "../../src/projections/trade/series.ts";
import { sources, sourcesInput, sourcesOutput } from "../../src/projections/trade/sources.ts";
import { woodInput, woodOutput, woodProducts } from "../../src/projections/trade/wood.ts";
import { importFiles, limits, makeSandbox, refusalOf, sdmxFixture } from "../datasets/workshop.ts";

/** A sandbox beside a real dataset of one product and one reporter, two months of 2024. */
let trade: TradeData;
/** A query over the sandbox's tables, all years of each under its name. */
let sql: <Row>(query: string) => Promise<Row[]>;

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-data-"));
  const sandbox = await makeSandbox(dir, 0.06);
  const real = await importFiles(dir, [sdmxFixture], { reporters: ["DE"] });
  const vintages = await openVintages({ ...limits, dataDir: dir });
  await vintages.serve(sandbox.manifest.vintage);
  await vintages.serve(real.manifest.vintage);
  trade = { vintages, allow_synthetic: true };
  const lease = vintages.lease("sandbox");
  sql = (query) => {
    const tables = ["cells", "chapter_partners", "chapter_totals"].map(
      (table) =>
        `${table} as (${lease.partitions.map(({ database }) => `from ${database}.${table}`).join(" union all ")})`,
    );
    return lease.query(`with ${tables.join(", ")} ${query}`);
  };
  return async () => {
    lease.release();
    await vintages.close();
    await rm(dir, { recursive: true, force: true });
  };
});

/** Asks as the service does, and holds the answer against its schema. */
const asking =
  <Input extends z.ZodObject, Output extends z.ZodObject>(
    work: (trade: TradeData, input: z.output<Input>) => Promise<z.output<Output>>,
    input: Input,
    output: Output,
  ) =>
  async (asked: z.input<Input>) => {
    const answer = await work(trade, input.parse(asked));
    expect(output.parse(answer)).toEqual(answer);
    return answer;
  };

const ask = {
  wood: asking(woodProducts, woodInput, woodOutput),
  heatmap: asking(heatmap, heatmapInput, heatmapOutput),
  detail: asking(productDetail, productDetailInput, productDetailOutput),
  prices: asking(pricesPerTonne, pricesInput, pricesOutput),
  season: asking(season, seasonInput, seasonOutput),
  concentration: asking(concentration, concentrationInput, concentrationOutput),
  alerts: asking(alerts, alertsInput, alertsOutput),
  pulse: asking(flowPulse, flowPulseInput, flowPulseOutput),
  corridor: asking(corridor, corridorInput, corridorOutput),
  sources: asking(sources, sourcesInput, sourcesOutput),
};

describe("wood products", () => {
  test("headings with their top three partners, as the cells say", async () => {
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

  test("with hs the next finer codes; nothing but wood", async () => {
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
  test("all 27, the undelivered December of 2025 told", async () => {
    const { data, meta } = await ask.heatmap({ year: 2025, hs2: "87" });
    expect(data.map(({ reporter }) => reporter).sort()).toEqual([...reporterCodes].sort());
    expect(data.map(({ rank }) => rank)).toEqual(Array.from({ length: 27 }, (_, at) => at + 1));
    const late = data.filter(({ complete }) => !complete).map(({ reporter }) => reporter);
    expect(late.sort()).toEqual(meta.incomplete.map(({ reporter }) => reporter).sort());
    for (const row of data) {
      expect(row.value_eur).toBe(row.imports_eur! + row.exports_eur!);
      expect(row.change === null).toBe(late.includes(row.reporter));
    }
  });

  test("what one reporter covers leaves the others null, not zero", async () => {
    const { data } = await ask.heatmap({ year: 2024, hs2: "39", hs: "39206290" });
    expect(data[0]).toMatchObject({ rank: 1, reporter: "DE", value_eur: 9900, share: 1, complete: false });
    for (const row of data.slice(1))
      expect(row).toMatchObject({ rank: null, value_eur: null, share: null, quantity_kg: null });
  });

  test("a year and a product outside are refused by their own names", async () => {
    const refusal = await refusalOf(ask.heatmap({ year: 2004, hs2: "44" }));
    expect(refusal).toMatchObject({ code: "invalid", errors: [{ path: "year" }] });
    const product = await refusalOf(ask.heatmap({ year: 2024, hs2: "77" }));
    expect(product).toMatchObject({ code: "invalid", errors: [{ path: "hs2" }] });
    const partners = await refusalOf(ask.concentration({ reporter: "DE", year: 2024, hs2: "77" }));
    expect(partners).toMatchObject({ errors: [{ path: "hs2" }] });
    const finer = await refusalOf(ask.prices({ reporter: "DE", hs2: "87", hs: "870322" }));
    expect(finer).toMatchObject({
      errors: [{ path: "hs", message: expect.stringMatching(/covers the products/) }],
    });
    const beside = await refusalOf(ask.heatmap({ year: 2024, hs2: "44", hs: "3920" }));
    expect(beside).toMatchObject({
      errors: [{ path: "hs", message: expect.stringMatching(/not within hs2 44/) }],
    });
  });
});

describe("product detail and prices", () => {
  test("the months sum to the total, the partners and the rest too", async () => {
    const { data, meta } = await ask.detail({ reporter: "DE", hs2: "87", years: "2022-2024" });
    expect(data.months).toHaveLength(36);
    const months = data.months.reduce((sum, row) => sum + row.imports_eur! + row.exports_eur!, 0);
    const partners = data.top_partners.reduce((sum, { value_eur }) => sum + value_eur, 0);
    expect([months, partners]).toEqual([data.total.value_eur, data.total.value_eur]);
    expect(meta).toMatchObject({ reporter: "DE", product: "87", years: { from: 2022, to: 2024 } });
  });

  test.each([
    ["44", "cells"],
    ["87", "chapter_partners"],
  ])("price of chapter %s over %s, what has no mass told", async (hs2, table) => {
    const { data } = await ask.prices({ reporter: "DE", hs2, flow: "IMPORT", years: "2023-2024" });
    const expected = await sql<{ period: number; price: number; excluded: number }>(`
      select period, 1000 * sum(value_eur) filter (quantity_kg > 0) / sum(quantity_kg)::double as price,
        coalesce(sum(value_eur) filter (quantity_kg is null), 0)::bigint as excluded
      from ${table} where reporter = 'DE' and flow = 'IMPORT' and hs2 = '${hs2}' and period // 100 in (2023, 2024)
      group by 1 order by 1`);
    expect(data.series.map((row) => row.excluded_value_eur)).toEqual(expected.map((row) => row.excluded));
    for (const [at, row] of data.series.entries())
      expect(row.price_eur_per_tonne! / expected[at]!.price).toBeCloseTo(1, 7);
    const excluded = expected.reduce((sum, row) => sum + row.excluded, 0);
    expect(excluded).toBeGreaterThan(0);
    expect(data.summary[0]).toMatchObject({ months: 24, excluded_value_eur: excluded });
    expect(data.summary[0]!.change).toBeTypeOf("number");
  });

  test("no trade has no price; the provisional month is shown, but not in the statistics", async () => {
    const one = await ask.prices({ reporter: "DE", hs2: "39", hs: "39206290" });
    // 9000 EUR in January over 2000 kg of WORLD; in February nothing was imported. Exports state no mass.
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
    const ragged = await ask.prices({ reporter: "DE", hs2: "87", flow: "EXPORT", years: "2025" });
    expect(ragged.data.series.at(-1)).toMatchObject({ period: "2025-12", complete: false });
    expect(ragged.data.summary[0]!.months).toBe(11);
  });
});

describe("seasonality", () => {
  test("one year is too little, and says so", async () => {
    const { data } = await ask.season({ reporter: "DE", hs2: "87", flow: "EXPORT", years: "2024" });
    expect(data).toEqual([
      {
        flow: "EXPORT",
        profile: null,
        peak: null,
        trough: null,
        amplitude: null,
        months_used: 12,
        note: expect.stringMatching(/12 months are known.*at least 24/),
      },
    ]);
  });

  test("a month that is not delivered does not count", async () => {
    const { data } = await ask.season({ reporter: "DE", hs2: "84", years: "2020-2025" });
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
    hs2: fc.constantFrom("27", "44", "84", "85", "87"),
    year: fc.integer({ min: 2006, max: 2024 }),
    flow: fc.constantFrom(...flows),
  });

  test("shares of partners sum to one, the index lies within its bounds and is that of the shares", async () => {
    await fc.assert(
      fc.asyncProperty(question, async (asked) => {
        const [result] = (await ask.concentration(asked)).data;
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
      { numRuns: 30 },
    );
  });

  test("shares of countries sum to one, seasons average one", async () => {
    await fc.assert(
      fc.asyncProperty(question, async ({ reporter, hs2, year, flow }) => {
        const map = await ask.heatmap({ hs2, year, flow });
        expect(map.data.reduce((sum, { share }) => sum + share!, 0)).toBeCloseTo(1, 4);
        const [profile] = (await ask.season({ reporter, hs2, flow })).data;
        if (profile!.profile === null) return;
        expect(profile!.profile.reduce((sum, factor) => sum + factor, 0)).toBeCloseTo(12, 4);
      }),
      { numRuns: 15 },
    );
  });

  test("imports of A from B are the exports of B to A, as the other side tells them", async () => {
    const pair = fc.uniqueArray(fc.constantFrom("DE", "FR", "IT", "NL", "PL", "ES"), {
      minLength: 2,
      maxLength: 2,
    });
    await fc.assert(
      fc.asyncProperty(pair, async ([one, other]) => {
        if (!isReporter(one!)) return;
        const asked = { partner: other!, years: "2022-2024" };
        const { data } = await ask.corridor({ reporter: one, ...asked, dataset: "sandbox" });
        const sums = await sql<{ reporter: string; flow: string; value: number }>(`
          select reporter, flow, sum(value_eur)::bigint as value from chapter_partners
          where period // 100 between 2022 and 2024
            and (reporter = '${one}' and partner = '${other}' or reporter = '${other}' and partner = '${one}') group by all`);
        const value = (reporter: string, flow: string) =>
          sums.find((row) => row.reporter === reporter && row.flow === flow)?.value ?? 0;
        for (const { from, to, exporter_view, importer_view, mirror } of data.databases[0]!.directions) {
          expect([exporter_view!.value_eur, importer_view!.value_eur]).toEqual([
            value(from, "EXPORT"),
            value(to, "IMPORT"),
          ]);
          expect(mirror!.gap_eur).toBe(value(to, "IMPORT") - value(from, "EXPORT"));
        }
      }),
      { numRuns: 10 },
    );
  });
});

describe("alerts and flow-pulse", () => {
  test("find the sandbox's events, with the score of the formula", async () => {
    const { data, meta } = await ask.alerts({ months: 6 });
    expect(data.alerts).toContainEqual(
      expect.objectContaining({
        reporter: "LV",
        product: "27",
        flow: "IMPORT",
        period: "2025-10",
        direction: "spike",
        confirmed: true,
      }),
    );
    expect(data.alerts).toContainEqual(
      expect.objectContaining({ reporter: "PL", product: "85", period: "2025-08", direction: "spike" }),
    );
    expect(meta.months).toEqual({ from: "2025-07", to: "2025-12" });
    for (const { reporter, product, flow, period, z, base_eur } of data.alerts.slice(0, 10)) {
      const series = await timeline(trade, timelineInput.parse({ reporters: [reporter], hs: product, flow }));
      const at = series.data.findIndex((row) => row.period === period);
      const values = series.data.map((row) => (flow === "IMPORT" ? row.imports_eur! : row.exports_eur!));
      const trailing = values.slice(at - 12, at);
      expect(z).toBeCloseTo(trailingScore(values[at]!, trailing)!, 5);
      expect(base_eur).toBe(Math.round(trailing.reduce((sum, value) => sum + value, 0) / 12));
    }
  });

  test("a month that a reporter has not delivered does not alert, however far it has fallen", async () => {
    const { data, meta } = await ask.alerts({ months: 1 });
    const late = meta.incomplete.map(({ reporter }) => reporter);
    const fallen = await sql<{ reporter: string }>(`
      select reporter from chapter_totals where hs2 = '84' and flow = 'EXPORT' group by 1
      having coalesce(sum(value_eur) filter (period = 202512), 0) < 0.3 * sum(value_eur) filter (period = 202511)`);
    expect(fallen.length).toBeGreaterThan(5);
    for (const { reporter } of fallen) expect(late).toContain(reporter);
    for (const { reporter } of [...data.alerts, ...data.movers]) expect(late).not.toContain(reporter);
    const [tested] = await sql<{ count: number }>(`
      , before as (select reporter, hs2, flow, sum(value_eur) / 12 as mean from chapter_totals
        where period between 202412 and 202511 group by all)
      select count(*) as count from before where mean >= 1000000 and reporter not in (${late.map((code) => `'${code}'`).join(", ")})`);
    expect(meta.tested).toBe(tested!.count);
  });

  test("a dataset of two months has too little to judge, and says how much it tested", async () => {
    const { data, meta } = await ask.alerts({ hs: "39206290" });
    expect(meta).toMatchObject({ dataset: "comext-ds-045409", tested: 0, significant: 0, count: 0 });
    expect(meta.note).toMatch(/too little data/);
    expect(data).toEqual({ alerts: [], movers: [] });
    expect((await ask.pulse({ hs: "39206290" })).data).toEqual([]);
  });

  test("pulses fall, weigh by the reporter's trade, and can be of one reporter", async () => {
    const { data, meta } = await ask.pulse({ months: 6, limit: 10 });
    expect(data).toHaveLength(10);
    expect(data.map(({ pulse }) => pulse)).toEqual(data.map(({ pulse }) => pulse).sort((a, b) => b - a));
    expect(meta.ranked_of).toBeGreaterThan(10);
    for (const { pulse, z, share_of_trade } of data)
      expect(pulse).toBeCloseTo(Math.abs(z) * Math.sqrt(share_of_trade), 3);
    const [first] = data;
    const [trade12] = await sql<{ share: number }>(`
      select sum(value_eur) filter (hs2 = '${first!.product}') / sum(value_eur) as share from chapter_totals
      where reporter = '${first!.reporter}' and flow = '${first!.flow}'
        and period < ${first!.period.replace("-", "")} and period >= ${Number(first!.period.replace("-", "")) - 100}`);
    expect(first!.share_of_trade).toBeCloseTo(trade12!.share, 5);
    const own = await ask.pulse({ reporter: "LV", months: 6 });
    expect(own.data.every(({ reporter }) => reporter === "LV")).toBe(true);
  });
});

describe("corridor", () => {
  test("each database apart: the sandbox that covers all, and the real one that knows a part", async () => {
    const { data, meta } = await ask.corridor({ reporter: "DE", partner: "FR" });
    expect(
      data.databases.map(({ about }) => [about.dataset, about.synthetic, about.coverage.products.complete]),
    ).toEqual([
      ["sandbox", true, true],
      ["comext-ds-045409", false, false],
    ]);
    expect(meta).toMatchObject({ dataset: "sandbox", synthetic: true, count: 2 });
    const real = data.databases[1]!;
    expect(real.directions[1]).toMatchObject({ from: "FR", to: "DE", exporter_view: null, mirror: null });
    expect(real.directions[1]!.importer_view).toMatchObject({ value_eur: 5000, quantity_kg: 1234 });
    expect(real.directions[1]!.seasonality.note).toMatch(/at least 24/);
    const product = await ask.corridor({ reporter: "DE", partner: "FR", hs: "39206290" });
    expect(product.data.databases.map(({ about }) => about.dataset)).toEqual(["comext-ds-045409"]);
  });

  test("products, prices and the other side's figure, as the tables say", async () => {
    const { data } = await ask.corridor({ reporter: "DE", partner: "FR", years: "2024", dataset: "sandbox" });
    const [sells] = data.databases[0]!.directions;
    const expected = await sql<{ hs2: string; value: number; other: number | null; price: number }>(`
      select d.hs2, sum(d.value_eur)::bigint as value,
        (select sum(f.value_eur)::bigint from chapter_partners f where f.reporter = 'FR' and f.partner = 'DE'
          and f.flow = 'IMPORT' and f.hs2 = d.hs2 and f.period // 100 = 2024) as other,
        1000 * sum(d.value_eur) filter (d.quantity_kg > 0) / sum(d.quantity_kg)::double as price
      from chapter_partners d where reporter = 'DE' and partner = 'FR' and flow = 'EXPORT' and period // 100 = 2024
      group by 1 order by 2 desc, 1 limit 10`);
    expect(sells!.top_products.map((row) => [row.product, row.value_eur, row.other_view_eur])).toEqual(
      expected.map(({ hs2, value, other }) => [hs2, value, other ?? 0]),
    );
    for (const [at, row] of sells!.top_products.entries())
      if (row.product !== "44") expect(row.price_eur_per_tonne! / expected[at]!.price).toBeCloseTo(1, 6);
  });

  test("a partner outside the EU has no view of its own; one that never traded has zeros; oneself is refused", async () => {
    const { data } = await ask.corridor({ reporter: "DE", partner: "US", years: "2024" });
    expect(data.databases[0]!.directions[0]).toMatchObject({ importer_view: null, mirror: null });
    const none = await ask.corridor({ reporter: "DE", partner: "AQ", years: "2024" });
    expect(none.data.databases[0]!.balance).toEqual([
      { year: 2024, exports_eur: 0, imports_eur: 0, balance_eur: 0, complete: true },
    ]);
    const refusal = await refusalOf(ask.corridor({ reporter: "DE", partner: "DE" }));
    expect(refusal).toMatchObject({ code: "invalid", errors: [{ path: "partner" }] });
  });
});

describe("source concentration", () => {
  test("every chapter of every reporter with half from one partner, by the value at stake", async () => {
    const { data, meta } = await ask.sources({ year: 2024, limit: 100, threshold: 0.6 });
    const expected = await sql<{
      reporter: string;
      hs2: string;
      partner: string;
      value: number;
      of: number;
    }>(`
      select *, count(*) over () as of from (
        select reporter, hs2, arg_max(partner, value) as partner, max(value) as value from (
          select reporter, hs2, partner, sum(value_eur)::bigint as value from chapter_partners
          where flow = 'IMPORT' and period // 100 = 2024 group by all
        ) group by all having max(value) >= 0.6 * sum(value) and sum(value) >= 12000000
      ) order by value desc, reporter, hs2 limit 100`);
    expect(expected.length).toBeGreaterThan(10);
    expect(data.map((row) => [row.reporter, row.product, row.partner, row.value_eur])).toEqual(
      expected.map((row) => [row.reporter, row.hs2, row.partner, row.value]),
    );
    expect(meta).toMatchObject({ ranked_of: expected[0]!.of, threshold: 0.6, flow: "IMPORT" });
    for (const { share, second_share } of data) expect(share).toBeGreaterThanOrEqual(second_share ?? 0);
  });
});
