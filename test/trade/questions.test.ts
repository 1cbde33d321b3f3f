import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { z } from "zod";
import { readManifest, releaseFacts } from "../../src/datasets/manifest.ts";
import { openVintages } from "../../src/datasets/vintage-store.ts";
import { monthsBetween } from "../../src/domain/trade/units.ts";
import {
  countries,
  countriesInput,
  countriesOutput,
  overview,
  overviewInput,
  overviewOutput,
} from "../../src/projections/trade/answers/overview.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import {
  rankingInput,
  topPartners,
  topPartnersOutput,
  topProducts,
  topProductsOutput,
} from "../../src/projections/trade/answers/rankings.ts";
import {
  balance,
  balanceInput,
  balanceOutput,
  timeline,
  timelineInput,
  timelineOutput,
} from "../../src/projections/trade/answers/series.ts";
import {
  bulkFixture,
  fileOf,
  importFiles,
  limits,
  refusalOf,
  sdmxFixture,
  storeOf,
  tempDir,
} from "../datasets/workshop.ts";
import { sandboxIn } from "../support/sandbox.ts";

/** A sandbox and a real dataset of one product and one reporter, two months of 2024. */
let trade: TradeData;
let dataDir: string;
let releasedRows: number;
let realVintage: string;

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-data-"));
  const sandbox = await sandboxIn(dir);
  const real = await importFiles(dir, [sdmxFixture], { reporters: ["DE"] });
  const vintages = await openVintages({ ...limits, dataDir: dir });
  await vintages.serve(sandbox);
  await vintages.serve(real.manifest.vintage);
  trade = { vintages, allow_synthetic: true };
  dataDir = dir;
  realVintage = real.manifest.vintage;
  releasedRows = releaseFacts(await readManifest(dir, sandbox), null, new Date(0)).rows;
  return async () => {
    await vintages.close();
    await rm(dir, { recursive: true, force: true });
  };
});

type In<Schema extends z.ZodType> = z.input<Schema>;
const ask = {
  overview: async (input: In<typeof overviewInput>) =>
    overviewOutput.parse(await overview(trade, overviewInput.parse(input))),
  countries: async (input: In<typeof countriesInput>) =>
    countriesOutput.parse(await countries(trade, countriesInput.parse(input))),
  timeline: async (input: In<typeof timelineInput>) =>
    timelineOutput.parse(await timeline(trade, timelineInput.parse(input))),
  topPartners: async (input: In<typeof rankingInput>) =>
    topPartnersOutput.parse(await topPartners(trade, rankingInput.parse(input))),
  topProducts: async (input: In<typeof rankingInput>) =>
    topProductsOutput.parse(await topProducts(trade, rankingInput.parse(input))),
  balance: async (input: In<typeof balanceInput>) =>
    balanceOutput.parse(await balance(trade, balanceInput.parse(input))),
};

describe("the dataset that answers", () => {
  test("is the real one if it covers the question", async () => {
    const { meta } = await ask.topPartners({ reporter: "DE", hs: "39206290", year: 2024 });
    expect(meta).toMatchObject({ dataset: "comext-ds-045409", synthetic: false });
    expect(meta.coverage).toEqual({
      products: { complete: true, count: 1, codes: ["39206290"] },
      reporters: ["DE"],
      months: { from: "2024-01", to: "2024-02" },
    });
  });

  test("is otherwise the sandbox, marked synthetic: all products, a chapter with one real code", async () => {
    for (const hs of [undefined, "39", "44", "4401"]) {
      const { meta } = await ask.topPartners({ reporter: "DE", hs, year: 2024 });
      expect(meta).toMatchObject({ dataset: "sandbox", synthetic: true });
      expect(meta.coverage.products.complete).toBe(true);
    }
  });

  test("is a named one even if it covers only a part, which the answer reports", async () => {
    const { meta } = await ask.balance({ reporter: "DE", hs: "39", dataset: "comext-ds-045409" });
    expect(meta.coverage.products).toEqual({ complete: false, count: 1, codes: ["39206290"] });
    const text = await ask.overview({ format: "summary", dataset: "comext-ds-045409" });
    expect(text.data).toMatchObject({ text: expect.stringMatching(/which is not a total/) });
  });

  test("is never synthetic without the sandbox, in answers and lists", async () => {
    const real = { ...trade, allow_synthetic: false };
    const refusal = await refusalOf(balance(real, { reporter: "DE" }));
    expect(refusal).toMatchObject({ code: "invalid", type: { slug: "outside-coverage" } });
    const answer = await overview(real, overviewInput.parse({ hs: "39206290" }));
    expect(answer.data).toMatchObject({ datasets: [{ dataset: "comext-ds-045409" }] });
    const none = { vintages: await openVintages({ ...limits, dataDir: "none" }), allow_synthetic: true };
    expect(await refusalOf(balance(none, { reporter: "DE" }))).toMatchObject({
      code: "unavailable",
      type: { slug: "dataset-missing" },
    });
    await none.vintages.close();
  });
});

describe("a dataset that is expected but not open", () => {
  const awaiting = async (dataset: string, synthetic: boolean) => {
    const vintages = await openVintages({ ...limits, dataDir });
    onTestFinished(() => vintages.close());
    await vintages.serve(realVintage);
    vintages.expect([{ dataset, synthetic, released: true }]);
    return vintages;
  };

  test("delays answers if no other dataset answers, or if it is named", async () => {
    const waiting = { vintages: await awaiting("comext-bulk", false), allow_synthetic: true };
    const missing = { code: "unavailable", type: { slug: "dataset-missing" } };
    expect(await refusalOf(balance(waiting, { reporter: "DE" }))).toMatchObject(missing);
    const named = { reporter: "DE" as const, hs: "39206290", dataset: "comext-bulk" };
    expect(await refusalOf(balance(waiting, named))).toMatchObject(missing);
    const { meta } = await balance(waiting, { reporter: "DE", hs: "39206290" });
    expect(meta.dataset).toBe("comext-ds-045409");
  });

  test("does not delay answers if it is synthetic and synthetic figures are not sold", async () => {
    const real = { vintages: await awaiting("sandbox", true), allow_synthetic: false };
    expect(await refusalOf(balance(real, { reporter: "DE" }))).toMatchObject({
      type: { slug: "outside-coverage" },
    });
  });
});

describe("a question outside the coverage is refused with the range", () => {
  test.each([
    [{ reporter: "DE", year: 2004 } as const, "year", /sandbox covers 2005-01 to 2025-12/],
    [{ reporter: "DE", year: 2026 } as const, "year", /2005-01 to 2025-12/],
    [
      { reporter: "DE", hs: "39206290", year: 2020 } as const,
      "year",
      /comext-ds-045409 covers 2024-01 to 2024-02/,
    ],
    [{ reporter: "FR", hs: "39206290" } as const, "reporter", /covers the reporters DE; not FR/],
    [{ reporter: "DE", hs: "7208" } as const, "hs", /no dataset covers the question/],
    [{ reporter: "DE", hs: "4407999999", year: 2004 } as const, "year", /sandbox covers 2005-01/],
    [{ reporter: "DE", dataset: "nope" } as const, "dataset", /there is comext-ds-045409, sandbox/],
  ])("%j", async (input, path, says) => {
    const refusal = await refusalOf(ask.topPartners(input));
    expect(refusal.code).toBe("invalid");
    expect(refusal.message).toMatch(says);
    expect(refusal.errors?.[0]?.path).toBe(path);
  });

  test("without a sandbox, the error names a dataset that answers in part, and that one does", async () => {
    const real = { ...trade, allow_synthetic: false };
    const input = rankingInput.parse({ reporter: "DE", year: 2024 });
    const refusal = await refusalOf(topPartners(real, input));
    expect(refusal.message).toContain("dataset=comext-ds-045409 answers for a part");
    const { meta } = await topPartners(real, { ...input, dataset: "comext-ds-045409" });
    expect(meta).toMatchObject({ synthetic: false, coverage: { products: { complete: false } } });
  });

  test("a code of ten digits is cut to eight, and the answer reports it", async () => {
    const cut = await ask.topPartners({ reporter: "DE", hs: "3920629010", year: 2024 });
    expect(cut.meta).toMatchObject({ hs: "39206290", dataset: "comext-ds-045409" });
    expect(cut).toEqual(await ask.topPartners({ reporter: "DE", hs: "39206290", year: 2024 }));
    expect((await ask.topPartners({ reporter: "DE", year: 2024 })).meta.hs).toBeNull();
  });

  test("a product without a row in any month is refused instead of sold as zeros", async () => {
    const refused = await refusalOf(ask.topPartners({ reporter: "DE", hs: "44999999", year: 2024 }));
    expect(refused.errors).toMatchObject([{ path: "hs", message: /^sandbox has no row of 44999999/ }]);
  });
});

describe("rankings", () => {
  test("list single countries as partners, and the rest of WORLD last", async () => {
    const { data, meta } = await ask.topPartners({
      reporter: "DE",
      hs: "39206290",
      year: 2024,
      flow: "IMPORT",
    });
    expect(data).toEqual([
      { rank: 1, partner: "FR", name: "France", value_eur: 5000, quantity_kg: 1234, share: 0.555556 },
      { rank: 2, partner: "CN", name: "China", value_eur: 2000, quantity_kg: null, share: 0.222222 },
      expect.objectContaining({
        rank: null,
        partner: "rest",
        value_eur: 2000,
        quantity_kg: 766,
        share: 0.222222,
      }),
    ]);
    expect(meta.total).toEqual({ value_eur: 9000, quantity_kg: 2000 });
  });

  test("without a flow order by the sum of both and show each; the default is the last complete year", async () => {
    const { data, meta } = await ask.topPartners({ reporter: "LV", limit: 3 });
    expect(meta).toMatchObject({ year: 2024, flow: null, count: 3 });
    for (const row of data) expect(row.imports_eur! + row.exports_eur!).toBe(row.value_eur);
    expect(data.map(({ rank }) => rank)).toEqual([1, 2, 3, null]);
    expect(data.reduce((sum, { value_eur }) => sum + value_eur, 0)).toBe(meta.total.value_eur);
    const values = data.slice(0, 3).map(({ value_eur }) => value_eur);
    expect(values).toEqual(values.toSorted((a, b) => b - a));
  });

  test("products are chapters, and below a code the next finer ones", async () => {
    const all = await ask.topProducts({ reporter: "LV", year: 2024, flow: "EXPORT", limit: 100 });
    expect(all.data.at(-1)).toMatchObject({ product: "rest", value_eur: 0 });
    expect(all.data.find(({ product }) => product === "44")?.name).toBe("Wood and charcoal");
    const wood = await ask.topProducts({ reporter: "LV", year: 2024, flow: "EXPORT", hs: "44", limit: 100 });
    expect(wood.data.slice(0, -1).every(({ product }) => /^44\d\d$/.test(product))).toBe(true);
    expect(wood.meta.total.value_eur).toBe(all.data.find(({ product }) => product === "44")?.value_eur);
    const leaf = await ask.topProducts({ reporter: "DE", year: 2024, hs: "39206290" });
    expect(leaf.data[0]).toMatchObject({
      product: "39206290",
      value_eur: 9900,
      imports_eur: 9000,
      exports_eur: 900,
    });
  });
});

describe("a month without an import", () => {
  /** Both reporters' February of the fixture as every month of 2023 and 2024 except June 2024. */
  async function withHole(): Promise<TradeData> {
    const dir = await tempDir();
    const february = (await readFile(bulkFixture, "utf8")).trimEnd().split("\n");
    const months = monthsBetween(202301, 202412).filter((month) => month !== 202406);
    const files = months.map((month) =>
      fileOf(
        dir,
        `full_v2_${month}.csv`,
        february.map((line) => line.replace(",202402,", `,${month},`)),
      ),
    );
    const built = await importFiles(dir, await Promise.all(files), { reporters: ["DE", "FR"] });
    return { vintages: await storeOf(dir, built.manifest.vintage), allow_synthetic: false };
  }

  test("is null, and its year is incomplete", async () => {
    const holed = await withHole();
    const series = await timeline(holed, timelineInput.parse({ reporters: ["DE"], years: "2024" }));
    expect(series.data.map(({ complete }) => complete).indexOf(false)).toBe(5);
    expect(series.data[5]).toMatchObject({ period: "2024-06", imports_eur: null, exports_eur: null });
    expect(series.meta.incomplete).toEqual([
      { reporter: "DE", delivered_to: "2024-12", missing_months: ["2024-06"] },
    ]);
    const years = await balance(holed, balanceInput.parse({ reporter: "DE" }));
    expect(years.data.map(({ year, months, complete }) => [year, months, complete])).toEqual([
      [2023, 12, true],
      [2024, 11, false],
    ]);
    const ranking = await topPartners(holed, rankingInput.parse({ reporter: "DE" }));
    expect(ranking.meta).toMatchObject({ year: 2023, incomplete: [] });
    const states = await countries(holed, countriesInput.parse({}));
    expect(states.data.find(({ code }) => code === "DE")).toMatchObject({
      complete: false,
      missing_months: 1,
    });
  });
});

describe("series", () => {
  test("sum the 27 or list each; the incomplete last month is marked", async () => {
    const sum = await ask.timeline({ years: "2025" });
    expect(sum.data).toHaveLength(12);
    expect(sum.data[10]).toMatchObject({ reporter: "EU27", period: "2025-11", complete: true });
    expect(sum.data[11]).toMatchObject({ period: "2025-12", complete: false });
    expect(sum.meta.incomplete.length).toBeGreaterThan(0);
    const each = await ask.timeline({ reporters: ["DE", "FR"], years: "2024", flow: "IMPORT" });
    expect(each.data).toHaveLength(24);
    expect(each.data[0]).not.toHaveProperty("exports_eur");
  });

  test("show no trade as zero, and the balance as exports less imports", async () => {
    const { data } = await ask.timeline({ reporters: ["DE"], hs: "39206290" });
    expect(data).toEqual([
      {
        reporter: "DE",
        period: "2024-01",
        imports_eur: 9000,
        imports_kg: 2000,
        exports_eur: 0,
        exports_kg: null,
        complete: true,
      },
      {
        reporter: "DE",
        period: "2024-02",
        imports_eur: 0,
        imports_kg: null,
        exports_eur: 900,
        exports_kg: null,
        complete: true,
      },
    ]);
    const yearly = await ask.balance({ reporter: "DE", hs: "39206290" });
    expect(yearly.data).toEqual([
      { year: 2024, imports_eur: 9000, exports_eur: 900, balance_eur: -8100, months: 2, complete: false },
    ]);
  });

  test("have equal sums in all questions", async () => {
    const months = await ask.timeline({ reporters: ["LV"], years: "2024" });
    const imports = months.data.reduce((sum, { imports_eur }) => sum + (imports_eur ?? 0), 0);
    const [year] = (await ask.balance({ reporter: "LV", years: "2024" })).data;
    const partners = await ask.topPartners({ reporter: "LV", year: 2024, flow: "IMPORT" });
    const products = await ask.topProducts({ reporter: "LV", year: 2024, flow: "IMPORT" });
    expect([year?.imports_eur, partners.meta.total.value_eur, products.meta.total.value_eur]).toEqual([
      imports,
      imports,
      imports,
    ]);
  });
});

describe("datasets and countries", () => {
  test("overview counts records and lists the datasets", async () => {
    const { data, meta } = await ask.overview({});
    expect(data).toMatchObject({ countries: 27, date_range: { from: "2005-01", to: "2025-12" }, year: 2024 });
    expect(meta.synthetic).toBe(true);
    expect(data).toMatchObject({ records: releasedRows });
    const real = await ask.overview({ hs: "39206290" });
    expect(real.data).toMatchObject({ records: 6, countries: 1, partners: 2, products: 1, year: null });
  });

  test("a product with only WORLD rows has the countries of those rows", async () => {
    const dir = await tempDir();
    const rows = (await readFile(sdmxFixture, "utf8")).trim().split("\n");
    const world = await fileOf(
      dir,
      "world.csv",
      rows.filter((row) => /WORLD|LAST UPDATE/.test(row)),
    );
    const { manifest } = await importFiles(dir, [world], { reporters: ["DE"] });
    const real = { vintages: await storeOf(dir, manifest.vintage), allow_synthetic: false };
    const { data } = await overview(real, overviewInput.parse({ hs: "39206290" }));
    expect(data).toMatchObject({ countries: 1, partners: 0, records: 2 });
  });

  test("the countries' records are rows, and add up to those of the overview", async () => {
    for (const hs of [undefined, "44", "4401", "27", "39206290"]) {
      const { data } = await ask.countries({ hs });
      const records = data.reduce((sum, row) => sum + ("records" in row ? row.records : 0), 0);
      expect((await ask.overview({ hs })).data).toMatchObject({ records });
    }
  });

  test("countries lists all 27, even without data; compact omits the rest", async () => {
    const { data } = await ask.countries({ hs: "39206290" });
    expect(data).toHaveLength(27);
    expect(data.find(({ code }) => code === "DE")).toMatchObject({
      imports: true,
      exports: true,
      to: "2024-02",
      complete: true,
    });
    expect(data.find(({ code }) => code === "FR")).toMatchObject({
      imports: false,
      from: null,
      complete: false,
    });
    const compact = await ask.countries({ format: "compact" });
    expect(Object.keys(compact.data[0]!)).toEqual(["code", "imports", "exports", "from", "to", "complete"]);
  });
});
