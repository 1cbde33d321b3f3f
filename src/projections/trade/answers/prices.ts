import { z } from "zod";
import type { YearRollup } from "../../../datasets/rollups/year.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { comparableYears, completenessOf, flowsOf } from "../../../domain/trade/coverage.ts";
import {
  basis,
  dataset,
  flow,
  procedure,
  reporter,
  requiredHs,
  years,
} from "../../../domain/trade/inputs.ts";
import type { ReporterCode } from "../../../domain/trade/reporters.ts";
import { median } from "../../../domain/trade/robust.ts";
import { OUTLIER_SCORE, outliers, pricePerTonne } from "../../../domain/trade/unit-values.ts";
import {
  type Flow,
  flows,
  monthText,
  type Period,
  sixDecimals,
  yearOf,
} from "../../../domain/trade/units.ts";
import { aboutProduct, productMeta, productQuestion } from "./one-product.ts";
import { monthsOf, onDataset, type TradeData, yearsOrAll } from "./question.ts";
import { rollupsOf } from "./rolled-up.ts";
import { inFlow, inReporters, massesIn, type Slice, supplementsIn } from "./tables.ts";

export const pricesInput = z.object({
  reporter,
  hs: requiredHs,
  years: years.optional(),
  flow: flow.optional(),
  procedure: procedure.optional(),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

const amount = z.number().nullable();
const price = amount.describe("Price in EUR per tonne; null: too few months");

const priceRow = z.object({
  period: z.string().describe("The month, YYYY-MM"),
  flow: z.enum(flows),
  price_eur_per_tonne: amount.describe(
    "1000·Σvalue / Σkg over rows with a mass; null = no mass, or not delivered",
  ),
  value_eur: z.int().nullable().describe("Value in EUR of the rows with a mass; null = not delivered"),
  quantity_kg: amount.describe("Mass in kg of the rows in `value_eur`; null = not delivered"),
  excluded_value_eur: z
    .int()
    .nullable()
    .describe("Value in EUR of rows without mass, which the price excludes; null = not delivered"),
  price_eur_per_unit: amount
    .optional()
    .describe(
      "EUR per supplementary unit over rows that have one; null = none, or several units; absent = no row of the answer has one",
    ),
  unit: z
    .string()
    .nullable()
    .optional()
    .describe(
      "The supplementary unit, such as NO (pieces) or LTR; null = none, several, or not named; absent = no row of the answer has one",
    ),
  quantity_in_units: amount
    .optional()
    .describe(
      "Supplementary quantity in `unit`; null = none, or several units; absent = no row of the answer has one",
    ),
  outlier: z
    .boolean()
    .describe(
      `true: ln(price) has a robust score above ${OUTLIER_SCORE} among the complete months of the same goods`,
    ),
  complete: z.boolean().describe("false: provisional or not delivered; the summary excludes it"),
});

const extreme = z.object({ period: z.string(), price_eur_per_tonne: z.number() }).nullable();

/** Sums of the complete months of one flow; figures are null if there are too few months. */
const priceSummary = z.object({
  flow: z.enum(flows),
  months: z.int().describe("Number of complete months with a price"),
  average_eur_per_tonne: price.describe("Sum of values / sum of masses, EUR per tonne; null: no price"),
  median_eur_per_tonne: price,
  standard_deviation_eur_per_tonne: price.describe(
    "Sample standard deviation of the monthly prices, EUR per tonne; null below two months",
  ),
  lowest: extreme,
  highest: extreme,
  change: amount.describe(
    "Average price of the last 12 complete months against the 12 before, 0.1 = 10 % higher; null: under 24 months of the same goods",
  ),
  outliers: z.array(z.string()).describe("The outlier months, YYYY-MM"),
  excluded_value_eur: z.int(),
  excluded_share: amount.describe("Share of the value without mass, 0 to 1; null: no value"),
});

export const pricesOutput = z.object({
  data: z.object({
    series: z.array(priceRow),
    summary: z.array(priceSummary).describe("Key figures by flow"),
  }),
  meta: productMeta.extend({ count: z.int() }),
});

/** A month's supplementary quantity of one unit. */
type Units = { flow: Flow; period: Period; unit: string | null; unit_eur: number; quantity_su: number };

type Masses = {
  flow: Flow;
  period: Period;
  value_eur: number;
  quantity_kg: number;
  excluded_value_eur: number;
};
type Row = z.infer<typeof priceRow>;

export async function pricesPerTonne(
  trade: TradeData,
  input: z.output<typeof pricesInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof pricesOutput>> {
  return onDataset(trade, productQuestion(input), async (lease, question) => {
    const span = yearsOrAll(lease, question.years);
    const query = { ...input, hs: question.hs, years: span };
    const [rows, units] = await Promise.all([
      pricedMonths(lease, query, signal),
      unitMonths(lease, query, signal),
    ]);
    const { coverage } = lease.manifest;
    const isComplete = completenessOf(coverage, question.hs);
    const isSame = comparableYears(coverage, question.hs, span);
    const periods = monthsOf(lease, span);
    const since = periods.findIndex((period) => isSame(yearOf(period)));
    const ofFlow = (flow: Flow) => {
      const months = new Map(rows.filter((row) => row.flow === flow).map((row) => [row.period, row]));
      const series = periods.map((period) =>
        rowOf(flow, period, {
          masses: months.get(period),
          units: units.length > 0 && units.filter((one) => one.flow === flow && one.period === period),
          delivered: isComplete(input.reporter, flow, period),
        }),
      );
      return summarise(flow, series, since);
    };
    const all = flowsOf(input.flow).map(ofFlow);
    const series = all.flatMap((one) => one.series);
    return {
      data: { series, summary: all.map((one) => one.summary) },
      meta: {
        ...aboutProduct(lease, question, span),
        count: series.length,
        formula: `price = 1000·Σvalue / Σkg over rows with kg > 0, a row being a product's month (its WORLD row where the source has one, else each partner's); price per unit = Σvalue / Σquantity over rows with a supplementary quantity, of one unit; outlier: |ln p − median(ln p)| / (1.4826·MAD(ln p)) > ${OUTLIER_SCORE} over the complete months of the same goods`,
      },
    };
  });
}

type PricedQuery = Slice & { hs: string; reporter: ReporterCode; flow?: Flow | undefined };

async function pricedMonths(
  lease: Lease,
  { hs, years, reporter, flow }: PricedQuery,
  signal: AbortSignal | undefined,
): Promise<Masses[]> {
  const rollups = rollupsOf(lease, { hs, years });
  if (rollups)
    return rollups.flatMap((rollup) => flowsOf(flow).flatMap((of) => pricedIn(rollup, hs, reporter, of)));
  return lease.query<Masses>(
    `select flow, period, coalesce(sum(value_eur) filter (quantity_kg > 0), 0)::bigint as value_eur,
       coalesce(sum(quantity_kg) filter (quantity_kg > 0), 0)::double as quantity_kg,
       coalesce(sum(value_eur) filter (quantity_kg is null or quantity_kg <= 0), 0)::bigint as excluded_value_eur
     from ${massesIn(lease, { hs, years }, `${inReporters([reporter])} and ${inFlow(flow)}`)} group by flow, period`,
    undefined,
    signal,
  );
}

async function unitMonths(
  lease: Lease,
  { hs, years, reporter, flow }: PricedQuery,
  signal: AbortSignal | undefined,
): Promise<Units[]> {
  const from = supplementsIn(lease, { hs, years }, `${inReporters([reporter])} and ${inFlow(flow)}`);
  if (from === undefined) return [];
  return lease.query<Units>(
    `select flow, period, unit, coalesce(sum(unit_eur), 0)::bigint as unit_eur,
       sum(quantity_su)::double as quantity_su from ${from} group by all order by all`,
    undefined,
    signal,
  );
}

function pricedIn(rollup: YearRollup, hs: string, reporter: ReporterCode, flow: Flow): Masses[] {
  const totals = rollup.totals(reporter, hs);
  if (!totals) return [];
  const begin = totals.at + flows.indexOf(flow) * 12;
  return Array.from({ length: 12 }, (_, month) => month).flatMap((month) => {
    const value = totals.eur[begin + month]!;
    if (Number.isNaN(value)) return [];
    const priced = rollup.priced[begin + month]!;
    return [
      {
        flow,
        period: rollup.year * 100 + month + 1,
        value_eur: priced,
        quantity_kg: (totals.grams[begin + month]! || 0) / 1000,
        excluded_value_eur: value - priced,
      },
    ];
  });
}

/** Pieces and litres have no common price. */
function perUnit([found, ...others]: Units[]) {
  const only = others.length === 0 ? found : undefined;
  return {
    price_eur_per_unit: only ? sixDecimals(only.unit_eur / only.quantity_su) : null,
    unit: only?.unit ?? null,
    quantity_in_units: only?.quantity_su ?? null,
  };
}

type MonthFigures = {
  masses: Masses | undefined;
  /** false: no month of the answer has any. */
  units: Units[] | false;
  delivered: boolean;
};

function rowOf(flow: Flow, period: Period, { masses, units, delivered }: MonthFigures): Row {
  const none = delivered ? 0 : null;
  const price = masses && pricePerTonne(masses.value_eur, masses.quantity_kg);
  const row: Row = {
    period: monthText(period),
    flow,
    price_eur_per_tonne: price === undefined ? null : sixDecimals(price),
    value_eur: masses?.value_eur ?? none,
    quantity_kg: masses?.quantity_kg ?? none,
    excluded_value_eur: masses?.excluded_value_eur ?? none,
    outlier: false,
    complete: delivered,
  };
  return units ? { ...row, ...perUnit(units) } : row;
}

/** Months before the place `since` have other goods: nothing is compared with them. */
function summarise(
  flow: Flow,
  series: Row[],
  since: number,
): { series: Row[]; summary: z.infer<typeof priceSummary> } {
  const complete = series.filter((row) => row.complete);
  const same = since > 0 ? series.slice(since).filter((row) => row.complete) : complete;
  const hasPrice = (row: Row): row is Priced => (row.price_eur_per_tonne ?? 0) > 0;
  const priced = complete.filter(hasPrice);
  const judged = since > 0 ? same.filter(hasPrice) : priced;
  for (const [at, isOutlier] of outliers(judged.map((row) => row.price_eur_per_tonne)).entries())
    judged[at]!.outlier = isOutlier;
  const prices = priced.map((row) => row.price_eur_per_tonne);
  const lowest = Math.min(...prices);
  const highest = Math.max(...prices);
  const extremeOf = (row: Priced | undefined) =>
    row === undefined ? null : { period: row.period, price_eur_per_tonne: row.price_eur_per_tonne };
  const [before, after] = [average(same.slice(-24, -12)), average(same.slice(-12))];
  const excluded = sum(complete, "excluded_value_eur");
  const value = excluded + sum(complete, "value_eur");
  return {
    series,
    summary: {
      flow,
      months: priced.length,
      average_eur_per_tonne: rounded(average(priced)),
      median_eur_per_tonne: rounded(median(prices)),
      standard_deviation_eur_per_tonne: rounded(deviation(prices)),
      lowest: extremeOf(priced.find((row) => row.price_eur_per_tonne === lowest)),
      highest: extremeOf(priced.findLast((row) => row.price_eur_per_tonne === highest)),
      change: same.length >= 24 && before && after ? sixDecimals(after / before - 1) : null,
      outliers: priced.filter((row) => row.outlier).map(({ period }) => period),
      excluded_value_eur: excluded,
      excluded_share: value > 0 ? sixDecimals(excluded / value) : null,
    },
  };
}

type Priced = Row & { price_eur_per_tonne: number };

const sum = (rows: Row[], column: "value_eur" | "quantity_kg" | "excluded_value_eur") =>
  rows.reduce((total, row) => total + (row[column] ?? 0), 0);
const average = (rows: Row[]) => pricePerTonne(sum(rows, "value_eur"), sum(rows, "quantity_kg"));

function deviation(prices: number[]): number | undefined {
  if (prices.length < 2) return undefined;
  const mean = prices.reduce((total, one) => total + one, 0) / prices.length;
  return Math.sqrt(prices.reduce((total, one) => total + (one - mean) ** 2, 0) / (prices.length - 1));
}

const rounded = (value: number | undefined) => (value === undefined ? null : sixDecimals(value));
