/** Monthly means of exchange rates: by hand, and over the real file against sums made apart. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ecbRates } from "../../src/datasets/reference/ecb-rates.ts";
import { type DayRates, monthlyMeans, wholeMonthlyMeans } from "../../src/domain/macro/exchange-rates.ts";

const path = join(
  process.env.SHARED_DATA ?? join(import.meta.dirname, "../../../shared/data"),
  "ecb-eurofxref-hist.csv.gz",
);
const here = existsSync(path);
if (!here) console.info("the real ECB rates are not here: their tests are left out");

const read = (name: string, text: string) => ecbRates.layouts[0]!.read({ name, text });

test("the mean of a month covers its days with a rate; a month without such a day has no mean", () => {
  const days: DayRates[] = [
    { date: "2024-01-30", rates: { USD: 1.1, GBP: 0.85 } },
    { date: "2024-01-31", rates: { USD: 1.2 } },
    { date: "2024-02-01", rates: { USD: 1.4 } },
  ];
  expect(monthlyMeans(days, "USD").get(202401)).toBeCloseTo(1.15, 12);
  expect([...monthlyMeans(days, "GBP")]).toEqual([[202401, 0.85]]);
  expect([...monthlyMeans(days, "USD").keys()]).toEqual([202401, 202402]);
});

test.each([
  ["2024-03-28", [202402]],
  ["2024-03-29", [202402, 202403]],
  ["2024-04-01", [202402, 202403]],
])("with rates to %s the whole months are %j: 30 and 31 March 2024 are a weekend", (last, months) => {
  const dates = ["2024-02-29", "2024-03-28", "2024-03-29", "2024-04-01"].filter((date) => date <= last);
  const days = dates.map((date) => ({ date, rates: { USD: 1.1 } })).reverse();
  expect([...wholeMonthlyMeans(days, "USD").keys()].sort()).toEqual(months);
  expect(wholeMonthlyMeans([], "USD").size).toBe(0);
});

test("the layout is newest first, N/A is not a rate, and the trailing comma is not a column", () => {
  const text = "Date,USD,JPY,CYP,\n2024-01-02,1.0956,155.68,N/A,\n2024-01-01,1.1,N/A,N/A,\n";
  expect(read("hist.csv", text)).toEqual([
    { date: "2024-01-02", rates: { USD: 1.0956, JPY: 155.68 } },
    { date: "2024-01-01", rates: { USD: 1.1 } },
  ]);
});

test.each([
  ["2024-02-30,1.1,2,", /line 2.*2024-02-30/],
  ["2024-01-02,-1,2,", /line 2.*USD "-1"/],
  ["2024-01-02,0,2,", /USD "0"/],
  ["2024-01-02,one,2,", /USD/],
  ["2024-01-02,1.1", /line 2/],
])("the line %s is refused", (line, message) => {
  expect(() => read("hist.csv", `Date,USD,JPY,\n${line}\n`)).toThrow(message);
});

test.skipIf(!here)(
  "the real file has all its days, the right first and last one, and every month's dollar",
  () => {
    const text = gunzipSync(readFileSync(path)).toString();
    const days = read("eurofxref-hist.csv", text);
    const lines = text.trimEnd().split("\n").slice(1);
    expect(days).toHaveLength(lines.length);
    expect(days[0]).toMatchObject({ date: "2026-04-13", rates: { USD: 1.1684, CZK: 24.378 } });
    expect(days[0]!.rates).not.toHaveProperty("BGN");
    expect(days.at(-1)).toMatchObject({ date: "1999-01-04", rates: { USD: 1.1789 } });
    const apart: Record<string, number[]> = {};
    for (const line of lines) {
      const [date, usd] = line.split(",") as [string, string];
      apart[date.slice(0, 7)] = [...(apart[date.slice(0, 7)] ?? []), Number(usd)];
    }
    const means = monthlyMeans(days, "USD");
    expect(means.size).toBe(Object.keys(apart).length);
    for (const [month, rates] of Object.entries(apart)) {
      const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
      expect(means.get(Number(month.replace("-", "")))).toBeCloseTo(mean, 10);
    }
  },
);

test("synthetic rates cover the months of synthetic trade and are the same each time", () => {
  const days = ecbRates.sandbox();
  expect(days).toEqual(ecbRates.sandbox());
  expect([days[0]!.date, days.at(-1)!.date]).toEqual(["2005-01-03", "2025-12-31"]);
  for (const day of days) expect(ecbRates.row.safeParse(day).success).toBe(true);
  expect(monthlyMeans(days, "USD").size).toBe(21 * 12);
});
