/** What the partitions of a vintage cover, read from their small tables `deliveries` and `products`. */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Coverage, ReporterCoverage } from "../domain/trade/coverage.ts";
import type { ReporterCode } from "../domain/trade/reporters.ts";
import { addMonths, monthsBetween } from "../domain/trade/units.ts";
import { rows } from "./duckdb.ts";

type Month = { reporter: ReporterCode; period: number; rows: number; world_rows: number };

/** `databases` are the attached partitions, `scope` is what the source promises of its products. */
export async function coverageOf(
  connection: DuckDBConnection,
  databases: string[],
  scope: Pick<Coverage["products"], "national" | "complete_below">,
): Promise<Coverage> {
  const all = (table: string) => databases.map((name) => `from ${name}.${table}`).join(" union all ");
  const months = await rows<Month>(
    connection,
    `select reporter, period, sum(rows)::bigint as rows, sum(world_rows)::bigint as world_rows
     from (${all("deliveries")}) group by all order by reporter, period`,
  );
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
  };
}

/** A month counts as delivered in full only with at least this share of the median month's rows before it. */
const FULL_SHARE = 0.25;

/**
 * A reporter has delivered up to its last full month. A month without a WORLD row, from a reporter that otherwise
 * sends them, or with far fewer rows than the twelve before it, is one that has only begun to arrive. Where the source holds all products, a month between
 * without a row was never imported; where it holds a few, there may have been no trade in them.
 */
function deliveredBy(months: Month[], allProducts: boolean): ReporterCoverage {
  const sendsWorld = months.some(({ world_rows }) => world_rows > 0);
  const isFull = (month: Month, at: number) => {
    if (sendsWorld && month.world_rows === 0) return false;
    const before = months.slice(Math.max(0, at - 12), at).map(({ rows }) => rows);
    return before.length === 0 || month.rows >= FULL_SHARE * median(before);
  };
  const last = months.findLastIndex(isFull);
  const { reporter, period: from } = months[0]!;
  const to = last === -1 ? addMonths(from, -1) : months[last]!.period;
  const present = new Set(months.map(({ period }) => period));
  return {
    reporter,
    from,
    to,
    provisional: months.slice(last + 1).map(({ period }) => period),
    missing: allProducts ? monthsBetween(from, to).filter((period) => !present.has(period)) : [],
  };
}

function median(numbers: number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
