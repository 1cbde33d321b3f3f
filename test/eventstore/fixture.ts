import type pg from "pg";
import { migrate } from "../../eventstore/migrate.ts";
import { openPool } from "../../eventstore/pool.ts";
import { createEventStore, type EventStore, type EventStoreOptions } from "../../eventstore/store.ts";
import type {
  AppendedEvent,
  AppendResult,
  Commit,
  ExpectedVersion,
  JsonObject,
} from "../../eventstore/types.ts";
import { freshDatabase } from "../support/database.ts";

export type Fixture = { url: string; pool: pg.Pool; store: EventStore; close(): Promise<void> };

/** A separate log in a separate database, opened as the owner. */
export async function openLog(options: EventStoreOptions = {}): Promise<Fixture> {
  const database = await freshDatabase();
  await migrate(database.url, { host: "test.example" });
  const pool = openPool(database.url);
  const store = createEventStore(pool, options);
  const close = async () => {
    await store.close();
    await pool.end();
    await database.drop();
  };
  return { url: database.url, pool, store, close };
}

export type Place = {
  log_id?: number;
  tenant?: string;
  stream_id?: string;
  expected_version?: ExpectedVersion;
};

/** A commit of one event on one stream. */
export function commitOf(
  place: Place = {},
  payload: JsonObject = { n: 1 },
  rest: Partial<Commit> = {},
): Commit {
  const { log_id, tenant = "acme", stream_id = "order-1", expected_version = "any" } = place;
  return {
    log_id,
    appends: [{ tenant, stream_id, expected_version, events: [{ type: "Happened", payload }] }],
    ...rest,
  };
}

export const keyed = (idem_key: string, request = 1): Partial<Commit> => ({
  idempotency: { idem_key, request_hash: Buffer.alloc(32, request) },
});

/** The events of a commit that must have been appended. */
export function appended(result: AppendResult): AppendedEvent[] {
  if (result.status !== "appended") throw new Error(`expected appended, got ${JSON.stringify(result)}`);
  return result.events;
}

export const positions = (events: { position: number }[]): number[] => events.map((event) => event.position);
