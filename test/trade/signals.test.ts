/** Alerts, flow-pulse, corridor and source concentration over the sandbox, against plain SQL over its tables. */
import fc from "fast-check";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { trailingScore } from "../../src/domain/trade/anomalies.ts";
import { isReporter } from "../../src/domain/trade/reporters.ts";
import { yearOnYearScores } from "../../src/projections/trade/answers/anomalies.ts";
import { timeline, timelineInput } from "../../src/projections/trade/answers/series.ts";
import { refusalOf } from "../datasets/workshop.ts";
import { scaled } from "../support/scale.ts";
import { openAnalyses } from "./analyses.ts";

let opened: Awaited<ReturnType<typeof openAnalyses>>;
let ask: (typeof opened)["ask"];
let sql: (typeof opened)["sql"];

beforeAll(async () => {
  opened = await openAnalyses();
  ({ ask, sql } = opened);
  return opened.close;
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
    for (const { reporter, product, flow, period, z, base_eur, direction, ...row } of data.alerts.slice(
      0,
      10,
    )) {
      const { deviation_eur, standard_deviation_eur } = row;
      const series = await timeline(
        opened.trade,
        timelineInput.parse({ reporters: [reporter], hs: product, flow }),
      );
      const at = series.data.findIndex((row) => row.period === period);
      const values = series.data.map((row) => (flow === "IMPORT" ? row.imports_eur! : row.exports_eur!));
      const trailing = values.slice(at - 12, at);
      expect(z).toBeCloseTo(trailingScore(values[at]!, trailing)!, 5);
      expect(base_eur).toBe(Math.round(trailing.reduce((sum, value) => sum + value, 0) / 12));
      // Actual less expected, in the direction of the alert.
      expect(deviation_eur).toBe(values[at]! - base_eur);
      expect(Math.sign(deviation_eur)).toBe(direction === "spike" ? 1 : -1);
      expect(deviation_eur / standard_deviation_eur / z).toBeCloseTo(1, 3);
    }
  });

  test("of one reporter are its own alone, judged by themselves, and alerts and movers have its months", async () => {
    const [one, all] = await Promise.all([
      ask.alerts({ months: 6, reporter: "LV" }),
      ask.alerts({ months: 6 }),
    ]);
    expect(new Set([...one.data.alerts, ...one.data.movers].map(({ reporter }) => reporter))).toEqual(
      new Set(["LV"]),
    );
    const score = ({ product, flow, period, z }: (typeof all.data.alerts)[number]) => [
      product,
      flow,
      period,
      z,
    ];
    const found = all.data.alerts.filter(({ reporter }) => reporter === "LV").map(score);
    // Fewer series are judged together, so that none of the common alerts is lost.
    expect(one.data.alerts.map(score)).toEqual(expect.arrayContaining(found));
    expect(found.length).toBeGreaterThan(0);
    expect(one.data.movers.length).toBeGreaterThan(0);
  });

  test("have a year-on-year score for a heading, even in a finer dataset", async () => {
    const series = { reporter: "LV", flow: "EXPORT", period: 202406 } as const;
    const judged = { value_eur: 1, base_eur: 1, standard_deviation_eur: 1, z: 1, p_value: 1, p_adjusted: 1 };
    const lease = opened.trade.vintages.lease("sandbox");
    onTestFinished(() => lease.release());
    for (const hs of ["44", "4401"]) {
      const watched = { hs, reporters: ["LV"], months: 24 } as const;
      const anomalies = [{ ...series, ...judged, product: hs }];
      expect(await yearOnYearScores(lease, watched, anomalies, undefined), hs).toEqual([expect.any(Number)]);
    }
  });

  test("never alert in an undelivered month, however low it is", async () => {
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

  test("refuse a product of which no month can be tested, by its field", async () => {
    for (const answer of [ask.alerts, ask.pulse]) {
      const refused = await refusalOf(answer({ reporter: "DE", hs: "39206290" }));
      expect(refused.errors).toMatchObject([
        { path: "hs", message: /^too little data: from 20\d\d-\d\d to / },
      ]);
    }
  });

  test("order pulses by weight in the reporter's trade, and filter by reporter", async () => {
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
  test("imports of A from B equal the exports of B to A, as seen by the other side", async () => {
    const pair = fc.uniqueArray(fc.constantFrom("DE", "FR", "IT", "NL", "PL", "ES"), {
      minLength: 2,
      maxLength: 2,
    });
    await fc.assert(
      fc.asyncProperty(pair, async ([one, other]) => {
        if (!isReporter(one!)) return;
        const request = { partner: other!, years: "2022-2024" };
        const { data } = await ask.corridor({ reporter: one, ...request, dataset: "sandbox" });
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
      { numRuns: scaled(10, 10) },
    );
  });

  test("each database is separate: the sandbox with all products, and the real one with a part", async () => {
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

  test("products, prices and the other side's figure equal the tables", async () => {
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

  test("a non-EU partner has no view of its own; a partner without trade has zeros; the reporter itself is refused", async () => {
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
  test("lists every chapter of every reporter with half from one partner, by value at stake", async () => {
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
