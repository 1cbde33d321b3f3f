/** UN Comtrade: dollars become euros at the ECB's monthly mean, and only the known pairs are answered. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { refuseRagged } from "../../src/datasets/consistency.ts";
import { comtrade } from "../../src/datasets/layouts/comtrade.ts";
import { type EcbRates, ecbRates } from "../../src/datasets/reference/ecb-rates.ts";
import { textOfTable } from "../../src/datasets/reference/files.ts";
import { readTextFile } from "../../src/datasets/reference/read.ts";
import type { CoverageSpan } from "../../src/domain/trade/coverage.ts";
import { monthsBetween } from "../../src/domain/trade/units.ts";
import { importReference } from "../../src/operator/reference.ts";
import { importFiles as importFilesOf } from "../../src/operator/releases.ts";
import { corridor, corridorInput } from "../../src/projections/trade/answers/corridor.ts";
import { rankingInput, topPartners } from "../../src/projections/trade/answers/rankings.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import {
  fileOf,
  type ImportOptions,
  importFiles,
  limits,
  refusalOf,
  storeOf,
  tableOf,
  tempDir,
} from "./workshop.ts";

const HEADER = comtrade.columns.join(",");
const usual = {
  typeCode: "C",
  freqCode: "M",
  period: "202401",
  reporterCode: "276",
  reporterISO: "DEU",
  reporterDesc: "Germany",
  flowCode: "X",
  partnerCode: "156",
  partnerISO: "CHN",
  partnerDesc: "China",
  partner2Code: "0",
  classificationCode: "H6",
  cmdCode: "44",
  cmdDesc: '"Wood and articles of wood; wood charcoal, ""coal"""',
  customsCode: "C00",
  mosCode: "0",
  motCode: "0",
  netWgt: "500.5",
  isNetWgtEstimated: "false",
  primaryValue: "1090",
  isAggregate: "true",
};

const line = (changes: Partial<Record<string, string>> = {}) => {
  const cells: Record<string, string | undefined> = { ...usual, ...changes };
  return comtrade.columns.map((column) => cells[column] ?? "").join(",");
};

/** The mean of January is 1.09, from 1.10 and 1.08; February is 1.25; March has only begun. */
const days: EcbRates[] = [
  { date: "2024-01-02", rates: { USD: 1.1 } },
  { date: "2024-01-31", rates: { USD: 1.08, CHF: 0.9 } },
  { date: "2024-02-15", rates: { USD: 1.25 } },
  { date: "2024-03-01", rates: { USD: 2 } },
];
const about = { dataset: ecbRates.name, source: ecbRates.source, synthetic: false };
const { reference, text } = textOfTable(ecbRates, about, days);
const options: ImportOptions = { reporters: ["DE"], rates: async () => reference };

async function imported(lines: string[], changed: ImportOptions = {}) {
  const dir = await tempDir();
  const file = await fileOf(dir, "TradeData.csv", [HEADER, ...lines]);
  const built = await importFiles(dir, [file], { ...options, ...changed });
  const store = await storeOf(dir, built.manifest.vintage);
  const cells = await tableOf(store, "comtrade", "cells");
  const rows = cells.map((row) =>
    [row.reporter, row.flow, row.partner, row.product, row.period, row.value_eur, row.quantity_kg].join(","),
  );
  return { ...built, rows: rows.toSorted(), trade: { vintages: store, allow_synthetic: false } };
}

describe("a file", () => {
  test("is converted to euros at monthly rates; an estimated mass is unknown; the rates are named by digest", async () => {
    const { rows, manifest } = await imported([
      line(),
      line({ flowCode: "M", primaryValue: "1091.7", netWgt: "", partnerCode: "4" }),
      line({ period: "202402", primaryValue: "12.5", isNetWgtEstimated: "true", partnerCode: "842" }),
      line({ period: "202402", primaryValue: "7.5", partnerCode: "688" }),
    ]);
    expect(rows).toEqual([
      "DE,EXPORT,CN,44,202401,1000,500.5",
      "DE,EXPORT,US,44,202402,10,",
      "DE,EXPORT,XS,44,202402,6,500.5",
      "DE,IMPORT,AF,44,202401,1002,",
    ]);
    expect(manifest.inputs.slice(1)).toEqual([
      {
        name: "ecb-rates to 2024-03-01",
        sha256: reference.vintage,
        bytes: Buffer.byteLength(text),
        rows: days.length,
      },
    ]);
    expect(manifest.source).toMatch(/converted to euros at the ECB's mean rate of the month/);
  });

  test("leaves out and counts other reporters and flows, breakdowns, totals and areas that are not a country", async () => {
    const { rows, report } = await imported([
      line(),
      line({ reporterCode: "156" }),
      line({ reporterCode: "490" }),
      line({ flowCode: "RX" }),
      line({ motCode: "1000" }),
      line({ customsCode: "C04" }),
      line({ partner2Code: "156" }),
      line({ cmdCode: "TOTAL" }),
      line({ partnerCode: "0" }),
      line({ partnerCode: "899" }),
      line({ partnerCode: "490" }),
    ]);
    expect(rows).toEqual(["DE,EXPORT,CN,44,202401,1000,500.5"]);
    expect(report.rows_read).toBe(11);
    expect(report.left_out).toEqual({
      total_product: 1,
      other_reporter: 2,
      other_flow: 1,
      breakdown: 3,
      other_partner: 3,
    });
  });

  test("may be in Latin-1 and may end its lines with a comma", async () => {
    const dir = await tempDir();
    const file = join(dir, "latin.csv");
    const lines = [HEADER, `${line({ partnerDesc: "Türkiye", partnerCode: "792" })},`, line()];
    await writeFile(file, Buffer.from(`${lines.join("\n")}\n`, "latin1"));
    const { report } = await importFiles(dir, [file], options);
    expect(report.rows_read).toBe(2);
  });

  test.each<[string, string[], RegExp]>([
    ["years", [line({ freqCode: "A", period: "2024" })], /line 2: freqCode "A": .* years are not/],
    ["a whole year among months", [line({ period: "202452" })], /period 52 is a whole year/],
    ["services", [line({ typeCode: "S" })], /services are not/],
    ["another nomenclature", [line({ classificationCode: "S4" })], /only the Harmonized System/],
    ["a month whose rates are not over", [line({ period: "202403" })], /do not cover this month/],
    ["a month before the euro", [line({ period: "199812" })], /do not cover this month/],
    ["a negative value", [line({ primaryValue: "-1" })], /line 2: primaryValue "-1"/],
    ["no value", [line({ primaryValue: "" })], /primaryValue \(empty\)/],
    ["a bad mass", [line({ netWgt: "1e9" })], /netWgt "1e9"/],
    ["a code that is none", [line({ partnerCode: "CHN" })], /partnerCode "CHN": an area is a number/],
    ["a line cut short", [line().split(",").slice(0, 30).join(",")], /line 2/],
    ["a line too long", [`${line()},1`], /line 2/],
    ["two levels", [line(), line({ cmdCode: "4407" })], /product 44 contains product 4407/],
    [
      "two revisions of one cell",
      [line(), line({ classificationCode: "H5", primaryValue: "9" })],
      /line 3: .* with a different amount/,
    ],
  ])("is refused with %s", async (_, lines, says) => {
    expect((await refusalOf(imported(lines))).message).toMatch(says);
  });

  test("is refused when its coverage is too irregular to judge for each question", () => {
    const span: CoverageSpan = {
      products: ["44"],
      partners: ["CN"],
      reporters: ["DE"],
      flows: ["EXPORT"],
      from: 1,
      to: 2,
    };
    const spoken = Array.from({ length: 20_001 }, () => span);
    expect(() => refuseRagged({ spoken: spoken.slice(1) })).not.toThrow();
    expect(() => refuseRagged({ spoken })).toThrow(/cover 20001 different ranges/);
  });

  test("counts a duplicate line once", async () => {
    const { rows, report } = await imported([line(), line()]);
    expect([rows.length, report.equal_duplicates]).toEqual([1, 1]);
  });

  test("is refused without real rates", async () => {
    for (const rates of [undefined, async () => undefined, async () => ({ ...reference, synthetic: true })]) {
      const refusal = await refusalOf(imported([line()], { rates }));
      expect(refusal.message).toMatch(/none were imported: import eurofxref-hist\.csv first/);
    }
  });
});

test("a pair is answered from its first to its last month, and a sum over all partners is refused", async () => {
  const { trade } = await imported([
    line(),
    line({ period: "202402", primaryValue: "125", partnerCode: "643" }),
    line({ period: "202402", primaryValue: "250" }),
  ]);
  const ask = (partner: string) =>
    corridor(trade, corridorInput.parse({ reporter: "DE", partner, hs: "44", dataset: "comtrade" }));
  const sold = async (partner: string) =>
    (await ask(partner)).data.databases[0]!.directions[0]!.exporter_view;
  expect(await sold("CN")).toMatchObject({ value_eur: 1200, months: 2 });
  expect(await sold("RU")).toMatchObject({ value_eur: 100, months: 1 });
  expect((await refusalOf(ask("US"))).message).toMatch(/covers the partners CN, RU; not US/);
  const ranking = rankingInput.parse({ reporter: "DE", hs: "44", dataset: "comtrade" });
  expect((await refusalOf(topPartners(trade, ranking))).message).toMatch(/not all of them together/);
});

test("rates and trade lead to an answer over HTTP; without rates nothing is imported", async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const dir = await tempDir();
  const trade = await fileOf(dir, "TradeData.csv", [HEADER, line()]);
  const given = { data_dir: service.data_dir, limits, reporters: ["DE" as const] };
  const refusal = await refusalOf(importFilesOf(service.app, [trade], given));
  expect(refusal.message).toMatch(/import eurofxref-hist\.csv first/);

  const history = ["2024-02-01,1.3", "2024-01-31,1.08", "2024-01-02,1.10"].map((day) => `${day},1,1,1,1,`);
  const file = await fileOf(dir, "eurofxref-hist.csv", ["Date,USD,JPY,CHF,GBP,SEK,", ...history]);
  const rates = await importReference(service.app, service.data_dir, [file]);
  const { facts } = await importFilesOf(service.app, [trade], given);
  expect(facts.inputs.map(({ sha256 }) => sha256)).toContain(rates.facts.vintage);

  const { headers } = await service.issue();
  const ask = async () => {
    const response = await fetch(`${service.url}/v1/agent/trade/corridor?reporter=DE&partner=CN&hs=44`, {
      headers,
    });
    expect(response.status).toBe(200);
    return response.json() as Promise<{ data: { databases: { balance: unknown[] }[] }; meta: object }>;
  };
  const answer = await until(ask);
  expect(answer.meta).toMatchObject({
    dataset: "comtrade",
    synthetic: false,
    coverage: { partners: ["CN"] },
  });
  expect(answer.data.databases[0]!.balance).toMatchObject([
    { year: 2024, exports_eur: 1000, imports_eur: null },
  ]);
});

const shared = resolve(process.env.SHARED_DATA ?? new URL("../../../shared/data", import.meta.url).pathname);
const real = `${shared}/ecb-eurofxref-hist.csv.gz`;
const here = existsSync(real);
if (!here) console.warn(`no ${real} (set SHARED_DATA): its tests are left out`);

test.skipIf(!here)("at the ECB's real rates a month's billion dollars equal awk's result", async () => {
  const awk = `NR == 1 { for (i = 1; i <= NF; i++) if ($i == "USD") at = i; next }
    substr($1, 1, 4) == "2024" { month = substr($1, 6, 2); sum[month] += $at; days[month]++ }
    END { for (month in sum) printf "2024%s,%.0f\\n", month, 1e9 * days[month] / sum[month] }`;
  const { stdout } = await promisify(execFile)("sh", ["-c", `gzip -dc "$0" | awk -F, '${awk}'`, real]);
  const [layout] = ecbRates.layouts;
  const given = layout!.read(await readTextFile(real));
  const { reference: rates } = textOfTable(ecbRates, about, given);
  const months = monthsBetween(202401, 202412).map((period) =>
    line({ period: String(period), primaryValue: "1000000000" }),
  );
  const { rows } = await imported(months, { rates: async () => rates });
  const found = rows.map((row) => row.split(",").slice(4, 6).join(","));
  expect(found.toSorted()).toEqual(stdout.trim().split("\n").toSorted());
});
