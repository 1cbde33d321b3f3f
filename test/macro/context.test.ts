/** The macroeconomic context over rows made by hand, and the reading of series by month. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { brent } from "../../src/datasets/reference/brent.ts";
import { ecbMro } from "../../src/datasets/reference/ecb-mro.ts";
import { ecbRates } from "../../src/datasets/reference/ecb-rates.ts";
import { hicp } from "../../src/datasets/reference/hicp.ts";
import { ReferenceStore } from "../../src/datasets/reference/store.ts";
import { sandboxOf } from "../../src/datasets/reference/table.ts";
import {
  changesOf,
  indicatorNames,
  inForce,
  meansByMonth,
  monthsUpTo,
} from "../../src/domain/macro/indicators.ts";
import { macroContext } from "../../src/projections/macro/answers/context.ts";
import { made, storeOf } from "../reference/store-of.ts";

test("a key rate has its last change, the rate before that, and the rate at each month's end", async () => {
  const store = await storeOf(
    made(ecbMro, [
      { date: "2025-01-31", rate_pct: 3.15 },
      { date: "2025-02-05", rate_pct: 2.9 },
      { date: "2025-02-06", rate_pct: 2.9 },
      { date: "2025-06-11", rate_pct: 2.15 },
      { date: "2025-07-01", rate_pct: 2.15 },
    ]),
  );
  const [rate] = macroContext(store, { indicators: ["ecb_mro"] }).data;
  expect(rate).toMatchObject({ value: 2.15, as_of: "2025-07-01", since: "2025-06-11" });
  expect(rate).toMatchObject({
    previous: 2.9,
    previous_as_of: "2025-02-05",
    change: -0.75,
    synthetic: false,
  });
  const known = rate!.history.filter(({ value }) => value !== null);
  expect(known.map(({ month, value }) => `${month} ${value}`)).toEqual([
    ...[
      "2025-01 3.15",
      "2025-02 2.9",
      "2025-03 2.9",
      "2025-04 2.9",
      "2025-05 2.9",
      "2025-06 2.15",
      "2025-07 2.15",
    ],
  ]);
  expect(rate!.history).toHaveLength(12);
});

test("daily series have the last two days, and means by month; a day without the dollar is skipped", async () => {
  const store = await storeOf(
    made(ecbRates, [
      { date: "2025-05-30", rates: { USD: 1.1 } },
      { date: "2025-06-02", rates: { USD: 1.2 } },
      { date: "2025-06-03", rates: { USD: 1.4, GBP: 0.8 } },
      { date: "2025-06-04", rates: { GBP: 0.8 } },
    ]),
  );
  const [dollar] = macroContext(store, { indicators: ["eur_usd"] }).data;
  expect(dollar).toMatchObject({ value: 1.4, as_of: "2025-06-03", previous: 1.2, change: 0.2, since: null });
  expect(dollar!.history.slice(-3)).toEqual([
    { month: "2025-04", value: null },
    { month: "2025-05", value: 1.1 },
    { month: "2025-06", value: 1.3 },
  ]);
});

test("inflation is the euro area's: the changing area first, then the newest fixed area, and never another area", async () => {
  const row = (geo: string, yoy_pct: number | null) => ({ geo, month: "2025-12", yoy_pct, index: 100 });
  const of = async (...rows: ReturnType<typeof row>[]) =>
    macroContext(await storeOf(made(hicp, rows)), { indicators: ["hicp_yoy"] }).data[0]!.value;
  expect(await of(row("EA", 2), row("EA20", 3), row("LV", 4))).toBe(2);
  expect(await of(row("EA20", 3), row("EA21", 5), row("LV", 4))).toBe(5);
  expect(await of(row("LV", 4), row("EU27", 1))).toBeNull();
  expect(await of(row("EA", null))).toBeNull();
});

test("a real and a synthetic table appear together, each marked", async () => {
  const store = await storeOf(
    made(brent, [{ date: "2025-06-02", usd_per_bbl: 65 }]),
    made(hicp, hicp.sandbox(), true),
  );
  const { data, meta } = macroContext(store, { indicators: [...indicatorNames] });
  expect(data.map(({ indicator, synthetic }) => [indicator, synthetic])).toEqual([
    ...[
      ["ecb_mro", null],
      ["eur_usd", null],
      ["hicp_yoy", true],
      ["brent_usd", false],
    ],
  ]);
  expect(meta.missing).toEqual(["ecb_mro", "eur_usd"]);
  expect(data[3]).toMatchObject({ value: 65, previous: null, change: null, dataset: "brent" });
});

test("months are counted back across the year", () =>
  expect(monthsUpTo("2025-02", 4)).toEqual(["2024-11", "2024-12", "2025-01", "2025-02"]));

test("between changes the rate in force is that of the last change", () =>
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 60 }), (values) => {
      const months = monthsUpTo("2025-12", values.length);
      const readings = values.map((value, at) => ({ at: `${months[at]}-15`, value }));
      const changes = changesOf(readings);
      expect(months.map((month) => inForce(changes, month))).toEqual(values);
      expect([...meansByMonth(readings).values()]).toEqual(values);
    }),
  ));

test("while a table opens, a 503 names it; so it does where no requested table is loaded", () => {
  const empty = () => new ReferenceStore({ data_dir: "/nowhere", allow_synthetic: true });
  const query = (store: ReferenceStore) => () =>
    macroContext(store, { indicators: ["ecb_mro", "brent_usd"] });
  const store = empty();
  expect(query(store)).toThrow("none of these tables is loaded (yet): ecb-mro, brent");
  store.expect("unknown");
  expect(query(store)).toThrow("ecb-mro, brent");
  store.expect([sandboxOf(brent)]);
  expect(query(store)).toThrow(/missing: brent$/);
  expect(query(store.watched({}))).toThrow(/missing: brent$/);
  store.expect([]);
  expect(query(store)).toThrow("none of these tables is loaded (yet): ecb-mro, brent");
});

test("with a year, each indicator has the value of that year's last day or month, or null without data", async () => {
  const store = await storeOf(
    made(ecbMro, [
      { date: "2022-09-14", rate_pct: 1.25 },
      { date: "2022-12-21", rate_pct: 2.5 },
      { date: "2024-06-12", rate_pct: 4.25 },
    ]),
    made(ecbRates, [
      { date: "2022-12-29", rates: { USD: 1.06 } },
      { date: "2022-12-30", rates: { USD: 1.07 } },
      { date: "2024-01-02", rates: { USD: 1.1 } },
    ]),
  );
  const of = (year: number) =>
    macroContext(store, { indicators: ["ecb_mro", "eur_usd"], year }).data.map(({ value, as_of }) => [
      value,
      as_of,
    ]);
  expect(of(2022)).toEqual([
    [2.5, "2022-12-31"],
    [1.07, "2022-12-30"],
  ]);
  expect(of(2023)).toEqual([
    [2.5, "2023-12-31"],
    [null, null],
  ]);
  // Nothing is charged for nothing.
  expect(() => of(2021)).toThrow("no requested indicator has a value of 2021");
  const [rate] = macroContext(store, { indicators: ["ecb_mro"], year: 2022 }).data;
  expect(rate!.history.at(-1)).toEqual({ month: "2022-12", value: 2.5 });
});
