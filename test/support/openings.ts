/** Records what a test file opens (sockets, processes, folders, DuckDB), and fails a file in the wrong tier. */
import childProcess from "node:child_process";
import fs from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { Server, Socket } from "node:net";
import { afterAll, inject, type RunnerTask } from "vitest";
import type { Tier } from "../tiers.ts";

declare module "vitest" {
  export interface ProvidedContext {
    tier: Tier;
  }
}

type Openings = { tier: Tier; names: Set<string> };

/** One per worker: its modules and the watched functions stay from file to file. */
const openings = ((globalThis as { openings?: Openings }).openings ??= watchAll());
openings.tier = inject("tier");
openings.names.clear();

if (openings.tier === "stories") {
  // A file that skipped a test may have skipped the one that opens something.
  const isSkipped = (task: Readonly<RunnerTask>): boolean =>
    task.mode === "skip" || ("tasks" in task && task.tasks.some(isSkipped));
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the pattern, and passes the file after it
  afterAll(({}, file) => {
    if (openings.names.size === 0 && !isSkipped(file))
      throw new Error(
        "this file imports a helper that opens something, and opens nothing: import the pure part alone",
      );
  });
}

function watchAll(): Openings {
  const watching: Openings = { tier: "imports", names: new Set() };
  const watch = (owner: object, name: string, what: string) => {
    const methods = owner as Record<string, (...args: unknown[]) => unknown>;
    const original = methods[name]!;
    methods[name] = function (this: unknown, ...args: unknown[]) {
      if (watching.tier === "pure")
        throw new Error(
          `a pure test file opens ${what}: import what opens it from a helper, and it is a story`,
        );
      watching.names.add(what);
      return original.apply(this, args);
    };
  };
  watch(Socket.prototype, "connect", "a socket");
  watch(Server.prototype, "listen", "a socket");
  watch(childProcess.ChildProcess.prototype, "spawn", "a process");
  for (const name of ["execFileSync", "execSync", "spawnSync"]) watch(childProcess, name, "a process");
  watch(fs, "mkdtempSync", "a folder");
  watch(fs.promises, "mkdtemp", "a folder");
  const { DuckDBInstance } = createRequire(import.meta.url)("@duckdb/node-api");
  watch(DuckDBInstance, "create", "a database");
  syncBuiltinESMExports();
  return watching;
}
