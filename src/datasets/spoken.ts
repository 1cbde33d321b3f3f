/** What the files of an import speak for, and what of the vintage built upon they replace. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { reporterCodes } from "../domain/trade/reporters.ts";
import { literal } from "./duckdb.ts";
import type { Layout } from "./layouts/layout.ts";

/**
 * `replaced`: every combination of a file's products with its reporters, flows and months; all products where its
 * layout holds whole months. Rows of partners and of aggregates are replaced apart, so that a file of WORLD rows
 * leaves the partners' rows alone. Where a layout knows chosen partners only, what the file speaks for.
 *
 * `spoken`: the months in which no row means no trade. A file of whole months speaks for all products (''), a file
 * of one product for all reporters stated. In a file of several nobody can tell what was asked for, so that each
 * product, reporter and flow is known from its first row to its last. A file of chosen partners speaks, for each of
 * them and flow, for all reporters stated from its first row to its last; one of pairs so for each reporter, too.
 */
export async function markSpoken(
  connection: DuckDBConnection,
  layout: Layout,
  stated: readonly string[] | undefined,
): Promise<void> {
  const declared = `unnest([${(stated ?? reporterCodes).map(literal).join(", ")}]) as reporter`;
  await connection.run({ months, products, partners, pairs }[layout.speaks_for](declared));
}

const marked = `select distinct length(partner) > 2 as is_aggregate, reporter, flow, period`;

const calendar = `calendar as (
  select year * 100 + month as period from range(1988, 2100) y(year), range(1, 13) m(month)
)`;

const months = () => `
  create temp table replaced as ${marked} from stage.measures;
  create temp table spoken as
    select distinct reporter, flow, period, '' as product, null::varchar as partner from stage.measures`;

const products = (declared: string) => `
  create temp table replaced as select distinct is_aggregate, reporter, flow, period, product
    from (${marked}, file from stage.measures)
    join (select distinct length(partner) > 2 as is_aggregate, file, product from stage.measures)
      using (file, is_aggregate);
  create temp table spoken as
    with files as (
      select file, count(distinct product) = 1 as of_one_product, min(period) as first, max(period) as last
      from stage.measures group by file
    ), spans as (
      select reporter, flow, product, min(period) as first, max(period) as last
        from stage.measures group by file, reporter, flow, product
      union all
      select ${declared}, flow, product, first, last
        from (select distinct file, flow, product from stage.measures) join files using (file)
        where of_one_product
    ), ${calendar}
    select distinct reporter, flow, period, product, null::varchar as partner
      from spans join calendar on period between first and last`;

const ofPartners = (spans: string) => `
  create temp table spoken as
    with spans as (${spans}), ${calendar}
    select distinct reporter, flow, period, product, partner
      from spans join calendar on period between first and last;
  create temp table replaced as select false as is_aggregate, * from spoken`;

const bounds = "flow, product, partner, min(period) as first, max(period) as last from stage.measures";

const partners = (declared: string) =>
  ofPartners(`select ${declared}, * from (select ${bounds} group by file, flow, product, partner)`);

const pairs = () => ofPartners(`select reporter, ${bounds} group by file, reporter, flow, product, partner`);
