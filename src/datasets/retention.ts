/** Which vintages stay on disk. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { BuildSpace } from "./build-space.ts";
import { manifestPath, partitionsDir, readManifest, vintagesDir } from "./manifest.ts";
import { rollupName, rollupsDir } from "./rollups/file.ts";

/** A vintage stays for this long after another one has replaced it: answers and snapshots can be asked of it all the while. */
export const KEEP_DAYS = 180;

/** What was current at any moment since then is kept. */
export const keptSince = (now: Date) => new Date(now.getTime() - KEEP_DAYS * 86_400_000);

/** How old a file must be before it may go: younger ones may belong to a release that is on its way into the log. */
const GRACE_MS = 86_400_000;

/**
 * Deletes the vintages that are not in `keep`, then the partitions and roll-ups that no remaining manifest names. Needs the build
 * space, so that nothing is published meanwhile. Readers that hold a deleted file open keep reading it.
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
      // A manifest that cannot be read hides which files it needs: then nothing may be deleted.
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

/** Deletes what is old and not needed; answers how many files that were. */
async function sweepFolder(dir: string, needed: ReadonlySet<string>, cutoff: number): Promise<number> {
  let swept = 0;
  for (const file of await readdir(dir).catch(() => [])) {
    const path = join(dir, file);
    if (needed.has(file)) continue;
    // Whoever makes a roll-up gives it its name at any moment.
    const found = await stat(path).catch(() => undefined);
    if (!found || found.mtimeMs > cutoff) continue;
    await rm(path, { force: true });
    swept++;
  }
  return swept;
}
