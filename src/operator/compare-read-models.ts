/**
 * Folds the log again and compares the rows with the stored read models. One transaction renames the stored schemas,
 * creates empty ones under their names, folds into these, and rolls back. Other sessions see nothing of it.
 */
import type pg from "pg";
import type { EventSchemas } from "../../eventstore/schemas.ts";
import type { RecordedEvent } from "../../eventstore/types.ts";
import { Folding } from "../core/read-models/folding.ts";
import type { Projection } from "../core/read-models/projection.ts";
import { nameOf } from "../core/read-models/runner.ts";

/** The name of the stored rows' schema during a comparison. */
export const STORED = "read_stored";
const OBJECTS_STORED = "objects_stored";

/** The most rows that a report shows of one table and side. */
const MOST_ROWS = 20;

/**
 * `stored`: the stored row does not follow from the log. `missing`: the row follows from the log, and the table lacks
 * it.
 */
export type RowDifference = { table: string; side: "stored" | "missing"; row: string };

export type Comparison = {
  /** The number of compared read models. Each is compared at its own position. */
  models: number;
  tables: number;
  rows: number;
  events: number;
  /** The number of all differences; `differences` has the first ones of each table. */
  different: number;
  differences: RowDifference[];
};

type ComparisonParts = {
  /** A connection of the schemas' owner, outside of any transaction. */
  client: pg.ClientBase;
  schemas: EventSchemas;
  projections: readonly Projection[];
  /** A page of events after a position, in order; empty at the end of the log. */
  readLog(after: number): Promise<readonly RecordedEvent[]>;
  progress?: (position: number, of: number) => void;
};

export async function compareReadModels(parts: ComparisonParts): Promise<Comparison> {
  const { client, projections } = parts;
  await client.query("begin isolation level repeatable read");
  try {
    const positions = await storedPositions(client);
    const compared = projections.filter((one) => positions.has(nameOf(one)));
    await makeEmpty(client, compared);
    const events = await foldLog(parts, compared, positions);
    for (const { remake } of compared) await remake?.(client, STORED);
    const comparison = { models: compared.length, tables: 0, rows: 0, events, different: 0 };
    const differences: RowDifference[] = [];
    for (const one of compared)
      for (const table of tablesOf(one)) {
        const found = await compareTable(client, one, table);
        comparison.tables++;
        comparison.rows += found.rows;
        comparison.different += found.different;
        differences.push(...found.differences);
      }
    return { ...comparison, differences };
  } finally {
    await client.query("rollback");
  }
}

const tablesOf = ({ ddl }: Pick<Projection, "ddl">): string[] =>
  [...ddl.matchAll(/create table if not exists read\.(\w+)/g)].map(([, table]) => table!);

async function storedPositions(client: pg.ClientBase): Promise<Map<string, number>> {
  const { rows } = await client.query<{ projection: string; position: number }>(
    "select projection, position from read.checkpoints where position > 0",
  );
  return new Map(rows.map(({ projection, position }) => [projection, position]));
}

async function makeEmpty(client: pg.ClientBase, projections: readonly Projection[]): Promise<void> {
  await client.query(`alter schema read rename to ${STORED}; create schema read`);
  for (const { ddl } of projections)
    await client.query(ddl.replaceAll("create table if not exists", "create unlogged table"));
  // A fold may read a table that belongs to no read model.
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class s
      where relkind in ('r', 'p') and relnamespace = $1::regnamespace and not exists (
        select from pg_class m where m.relname = s.relname and m.relnamespace = 'read'::regnamespace)`,
    [STORED],
  );
  for (const { name } of rows) await client.query(`create view read.${name} as table ${STORED}.${name}`);
  await client.query(OBJECTS);
}

/** During a comparison, folds read stored texts but do not extend their expiry. */
const OBJECTS = `alter schema objects rename to ${OBJECTS_STORED}; create schema objects;
  create view objects.small as table ${OBJECTS_STORED}.small;
  create rule unchanged as on update to objects.small do instead nothing;
  create unlogged table objects.large (like ${OBJECTS_STORED}.large including all)`;

/** Folds each read model up to the position of its stored rows. */
async function foldLog(
  { client, schemas, readLog, progress }: ComparisonParts,
  projections: readonly Projection[],
  positions: ReadonlyMap<string, number>,
): Promise<number> {
  const folding = new Folding(schemas);
  const last = Math.max(0, ...projections.map((one) => positions.get(nameOf(one))!));
  let after = 0;
  while (after < last) {
    const page = await readLog(after);
    if (page.length === 0) break;
    after = page.at(-1)!.position;
    for (const one of projections) {
      const end = positions.get(nameOf(one))!;
      const own = after <= end ? page : page.filter(({ position }) => position <= end);
      await folding.of(one, own)?.(client);
    }
    progress?.(Math.min(after, last), last);
  }
  return Math.min(after, last);
}

async function compareTable(
  client: pg.ClientBase,
  { decided = {} }: Projection,
  table: string,
): Promise<{ rows: number; different: number; differences: RowDifference[] }> {
  const rowsOf = (schema: string) => {
    const select = decided[table]?.(schema) ?? `select * from ${schema}.${table}`;
    return `select to_jsonb(t)::text as row from (${select}) t`;
  };
  const { rows: sides } = await client.query<{
    rows: number;
    side: RowDifference["side"];
    row: string;
    of: number;
  }>(
    `with stored as materialized (${rowsOf(STORED)}), folded as materialized (${rowsOf("read")}),
       only_stored as (select row from stored except all select row from folded),
       only_folded as (select row from folded except all select row from stored)
     select (select count(*) from stored)::int as rows, side, row, of::int from (
       (select 'stored' as side, row, count(*) over () as of from only_stored order by row limit ${MOST_ROWS})
       union all
       (select 'missing' as side, row, count(*) over () as of from only_folded order by row limit ${MOST_ROWS})
     ) different right join (select) as always on true`,
  );
  const found = sides.filter(({ side }) => side !== null);
  const countOf = (of: RowDifference["side"]) => found.find(({ side }) => side === of)?.of ?? 0;
  return {
    rows: sides[0]!.rows,
    different: countOf("stored") + countOf("missing"),
    differences: found.map(({ side, row }) => ({ table: `read.${table}`, side, row })),
  };
}
