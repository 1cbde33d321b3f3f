import { z } from "zod";
import {
  adjustedPs,
  FALSE_DISCOVERY_RATE,
  LEAST_BASE_EUR,
  LEAST_HISTORY,
  pOfScore,
  TRAILING,
  trailingScore,
} from "../../../domain/trade/anomalies.ts";
import type { NameOf } from "../../../domain/trade/product-names.ts";
import { type ReporterCode, reporterCode } from "../../../domain/trade/reporters.ts";
import { median } from "../../../domain/trade/robust.ts";
import { pricePerTonne } from "../../../domain/trade/unit-values.ts";
import {
  type Flow,
  flows,
  monthText,
  type Period,
  sixDecimals,
  yearOf,
} from "../../../domain/trade/units.ts";
import type { MonthRow, Pair, ProductRow } from "./corridor-rows.ts";
import { type MonthValue, profile, profileOf } from "./seasonality.ts";

export const WATCHED = 12;
const TOP_PRODUCTS = 10;

const share = z.number().nullable();

const view = z
  .object({
    reporter: reporterCode,
    flow: z.enum(flows),
    value_eur: z.int().describe("Value of the complete months, in EUR"),
    quantity_kg: z.number().nullable().describe("Reported mass in kg; null = none"),
    months: z.int().describe("Number of complete months"),
  })
  .nullable()
  .describe("null: the country does not report in this database, or has delivered nothing");

const mirror = z
  .object({
    months: z.int().describe("Number of months that both delivered"),
    exporter_eur: z.int(),
    importer_eur: z.int(),
    gap_eur: z.int().describe("importer_eur − exporter_eur"),
    ratio: share.describe("importer_eur / exporter_eur; null: no exports"),
    median_monthly_ratio: share.describe(
      "Median of importer / exporter over months with trade on both sides; null: none",
    ),
  })
  .nullable()
  .describe("Both reports compared; null: no month that both delivered");

const corridorAlert = z.object({
  period: z.string(),
  value_eur: z.int(),
  base_eur: z.number().describe("Mean of the twelve months before, in EUR"),
  z: z.number(),
  p_value: z.number(),
  p_adjusted: z.number(),
});

export const corridorProduct = z.object({
  product: z.string(),
  name: z.string().nullable(),
  value_eur: z.int(),
  share: share.describe("Share of this direction's value in the year, 0 to 1; null: none"),
  price_eur_per_tonne: share.describe("Price in EUR per tonne of rows with a mass; null = none"),
  excluded_value_eur: z.int().describe("Value in EUR of rows without mass, which the price excludes"),
  other_view_eur: z
    .int()
    .nullable()
    .describe("Value in EUR as the other country reports it; null: it reports none"),
});

export const corridorMonth = z.object({
  period: z.string().describe("The month, YYYY-MM"),
  exporter_eur: z.int().nullable().describe("Value in EUR as the seller reports it; null = not delivered"),
  importer_eur: z.int().nullable().describe("Value in EUR as the buyer reports it; null = not delivered"),
});

export const direction = z.object({
  from: z.string().describe("The selling country, 2-letter code"),
  to: z.string().describe("The buying country, 2-letter code"),
  exporter_view: view,
  importer_view: view,
  mirror,
  months: z.array(corridorMonth).describe("Every month of the years, as both countries report it"),
  seasonality: profile.omit({ flow: true }).describe("The seasonal profile of the reporter's figures"),
  alerts: z
    .array(corridorAlert)
    .describe(`Significant alerts of the last ${WATCHED} months, in the reporter's figures`),
  products_year: z.int(),
  top_products: z
    .array(corridorProduct)
    .describe("The ten largest products in `products_year`, in the reporter's figures"),
});

export const balanceYear = z.object({
  year: z.int(),
  exports_eur: z
    .int()
    .nullable()
    .describe("Exports in EUR from reporter to partner in the complete months; null = no such month"),
  imports_eur: z.int().nullable(),
  balance_eur: z.int().nullable().describe("exports_eur − imports_eur; null if one of them is null"),
  complete: z.boolean().describe("true: all twelve months of both directions are complete"),
});

/** Monthly figures of a pair (null = not delivered) and its products of one year. */
export type PairFigures = {
  pair: Pair;
  values: (reporter: ReporterCode, flow: Flow) => MonthValue[];
  months: MonthRow[];
  products: ProductRow[];
  products_year: number;
  nameOf: NameOf;
  /** False for months whose code had other goods than in the last month. */
  isComparable: (period: Period) => boolean;
};

const opposite = { IMPORT: "EXPORT", EXPORT: "IMPORT" } as const;

export function directionOf(figures: PairFigures, flow: Flow): z.infer<typeof direction> {
  const { reporter, partner, other } = figures.pair;
  const own = figures.values(reporter, flow);
  const theirs = other === undefined ? undefined : figures.values(other, opposite[flow]);
  const ownView = viewOf(figures, reporter, flow, own);
  const theirView = other && theirs ? viewOf(figures, other, opposite[flow], theirs) : null;
  const [exporter, importer] = flow === "EXPORT" ? [own, theirs] : [theirs, own];
  const compared = own.map((one) => (figures.isComparable(one.period) ? one : { ...one, value: null }));
  const { flow: _, ...seasonality } = profileOf(flow, compared);
  return {
    ...(flow === "EXPORT" ? { from: reporter, to: partner } : { from: partner, to: reporter }),
    ...(flow === "EXPORT"
      ? { exporter_view: ownView, importer_view: theirView }
      : { exporter_view: theirView, importer_view: ownView }),
    mirror: exporter && importer ? mirrorOf(exporter, importer) : null,
    months: own.map(({ period }, at) => ({
      period: monthText(period),
      exporter_eur: exporter?.[at]?.value ?? null,
      importer_eur: importer?.[at]?.value ?? null,
    })),
    seasonality,
    alerts: alertsIn(compared),
    products_year: figures.products_year,
    top_products: productsOf(figures, flow),
  };
}

function viewOf(
  { months }: PairFigures,
  reporter: ReporterCode,
  flow: Flow,
  values: MonthValue[],
): z.infer<typeof view> {
  const delivered = new Set(values.filter(({ value }) => value !== null).map(({ period }) => period));
  if (delivered.size === 0) return null;
  const rows = months.filter(
    (row) => row.reporter === reporter && row.flow === flow && delivered.has(row.period),
  );
  const masses = rows.map(({ quantity_kg }) => quantity_kg).filter((mass) => mass !== null);
  return {
    reporter,
    flow,
    value_eur: rows.reduce((sum, { value_eur }) => sum + value_eur, 0),
    quantity_kg: masses.length === 0 ? null : Math.round(masses.reduce((sum, mass) => sum + mass, 0)),
    months: delivered.size,
  };
}

/** Both views over the months that both countries delivered. */
function mirrorOf(exporter: MonthValue[], importer: MonthValue[]): z.infer<typeof mirror> {
  const both = exporter.flatMap(({ value }, at) => {
    const other = importer[at]!.value;
    return value === null || other === null ? [] : [{ exported: value, imported: other }];
  });
  if (both.length === 0) return null;
  const exporter_eur = both.reduce((sum, { exported }) => sum + exported, 0);
  const importer_eur = both.reduce((sum, { imported }) => sum + imported, 0);
  const ratios = both
    .filter(({ exported, imported }) => exported > 0 && imported > 0)
    .map(({ exported, imported }) => imported / exported);
  const middle = median(ratios);
  return {
    months: both.length,
    exporter_eur,
    importer_eur,
    gap_eur: importer_eur - exporter_eur,
    ratio: exporter_eur > 0 ? sixDecimals(importer_eur / exporter_eur) : null,
    median_monthly_ratio: middle === undefined ? null : sixDecimals(middle),
  };
}

/** Judges as trade/alerts does: each month against the twelve before it. */
function alertsIn(months: MonthValue[]): z.infer<typeof corridorAlert>[] {
  const tested = months.flatMap(({ period, value }, at) => {
    const trailing = months.slice(Math.max(0, at - TRAILING), at).flatMap((one) => one.value ?? []);
    const history = months.slice(0, at + 1).filter((one) => one.value !== null).length;
    if (at < months.length - WATCHED || value === null) return [];
    if (trailing.length < TRAILING || history < LEAST_HISTORY) return [];
    const base = trailing.reduce((sum, one) => sum + one, 0) / TRAILING;
    const score = base >= LEAST_BASE_EUR ? trailingScore(value, trailing) : undefined;
    return score === undefined
      ? []
      : [{ period, value_eur: value, base, z: score, p_value: pOfScore(score) }];
  });
  const adjusted = adjustedPs(
    tested.map(({ p_value }) => p_value),
    tested.length,
  );
  return tested
    .map(({ base, ...one }, at) => ({
      ...one,
      period: monthText(one.period),
      base_eur: Math.round(base),
      z: sixDecimals(one.z),
      p_adjusted: adjusted[at]!,
    }))
    .filter(({ p_adjusted }) => p_adjusted <= FALSE_DISCOVERY_RATE);
}

function productsOf({ pair, products, nameOf }: PairFigures, flow: Flow): z.infer<typeof corridorProduct>[] {
  const own = products.filter((row) => row.reporter === pair.reporter && row.flow === flow);
  const sum = own.reduce((total, { value_eur }) => total + value_eur, 0);
  const theirs = new Map(
    products
      .filter((row) => row.reporter === pair.other && row.flow === opposite[flow])
      .map((row) => [row.product, row.value_eur]),
  );
  return own.slice(0, TOP_PRODUCTS).map(({ product, value_eur, priced_eur, priced_kg }) => {
    const price = pricePerTonne(priced_eur, priced_kg);
    return {
      product,
      name: nameOf(product),
      value_eur,
      share: sum > 0 ? sixDecimals(value_eur / sum) : null,
      price_eur_per_tonne: price === undefined ? null : sixDecimals(price),
      excluded_value_eur: value_eur - priced_eur,
      other_view_eur: theirs.size === 0 ? null : (theirs.get(product) ?? 0),
    };
  });
}

export function balanceOf({ pair, values }: PairFigures): z.infer<typeof balanceYear>[] {
  const [exports, imports] = [values(pair.reporter, "EXPORT"), values(pair.reporter, "IMPORT")];
  const years = [...new Set(exports.map(({ period }) => yearOf(period)))];
  return years.flatMap((year) => {
    const sumOf = (months: MonthValue[]) => {
      const complete = months.filter(({ period, value }) => yearOf(period) === year && value !== null);
      return { months: complete.length, eur: complete.reduce((sum, { value }) => sum + value!, 0) };
    };
    const [sold, bought] = [sumOf(exports), sumOf(imports)];
    if (sold.months + bought.months === 0) return [];
    const exports_eur = sold.months > 0 ? sold.eur : null;
    const imports_eur = bought.months > 0 ? bought.eur : null;
    const balance_eur = exports_eur === null || imports_eur === null ? null : exports_eur - imports_eur;
    return [
      { year, exports_eur, imports_eur, balance_eur, complete: sold.months === 12 && bought.months === 12 },
    ];
  });
}
