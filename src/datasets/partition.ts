/**
 * One year of a dataset as a DuckDB file. Its tables, all sorted by reporter, hs2, flow, period, partner:
 *
 *   cells             partners' rows, as detailed as the source
 *   aggregates        the source's own rows for WORLD and country groups, never added to cells
 *   totals            a product's total: the WORLD row if the source has one, else the sum of its partners
 *   chapter_partners  roll-up of cells to 2-digit chapters
 *   chapter_totals    roll-up of totals to 2-digit chapters
 *   deliveries        the number of rows that each reporter delivered per month
 *   products          the codes that occur
 *   spoken            what files are complete for: reporter, flow, period, product ('' is all), partner (null is
 * all); there,
 *                     no row means no trade
 *
 * And if the source has them:
 *
 *   procedures        what cells of several procedures have in others than the normal one
 *   units             product, period, unit: the supplementary unit; null where the source does not name it
 *   procedure_months  reporter, flow, period: the months whose rows state procedures
 */
import { rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { BuildSpace } from "./build-space.ts";
import { contentDigest } from "./content-digest.ts";
import { literal, row, rows } from "./duckdb.ts";
import { fileDigest, type PartitionEntry } from "./manifest.ts";
import { makeRollup } from "./rollups/make.ts";
import { spansOf } from "./spans.ts";

/** SQL queries for a year's rows: reporter, hs2, flow, period, partner, product, value_eur, quantity_kg. */
export type PartitionRows = {
  cells: string;
  aggregates: string;
  /** Rows of whole chapters (no product column) that `cells` lacks. */
  chapters?: string;
  /**
   * The cells for which the files are complete beyond their rows: reporter, flow, period, product ('' is all),
   * partner (null is all).
   */
  spoken: string;
  details?: PartitionDetails;
  /** A row is complete for its own partner only. */
  of_partners?: boolean;
  /** Rows sorted at once. Default: all; a year of files exceeds a small machine's memory. */
  rows_at_once?: number;
};

/** SQL queries for a year's rows with the columns of these tables; cells and aggregates have three columns more. */
export type PartitionDetails = { procedures: string; units: string; procedure_months: string };

const UNITS = "quantity_su, unit_eur";

const detailColumns = {
  procedures: `reporter, hs2, flow, period, partner, product, procedure, value_eur, quantity_kg, ${UNITS}`,
  units: "product, period, unit",
  procedure_months: "reporter, flow, period",
} as const;

const CELL = "reporter, hs2, flow, period, partner, product, value_eur, quantity_kg";
const SORTED = "order by reporter, hs2, flow, period, partner";
const AMOUNTS = `sum(value_eur)::bigint as value_eur, sum(quantity_kg)::decimal(18, 3) as quantity_kg`;

/** Writes the partition and its roll-up into the build space. */
export async function writePartition(
  connection: DuckDBConnection,
  space: BuildSpace,
  year: number,
  source: PartitionRows,
): Promise<PartitionEntry> {
  const draft = join(space.dir, `year-${year}.duckdb`);
  // Connections of one database may write several years at once.
  const part = `part_${year}`;
  space.beforeWrite(draft);
  await connection.run(`attach ${literal(draft)} as ${part}`);
  await writeSorted(connection, part, "cells", source.cells, source);
  await writeSorted(connection, part, "aggregates", source.aggregates, source);
  await rollUp(connection, part, source.chapters);
  await connection.run(
    `create temp table claims as select distinct reporter, flow, period, product, partner from (${source.spoken});
     create table ${part}.spoken as
       from claims union select reporter, flow, period, product, ${source.of_partners ? "partner" : "null"}
         from (from ${part}.cells union all from ${part}.aggregates)
         anti join (from claims where product = '') using (reporter, flow, period)
       order by all;
     drop table claims`,
  );
  for (const [table, columns] of Object.entries(detailColumns))
    if (source.details) {
      const from = source.details[table as keyof PartitionDetails];
      await connection.run(
        `create table ${part}.${table} as select ${columns} from (${from}) order by ${columns.split(", ").slice(0, 7).join(", ")}`,
      );
    }
  const content_sha256 = await contentDigest(
    connection,
    part,
    space.dir,
    source.rows_at_once,
    source.details && detailColumns,
  );
  const totals = await row<PartitionEntry["totals"]>(connection, controlTotalsSql(part));
  const counted = await row<{ rows: number }>(
    connection,
    `select coalesce(sum(rows), 0)::bigint as rows from ${part}.deliveries`,
  );
  await makeRollup(connection, part, space.dir, { year, content_sha256 });
  await connection.run(`checkpoint ${part}`);
  await connection.run(`detach ${part}`);
  const file_sha256 = await fileDigest(draft);
  const file = `${year}-${content_sha256.slice(0, 16)}-${file_sha256.slice(0, 16)}.duckdb`;
  await rename(draft, join(space.dir, file));
  const { size: bytes } = await stat(join(space.dir, file));
  return { year, content_sha256, rows: counted.rows, totals, file, file_sha256, bytes };
}

/** Writes a table in its order, which begins with the reporter: groups of adjacent reporters are sorted together. */
async function writeSorted(
  connection: DuckDBConnection,
  part: string,
  table: "cells" | "aggregates",
  from: string,
  { rows_at_once, details }: Pick<PartitionRows, "rows_at_once" | "details">,
): Promise<void> {
  const columns = details ? `${CELL}, ${UNITS}, procedure` : CELL;
  const sorted = (of: string) => `select ${columns} from (${from}) ${of} ${SORTED}, product`;
  if (rows_at_once === undefined) {
    await connection.run(`create table ${part}.${table} as ${sorted("")}`);
    return;
  }
  const reporters = await rows<{ reporter: string; lines: number }>(
    connection,
    `select reporter, count(*) as lines from (${from}) group by reporter order by reporter`,
  );
  await connection.run(`create table ${part}.${table} as ${sorted("where false")}`);
  for (const span of spansOf(reporters, rows_at_once)) {
    const [first, last] = [span[0]!.reporter, span.at(-1)!.reporter];
    await connection.run(
      `insert into ${part}.${table} ${sorted(`where reporter between ${literal(first)} and ${literal(last)}`)}`,
    );
  }
}

async function rollUp(
  connection: DuckDBConnection,
  part: string,
  chapters: string | undefined,
): Promise<void> {
  await connection.run(`
    create temp table codes as
      select distinct product from (select product from ${part}.cells union all select product from ${part}.aggregates);
    create table ${part}.totals as
      with partners as (
        select reporter, hs2, flow, period, product, ${AMOUNTS} from ${part}.cells group by all
      ), world as (from ${part}.aggregates where partner = 'WORLD')
      select reporter, hs2, flow, period, product,
        if(world.value_eur is null, partners.value_eur, world.value_eur) as value_eur,
        if(world.value_eur is null, partners.quantity_kg, world.quantity_kg) as quantity_kg
      from partners full join world using (reporter, hs2, flow, period, product)
      order by reporter, hs2, flow, period, product`);
  await connection.run(`
    create temp table whole_chapters as ${chapters ?? `select ${CELL.replace(" product,", "")} from ${part}.cells where false`};
    create table ${part}.chapter_partners as
      select reporter, hs2, flow, period, partner, ${AMOUNTS}
      from ${part}.cells group by all
      union all by name from whole_chapters ${SORTED};
    create table ${part}.chapter_totals as
      select reporter, hs2, flow, period, ${AMOUNTS} from (
        select * exclude (product) from ${part}.totals
        union all by name (select * exclude (partner) from whole_chapters)
      ) group by all order by all;
    create table ${part}.deliveries as
      select reporter, flow, period, count(*) as rows, count(*) filter (partner = 'WORLD') as world_rows from (
        select reporter, flow, period, partner from ${part}.cells
        union all select reporter, flow, period, partner from ${part}.aggregates
        union all select reporter, flow, period, partner from whole_chapters
      ) group by all order by all;
    create table ${part}.products as
      select product from codes union select hs2 from whole_chapters order by all;
    drop table codes; drop table whole_chapters`);
}

const controlTotalsSql = (part: string) => `
  select coalesce(sum(value_eur) filter (flow = 'IMPORT'), 0)::bigint as import_eur,
    coalesce(sum(value_eur) filter (flow = 'EXPORT'), 0)::bigint as export_eur,
    coalesce(sum(quantity_kg) filter (flow = 'IMPORT'), 0)::double as import_kg,
    coalesce(sum(quantity_kg) filter (flow = 'EXPORT'), 0)::double as export_kg
  from ${part}.chapter_totals`;
