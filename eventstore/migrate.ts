import { randomBytes } from "node:crypto";
import pg from "pg";
import { applyMigrations, type MigrationSet, migrating } from "./migrations.ts";
import { MAIN_LOG } from "./types.ts";

const MIGRATIONS: MigrationSet = {
  name: "eventstore/migrations",
  folder: new URL("./migrations/", import.meta.url),
  schema: "eventstore",
};

export type MigrateOptions = {
  /** The first part of a new log's origin, e.g. "data.example.org". It never changes. */
  host: string;
  /** Only for a restored log. */
  origin?: string | undefined;
  /** The service's role, created if missing. Default: the owner's. */
  app_role?: string;
  app_password?: string;
};

/**
 * Migrates the schema `eventstore` in one transaction, and creates the main log. Safe to call concurrently. Throws when an
 * applied migration was edited, or the database is newer than this program.
 */
export async function migrate(target: string | pg.Pool, options: MigrateOptions): Promise<void> {
  await migrating(target, async (client) => {
    await refuseUnfitServer(client);
    await applyMigrations(client, MIGRATIONS);
    await createLog(client, { log_id: MAIN_LOG, host: options.host, origin: options.origin });
    await grantRights(client, options);
  });
}

/** Needs the owner's rights; a new epoch without `origin`. */
export async function createLog(
  client: pg.ClientBase | pg.Pool,
  log: { log_id: number; host: string; origin?: string | undefined },
): Promise<void> {
  const origin = log.origin ?? `${log.host}/${log.log_id}/${randomBytes(8).toString("hex")}`;
  await client.query(
    "insert into eventstore.logs (log_id, origin, epoch) values ($1, $2, $3) on conflict (log_id) do nothing",
    [log.log_id, origin, origin.slice(origin.lastIndexOf("/") + 1)],
  );
}

/** False where the connected role could change the log, through ownership or grants. */
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

const CALLED = ["append", "append_one", "position_at", "read_streams", "stream_head"];

async function grantRights(client: pg.ClientBase, options: MigrateOptions): Promise<void> {
  const open = await client.query(
    "select from pg_proc where pronamespace = 'eventstore'::regnamespace and has_function_privilege('public', oid, 'execute')",
  );
  if (open.rowCount !== 0) await client.query("revoke all on all functions in schema eventstore from public");
  if (options.app_role === undefined) return;
  const role = pg.escapeIdentifier(options.app_role);
  const found = await client.query("select 1 from pg_roles where rolname = $1", [options.app_role]);
  if (found.rowCount === 0) await client.query(`create role ${role}`);
  if (options.app_password !== undefined)
    await client.query(`alter role ${role} login password ${pg.escapeLiteral(options.app_password)}`);
  const lacking = await client.query<{ lacks: boolean }>(
    `select not has_schema_privilege($1, 'eventstore', 'usage')
       or not has_table_privilege($1, 'eventstore.logs', 'select') or not has_table_privilege($1, 'eventstore.events', 'select')
       or exists (select from pg_proc where pronamespace = 'eventstore'::regnamespace and proname = any ($2)
         and not has_function_privilege($1, oid, 'execute')) as lacks`,
    [options.app_role, CALLED],
  );
  if (!lacking.rows[0]!.lacks) return;
  await client.query(`
    grant usage on schema eventstore to ${role};
    grant select on eventstore.logs, eventstore.events to ${role};
    grant execute on function ${CALLED.map((name) => `eventstore.${name}`)} to ${role}`);
}
