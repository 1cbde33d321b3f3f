/** Which tables of a vintage answer a question, as SQL to select from. */
import { literal } from "../../datasets/duckdb.ts";
import type { Lease, OpenPartition } from "../../datasets/vintage-store.ts";
import { productLevels } from "../../domain/trade/products.ts";
import type { Years } from "../../domain/trade/units.ts";

export type Slice = { hs?: string | undefined; years: Years };

/** A row a partner and month: reporter, hs2, flow, period, partner, value_eur, quantity_kg. */
export function partnersIn(lease: Lease, slice: Slice): string {
  return isChapters(slice.hs)
    ? union(lease, slice.years, "chapter_partners", inChapter(slice.hs))
    : union(lease, slice.years, "cells", productFilter(slice.hs));
}

/** A row a product and month, WORLD where the source states it: reporter, hs2, flow, period, value_eur, quantity_kg. */
export function totalsIn(lease: Lease, slice: Slice): string {
  return isChapters(slice.hs)
    ? union(lease, slice.years, "chapter_totals", inChapter(slice.hs))
    : union(lease, slice.years, "totals", productFilter(slice.hs));
}

/** As totalsIn, below chapter level: rows have `product`, of at least `digits` digits. */
export function finerTotalsIn(lease: Lease, slice: { hs: string; years: Years }, digits: number): string {
  return union(lease, slice.years, "totals", productFilter(slice.hs, digits));
}

/** As partnersIn, below chapter level: rows have `product`, of at least `digits` digits. */
export function finerPartnersIn(lease: Lease, slice: { hs: string; years: Years }, digits: number): string {
  return union(lease, slice.years, "cells", productFilter(slice.hs, digits));
}

/**
 * The finest rows that state a mass, of which no two hold the same goods: reporter, flow, period, product, partner,
 * value_eur, quantity_kg. A product's month is its WORLD row where the source has one, else its partners' rows.
 * `where` is a condition on reporter, flow, hs2 and period.
 */
export function massesIn(lease: Lease, { hs, years }: { hs: string; years: Years }, where: string): string {
  const chapter = hs.slice(0, productLevels.hs2);
  if (lease.manifest.coverage.products.codes.includes(chapter)) {
    const rows = union(lease, years, "chapter_partners", `${inChapter(chapter)} and ${where}`);
    return `(select *, hs2 as product from ${rows})`;
  }
  const filter = `${productFilter(hs)} and ${where}`;
  const world = union(lease, years, "aggregates", `partner = 'WORLD' and ${filter}`);
  return `(from ${world} union all by name
    (from ${union(lease, years, "cells", filter)} anti join ${world} using (reporter, flow, period, product)))`;
}

/** The rows as the source has them: `cells` and `aggregates` under one name. */
export function recordsIn(lease: Lease, slice: Slice): string {
  const filter = slice.hs === undefined ? "true" : `starts_with(product, ${literal(slice.hs)})`;
  const hs2 = inChapter(slice.hs?.slice(0, productLevels.hs2));
  return `${union(lease, slice.years, "cells", `${hs2} and ${filter}`)}
    union all ${union(lease, slice.years, "aggregates", `${hs2} and ${filter}`)}`;
}

const isChapters = (hs: string | undefined): hs is string | undefined =>
  hs === undefined || hs.length === productLevels.hs2;

const inChapter = (hs2: string | undefined) => (hs2 === undefined ? "true" : `hs2 = ${literal(hs2)}`);

/** The products under `hs`; no code of a dataset contains another of its rows, so each amount is there once. */
function productFilter(hs = "", digits = 0): string {
  const below = `starts_with(product, ${literal(hs)}) and length(product) >= ${digits}`;
  return `${inChapter(hs.slice(0, productLevels.hs2))} and ${below}`;
}

/** Partitions are whole years, so choosing them is the filter on years. */
function union({ partitions }: Lease, years: Years, table: string, filter: string): string {
  const select = ({ database }: OpenPartition, where: string) =>
    `select * from ${database}.${table} where ${where}`;
  const chosen = partitions.filter(({ year }) => year >= years.from && year <= years.to);
  if (chosen.length === 0) return `(${select(partitions[0]!, "false")})`;
  return `(${chosen.map((partition) => select(partition, filter)).join(" union all ")})`;
}

/** SQL for one flow's sum of value and mass; null where there is no row. */
export const flowSums = `
  sum(value_eur) filter (flow = 'IMPORT')::bigint as imports_eur,
  sum(value_eur) filter (flow = 'EXPORT')::bigint as exports_eur,
  sum(quantity_kg) filter (flow = 'IMPORT')::double as imports_kg,
  sum(quantity_kg) filter (flow = 'EXPORT')::double as exports_kg`;

export const inReporters = (reporters: readonly string[]) =>
  `reporter in (${reporters.map(literal).join(", ")})`;
export const inFlow = (flow: string | undefined) => (flow === undefined ? "true" : `flow = ${literal(flow)}`);
