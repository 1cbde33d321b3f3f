/** Salary and macro answers as rows and charts: drawn values, values in words, and the mark of synthetic data. */
import { expect, test } from "vitest";
import { sheetOf } from "../../src/api/declare/forms/table.ts";
import { brent } from "../../src/datasets/reference/brent.ts";
import { hicp } from "../../src/datasets/reference/hicp.ts";
import { labourCosts } from "../../src/datasets/reference/labour-costs.ts";
import { lvWages } from "../../src/datasets/reference/lv-wages.ts";
import { sesEarnings } from "../../src/datasets/reference/ses-earnings.ts";
import { macroContext } from "../../src/projections/macro/answers/context.ts";
import { macroChart, macroTable } from "../../src/projections/macro/answers/forms.ts";
import { compare, compareOutput } from "../../src/projections/salary/answers/compare.ts";
import { compareChart, lvWagesChart } from "../../src/projections/salary/answers/forms.ts";
import { wagesInLatvia } from "../../src/projections/salary/answers/lv-wages.ts";
import { made, storeOf } from "../reference/store-of.ts";

const cost = (geo: string, eur_per_hour: number) => ({
  ...{ geo, nace: "C", year: 2024, part: "total" as const, eur_per_hour, flag: "" },
});

test("compared countries are drawn with the Union, unknown ones are named, and synthetic tables are marked", async () => {
  const store = await storeOf(
    made(labourCosts, [cost("LV", 15), cost("DE", 45), cost("EU27", 30)]),
    made(sesEarnings, sesEarnings.sandbox(), true),
  );
  const answer = compare(store, { countries: ["LV", "GE", "DE"], nace: "C" });
  expect(compareChart(answer)).toMatchObject({
    kind: "ranking",
    title: "Labour cost of an hour, Manufacturing, 2024",
    x: ["Germany", "EU27", "Latvia"],
    series: [{ values: [45, 30, 15] }],
    notes: ["Not known: Georgia"],
  });
  expect(answer.meta).toMatchObject({ dataset: "labour-costs+sandbox-ses-earnings", synthetic: true });
  const table = { row: compareOutput.shape.data.element, rows: () => answer.data };
  const { columns, rows } = sheetOf(table, answer);
  expect(columns.slice(-3).map(({ name }) => name)).toEqual(["dataset", "vintage", "synthetic"]);
  expect(rows.map((row) => row.at(-1))).toEqual([true, true, true]);
});

test("wages are drawn by quarter where there are quarters, with a gap for an unknown one", async () => {
  const wage = (nace: string, period: string, gross_eur_per_month: number) => ({
    nace,
    period,
    gross_eur_per_month,
  });
  const quarters = [wage("C", "2024-Q1", 1400), wage("C", "2024-Q2", 1450), wage("F", "2024-Q2", 1300)];
  const store = await storeOf(made(lvWages, [wage("C", "2024", 1425), ...quarters]));
  expect(lvWagesChart(wagesInLatvia(store, {}))).toMatchObject({
    x: ["2024-Q1", "2024-Q2"],
    series: [
      { name: "Manufacturing", values: [1400, 1450] },
      { name: "Construction", values: [null, 1300] },
    ],
  });
  const years = await storeOf(made(lvWages, [wage("C", "2023", 1300), wage("C", "2024", 1425)]));
  expect(lvWagesChart(wagesInLatvia(years, {})).x).toEqual(["2023", "2024"]);
});

test("one indicator is drawn in its unit; several are drawn as rates or as indices, and each row names its table", async () => {
  const day = (date: string, usd_per_bbl: number) => ({ date, usd_per_bbl });
  const store = await storeOf(
    made(brent, [day("2024-12-02", 50), day("2025-02-03", 50), day("2025-11-03", 60), day("2025-11-04", 70)]),
    made(hicp, hicp.sandbox(), true),
  );
  const one = macroContext(store, { indicators: ["brent_usd"] });
  expect(macroChart(one)).toMatchObject({ unit: "USD a barrel", title: "Brent crude oil, spot" });
  expect([macroChart(one).series[0]!.values[0], macroChart(one).series[0]!.values.at(-1)]).toEqual([50, 65]);
  expect(one.meta).toMatchObject({ dataset: "brent", synthetic: false });

  const several = macroContext(store, { indicators: ["brent_usd", "hicp_yoy", "eur_usd"] });
  const chart = macroChart(several);
  expect(chart.unit).toBe("first month = 100");
  expect(chart.notes).toEqual(["Not drawn: Euro reference rate of the US dollar"]);
  const oil = chart.series.find(({ name }) => name === "brent_usd (left)")!;
  expect(oil.values[chart.x.indexOf("2025-11")]).toBe(130);
  expect(chart.unit_right).toBe("percent");
  const inflation = chart.series.find(({ name }) => name === "hicp_yoy, % (right)")!;
  expect(inflation.on_right).toBe(true);
  // As published, and only over the months that both cover.
  const { history } = several.data.find(({ indicator }) => indicator === "hicp_yoy")!;
  const published = new Map(history.map(({ month, value }) => [month, value]));
  expect(inflation.values).toEqual(chart.x.map((month) => published.get(month)));
  expect(chart.x.at(-1)).toBe("2025-11");
  expect(chart.series.every(({ values }) => values.length === chart.x.length)).toBe(true);
  const rows = sheetOf(macroTable, several).rows.map((row) => [row[0], row.at(-3), row.at(-1)].join(" "));
  expect(new Set(rows)).toEqual(new Set(["brent_usd brent false", "hicp_yoy sandbox-hicp true"]));
});
