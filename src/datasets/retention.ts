/** Deletes vintages that are no longer needed. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { BuildSpace } from "./build-space.ts";
import { manifestPath, partitionsDir, readManifest, vintagesDir } from "./manifest.ts";
import { rollupName, rollupsDir } from "./rollups/file.ts";

/** A replaced vintage stays this long, for answers and snapshots. */
export const KEEP_DAYS = 180;

/** Vintages that were current since then stay. */
export const retainedSince = (now: Date) => new Date(now.getTime() - KEEP_DAYS * 86_400_000);

/** Files younger than this stay: they may belong to a release in progress. */
const GRACE_MS = 86_400_000;

/**
 * Deletes the vintages that are not in `keep`, then the partitions and roll-ups that no manifest names. Needs the
 * build space, so that nothing is published meanwhile. Readers continue to read a deleted open file.
 */
export async function sweepVintages(
  space: BuildSpace,
  keep: ReadonlySet<string>,
  now: Date,
): Promise<{ vintages: number; partitions: number }> {
  const cutoff = now.getTime() - GRACE_MS;
  const needed = new Set<string>();
  let vintages = 0;
  for (const name of await readdir(vintagesDir(space.dataDir))) {
    const vintage = /^([0-9a-f]{64})\.json$/.exec(name)?.[1];
    if (vintage === undefined) continue;
    const path = manifestPath(space.dataDir, vintage);
    if (keep.has(vintage) || (await stat(path)).mtimeMs > cutoff) {
      // An unreadable manifest hides which files it needs, so nothing may be deleted.
      for (const entry of (await readManifest(space.dataDir, vintage)).partitions)
        needed.add(entry.file).add(rollupName(entry));
    } else {
      await rm(path, { force: true });
      vintages++;
    }
  }
  const partitions = await sweepFolder(partitionsDir(space.dataDir), needed, cutoff);
  await sweepFolder(rollupsDir(space.dataDir), needed, cutoff);
  return { vintages, partitions };
}

/** Deletes old, unneeded files; returns their number. */
async function sweepFolder(dir: string, needed: ReadonlySet<string>, cutoff: number): Promise<number> {
  let swept = 0;
  for (const file of await readdir(dir).catch(() => [])) {
    const path = join(dir, file);
    if (needed.has(file)) continue;
    // A roll-up may be renamed into place at any moment.
    const found = await stat(path).catch(() => undefined);
    if (!found || found.mtimeMs > cutoff) continue;
    await rm(path, { force: true });
    swept++;
  }
  return swept;
}
