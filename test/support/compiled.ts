/** Compiles the tests' other processes once a run: each starts in a third of the time. */
import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { PATIENT } from "./patience.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const MARK = join(ROOT, "dist/test/complete");

/** Packages are skipped: the stock clients of test/clients have hundreds of thousands of files. */
const newestIn = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules" && name !== ".venv")
    .map((entry) => join(folder, entry.name))
    .reduce((newest, path) => {
      const found = statSync(path);
      return Math.max(newest, found.isDirectory() ? newestIn(path) : found.mtimeMs);
    }, 0);

/** Compiles the service and the tests' programs, unless both are up to date. */
export function compile(): void {
  const sources = ["src", "eventstore", "test"].map((folder) => newestIn(join(ROOT, folder)));
  if (existsSync(MARK) && statSync(MARK).mtimeMs >= Math.max(...sources)) return;
  execFileSync(process.execPath, [join(ROOT, "bin/compile.mjs"), "--tests"], { stdio: "inherit" });
}

/** Starts a test program, named by its repository path or absolute path, as a separate process. */
export function startProgram(
  path: string,
  args: readonly string[] = [],
  options: SpawnOptions = {},
): ChildProcess {
  const program = join(ROOT, "dist", relative(ROOT, resolve(ROOT, path))).replace(/\.ts$/, ".js");
  return spawn(process.execPath, [program, ...args], {
    ...options,
    env: { ...PATIENT, ...(options.env ?? process.env) },
  });
}
