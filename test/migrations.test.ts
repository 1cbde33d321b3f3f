/**
 * Tables that no log can rebuild: created once, adopted from before migrations were numbered, and changed by the
 * next migration.
 */
import { randomBytes } from "node:crypto";
import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type pg from "pg";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { applyMigrations, type MigrationSet, migrating } from "../eventstore/migrations.ts";
import { openPool } from "../eventstore/pool.ts";
import { createQuotas } from "../src/adapters/quotas.ts";
import { keptTables } from "../src/migrations/kept-tables.ts";
import { prepareDatabase } from "../src/runtime/database.ts";
import { type FreshDatabase, freshDatabase } from "./support/database.ts";

let database: FreshDatabase;
let owner: pg.Pool;
beforeEach(async () => {
  database = await freshDatabase();
  owner = openPool(database.url);
});
afterEach(async () => {
  await owner.end();
  await database.drop();
});

/** The database steps of a service's start. */
const start = (appUrl = database.url) =>
  prepareDatabase({ ownerUrl: database.url, appUrl, app_password: undefined }, "test.example", []);

const migrateBy = (set: MigrationSet) => migrating(owner, (client) => applyMigrations(client, set));

/** The migrations of the service and one more. */
async function withNext(sql: string): Promise<MigrationSet> {
  const folder = await mkdtemp(join(tmpdir(), "tallystick-migrations-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(fileURLToPath(keptTables.folder), folder, { recursive: true });
  await writeFile(join(folder, "9000-next.sql"), sql);
  return { ...keptTables, folder: pathToFileURL(`${folder}/`) };
}

/** Tables from services before migrations were numbered, each with a row. */
const BEFORE = `
  create schema read;
  create schema access;
  create schema anchoring;
  create table read.checkpoints (
    projection text primary key, position bigint not null default 0, holder uuid, token bigint not null default 0,
    held_until timestamptz not null default '-infinity');
  create table access.quota_usage (
    key_id text primary key, day text not null default '', day_used int not null default 0,
    month text not null default '', month_used int not null default 0) with (fillfactor = 50);
  create table access.kept_answers (
    name text primary key, request_sha256 text not null, status int not null, body bytea, payment_id text,
    kept_at timestamptz not null default now());
  create index kept_answers_kept_at on access.kept_answers (kept_at);
  create table anchoring.tiles_v1 (
    log_id int not null, level int not null, tile_index int8 not null,
    hashes bytea not null check (length(hashes) = 8192), root bytea not null check (length(root) = 32),
    primary key (log_id, level, tile_index));
  create table anchoring.proofs_v1 (
    log_id int not null, size int8 not null, transaction text not null, block_number int8 not null,
    block_hash text not null, evidence text not null, primary key (log_id, size, transaction, block_hash));
  create table read.transfers_followed_v1 (
    network text not null, account text not null, token text not null, from_block bigint not null,
    to_block bigint not null, to_hash text not null, primary key (network, account, token));
  create table read.transfers_v1 (
    network text not null, account text not null, token text not null, block_number bigint not null,
    index int not null, block_hash text not null, transaction text not null, sender text not null,
    recipient text not null, amount numeric not null, primary key (network, account, token, block_number, index));
  insert into read.checkpoints (projection, position) values ('checks_v1', 7);
  insert into access.quota_usage values ('key', '2026-11-22', 3, '2026-11', 40);
  insert into access.kept_answers (name, request_sha256, status, body) values ('a', '00', 200, 'body');
  insert into anchoring.tiles_v1 values (1, 0, 0, decode(repeat('ab', 8192), 'hex'), decode(repeat('cd', 32), 'hex'));
  insert into anchoring.proofs_v1 values (1, 256, '0x01', 12, '0x02', '{}');
  insert into read.transfers_followed_v1 values ('n', 'a', 't', 1, 9, '0x03');
  insert into read.transfers_v1 values ('n', 'a', 't', 5, 0, '0x04', '0x05', 'b', 'a', 12);`;

const TABLES = [
  "read.checkpoints",
  "access.quota_usage",
  "access.kept_answers",
  "anchoring.tiles_v1",
  "anchoring.proofs_v1",
  "read.transfers_followed_v1",
  "read.transfers_v1",
];

const rowsOf = async (pool: pg.Pool): Promise<unknown[]> => {
  const found = [];
  for (const table of TABLES) found.push((await pool.query(`select * from ${table}`)).rows);
  return found;
};

const columns = `select table_schema, table_name, column_name, data_type, is_nullable, column_default
  from information_schema.columns where table_schema in ('read', 'access', 'anchoring') order by 1, 2, ordinal_position`;

test("tables from before numbered migrations are adopted with their rows", async () => {
  await owner.query(BEFORE);
  const before = await rowsOf(owner);
  expect(before.flat()).toHaveLength(TABLES.length);
  await start();
  expect(await rowsOf(owner)).toMatchObject(before);
  const left = await owner.query("select 1 from pg_namespace where nspname = 'adopting'");
  expect(left.rows).toEqual([]);

  const fresh = await freshDatabase();
  const other = openPool(fresh.url);
  onTestFinished(async () => {
    await other.end();
    await fresh.drop();
  });
  await migrating(other, (client) => applyMigrations(client, keptTables));
  expect((await owner.query(columns)).rows).toEqual((await other.query(columns)).rows);
});

test("counts continue", async () => {
  await owner.query(BEFORE);
  await start();
  const quotas = createQuotas(owner, { now: () => new Date("2026-11-22T10:00:00Z") });
  const taken = await quotas.take({ key_id: "key", daily: 4, monthly: null });
  expect(taken).toEqual({ granted: true, usage: { day_used: 4, month_used: 41 } });
});

const changes = [
  ["access.kept_answers", "drop column payment_id", "missing: column 5: payment_id text"],
  ["access.quota_usage", "alter column day_used type bigint", "column 3: day_used bigint not null default 0"],
  ["read.transfers_v1", "drop constraint transfers_v1_pkey", "constraint transfers_v1_pkey: PRIMARY KEY"],
  ["anchoring.tiles_v1", "add column note text", "not expected: column 6: note text"],
] as const;
test.each(changes)("a table %s of another shape (%s) ends the start", async (table, change, told) => {
  await owner.query(BEFORE);
  await owner.query(`alter table ${table} ${change}`);
  await expect(start()).rejects.toThrow(
    `src/migrations/0001-kept-tables.sql: the table ${table} is not as this service makes it`,
  );
  await expect(start()).rejects.toThrow(new RegExp(told));
  const made = await owner.query("select 1 from pg_namespace where nspname = 'tallystick'");
  expect(made.rows).toEqual([]);
});

test("a changed column arrives by the next migration, and rows stay", async () => {
  await start();
  await owner.query("insert into access.quota_usage (key_id, day_used) values ('key', 3)");
  const next = await withNext("alter table access.quota_usage alter column day_used type bigint");
  await migrateBy(next);
  await migrateBy(next);
  const { rows } = await owner.query(
    "select day_used, pg_typeof(day_used)::text as type from access.quota_usage",
  );
  expect(rows).toEqual([{ day_used: 3, type: "bigint" }]);
  await expect(start(), "an older version on a newer database").rejects.toThrow(
    "the database has migration src/migrations/9000-next.sql, which this version does not know",
  );
});

test("a failed migration is named, and leaves nothing", async () => {
  await start();
  const next = await withNext("create table access.half (n int); select no_such_function()");
  await expect(migrateBy(next)).rejects.toThrow("src/migrations/9000-next.sql: function no_such_function()");
  const { rows } = await owner.query("select to_regclass('access.half') as half");
  expect(rows).toEqual([{ half: null }]);
});

test("simultaneous starts migrate once", async () => {
  await owner.query(BEFORE);
  await Promise.all(Array.from({ length: 5 }, () => start()));
  const { rows } = await owner.query("select name from tallystick.migrations order by name");
  const files = (await readdir(keptTables.folder)).filter((name) => name.endsWith(".sql")).sort();
  expect(rows.map(({ name }) => name)).toEqual(files);
});

test("the service's own role uses the tables and cannot change the applied list", async () => {
  const role = `app_${randomBytes(6).toString("hex")}`;
  await owner.query(`create role ${role} login password 'secret'`);
  const appUrl = new URL(database.url);
  appUrl.username = role;
  appUrl.password = "secret";
  await owner.query(BEFORE);
  await start(appUrl.href);
  const application = openPool(appUrl.href);
  try {
    expect(await rowsOf(application)).toEqual(await rowsOf(owner));
    await application.query("update access.quota_usage set day_used = 0");
    await expect(application.query("delete from anchoring.tiles_v1")).rejects.toThrow("permission denied");
    await expect(application.query("delete from tallystick.migrations")).rejects.toThrow("permission denied");
  } finally {
    await application.end();
    await owner.query(`drop owned by ${role}`);
    await owner.query(`drop role ${role}`);
  }
});
