/** The six customs operations over HTTP, with the sandbox's tables and then the real nomenclature; and what must be refused. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importReference } from "../../src/operator/reference.ts";
import { fileOf, tempDir } from "../datasets/workshop.ts";
import { openSandbox, openSandboxLv } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

let service: Service;
let headers: Record<string, string>;
beforeAll(async () => {
  service = await startService();
  headers = (await service.issue()).headers;
});
afterAll(() => service.stop());

type Line = Record<string, unknown>;
type Answer<Data> = {
  success: boolean;
  data: Data;
  meta: Line & { next_cursor: string | null };
  errors?: { path: string }[];
};
const get = (path: string, more = {}) =>
  fetch(`${service.url}/v1/agent/customs/${path}`, { headers: { ...headers, ...more } });
async function ask<Data = Line[]>(path: string): Promise<Answer<Data>> {
  const response = await get(path);
  const body = (await response.json()) as Answer<Data>;
  expect([response.status, body.success], JSON.stringify(body).slice(0, 500)).toEqual([200, true]);
  return body;
}
async function refused(path: string): Promise<{ status: number; fields: string[] }> {
  const response = await get(path);
  const { errors = [] } = (await response.json()) as Answer<never>;
  return { status: response.status, fields: errors.map(({ path: field }) => field) };
}

test("before any data, each operation refuses with a time to retry", async () => {
  for (const path of ["classifications", "trends", "tariff-lookup?code=44"]) {
    const response = await get(path);
    expect([response.status, response.headers.has("retry-after")]).toEqual([503, true]);
  }
  await openSandbox(service);
  // The nomenclature is open before Latvia's trade: names without figures.
  const { data, meta } = await ask("classifications?q=pellets");
  expect([data[0]!.code, data[0]!.has_data, meta.data]).toEqual(["44013100", null, null]);
  expect((await ask<Line>("tariff-lookup?code=8471")).data.trade).toBeNull();
  expect((await get("trends")).status).toBe(503);
  await openSandboxLv(service);
});

describe("classifications", () => {
  test("words find names, with parents, section and whether there is trade", async () => {
    const { data, meta } = await ask("classifications?q=WOOD%20pell%C3%A9t");
    expect(data.map(({ code }) => code)).toEqual(["44013100", "4401"]);
    expect(data.slice(0, 1)).toEqual([
      {
        code: "44013100",
        level: "cn8",
        name: "Wood pellets",
        parents: [
          { code: "44", name: "Wood and charcoal" },
          { code: "4401", name: "Fuel wood, pellets, chips, sawdust" },
          { code: "440131", name: "Wood pellets" },
        ],
        section: { code: "IX", name: "Wood, cork and basketware" },
        has_data: true,
      },
    ]);
    expect(meta).toMatchObject({
      total: 2,
      next_cursor: null,
      synthetic: true,
      data: { dataset: "sandbox-lv" },
    });
  });

  test("pages of a prefix join up to the whole list, and no input gives the chapters", async () => {
    const whole = (await ask("classifications?code=4&limit=100")).data.map(({ code }) => code);
    const paged: unknown[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Answer<Line[]> = await ask(
        `classifications?code=4&limit=30${cursor && `&cursor=${cursor}`}`,
      );
      paged.push(...page.data.map(({ code }) => code));
      cursor = page.meta.next_cursor;
    }
    expect(paged.slice(0, whole.length)).toEqual(whole);
    expect(new Set(paged).size).toBe(paged.length);
    const chapters = await ask("classifications?limit=100");
    expect(chapters.data.every(({ level }) => level === "chapter")).toBe(true);
    expect(chapters.data.find(({ code }) => code === "77")).toBeUndefined();
    expect(chapters.data.find(({ code }) => code === "01")!.has_data).toBe(false);
    expect((await ask("classifications?q=zzz")).data).toEqual([]);
  });
});

test("tariff-lookup lists the duties of a code, marked synthetic, with Latvia's trade", async () => {
  type Tariff = {
    third_country: Line | null;
    goods: { goods_code: string; inherited: boolean; duties: Line[] }[];
    trade: Line & { about: Line };
  };
  const { data, meta } = await ask<Tariff>("tariff-lookup?code=44071110");
  expect(data.goods).toMatchObject([
    { goods_code: "4407000000", inherited: true, duties: [{ measure_code: "103", ad_valorem_pct: 2.5 }] },
  ]);
  expect(data.third_country).toEqual({ min_pct: 2.5, max_pct: 2.5, not_ad_valorem: 0 });
  expect(meta).toMatchObject({ dataset: "sandbox-taric-duties", synthetic: true, as_of: "2025-01-01" });
  expect(meta.note).toMatch(/synthetic/);
  const chapter = await ask<Tariff>("tariff-lookup?code=44&limit=100");
  const groups = chapter.data.goods.map(({ duties }) => duties.map(({ group }) => group));
  expect(
    groups.every(
      (of) => of.toSorted((a, b) => (a === b ? 0 : a === "third_country" ? -1 : 1)).join() === of.join(),
    ),
  ).toBe(true);
  const { min_pct, max_pct } = chapter.data.third_country as { min_pct: number; max_pct: number };
  expect(min_pct).toBeLessThan(max_pct);
  expect(chapter.data.trade).toMatchObject({ year: 2024, about: { synthetic: true } });
  expect(await refused("tariff-lookup?code=77")).toEqual({ status: 400, fields: ["code"] });
});

test("the figures of all operations are of one dataset and consistent", async () => {
  const trends = await ask<{ years: Line[]; months: Line[] }>("trends?years=2024&direction=IMPORT");
  const top = await ask("top-commodities?year=2024&direction=IMPORT&limit=100");
  const sum = top.data.reduce((all, { value_eur }) => all + (value_eur as number), 0);
  expect(trends.data.years).toMatchObject([{ year: 2024, imports_eur: sum, complete: true }]);
  expect(top.data.slice(0, -1).every(({ name }) => typeof name === "string")).toBe(true);
  const partner = await ask<{ years: Line[] }>("country-analysis?country=DE&years=2024");
  expect(partner.data.years[0]!.imports_eur as number).toBeLessThan(sum);
  expect((await ask("seasonal?code=44013100")).data).toHaveLength(2);
  for (const { meta } of [trends, top, partner])
    expect(meta).toMatchObject({ dataset: "sandbox-lv", synthetic: true, formula: expect.any(String) });
  // The datasets are listed as what they are.
  const overview = await fetch(`${service.url}/v1/agent/trade/overview`, { headers });
  const { datasets } = ((await overview.json()) as Answer<{ datasets: Line[] }>).data;
  expect(datasets.map(({ dataset, reporters }) => [dataset, reporters]).sort()).toEqual([
    ["sandbox", 27],
    ["sandbox-lv", 1],
  ]);
});

test.each([
  ["classifications?code=4x", ["code"]],
  ["classifications?code=123456789", ["code"]],
  ["classifications?q=%20%2E", ["q"]],
  [`classifications?q=${"a".repeat(101)}`, ["q"]],
  [`classifications?q=${"a%20".repeat(11)}`, ["q"]],
  ["classifications?q=wood&cursor=000000000000-20", ["cursor"]],
  ["classifications?cursor=-1", ["cursor"]],
  ["classifications?limit=0&code=", ["code", "limit"]],
  ["trends?years=2024-2020", ["years"]],
  ["trends?direction=import", ["direction"]],
  ["trends?years=1999", ["years"]],
  ["trends?dataset=nowhere", ["dataset"]],
  ["top-commodities?sort=price", ["sort"]],
  ["top-commodities?year=1999", ["year"]],
  ["top-commodities?limit=101", ["limit"]],
  ["country-analysis", ["country"]],
  ["country-analysis?country=LV", ["country"]],
  ["country-analysis?country=EL", ["country"]],
  ["country-analysis?country=DE';drop", ["country"]],
  ["tariff-lookup", ["code"]],
  ["tariff-lookup?code=4", ["code"]],
  ["tariff-lookup?code=44'", ["code"]],
  ["seasonal", ["code"]],
  ["seasonal?code=44&years=x", ["years"]],
])("%s is refused, naming the field", async (path, fields) => {
  const answer = await refused(path);
  expect([answer.status, [...new Set(answer.fields)].sort()]).toEqual([400, fields]);
});

const shared = process.env.SHARED_DATA ?? join(import.meta.dirname, "../../../shared/data");
const nomenclature = join(shared, "cn2022_en.csv.gz");

test.skipIf(!existsSync(nomenclature))(
  "the real nomenclature names codes that had no name, and answers then have the names",
  async () => {
    const question = "classifications?q=portable%20data-processing&limit=5";
    expect((await ask(question)).data).toEqual([]);
    const before = await get("top-commodities?year=2024");
    const { data_dir, app } = service;
    const { facts } = await importReference(app, data_dir, [nomenclature]);
    await until(() => app.data.reference.open().some(({ vintage }) => vintage === facts.vintage));
    const { data, meta } = await ask(question);
    expect(data[0]).toMatchObject({
      code: "84713000",
      parents: [{ code: "84" }, { code: "8471" }, { name: data[0]!.name }],
    });
    expect(meta).toMatchObject({ dataset: "cn-nomenclature", synthetic: false });
    // The answer now rests on another table: the cached one is not reused.
    const after = await get("top-commodities?year=2024", { "If-None-Match": before.headers.get("etag")! });
    expect(after.status).toBe(200);
  },
);

test("real duties replace the synthetic ones", async () => {
  const header =
    "Goods code,Add code,Order No.,Start date,End date,RED_IND,Origin,Measure type,Legal base,Duty,Origin code,Meas. type code";
  const lines = [
    header,
    "4407000000 80,,,01-01-2020,,,ERGA OMNES,Third country duty,R1234/20,4.000 %,1011,103",
    "4407111000 80,,,01-01-2020,,,Norway,Tariff preference,R1234/20,0.000 %,NO,142",
  ];
  const { facts } = await importReference(service.app, service.data_dir, [
    await fileOf(await tempDir(), "duties.csv", lines),
  ]);
  await until(() => service.app.data.reference.open().some(({ vintage }) => vintage === facts.vintage));
  const { data, meta } = await ask<Line & { goods: Line[] }>("tariff-lookup?code=44071110");
  expect(meta).toMatchObject({
    dataset: "taric-duties",
    synthetic: false,
    note: null,
    as_of: "2020-01-01",
    total: 2,
  });
  expect(data).toMatchObject({
    third_country: { min_pct: 4, max_pct: 4 },
    all_origins: { min_pct: 0, max_pct: 4 },
    goods: [
      { goods_code: "4407000000", inherited: true },
      {
        goods_code: "4407111000",
        inherited: false,
        duties: [{ origin_code: "NO", group: "preference", legal_base: "R1234/20" }],
      },
    ],
  });
  expect(await refused("tariff-lookup?code=8471")).toEqual({ status: 400, fields: ["code"] });
});
