/** What the partitions of a vintage cover, read from their small tables `deliveries`, `products` and `spoken`. */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Coverage, ReporterCoverage, Spoken } from "../domain/trade/coverage.ts";
import type { ReporterCode } from "../domain/trade/reporters.ts";
import { median } from "../domain/trade/robust.ts";
import { addMonths, type Flow, monthsBetween } from "../domain/trade/units.ts";
import { rows } from "./duckdb.ts";

type Delivery = { reporter: ReporterCode; flow: Flow; period: number; rows: number; world_rows: number };

/** `databases` are the attached partitions, `scope` is what the source promises of its products. */
export async function coverageOf(
  connection: DuckDBConnection,
  databases: string[],
  scope: Pick<Coverage["products"], "national" | "complete_below">,
): Promise<Coverage> {
  const all = (table: string) => databases.map((name) => `from ${name}.${table}`).join(" union all ");
  const months = await rows<Delivery>(connection, `from (${all("deliveries")}) order by reporter, period`);
  const products = await rows<{ product: string }>(
    connection,
    `select distinct product from (${all("products")}) order by product`,
  );
  const reporters = [...new Set(months.map(({ reporter }) => reporter))];
  const periods = months.map(({ period }) => period);
  return {
    months: { from: Math.min(...periods), to: Math.max(...periods) },
    reporters: reporters.map((code) =>
      deliveredBy(
        months.filter(({ reporter }) => reporter === code),
        scope.national,
      ),
    ),
    products: { ...scope, codes: products.map(({ product }) => product) },
    spoken: await rows<Spoken>(connection, spokenSql(all("spoken"))),
  };
}

/** Months in a row as spans, and spans that differ in one column only as one: a few lines for whole cross products. */
const spokenSql = (spoken: string) => `
  with months as (
    select *, period // 100 * 12 + period % 100
      - row_number() over (partition by product, reporter, flow order by period) as run from (${spoken})
  ), spans as (
    select product, reporter, flow, min(period) as "from", max(period) as "to"
    from months group by product, reporter, flow, run
  ), by_flow as (
    select product, reporter, list(flow order by flow desc) as flows, "from", "to" from spans group by all
  ), by_reporter as (
    select product, list(reporter order by reporter) as reporters, flows, "from", "to" from by_flow group by all
  )
  select list(product order by product) as products, reporters, flows, "from", "to"
  from by_reporter group by all order by all`;

/** A month counts as delivered in full only with at least this share of the median month's rows before it. */
const FULL_SHARE = 0.25;
/** Below this median, a month without a row may well be one without trade in the few products there are. */
const FEW_ROWS = 10;

/**
 * A reporter has delivered up to its last full month, each flow judged apart. A month without a WORLD row, in a flow
 * that otherwise has them, or with far fewer rows than the twelve before it, is one that has only begun to arrive.
 * Where the source holds all products, a month between without a row of a flow was never imported.
 */
function deliveredBy(found: Delivery[], allProducts: boolean): ReporterCoverage {
  const periods = [...new Set(found.map(({ period }) => period))];
  const series = [...new Set(found.map(({ flow }) => flow))].map((flow) => {
    const months = new Map(found.filter((one) => one.flow === flow).map((one) => [one.period, one]));
    return periods.map((period) => months.get(period) ?? { rows: 0, world_rows: 0 });
  });
  const last = periods.findLastIndex((_, at) => series.every((months) => isFull(months, at, allProducts)));
  const from = periods[0]!;
  const to = last === -1 ? addMonths(from, -1) : periods[last]!;
  const isWhole = (at: number) => at !== -1 && series.every((months) => months[at]!.rows > 0);
  return {
    reporter: found[0]!.reporter,
    from,
    to,
    provisional: periods.slice(last + 1),
    missing: allProducts ? monthsBetween(from, to).filter((month) => !isWhole(periods.indexOf(month))) : [],
  };
}

/** Whether one flow's month at this place is all there. */
function isFull(months: { rows: number; world_rows: number }[], at: number, allProducts: boolean): boolean {
  const { rows, world_rows } = months[at]!;
  const before = months.slice(Math.max(0, at - 12), at).map((month) => month.rows);
  const usual = median(before) ?? 0;
  if (rows === 0) return !allProducts && usual < FEW_ROWS;
  if (world_rows === 0 && months.some((month) => month.world_rows > 0)) return false;
  return rows >= FULL_SHARE * usual;
}
