/** Numbered SQL files: each is applied once, in order, and never edited afterwards. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import pg from "pg";

/** The migrations of one owner of tables. */
export type MigrationSet = {
  /** How complaints name the folder, e.g. "eventstore/migrations". */
  name: string;
  /** Where the files stand, with a slash at its end; other files than .sql are left alone. */
  folder: URL;
  /** The schema whose table `migrations` keeps what was applied. */
  schema: string;
};

/** What a table's lock is waited for: less than Postgres waits before it ends a deadlock, so that it is never another who is ended. */
const LOCK_MS = 500;
/** Those who use the tables meanwhile may go first for so long. */
const TRY_MS = 120_000;
const MOST_PAUSE_MS = 2_000;

/**
 * Does `work` in one transaction while no other starter does the like on this database: starters of all processes queue here.
 * Where a table is in use it gives way, and does `work` again from its beginning. What `work` throws else is thrown on, and nothing of it stays.
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
  // A query that is cut off rejects; the event besides would end the process.
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
    // Several that gave way do not come back at the same moment.
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

/** It did not get a lock in time, or was ended as one of a deadlock. */
function isHeldUp(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code === "55P03" || error.code === "40P01";
  return error instanceof Error && error.cause !== undefined && isHeldUp(error.cause);
}

/**
 * Applies those files of a set that the database has not had, within `migrating`. Throws when one was edited after it was
 * applied, or the database has one that is not in the folder.
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
  const told = [error.message, error.hint].filter((text) => text !== undefined).join("; ");
  return new Error(`${name}: ${told}`, { cause: error });
}
