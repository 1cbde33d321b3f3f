/** Fusion's answers over the sandbox, compared with plain SQL over its tables. */
import { beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { ReferenceStore } from "../../src/datasets/reference/store.ts";
import {
  countryStats,
  countryStatsInput,
  countryStatsOutput,
} from "../../src/projections/fusion/answers/country-stats.ts";
import { market, marketInput, marketOutput } from "../../src/projections/fusion/answers/market.ts";
import { product, productInput, productOutput } from "../../src/projections/fusion/answers/product.ts";
import { refusalOf } from "../datasets/workshop.ts";
import { openAnalyses } from "../trade/analyses.ts";

const noTables = new ReferenceStore({ data_dir: "", allow_synthetic: true });
let opened: Awaited<ReturnType<typeof openAnalyses>>;

beforeAll(async () => {
  opened = await openAnalyses();
  return opened.close;
});

const stats = async (request: z.input<typeof countryStatsInput>) =>
  countryStatsOutput.parse(await countryStats(opened.trade, countryStatsInput.parse(request)));
const marketOf = async (request: z.input<typeof marketInput>) =>
  marketOutput.parse(await market(opened.trade, noTables, marketInput.parse(request)));
type Row = { year: number; imports: number; exports: number };

describe("country stats", () => {
  test("of one of the 27 have its own reports, its share of them and the growth between complete years", async () => {
    const { data, meta } = await stats({ country: "LV", years: "2022-2024" });
    const sums = (where: string) =>
      opened.sql<Row>(`select period // 100 as year, sum(value_eur) filter (flow = 'IMPORT')::bigint as imports,
        sum(value_eur) filter (flow = 'EXPORT')::bigint as exports from chapter_totals
        where period // 100 between 2022 and 2024 and ${where} group by 1 order by 1`);
    const [own, all] = [await sums("reporter = 'LV'"), await sums("true")];
    expect(
      data.map(({ year, imports_eur, exports_eur }) => ({
        year,
        imports: imports_eur,
        exports: exports_eur,
      })),
    ).toEqual(own);
    expect(data.map(({ balance_eur }) => balance_eur)).toEqual(
      own.map(({ imports, exports }) => exports - imports),
    );
    for (const [at, row] of data.entries()) {
      expect(row.exports_share).toBeCloseTo(own[at]!.exports / all[at]!.exports, 6);
      if (at > 0) expect(row.imports_growth).toBeCloseTo(own[at]!.imports / own[at - 1]!.imports - 1, 6);
    }
    expect(data[0]!.imports_growth).toBeNull();
    expect(meta).toMatchObject({ view: "reported", name: "Latvia", synthetic: true, count: 3 });
  });

  test("of any other country have the 27's exports to it as its imports, and state that view", async () => {
    const { data, meta } = await stats({ country: "CN", years: "2024" });
    const [seen] =
      await opened.sql<Row>(`select 2024 as year, sum(value_eur) filter (flow = 'EXPORT')::bigint as imports,
      sum(value_eur) filter (flow = 'IMPORT')::bigint as exports from chapter_partners where period // 100 = 2024 and partner = 'CN'`);
    expect([data[0]!.imports_eur, data[0]!.exports_eur]).toEqual([seen!.imports, seen!.exports]);
    expect(meta).toMatchObject({ view: "through_partners", name: "China" });
    expect(meta.formula).toContain("the 27's exports to it");
  });

  test("an incomplete year has no growth", async () => {
    const { data } = await stats({ country: "LV" });
    const open = data.find(({ complete }) => !complete);
    expect(open?.imports_growth ?? null).toBeNull();
  });

  test("a year outside the data is refused, naming its field", async () => {
    const refused = await refusalOf(stats({ country: "LV", years: "1990" }));
    expect(refused.errors).toMatchObject([{ path: "years" }]);
  });
});

describe("market intelligence", () => {
  const request = { hs: "27", reporter: "LV", flow: "IMPORT", years: "2020-2024" } as const;
  const ofYear = (year: number, where: string) =>
    opened.sql<{ partner: string; value: number; weighed: number; kg: number | null }>(`
      select partner, sum(value_eur)::double as value, coalesce(sum(value_eur) filter (quantity_kg > 0), 0)::double as weighed,
        sum(quantity_kg)::double as kg
      from chapter_partners where period // 100 = ${year} and ${where} group by 1 order by 2 desc, 1`);
  const where = "reporter = 'LV' and flow = 'IMPORT' and hs2 = '27'";

  test("partners and their shares match the tables, and price and quantity add up to the change", async () => {
    const { data, meta } = await marketOf(request);
    expect(meta.year).toBe(2024);
    const [before, after] = [await ofYear(2023, where), await ofYear(2024, where)];
    expect(data.partners.map(({ partner, value_eur }) => [partner, value_eur])).toEqual(
      after.slice(0, 10).map(({ partner, value }) => [partner, value]),
    );
    const total = (rows: { value: number }[]) => rows.reduce((sum, { value }) => sum + value, 0);
    const split = data.price_and_quantity!;
    expect(split.change_eur).toBe(total(after) - total(before));
    expect(
      Math.abs(split.price_eur + split.quantity_eur + split.unsplit_eur - split.change_eur),
    ).toBeLessThanOrEqual(2);
    const shares = after.map(({ value }) => value / total(after));
    expect(data.concentration!.hhi).toBeCloseTo(
      shares.reduce((sum, share) => sum + (100 * share) ** 2, 0),
      3,
    );
    expect(data.growth).toMatchObject({ from: 2020, to: 2024 });
    const [first, last] = [data.size[0]!, data.size.find(({ year }) => year === 2024)!];
    expect(data.growth!.rate).toBeCloseTo((last.value_eur / first.value_eur) ** (1 / 4) - 1, 6);
  });

  test("advantage is the country's share of exports over the 27's", async () => {
    const { data } = await marketOf({ ...request, flow: "EXPORT" });
    const [sums] = await opened.sql<{ own: number; all: number; eu: number; eu_all: number }>(`
      select sum(value_eur) filter (reporter = 'LV' and hs2 = '27')::double as own, sum(value_eur) filter (reporter = 'LV')::double as all,
        sum(value_eur) filter (hs2 = '27')::double as eu, sum(value_eur)::double as eu_all
      from chapter_totals where flow = 'EXPORT' and period // 100 = 2024`);
    expect(data.advantage!.rca).toBeCloseTo(sums!.own / sums!.all / (sums!.eu / sums!.eu_all), 5);
    expect(data.absent.map(({ of }) => of)).toEqual(expect.arrayContaining(["dependency", "substitution"]));
  });

  test("gravity compares each partner with its expected trade", async () => {
    const { data } = await marketOf(request);
    const { gravity } = data;
    if (gravity === null) throw new Error(`no gravity: ${JSON.stringify(data.absent)}`);
    expect(gravity.cells).toBeGreaterThanOrEqual(200);
    for (const { actual_eur, expected_eur, ratio } of gravity.partners)
      expect(ratio).toBeCloseTo(actual_eur / expected_eur, 3);
  });

  test("dependency of the last three years matches the tables", async () => {
    const { data } = await marketOf(request);
    const years = data.dependency!.years;
    expect(years.map(({ year }) => year)).toEqual([2022, 2023, 2024]);
    const members =
      "'AT','BE','BG','CY','CZ','DE','DK','EE','ES','FI','FR','GR','HR','HU','IE','IT','LT','LU','LV','MT','NL','PL','PT','RO','SE','SI','SK'";
    const outside = await ofYear(2024, `${where} and partner not in (${members})`);
    const total = outside.reduce((sum, { value }) => sum + value, 0);
    const last = years.at(-1)!;
    if (total === 0) expect(last.concentration).toBeNull();
    else
      expect(last.concentration).toBeCloseTo(
        outside.reduce((sum, { value }) => sum + (value / total) ** 2, 0),
        5,
      );
  });

  test("a single year is compared with earlier years; the 27 together have no advantage, and the answer gives the reason", async () => {
    const alone = await marketOf({ ...request, years: "2024" });
    expect(alone.data.size.map(({ year }) => year)).toEqual([2024]);
    expect(alone.data.price_and_quantity).toEqual((await marketOf(request)).data.price_and_quantity);
    expect(alone.data.absent).toContainEqual({ of: "growth", why: "growth needs two complete years" });
    const { data, meta } = await marketOf({ hs: "27" });
    expect(meta.reporter).toBeNull();
    expect(data.advantage).toBeNull();
    expect(data.absent.find(({ of }) => of === "advantage")!.why).toContain("name a reporter");
  });
});

describe("a product", () => {
  const productOf = async (request: z.input<typeof productInput>) =>
    productOutput.parse(await product(opened.trade, productInput.parse(request)));

  test("the 27 and their partners match the tables", async () => {
    const { data, meta } = await productOf({ hs: "27", year: 2024 });
    const of = (column: string, table: string) =>
      opened.sql<{
        code: string;
        value: number;
      }>(`select ${column} as code, sum(value_eur)::double as value from ${table}
        where hs2 = '27' and period // 100 = 2024 group by 1 order by 2 desc, 1`);
    const [reporters, partners] = [
      await of("reporter", "chapter_totals"),
      await of("partner", "chapter_partners"),
    ];
    expect(data.reporters.map(({ reporter, value_eur }) => ({ code: reporter, value: value_eur }))).toEqual(
      reporters,
    );
    expect(data.partners.map(({ partner, value_eur }) => ({ code: partner, value: value_eur }))).toEqual(
      partners.slice(0, 20),
    );
    const shares = data.reporters.reduce((sum, { share }) => sum + share!, 0);
    expect(shares).toBeCloseTo(1, 4);
    expect(data.intra_industry.digits).toBe(2);
    expect(meta).toMatchObject({ product: "27", year: 2024, synthetic: true });
  });

  test("two-way trade uses the finest products, and so is lower than over the chapter", async () => {
    const { data } = await productOf({ hs: "44", year: 2024 });
    const sums = await opened.sql<{ x: number; m: number }>(`select reporter, product,
        coalesce(sum(value_eur) filter (flow = 'EXPORT'), 0)::double as x, coalesce(sum(value_eur) filter (flow = 'IMPORT'), 0)::double as m
      from cells where hs2 = '44' and period // 100 = 2024 and not regexp_matches(product, '[A-Z]') group by all`);
    const [apart, whole] = [
      sums.reduce((all, { x, m }) => all + Math.abs(x - m), 0),
      sums.reduce((all, { x, m }) => all + x + m, 0),
    ];
    expect(data.intra_industry.digits).toBe(8);
    expect(data.intra_industry.index).toBeCloseTo(1 - apart / whole, 5);
  });
});
