/** Opens DuckDB: in memory, with limited threads and memory, spilling only to a given folder. */

import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from "@duckdb/node-api";
import { Refusal, refuse } from "../core/model/refusal.ts";
import { tradeProblems } from "../domain/trade/problems.ts";

export type DuckdbLimits = {
  threads: number;
  memory_mb: number;
};

export async function openDuckdb(limits: DuckdbLimits, spillDir?: string): Promise<DuckDBInstance> {
  return createDuckdb(":memory:", {
    threads: String(limits.threads),
    memory_limit: `${limits.memory_mb}MB`,
    // The empty string means: fail instead of spilling.
    temp_directory: spillDir ?? "",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
}

/** DuckDB is large, so it is loaded on first use. */
export async function createDuckdb(path: string, options?: Record<string, string>): Promise<DuckDBInstance> {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  return DuckDBInstance.create(path, options);
}

/** A literal for SQL without parameters, such as ATTACH. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

export type Params = Record<string, DuckDBValue>;

/** All rows as plain objects. 64-bit integers become JSON numbers; one beyond 2^53 is an error. */
export async function rows<Row>(connection: DuckDBConnection, sql: string, params?: Params): Promise<Row[]> {
  const reader = await connection.runAndReadAll(sql, params);
  return reader.getRowObjectsJS().map((row) => {
    for (const [column, value] of Object.entries(row)) {
      if (typeof value === "bigint") row[column] = safeNumber(value, column);
    }
    return row as Row;
  });
}

/** For queries that always return exactly one row. */
export async function row<Row>(connection: DuckDBConnection, sql: string, params?: Params): Promise<Row> {
  const [first] = await rows<Row>(connection, sql, params);
  if (first === undefined) throw new Error(`no row: ${sql}`);
  return first;
}

function safeNumber(value: bigint, column: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${column} is beyond 2^53: ${value}`);
  return number;
}

/** An abort interrupts the running statement. */
export async function interruptible<T>(
  connection: DuckDBConnection,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const interrupt = () => connection.interrupt();
  signal?.addEventListener("abort", interrupt, { once: true });
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", interrupt);
  }
}

/** Limits of a DuckDB that spills to `dir`. */
type DuckdbOptions = { limits: DuckdbLimits; signal?: AbortSignal | undefined; dir: string };

/** Runs work on a database of its own, which spills to `dir`. An abort interrupts its statement. */
export async function withDuckdb<T>(
  options: DuckdbOptions,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  return withInstance(options, (connect) => connect(work));
}

/** Like withDuckdb, with a connection for each call of `connect`. */
export async function withInstance<T>(
  { limits, signal, dir }: DuckdbOptions,
  work: (connect: <R>(work: (connection: DuckDBConnection) => Promise<R>) => Promise<R>) => Promise<T>,
): Promise<T> {
  const instance = await openDuckdb(limits, dir);
  try {
    return await work(async (run) => {
      const connection = await instance.connect();
      try {
        return await interruptible(connection, signal, () => run(connection));
      } finally {
        connection.closeSync();
      }
    });
  } finally {
    instance.closeSync();
  }
}

const FULL_DISK = /No space left on device|ENOSPC|failed to offload data block|max_temp_directory_size/;

export const isFullDisk = (error: unknown) => error instanceof Error && FULL_DISK.test(error.message);

/** The setting that limits some work's memory, and its value. */
export type MemorySetting = { name: "DUCKDB_MEMORY_MB" | "IMPORT_MEMORY_MB"; mb: number };

/** The limit of any build of a vintage. */
export const importMemory = ({ memory_mb }: DuckdbLimits): MemorySetting => ({
  name: "IMPORT_MEMORY_MB",
  mb: memory_mb,
});

/** Turns a lack of disk space or memory into a refusal that names the setting; rethrows other errors. */
export function explainShortage(error: unknown, dir: string, memory?: MemorySetting): never {
  if (error instanceof Refusal || !(error instanceof Error)) throw error;
  if (isFullDisk(error)) {
    refuse(
      tradeProblems["disk-full"],
      `no space left on the disk of ${dir}: nothing was changed; free some space and run it again`,
    );
  }
  if (memory && error.message.startsWith("Out of Memory Error")) {
    refuse(
      tradeProblems["memory-limit"],
      `the work needs more memory than the ${memory.mb} MB of ${memory.name}: nothing was changed; raise ${memory.name}`,
    );
  }
  throw error;
}
