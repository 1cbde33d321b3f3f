/** Reads and writes many rows of a read model's table in one statement. */
import type pg from "pg";

/** Finds rows by the given values of `column`. Returns them by that value. */
export async function readRows<Row extends object, Column extends keyof Row & string>(
  tx: pg.ClientBase,
  table: `read.${string}`,
  column: Column,
  values: Iterable<Row[Column]>,
): Promise<Map<Row[Column], Row>> {
  const wanted = [...new Set(values)];
  if (wanted.length === 0) return new Map();
  const text = `select * from ${table} where ${column} = any($1)`;
  const { rows } = await tx.query<Row>({ name: `read ${table}`, text, values: [wanted] });
  return new Map(rows.map((row) => [row[column], row]));
}

/** Inserts rows that have the same columns. A row replaces a stored row with the same key. */
export async function saveRows<Row extends object>(
  tx: pg.ClientBase,
  table: `read.${string}`,
  key: readonly (keyof Row & string)[],
  rows: Iterable<Row>,
): Promise<void> {
  const saved = [...rows];
  const [first] = saved;
  if (!first) return;
  // The columns of a row from the database may be in another order than those of a new row.
  const columns = Object.keys(first).sort();
  const changed = columns.filter((column) => !(key as readonly string[]).includes(column));
  const text = `insert into ${table} (${columns.join(", ")})
    select ${columns.join(", ")} from jsonb_populate_recordset(null::${table}, $1::jsonb)
    on conflict (${key.join(", ")}) do update set (${changed.join(", ")}) = row (${changed.map((column) => `excluded.${column}`).join(", ")})`;
  await tx.query({ name: `save ${table}`, text, values: [JSON.stringify(saved)] });
}
