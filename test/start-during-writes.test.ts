/** A process starts while others read and write: neither waits for the other's transactions. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { applyMigrations, migrating } from "../eventstore/migrations.ts";
import { areas } from "../src/areas/index.ts";
import type { Projection } from "../src/core/read-models/projection.ts";
import { stepsOf } from "../src/core/read-models/tables.ts";
import { prepareDatabase } from "../src/runtime/database.ts";
import { type FreshDatabase, freshDatabase } from "./support/database.ts";
import { startService } from "./support/service.ts";
import { until } from "./support/until.ts";

const projections = areas.flatMap((area) => area.projections);

/** A session with an open transaction until `end`. */
async function inTransaction(url: string, ...statements: string[]) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("begin");
  for (const sql of statements) await client.query(sql);
  const end = async () => {
    await client.query("rollback");
    await client.end();
  };
  return { query: (sql: string) => client.query(sql), end };
}

/** All tables of a database, locked like by writing statements: without their rows. */
async function writerOfAll(url: string) {
  const writer = await inTransaction(url);
  const { rows } = await writer.query(
    `select format('%I.%I', nspname, relname) as place from pg_class join pg_namespace n on n.oid = relnamespace
      where relkind = 'r' and nspname not in ('pg_catalog', 'information_schema')`,
  );
  for (const { place } of rows) await writer.query(`lock table ${place} in row exclusive mode`);
  return { ...writer, tables: rows.length };
}

test("a second process starts while a writer uses every table, and both accept commands", async () => {
  const vault = await freshDatabase();
  const first = await startService({ reactors: true, vault: vault.url });
  const [writer, ofVault] = [await writerOfAll(first.database_url), await writerOfAll(vault.url)];
  onTestFinished(async () => {
    await writer.end();
    await ofVault.end();
    await first.stop();
    await vault.drop();
  });
  expect(writer.tables).toBeGreaterThan(80);
  const starting = startService({ beside: first, reactors: true, vault: vault.url });
  let started: Awaited<typeof starting> | undefined;
  void starting.then((service) => (started = service));
  let written = 0;
  await until(async () => {
    await first.issue();
    written++;
    return started !== undefined;
  });
  const second = await starting;
  expect(written).toBeGreaterThan(1);
  expect((await fetch(`${second.url}/ready`)).status).toBe(200);
  const { headers } = await second.issue();
  expect((await fetch(`${first.url}/v1/agent/health`, { headers })).status).toBe(200);
  await second.stop();
});

test("each statement that creates a read model's tables can be tested for completion", () => {
  expect(projections.flatMap(stepsOf).length).toBeGreaterThan(100);
  const odd = { name: "odd", ddl: "create table if not exists read.a (n int); alter table read.a add m int" };
  expect(() => stepsOf(odd)).toThrow("the read model odd is made of");
});

let database: FreshDatabase;
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(() => database.drop());

const start = (...those: Projection[]) =>
  prepareDatabase(
    { ownerUrl: database.url, appUrl: database.url, app_password: undefined },
    "test.example",
    those,
  );

const TABLES = [1, 2].map((n) => `create table if not exists read.used_${n} (n int);`).join("\n");
const INDEXES = [1, 2]
  .map((n) => `create index if not exists used_${n}_n on read.used_${n} (n) where n > ${n};`)
  .join("\n");
const used = (...ddl: string[]): Projection => ({
  name: "used",
  version: 1,
  ddl: ddl.join("\n"),
  of: "every event",
  fold: async () => {},
});

/** A start that must create an index on used tables; it reports when somebody waits for a lock. */
async function startWithIndexes() {
  let isDone = false;
  const done = start(used(TABLES, INDEXES)).then(() => {
    isDone = true;
  });
  await until(async () => {
    const sql =
      "select from pg_locks where not granted and relation = any('{read.used_1,read.used_2}'::regclass[])";
    return (await query(sql)).rowCount === 1;
  });
  return { done, isDone: () => isDone };
}

async function query(sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return client.query(sql).finally(() => client.end());
}

const indexes = async () =>
  (
    await query(
      "select indexrelid::regclass::text as name from pg_index where indrelid::regclass::text ~ 'used' order by 1",
    )
  ).rows.map(({ name }) => name);

test("an index on a used table is created once it is free; others write meanwhile", async () => {
  await start(used(TABLES));
  const writer = await inTransaction(database.url, "insert into read.used_1 values (7)");
  const starting = await startWithIndexes();
  for (let n = 0; n < 3; n++) await query("insert into read.used_1 values (1)");
  expect(starting.isDone()).toBe(false);
  await writer.end();
  await starting.done;
  expect(await indexes()).toEqual(["read.used_1_n", "read.used_2_n"]);
});

test("a writer that moves between tables is not ended by a start, nor the start by it", async () => {
  await start(used(TABLES));
  const writer = await inTransaction(database.url, "insert into read.used_2 values (7)");
  const starting = await startWithIndexes();
  await writer.query("insert into read.used_1 values (7)");
  expect(starting.isDone()).toBe(false);
  await writer.end();
  await starting.done;
  expect(await indexes()).toEqual(["read.used_1_n", "read.used_2_n"]);
});

test("a start that ended before it was complete is completed by the next one", async () => {
  await start(used(TABLES));
  const writer = await inTransaction(database.url, "insert into read.used_2 values (7)");
  const starting = await startWithIndexes();
  const failed = expect(starting.done).rejects.toThrow();
  await query(
    `select pg_terminate_backend(pid) from pg_locks where not granted and relation = 'read.used_2'::regclass
       and database = (select oid from pg_database where datname = current_database())`,
  );
  await failed.catch(() => undefined);
  await Promise.all([1, 2, 3].map(() => start(used(TABLES)))); // others, which have no index
  await writer.end();
  await Promise.all([1, 2, 3].map(() => start(used(TABLES, INDEXES))));
  expect(await indexes()).toEqual(["read.used_1_n", "read.used_2_n"]);
});

test("the service's own role gets its rights to new tables, and revoked ones back", async () => {
  const role = `app_${randomBytes(6).toString("hex")}`;
  const appUrl = new URL(database.url);
  appUrl.username = role;
  const begin = (...those: Projection[]) =>
    prepareDatabase({ ownerUrl: database.url, appUrl: appUrl.href, app_password: "secret" }, "test", those);
  const may = async (table: string, right: string) =>
    (await query(`select has_table_privilege('${role}', '${table}', '${right}') as may`)).rows[0].may;
  await begin();
  await query("revoke select on eventstore.events from public");
  await query(`revoke select on eventstore.events from ${role}`);
  await query(`revoke update on reactors.leases from ${role}`);
  await Promise.all([begin(used(TABLES)), begin(used(TABLES))]);
  expect(await may("read.used_2", "truncate")).toBe(true);
  expect(await may("eventstore.events", "select")).toBe(true);
  expect(await may("eventstore.events", "insert")).toBe(false);
  expect(await may("reactors.leases", "update")).toBe(true);
  expect(await may("reactors.leases", "delete")).toBe(false);
  await query(`drop owned by ${role}; drop role ${role}`);
});

test("simultaneous starts create all tables of all areas", async () => {
  await Promise.all(Array.from({ length: 5 }, () => start(...projections)));
  const steps = projections.flatMap(stepsOf).flatMap(({ makes }) => makes ?? []);
  const { rows } = await query(
    `select name from unnest('{${steps}}'::text[]) as one (name) where to_regclass(name) is null`,
  );
  expect(rows).toEqual([]);
});

test("a migration of a used table is applied completely once it is free; others write meanwhile", async () => {
  await start(used(TABLES));
  const folder = await mkdtemp(join(tmpdir(), "tallystick-migrations-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "0001-first.sql"), "create table read.beside (n int)");
  await writeFile(join(folder, "0002-next.sql"), "alter table read.used_1 add column m int");
  const set = { name: "test", folder: pathToFileURL(`${folder}/`), schema: "testing" };
  const writer = await inTransaction(database.url, "insert into read.used_1 values (7)");
  const applied = Promise.all(
    [1, 2].map(() => migrating(database.url, (client) => applyMigrations(client, set))),
  );
  await until(async () => {
    const sql = "select from pg_locks where not granted and relation = 'read.used_1'::regclass";
    return (await query(sql)).rowCount === 1;
  });
  await query("insert into read.used_1 values (1)");
  expect((await query("select to_regclass('read.beside') as stands")).rows).toEqual([{ stands: null }]);
  await writer.end();
  await applied;
  expect((await query("select name from testing.migrations order by 1")).rows).toHaveLength(2);
  expect((await query("select n, m from read.used_1")).rows).toEqual([{ n: 1, m: null }]);
});

test("work ended by a deadlock, or without a lock, restarts from its beginning", async () => {
  await start(used(TABLES));
  const tried: string[] = [];
  for (const code of ["40P01", "55P03"])
    await migrating(database.url, async (client) => {
      await client.query("insert into read.used_1 values (1)");
      if (tried.includes(code)) return;
      tried.push(code);
      await client.query(`do $$ begin raise exception 'held up' using errcode = '${code}'; end $$`);
    });
  expect(tried).toEqual(["40P01", "55P03"]);
  expect((await query("select count(*)::int as n from read.used_1")).rows).toEqual([{ n: 2 }]);
});
