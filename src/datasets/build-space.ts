/** The folder in which one process at a time builds a vintage, and the publication of what it built. */

import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { DuckDBInstance } from "@duckdb/node-api";
import { syncFile } from "../../eventstore/system/sync-file.ts";
import { refuse } from "../core/model/refusal.ts";
import { tradeProblems } from "../domain/trade/problems.ts";
import { createDuckdb, explainShortage, isFullDisk } from "./duckdb.ts";
import { type Manifest, manifestPath, partitionsDir, stagedDir, vintagesDir } from "./manifest.ts";
import { rollupName, rollupPath, rollupsDir } from "./rollups/file.ts";

export type BuildSpace = {
  dataDir: string;
  /** Files in here are private until they are published. */
  dir: string;
  /** Called before a file is written or published; a test throws here to simulate a failing disk. */
  beforeWrite: (path: string) => void;
  release(): Promise<void>;
};

/** A builder's output: a manifest and the new partition files, still in the build space. */
export type BuiltVintage = {
  manifest: Manifest;
  /** The vintage that it is based on. */
  replaces: string | null;
  /** File names in the build space. */
  new_files: string[];
};

const PREFIX = "building-";
const heldHere = new Set<string>();

type SpaceOptions = LockOptions & { beforeWrite?: (path: string) => void };

/**
 * Locks the only build space of a data folder and removes leftovers of killed builds; `conflict` if another import
 * still has it after `wait_ms`.
 */
export async function takeBuildSpace(
  dataDir: string,
  options: SpaceOptions & {
    /** Waits while another import wants the space, and does not announce its own wait. */
    gives_way?: boolean;
  } = {},
): Promise<BuildSpace> {
  await mkdir(partitionsDir(dataDir), { recursive: true });
  return takeSpace(dataDir, resolve(vintagesDir(dataDir)), options);
}

/**
 * The space for reading months before their year is built, during imports: one per data folder, locked and cleaned
 * likewise.
 */
export async function takeStagingSpace(dataDir: string, options: SpaceOptions = {}): Promise<BuildSpace> {
  await mkdir(stagedDir(dataDir), { recursive: true });
  return takeSpace(dataDir, resolve(stagedDir(dataDir)), options);
}

async function takeSpace(
  dataDir: string,
  parent: string,
  options: SpaceOptions & { gives_way?: boolean },
): Promise<BuildSpace> {
  const unlock = await lock(join(parent, "import.lock"), options).catch((error) =>
    explainShortage(error, dataDir),
  );
  try {
    for (const name of await readdir(parent)) {
      if (name.startsWith(PREFIX)) await rm(join(parent, name), { recursive: true, force: true });
    }
    const dir = await mkdtemp(join(parent, PREFIX));
    const release = async () => {
      await rm(dir, { recursive: true, force: true });
      unlock();
    };
    return { dataDir, dir, beforeWrite: options.beforeWrite ?? (() => {}), release };
  } catch (error) {
    unlock();
    return explainShortage(error, dataDir);
  }
}

/** A waiting import touches this file repeatedly, so that a killed process stops counting as waiting. */
const wantedPath = (lockPath: string) => `${lockPath}.wanted`;
const ASK_AGAIN_MS = 200;
const WANTED_MS = 2_000;

/** True if an import waits for the build space of a data folder. */
export const isWanted = (dataDir: string): Promise<boolean> =>
  isFresh(wantedPath(join(resolve(vintagesDir(dataDir)), "import.lock")));

const isFresh = (path: string): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs < WANTED_MS,
    () => false,
  );

type LockOptions = { wait_ms?: number; signal?: AbortSignal | undefined; gives_way?: boolean };

/** Waits up to `wait_ms` for the lock; the result releases it. */
async function lock(path: string, { wait_ms = 0, signal, gives_way }: LockOptions): Promise<() => void> {
  const wanted = wantedPath(path);
  const deadline = performance.now() + wait_ms;
  for (;;) {
    signal?.throwIfAborted();
    const taken = gives_way && (await isFresh(wanted)) ? "another import that waits" : await tryLock(path);
    if (typeof taken === "function") {
      if (!gives_way) await rm(wanted, { force: true });
      return taken;
    }
    if (!gives_way && wait_ms > 0) await writeFile(wanted, "");
    if (performance.now() >= deadline) {
      refuse(
        tradeProblems["import-running"],
        `another import is running (${taken}): wait for it to end, then try again`,
        {
          retry_after_s: 30,
        },
      );
    }
    await new Promise((wake) => setTimeout(wake, ASK_AGAIN_MS));
  }
}

/**
 * DuckDB's writer lock: the kernel releases it when its process dies, so it is never stale. Returns the current
 * owner if it is taken.
 */
async function tryLock(path: string): Promise<(() => void) | string> {
  // The kernel's lock is per process, so this set excludes builds within one process.
  if (heldHere.has(path)) return `process ${process.pid}`;
  heldHere.add(path);
  try {
    const instance = await openLock(path);
    return () => {
      instance.closeSync();
      heldHere.delete(path);
    };
  } catch (error) {
    heldHere.delete(path);
    const message = error instanceof Error ? error.message : String(error);
    if (message.includes("Could not set lock"))
      return `process ${/PID (\d+)/.exec(message)?.[1] ?? "unknown"}`;
    if (isFullDisk(error)) throw error;
    const why = message.split("\n")[0]!;
    return refuse("unavailable", `${path} cannot be locked (${why}): check its rights and its disk`);
  }
}

const HALF_WRITTEN = /not a valid DuckDB database file|Could not read enough bytes/;

/** A process that died while it made the file, or a full disk, leaves one that nobody could open again. */
async function openLock(path: string): Promise<DuckDBInstance> {
  try {
    return await createDuckdb(path);
  } catch (error) {
    if (!(error instanceof Error && HALF_WRITTEN.test(error.message))) throw error;
  }
  const draft = `${path}.${process.pid}`;
  try {
    (await createDuckdb(draft)).closeSync();
    // Another file of this name would be another lock, so the bytes go into this one.
    await writeFile(path, await readFile(draft));
  } finally {
    await rm(draft, { force: true });
  }
  return createDuckdb(path);
}

/**
 * Publishes a built vintage under its name: files first, the manifest last, each step durable. A kill in between
 * leaves only files that no manifest names.
 */
export async function publish(space: BuildSpace, built: BuiltVintage): Promise<void> {
  try {
    await moveIntoPlace(space, built);
  } catch (error) {
    explainShortage(error, space.dataDir);
  }
}

async function moveIntoPlace(space: BuildSpace, built: BuiltVintage): Promise<void> {
  for (const name of built.new_files) {
    const target = join(partitionsDir(space.dataDir), name);
    space.beforeWrite(target);
    await syncFile(join(space.dir, name));
    await rename(join(space.dir, name), target);
  }
  await syncFile(partitionsDir(space.dataDir));
  await mkdir(rollupsDir(space.dataDir), { recursive: true });
  // A missing or unmovable roll-up is created when the vintage is served.
  for (const entry of built.manifest.partitions)
    await rename(join(space.dir, rollupName(entry)), rollupPath(space.dataDir, entry)).catch(() => undefined);
  const target = manifestPath(space.dataDir, built.manifest.vintage);
  space.beforeWrite(target);
  const draft = join(space.dir, "manifest.json");
  await writeFile(draft, JSON.stringify(built.manifest), { flush: true });
  await rename(draft, target);
  await syncFile(vintagesDir(space.dataDir));
}
