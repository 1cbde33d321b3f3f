/** Stores objects in Postgres: one backup covers them, and every process sees them. */
import type pg from "pg";
import { byteaArray, textArray } from "../../eventstore/pg-arrays.ts";
import { batched } from "../../eventstore/query-batch.ts";
import { checkObject, MOST_OBJECT_BYTES, UNNAMED_S } from "../core/model/objects.ts";
import type { Objects, SmallObject } from "../core/model/ports/objects.ts";

export const smallObjects = (
  pool: pg.Pool,
): Pick<Objects, "put" | "putAll" | "get" | "has" | "list" | "delete" | "deletePast"> => ({
  async put(name, bytes) {
    checkSmall({ name, bytes });
    await (bytes.length > MOST_BESIDE
      ? write(pool, [{ name, bytes }])
      : writeGathered(pool, { name, bytes }));
  },
  async putAll(objects) {
    objects.forEach(checkSmall);
    await write(pool, objects);
  },
  async get(name) {
    const bytes = await readGathered(pool, name);
    if (bytes) checkObject(name, bytes);
    return bytes;
  },
  async has(name) {
    const text = "select 1 from objects.small where name = $1";
    return (await pool.query({ name: "objects_has", text, values: [name] })).rowCount === 1;
  },
  async list(beginning) {
    const sql = "select name from objects.small where starts_with(name, $1) order by name";
    return (await pool.query<{ name: string }>(sql, [beginning])).rows.map(({ name }) => name);
  },
  async delete(names) {
    const sql = "delete from objects.small where name = any($1)";
    return (await pool.query(sql, [names])).rowCount ?? 0;
  },
  async deletePast(most) {
    const sql = `delete from objects.small where name in
      (select name from objects.small where keep_until < clock_timestamp() order by keep_until limit $1 for update skip locked)`;
    return (await pool.query(sql, [most])).rowCount ?? 0;
  },
});

/** Smaller objects share statements with others of the same moment; a larger one has its own. */
const MOST_BESIDE = 64 * 1024;

function checkSmall({ name, bytes }: SmallObject): void {
  if (bytes.length > MOST_OBJECT_BYTES)
    throw new Error(`${name} has ${bytes.length} bytes; an object has ${MOST_OBJECT_BYTES} at most`);
  checkObject(name, bytes);
}

async function write(pool: pg.Pool, objects: readonly SmallObject[]): Promise<void> {
  // No statement may meet a row twice, so names are unique; sorted, so that concurrent writers cannot deadlock.
  const each = [...new Map(objects.map((one) => [one.name, one])).values()].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  if (each.length === 0) return;
  // A repeated put extends the object's life. A commit that names it follows in the same write-ahead log and is flushed
  // with it.
  const text = `insert into objects.small
    select name, bytes, clock_timestamp() + make_interval(secs => ${UNNAMED_S})
      from unnest($1::text[], $2::bytea[]) o (name, bytes), set_config('synchronous_commit', 'off', true)
    on conflict (name) do update set keep_until = greatest(small.keep_until, excluded.keep_until)`;
  const values = [textArray(each.map(({ name }) => name)), byteaArray(each.map(({ bytes }) => bytes))];
  await pool.query({ name: "objects_put", text, values });
}

const writeGathered = batched(async (pool, objects: readonly SmallObject[]) => {
  await write(pool, objects);
  return objects.map(() => undefined);
});

/** The length is a column, so that long objects are not read here. */
const readGathered = batched(async (pool, names: readonly string[]) => {
  const text = `select name, case when octet_length(bytes) <= ${MOST_BESIDE} then bytes end as bytes
    from objects.small where name = any($1)`;
  const values = [textArray(names)];
  const { rows } = await pool.query<ObjectRow>({ name: "objects_get", text, values });
  const found = new Map(rows.map((row) => [row.name, row.bytes]));
  return names.map((name) => found.get(name) ?? (found.has(name) ? readOne(pool, name) : undefined));
});

type ObjectRow = { name: string; bytes: Buffer | null };

async function readOne(pool: pg.Pool, name: string): Promise<Buffer | undefined> {
  const text = "select bytes from objects.small where name = $1";
  const { rows } = await pool.query<{ bytes: Buffer }>({ name: "objects_get_one", text, values: [name] });
  return rows[0]?.bytes;
}
