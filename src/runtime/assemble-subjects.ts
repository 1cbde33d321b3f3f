import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import type { Logger } from "pino";
import { applyMigrations, migrating } from "../../eventstore/migrations.ts";
import { openPool } from "../../eventstore/pool.ts";
import type { EventStore } from "../../eventstore/store.ts";
import { storedSecret } from "../adapters/stored-secret.ts";
import { masterKeyId, pepperCheck, secretKey } from "../adapters/subject-keys.ts";
import { absentSubjects, createSubjectVault } from "../adapters/subject-vault.ts";
import type { App } from "../core/app.ts";
import type { Subjects } from "../core/model/ports/subjects.ts";
import { vaultTables } from "../migrations/vault/vault-tables.ts";
import { replayErasures } from "../reactors/subjects/erasure.ts";
import { type Config, ConfigError } from "./config.ts";

export type OpenVault = {
  subjects: Subjects;
  /** Repeats erasures that a restored backup of the vault has undone; await it before serving. */
  replayErasures(app: App): Promise<void>;
  close(): Promise<void>;
};

/** Its queries are short. */
const CONNECTIONS = 4;

/** Throws ConfigError where the vault belongs to another log or other keys; the vault is then unchanged. */
export async function openVault(
  config: Config,
  url: string | undefined,
  { pool: logPool, store }: { pool: pg.Pool; store: Pick<EventStore, "identity"> },
  log: Logger,
): Promise<OpenVault> {
  const expected = await vaultOfLog(logPool);
  if (url === undefined) {
    if (expected !== undefined)
      throw new ConfigError(
        "SUBJECT_KEYS_URL is missing: personal data of this log is sealed, and its keys lie in that database",
      );
    return { subjects: absentSubjects(), replayErasures: async () => {}, close: async () => {} };
  }
  const { origin } = await store.identity();
  const onError = (error: Error) => log.warn({ reason: error.message }, "a connection to the vault broke");
  const pool = openPool(url, { max: CONNECTIONS, wait_ms: config.DATABASE_WAIT_MS, onError });
  try {
    const { keys, vault_id } = await joined(config, pool, {
      origin,
      expected,
      holdsSealed: () => holdsSealed(logPool),
    });
    if (expected === undefined) await noteVault(logPool, vault_id);
    if (config.SUBJECT_KEYS_URL && (await isSameServer(pool, logPool)))
      log.warn(
        "SUBJECT_KEYS_URL is on the log's server: its backups keep the keys as long as the data that they open",
      );
    return {
      subjects: createSubjectVault({ pool, origin, ...keys, backup_days: config.SUBJECT_BACKUP_DAYS }),
      replayErasures: async (app) => {
        // A restored log may have erasures that a new vault lacks.
        const destroyed = await replayErasures(app, log);
        if (destroyed > 0)
          log.warn(
            { destroyed },
            "the vault had keys of subjects that were erased; they are destroyed again",
          );
      },
      close: () => pool.end(),
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

async function vaultOfLog(pool: pg.Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ vault_id: string }>("select vault_id from subjects.vault");
  return rows[0]?.vault_id;
}

/** Reads the whole log, so it runs only for a log without a vault and a new vault. */
async function holdsSealed(pool: pg.Pool): Promise<boolean> {
  const sql = `select exists (select from eventstore.events where position('"seal_id":"'::bytea in payload) > 0) as found`;
  return (await pool.query<{ found: boolean }>(sql)).rows[0]!.found;
}

async function noteVault(pool: pg.Pool, vault_id: string): Promise<void> {
  await pool.query("insert into subjects.vault (vault_id) values ($1) on conflict do nothing", [vault_id]);
  if ((await vaultOfLog(pool)) !== vault_id) throw new ConfigError(OTHER_VAULT);
}

const OTHER_VAULT =
  "SUBJECT_KEYS_URL is another vault than the one that seals this log's personal data: set that vault, or restore its backup";

type VaultKeys = { pepper: Buffer; masters: { current: Buffer; older?: Buffer } };
type Identity = { vault_id: string; origin: string; pepper_check: Buffer };

/** One transaction, so that only one process migrates the vault. */
async function joined(
  config: Config,
  pool: pg.Pool,
  of: VaultExpectation,
): Promise<{ keys: VaultKeys; vault_id: string }> {
  let answer: { keys: VaultKeys; vault_id: string } | undefined;
  await pool.query("select 1").catch((error: Error & { code?: string }) => {
    throw new ConfigError(
      `SUBJECT_KEYS_URL: no connection to ${new URL(String(pool.options.connectionString)).host}: ${error.message || error.code}`,
    );
  });
  await migrating(pool, async (client) => {
    await applyMigrations(client, vaultTables);
    const { rows } = await client.query<Identity>(
      "select vault_id, origin, pepper_check from subject_keys.vault",
    );
    answer = rows[0] ? await entered(config, client, rows[0], of) : await begun(config, client, of);
  });
  return answer!;
}

type VaultExpectation = { origin: string; expected: string | undefined; holdsSealed(): Promise<boolean> };

async function begun(
  config: Config,
  client: pg.ClientBase,
  { origin, expected, holdsSealed }: VaultExpectation,
) {
  // Sealed data of a restored log would read as erased.
  if (expected !== undefined || (!config.SUBJECT_KEYS_ANEW && (await holdsSealed())))
    throw new ConfigError(
      `SUBJECT_KEYS_URL is an empty vault, but another vault seals this log's personal data. Restore the other vault's backup; if it is lost for good, docs/personal-data.md says how to continue without it`,
    );
  const make = () => randomBytes(32).toString("hex");
  const pepper = asKey(
    config.SUBJECT_PEPPER ?? (await storedSecret(pepperFile(config), make)),
    "SUBJECT_PEPPER",
  );
  const current = asKey(
    config.SUBJECT_MASTER_KEY ?? (await storedSecret(masterFile(config), make)),
    "SUBJECT_MASTER_KEY",
  );
  const vault_id = randomBytes(16).toString("hex");
  const sql = "insert into subject_keys.vault (vault_id, origin, pepper_check) values ($1, $2, $3)";
  await client.query(sql, [vault_id, origin, pepperCheck(pepper)]);
  await client.query("insert into subject_keys.master_keys values ($1)", [masterKeyId(current)]);
  return { keys: { pepper, masters: { current } }, vault_id };
}

/** Requires a match, and makes no key. */
async function entered(
  config: Config,
  client: pg.ClientBase,
  identity: Identity,
  { origin, expected }: Pick<VaultExpectation, "origin" | "expected">,
) {
  if (identity.origin !== origin)
    throw new ConfigError(
      `SUBJECT_KEYS_URL is the vault of another log, ${identity.origin}; this log is ${origin}: give each a database of its own`,
    );
  if (expected !== undefined && identity.vault_id !== expected) throw new ConfigError(OTHER_VAULT);
  const pepper = await given(config.SUBJECT_PEPPER, pepperFile(config), "SUBJECT_PEPPER");
  if (!pepperCheck(pepper).equals(identity.pepper_check))
    throw new ConfigError(
      `SUBJECT_PEPPER (or ${pepperFile(config)}) is not the pepper of this vault: restore the pepper that the vault began with`,
    );
  const current = await given(config.SUBJECT_MASTER_KEY, masterFile(config), "SUBJECT_MASTER_KEY");
  const older =
    config.SUBJECT_MASTER_KEY_OLD && asKey(config.SUBJECT_MASTER_KEY_OLD, "SUBJECT_MASTER_KEY_OLD");
  const own = [current, ...(older ? [older] : [])].map(masterKeyId);
  const { rows } = await client.query<{ master_key_id: string }>(
    "select master_key_id from subject_keys.master_keys",
  );
  const missing = rows.map(({ master_key_id }) => master_key_id).filter((id) => !own.includes(id));
  if (missing.length > 0)
    throw new ConfigError(
      `SUBJECT_MASTER_KEY (or ${masterFile(config)}) is the key ${own[0]}, and this vault is wrapped by ${missing.join(" and ")}: ` +
        "restore that key, or set it as SUBJECT_MASTER_KEY_OLD to re-wrap the vault",
    );
  await client.query("insert into subject_keys.master_keys values ($1) on conflict do nothing", [own[0]]);
  return {
    keys: { pepper, masters: { current, ...(older && { older }) } },
    vault_id: identity.vault_id,
  };
}

const masterFile = ({ DATA_DIR }: Config) => join(DATA_DIR, "subjects-master.key");
const pepperFile = ({ DATA_DIR }: Config) => join(DATA_DIR, "subjects-pepper.key");

async function given(setting: string | undefined, file: string, name: string): Promise<Buffer> {
  if (setting !== undefined) return asKey(setting, name);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(
      `${name} is missing: this vault is in use, and its key is neither set nor in ${file} (${error.code})`,
    );
  });
  return asKey(text.trim(), file);
}

function asKey(text: string, name: string): Buffer {
  const key = secretKey(text);
  if (!key) throw new ConfigError(`${name} is not 32 bytes in hex: 64 hex digits`);
  return key;
}

/** False where a server does not tell. */
async function isSameServer(one: pg.Pool, other: pg.Pool): Promise<boolean> {
  const sql = "select system_identifier::text as id from pg_control_system()";
  const ids = await Promise.all(
    [one, other].map((pool) =>
      pool.query<{ id: string }>(sql).then(
        ({ rows }) => rows[0]!.id,
        () => undefined,
      ),
    ),
  );
  return ids[0] !== undefined && ids[0] === ids[1];
}
