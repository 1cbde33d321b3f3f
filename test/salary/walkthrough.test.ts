/** Salary questions over HTTP: synthetic tables first, then imported files, and refusals of hostile callers. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importReference, releaseSandboxTables } from "../../src/operator/reference.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

type Row = Record<string, unknown>;
type Meta = Row & { notes: string[]; tables: { dataset: string; synthetic: boolean }[] };
type Answer = {
  status: number;
  data: Row[];
  meta: Meta;
  errors: { path: string; message: string }[];
  type: string;
};

let service: Service;
let headers: Record<string, string>;

beforeAll(async () => {
  service = await startService();
  headers = (await service.issue()).headers;
  await served(await releaseSandboxTables(service.app, service.data_dir));
});
afterAll(() => service.stop());

/** Waits until the service has what was released. */
async function served(released: { facts: { vintage: string } }[]): Promise<void> {
  const open = () => service.app.data.reference.open().map(({ vintage }) => vintage);
  await until(() => released.every(({ facts }) => open().includes(facts.vintage)));
}

const get = (path: string, more: Record<string, string> = {}) =>
  fetch(`${service.url}/v1/agent/${path}`, { headers: { ...headers, ...more } });
async function ask(path: string): Promise<Answer> {
  const response = await get(path);
  return { ...((await response.json()) as Answer), status: response.status };
}

/** Imports a file of these lines. */
async function bring(name: string, ...lines: string[]): Promise<void> {
  const path = join(service.data_dir, name);
  await writeFile(path, lines.map((line) => `${line}\n`).join(""));
  await served([await importReference(service.app, service.data_dir, [path])]);
}

describe("synthetic tables", () => {
  test.each([
    "salary/overview",
    "salary/overview?format=summary",
    "salary/countries",
    "salary/sectors?lang=lv",
    "salary/ai-risk",
    "salary/lv-wages?year=2024",
    "salary/compare?countries=LV,DE",
  ])("%s is answered, and each of its tables is marked", async (path) => {
    const { status, meta } = await ask(path);
    expect(status).toBe(200);
    expect(meta.tables.length).toBeGreaterThan(0);
    for (const table of meta.tables)
      expect(table).toMatchObject({ synthetic: true, dataset: expect.stringMatching(/^sandbox-/) });
    expect(meta.formula).not.toBe("");
  });

  test("a repeated question is a 304 by its ETag", async () => {
    const tag = (await get("salary/sectors")).headers.get("etag")!;
    expect((await get("salary/sectors", { "If-None-Match": tag })).status).toBe(304);
    expect((await fetch(`${service.url}/v1/agent/salary/sectors`)).status).toBe(402);
  });

  test("the sections are named in Latvian, the summary in words", async () => {
    const { data } = await ask("salary/sectors?lang=lv");
    expect(data).toHaveLength(22);
    expect(data.find(({ nace }) => nace === "C")).toMatchObject({ name: "Apstrādes rūpniecība" });
    const summary = (await ask("salary/overview?format=summary")) as unknown as { data: { text: string } };
    expect(summary.data.text).toMatch(/EUR 34\.00 in the EU27 \(2025\).*Invented figures/);
  });

  test("list groups of countries, and candidates without figures as null", async () => {
    const { data, meta } = await ask("salary/countries?group=CANDIDATE");
    expect(data).toHaveLength(10);
    expect(data.find(({ code }) => code === "GE")).toMatchObject({
      has_labour_costs: false,
      labour_cost_eur_per_hour: null,
      labour_cost_year: null,
    });
    expect(meta.missing).toEqual(["GE", "MD", "UA", "XK"]);
  });
});

describe("hostile questions", () => {
  const ten = "AT,BE,BG,CY,CZ,DE,DK,EE,ES,FI";
  test.each([
    ["salary/compare", "countries", /./],
    ["salary/compare?countries=", "countries", /./],
    ["salary/compare?countries=LV,LX", "countries.1", /nearest is L\w/],
    ["salary/compare?countries=lv", "countries.0", /upper case: LV/],
    [`salary/compare?countries=${"A".repeat(61)}`, "countries.0", /2-letter code/],
    [`salary/compare?countries=${ten},FR`, "countries", /at most 10/],
    ["salary/compare?countries=LV,EE,LV", "countries", /twice/],
    ["salary/compare?countries=LV&nace=C16", "nace", /nearest is C /],
    ["salary/compare?countries=LV&nace=__proto__", "nace", /there is no NACE code/],
    ["salary/countries?group=EU28", "group", /EU27, EFTA or CANDIDATE/],
    ["salary/sectors?lang=de", "lang", /en or lv/],
    ["salary/ai-risk?type=isco", "type", /ISCO, NACE or all/],
    ["salary/lv-wages?year=2024.5", "year", /whole number/],
    ["salary/lv-wages?year=1999", "year", /2014 to 2025/],
    ["salary/lv-wages?nace=B-E", "nace", /it has B, C, D/],
    ["salary/overview?formt=json", "formt", /format/],
    ["trade/macro-context?indicators=brent", "indicators.0", /nearest is brent_usd/],
    ["trade/macro-context?indicators=eur_usd,eur_usd", "indicators", /twice/],
  ])("%s is a 400 that names the field and the remedy", async (path, field, message) => {
    const { status, errors } = await ask(path);
    expect([status, errors.map((error) => error.path)]).toEqual([400, [field]]);
    expect(errors[0]!.message).toMatch(message);
  });

  test("ten countries are compared", async () =>
    expect((await ask(`salary/compare?countries=${ten}`)).data).toHaveLength(10));
});

describe("imported files", () => {
  beforeAll(async () => {
    const lci = (rest: string) => `ESTAT:LC_LCI_LEV(1.0),28/03/26 11:00:00,A,EUR,D1_D4_MD5,C,${rest}`;
    await bring(
      "lci.csv",
      "DATAFLOW,LAST UPDATE,freq,unit,lcstruct,nace_r2,geo,TIME_PERIOD,OBS_VALUE,OBS_FLAG",
      ...[lci("EU27_2020,2023,30,"), lci("EU27_2020,2024,32,"), lci("LV,2023,12,"), lci("LV,2024,16,p")],
      ...[lci("EE,2023,15,"), lci("EE,2024,18,"), lci("LT,2023,14,")],
    );
    const hicp = (rest: string, geo = "LV") =>
      `ESTAT:PRC_HICP_MINR(1.0),02/10/26 23:00:00,M,I25,TOTAL,${geo},${rest},`;
    await bring(
      "hicp.csv",
      "DATAFLOW,LAST UPDATE,freq,unit,coicop18,geo,TIME_PERIOD,OBS_VALUE,OBS_FLAG",
      ...[hicp("2023-01,90"), hicp("2023-02,90"), hicp("2023-03,90")],
      ...[hicp("2024-01,94"), hicp("2024-02,94.5"), hicp("2024-03,95")],
      ...[hicp("2024-01,300", "SE"), hicp("2023-02,10", "SE")],
    );
  });

  test("countries are compared in the last year with the most known values", async () => {
    const { data, meta } = await ask("salary/compare?countries=LT,LV,EE,GE&nace=C");
    expect(meta).toMatchObject({ year: 2023, missing: ["GE"], eu27: { labour_cost_eur_per_hour: 30 } });
    expect(data.map((row) => [row.code, row.labour_cost_eur_per_hour, row.ratio_to_eu27])).toEqual([
      ["LT", 14, 0.466667],
      ["LV", 12, 0.4],
      ["EE", 15, 0.5],
      ["GE", null, null],
    ]);
    const later = await ask("salary/compare?countries=LV,EE&nace=C");
    expect(later.meta.year).toBe(2024);
    expect(later.data[0]).toMatchObject({ labour_cost_flag: "p", ratio_to_eu27: 0.5 });
    expect(later.meta.tables).toMatchObject([
      { dataset: "labour-costs", synthetic: false },
      { dataset: "sandbox-ses-earnings", synthetic: true },
    ]);
  });

  test("synthetic wages are not deflated by real prices; real ones are", async () => {
    const invented = await ask("salary/lv-wages?year=2024&nace=C");
    expect(invented.data.map((row) => row.real_yoy_pct)).toEqual([null, null, null, null, null]);
    expect(invented.data[0]!.yoy_pct).toBeGreaterThan(0);
    expect(invented.meta.notes.join()).toMatch(/Real growth is null.*never joined/);
    const cube = {
      version: "2.0",
      class: "dataset",
      id: ["NACE", "TIME"],
      size: [1, 2],
      role: { time: ["TIME"] },
      dimension: {
        NACE: { category: { index: ["TOTAL"] } },
        TIME: { category: { index: ["2023Q1", "2024Q1"] } },
      },
      value: [1500, 1650],
    };
    await bring("wages.json", JSON.stringify(cube));
    const { data, meta } = await ask("salary/lv-wages");
    expect(meta.tables.map(({ synthetic }) => synthetic)).toEqual([false, false]);
    // 1650 ÷ 1500 is 10 %; 283.5 ÷ 270 is 5 %; 1.10 ÷ 1.05 is 4.76 %.
    expect(data).toMatchObject([
      { period: "2023-Q1", quarter: 1, yoy_pct: null, inflation_pct: null, real_yoy_pct: null },
      { period: "2024-Q1", year: 2024, yoy_pct: 10, inflation_pct: 5, real_yoy_pct: 4.76 },
    ]);
  });

  test("exposure of an activity is weighted by its employment, once both tables are real", async () => {
    await bring(
      "ilo.csv",
      "ISCO_08,title,score,sd,gradient",
      ...["2511,Systems people,0.5,0.1,High", "2512,Programmers,0.7,0.1,High"],
      ...["7111,House builders,0.1,0.05,None", "9112,Cleaners,0.2,0.05,None"],
    );
    expect((await ask("salary/ai-risk?type=NACE")).meta.notes.join()).toMatch(/never joined/);
    const line = (rest: string) => `ESTAT:LFSA_EISN2(1.0),11/09/26 23:00:00,A,${rest},`;
    await bring(
      "eisn2.csv",
      "DATAFLOW,LAST UPDATE,freq,nace_r2,isco08,age,sex,unit,geo,TIME_PERIOD,OBS_VALUE,OBS_FLAG",
      ...[
        line("F,OC2,Y_GE15,T,THS_PER,EU27_2020,2025,100"),
        line("F,OC7,Y_GE15,T,THS_PER,EU27_2020,2025,300"),
      ],
      ...[line("J,OC2,Y_GE15,T,THS_PER,EU27_2020,2025,80"), line("J,OC4,Y_GE15,T,THS_PER,EU27_2020,2025,20")],
      ...["OC2,Y_GE15,T,THS_PER,EU27_2020,2025,180", "OC7,Y_GE15,T,THS_PER,EU27_2020,2025,300"].map((rest) =>
        line(`TOTAL,${rest}`),
      ),
      line("TOTAL,OC4,Y_GE15,T,THS_PER,EU27_2020,2025,20"),
      ...[line("F,OC9,Y_GE15,T,THS_PER,EU27_2020,2024,900"), line("F,OC7,Y_GE15,T,THS_PER,LV,2025,60")],
    );
    const { data } = await ask("salary/ai-risk?type=all");
    const of = (code: string) => data.find((row) => row.code === code)!;
    // Major group 2 is (0.5 + 0.7) ÷ 2; F is (100·0.6 + 300·0.1) ÷ 400; a fifth of J has no score, which is too much.
    expect(of("2")).toMatchObject({ score: 0.6, basis: "plain mean", units: 2 });
    expect(of("F")).toMatchObject({ score: 0.225, basis: "employment-weighted", covered: 1 });
    expect(of("J")).toMatchObject({ score: null, basis: null, covered: 0.8 });
    expect(of("A")).toMatchObject({ score: null, covered: null });
    // All: (180·0.6 + 300·0.1) ÷ 480, of the 500 who work.
    expect(of("TOTAL")).toMatchObject({ score: 0.2875, covered: 0.96 });
    const { data: sectors } = await ask("salary/sectors");
    expect(sectors.find(({ nace }) => nace === "F")).toMatchObject({ ai_exposure: 0.225 });
  });

  test("the overview says which tables are real", async () => {
    const { data } = (await ask("salary/overview")) as unknown as { data: { tables: Row[]; headline: Row } };
    expect(data.tables.filter(({ synthetic }) => synthetic).map(({ table }) => table)).toEqual([
      "ses-earnings",
    ]);
    expect(data.tables[0]).toMatchObject({ table: "labour-costs", rows: 7, years: { from: 2023, to: 2024 } });
    expect(data.headline).toMatchObject({
      lv_gross_wage: { value: 1650, unit: "EUR a month", as_of: "2024-Q1" },
      ai_exposure: { value: 0.2875 },
      lv_labour_cost: { value: null, as_of: null },
    });
  });
});
