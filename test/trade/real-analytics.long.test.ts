/** The analyses over real Eurostat files against plain SQL over the same figures, without the service's code. */
import { beforeAll, describe, expect, test } from "vitest";
import { alerts, alertsInput } from "../../src/projections/trade/answers/alerts.ts";
import { concentration, concentrationInput } from "../../src/projections/trade/answers/concentration.ts";
import { corridor, corridorInput } from "../../src/projections/trade/answers/corridor.ts";
import { flowPulse, flowPulseInput } from "../../src/projections/trade/answers/flow-pulse.ts";
import { heatmap, heatmapInput } from "../../src/projections/trade/answers/heatmap.ts";
import { pricesInput, pricesPerTonne } from "../../src/projections/trade/answers/prices.ts";
import { productDetail, productDetailInput } from "../../src/projections/trade/answers/product-detail.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { season, seasonInput } from "../../src/projections/trade/answers/seasonality.ts";
import { sources, sourcesInput } from "../../src/projections/trade/answers/sources.ts";
import { here, openRealTrade } from "./real-trade.ts";

/** P(|T| ≥ t) for 11 degrees of freedom: Simpson's rule over the density 0.3900·(1 + u²/11)⁻⁶ from 0 to t. */
function tailByIntegration(t: number): number {
  // Γ(6) / (√(11π)·Γ(5.5)), Γ(5.5) = 945·√π / 32.
  const scale = (120 * 32) / (945 * Math.PI * Math.sqrt(11));
  const steps = 2_000;
  let sum = 0;
  for (let at = 0; at <= steps; at++) {
    const weight = at === 0 || at === steps ? 1 : at % 2 ? 4 : 2;
    sum += weight * (1 + ((t * at) / steps) ** 2 / 11) ** -6;
  }
  return 1 - (2 * scale * sum * t) / (3 * steps);
}

describe.skipIf(!here)("analyses equal SQL over the real files", () => {
  let trade: TradeData;
  let sql: (query: string) => Promise<Record<string, unknown>[]>;

  beforeAll(async () => {
    const opened = await openRealTrade();
    trade = opened.trade;
    sql = opened.figures.sql;
    return opened.close;
  });

  /**
   * A reporter's months of a product: the WORLD row if the month has one, else its partners; `t` counts months from
   * 2023-01.
   */
  const monthly = (product: string) => `
    select reporter, flow, (year - 2023) * 12 + month as t,
      coalesce(sum(value_eur) filter (partner = 'WORLD'), sum(value_eur)) as value,
      coalesce(sum(quantity_kg) filter (partner = 'WORLD'), sum(quantity_kg)) as kg
    from trade where product = '${product}' group by all`;

  test("heatmap: 39206290, imports of 2024, all 27", async () => {
    const { data, meta } = await heatmap(
      trade,
      heatmapInput.parse({ year: 2024, flow: "IMPORT", hs: "39206290" }),
    );
    const expected = await sql(`
      select reporter, sum(value) filter (t between 13 and 24)::double as now, sum(value) filter (t <= 12)::double as before
      from (${monthly("39206290")}) where flow = 'IMPORT' group by 1 order by 2 desc`);
    expect(data.map(({ reporter, value_eur }) => [reporter, value_eur])).toEqual(
      expected.map(({ reporter, now }) => [reporter, now]),
    );
    const sum = expected.reduce((total, { now }) => total + (now as number), 0);
    expect(meta.total.value_eur).toBe(sum);
    for (const [at, row] of data.entries()) {
      const { now, before } = expected[at] as { now: number; before: number };
      expect(row.rank).toBe(at + 1);
      expect(row.share).toBeCloseTo(now / sum, 5);
      expect(row.change).toBeCloseTo(now / before - 1, 5);
      expect(row.complete).toBe(true);
    }
    expect(data.reduce((total, { share }) => total + share!, 0)).toBeCloseTo(1, 4);
  });

  test("product detail: months and partners of DE in 39206290", async () => {
    const input = productDetailInput.parse({ reporter: "DE", hs: "39206290", years: "2023-2024" });
    const { data, meta } = await productDetail(trade, input);
    const expected = await sql(
      `from (${monthly("39206290")}) where reporter = 'DE' and t <= 24 order by flow desc, t`,
    );
    const all = [...data.months.map((m) => m.imports_eur), ...data.months.map((m) => m.exports_eur)];
    expect(all).toEqual(expected.map(({ value }) => value));
    const partners = await sql(`select partner, sum(value_eur)::double as value from trade
      where reporter = 'DE' and product = '39206290' and year < 2025 and partner <> 'WORLD' group by 1 order by 2 desc, 1`);
    expect(data.top_partners.slice(0, -1).map(({ partner, value_eur }) => [partner, value_eur])).toEqual(
      partners.slice(0, 20).map(({ partner, value }) => [partner, value]),
    );
    expect(meta.ranked_of).toBe(partners.length);
  });

  test.each([
    ["DE", "39206290", "IMPORT"],
    ["LV", "32151900", "EXPORT"],
    ["MT", "85235910", "IMPORT"],
  ])("price per tonne: %s %s %s", async (reporter, hs, flow) => {
    const input = pricesInput.parse({ reporter, hs, flow });
    const { data } = await pricesPerTonne(trade, input);
    const expected = await sql(`
      with cells as (
        select *, max(partner = 'WORLD') over (partition by year, month) as has_world from trade
        where reporter = '${reporter}' and product = '${hs}' and flow = '${flow}'
      )
      select printf('%d-%02d', year, month) as period,
        1000 * sum(value_eur) filter (quantity_kg > 0) / sum(quantity_kg) filter (quantity_kg > 0) as price,
        coalesce(sum(value_eur) filter (not coalesce(quantity_kg > 0, false)), 0)::double as excluded
      from cells where has_world = (partner = 'WORLD') group by 1 order by 1`);
    const found = data.series.filter(({ value_eur, excluded_value_eur }) => value_eur || excluded_value_eur);
    expect(found.map(({ period, excluded_value_eur }) => [period, excluded_value_eur])).toEqual(
      expected.map(({ period, excluded }) => [period, excluded]),
    );
    for (const [at, { price_eur_per_tonne }] of found.entries()) {
      const price = expected[at]!.price as number | null;
      if (price === null) expect(price_eur_per_tonne).toBeNull();
      else expect(price_eur_per_tonne! / price).toBeCloseTo(1, 9);
    }
    const [summary] = data.summary;
    const complete = new Set(data.series.filter((row) => row.complete).map(({ period }) => period));
    const prices = expected.filter(({ period, price }) => price !== null && complete.has(period as string));
    const list = prices.map(({ price }) => price).join(", ");
    const [statistics] = await sql(`
      select median(p) as median, stddev_samp(p) as sd, min(p) as low, max(p) as high,
        (select count(*) from unnest([${list}]) v(q) where abs(ln(q) - m) / (1.4826 * d) > 3.5)::int as outliers
      from unnest([${list}]) u(p), (select median(ln(r)) as m, mad(ln(r)) as d from unnest([${list}]) w(r)) group by m, d`);
    expect(summary!.months).toBe(prices.length);
    expect(summary!.median_eur_per_tonne! / (statistics!.median as number)).toBeCloseTo(1, 6);
    expect(summary!.standard_deviation_eur_per_tonne! / (statistics!.sd as number)).toBeCloseTo(1, 6);
    expect(summary!.lowest!.price_eur_per_tonne / (statistics!.low as number)).toBeCloseTo(1, 6);
    expect(summary!.highest!.price_eur_per_tonne / (statistics!.high as number)).toBeCloseTo(1, 6);
    expect(summary!.outliers).toHaveLength(statistics!.outliers as number);
  });

  test.each([
    ["DE", "39206290", "IMPORT"],
    ["FR", "48114900", "EXPORT"],
    ["IT", "39100000", "IMPORT"],
  ])("seasonality: %s %s %s", async (reporter, hs, flow) => {
    const input = seasonInput.parse({ reporter, hs, flow });
    const { data } = await season(trade, input);
    // The 2×12 average as the mean of two 12-month ones, over delivered months: to November 2025.
    const expected = await sql(`
      with months as (from (${monthly(hs)}) where reporter = '${reporter}' and flow = '${flow}' and t <= 35),
      averages as (
        select t, value, (avg(value) over (order by t rows between 6 preceding and 5 following)
          + avg(value) over (order by t rows between 5 preceding and 6 following)) / 2 as trend
        from months
      ), means as (
        select (t - 1) % 12 as month, avg(value / trend) as factor from averages where t between 7 and 29 group by 1
      )
      select factor / (select avg(factor) from means) as factor from means order by month`);
    expect(expected).toHaveLength(12);
    const { profile, months_used, peak } = data[0]!;
    expect(months_used).toBe(35);
    for (const [at, factor] of profile!.entries())
      expect(factor).toBeCloseTo(expected[at]!.factor as number, 5);
    expect(profile!.reduce((sum, factor) => sum + factor, 0)).toBeCloseTo(12, 4);
    expect(peak!.factor).toBe(Math.max(...profile!));
  });

  test.each([
    ["DE", "39206290"],
    ["LV", "39206290"],
    ["PL", "32121000"],
  ])("concentration: %s %s in 2024, both flows", async (reporter, hs) => {
    const input = concentrationInput.parse({ reporter, hs, year: 2024 });
    const { data } = await concentration(trade, input);
    for (const result of data) {
      const [expected] = await sql(`
        with partners as (
          select partner, sum(value_eur) as value from trade where reporter = '${reporter}' and product = '${hs}'
            and flow = '${result.flow}' and year = 2024 and partner <> 'WORLD' group by 1
        ), shares as (select value / sum(value) over () as share, row_number() over (order by value desc) as place from partners)
        select sum(pow(100 * share, 2)) as hhi, sum(share) filter (place <= 3) as cr3, sum(share) filter (place <= 5) as cr5,
          count(*)::int as partners,
          (select sum(value) from (${monthly(hs)}) where reporter = '${reporter}' and flow = '${result.flow}' and t between 13 and 24)::double as total
        from shares`);
      expect(result.hhi).toBeCloseTo(expected!.hhi as number, 4);
      expect(result.cr3).toBeCloseTo(expected!.cr3 as number, 5);
      expect(result.cr5).toBeCloseTo(expected!.cr5 as number, 5);
      expect([result.partners, result.total_value_eur]).toEqual([expected!.partners, expected!.total]);
      expect(result.listed_share).toBeCloseTo(result.listed_value_eur! / result.total_value_eur!, 5);
    }
  });

  test.each(["39206290", "39100000", "48114900"])("alerts: every tested month of %s", async (hs) => {
    const { data, meta } = await alerts(trade, alertsInput.parse({ months: 12, hs }));
    expect(meta.months).toEqual({ from: "2025-01", to: "2025-12" });
    const late = meta.incomplete.map(({ reporter }) => `'${reporter}'`).join(", ");
    const tested = (await sql(`
      with series as (select distinct reporter, flow from trade where product = '${hs}'),
      grid as (
        select reporter, flow, t, coalesce(value, 0) as value from series cross join range(1, 37) r(t)
          left join (${monthly(hs)}) using (reporter, flow, t) where t < 36 or reporter not in (${late})
      ), moving as (
        select *, avg(value) over trailing12 as mean, stddev_samp(value) over trailing12 as sd from grid
        window trailing12 as (partition by reporter, flow order by t rows between 12 preceding and 1 preceding)
      )
      select reporter, flow, printf('2025-%02d', t - 24) as period, (value - mean) / greatest(sd, 0.05 * mean) as z
      from moving where t > 24 and mean >= 1000000 order by abs(z) desc`)) as {
      reporter: string;
      flow: string;
      period: string;
      z: number;
    }[];
    expect(meta.tested).toBe(tested.length);
    // Benjamini and Hochberg by steps: the largest k with p_k ≤ 0.05·k/m.
    const ps = tested.map(({ z }) => tailByIntegration(Math.abs(z)));
    const k = ps.findLastIndex((p, at) => p <= (0.05 * (at + 1)) / ps.length) + 1;
    expect(meta.significant).toBe(k);
    expect(data.alerts.map(({ reporter, flow, period }) => [reporter, flow, period])).toEqual(
      tested.slice(0, Math.min(k, 100)).map(({ reporter, flow, period }) => [reporter, flow, period]),
    );
    for (const [at, { z }] of data.alerts.entries()) expect(z).toBeCloseTo(tested[at]!.z, 5);
    // The eighteen reporters without December are not judged in it.
    for (const { reporter, period } of data.alerts)
      if (period === "2025-12") expect(late).not.toContain(reporter);
  });

  test("movers: the months delivered in both years", async () => {
    const { data, meta } = await alerts(
      trade,
      alertsInput.parse({ months: 3, hs: "39206290", flow: "IMPORT" }),
    );
    const late = meta.incomplete.map(({ reporter }) => `'${reporter}'`).join(", ");
    const expected = await sql(`
      select reporter, sum(value) filter (t >= 34)::double as now, sum(value) filter (t < 34)::double as before
      from (${monthly("39206290")}) where flow = 'IMPORT' and (t between 34 and 36 or t between 22 and 24)
        and not (reporter in (${late}) and t in (24, 36))
      group by 1 order by abs(now - before) desc limit 20`);
    expect(data.movers.map((row) => [row.reporter, row.value_eur, row.year_before_eur])).toEqual(
      expected.map(({ reporter, now, before }) => [reporter, now, before]),
    );
  });

  test("corridor: both views of DE and FR in 39206290 are each other's mirror", async () => {
    const hs = "39206290";
    const one = await corridor(
      trade,
      corridorInput.parse({ reporter: "DE", partner: "FR", hs, years: "2023-2024" }),
    );
    const expected = await sql(`
      select reporter, flow, sum(value_eur)::double as value from trade where product = '${hs}' and year < 2025
        and (reporter, partner) in (('DE', 'FR'), ('FR', 'DE')) group by all`);
    const value = (reporter: string, flow: string) =>
      expected.find((row) => row.reporter === reporter && row.flow === flow)!.value;
    const [section] = one.data.databases;
    const [sells, buys] = section!.directions;
    expect([sells!.exporter_view?.value_eur, sells!.importer_view?.value_eur]).toEqual([
      value("DE", "EXPORT"),
      value("FR", "IMPORT"),
    ]);
    expect([buys!.exporter_view?.value_eur, buys!.importer_view?.value_eur]).toEqual([
      value("FR", "EXPORT"),
      value("DE", "IMPORT"),
    ]);
    expect(sells!.mirror).toMatchObject({
      months: 24,
      gap_eur: (value("FR", "IMPORT") as number) - (value("DE", "EXPORT") as number),
    });
    const balances = section!.balance.reduce((sum, { balance_eur }) => sum + balance_eur!, 0);
    expect(balances).toBe((value("DE", "EXPORT") as number) - (value("DE", "IMPORT") as number));
    // From the other country's side: the same two directions with the same views.
    const two = await corridor(
      trade,
      corridorInput.parse({ reporter: "FR", partner: "DE", hs, years: "2023-2024" }),
    );
    const [theirs] = two.data.databases;
    expect(theirs!.directions[1]!.mirror).toEqual(sells!.mirror);
    expect(theirs!.directions[0]!.mirror).toEqual(buys!.mirror);
  });

  test("flow pulse: z and share of a reporter's whole trade", async () => {
    const hs = "39206290";
    const { data } = await flowPulse(trade, flowPulseInput.parse({ months: 12, hs, limit: 100 }));
    expect(data.length).toBeGreaterThan(3);
    const products = (await sql("select distinct product from trade")).map(
      ({ product }) => product as string,
    );
    const all = products.map((product) => `from (${monthly(product)})`).join(" union all ");
    for (const row of data) {
      const t = 24 + Number(row.period.slice(5));
      const [expected] = await sql(`
        with own as (from (${monthly(hs)}) where reporter = '${row.reporter}' and flow = '${row.flow}')
        select ((select value from own where t = ${t}) - sum(value) / 12)
            / greatest(stddev_samp(value), 0.05 * sum(value) / 12) as z,
          sum(value) / (select sum(value) from (${all}) where reporter = '${row.reporter}' and flow = '${row.flow}'
            and t between ${t - 12} and ${t - 1}) as share
        from own where t between ${t - 12} and ${t - 1}`);
      expect(row.z).toBeCloseTo(expected!.z as number, 5);
      expect(row.share_of_trade).toBeCloseTo(expected!.share as number, 5);
      expect(row.pulse).toBeCloseTo(Math.abs(row.z) * Math.sqrt(row.share_of_trade), 3);
    }
  });

  test("source concentration: eighteen products in 2024, over the WORLD total", async () => {
    const products = await sql("select distinct product from trade where partner <> 'WORLD' order by 1");
    let signals = 0;
    for (const product of products.map((row) => row.product as string)) {
      const input = { hs: product, year: 2024, limit: 100 };
      const { data, meta } = await sources(trade, sourcesInput.parse(input));
      const expected = await sql(`
        with partners as (
          select reporter, partner, sum(value_eur) as value from trade where product = '${product}' and year = 2024
            and flow = 'IMPORT' and partner <> 'WORLD' group by all
        ), totals as (
          select reporter, sum(value) as total from (${monthly(product)})
          where flow = 'IMPORT' and t between 13 and 24 group by 1
        )
        select reporter, arg_max(partner, value) as partner, max(value)::double as value, any_value(total)::double as total
        from partners join totals using (reporter) group by 1
        having max(value) >= 0.5 * any_value(total) and any_value(total) >= 12000000 order by 3 desc`);
      expect(data.map((row) => [row.reporter, row.partner, row.value_eur, row.total_eur])).toEqual(
        expected.map(({ reporter, partner, value, total }) => [reporter, partner, value, total]),
      );
      expect(meta.ranked_of).toBe(expected.length);
      signals += expected.length;
    }
    expect(signals).toBeGreaterThan(0);
  });
});
