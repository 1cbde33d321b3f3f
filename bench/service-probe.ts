/**
 * Loaded into a service before anything else (`--import`), it watches from inside and tells its parent: the SQL that
 * reaches DuckDB and how much of it runs at once, how long the event loop stood still, how long reading a file takes.
 */
import { readFile } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { DuckDBConnection } from "@duckdb/node-api";

/** A statement as DuckDB got it; times are milliseconds of this process's clock. */
export type Statement = { sql: string; began: number; ended: number };

export type Order = { reset?: true; record?: boolean; read_file?: string | null; report?: true };

/** What was seen since the last reset; memory is since the process began. */
export type Report = {
  statements: Statement[];
  most_at_once: number;
  loop_blocked_ms: { p99: number; max: number };
  file_reads_ms: number[];
  peak_memory_mb: number;
};

const RESOLUTION_MS = 1;
const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
loop.enable();

let statements: Statement[] = [];
let file_reads_ms: number[] = [];
let recording = false;
let running = 0;
let most_at_once = 0;
let file: string | null = null;

const run = DuckDBConnection.prototype.runAndReadAll;
DuckDBConnection.prototype.runAndReadAll = async function (sql, ...rest) {
  const began = performance.now();
  most_at_once = Math.max(most_at_once, ++running);
  try {
    return await run.call(this, sql, ...rest);
  } finally {
    running--;
    if (recording) statements.push({ sql, began, ended: performance.now() });
  }
};

/** Reads the file again and again until it is told to stop. */
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
    const blocked = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
    process.send!({
      statements,
      most_at_once,
      loop_blocked_ms: { p99: blocked(loop.percentile(99)), max: blocked(loop.max) },
      file_reads_ms,
      peak_memory_mb: process.resourceUsage().maxRSS / 1024,
    } satisfies Report);
  }
  if (order.reset) {
    loop.reset();
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
