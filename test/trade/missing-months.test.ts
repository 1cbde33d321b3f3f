/** Alerts over months without a row: no trade if the month was delivered, no judgement if it was not. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { monthsBetween } from "../../src/domain/trade/units.ts";
import { alerts, alertsInput } from "../../src/projections/trade/answers/alerts.ts";
import { bulkFixture, fileOf, importFiles, storeOf, tempDir } from "../datasets/workshop.ts";

test("trade that ends causes an alert; a month without an import neither alerts nor counts as zero", async () => {
  const dir = await tempDir();
  const header = (await readFile(bulkFixture, "utf8")).split("\n")[0]!;
  const line = (reporter: string, product: string, period: number, eur: number) =>
    `${reporter},CN,E,${product},58310,2221,2221,220,211210,07,1,1,NO_SU,${period},${eur},${eur},1000,0`;
  const files = monthsBetween(202201, 202412).map((period) => {
    // Plastics worth 2 million a month; DE stops importing them in December 2024; FR never delivered March 2024.
    const reporters = period === 202403 ? ["DE"] : ["DE", "FR"];
    const lines = reporters.flatMap((reporter) => [
      line(reporter, "27090090", period, 500_000),
      ...(reporter === "DE" && period === 202412 ? [] : [line(reporter, "39161000", period, 2_000_000)]),
    ]);
    return fileOf(dir, `full_v2_${period}.csv`, [header, ...lines]);
  });
  const { manifest } = await importFiles(dir, await Promise.all(files), { reporters: ["DE", "FR"] });
  const vintages = await storeOf(dir, manifest.vintage);
  const trade = { vintages, allow_synthetic: false };
  const { data, meta } = await alerts(trade, alertsInput.parse({ months: 12, flow: "IMPORT" }));
  // Only plastics are large enough: twelve months of DE; of FR January and February, because later months compare with
  // March.
  expect(meta.tested).toBe(12 + 2);
  expect(meta.incomplete).toEqual([{ reporter: "FR", delivered_to: "2024-12", missing_months: ["2024-03"] }]);
  // The flat series has the floor of 5 %: (0 − 2,000,000) / 100,000 = −20.
  expect(data.alerts).toMatchObject([
    { reporter: "DE", product: "39", period: "2024-12", direction: "drop", value_eur: 0, z: -20 },
  ]);
  // FR is compared over the eleven months delivered in both years, and has not moved.
  expect(data.movers).toMatchObject([
    { reporter: "DE", product: "39", months: 12, change_eur: -2_000_000, year_before_eur: 24_000_000 },
  ]);
});
