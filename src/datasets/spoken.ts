/** The cells for which an import's files are complete, and the cells of the base vintage that they replace. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { reporterCodes } from "../domain/trade/reporters.ts";
import { literal } from "./duckdb.ts";
import type { Layout } from "./layouts/layout.ts";

/**
 * `replaced`: every combination of a file's products with its reporters, flows and months; all products if its
 * layout has whole months. Rows of partners and of aggregates are replaced separately, so a file of WORLD rows
 * leaves the partners' rows. For layouts with chosen partners only: what the file is complete for.
 *
 * `spoken`: the months in which no row means no trade. A file of whole months is complete for all products (''), a
 * file of one product for all stated reporters. A file of several products does not reveal its query, so each
 * product, reporter and flow counts from its first row to its last. A file of chosen partners counts, per partner
 * and flow, for all stated reporters from its first row to its last; a file of pairs counts per reporter too.
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
