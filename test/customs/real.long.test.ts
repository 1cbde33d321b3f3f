/** Customs answers over real Comext figures of Latvia, compared with independent plain SQL over the parquet. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countryAnalysis } from "../../src/projections/customs/answers/country-analysis.ts";
import { seasonal, seasonalInput } from "../../src/projections/customs/answers/seasonal.ts";
import { commoditiesInput, topCommodities } from "../../src/projections/customs/answers/top-commodities.ts";
import { trends, trendsInput } from "../../src/projections/customs/answers/trends.ts";
import { corridor } from "../../src/projections/trade/answers/corridor.ts";
import { corridorTable } from "../../src/projections/trade/answers/forms/tables.ts";
import { refusalOf } from "../datasets/workshop.ts";
import { here, openRealTrade } from "../trade/real-trade.ts";

const dataset = "comext-ds-045409";

describe.skipIf(!here)("Latvia in the real files", () => {
  let real: Awaited<ReturnType<typeof openRealTrade>>;
  beforeAll(async () => {
    real = await openRealTrade();
  });
  afterAll(() => real.close());

  type Sum = { code: string; year: number; flow: string; eur: number };
  /** Totals by product, year and flow: the WORLD rows of the months that have one, else their partners. */
  const totals = () =>
    real.figures.sql(`
      with months as (
        select product as code, year, month, flow,
          coalesce(sum(value_eur) filter (partner = 'WORLD'), sum(value_eur)) as eur
        from trade where reporter = 'LV' group by all
      ) select code, year, flow, sum(eur)::double as eur from months group by all`) as unknown as Promise<
      Sum[]
    >;

  test.each(["IMPORT", "EXPORT"] as const)(
    "top commodities of %s in 2024 are the largest codes of the files",
    async (direction) => {
      const found = (await totals()).filter(
        ({ year, flow, eur }) => year === 2024 && flow === direction && eur > 0,
      );
      found.sort((a, b) => b.eur - a.eur || (a.code < b.code ? -1 : 1));
      const input = commoditiesInput.parse({ year: 2024, direction, dataset, limit: 10 });
      const { data, meta } = await topCommodities(real.trade, input);
      expect(data.slice(0, 10).map(({ product, value_eur }) => [product, value_eur])).toEqual(
        // One of the files is of a subheading: it counts in the total, and is not a CN8 code.
        found
          .filter(({ code }) => code.length === 8)
          .slice(0, 10)
          .map(({ code, eur }) => [code, eur]),
      );
      // A sum over some codes never looks like Latvia's whole trade.
      expect(meta).toMatchObject({ synthetic: false, coverage: { products: { complete: false } } });
      expect(meta.total.value_eur).toBe(found.reduce((sum, { eur }) => sum + eur, 0));
    },
  );

  test("trends are the sums of the years and their change", async () => {
    const found = await totals();
    const of = (of: number, direction: string) =>
      found
        .filter(({ year, flow }) => year === of && flow === direction)
        .reduce((sum, { eur }) => sum + eur, 0);
    const { data } = await trends(real.trade, trendsInput.parse({ dataset, years: "2023-2024" }));
    expect(data.years.map(({ year, imports_eur, exports_eur }) => [year, imports_eur, exports_eur])).toEqual(
      [2023, 2024].map((year) => [year, of(year, "IMPORT"), of(year, "EXPORT")]),
    );
  });

  test("China's years, share and first product are those of the files", async () => {
    const { data } = await countryAnalysis(real.trade, { country: "CN", years: "2024", dataset });
    const found = (await real.figures.sql(`
      select product, sum(value_eur)::double as eur from trade
      where reporter = 'LV' and partner = 'CN' and flow = 'IMPORT' and year = 2024 group by 1 order by 2 desc`)) as {
      product: string;
      eur: number;
    }[];
    const total = (await totals())
      .filter(({ year, flow }) => year === 2024 && flow === "IMPORT")
      .reduce((sum, { eur }) => sum + eur, 0);
    const imports = found.reduce((sum, { eur }) => sum + eur, 0);
    expect(data.years[0]).toMatchObject({ year: 2024, imports_eur: imports });
    expect(data.years[0]!.imports_share).toBeCloseTo(imports / total, 6);
    expect(data.top_imports[0]).toMatchObject({
      product: found[0]!.product,
      value_eur: found[0]!.eur,
      rank: 1,
    });
  });

  test("an unknown country is refused, and a share says how much of the total is split by partner", async () => {
    const refused = await refusalOf(countryAnalysis(real.trade, { country: "US", dataset }));
    expect(refused).toMatchObject({ type: { slug: "outside-coverage" }, errors: [{ path: "country" }] });
    expect(refused.message).toMatch(/has no row of US; name another dataset/);
    // The files have only WORLD rows of this code, so no row between two countries does not prove that there is no
    // trade.
    const pair = { reporter: "DE", partner: "CN", hs: "32151100", dataset } as const;
    expect(await refusalOf(corridor(real.trade, pair))).toMatchObject({ errors: [{ path: "partner" }] });
    // Each row of a table states that its sum covers only a part of the products.
    const partial = await corridor(real.trade, { reporter: "DE", partner: "CN", dataset });
    expect(corridorTable.rows(partial)[0]).toMatchObject({ products_complete: false, dataset });
    const { data } = await countryAnalysis(real.trade, { country: "CN", years: "2024", dataset });
    const [split] = (await real.figures.sql(`
      select sum(value_eur)::double as eur from trade
      where reporter = 'LV' and partner <> 'WORLD' and flow = 'IMPORT' and year = 2024`)) as {
      eur: number;
    }[];
    const total = (await totals())
      .filter(({ year, flow }) => year === 2024 && flow === "IMPORT")
      .reduce((sum, { eur }) => sum + eur, 0);
    expect(data.years[0]!.imports_listed_share).toBeCloseTo(split!.eur / total, 6);
    expect(split!.eur / total).toBeLessThan(0.9);
  });

  test("a code in the files is answered from them by default, with its season", async () => {
    const { data, meta } = await seasonal(real.trade, seasonalInput.parse({ code: "39206290" }));
    expect(meta).toMatchObject({ dataset, synthetic: false, code: "39206290" });
    expect(data.map(({ months_used }) => months_used).every((months) => months >= 24)).toBe(true);
    for (const { profile } of data)
      expect(profile!.reduce((sum, factor) => sum + factor, 0)).toBeCloseTo(12, 4);
  });
});
