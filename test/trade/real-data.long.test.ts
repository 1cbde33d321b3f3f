/** The service's answers over real Eurostat files equal independent figures to the euro. */
import { beforeAll, describe, expect, test } from "vitest";
import { reporterCodes } from "../../src/domain/trade/reporters.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { topPartners, topProducts } from "../../src/projections/trade/answers/rankings.ts";
import { balance, timeline } from "../../src/projections/trade/answers/series.ts";
import type { independentFigures } from "./independent-figures.ts";
import { here, openRealTrade } from "./real-trade.ts";

describe.skipIf(!here)("over the real files", () => {
  let trade: TradeData;
  let figures: Awaited<ReturnType<typeof independentFigures>>;

  beforeAll(async () => {
    const opened = await openRealTrade();
    ({ trade, figures } = opened);
    expect(opened.rows_read).toEqual([613_024, 148_476]);
    return opened.close;
  });

  test("Germany's imports of 39206290 in 2024: 75,298,685 in all, 50,042,112 over the listed partners", async () => {
    const { data, meta } = await topPartners(trade, {
      reporter: "DE",
      hs: "39206290",
      year: 2024,
      flow: "IMPORT",
      limit: 100,
    });
    const listed = data.slice(0, -1).reduce((sum, { value_eur }) => sum + value_eur, 0);
    expect(meta.total.value_eur).toBe(75_298_685);
    expect(listed).toBe(50_042_112);
    expect(data.at(-1)).toMatchObject({ partner: "rest", value_eur: 75_298_685 - 50_042_112 });
    expect(meta).toMatchObject({ dataset: "comext-ds-045409", synthetic: false, incomplete: [] });
  });

  const queries = [
    ["DE", "39206290"],
    ["FR", "39206290"],
    ["LV", "39206290"],
    ["IT", "48114900"],
    ["PL", "32121000"],
    ["GR", "39204310"],
    ["MT", "85235910"],
  ] as const;

  test.each(queries)(
    "partners of %s for %s are the files' sums in each year and flow",
    async (reporter, hs) => {
      for (const year of [2023, 2024, 2025]) {
        for (const flow of ["IMPORT", "EXPORT"] as const) {
          const { byPartner, total } = await figures.partners(reporter, hs, flow, year);
          const { data, meta } = await topPartners(trade, { reporter, hs, year, flow, limit: 100 });
          expect([meta.total.value_eur, meta.total.quantity_kg ?? 0]).toEqual([total.value, total.kg]);
          const ranked = data.filter(({ rank }) => rank !== null);
          expect(new Map(ranked.map((row) => [row.partner, row.value_eur]))).toEqual(
            new Map([...byPartner].map(([partner, { value }]) => [partner, value])),
          );
          for (const row of ranked) expect(row.quantity_kg ?? 0).toBe(byPartner.get(row.partner)!.kg);
        }
      }
    },
  );

  test.each(queries)("months and years of %s for %s are the files' sums", async (reporter, hs) => {
    const expected = await figures.months([reporter], hs);
    const months = await timeline(trade, { reporters: [reporter], hs });
    expect(months.data.length).toBe(36);
    // A month without a WORLD row was not delivered: its answer is provisional.
    const years = new Map<string, number>();
    for (const row of months.data.filter(({ complete }) => complete)) {
      const imports = expected.get(`${row.period} IMPORT`);
      const exports = expected.get(`${row.period} EXPORT`);
      expect([row.period, row.imports_eur, row.imports_kg ?? 0]).toEqual([
        row.period,
        imports?.value ?? 0,
        imports?.kg ?? 0,
      ]);
      expect([row.period, row.exports_eur, row.exports_kg ?? 0]).toEqual([
        row.period,
        exports?.value ?? 0,
        exports?.kg ?? 0,
      ]);
      const year = row.period.slice(0, 4);
      years.set(year, (years.get(year) ?? 0) + (exports?.value ?? 0) - (imports?.value ?? 0));
    }
    const yearly = await balance(trade, { reporter, hs });
    for (const row of yearly.data.filter(({ complete }) => complete)) {
      expect([row.year, row.balance_eur]).toEqual([row.year, years.get(String(row.year))]);
    }
    expect(yearly.data.filter(({ complete }) => complete).length).toBeGreaterThanOrEqual(2);
  });

  test.each(["39206290", "39100000"])("months of the 27 for %s are the files' sums", async (hs) => {
    const expected = await figures.months([...reporterCodes], hs);
    const { data, meta } = await timeline(trade, { hs, flow: "IMPORT", years: "2023-2025" });
    for (const row of data.filter(({ complete }) => complete)) {
      expect([row.period, row.imports_eur]).toEqual([
        row.period,
        expected.get(`${row.period} IMPORT`)!.value,
      ]);
    }
    expect(data.filter(({ complete }) => !complete).map(({ period }) => period)).toEqual(["2025-12"]);
    // Nine have delivered December: the answer lists the other eighteen.
    expect(meta.incomplete).toHaveLength(18);
    expect(meta.incomplete).toContainEqual({ reporter: "DE", delivered_to: "2025-11" });
  });

  test("all imported rows are there, and a chapter is marked as no total", async () => {
    expect(trade.vintages.open()[0]!.coverage.products.codes).toEqual(await figures.products());
    const chapter = await topProducts(trade, {
      reporter: "DE",
      hs: "39",
      year: 2024,
      flow: "IMPORT",
      limit: 100,
      dataset: "comext-ds-045409",
    });
    expect(chapter.meta.coverage.products.complete).toBe(false);
    const codes = chapter.meta.coverage.products.codes;
    const worlds = await Promise.all(codes.map((code) => figures.partners("DE", code, "IMPORT", 2024)));
    const sum = worlds.reduce((total, partners) => total + partners.total.value, 0);
    expect(chapter.meta.total.value_eur).toBe(sum);
  });
});
