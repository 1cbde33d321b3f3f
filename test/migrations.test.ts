/** Tables that no log can rebuild: a start makes them once, and the next numbered file changes them. */
import { randomBytes } from "node:crypto";
import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type pg from "pg";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { applyMigrations, type MigrationSet, migrating } from "../eventstore/migrations.ts";
import { openPool } from "../eventstore/pool.ts";
import { serviceTables } from "../src/migrations/service-tables.ts";
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
  await cp(fileURLToPath(serviceTables.folder), folder, { recursive: true });
  await writeFile(join(folder, "9000-next.sql"), sql);
  return { ...serviceTables, folder: pathToFileURL(`${folder}/`) };
}

test("the next migration changes a column and leaves the rows", async () => {
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

test("a failed migration is named and leaves nothing", async () => {
  await start();
  const next = await withNext("create table access.half (n int); select no_such_function()");
  await expect(migrateBy(next)).rejects.toThrow("src/migrations/9000-next.sql: function no_such_function()");
  const { rows } = await owner.query("select to_regclass('access.half') as half");
  expect(rows).toEqual([{ half: null }]);
});

test("concurrent starts apply each migration once", async () => {
  await Promise.all(Array.from({ length: 5 }, () => start()));
  const { rows } = await owner.query("select name from tallystick.migrations order by name");
  const files = (await readdir(serviceTables.folder)).filter((name) => name.endsWith(".sql")).sort();
  expect(rows.map(({ name }) => name)).toEqual(files);
});

test("the service's own role may use the tables, and not the list of migrations", async () => {
  const role = `app_${randomBytes(6).toString("hex")}`;
  await owner.query(`create role ${role} login password 'secret'`);
  const appUrl = new URL(database.url);
  appUrl.username = role;
  appUrl.password = "secret";
  await start(appUrl.href);
  const application = openPool(appUrl.href);
  try {
    await application.query("insert into access.quota_usage (key_id) values ('key')");
    await application.query("update access.quota_usage set day_used = 1");
    await application.query("delete from access.quota_usage");
    await application.query("select * from anchoring.tiles_v1");
    await expect(application.query("delete from anchoring.tiles_v1")).rejects.toThrow("permission denied");
    await expect(application.query("delete from tallystick.migrations")).rejects.toThrow("permission denied");
  } finally {
    await application.end();
    await owner.query(`drop owned by ${role}`);
    await owner.query(`drop role ${role}`);
  }
});
