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

/**
 * Does `work` in one transaction while no other starter does the like on this database: starters of all processes queue here.
 * What `work` throws is thrown on, and nothing of it stays.
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
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock(1413565517, 0)");
    await work(client);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/**
 * Applies those files of a set that the database has not had, within `migrating`. Throws when one was edited after it was
 * applied, or the database has one that is not in the folder.
 */
export async function applyMigrations(client: pg.ClientBase, set: MigrationSet): Promise<void> {
  const schema = pg.escapeIdentifier(set.schema);
  await client.query(`create schema if not exists ${schema}`);
  await client.query(`create table if not exists ${schema}.migrations (
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
