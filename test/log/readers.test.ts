/** Readers that are not a copy of the primary: another log, a diverged history, or one ahead of a restored primary. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { openPool } from "../../eventstore/pool.ts";
import { createEventStore, type EventStore } from "../../eventstore/store.ts";
import { createReaders, type Readers } from "../../src/core/read-models/readers.ts";
import { openReaders } from "../../src/runtime/assemble-readers.ts";
import { ConfigError, readConfig } from "../../src/runtime/config.ts";
import { prepareDatabase } from "../../src/runtime/database.ts";
import { type FreshDatabase, freshDatabase, onServer } from "../support/database.ts";
import { preparedDatabase } from "../support/prepared-database.ts";

let primary: FreshDatabase;
let copies: FreshDatabase[] = [];
beforeEach(async () => {
  primary = await withLog();
  copies = [];
});
afterEach(async () => {
  for (const database of [primary, ...copies]) await database.drop();
});

async function withLog(): Promise<FreshDatabase> {
  const database = await preparedDatabase();
  await prepareDatabase(
    { ownerUrl: database.url, appUrl: database.url, app_password: undefined },
    "test",
    [],
  );
  return database;
}

const nameOf = ({ url }: FreshDatabase) => new URL(url).pathname.slice(1);

/** The database at present, under a new name. */
async function copied(of: FreshDatabase): Promise<FreshDatabase> {
  const copy = await freshDatabase(nameOf(of));
  copies.push(copy);
  return copy;
}

let appended = 0;
async function append({ url }: FreshDatabase, events: number): Promise<void> {
  await using(url, async (store) => {
    for (let n = 0; n < events; n++)
      await store.append({
        appends: [
          {
            tenant: "acme",
            stream_id: `s-${++appended}`,
            expected_version: 0,
            events: [{ type: "Happened", payload: { n: appended }, meta: {} }],
          },
        ],
      });
  });
}

async function using<T>(url: string, work: (store: EventStore) => Promise<T>): Promise<T> {
  const pool = openPool(url);
  const store = createEventStore(pool);
  try {
    return await work(store);
  } finally {
    await store.close();
    await pool.end();
  }
}

const silentLog = { warn: () => undefined, info: () => undefined };

async function leftOut(reader: FreshDatabase): Promise<string | null> {
  return withReaders(reader, async (readers) => {
    await readers.look();
    const { left_out } = readers.health()[0]!;
    expect(await readers.fresh("log", 0).then((found) => found !== undefined)).toBe(left_out === null);
    return left_out;
  });
}

const withReaders = <T>(reader: FreshDatabase, work: (readers: Readers) => Promise<T>): Promise<T> =>
  using(primary.url, async (store) => {
    const pool = openPool(reader.url);
    const readers = createReaders([{ name: "copy", pool, store: createEventStore(pool) }], store, silentLog);
    try {
      return await work(readers);
    } finally {
      await readers.close();
    }
  });

test("a copy of the log serves, also while it lags, and an empty one too", async () => {
  expect(await leftOut(await copied(primary))).toBeNull();
  await append(primary, 3);
  const copy = await copied(primary);
  await append(primary, 2);
  expect(await leftOut(copy)).toBeNull();
});

test("another log is never used, nor a database without one", async () => {
  const other = await withLog();
  const none = await freshDatabase();
  copies.push(other, none);
  await append(other, 2);
  expect(await leftOut(other)).toMatch(/^it has another log, of epoch /);
  expect(await leftOut(none)).toMatch(/^it cannot be read: .*eventstore/);
});

test("a copy ahead of a restored primary is never used, even once the primary has passed it", async () => {
  await append(primary, 3);
  const ahead = await copied(primary);
  await append(ahead, 2);
  expect(await leftOut(ahead)).toBe("it has position 5, which the primary lacks");
  await append(primary, 3);
  expect(await leftOut(ahead)).toBe("it has another history at position 5");
});

test("a copy that goes back is unused until it has caught up", async () => {
  await append(primary, 3);
  const early = await copied(primary);
  await append(primary, 2);
  const reader = await copied(primary);
  const replaced = async (by: FreshDatabase) => {
    await reader.drop();
    await onServer(`create database ${nameOf(reader)} template ${nameOf(by)}`);
  };
  await withReaders(reader, async (readers) => {
    const state = async () => {
      await readers.look();
      return readers.health()[0]!.left_out;
    };
    expect(await state()).toBeNull();
    await replaced(early);
    // Its connections broke with the previous database.
    await state();
    expect(await state()).toBe("it went back from position 5 to 3");
    expect(await readers.fresh("log", 0)).toBeUndefined();
  });
});

test("another log that replaces it between two checks serves no read, though no connection breaks", async () => {
  await append(primary, 2);
  const reader = await copied(primary);
  const other = await withLog();
  copies.push(other);
  const { epoch } = await using(other.url, (store) => store.identity());
  await withReaders(reader, async (readers) => {
    await readers.look();
    expect(await readers.fresh("log", 2)).toBeDefined();
    await onServer(
      `alter table eventstore.logs disable trigger append_only;
       update eventstore.logs set epoch = '${epoch}';
       alter table eventstore.logs enable trigger append_only`,
      reader.url,
    );
    expect(await readers.fresh("log", 2)).toBeUndefined();
    expect(readers.health()[0]!.left_out).toBe(`it has another log, of epoch ${epoch}`);
  });
});

test("a reader is tried at the start: an unfit one is reported by the setting's name, and an unreachable one is awaited", async () => {
  const start = (url: string, warned: object[] = []) =>
    using(primary.url, (store) =>
      openReaders(
        readConfig({ READ_DATABASE_URLS: url }),
        store,
        Object.assign(Object.create(null), {
          warn: (facts: object) => warned.push(facts),
          info: () => undefined,
        }),
      ).then(async (readers) => {
        const health = readers.health();
        await readers.close();
        return health;
      }),
    );
  const copy = await copied(primary);
  expect(await start(copy.url)).toMatchObject([{ left_out: null }]);
  const away = new URL(copy.url);
  away.host = "127.0.0.1:1";
  const warned: object[] = [];
  const health = await start(`${copy.url}, ${away.href}`, warned);
  expect(health).toMatchObject([
    { left_out: null },
    { left_out: expect.stringMatching(/^it cannot be read/) },
  ]);
  expect(JSON.stringify([health, warned])).not.toContain(new URL(copy.url).password || "tallystick_owner:");
  await onServer(
    `create schema early;
     alter database ${nameOf(copy)} set search_path = early, pg_catalog, public;
     create function early.sha256(bytea) returns bytea language sql as $$ select '\\x00'::bytea $$`,
    copy.url,
  );
  const refused = start(copy.url);
  await expect(refused).rejects.toThrow(ConfigError);
  await expect(refused).rejects.toThrow(/^READ_DATABASE_URLS at .*: .*sha256/);
  expect(() => readConfig({ READ_DATABASE_URLS: "mysql://x/y" })).toThrow(/READ_DATABASE_URLS/);
});
