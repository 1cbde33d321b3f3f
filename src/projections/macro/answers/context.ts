/** The macroeconomic context: interest, exchange rate, inflation and oil, each from its own table. */
import { z } from "zod";
import { refuse, refuseWith } from "../../../core/model/refusal.ts";
import { brent } from "../../../datasets/reference/brent.ts";
import { ecbMro } from "../../../datasets/reference/ecb-mro.ts";
import { ecbRates } from "../../../datasets/reference/ecb-rates.ts";
import { type Hicp, hicp } from "../../../datasets/reference/hicp.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import { perVintage, type Reference, type ReferenceTable } from "../../../datasets/reference/table.ts";
import { ratesOf } from "../../../domain/macro/exchange-rates.ts";
import {
  changesOf,
  type IndicatorName,
  indicatorNames,
  indicators,
  inForce,
  lastTwo,
  meansByMonth,
  monthsUpTo,
  type Reading,
} from "../../../domain/macro/indicators.ts";
import { year } from "../../../domain/trade/inputs.ts";
import { tradeProblems } from "../../../domain/trade/problems.ts";
import { sixDecimals } from "../../../domain/trade/units.ts";
import { aboutReference, joined, joinedOf, someOf } from "../../reference/meta.ts";

export const macroTables = [ecbMro, ecbRates, hicp, brent];

export const macroInput = z.object({
  indicators,
  year: year
    .optional()
    .describe("Calendar year whose last values are requested; omitted = the newest values"),
});

const HISTORY_MONTHS = 12;

const indicator = z.object({
  indicator: z.enum(indicatorNames),
  name: z.string(),
  unit: z.string(),
  value: z
    .number()
    .nullable()
    .describe("Value in `unit`; null: the table is not loaded, or has no value of that time"),
  as_of: z.string().nullable().describe("Day or month of the value, YYYY-MM-DD or YYYY-MM; null: no value"),
  since: z
    .string()
    .nullable()
    .describe("The day on which a key rate came into force; null: another indicator"),
  previous: z
    .number()
    .nullable()
    .describe("The value a day or month earlier, of a key rate the one before the last change; null: none"),
  previous_as_of: z.string().nullable(),
  change: z.number().nullable().describe("value − previous, in `unit`; null: there is no previous value"),
  history: z
    .array(z.object({ month: z.string(), value: z.number().nullable() }))
    .describe(
      `The last ${HISTORY_MONTHS} months: means of daily values; of a key rate, the rate at the month's end`,
    ),
  source: z.string().nullable(),
  dataset: z.string().nullable(),
  vintage: z.string().nullable(),
  synthetic: z.boolean().nullable().describe("true: synthetic figures of the sandbox"),
});

export const macroOutput = z.object({
  data: z.array(indicator),
  meta: joined.extend({
    count: z.int(),
    formula: z.string(),
    missing: z.array(z.enum(indicatorNames)).describe("The indicators without a value"),
  }),
});

const FORMULA =
  "As published. ecb_mro: main refinancing operations; previous is the rate before the last change. eur_usd and brent_usd: the last " +
  "day and the one before; their history is the plain mean of each month's days. hicp_yoy: annual rate of change of all items in the " +
  "euro area.";

/** A series in order of time, its last day or month, and its value in a month. `lasts`: a reading is in force until the next. */
type Series = { readings: Reading[]; as_of: string; at: (month: string) => number | null; lasts?: true };
type Indicator = {
  name: string;
  unit: string;
  table: ReferenceTable<object>;
  read(reference: ReferenceStore): IndicatorRead | undefined;
};
type IndicatorRead = { reference: Reference<object>; series: Series };

const daily = (readings: Reading[]): Series => {
  const means = meansByMonth(readings);
  return { readings, as_of: readings.at(-1)?.at ?? "", at: (month) => means.get(month) ?? null };
};

/** The series up to the end of a year; undefined where it tells nothing of that year. */
function upTo(series: Series, year: number): Series | undefined {
  const yearIn = (day: string) => Number(day.slice(0, 4));
  const readings = series.readings.filter((one) => yearIn(one.at) <= year);
  const last = readings.at(-1);
  const isKnown = last && yearIn(series.lasts ? series.as_of : last.at) >= year;
  if (!isKnown) return undefined;
  const end = yearIn(series.as_of) === year ? series.as_of : `${year}-12-31`;
  return { ...series, readings, as_of: series.lasts ? end : last.at };
}

/** The euro area of changing members first, else the newest of fixed ones. */
function euroArea(rows: readonly Hicp[]): Series {
  const areas = [...new Set(rows.map(({ geo }) => geo))].filter((geo) => /^EA\d*$/.test(geo)).sort();
  const area = areas.includes("EA") ? "EA" : areas.at(-1);
  return daily(
    rows.flatMap(({ geo, month, yoy_pct }) =>
      geo === area && yoy_pct !== null ? [{ at: month, value: yoy_pct }] : [],
    ),
  );
}

/** An indicator read from a table; its series is made once a vintage. */
function tableIndicator<Row extends object>(
  table: ReferenceTable<Row>,
  about: { name: string; unit: string },
  make: (rows: readonly Row[]) => Series,
): Indicator {
  const series = perVintage(make);
  return {
    ...about,
    table,
    read: (store) => {
      const reference = store.find(table);
      return reference && { reference, series: series(reference) };
    },
  };
}

const indicatorsByName: Record<IndicatorName, Indicator> = {
  ecb_mro: tableIndicator(
    ecbMro,
    { name: "ECB main refinancing operations rate", unit: "percent a year" },
    (rows) => {
      const days = rows.map(({ date, rate_pct }) => ({ at: date, value: rate_pct }));
      const readings = changesOf(days);
      return {
        readings,
        as_of: days.at(-1)?.at ?? "",
        at: (month) => inForce(readings, month),
        lasts: true,
      };
    },
  ),
  eur_usd: tableIndicator(
    ecbRates,
    { name: "Euro reference rate of the US dollar", unit: "USD for 1 EUR" },
    (rows) => daily(ratesOf(rows, "USD")),
  ),
  hicp_yoy: tableIndicator(
    hicp,
    { name: "Inflation in the euro area (HICP, all items)", unit: "percent, year over year" },
    euroArea,
  ),
  brent_usd: tableIndicator(brent, { name: "Brent crude oil, spot", unit: "USD a barrel" }, (rows) =>
    daily(rows.map(({ date, usd_per_bbl }) => ({ at: date, value: usd_per_bbl }))),
  ),
};

/**
 * Each indicator with its last value, the one before, and a year of months; `unavailable` while a table is opening,
 * or where none is loaded.
 */
export function macroContext(
  reference: ReferenceStore,
  input: Pick<z.output<typeof macroInput>, "indicators"> & { year?: number | undefined },
): z.infer<typeof macroOutput> {
  const tablesAsked = input.indicators.map((name) => indicatorsByName[name].table);
  const awaited = tablesAsked.filter((table) => reference.isAwaited(table));
  if (awaited.length > 0)
    refuse(
      tradeProblems["dataset-missing"],
      `these tables are loading, or their files are missing: ${awaited.map(({ name }) => name).join(", ")}`,
      { retry_after_s: 5 },
    );
  someOf(reference, tablesAsked);
  const data = input.indicators.map((name) => indicatorOf(reference, name, input.year));
  const missing = data.filter(({ value }) => value === null).map((line) => line.indicator);
  if (input.year !== undefined && missing.length === data.length)
    refuseWith(
      "year",
      `no requested indicator has a value of ${input.year}: name another year, or omit year`,
    );
  const tables = input.indicators.flatMap((name) => indicatorsByName[name].read(reference)?.reference ?? []);
  const about = joinedOf(tables.map(aboutReference));
  return { data, meta: { ...about, count: data.length, formula: FORMULA, missing } };
}

function indicatorOf(
  store: ReferenceStore,
  name: IndicatorName,
  year: number | undefined,
): z.infer<typeof indicator> {
  const { read, table: _table, ...about } = indicatorsByName[name];
  const found = read(store);
  const series = found && year !== undefined ? upTo(found.series, year) : found?.series;
  const [last, previous] = lastTwo(series?.readings ?? []);
  return {
    indicator: name,
    ...about,
    value: last?.value ?? null,
    as_of: series && last ? series.as_of : null,
    since: name === "ecb_mro" && last ? last.at : null,
    previous: previous?.value ?? null,
    previous_as_of: previous?.at ?? null,
    change: last && previous ? sixDecimals(last.value - previous.value) : null,
    history: series && last ? historyOf(series) : [],
    source: found?.reference.source ?? null,
    dataset: found?.reference.dataset ?? null,
    vintage: found?.reference.vintage ?? null,
    synthetic: found?.reference.synthetic ?? null,
  };
}

const historyOf = ({ at, as_of }: Series) =>
  monthsUpTo(as_of.slice(0, 7), HISTORY_MONTHS).map((month) => {
    const value = at(month);
    return { month, value: value === null ? null : sixDecimals(value) };
  });
