import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import pg from "pg";
import { MAIN_LOG } from "./types.ts";

const FOLDER = new URL("./migrations/", import.meta.url);

export type MigrateOptions = {
  /** First part of a new log's origin, e.g. "data.example.org". It never changes afterwards. */
  host: string;
  /** The role the service runs as; made when absent. Without one the owner's role does all. */
  app_role?: string;
  /** Makes `app_role` a role that logs in with this password. */
  app_password?: string;
};

/**
 * Brings the schema `eventstore` up to date, in one transaction, and makes the main log. Safe to call from many
 * starters at once. Throws when an applied migration was edited, or the database is newer than this program.
 */
export async function migrate(target: string | pg.Pool, options: MigrateOptions): Promise<void> {
  if (typeof target !== "string") {
    const client = await target.connect();
    return migrateOn(client, options).finally(() => client.release());
  }
  const client = new pg.Client({ connectionString: target });
  // A query that is cut off rejects; the event besides would end the process.
  client.on("error", () => {});
  await client.connect();
  return migrateOn(client, options).finally(() => client.end());
}

async function migrateOn(client: pg.ClientBase, options: MigrateOptions): Promise<void> {
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock(1413565517, 0)");
    await refuseUnfitServer(client);
    await applyMigrations(client);
    await createLog(client, { log_id: MAIN_LOG, host: options.host });
    await grantRights(client, options);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/** Makes a log with an epoch of its own unless it is there already; asks for the owner's rights. */
export async function createLog(
  client: pg.ClientBase | pg.Pool,
  log: { log_id: number; host: string },
): Promise<void> {
  const epoch = randomBytes(8).toString("hex");
  await client.query(
    "insert into eventstore.logs (log_id, origin, epoch) values ($1, $2, $3) on conflict (log_id) do nothing",
    [log.log_id, `${log.host}/${log.log_id}/${epoch}`, epoch],
  );
}

/** False when the connected role could change what is in the log: it owns the table or its schema, may become their owner, or was granted more. */
export async function rolesSeparated(pool: pg.Pool): Promise<boolean> {
  const answer = await pool.query<{ separated: boolean }>(`
    select not (pg_has_role(current_user, relowner, 'member') or pg_has_role(current_user, nspowner, 'member')
      or has_table_privilege(pg_class.oid, 'insert, update, delete, truncate, trigger')) as separated
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where pg_class.oid = 'eventstore.events'::regclass`);
  return answer.rows[0]!.separated;
}

async function refuseUnfitServer(client: pg.ClientBase): Promise<void> {
  const answer = await client.query(
    "select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding",
  );
  const { version, encoding } = answer.rows[0];
  if (version < 150_000) throw new Error(`the event log needs Postgres 15 or newer, this is ${version}`);
  if (encoding !== "UTF8")
    throw new Error(`the event log needs a database in UTF8, this one is in ${encoding}`);
}

async function applyMigrations(client: pg.ClientBase): Promise<void> {
  await client.query("create schema if not exists eventstore");
  await client.query(`create table if not exists eventstore.migrations (
    name text primary key, checksum text not null, applied_at timestamptz not null default now())`);
  const answer = await client.query<{ name: string; checksum: string }>(
    "select name, checksum from eventstore.migrations",
  );
  const applied = new Map(answer.rows.map((row) => [row.name, row.checksum]));
  for (const name of (await readdir(FOLDER)).filter((file) => file.endsWith(".sql")).sort()) {
    const sql = await readFile(new URL(name, FOLDER), "utf8");
    const checksum = createHash("sha256").update(sql).digest("hex");
    const known = applied.get(name);
    applied.delete(name);
    if (known === checksum) continue;
    if (known !== undefined)
      throw new Error(
        `eventstore/migrations/${name} was edited after it was applied: restore it and add a new one`,
      );
    await client.query(sql);
    await client.query("insert into eventstore.migrations (name, checksum) values ($1, $2)", [
      name,
      checksum,
    ]);
  }
  const [unknown] = applied.keys();
  if (unknown !== undefined)
    throw new Error(
      `the database has migration ${unknown}, which this version does not know: run a newer version`,
    );
}

async function grantRights(client: pg.ClientBase, options: MigrateOptions): Promise<void> {
  await client.query("revoke all on all functions in schema eventstore from public");
  if (options.app_role === undefined) return;
  const role = pg.escapeIdentifier(options.app_role);
  const found = await client.query("select 1 from pg_roles where rolname = $1", [options.app_role]);
  if (found.rowCount === 0) await client.query(`create role ${role}`);
  if (options.app_password !== undefined)
    await client.query(`alter role ${role} login password ${pg.escapeLiteral(options.app_password)}`);
  await client.query(`
    grant usage on schema eventstore to ${role};
    grant select on eventstore.logs, eventstore.events to ${role};
    grant execute on function eventstore.append, eventstore.append_one, eventstore.position_at, eventstore.read_streams,
      eventstore.stream_version to ${role}`);
}
