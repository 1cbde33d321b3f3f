/** Numbered SQL files: each is applied once, in order, and never edited afterwards. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import pg from "pg";

/** The migrations of one owner of tables. */
export type MigrationSet = {
  /** The folder's name in error messages, e.g. "eventstore/migrations". */
  name: string;
  /** The files' location, ending with a slash; files other than .sql are ignored. */
  folder: URL;
  /** The schema whose table `migrations` records the applied files. */
  schema: string;
};

/**
 * The lock timeout of a table: shorter than Postgres' deadlock timeout, so that this session gives way and no other
 * is ended.
 */
const LOCK_MS = 500;
/** Users of the tables may go first for this long. */
const TRY_MS = 120_000;
const MOST_PAUSE_MS = 2_000;

/**
 * Runs `work` in one transaction, exclusive among all processes that start on this database. If a table is in use,
 * it rolls back and runs `work` again. Any other error of `work` is rethrown after a rollback.
 */
export async function migrating(
  target: string | pg.Pool,
  work: (client: pg.ClientBase) => Promise<void>,
): Promise<void> {
  if (typeof target !== "string") {
    const client = await target.connect();
    return inTurn(client, work).finally(() => client.release());
  }
  const client = new pg.Client({ connectionString: target });
  // An aborted query rejects; its error event needs a listener.
  client.on("error", () => {});
  await client.connect();
  return inTurn(client, work).finally(() => client.end());
}

async function inTurn(client: pg.ClientBase, work: (client: pg.ClientBase) => Promise<void>): Promise<void> {
  const end = performance.now() + TRY_MS;
  for (let ms = 100; ; ms = Math.min(2 * ms, MOST_PAUSE_MS)) {
    try {
      return await once(client, work);
    } catch (error) {
      if (!isHeldUp(error)) throw error;
      if (performance.now() > end)
        throw new Error(
          `others have had a table locked for ${TRY_MS / 1_000} seconds (${(error as Error).message}): end the transactions that stay open, and start again`,
          { cause: error },
        );
    }
    // Processes that gave way return at different moments.
    await new Promise((wake) => setTimeout(wake, ms * (0.5 + Math.random())));
  }
}

async function once(client: pg.ClientBase, work: (client: pg.ClientBase) => Promise<void>): Promise<void> {
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock(1413565517, 0)");
    await client.query(`set local lock_timeout = ${LOCK_MS}`);
    await work(client);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/** It got no lock in time, or was ended by a deadlock. */
function isHeldUp(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code === "55P03" || error.code === "40P01";
  return error instanceof Error && error.cause !== undefined && isHeldUp(error.cause);
}

/**
 * Applies the set's missing files within `migrating`. Throws if an applied file was edited, or the folder lacks
 * one.
 */
export async function applyMigrations(client: pg.ClientBase, set: MigrationSet): Promise<void> {
  const schema = pg.escapeIdentifier(set.schema);
  const ledger = await client.query("select to_regclass($1) is not null as stands", [`${schema}.migrations`]);
  if (!ledger.rows[0].stands)
    await client.query(`
      create schema if not exists ${schema};
      create table ${schema}.migrations (
        name text primary key, checksum text not null, applied_at timestamptz not null default now())`);
  const answer = await client.query<{ name: string; checksum: string }>(
    `select name, checksum from ${schema}.migrations`,
  );
  const applied = new Map(answer.rows.map((row) => [row.name, row.checksum]));
  for (const name of (await readdir(set.folder)).filter((file) => file.endsWith(".sql")).sort()) {
    const sql = await readFile(new URL(name, set.folder), "utf8");
    const checksum = createHash("sha256").update(sql).digest("hex");
    const known = applied.get(name);
    applied.delete(name);
    if (known === checksum) continue;
    if (known !== undefined)
      throw new Error(`${set.name}/${name} was edited after it was applied: restore it and add a new one`);
    await client.query(sql).catch((error: unknown) => {
      throw failed(`${set.name}/${name}`, error);
    });
    await client.query(`insert into ${schema}.migrations (name, checksum) values ($1, $2)`, [name, checksum]);
  }
  const [unknown] = applied.keys();
  if (unknown !== undefined)
    throw new Error(
      `the database has migration ${set.name}/${unknown}, which this version does not know: run a newer version`,
    );
}

function failed(name: string, error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  const output = [error.message, error.hint].filter((text) => text !== undefined).join("; ");
  return new Error(`${name}: ${output}`, { cause: error });
}
