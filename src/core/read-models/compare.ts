/**
 * Folds the log next to the stored read models and compares their rows. One transaction renames the stored schemas,
 * makes empty ones under their names, folds into these, and rolls back. So other sessions see nothing of it.
 */
import type pg from "pg";
import type { EventSchemas } from "../../../eventstore/schemas.ts";
import type { RecordedEvent } from "../../../eventstore/types.ts";
import { Folding } from "./folding.ts";
import type { Projection } from "./projection.ts";
import { nameOf } from "./runner.ts";

/** The schema of the stored rows during a comparison. */
export const STORED = "read_stored";
const OBJECTS_STORED = "objects_stored";

/** Rows of one side in a report, by table. */
const MOST_ROWS = 20;

/** `stored`: the log does not give this row. `missing`: the log gives it, and the table lacks it. */
export type RowDifference = { table: string; side: "stored" | "missing"; row: string };

export type Comparison = {
  /** Read models that are compared, each up to its own position. */
  models: number;
  tables: number;
  rows: number;
  events: number;
  /** All of them; `differences` has the first of each table. */
  different: number;
  differences: RowDifference[];
};

type ComparisonParts = {
  /** As the owner of the schemas; it has no transaction. */
  client: pg.ClientBase;
  schemas: EventSchemas;
  projections: readonly Projection[];
  /** A page of events after a position, in order; none at the end. */
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
  // A fold may read a table that no read model makes.
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class s
      where relkind in ('r', 'p') and relnamespace = $1::regnamespace and not exists (
        select from pg_class m where m.relname = s.relname and m.relnamespace = 'read'::regnamespace)`,
    [STORED],
  );
  for (const { name } of rows) await client.query(`create view read.${name} as table ${STORED}.${name}`);
  await client.query(OBJECTS);
}

/** Folds read stored texts and extend their expiry. During a comparison they extend nothing. */
const OBJECTS = `alter schema objects rename to ${OBJECTS_STORED}; create schema objects;
  create view objects.small as table ${OBJECTS_STORED}.small;
  create rule unchanged as on update to objects.small do instead nothing;
  create unlogged table objects.large (like ${OBJECTS_STORED}.large including all)`;

/** Each read model is folded up to the position that its stored rows have. */
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
