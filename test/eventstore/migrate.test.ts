import { randomBytes } from "node:crypto";
import type pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { migrate, rolesSeparated } from "../../eventstore/migrate.ts";
import { openPool } from "../../eventstore/pool.ts";
import { createEventStore } from "../../eventstore/store.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { appended, commitOf, keyed } from "./fixture.ts";

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

const host = "test.example";

test("a repeated migration changes nothing, not even the origin", async () => {
  await migrate(database.url, { host });
  const before = await createEventStore(owner).identity();
  await migrate(owner, { host: "elsewhere.example" });
  expect(await createEventStore(owner).identity()).toEqual(before);
  expect(before.origin).toBe(`${host}/1/${before.epoch}`);
});

test("ten simultaneous starts create one schema", async () => {
  await Promise.all(Array.from({ length: 10 }, () => migrate(database.url, { host })));
  const answer = await owner.query("select count(*) from eventstore.logs");
  expect(answer.rows).toEqual([{ count: 1 }]);
});

test("an edited migration is refused", async () => {
  await migrate(database.url, { host });
  await owner.query("update eventstore.migrations set checksum = 'x' where name = '0001-event-log.sql'");
  await expect(migrate(database.url, { host })).rejects.toThrow("0001-event-log.sql was edited");
});

test("a failed migration leaves nothing", async () => {
  await owner.query("create schema eventstore; create table eventstore.events (n int)");
  await expect(migrate(database.url, { host })).rejects.toThrow("already exists");
  const answer = await owner.query("select tablename from pg_tables where schemaname = 'eventstore'");
  expect(answer.rows).toEqual([{ tablename: "events" }]);
});

test("a database newer than this version is refused", async () => {
  await migrate(database.url, { host });
  await owner.query("insert into eventstore.migrations (name, checksum) values ('9999-later.sql', 'x')");
  await expect(migrate(database.url, { host })).rejects.toThrow("9999-later.sql");
});

test("a database with another encoding is refused", async () => {
  const name = `t_${randomBytes(8).toString("hex")}`;
  await owner.query(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
  const url = new URL(database.url);
  url.pathname = `/${name}`;
  await expect(migrate(url.href, { host })).rejects.toThrow("needs a database in UTF8");
  await owner.query(`drop database ${name}`);
});

describe("append-only", () => {
  let app_role: string;
  let application: pg.Pool;
  beforeEach(async () => {
    app_role = `app_${randomBytes(6).toString("hex")}`;
    await migrate(database.url, { host, app_role, app_password: "secret" });
    const url = new URL(database.url);
    url.username = app_role;
    url.password = "secret";
    application = openPool(url.href);
    appended(await createEventStore(owner).append(commitOf()));
  });
  afterEach(async () => {
    await application.end();
    await owner.query(`drop owned by ${app_role}`);
    await owner.query(`drop role ${app_role}`);
  });

  test("the application appends and reads", async () => {
    const store = createEventStore(application);
    appended(await store.append(commitOf({}, { n: 2 }, keyed("k"))));
    const event = { type: "Happened", payload: {} };
    appended(
      await store.append({
        appends: [{ tenant: "a", stream_id: "s", expected_version: 0, events: [event, event] }],
      }),
    );
    expect(await store.readLog({ after: 0 })).toHaveLength(4);
    expect(await store.positionAt({ since_us: 0, tenant: "a" })).toBe(3);
    expect((await store.identity()).log_id).toBe(1);
  });

  const changes = [
    "update eventstore.events set payload = 'x'",
    "update eventstore.events set tenant = 'x' where false",
    "delete from eventstore.events",
    "truncate eventstore.events",
    "update eventstore.logs set origin = 'x'",
    "delete from eventstore.logs",
    "truncate eventstore.logs",
  ];
  test.each(changes)("the owner cannot: %s", async (sql) => {
    await expect(owner.query(sql)).rejects.toThrow("the log is append-only");
  });

  const forbidden = [
    ...changes,
    "insert into eventstore.logs (log_id, origin, epoch) values (9, 'x', '0123456789abcdef')",
    "insert into eventstore.events select * from eventstore.events",
    "alter table eventstore.events disable trigger all",
    "drop table eventstore.events",
    "create table eventstore.mine (n int)",
    "select eventstore.lock_log(1)",
    "create or replace function eventstore.refuse_change() returns trigger language plpgsql as 'begin return null; end'",
  ];
  test.each(forbidden)("the application cannot: %s", async (sql) => {
    await expect(application.query(sql)).rejects.toThrow(/permission denied|must be owner/);
  });

  test("append functions ignore the caller's schemas", async () => {
    const client = await application.connect();
    await client.query("create temp table events (like eventstore.events)");
    await client.query("create function pg_temp.sha256(bytea) returns bytea language sql as 'select $1'");
    await client.query("set search_path = pg_temp, eventstore, public");
    await client.query(
      "select eventstore.append_one(1, null, null, 'a', 's', -1, gen_random_uuid(), 'T', 1, '{}', '{}')",
    );
    const answer = await client.query(
      "select octet_length(event_hash) as n from eventstore.events order by position desc limit 1",
    );
    expect(answer.rows).toEqual([{ n: 32 }]);
    client.release();
  });

  test("rolesSeparated distinguishes the owner from the application", async () => {
    expect(await rolesSeparated(owner)).toBe(false);
    expect(await rolesSeparated(application)).toBe(true);
    await owner.query(`grant update on eventstore.events to ${app_role}`);
    expect(await rolesSeparated(application)).toBe(false);
  });

  test("rolesSeparated knows that a schema's owner may drop its tables", async () => {
    await owner.query(`alter schema eventstore owner to ${app_role}`);
    expect(await rolesSeparated(application)).toBe(false);
    await owner.query("alter schema eventstore owner to current_user");
  });
});
