/** An empty database on another machine, to restore a log into, and the result. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import pino from "pino";
import { onTestFinished } from "vitest";
import { openPool } from "../../eventstore/pool.ts";
import { type RestoredService, type RestoreOptions, restoreService } from "../../src/runtime/restoring.ts";
import { freshDatabase } from "./database.ts";
import { patientConfig } from "./patience.ts";
import { type Service, type ServiceOptions, startService } from "./service.ts";

const silent = pino({ level: "silent" });

/** A new folder. */
export const place = () => mkdtemp(join(tmpdir(), "tallystick-elsewhere-"));

export type Elsewhere = {
  data_dir: string;
  database_url: string;
  restore(from: string, options?: RestoreOptions): Promise<RestoredService>;
  /** The service on it; the options' `env` extends the machine's own settings. */
  start(options?: ServiceOptions): Promise<Service>;
  ask<T>(work: (pool: pg.Pool) => Promise<T>): Promise<T>;
};

/** A machine that knows only the key; `env` has further settings. Deleted when the test ends. */
export async function elsewhere(signing_key: string, env: Record<string, string> = {}): Promise<Elsewhere> {
  const database = await freshDatabase();
  const data_dir = await place();
  onTestFinished(async () => {
    await database.drop();
    await rm(data_dir, { recursive: true, force: true });
  });
  const own = { DATABASE_URL: database.url, DATA_DIR: data_dir, SIGNING_KEY: signing_key, ANCHORING: "0" };
  return {
    data_dir,
    database_url: database.url,
    restore: (from, options) => restoreService(patientConfig({ ...own, ...env }), silent, from, options),
    start: (options) =>
      startService({
        ...options,
        beside: { data_dir, database_url: database.url },
        env: { SIGNING_KEY: signing_key, ...options?.env },
      }),
    async ask(work) {
      const pool = openPool(database.url);
      return work(pool).finally(() => pool.end());
    },
  };
}

/** Every column of every event, and the log's name. */
export async function bytesOf(pool: pg.Pool): Promise<unknown[]> {
  const events = await pool.query("select e::text as row from eventstore.events e order by position");
  const logs = await pool.query("select log_id, origin, epoch from eventstore.logs");
  return [...logs.rows, ...events.rows];
}
