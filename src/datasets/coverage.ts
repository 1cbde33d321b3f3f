/** The coverage of a vintage's partitions, from their small tables `deliveries`, `products` and `spoken`. */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Coverage, CoverageSpan, ReporterCoverage } from "../domain/trade/coverage.ts";
import type { ReporterCode } from "../domain/trade/reporters.ts";
import { median } from "../domain/trade/robust.ts";
import { addMonths, type Flow, monthsBetween } from "../domain/trade/units.ts";
import { rows } from "./duckdb.ts";

type Delivery = { reporter: ReporterCode; flow: Flow; period: number; rows: number; world_rows: number };

/** A source's guarantee about its products. */
export type Scope = Pick<Coverage["products"], "national" | "complete_below"> & {
  /** A reporter's month without any row was never imported. */
  every_month: boolean;
};

/** `databases` are the attached partitions. */
export async function coverageOf(
  connection: DuckDBConnection,
  databases: string[],
  { every_month, ...scope }: Scope,
): Promise<Coverage> {
  const all = (table: string) => databases.map((name) => `from ${name}.${table}`).join(" union all by name ");
  const months = await rows<Delivery>(connection, `from (${all("deliveries")}) order by reporter, period`);
  const products = await rows<{ product: string }>(
    connection,
    `select distinct product from (${all("products")}) order by product`,
  );
  const spoken = await rows<CoverageSpan & { partners: string[] | null }>(
    connection,
    spokenSql(all("spoken")),
  );
  const procedures = await procedureSpans(connection, databases);
  const reporters = [...new Set(months.map(({ reporter }) => reporter))];
  const periods = months.map(({ period }) => period);
  return {
    months: { from: Math.min(...periods), to: Math.max(...periods) },
    reporters: reporters.map((code) =>
      deliveredBy(
        months.filter(({ reporter }) => reporter === code),
        every_month,
      ),
    ),
    products: { ...scope, codes: products.map(({ product }) => product) },
    spoken: spoken.map(({ partners, ...span }) => (partners === null ? span : { ...span, partners })),
    ...(procedures.length > 0 && { procedures }),
  };
}

/** The months whose rows state procedures; partitions of earlier versions have no such table. */
async function procedureSpans(
  connection: DuckDBConnection,
  databases: string[],
): Promise<NonNullable<Coverage["procedures"]>> {
  const tables = await rows<{ name: string }>(
    connection,
    "select database_name as name from duckdb_tables() where table_name = 'procedure_months' and estimated_size > 0",
  );
  const stating = databases.filter((database) => tables.some(({ name }) => name === database));
  if (stating.length === 0) return [];
  const months = stating.map(
    (name) => `select *, '' as product, null::varchar as partner from ${name}.procedure_months`,
  );
  const spans = await rows<CoverageSpan>(connection, spokenSql(months.join(" union all by name ")));
  return spans.map(({ reporters, flows, from, to }) => ({ reporters, flows, from, to }));
}

/** Consecutive months as spans, and spans that differ in one column combined: a few lines for whole cross products. */
const spokenSql = (spoken: string) => `
  with months as (
    select *, period // 100 * 12 + period % 100
      - row_number() over (partition by product, partner, reporter, flow order by period) as run
    from (${spoken} union all by name select null::varchar as partner where false)
  ), spans as (
    select product, partner, reporter, flow, min(period) as "from", max(period) as "to"
    from months group by product, partner, reporter, flow, run
  ), by_flow as (
    select product, partner, reporter, list(flow order by flow desc) as flows, "from", "to" from spans group by all
  ), by_reporter as (
    select product, partner, list(reporter order by reporter) as reporters, flows, "from", "to"
    from by_flow group by all
  ), by_partner as (
    select product, list(partner order by partner) filter (partner is not null) as partners,
      reporters, flows, "from", "to" from by_reporter group by all
  )
  select list(product order by product) as products, partners, reporters, flows, "from", "to"
  from by_partner group by all order by all`;

/** A month counts as fully delivered from this share of the preceding median month's rows. */
const FULL_SHARE = 0.25;
/** Below this median, a month without rows may be one without trade. */
const FEW_ROWS = 10;

/**
 * A reporter has delivered up to its last full month, per flow. A month is incomplete without a WORLD row in a flow
 * that otherwise has them, or with far fewer rows than the twelve before it. If the source has rows of every month,
 * a month without a row of a flow was never imported.
 */
function deliveredBy(found: Delivery[], everyMonth: boolean): ReporterCoverage {
  const periods = [...new Set(found.map(({ period }) => period))];
  const series = [...new Set(found.map(({ flow }) => flow))].map((flow) => {
    const months = new Map(found.filter((one) => one.flow === flow).map((one) => [one.period, one]));
    return periods.map((period) => months.get(period) ?? { rows: 0, world_rows: 0 });
  });
  const last = periods.findLastIndex((_, at) => series.every((months) => isFull(months, at, everyMonth)));
  const from = periods[0]!;
  const to = last === -1 ? addMonths(from, -1) : periods[last]!;
  const isWhole = (at: number) => at !== -1 && series.every((months) => months[at]!.rows > 0);
  return {
    reporter: found[0]!.reporter,
    from,
    to,
    provisional: periods.slice(last + 1),
    missing: everyMonth ? monthsBetween(from, to).filter((month) => !isWhole(periods.indexOf(month))) : [],
  };
}

/** True if one flow's month is complete. */
function isFull(months: { rows: number; world_rows: number }[], at: number, everyMonth: boolean): boolean {
  const { rows, world_rows } = months[at]!;
  const before = months.slice(Math.max(0, at - 12), at).map((month) => month.rows);
  const usual = median(before) ?? 0;
  if (rows === 0) return !everyMonth && usual < FEW_ROWS;
  if (world_rows === 0 && months.some((month) => month.world_rows > 0)) return false;
  return rows >= FULL_SHARE * usual;
}
