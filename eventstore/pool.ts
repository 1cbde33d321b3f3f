import pg from "pg";
import { parseByteaArray, parseIntegerArray, safeInteger } from "./pg-arrays.ts";

export type PoolSettings = {
  /** Default 10. */
  max?: number;
  /** Default: five seconds. */
  wait_ms?: number;
  application_name?: string;
  /** The pool replaces broken connections itself. */
  onError?: (error: Error) => void;
};

/** By type OID (pg_type.dat). Others stay Postgres' text: numeric, timestamptz, uuid. */
const PARSERS: Record<number, (text: string) => unknown> = {
  16: (text) => text === "t",
  17: (text) => Buffer.from(text.slice(2), "hex"),
  20: safeInteger,
  21: Number,
  23: Number,
  114: JSON.parse,
  700: Number,
  701: Number,
  1001: parseByteaArray,
  1007: parseIntegerArray,
  1016: parseIntegerArray,
  3802: JSON.parse,
};

const asText = (text: string) => text;

/** pg's parsers are global, and another library may change them. */
const types = { getTypeParser: (oid: number) => PARSERS[oid] ?? asText } as pg.CustomTypesConfig;

/**
 * A checkpoint wakes many queries at once every minute, so connections stay open between them. A new one costs Postgres a process
 * and both sides a SCRAM; a busy machine cannot open fifty within a call's timeout.
 */
const IDLE_MS = 300_000;

/** Timeouts, so that a lost network cannot block a caller for ever. */
export function openPool(connectionString: string, settings: PoolSettings = {}): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    types,
    max: settings.max ?? 10,
    application_name: settings.application_name ?? "tallystick",
    connectionTimeoutMillis: settings.wait_ms ?? 5_000,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: 30_000,
    query_timeout: 35_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
  });
  const onError = settings.onError ?? (() => {});
  pool.on("error", onError);
  // The pool does not listen on checked-out clients, and an unhandled 'error' ends the process.
  pool.on("connect", (client) => client.on("error", onError));
  return pool;
}
