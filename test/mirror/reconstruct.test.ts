/** Reconstructions over a dataset small enough to add up by hand, and over the sandbox, whose flows have both ends. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { openVintages } from "../../src/datasets/vintage-store.ts";
import { reconstructed } from "../../src/domain/mirror/reconstruct.ts";
import { reporterCodes } from "../../src/domain/trade/reporters.ts";
import { anyTargetInput } from "../../src/projections/mirror/answers/answer.ts";
import type { Dollars } from "../../src/projections/mirror/answers/dollars.ts";
import { mirrorRatios } from "../../src/projections/mirror/answers/ratios.ts";
import { countryMonths, reconstruct } from "../../src/projections/mirror/answers/reconstruct.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { fileOf, importFiles, limits, refusalOf } from "../datasets/workshop.ts";
import { sandboxIn } from "../support/sandbox.ts";

const HEADER = "DATAFLOW,LAST UPDATE,freq,reporter,partner,product,flow,indicators,TIME_PERIOD,OBS_VALUE";
const CODE = "44071190";
const DATASET = "comext-ds-045409";

/** reporter, partner, flow, month, EUR, kg. LV has not sent its February, but for one row. */
const ROWS: [string, string, 1 | 2, string, number, number?][] = [
  ["DE", "CN", 1, "2024-01", 1_100, 400],
  ["FR", "CN", 1, "2024-01", 2_200],
  ["LV", "CN", 1, "2024-01", 3_300, 600],
  ["DE", "CN", 2, "2024-01", 500, 100],
  ["DE", "CN", 1, "2024-02", 110, 50],
  ["LV", "CN", 1, "2024-02", 70, 10],
  ["FR", "DE", 2, "2024-01", 900, 90],
  ["LV", "DE", 2, "2024-01", 100, 10],
  ["DE", "FR", 1, "2024-01", 950, 90],
  ["DE", "DE", 2, "2024-01", 40, 4],
];

const absent = reporterCodes.filter((code) => !["DE", "FR", "LV"].includes(code));

function lines(): string[] {
  const line = (reporter: string, partner: string, flow: number, of: string, month: string, value: number) =>
    `ESTAT:DS-045409(1.0),01/01/26 11:00:00,M,${reporter},${partner},${CODE},${flow},${of},${month},${value}`;
  const cells = ROWS.flatMap(([reporter, partner, flow, month, eur, kg]) => [
    line(reporter, partner, flow, "VALUE_IN_EUROS", month, eur),
    ...(kg === undefined ? [] : [line(reporter, partner, flow, "QUANTITY_IN_100KG", month, kg / 100)]),
  ]);
  const world = ["DE", "FR", "LV"].flatMap((reporter) =>
    [1, 2].flatMap((flow) =>
      (reporter === "LV" ? ["2024-01"] : ["2024-01", "2024-02"]).map((month) =>
        line(reporter, "WORLD", flow, "VALUE_IN_EUROS", month, 9_000),
      ),
    ),
  );
  // The other members have delivered one month before, so that the product is covered of all.
  const earlier = absent.flatMap((reporter) =>
    [1, 2].map((flow) => line(reporter, "WORLD", flow, "VALUE_IN_EUROS", "2023-12", 9_000)),
  );
  return [HEADER, ...cells, ...world, ...earlier];
}

let trade: TradeData;
beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-mirror-"));
  const sandbox = await sandboxIn(dir);
  const real = await importFiles(dir, [await fileOf(dir, "small.csv", lines())], {
    reporters: [...reporterCodes],
  });
  const vintages = openVintages({ ...limits, dataDir: dir });
  await vintages.serve(sandbox);
  await vintages.serve(real.manifest.vintage);
  trade = { vintages, allow_synthetic: true };
  return async () => {
    await vintages.close();
    await rm(dir, { recursive: true, force: true });
  };
});

const reference = { dataset: "ecb-rates", vintage: "ab", source: "ECB", as_of: "2024-01-31", rows: [] };
/** Published rates of one month; there are no invented ones. */
const published = (synthetic: boolean): Dollars | undefined =>
  synthetic ? undefined : { reference: { ...reference, synthetic }, usd_per_eur: new Map([[202401, 1.1]]) };
type MirrorQuery = Parameters<typeof anyTargetInput.parse>[0];
const ask = (request: MirrorQuery) => reconstruct(trade, published, anyTargetInput.parse(request));

describe("by hand", () => {
  const question = { target_country: "CN", direction: "EXPORT", hs: CODE, year: 2024 } as const;

  test("China's exports are the three importers' reports, without freight", async () => {
    const { data, meta } = await ask(question);
    expect(data).toEqual([
      {
        hs: CODE,
        year: 2024,
        month: 1,
        value_eur: 6_000,
        value_usd: 6_600,
        quantity_kg: 1_000,
        confidence: null,
        coverage: 0.111111,
        reliability: null,
        mass_quality: 0.666667,
        complete: false,
        reporters: 3,
        not_reported: absent,
        reported_eur: 6_600,
        excluded_eur: 0,
        without_mass_eur: 2_200,
      },
      expect.objectContaining({
        month: 2,
        value_eur: 100,
        value_usd: null,
        quantity_kg: 50,
        reporters: 2,
        not_reported: reporterCodes.filter((code) => !["DE", "FR"].includes(code)),
        reported_eur: 110,
        excluded_eur: 70,
      }),
    ]);
    expect(meta).toMatchObject({
      count: 2,
      dataset: DATASET,
      synthetic: false,
      target: { code: "CN", name: "China" },
      parameters: { cif_fob: 0.1, partners: 27 },
      reliability: { value: null, pair_months: 1, median_abs_ln_ratio: Math.log(950 / 900) },
    });
    expect(meta.scope).toMatch(/not its trade with the world/);
    expect(meta.notes[0]).toMatch(/^No month has more than 3 of the 27 partners/);
    expect(meta.notes.join(" ")).toMatch(
      /Only 1 pair-months .* in months that the exchange rates cover only in part/,
    );
  });

  test("China's imports are the exporters' reports, with the requested freight", async () => {
    const { data } = await ask({ ...question, direction: "IMPORT", month: "2024-01", cif_fob: 0.2 });
    expect(data).toMatchObject([{ value_eur: 600, quantity_kg: 100, mass_quality: 1, value_usd: 660 }]);
  });

  test("the partners of one of the 27 are the other 26", async () => {
    const { data, meta } = await ask({
      ...question,
      target_country: "DE",
      direction: "IMPORT",
      month: "2024-01",
    });
    expect(data).toMatchObject([{ reported_eur: 1_000, value_eur: 1_100, reporters: 2, coverage: 0.076923 }]);
    // Its reports of returned goods are neither a partner's figure nor excluded from one.
    expect(data[0]!.excluded_eur).toBe(0);
    expect(meta.parameters.partners).toBe(26);
  });

  test("published rates are never combined with synthetic trade", async () => {
    const { data, meta } = await ask({ ...question, hs: "84", month: "2024-01" });
    expect([meta.synthetic, data[0]!.value_usd, meta.rates]).toEqual([true, null, null]);
    expect(meta.notes.join(" ")).toMatch(/real and synthetic figures are never combined/);
  });

  test("a country without a row in the source is refused: that is not proof of no trade", async () => {
    expect(await refusalOf(ask({ ...question, target_country: "RU" }))).toMatchObject({
      type: { slug: "outside-coverage" },
      errors: [
        {
          path: "target_country",
          message: `${DATASET} has no row of RU for 44071190; name another dataset with dataset`,
        },
      ],
    });
  });

  test.each([
    [{ year: 2022, dataset: DATASET }, "year", /covers 2023-12 to 2024-02/],
    [{ year: undefined, month: "2024-03", dataset: DATASET }, "month", /2023-12 to 2024-02 reported in full/],
    [{ month: "2023-03" }, "month", /is not in year 2024/],
  ])("a question outside of the data is refused: %j", async (more, path, message) => {
    const { errors } = await refusalOf(ask({ ...question, ...more }));
    expect(errors).toMatchObject([{ path, message: expect.stringMatching(message) }]);
  });

  test("country-months are counted before anything is read", () => {
    expect(countryMonths(trade, anyTargetInput.parse(question))).toBe(2);
    expect(countryMonths(trade, anyTargetInput.parse({ ...question, target_country: "LV" }))).toBe(2);
    expect(countryMonths(trade, anyTargetInput.parse({ ...question, hs: "84", year: undefined }))).toBe(252);
  });
});

describe("over the sandbox", () => {
  test("each factor and confidence are between 0 and 1, and the amounts are consistent", async () => {
    for (const target_country of ["CN", "RU", "TR", "LV"]) {
      const { data, meta } = await ask({ target_country, direction: "EXPORT", hs: "84", year: 2025 });
      expect(meta).toMatchObject({ count: 12, synthetic: true, dataset: "sandbox" });
      for (const month of data) {
        expect(month.confidence).toBeCloseTo(
          month.coverage * month.reliability! * (month.mass_quality ?? 1),
          5,
        );
        expect(month.confidence! >= 0 && month.confidence! <= 1).toBe(true);
        expect(month.complete).toBe(month.not_reported.length === 0);
        expect(Math.abs(month.value_eur * 1.1 - month.reported_eur)).toBeLessThanOrEqual(0.55);
      }
      expect(data.at(-1)!.complete).toBe(false);
    }
  });

  test("a country's own figures result from its partners' where both ends exist", async () => {
    const lease = trade.vintages.lease("sandbox");
    try {
      const all = lease.partitions
        .map(({ database }) => `from ${database}.chapter_partners`)
        .join(" union all ");
      const ends = await lease.query<{ own: number; theirs: number; flow: "IMPORT" | "EXPORT" }>(
        `with r as (select reporter, partner, flow, hs2, period, value_eur from (${all}) where period // 100 = 2024)
         select own.reporter, own.flow, sum(own.value_eur)::double as own, sum(theirs.value_eur)::double as theirs
         from r own join r theirs on own.reporter = theirs.partner and own.partner = theirs.reporter
           and own.flow <> theirs.flow and own.hs2 = theirs.hs2 and own.period = theirs.period
         where own.hs2 <> '44' group by all having count(*) >= 24`,
      );
      expect(ends.length).toBeGreaterThan(10);
      for (const { own, theirs, flow } of ends)
        expect(Math.abs(Math.log(reconstructed(flow, theirs, 0.06) / own))).toBeLessThan(0.05);
      // The sandbox's two ends differ by 6 % and a little noise.
      const { count, median_abs_ln } = await mirrorRatios(lease, "84");
      expect(count).toBeGreaterThan(100);
      expect(median_abs_ln).toBeGreaterThan(0.03);
      expect(median_abs_ln).toBeLessThan(0.15);
    } finally {
      lease.release();
    }
  });
});
