/** Unfit engines are refused at the start: each is a Postgres with one promise broken. */
import pg from "pg";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EngineUnfit, engineChecks, preflight } from "../../eventstore/preflight.ts";
import { ConfigError, readConfig } from "../../src/runtime/config.ts";
import { startDatabase } from "../../src/runtime/database.ts";
import { type FreshDatabase, freshDatabase, onServer } from "../support/database.ts";

let database: FreshDatabase;
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(() => database.drop());

/**
 * How each check's engine is broken: by functions of a schema that precedes Postgres' own, or by a database
 * setting.
 */
const BROKEN: Record<string, string> = {
  recovery: "create function early.pg_is_in_recovery() returns boolean language sql as 'select true'",
  clock: `create function early.clock_timestamp() returns timestamptz language sql
    as $$ select pg_catalog.clock_timestamp() + interval '2 minutes' $$`,
  sha256: `create function early.sha256(bytea) returns bytea language sql as $$ select '\\x00'::bytea $$`,
  plpgsql: "drop extension plpgsql",
  "set on functions": `create function early.current_setting(text) returns text language sql as $$ select '4MB' $$`,
  "advisory locks": `create function early.pg_advisory_xact_lock(int, int) returns void language sql as 'select'`,
  "read committed": "alter database current set default_transaction_isolation = 'repeatable read'",
};

async function brokenBy(sql: string): Promise<void> {
  const name = new URL(database.url).pathname.slice(1);
  await onServer(
    `create schema early;
     alter database ${name} set search_path = early, pg_catalog, public;
     ${sql.replace("database current", `database ${name}`)}`,
    database.url,
  );
}

const refusal = (checks = engineChecks) =>
  preflight(database.url, checks).then(
    () => "",
    (error: unknown) => {
      expect(error).toBeInstanceOf(EngineUnfit);
      return (error as Error).message;
    },
  );

test("every check refuses some engine", () => {
  expect(Object.keys(BROKEN)).toEqual(engineChecks.map(({ name }) => name));
});

test("a good engine is accepted, also by twenty starts at once, and left empty", async () => {
  await Promise.all(Array.from({ length: 20 }, () => preflight(database.url)));
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query(
    `select relname as name from pg_class where relname like 'tallystick%'
     union all select proname from pg_proc where proname like 'tallystick%'`,
  );
  await client.end();
  expect(rows).toEqual([]);
});

test.each(Object.entries(BROKEN))("an engine that breaks a promise is refused: %s", async (name, sql) => {
  await brokenBy(sql);
  expect(await refusal()).toContain(`(${name})`);
  // Without this check nothing would report it.
  expect(await refusal(engineChecks.filter((check) => check.name !== name))).not.toContain(`(${name})`);
});

test("a start on an ineffective lock ends before anything is written", async () => {
  await brokenBy(BROKEN["advisory locks"]!);
  const config = readConfig({ DATABASE_URL: database.url, DATA_DIR: "/tmp" });
  const failure = await startDatabase(config, pino({ level: "silent" })).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConfigError);
  expect((failure as Error).message).toMatch(/DATABASE_URL at .*advisory lock.*would fork the log/);
});

test("a slow engine is distinguished from one that refuses connections", async () => {
  await brokenBy(
    "create function early.pg_is_in_recovery() returns boolean language sql as 'select pg_sleep(5) is null'",
  );
  const config = readConfig({ DATABASE_URL: database.url, DATA_DIR: "/tmp", DATABASE_WAIT_MS: "300" });
  const failure = await startDatabase(config, pino({ level: "silent" })).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConfigError);
  expect((failure as Error).message).toMatch(/no answer within the 300 ms of DATABASE_WAIT_MS/);
});
