/** Notebooks (notes.ts) on their own log, and the processes that write them. */
import { afterAll, beforeAll } from "vitest";
import { migrate } from "../../eventstore/migrate.ts";
import { openPool } from "../../eventstore/pool.ts";
import { registry } from "../../eventstore/schemas.ts";
import { createEventStore } from "../../eventstore/store.ts";
import { absentSubjects } from "../../src/adapters/subject-vault.ts";
import { StreamCache } from "../../src/core/commands/stream-cache.ts";
import { type FreshDatabase, freshDatabase } from "./database.ts";
import * as notes from "./notes.ts";

/** For the tests of one file; ready when they begin. */
export function notebooks() {
  let database: FreshDatabase;
  let pool: ReturnType<typeof openPool>;
  const schemas = registry([notes.events]);
  beforeAll(async () => {
    database = await freshDatabase();
    await migrate(database.url, { host: "log.test" });
    pool = openPool(database.url, { max: 20 });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  return {
    get url() {
      return database.url;
    },
    get pool() {
      return pool;
    },
    /** One process: its own store and cache over the shared database. */
    makeProcess: () => ({
      store: createEventStore(pool, { schemas }),
      schemas,
      cache: new StreamCache(),
      subjects: absentSubjects(),
      objects: { put: (): Promise<void> => Promise.reject(new Error("nothing is stored here")) },
    }),
  };
}
