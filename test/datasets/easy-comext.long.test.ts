/** Easy Comext: totals with chosen partners, parsed in both forms, and answers about those partners only. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { reporterCodes } from "../../src/domain/trade/reporters.ts";
import { countryStats, countryStatsInput } from "../../src/projections/fusion/answers/country-stats.ts";
import { corridor, corridorInput, corridorOutput } from "../../src/projections/trade/answers/corridor.ts";
import { overview, overviewInput } from "../../src/projections/trade/answers/overview.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { rankingInput, topPartners } from "../../src/projections/trade/answers/rankings.ts";
import { balance, balanceInput } from "../../src/projections/trade/answers/series.ts";
import { fileOf, importFiles, refusalOf, sdmxFixture, storeOf, tableOf, tempDir } from "./workshop.ts";

const DATASET = "easy-comext-totals";
const BY_CODE = "reporter,partner,flow,period,value_eur";
const DOWNLOAD = "REPORTER,PARTNER,PRODUCT,FLOW,STAT_PROCEDURE,PERIOD,VALUE_IN_EUR";

/** The imported data by code: the lines of `cells` equal the form by code. */
async function cellsOf(dir: string, vintage: string) {
  const cells = await tableOf(await storeOf(dir, vintage), DATASET, "cells");
  const lines = cells.map((row) =>
    [row.reporter, row.partner, row.flow, row.period, row.value_eur].join(","),
  );
  return lines.toSorted();
}

const ask = async (trade: TradeData, reporter: string, partner: string, dataset?: string) =>
  corridorOutput.parse(await corridor(trade, corridorInput.parse({ reporter, partner, dataset })));

const exportsOf = (answer: Awaited<ReturnType<typeof ask>>, at = 0) =>
  answer.data.databases[at]!.directions[0]!;

describe("the page's download", () => {
  const lines = [
    `"Ireland (Eire)","Armenia","Total","EXPORT","Total","Aug. 2024",500`,
    `"Spain (incl. Canary Islands 'XB' from 1997)","Russian Federation (Russia)","Total","IMPORT","Total","May. 2024",70`,
    `"DE-Germany","KG","TOTAL-Total","2-EXPORT","T-Total","202408-Aug. 2024",9`,
    `"European Union - 27 countries (AT, BE)","Armenia","Total","EXPORT","Total","Aug. 2024",500`,
    `"Euro area - 20 countries (AT, BE)","Armenia","Total","EXPORT","Total","Aug. 2024",500`,
    `"United Kingdom (incl. others)","Armenia","Total","EXPORT","Total","Aug. 2024",1`,
  ];
  const reporters = ["DE", "ES", "IE"] as const;

  test("is parsed by names and by codes, without groups of countries", async () => {
    const dir = await tempDir();
    const file = await fileOf(dir, "view.csv", [DOWNLOAD, ...lines]);
    const built = await importFiles(dir, [file], { reporters: [...reporters] });
    expect(await cellsOf(dir, built.manifest.vintage)).toEqual([
      "DE,KG,EXPORT,202408,9",
      "ES,RU,IMPORT,202405,70",
      "IE,AM,EXPORT,202408,500",
    ]);
    expect(built.report).toMatchObject({ rows_read: 6, left_out: { other_reporter: 3 } });
  });

  test("gives the same vintage by names as by codes", async () => {
    const dir = await tempDir();
    const byName = [DOWNLOAD, `"Austria","Armenia","Total","EXPORT","Total","Sep. 2023",12`];
    const byCode = [BY_CODE, "AT,AM,EXPORT,202309,12"];
    const vintages = [];
    for (const text of [byName, byCode]) {
      const file = await fileOf(dir, "same.csv", text);
      vintages.push((await importFiles(await tempDir(), [file], { reporters: ["AT"] })).manifest.vintage);
    }
    expect(vintages[0]).toBe(vintages[1]);
  });

  const good = lines[0]!;
  test.each([
    [
      "a name no code is known for",
      good.replace("Armenia", "Atlantis"),
      /line 2: PARTNER "Atlantis": no known country has this/,
    ],
    ["Greece as EL", good.replace('"Armenia"', '"EL"'), /PARTNER "EL"/],
    [
      "a reporter outside the 27",
      good.replace("Ireland (Eire)", "Norway"),
      /REPORTER "Norway": none of the 27/,
    ],
    ["one product", good.replace('"Total"', '"44-Wood"'), /PRODUCT "44-Wood": only totals/],
    ["a year", good.replace("Aug. 2024", "Jan.-Dec. 2024"), /PERIOD .*: a year is not a month/],
    [
      "a year by code",
      good.replace("Aug. 2024", "202452-Jan.-Dec. 2024"),
      /PERIOD .*: a year is not a month/,
    ],
    ["another language", good.replace("EXPORT", "EXPORTATION"), /FLOW "EXPORTATION": .* in English/],
    ["a negative amount", good.replace(",500", ",-500"), /VALUE_IN_EUR "-500": a value is whole euros/],
    ["a quote without end", good.replace('Armenia"', "Armenia"), /line 2|quote has no end/],
  ])("refuses %s", async (_, line, says) => {
    const dir = await tempDir();
    const file = await fileOf(dir, "bad.csv", [DOWNLOAD, line]);
    expect((await refusalOf(importFiles(dir, [file]))).message).toMatch(says);
  });
});

describe("totals by code", () => {
  const rows = ["AT,AM,EXPORT,202401,100", "AT,AM,EXPORT,202403,300", "AT,KG,IMPORT,202402,7"];

  test.each([
    [
      "a column of another name",
      ["reporter,partner,flow,month,value_eur", rows[0]!],
      /column 4 is "month" and should be period/,
    ],
    [
      "a column more",
      [`${BY_CODE},unit`, `${rows[0]},EUR`],
      /column 6 is "unit" and the layout ends after 5/,
    ],
    [
      "a group of countries as partner",
      [BY_CODE, rows[0]!.replace("AM", "WORLD")],
      /partner "WORLD": a partner is a country/,
    ],
    ["a bad number", [BY_CODE, rows[0]!.replace(",100", ",1e3")], /line 2: value_eur "1e3"/],
    ["a year", [BY_CODE, rows[0]!.replace("202401", "202452")], /period 52 is a whole year/],
    ["an unknown reporter", [BY_CODE, rows[0]!.replace("AT,", "EL,")], /Greece is GR here/],
    [
      "unequal duplicates",
      [BY_CODE, rows[0]!, `${rows[0]}1`],
      /line 3: AT AM TOTAL EXPORT 202401 is already in .* line 2/,
    ],
  ])("refuses %s", async (_, lines, says) => {
    const dir = await tempDir();
    const file = await fileOf(dir, "bad.csv", lines);
    expect((await refusalOf(importFiles(dir, [file], { reporters: ["AT"] }))).message).toMatch(says);
  });

  test("counts an equal line once", async () => {
    const dir = await tempDir();
    const file = await fileOf(dir, "twice.csv", [BY_CODE, rows[0]!, rows[0]!]);
    const built = await importFiles(dir, [file], { reporters: ["AT"] });
    expect(built.report.equal_duplicates).toBe(1);
    expect(await cellsOf(dir, built.manifest.vintage)).toEqual([rows[0]]);
  });

  test("cover each partner and flow separately, from its first row to its last", async () => {
    const dir = await tempDir();
    const file = await fileOf(dir, "totals.csv", [BY_CODE, ...rows]);
    const { manifest } = await importFiles(dir, [file], { reporters: ["AT"] });
    expect(manifest.coverage.spoken).toEqual([
      {
        products: ["TOTAL"],
        partners: ["AM"],
        reporters: ["AT"],
        flows: ["EXPORT"],
        from: 202401,
        to: 202403,
      },
      {
        products: ["TOTAL"],
        partners: ["KG"],
        reporters: ["AT"],
        flows: ["IMPORT"],
        from: 202402,
        to: 202402,
      },
    ]);
  });

  test("of a later file replace only the totals of its own partners", async () => {
    const dir = await tempDir();
    const first = await importFiles(dir, [await fileOf(dir, "one.csv", [BY_CODE, ...rows])], {
      reporters: ["AT"],
    });
    const revised = [BY_CODE, "AT,AM,EXPORT,202401,111", "AT,AM,EXPORT,202403,333", "AT,GE,EXPORT,202401,5"];
    const second = await importFiles(dir, [await fileOf(dir, "two.csv", revised)], {
      reporters: ["AT"],
      replaces: first.manifest.vintage,
    });
    expect(await cellsOf(dir, second.manifest.vintage)).toEqual([
      "AT,AM,EXPORT,202401,111",
      "AT,AM,EXPORT,202403,333",
      "AT,GE,EXPORT,202401,5",
      "AT,KG,IMPORT,202402,7",
    ]);
  });
});

describe("questions", () => {
  async function openTrade(): Promise<TradeData> {
    const dir = await tempDir();
    const rows = ["DE,AM,EXPORT,202401,100", "DE,AM,EXPORT,202403,300", "DE,KG,IMPORT,202402,7"];
    const totals = await importFiles(dir, [await fileOf(dir, "totals.csv", [BY_CODE, ...rows])], {
      reporters: ["DE"],
    });
    const sdmx = await importFiles(dir, [sdmxFixture], { reporters: ["DE"] });
    const vintages = await storeOf(dir, totals.manifest.vintage, sdmx.manifest.vintage);
    return { vintages, allow_synthetic: false };
  }

  test("a corridor with a listed partner is answered; a flow that no file covers stays unknown", async () => {
    const answer = await ask(await openTrade(), "DE", "AM");
    expect(answer.data.databases).toHaveLength(1);
    expect(answer.meta).toMatchObject({ dataset: DATASET, coverage: { partners: ["AM", "KG"] } });
    expect(answer.meta.coverage.products.complete).toBe(true);
    const [sold, bought] = answer.data.databases[0]!.directions;
    expect(sold!.exporter_view).toMatchObject({ value_eur: 400, months: 3, quantity_kg: null });
    expect(bought!.importer_view).toBeNull();
    expect(answer.data.databases[0]!.balance).toEqual([
      { year: 2024, exports_eur: 400, imports_eur: null, balance_eur: null, complete: false },
    ]);
  });

  test("a country without reports is answered through these partners alone, without shares", async () => {
    const dir = await tempDir();
    const rows = reporterCodes.map((code) => `${code},AM,EXPORT,202401,100`);
    const file = await fileOf(dir, "all.csv", [BY_CODE, ...rows, "DE,KG,EXPORT,202401,5"]);
    const built = await importFiles(dir, [file], { reporters: [...reporterCodes] });
    const trade = { vintages: await storeOf(dir, built.manifest.vintage), allow_synthetic: false };
    const stats = (country: string) =>
      countryStats(trade, countryStatsInput.parse({ country, dataset: DATASET }));
    const { data } = await stats("AM");
    expect(data).toMatchObject([
      { year: 2024, imports_eur: 2700, exports_eur: null, imports_share: null, complete: false },
    ]);
    const refusal = await refusalOf(stats("RU"));
    expect(refusal.errors).toMatchObject([{ path: "country" }]);
    expect(refusal.message).toContain("covers the partners AM, KG; not RU");
  });

  test("other partners, and all of them together, are refused, naming the covered ones", async () => {
    const trade = await openTrade();
    const named = { reporter: "DE", dataset: DATASET };
    const requests = [
      () => ask(trade, "DE", "RU", DATASET),
      () => topPartners(trade, rankingInput.parse(named)),
      () => balance(trade, balanceInput.parse(named)),
      () => overview(trade, overviewInput.parse({ dataset: DATASET })),
    ];
    for (const question of requests) {
      const refusal = await refusalOf(question());
      expect(refusal.message).toMatch(/covers the partners AM, KG; not (RU|all of them together)/);
      expect(refusal.type.slug).toBe("outside-coverage");
    }
  });

  test("a product is refused", async () => {
    const input = corridorInput.parse({ reporter: "DE", partner: "AM", hs: "44", dataset: DATASET });
    expect((await refusalOf(corridor(await openTrade(), input))).message).toMatch(
      /covers the products TOTAL/,
    );
  });
});

const shared = resolve(process.env.SHARED_DATA ?? new URL("../../../shared/data", import.meta.url).pathname);
const real = `${shared}/easy-comext-eu-exports-belt.csv.gz`;
const here = existsSync(real);
if (!here) console.warn(`no ${real} (set SHARED_DATA): its tests are left out`);

/** awk's sums: rows of the 27 by partner and flow, and the number of others. */
const AWK = `NR > 1 { if ($1 == "EU27" || $1 == "GB") { others++; next }
  sum[$2 "," $3] += $5; rows++; if ($1 == "DE" && $2 == "KZ") kz[substr($4, 1, 4)] += $5 }
  END { for (key in sum) printf "%s,%.0f\\n", key, sum[key]; print "rows," rows; print "others," others
        for (year in kz) printf "DE-KZ,%s,%.0f\\n", year, kz[year] }`;

describe.skipIf(!here)("the real file", () => {
  test("has the same sums per partner and flow, and the same years of a corridor, as awk computes", async () => {
    const { stdout } = await promisify(execFile)("sh", ["-c", `gzip -dc "$0" | awk -F, '${AWK}'`, real]);
    const result = stdout.trim().split("\n");
    const dir = await tempDir();
    const { manifest, report } = await importFiles(dir, [real]);
    const store = await storeOf(dir, manifest.vintage);
    const cells = await tableOf(store, DATASET, "cells");
    const sums = new Map<string, number>();
    for (const { partner, flow, value_eur } of cells) {
      const key = `${partner},${flow}`;
      sums.set(key, (sums.get(key) ?? 0) + Number(value_eur));
    }
    const found = [...sums].map(([key, sum]) => `${key},${sum}`);
    found.push(`rows,${cells.length}`, `others,${report.left_out.other_reporter}`);
    const answer = await ask({ vintages: store, allow_synthetic: false }, "DE", "KZ");
    for (const { year, exports_eur } of answer.data.databases[0]!.balance)
      found.push(`DE-KZ,${year},${exports_eur}`);
    expect(found.toSorted()).toEqual(result.toSorted());
    expect(exportsOf(answer).exporter_view).toMatchObject({ months: 68 });
    expect(manifest.coverage.months).toEqual({ from: 201901, to: 202408 });
  });
});
