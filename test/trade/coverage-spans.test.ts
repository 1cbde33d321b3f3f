/** Data that no file covers is not zero, and figures that cannot be added up are not imported. */
import { describe, expect, test } from "vitest";
import type { ReporterCode } from "../../src/domain/trade/reporters.ts";
import { monthsBetween } from "../../src/domain/trade/units.ts";
import { countries, countriesInput } from "../../src/projections/trade/answers/overview.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { rankingInput, topPartners } from "../../src/projections/trade/answers/rankings.ts";
import {
  balance,
  balanceInput,
  timeline,
  timelineInput,
} from "../../src/projections/trade/answers/series.ts";
import { fileOf, importFiles, refusalOf, storeOf, tempDir } from "../datasets/workshop.ts";

const HEADER = "DATAFLOW,LAST UPDATE,freq,reporter,partner,product,flow,indicators,TIME_PERIOD,OBS_VALUE";

/** A value in EUR; flow 1 is import, 2 is export. */
const line = (reporter: string, product: string, month: string, value: number, partner = "CN", flow = 1) =>
  `ESTAT:DS-045409(1.0),01/01/26 11:00:00,M,${reporter},${partner},${product},${flow},VALUE_IN_EUROS,${month},${value}`;

const both: ReporterCode[] = ["DE", "FR"];

/** Imports each list of lines as a file of one command; returns the vintage. */
async function sdmx(dir: string, files: string[][], replaces: string | null = null, afresh = false) {
  const paths = await Promise.all(
    files.map((lines, at) => fileOf(dir, `extract-${at}.csv`, [HEADER, ...lines])),
  );
  const found = both.filter((code) => files.flat().some((text) => text.includes(`,M,${code},`)));
  return importFiles(dir, paths, { reporters: found, replaces, afresh });
}

async function served(dir: string, vintage: string): Promise<TradeData> {
  return { vintages: await storeOf(dir, vintage), allow_synthetic: false };
}

const mixed = [
  line("DE", "39206290", "2024-01", 100),
  line("DE", "39206290", "2024-02", 100),
  line("FR", "48064010", "2024-01", 5),
  line("FR", "48064010", "2024-02", 5),
  line("FR", "48064010", "2024-03", 5),
  line("DE", "48064010", "2024-03", 7),
];

const importsOf = async (trade: TradeData, input: object) => {
  const { data, meta } = await timeline(trade, timelineInput.parse({ flow: "IMPORT", ...input }));
  return { months: data.map(({ imports_eur, complete }) => [imports_eur, complete]), meta };
};

describe("one file of several products", () => {
  test("covers each product and reporter from the first row to the last", async () => {
    const dir = await tempDir();
    const trade = await served(dir, (await sdmx(dir, [mixed])).manifest.vintage);
    const { months, meta } = await importsOf(trade, { reporters: ["DE"], hs: "39206290" });
    expect(months).toEqual([
      [100, true],
      [100, true],
      [null, false],
    ]);
    expect(meta.incomplete).toEqual([
      { reporter: "DE", delivered_to: "2024-03", missing_months: ["2024-03"] },
    ]);
    const ranked = await topPartners(trade, rankingInput.parse({ reporter: "DE", hs: "39206290" }));
    expect(ranked.data[0]).toMatchObject({ imports_eur: 200, exports_eur: null });
    expect(ranked.meta.incomplete).toHaveLength(1);
    const [year] = (await balance(trade, balanceInput.parse({ reporter: "DE", hs: "39206290" }))).data;
    expect(year).toMatchObject({ imports_eur: 200, exports_eur: null, balance_eur: null, months: 0 });
    const states = await countries(trade, countriesInput.parse({ hs: "48064010" }));
    expect(states.data.find(({ code }) => code === "DE")).toMatchObject({ complete: false });
  });

  test("leads to a refusal outside of that, with the covered range", async () => {
    const dir = await tempDir();
    const trade = await served(dir, (await sdmx(dir, [mixed])).manifest.vintage);
    const request = { reporters: ["FR"], hs: "39206290" };
    const reporters = await refusalOf(timeline(trade, timelineInput.parse(request)));
    expect(reporters).toMatchObject({ code: "invalid", type: { slug: "outside-coverage" } });
    expect(reporters.message).toMatch(/covers the reporters DE; not FR for 39206290/);
    const flow = await refusalOf(
      topPartners(trade, rankingInput.parse({ reporter: "DE", hs: "39206290", flow: "EXPORT" })),
    );
    expect(flow.errors?.[0]).toMatchObject({ path: "flow", message: expect.stringMatching(/no EXPORT/) });
    const later = await sdmx(dir, [mixed, [line("DE", "48064010", "2025-01", 1)]]);
    const years = await refusalOf(
      topPartners(
        await served(dir, later.manifest.vintage),
        rankingInput.parse({ reporter: "DE", hs: "39206290", year: 2025 }),
      ),
    );
    expect(years.errors?.[0]).toMatchObject({ path: "year" });
    expect(years.message).toMatch(/covers 2024-01 to 2024-02 for 39206290/);
  });

  test("gives complete sums over several products only if all of them are covered", async () => {
    const dir = await tempDir();
    const lines = [...mixed, line("DE", "39201023", "2024-01", 1), line("DE", "39201023", "2024-03", 1)];
    const trade = await served(dir, (await sdmx(dir, [lines])).manifest.vintage);
    const { months } = await importsOf(trade, {
      reporters: ["DE"],
      hs: "3920",
      dataset: "comext-ds-045409",
    });
    expect(months).toEqual([
      [101, true],
      [100, true],
      [1, false],
    ]);
  });
});

describe("files of one product each", () => {
  const one = [line("DE", "39206290", "2024-01", 100), line("DE", "39206290", "2024-03", 100)];
  const other = [line("FR", "48064010", "2024-01", 5), line("FR", "48064010", "2024-02", 5)];

  test("cover all stated reporters: no row means no trade there", async () => {
    const dir = await tempDir();
    const { manifest } = await sdmx(dir, [one, other]);
    const trade = await served(dir, manifest.vintage);
    expect((await importsOf(trade, { reporters: ["FR"], hs: "39206290" })).months).toEqual([
      [0, true],
      [0, true],
      // France's last month with any row is February.
      [null, false],
    ]);
    expect((await importsOf(trade, { reporters: ["DE"], hs: "39206290" })).months).toEqual([
      [100, true],
      [0, true],
      [100, true],
    ]);
    expect(manifest.coverage.spoken).toEqual([
      { products: ["39206290"], reporters: both, flows: ["IMPORT"], from: 202401, to: 202403 },
      { products: ["48064010"], reporters: both, flows: ["IMPORT"], from: 202401, to: 202402 },
    ]);
  });

  test("cover months before a reporter's first row, too", async () => {
    const dir = await tempDir();
    const late = [line("FR", "39206290", "2024-03", 1)];
    const trade = await served(dir, (await sdmx(dir, [[...one, ...late]])).manifest.vintage);
    expect((await importsOf(trade, { reporters: ["FR"], hs: "39206290" })).months).toEqual([
      [0, true],
      [0, true],
      [1, true],
    ]);
  });

  test("extend earlier coverage; the same rows with more coverage are another vintage", async () => {
    const dir = await tempDir();
    const first = await sdmx(dir, [[...one, ...other]]);
    const second = await importFiles(dir, [await fileOf(dir, "again.csv", [HEADER, ...one])], {
      reporters: ["DE"],
      replaces: first.manifest.vintage,
    });
    expect(second.manifest.vintage).toBe(first.manifest.vintage);
    const apart = await sdmx(dir, [one, other], first.manifest.vintage);
    expect(apart.manifest.vintage).not.toBe(first.manifest.vintage);
    const more = await sdmx(dir, [[line("FR", "39206290", "2024-02", 9)]], first.manifest.vintage);
    const trade = await served(dir, more.manifest.vintage);
    expect((await importsOf(trade, { reporters: ["DE"], hs: "39206290" })).months).toEqual([
      [100, true],
      [0, true],
      [100, true],
    ]);
    expect((await importsOf(trade, { reporters: ["FR"], hs: "39206290" })).months[0]).toEqual([null, false]);
  });
});

describe("an import is refused", () => {
  test("if a product contains another one, in its files or in earlier ones", async () => {
    const dir = await tempDir();
    const chapter = line("DE", "39", "2024-03", 7);
    const says = /product 39 contains product 39206290.*one level only.*--afresh/;
    expect((await refusalOf(sdmx(dir, [[...mixed, chapter]]))).message).toMatch(says);
    const { vintage } = (await sdmx(dir, [mixed])).manifest;
    expect((await refusalOf(sdmx(dir, [[chapter]], vintage))).message).toMatch(says);
    const alone = await sdmx(dir, [[chapter]], vintage, true);
    expect(alone.manifest.coverage.products.codes).toEqual(["39"]);
  });

  test("if partners add up to more than WORLD beyond rounding", async () => {
    const dir = await tempDir();
    const of = (value: number, partner: string) => line("DE", "39206290", "2024-01", value, partner);
    const first = await sdmx(dir, [[of(60, "CN"), of(40, "US"), of(98, "WORLD")]]);
    const newer = sdmx(dir, [[of(90, "CN"), of(60, "US")]], first.manifest.vintage);
    const refusal = await refusalOf(newer);
    expect(refusal.message).toMatch(
      /DE 39206290 IMPORT 2024-01: the partners add up to 150 EUR, more than the WORLD row of 98: import/,
    );
    const mended = [[of(90, "CN"), of(60, "US"), of(150, "WORLD")]];
    await sdmx(dir, mended, first.manifest.vintage);
    const elsewhere = [[line("DE", "48064010", "2024-01", 5)]];
    await sdmx(dir, elsewhere, first.manifest.vintage);
  });
});

describe("each flow is judged separately", () => {
  const exports = (month: number, count: number) =>
    Array.from({ length: count }, (_, at) =>
      line("DE", "39206290", `2024-0${month}`, 10, `A${"ABCDEFGHIJKLMNOPQ"[at]}`, 2),
    );
  const imports = (month: number) => line("DE", "39206290", `2024-0${month}`, 10);

  test("a month without its exports is provisional", async () => {
    const dir = await tempDir();
    const lines = [1, 2, 3].flatMap((month) => [imports(month), ...exports(month, month === 3 ? 0 : 12)]);
    const { manifest } = await sdmx(dir, [lines]);
    expect(manifest.coverage.reporters).toEqual([
      { reporter: "DE", from: 202401, to: 202402, provisional: [202403], missing: [] },
    ]);
    const { data } = await timeline(
      await served(dir, manifest.vintage),
      timelineInput.parse({ reporters: ["DE"], hs: "39206290" }),
    );
    expect(data[2]).toMatchObject({ imports_eur: 10, exports_eur: null, complete: false });
  });

  test("few rows a month prove nothing: there may have been no trade", async () => {
    const dir = await tempDir();
    const lines = [1, 2, 3].flatMap((month) => [imports(month), ...exports(month, month === 3 ? 0 : 2)]);
    const { manifest } = await sdmx(dir, [lines]);
    expect(manifest.coverage.reporters[0]).toMatchObject({ to: 202403, provisional: [] });
  });

  test("a flow missing in whole months was never imported", async () => {
    const dir = await tempDir();
    const columns =
      "REPORTER,PARTNER,TRADE_TYPE,PRODUCT_NC,PRODUCT_SITC,PRODUCT_CPA21,PRODUCT_CPA22,PRODUCT_BEC,PRODUCT_BEC5,PRODUCT_SECTION,FLOW,STAT_PROCEDURE,SUPPL_UNIT,PERIOD,VALUE_EUR,VALUE_NAC,QUANTITY_KG,QUANTITY_SUPPL_UNIT";
    const bulk = (month: number, flow: number) =>
      `DE,AD,E,39161000,58310,2221,2221,220,211210,07,${flow},1,NO_SU,${month},1000,1000,100,0`;
    const lines = monthsBetween(202401, 202404).flatMap((month) =>
      month % 2 === 0 ? [bulk(month, 1)] : [bulk(month, 1), bulk(month, 2)],
    );
    const { manifest } = await importFiles(dir, [await fileOf(dir, "full.csv", [columns, ...lines])], {
      reporters: ["DE"],
    });
    expect(manifest.coverage.reporters).toEqual([
      { reporter: "DE", from: 202401, to: 202403, provisional: [202404], missing: [202402] },
    ]);
  });
});
