/** Objects in Postgres: one backup, and every process sees them. */
import type pg from "pg";
import { checkObject, MOST_OBJECT_BYTES, UNNAMED_S } from "../domain/objects.ts";
import type { Objects, SmallObject } from "../domain/ports.ts";

export const smallObjects = (
  pool: pg.Pool,
): Pick<Objects, "put" | "putAll" | "get" | "has" | "list" | "delete" | "deletePast"> => ({
  put: (name, bytes) => putAll(pool, [{ name, bytes }]),
  putAll: (objects) => putAll(pool, objects),
  async get(name) {
    const text = "select bytes from objects.small where name = $1";
    const { rows } = await pool.query<{ bytes: Buffer }>({ name: "objects_get", text, values: [name] });
    const [found] = rows;
    if (found) checkObject(name, found.bytes);
    return found?.bytes;
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

async function putAll(pool: pg.Pool, objects: readonly SmallObject[]): Promise<void> {
  for (const { name, bytes } of objects) {
    if (bytes.length > MOST_OBJECT_BYTES)
      throw new Error(`${name} has ${bytes.length} bytes; an object has ${MOST_OBJECT_BYTES} at most`);
    checkObject(name, bytes);
  }
  // One of a name, since no statement meets a row twice; in order, so that of two who put the same neither waits for the other's next.
  const each = [...new Map(objects.map((one) => [one.name, one])).values()].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  if (each.length === 0) return;
  const rows = each.map((_, at) => `($${2 * at + 1}, $${2 * at + 2}, ${UNTIL})`);
  // Put again it is the same, and lies longer.
  const text = `insert into objects.small values ${rows.join(", ")}
    on conflict (name) do update set keep_until = greatest(small.keep_until, excluded.keep_until)`;
  const values = each.flatMap(({ name, bytes }) => [name, bytes]);
  await pool.query({ name: `objects_put_${each.length}`, text, values });
}

const UNTIL = `clock_timestamp() + make_interval(secs => ${UNNAMED_S})`;
