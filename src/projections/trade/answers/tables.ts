/** SQL over the tables of a vintage that answer a question. */
import { literal } from "../../../datasets/duckdb.ts";
import type { Lease, OpenPartition } from "../../../datasets/vintage-store.ts";
import { type Procedure, procedureDigits } from "../../../domain/trade/procedures.ts";
import { productLevels } from "../../../domain/trade/products.ts";
import { reporterCodes } from "../../../domain/trade/reporters.ts";
import type { Years } from "../../../domain/trade/units.ts";

export type Slice = { hs?: string | undefined; years: Years };

/** One row per partner and month: reporter, hs2, flow, period, partner, value_eur, quantity_kg. */
export function partnersIn(lease: Lease, slice: Slice): string {
  return isChapters(slice.hs)
    ? union(lease, slice.years, "chapter_partners", () => inChapter(slice.hs))
    : union(lease, slice.years, "cells", productFilter(lease, slice.hs));
}

/** One row per product and month, WORLD if the source has it: reporter, hs2, flow, period, value_eur, quantity_kg. */
export function totalsIn(lease: Lease, slice: Slice): string {
  return isChapters(slice.hs)
    ? union(lease, slice.years, "chapter_totals", () => inChapter(slice.hs))
    : union(lease, slice.years, "totals", productFilter(lease, slice.hs));
}

/** As totalsIn, below chapter level: rows have `product`, of at least `digits` digits. */
export function finerTotalsIn(lease: Lease, slice: Slice, digits: number): string {
  return union(lease, slice.years, "totals", productFilter(lease, slice.hs, digits));
}

/** As partnersIn, below chapter level: rows have `product`, of at least `digits` digits. */
export function finerPartnersIn(lease: Lease, slice: Slice, digits: number): string {
  return union(lease, slice.years, "cells", productFilter(lease, slice.hs, digits));
}

/**
 * The dataset's finest rows, one per partner, product and month: reporter, hs2, flow, period, partner, product,
 * value_eur, quantity_kg. `where` is a condition on any column except product and amounts.
 */
export function finestIn(lease: Lease, { hs, years }: Slice, where: string): string {
  // A source may state only chapters: these are cells and are in chapter_partners, too.
  const finer = `length(product) > ${productLevels.hs2}`;
  const below = productFilter(lease, hs);
  const cells = union(lease, years, "cells", (year) => `${below(year)} and ${finer} and ${where}`);
  const isWhole = (code: string) => code.length === productLevels.hs2 && code.startsWith(hs ?? "");
  const whole = lease.manifest.coverage.products.codes.filter(isWhole);
  if (whole.length === 0) return cells;
  const chapters = union(
    lease,
    years,
    "chapter_partners",
    () => `hs2 in (${whole.map(literal).join(", ")}) and ${where}`,
  );
  return `(from ${cells} union all by name (select *, hs2 as product from ${chapters}))`;
}

/**
 * The finest rows with a mass, without double counts: a product's month is its WORLD row if there is one, else its
 * partners' rows. `where` is a condition on reporter, flow and period.
 */
export function massesIn(lease: Lease, slice: Slice, where: string): string {
  const below = productFilter(lease, slice.hs);
  const isWorld = (year: number) => `partner = 'WORLD' and ${below(year)} and ${where}`;
  const world = union(lease, slice.years, "aggregates", isWorld);
  return `(from ${world} union all by name
    (from ${finestIn(lease, slice, where)} anti join ${world} using (reporter, flow, period, product)))`;
}

/** Source rows per reporter: reporter, records. */
export function recordsIn(lease: Lease, { hs, years }: Slice): string {
  if (hs === undefined)
    return `(select reporter, sum(rows)::bigint as records from ${union(lease, years, "deliveries", () => "true")} group by reporter)`;
  const groups = union(lease, years, "aggregates", productFilter(lease, hs));
  return `(select reporter, count(*) as records from (
    select reporter from ${finestIn(lease, { hs, years }, "true")} union all select reporter from ${groups}
  ) group by reporter)`;
}

/** True if whole chapters answer the question. */
export const isChapters = (hs: string | undefined): hs is string | undefined =>
  hs === undefined || hs.length === productLevels.hs2;

const inChapter = (hs2: string | undefined) => (hs2 === undefined ? "true" : `hs2 = ${literal(hs2)}`);

/** A condition on the rows of a year. */
type YearFilter = (year: number) => string;

/** No code of a dataset contains another of its rows, so each amount counts once. */
function productFilter({ manifest }: Lease, hs: string | undefined, digits = 0): YearFilter {
  const fine = `length(product) >= ${digits}`;
  if (hs === undefined) return () => (digits === 0 ? "true" : fine);
  const codes = manifest.coverage.book?.of(hs);
  return (year) => {
    const members = codes?.inYear(year) ?? [hs];
    if (members.length === 0) return "false";
    const chapters = [...new Set(members.map((code) => literal(code.slice(0, productLevels.hs2))))];
    const isCell = members[0]!.length === productLevels.cn8;
    const below = isCell
      ? [`product in (${members.map(literal).join(", ")})`]
      : members.map((code) => `starts_with(product, ${literal(code)})`);
    return `hs2 in (${chapters.join(", ")}) and (${below.join(" or ")}) and ${fine}`;
  };
}

/** Partitions are whole years, so the choice of partitions filters the years; an empty one would cost a scan. */
function union(lease: Lease, years: Years, table: PartitionTable, filter: YearFilter): string {
  const { procedure } = lease.manifest.coverage;
  if (procedure !== undefined) return unionInProcedure(lease, years, table, filter, procedure);
  // Partitions of earlier versions have no columns for units.
  const columns = table === "cells" || table === "aggregates" ? `${KEY}, value_eur, quantity_kg` : "*";
  const select = ({ database }: OpenPartition, where: string) =>
    `select ${columns} from ${database}.${table} where ${where}`;
  const chosen = chosenIn(lease, years, table);
  if (chosen.length === 0) return `(${select(lease.partitions[0]!, "false")})`;
  return `(${chosen.map((partition) => select(partition, filter(partition.year))).join(" union all ")})`;
}

type PartitionTable =
  | "cells"
  | "aggregates"
  | "totals"
  | "chapter_partners"
  | "chapter_totals"
  | "deliveries";

const chosenIn = ({ partitions }: Lease, years: Years, table: string): OpenPartition[] =>
  partitions.filter(({ year, filled }) => year >= years.from && year <= years.to && filled.has(table));

const KEY = "reporter, hs2, flow, period, partner, product";

/** The table's rows of one procedure, from the months that state procedures. */
function unionInProcedure(
  lease: Lease,
  years: Years,
  table: PartitionTable,
  filter: YearFilter,
  procedure: Procedure,
): string {
  const groups = {
    cells: KEY,
    aggregates: KEY,
    deliveries: KEY,
    totals: "reporter, hs2, flow, period, product",
    chapter_partners: "reporter, hs2, flow, period, partner",
    chapter_totals: "reporter, hs2, flow, period",
  };
  const none = `select ${KEY}, value_eur, quantity_kg from ${lease.partitions[0]!.database}.cells where false`;
  // A source that states procedures has no rows of aggregates.
  const chosen = table === "aggregates" ? [] : chosenIn(lease, years, "procedure_months");
  const parts = chosen.map((partition) => procedureCells(partition, filter(partition.year), procedure));
  return `(select ${groups[table]}, sum(value_eur)::bigint as value_eur,
    sum(quantity_kg)::decimal(18, 3) as quantity_kg from (${parts.join(" union all ") || none}) group by all)`;
}

/** Conditions on the digit of a procedure. */
const isProcedure: Record<Procedure, string> = {
  normal: `procedure = ${procedureDigits.normal}`,
  inward: `procedure = ${procedureDigits.inward}`,
  outward: `procedure = ${procedureDigits.outward}`,
  other: `procedure not in (${Object.values(procedureDigits).join(", ")})`,
};

/** Cells of one procedure; of a cell with several, the normal one is what the others leave. */
function procedureCells({ database, filled }: OpenPartition, where: string, procedure: Procedure): string {
  const columns = `${KEY}, value_eur, quantity_kg`;
  const isOf = isProcedure[procedure];
  const single = `select ${columns} from ${database}.cells where ${isOf} and ${where}`;
  if (!filled.has("procedures")) return single;
  if (procedure !== "normal")
    return `${single} union all select ${columns} from ${database}.procedures where ${isOf} and ${where}`;
  return `${single} union all
    select ${KEY}, (cells.value_eur - others.value_eur)::bigint as value_eur,
      nullif(coalesce(cells.quantity_kg, 0) - coalesce(others.quantity_kg, 0), 0)::decimal(18, 3) as quantity_kg
    from (select * from ${database}.cells where procedure is null and ${where}) cells
      join (
        select ${KEY}, sum(value_eur)::bigint as value_eur, sum(quantity_kg)::decimal(18, 3) as quantity_kg
        from ${database}.procedures where ${where} group by all
      ) others using (${KEY})
    where cells.value_eur > others.value_eur`;
}

/**
 * Rows that state a supplementary quantity, without double counts, as massesIn: reporter, flow, period, product,
 * unit, unit_eur, quantity_su. A product of several units in a month has a row for each. undefined = no such rows.
 */
export function supplementsIn(lease: Lease, { hs, years }: Slice, where: string): string | undefined {
  const { procedure } = lease.manifest.coverage;
  const below = productFilter(lease, hs);
  const stated = `${KEY}, coalesce(unit_eur, value_eur) as unit_eur, quantity_su`;
  const rowsOf = ({ database, year, filled }: OpenPartition): string => {
    const from = (table: string, isOf = "true") =>
      `select ${stated} from ${database}.${table} where quantity_su > 0 and ${isOf} and ${below(year)} and ${where}`;
    if (procedure === undefined)
      return `${from("cells")} union all ${from("aggregates", "partner = 'WORLD'")}`;
    const single = from("cells", isProcedure[procedure]);
    if (!filled.has("procedures")) return single;
    if (procedure !== "normal") return `${single} union all ${from("procedures", isProcedure[procedure])}`;
    const less = `select ${KEY}, -unit_eur as unit_eur, -quantity_su as quantity_su from (${from("procedures")})`;
    return `${single} union all
      select ${KEY}, sum(unit_eur)::bigint as unit_eur, sum(quantity_su)::decimal(18, 3) as quantity_su
      from (${from("cells", "procedure is null")} union all ${less}) group by all having sum(quantity_su) > 0`;
  };
  const chosen = chosenIn(lease, years, "units");
  if (chosen.length === 0) return undefined;
  const found = `(${chosen.map(rowsOf).join(" union all ")})`;
  const units = chosen.map(({ database }) => `from ${database}.units`).join(" union all ");
  const world = `(select * from ${found} where partner = 'WORLD')`;
  return `(select * from (from ${world} union all by name
    (from (select * from ${found} where partner <> 'WORLD') anti join ${world} using (reporter, flow, period, product)))
    join (${units}) using (product, period))`;
}

/** Sums of value and mass by flow; null without a row. */
export const flowSums = `
  sum(value_eur) filter (flow = 'IMPORT')::bigint as imports_eur,
  sum(value_eur) filter (flow = 'EXPORT')::bigint as exports_eur,
  sum(quantity_kg) filter (flow = 'IMPORT')::double as imports_kg,
  sum(quantity_kg) filter (flow = 'EXPORT')::double as exports_kg`;

/** All 27 need no condition: a dataset has no other reporters, and the filter costs as much as the sums. */
export const inReporters = (reporters: readonly string[]) =>
  reporters.length === reporterCodes.length ? "true" : `reporter in (${reporters.map(literal).join(", ")})`;
export const inFlow = (flow: string | undefined) => (flow === undefined ? "true" : `flow = ${literal(flow)}`);
