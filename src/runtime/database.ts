import { access, constants } from "node:fs/promises";
import { join, resolve } from "node:path";
import pg from "pg";
import type { Logger } from "pino";
import { makeFolder } from "../../eventstore/files/folder.ts";
import { migrate, rolesSeparated } from "../../eventstore/migrate.ts";
import { applyMigrations, migrating } from "../../eventstore/migrations.ts";
import { EngineUnfit, engineChecks, preflight } from "../../eventstore/preflight.ts";
import { ClusterMisplaced, clusterFolder, hasCluster } from "../adapters/cluster-location.ts";
import { embeddedPostgres } from "../adapters/embedded-postgres.ts";
import { storedSecret } from "../adapters/stored-secret.ts";
import { systemReason } from "../core/model/system-reason.ts";
import type { Projection } from "../core/read-models/projection.ts";
import { makeTables } from "../core/read-models/tables.ts";
import { serviceTables } from "../migrations/service-tables.ts";
import { type Config, ConfigError } from "./config.ts";

const APP_ROLE = "tallystick_app";
/** Role and database of the embedded vault. */
const VAULT = "tallystick_subjects";

export type Database = {
  ownerUrl: string;
  appUrl: string;
  app_password: string | undefined;
  /** For sessions: appUrl may lead to a transaction pooler. */
  sessionUrl: string;
  /** As the vault's owner; undefined without a vault. */
  vaultUrl: string | undefined;
  release(): Promise<void>;
};

/** A database that DATABASE_URL names is not looked at. */
export const hasLog = ({ DATABASE_URL, DATA_DIR }: Config): boolean =>
  DATABASE_URL !== undefined || hasCluster(DATA_DIR);

/** `onStart` is called where the embedded Postgres does not run yet. */
export async function startDatabase(
  config: Config,
  log: Logger,
  { stopping, onStart }: { stopping?: AbortSignal | undefined; onStart?: () => void } = {},
): Promise<Database> {
  await openDataDir(config);
  if (config.DATABASE_URL) {
    const sessionUrl = config.DATABASE_SESSION_URL ?? config.DATABASE_URL;
    const ownerUrl = config.DATABASE_OWNER_URL ?? sessionUrl;
    await refuseUnfitEngine(ownerUrl, config);
    return {
      ownerUrl,
      appUrl: config.DATABASE_URL,
      sessionUrl,
      app_password: undefined,
      vaultUrl: config.SUBJECT_KEYS_URL,
      release: async () => {},
    };
  }
  const dir = await clusterFolder(config.DATA_DIR).catch((error) => {
    throw error instanceof ClusterMisplaced ? new ConfigError(error.message) : error;
  });
  if (!dir.startsWith(resolve(config.DATA_DIR)))
    log.info(
      { folder: dir },
      "Postgres' account cannot enter DATA_DIR: the log's database is in this folder",
    );
  const server = await embeddedPostgres({
    dir,
    stopping,
    onStart,
    onLost: () => log.warn("the embedded Postgres is gone; starting it again"),
  });
  const app_password = await storedSecret(join(config.DATA_DIR, "postgres-app.password"));
  const appUrl = new URL(server.ownerUrl);
  appUrl.username = APP_ROLE;
  appUrl.password = app_password;
  try {
    const [vaultUrl] = await Promise.all([
      config.SUBJECT_KEYS_URL ?? embeddedVault(config, server.ownerUrl),
      refuseUnfitEngine(server.ownerUrl, config),
    ]);
    const { ownerUrl, leave: release } = server;
    return { ownerUrl, appUrl: appUrl.href, sessionUrl: appUrl.href, app_password, vaultUrl, release };
  } catch (error) {
    await server.leave();
    throw error;
  }
}

/** With an embedded database the folder has to be writable. */
export async function openDataDir({ DATA_DIR, DATABASE_URL }: Config): Promise<void> {
  try {
    await makeFolder(DATA_DIR, 0o755);
    await access(DATA_DIR, DATABASE_URL === undefined ? constants.W_OK : constants.R_OK);
  } catch (error) {
    throw new ConfigError(
      `DATA_DIR ${DATA_DIR} cannot be used: ${systemReason(error) ?? (error as Error).message}`,
    );
  }
}

/** Resolves once the database accepts connections and its engine is fit. */
async function refuseUnfitEngine(url: string, { DATABASE_WAIT_MS }: Config): Promise<void> {
  await preflight(url, engineChecks, DATABASE_WAIT_MS).catch((error: Error & { code?: string }) => {
    const { host } = new URL(url);
    if (error instanceof EngineUnfit) throw new ConfigError(`DATABASE_URL at ${host}: ${error.message}`);
    const said = error.message || error.code;
    const reason = /timeout/i.test(said ?? "")
      ? `no answer within the ${DATABASE_WAIT_MS} ms of DATABASE_WAIT_MS`
      : said;
    throw new ConfigError(`DATABASE_URL (or DATABASE_OWNER_URL): no connection to ${host}: ${reason}`);
  });
}

/** Postgres' codes for a duplicate role and database. */
const MADE_BEFORE = ["42710", "42P04"];

/** Only its own role may connect. */
async function embeddedVault({ DATA_DIR }: Config, ownerUrl: string): Promise<string> {
  const password = await storedSecret(join(DATA_DIR, "postgres-subjects.password"));
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  try {
    // Serialized: Postgres fails concurrent changes of a role.
    await owner.query("select pg_advisory_lock(1413565517, 31)");
    for (const sql of [
      `create role ${VAULT}`,
      `alter role ${VAULT} login password ${pg.escapeLiteral(password)}`,
      `create database ${VAULT} owner ${VAULT}`,
      `revoke connect on database ${VAULT} from public`,
    ])
      await owner.query(sql).catch((error: pg.DatabaseError) => {
        if (!MADE_BEFORE.includes(error.code ?? "")) throw error;
      });
  } finally {
    await owner.end();
  }
  const url = new URL(ownerUrl);
  Object.assign(url, { username: VAULT, password, pathname: `/${VAULT}` });
  return url.href;
}

/** `origin`: only for a restored log. Safe to call concurrently. */
export async function prepareDatabase(
  database: Pick<Database, "ownerUrl" | "appUrl" | "app_password">,
  host: string,
  projections: readonly Projection[],
  origin?: string,
): Promise<void> {
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 1 });
  // A query on a broken connection rejects; its error event needs a listener.
  const ignore = () => undefined;
  owner.on("error", ignore).on("connect", (client) => client.on("error", ignore));
  try {
    const separate = database.ownerUrl !== database.appUrl;
    const app_role = separate ? decodeURIComponent(new URL(database.appUrl).username) : undefined;
    await migrate(owner, { host, origin, app_role, app_password: database.app_password });
    await migrating(owner, (client) => applyMigrations(client, serviceTables));
    await makeTables(owner, projections);
    if (app_role && (await lacksRights(owner, app_role)))
      await migrating(owner, async (client) => {
        await client.query(grantsFor(client.escapeIdentifier(app_role)));
      });
  } finally {
    await owner.end();
  }
}

/** Warns where the service's own role could change the log. */
export async function warnOfOneRole(pool: pg.Pool, log: Logger): Promise<void> {
  if (!(await rolesSeparated(pool)))
    log.warn(
      "DATABASE_URL connects as a role that could alter the log; set DATABASE_OWNER_URL to separate them",
    );
}

/** The tree is append-only for the application; the log is not its own. */
const TABLE_RIGHTS: readonly { schemas: string[]; rights: string[] }[] = [
  { schemas: ["anchoring", "subjects"], rights: ["select", "insert"] },
  {
    schemas: ["read", "access", "objects", "compute", "skills", "gate"],
    rights: ["select", "insert", "update", "delete", "truncate"],
  },
  { schemas: ["reactors", "chain", "rng"], rights: ["select", "insert", "update"] },
];
const CALLED = ["access", "chain", "rng", "skills"];
const USED = TABLE_RIGHTS.flatMap(({ schemas }) => schemas);

const grantsFor = (role: string) =>
  [
    `grant usage on schema ${USED} to ${role}`,
    ...TABLE_RIGHTS.map(
      ({ schemas, rights }) => `grant ${rights} on all tables in schema ${schemas} to ${role}`,
    ),
    `grant execute on all functions in schema ${CALLED} to ${role}`,
  ].join(";\n");

/** Even a grant without effect makes all processes plan their statements anew. */
async function lacksRights(owner: pg.Pool, role: string): Promise<boolean> {
  const each = TABLE_RIGHTS.flatMap(({ schemas, rights }) =>
    schemas.flatMap((schema) => rights.map((right) => ({ schema, right }))),
  );
  const { rows } = await owner.query<{ lacks: boolean }>(
    `select exists (select from pg_namespace where nspname = any ($2) and not has_schema_privilege($1, oid, 'usage'))
       or exists (select from unnest($3::text[], $4::text[]) as wanted (schema, privilege)
         join pg_namespace n on n.nspname = wanted.schema join pg_class c on c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v', 'm', 'f')
         where not has_table_privilege($1, c.oid, wanted.privilege))
       or exists (select from pg_proc join pg_namespace n on n.oid = pronamespace
         where n.nspname = any ($5) and not has_function_privilege($1, pg_proc.oid, 'execute')) as lacks`,
    [role, USED, each.map(({ schema }) => schema), each.map(({ right }) => right), CALLED],
  );
  return rows[0]!.lacks;
}
