/**
 * Customs answers over the sandbox of Latvia, compared with plain SQL over its cells, which shares no code with them.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countryAnalysis, countryOutput } from "../../src/projections/customs/answers/country-analysis.ts";
import { seasonal, seasonalInput, seasonalOutput } from "../../src/projections/customs/answers/seasonal.ts";
import {
  commoditiesInput,
  commoditiesOutput,
  topCommodities,
} from "../../src/projections/customs/answers/top-commodities.ts";
import { trends, trendsInput, trendsOutput } from "../../src/projections/customs/answers/trends.ts";
import { topPartners } from "../../src/projections/trade/answers/rankings.ts";
import { season } from "../../src/projections/trade/answers/seasonality.ts";
import { balance } from "../../src/projections/trade/answers/series.ts";
import { refusalOf } from "../datasets/workshop.ts";
import { openLatvia } from "./latvia.ts";

let latvia: Awaited<ReturnType<typeof openLatvia>>;
beforeAll(async () => {
  latvia = await openLatvia();
});
afterAll(() => latvia.close());

/** Rows of SQL over the cells of Latvia at CN8. */
async function sql<Row>(query: string): Promise<Row[]> {
  const lease = latvia.trade.vintages.lease("sandbox-lv");
  const cells = lease.partitions.map(({ database }) => `from ${database}.cells`).join(" union all ");
  try {
    return await lease.query<Row>(`with cells as (${cells}) ${query}`);
  } finally {
    lease.release();
  }
}

describe("the dataset that answers", () => {
  test("customs operations and finer codes use Latvia's own dataset; chapters, other reporters and the 27 use the sandbox's", async () => {
    const { trade } = latvia;
    const codes = await sql<{ code: string }>(
      "select product as code from cells where hs2 <> '44' and product not like '%X' group by 1 order by sum(value_eur) desc limit 1",
    );
    const code = codes[0]!.code;
    const dataset = async (answer: Promise<{ meta: { dataset: string } }>) => (await answer).meta.dataset;
    const chapter = code.slice(0, 2);
    expect(await dataset(balance(trade, { reporter: "LV", hs: chapter }))).toBe("sandbox");
    expect(await dataset(balance(trade, { reporter: "LV" }))).toBe("sandbox");
    expect(await dataset(balance(trade, { reporter: "LV", hs: "4401" }))).toBe("sandbox");
    for (const digits of [4, 6, 8])
      expect(await dataset(balance(trade, { reporter: "LV", hs: code.slice(0, digits) }))).toBe("sandbox-lv");
    expect((await refusalOf(balance(trade, { reporter: "DE", hs: code }))).errors).toMatchObject([
      { path: "reporter" },
    ]);
    expect(await dataset(trends(trade, trendsInput.parse({})))).toBe("sandbox-lv");
    // Both hold the same trade: whichever answers, the figure is one.
    const ask = (of: string) => balance(trade, { reporter: "LV", hs: chapter, dataset: of });
    expect((await ask("sandbox-lv")).data).toEqual((await ask("sandbox")).data);
  });

  test("without the sandbox there is no answer, and a coarser dataset says that it is a part", async () => {
    const trade = { ...latvia.trade, allow_synthetic: false };
    expect(await refusalOf(trends(trade, trendsInput.parse({})))).toMatchObject({ code: "unavailable" });
    const coarse = commoditiesInput.parse({ year: 2024, dataset: "sandbox" });
    const { data, meta } = await topCommodities(latvia.trade, coarse);
    expect(meta.coverage.products.complete).toBe(false);
    expect(data.slice(0, -1).every(({ product }) => product.startsWith("44"))).toBe(true);
    const outside = trends(latvia.trade, trendsInput.parse({ years: "1999" }));
    expect(await refusalOf(outside)).toMatchObject({
      errors: [{ path: "years" }],
      type: { slug: "outside-coverage" },
    });
  });
});

test("trends are plain sums by year and month, with changes between complete ones only", async () => {
  const { data, meta } = trendsOutput.parse(
    await trends(latvia.trade, trendsInput.parse({ years: "2019-2025" })),
  );
  const found = await sql<{ period: number; flow: string; eur: number; kg: number }>(
    "select period, flow, sum(value_eur)::double as eur, sum(quantity_kg)::double as kg from cells group by all",
  );
  const sum = (from: number, to: number, flow: string, of: "eur" | "kg") =>
    found
      .filter((row) => row.flow === flow && row.period >= from && row.period <= to)
      .reduce((total, row) => total + row[of], 0);
  expect(data.years.map(({ year }) => year)).toEqual([2019, 2020, 2021, 2022, 2023, 2024, 2025]);
  for (const year of data.years) {
    const [from, to] = [year.year * 100 + 1, year.year * 100 + 12];
    expect([year.imports_eur, year.imports_kg]).toEqual([
      sum(from, to, "IMPORT", "eur"),
      sum(from, to, "IMPORT", "kg"),
    ]);
    expect(year.balance_eur).toBe(sum(from, to, "EXPORT", "eur") - sum(from, to, "IMPORT", "eur"));
    const before = sum(from - 100, to - 100, "EXPORT", "eur");
    const change = year.year === 2025 ? null : year.exports_eur! / before - 1;
    expect(year.complete).toBe(year.year !== 2025);
    if (change === null) expect(year.exports_change).toBeNull();
    else expect(year.exports_change).toBeCloseTo(change, 6);
  }
  const month = data.months.find(({ period }) => period === "2021-03")!;
  expect(month.imports_eur).toBe(sum(202103, 202103, "IMPORT", "eur"));
  expect(month.imports_change).toBeCloseTo(month.imports_eur! / sum(202003, 202003, "IMPORT", "eur") - 1, 6);
  expect(meta).toMatchObject({ synthetic: true, direction: null });
  const one = await trends(latvia.trade, trendsInput.parse({ years: "2020", direction: "EXPORT" }));
  expect(Object.keys(one.data.years[0]!)).not.toContain("imports_eur");
  expect(Object.keys(one.data.years[0]!)).not.toContain("balance_eur");
  expect(one.data.months).toHaveLength(12);
});

test.each([
  ["value", "IMPORT"],
  ["weight", "EXPORT"],
] as const)(
  "top commodities by %s of %s are plain sums at CN8, with confidential trade in the rest",
  async (sort, direction) => {
    const input = commoditiesInput.parse({ year: 2023, direction, sort, limit: 7 });
    const { data, meta } = commoditiesOutput.parse(await topCommodities(latvia.trade, input));
    const column = sort === "value" ? "eur" : "kg";
    const found = await sql<{ product: string; eur: number; kg: number | null }>(
      `select product, sum(value_eur)::double as eur, sum(quantity_kg)::double as kg from cells
     where period // 100 = 2023 and flow = '${direction}' group by 1 order by ${column} desc nulls last, product`,
    );
    const total = found.reduce((all, { eur }) => all + eur, 0);
    const ranked = found.filter(({ product }) => !product.includes("X"));
    expect(
      data.slice(0, 7).map(({ product, value_eur, quantity_kg }) => [product, value_eur, quantity_kg]),
    ).toEqual(ranked.slice(0, 7).map(({ product, eur, kg }) => [product, eur, kg]));
    expect(meta).toMatchObject({
      count: 7,
      ranked_of: ranked.length,
      year: 2023,
      sort,
      total: { value_eur: total },
    });
    expect(data[0]!.share).toBeCloseTo(ranked[0]!.eur / total, 6);
    const listed = data.slice(0, 7).reduce((all, { value_eur }) => all + value_eur, 0);
    expect(data[7]).toMatchObject({ product: "rest", rank: null, value_eur: total - listed });
    const shares = data.reduce((all, { share_of_mass }) => all + (share_of_mass ?? 0), 0);
    expect(shares).toBeCloseTo(1, 5);
  },
);

test("country analysis has plain sums by year, rank, share, products and growth", async () => {
  const input = { country: "DE", years: "2019-2024" };
  const { data, meta } = countryOutput.parse(await countryAnalysis(latvia.trade, input));
  const found = await sql<{ year: number; flow: string; eur: number; total: number; above: number }>(
    `, sums as (select period // 100 as year, flow, partner, sum(value_eur)::double as eur from cells group by all)
     select year, flow, eur, (select sum(eur) from sums a where a.year = s.year and a.flow = s.flow) as total,
       (select count(*) from sums a where a.year = s.year and a.flow = s.flow and a.eur > s.eur) as above
     from sums s where partner = 'DE' and year between 2019 and 2024`,
  );
  expect(found.length).toBeGreaterThan(0);
  for (const { year, flow, eur, total, above } of found) {
    const row = data.years.find((one) => one.year === year)!;
    const [value, share, rank] =
      flow === "IMPORT"
        ? [row.imports_eur, row.imports_share, row.imports_rank]
        : [row.exports_eur, row.exports_share, row.exports_rank];
    expect([value, rank]).toEqual([eur, above + 1]);
    expect(share).toBeCloseTo(eur / total, 6);
  }
  const products = await sql<{ product: string; eur: number }>(
    `select product, sum(value_eur)::double as eur from cells where partner = 'DE' and flow = 'IMPORT'
     and period // 100 = 2024 group by 1 order by eur desc, product`,
  );
  expect(data.products_year).toBe(2024);
  expect(
    data.top_imports
      .filter(({ rank }) => rank !== null)
      .map(({ product, value_eur }) => [product, value_eur]),
  ).toEqual(
    products
      .filter(({ product }) => !product.includes("X"))
      .slice(0, 10)
      .map(({ product, eur }) => [product, eur]),
  );
  const ends = [2019, 2024].map((year) => data.years.find((row) => row.year === year)!.imports_eur!);
  expect(data.trend.imports).toMatchObject({ from_year: 2019, to_year: 2024 });
  expect(data.trend.imports!.growth_per_year).toBeCloseTo((ends[1]! / ends[0]!) ** (1 / 5) - 1, 6);
  expect(meta).toMatchObject({ dataset: "sandbox-lv", years: { from: 2019, to: 2024 } });
  // The trade operations give the same partner the same figure.
  const partners = await topPartners(latvia.trade, {
    reporter: "LV",
    year: 2024,
    flow: "IMPORT",
    limit: 100,
  });
  expect(partners.data.find(({ partner }) => partner === "DE")!.value_eur).toBe(ends[1]);
});

test("a country without trade has zeros, no rank, no trend and no products; Latvia itself is refused", async () => {
  const { data } = countryOutput.parse(await countryAnalysis(latvia.trade, { country: "TV", years: "2024" }));
  expect(data.years).toMatchObject([{ imports_eur: 0, exports_eur: 0, imports_rank: null, complete: true }]);
  expect(data).toMatchObject({ trend: { imports: null, exports: null }, top_imports: [], top_exports: [] });
  const refusal = await refusalOf(countryAnalysis(latvia.trade, { country: "LV" }));
  expect(refusal.errors).toMatchObject([{ path: "country" }]);
});

test("seasonal equals trade's seasonality for the same code; a short span is refused with the remedy", async () => {
  const request = { years: "2015-2024", direction: "EXPORT" as const };
  const { data, meta } = seasonalOutput.parse(
    await seasonal(latvia.trade, seasonalInput.parse({ code: "44013100", ...request })),
  );
  const same = await season(latvia.trade, {
    reporter: "LV",
    hs: "44013100",
    years: request.years,
    flow: request.direction,
  });
  expect(data).toEqual(same.data);
  expect(data[0]!.profile!.reduce((sum, factor) => sum + factor, 0)).toBeCloseTo(12, 4);
  expect(meta).toMatchObject({ code: "44013100", synthetic: true });
  const short = seasonal(latvia.trade, seasonalInput.parse({ code: "44", years: "2024" }));
  await expect(short).rejects.toThrow(
    /12 months are known; a seasonal profile needs at least 24: name more years/,
  );
});
