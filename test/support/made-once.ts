/** Shared results of a run: the first test file that needs one creates it, the others get copies. */
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { inject } from "vitest";
import { vintagesDir } from "../../src/datasets/manifest.ts";

/**
 * Copies `make`'s published vintages into this data folder; a run creates each name once. Returns `make`'s result,
 * as JSON.
 */
export async function madeOnce<Value>(
  name: string,
  dataDir: string,
  make: (dataDir: string) => Promise<Value>,
): Promise<Value> {
  const kept = join(inject("runDir"), name);
  await once(name, async () => {
    const making = `${kept}.making`;
    await rm(making, { recursive: true, force: true });
    await mkdir(making);
    await writeFile(join(making, "told.json"), JSON.stringify(await make(making)));
    await rename(making, kept);
  });
  // Existing files may be open.
  await cp(vintagesDir(kept), vintagesDir(dataDir), { recursive: true, force: false });
  return JSON.parse(await readFile(join(kept, "told.json"), "utf8"));
}

/** This process's knowledge of the run's results; a marker on disk tells all processes. */
const known = new Set<string>();

/** Runs `make` once per run; concurrent callers wait for it. */
export async function once(name: string, make: () => Promise<void>): Promise<void> {
  if (known.has(name)) return;
  const mark = join(inject("runDir"), `${name}.made`);
  await underLock(name, async () => {
    if (existsSync(mark)) return;
    await make();
    await writeFile(mark, "");
  });
  known.add(name);
}

/** One process of the run at a time. */
async function underLock(name: string, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: inject("postgresUrl") });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock(hashtext($1))", [name]);
    await work();
  } finally {
    await client.end();
  }
}
