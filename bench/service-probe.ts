/**
 * Preloaded into a service (`--import`), it observes from inside and reports to its parent: DuckDB's SQL and its
 * concurrency, the event loop's blocked times, and the duration of file reads.
 */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { DuckDBConnection } from "@duckdb/node-api";

/** A statement as sent to DuckDB; times are milliseconds of this process's clock. */
export type Statement = { sql: string; began: number; ended: number };

export type Order = { reset?: true; record?: boolean; read_file?: string | null; report?: true };

/** The record since the last reset; memory is since the process began. */
export type Report = {
  statements: Statement[];
  most_at_once: number;
  /** The longest time between two ticks of the event loop, and its thread's longest work in one. */
  loop_ms: { between: number; at_work: number };
  file_reads_ms: number[];
  peak_memory_mb: number;
};

const TICK_MS = 2;

let statements: Statement[] = [];
let file_reads_ms: number[] = [];
let recording = false;
let running = 0;
let most_at_once = 0;
let file: string | null = null;
let loop_ms = { between: 0, at_work: 0 };

/** CPU milliseconds of this process's first thread, the event loop's. */
const workedMs = () => Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[0]) / 1e6;

let last = { at: performance.now(), worked: workedMs() };
setInterval(() => {
  const now = { at: performance.now(), worked: workedMs() };
  loop_ms = {
    between: Math.max(loop_ms.between, now.at - last.at - TICK_MS),
    at_work: Math.max(loop_ms.at_work, now.worked - last.worked),
  };
  last = now;
}, TICK_MS).unref();

const run = DuckDBConnection.prototype.runAndReadAll;
DuckDBConnection.prototype.runAndReadAll = async function (sql, ...rest) {
  // A query of the catalogue, as for an attached file, reads no rows.
  if (sql.includes("duckdb_tables()")) return run.call(this, sql, ...rest);
  const began = performance.now();
  most_at_once = Math.max(most_at_once, ++running);
  try {
    return await run.call(this, sql, ...rest);
  } finally {
    running--;
    if (recording) statements.push({ sql, began, ended: performance.now() });
  }
};

/** Reads the file repeatedly until stopped. */
async function keepReading(path: string): Promise<void> {
  while (file === path) {
    const begun = performance.now();
    await readFile(path);
    file_reads_ms.push(performance.now() - begun);
    await pause(5);
  }
}

process.on("message", (order: Order) => {
  if (order.report) {
    process.send!({
      statements,
      most_at_once,
      loop_ms,
      file_reads_ms,
      peak_memory_mb: process.resourceUsage().maxRSS / 1024,
    } satisfies Report);
  }
  if (order.reset) {
    loop_ms = { between: 0, at_work: 0 };
    statements = [];
    file_reads_ms = [];
    most_at_once = running;
  }
  if (order.record !== undefined) recording = order.record;
  if (order.read_file !== undefined && order.read_file !== file) {
    file = order.read_file;
    if (file !== null) void keepReading(file);
  }
});
process.channel?.unref();
