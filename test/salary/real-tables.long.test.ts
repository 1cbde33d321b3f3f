/**
 * The real files of occupations, earnings, prices and oil, imported and queried, compared with plain sums over their
 * lines.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { brent } from "../../src/datasets/reference/brent.ts";
import { hicp } from "../../src/datasets/reference/hicp.ts";
import { iloExposure } from "../../src/datasets/reference/ilo-exposure.ts";
import { iscoNaceEmployment } from "../../src/datasets/reference/isco-nace-employment.ts";
import { labourCosts } from "../../src/datasets/reference/labour-costs.ts";
import { sesEarnings } from "../../src/datasets/reference/ses-earnings.ts";
import { referenceLayoutOf } from "../../src/datasets/reference/tables.ts";
import { macroContext } from "../../src/projections/macro/answers/context.ts";
import { compare, countries } from "../../src/projections/salary/answers/compare.ts";
import { aiRisk } from "../../src/projections/salary/answers/exposure.ts";
import { made, storeOf } from "../reference/store-of.ts";

const shared = process.env.SHARED_DATA ?? join(import.meta.dirname, "../../../shared/data");
const here = existsSync(join(shared, "ilo_isco08_exposure_2025.csv"));
if (!here) console.info("the real tables are not here: their tests are left out");

const textOf = (name: string) => {
  const bytes = readFileSync(join(shared, name));
  return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
};
const read = (name: string) => {
  const text = textOf(name);
  return referenceLayoutOf(text.split(/\r?\n/, 1)[0]!)!.layout.read({ name, text }) as never[];
};
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe.skipIf(!here)("the real file", () => {
  test("of the ILO has 427 unit groups, and the mean of each major group", async () => {
    const text = textOf("ilo_isco08_exposure_2025.csv").trimEnd().split(/\r?\n/).slice(1);
    const store = await storeOf(made(iloExposure, read("ilo_isco08_exposure_2025.csv")));
    const { data, meta } = aiRisk(store, { type: "all" });
    expect(data.filter(({ level }) => level === "unit")).toHaveLength(427);
    for (const major of ["1", "2", "3", "4", "5", "6", "7", "8", "9"]) {
      // The score is the third column from the end, whatever commas a title has.
      const scores = text
        .filter((line) => line.startsWith(major))
        .map((line) => Number(line.split(",").at(-3)));
      const row = data.find(({ level, code }) => level === "major" && code === major)!;
      expect(row).toMatchObject({ units: scores.length, basis: "plain mean" });
      expect(row.score).toBeCloseTo(mean(scores), 6);
    }
    expect(data.find(({ code }) => code === "4132")).toMatchObject({
      level: "unit",
      score: 0.7,
      basis: "published",
    });
    // Employment is unknown for all: no weighted mean, and no zero either.
    const unknown = data.filter(({ level }) => level === "all" || level === "section" || level === "unit");
    expect(unknown.filter(({ level }) => level !== "unit").map(({ score }) => score)).toEqual(
      Array(22).fill(null),
    );
    expect(meta.notes.join()).toMatch(/These tables are not loaded.*isco-nace-employment/);
    expect(meta.notes.join()).toMatch(/No unit group with a score in: Armed forces/);
    expect(meta.tables).toMatchObject([{ dataset: "ilo-exposure", synthetic: false }]);
  });

  test("of the ILO is never joined with synthetic employment", async () => {
    const store = await storeOf(
      made(iloExposure, read("ilo_isco08_exposure_2025.csv")),
      made(iscoNaceEmployment, iscoNaceEmployment.sandbox(), true),
    );
    const { data, meta } = aiRisk(store, { type: "NACE" });
    expect(new Set(data.map(({ score }) => score))).toEqual(new Set([null]));
    expect(meta.notes.join()).toMatch(/never joined/);
    const latvian = iscoNaceEmployment.sandbox().filter(({ geo }) => geo === "LV");
    const elsewhere = await storeOf(
      made(iloExposure, read("ilo_isco08_exposure_2025.csv")),
      made(iscoNaceEmployment, latvian),
    );
    expect(aiRisk(elsewhere, { type: "NACE" }).meta.notes.join()).toMatch(/no figures of the EU27/);
  });

  test("of all occupations is known only where no activity is missing", async () => {
    const exposure = made(iloExposure, read("ilo_isco08_exposure_2025.csv"));
    const all = iscoNaceEmployment.sandbox().filter(({ geo }) => geo === "EU27");
    const totalOf = async (rows: typeof all) => {
      const store = await storeOf(exposure, made(iscoNaceEmployment, rows));
      return aiRisk(store, { type: "ISCO" }).data.find(({ code }) => code === "TOTAL")!;
    };
    const whole = await totalOf(all);
    expect(whole.basis).toBe("employment-weighted");
    expect((await totalOf(all.filter(({ nace }) => nace !== "T"))).score).toBeCloseTo(whole.score!, 1);
    expect(await totalOf(all.filter(({ nace }) => nace === "F" || nace === "J"))).toMatchObject({
      score: null,
      basis: null,
    });
    const builders = all.filter(({ nace }) => nace === "F");
    const answer = await totalOf(builders.map((row) => ({ ...row, nace: "TOTAL" })));
    expect(answer.basis).toBe("employment-weighted");
  });

  test("of wages with unknown total cost has their year", async () => {
    const row = (geo: string, part: "total" | "wages", year: number) => ({
      ...{ geo, nace: "C", year, part, eur_per_hour: 10, flag: "" },
    });
    const rows = [row("EE", "total", 2024), row("LV", "wages", 2024), row("LV", "total", 2023)];
    const store = await storeOf(made(labourCosts, [...rows, row("LT", "total", 2024)]));
    const { data, meta } = compare(store, { countries: ["LV", "EE", "LT"], nace: "C" });
    expect(data[0]).toMatchObject({
      labour_cost_eur_per_hour: null,
      wages_eur_per_hour: 10,
      labour_cost_year: 2024,
    });
    expect([meta.year, meta.missing]).toEqual([2024, ["LV"]]);
  });

  test("of earnings has 31 areas by nine columns and sex, and no mean of both sexes", async () => {
    const rows = read("ses2018_hourly_by_isco1_sex.csv");
    const cells = textOf("ses2018_hourly_by_isco1_sex.csv").trimEnd().split(/\r?\n/).slice(1);
    const filled = cells.flatMap((line) => line.split(",").slice(1)).filter((cell) => cell !== "");
    expect(rows).toHaveLength(filled.length);
    const store = await storeOf(made(sesEarnings, rows));
    const { data } = compare(store, { countries: ["GR", "LV", "GE"], nace: "B-S_X_O" });
    const [, men, women] = cells
      .find((line) => line.startsWith("EL,"))!
      .split(",")
      .map(Number);
    expect(data[0]).toMatchObject({
      code: "GR",
      earnings_men_eur_per_hour: men,
      earnings_women_eur_per_hour: women,
      earnings_eur_per_hour: null,
      earnings_year: 2018,
      labour_cost_eur_per_hour: null,
      ratio_to_eu27: null,
    });
    expect(data[2]).toMatchObject({ code: "GE", earnings_men_eur_per_hour: null, earnings_year: null });
    const known = countries(store, {}).data.filter(({ has_earnings }) => has_earnings);
    expect(known.map(({ code }) => code).sort()).toEqual(
      cells
        .map((line) => line.split(",")[0]!.replace("EL", "GR"))
        .filter((code) => code.length === 2)
        .sort(),
    );
  });

  test("of prices and that of oil have the last month, the last day, and a year of means", async () => {
    const store = await storeOf(
      made(hicp, read("hicp-ea-total.csv")),
      made(brent, read("brent-daily.csv.gz")),
    );
    const { data, meta } = macroContext(store, { indicators: ["hicp_yoy", "brent_usd", "eur_usd"] });
    expect(data[0]).toMatchObject({
      value: 1.9,
      as_of: "2025-12",
      previous: 2.1,
      change: -0.2,
      unit: "percent, year over year",
      synthetic: false,
    });
    expect(data[0]!.history).toHaveLength(12);
    expect(data[1]).toMatchObject({ value: 95.29, as_of: "2026-08-18", previous: 92.43, change: 2.86 });
    const oil = textOf("brent-daily.csv.gz").trimEnd().split(/\r?\n/).slice(1);
    for (const { month, value } of data[1]!.history) {
      const days = oil.filter((line) => line.startsWith(month)).map((line) => Number(line.split(",")[1]));
      expect([month, value]).toEqual([month, expect.closeTo(mean(days), 6)]);
    }
    expect(data[2]).toMatchObject({ value: null, as_of: null, history: [], dataset: null, synthetic: null });
    expect(meta.missing).toEqual(["eur_usd"]);
    const index = textOf("hicp-ea-total.csv")
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => line.split(","));
    const rows = read("hicp-ea-total.csv") as { month: string; index: number; yoy_pct: number }[];
    expect(rows.map((row) => [row.month, row.index, row.yoy_pct])).toEqual(
      index.map((cells) => [cells[4]!.slice(0, 7), Number(cells[5]), Number(cells[6])]),
    );
  });
});
