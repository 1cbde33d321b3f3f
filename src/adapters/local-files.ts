/**
 * Files of this machine: `making-<random>` during a download or computation, then `<folder>/<sha256>`. A file
 * unused for a day is removed.
 */
import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";

const DAY_MS = 86_400_000;

type LocalFile = { path: string; bytes: number };

export function localFiles(folder: string) {
  /** By name: the checked file's identity, to detect later writes. */
  const checked = new Map<string, string>();
  const fetching = new Map<string, Promise<LocalFile | undefined>>();

  async function aside<T>(work: (path: string) => Promise<T>): Promise<T> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await sweep(folder);
    const path = join(folder, `making-${randomUUID()}`);
    try {
      return await work(path);
    } finally {
      await rm(path, { force: true });
    }
  }

  async function found(path: string): Promise<LocalFile | undefined> {
    const before = await stampOf(path);
    if (!before) return undefined;
    if (checked.get(path) !== before.stamp) {
      if (!path.endsWith(await digestOf(path))) return undefined;
      checked.set(path, before.stamp);
    }
    // Use extends its life by a day; the modification time stays.
    await utimes(path, new Date(), before.written_at).catch(() => undefined);
    return { path, bytes: before.bytes };
  }

  async function fetched(
    path: string,
    fetch: (aside: string) => Promise<boolean>,
  ): Promise<LocalFile | undefined> {
    const there = await found(path);
    if (there) return there;
    return aside(async (making) => {
      if (!(await fetch(making))) return undefined;
      await rename(making, path);
      const now = (await stampOf(path))!;
      checked.set(path, now.stamp);
      return { path, bytes: now.bytes };
    });
  }

  return {
    aside,
    /** `fetch` writes the file under a temporary name, and its digest is checked. False: it does not exist. */
    keep(name: string, fetch: (aside: string) => Promise<boolean>): Promise<LocalFile | undefined> {
      const path = join(folder, name.slice(name.lastIndexOf("/") + 1));
      const own = fetching.get(path) ?? fetched(path, fetch).finally(() => fetching.delete(path));
      fetching.set(path, own);
      return own;
    },
  };
}

/** Identifies an unmodified file. */
async function stampOf(
  path: string,
): Promise<{ stamp: string; bytes: number; written_at: Date } | undefined> {
  const facts = await stat(path).catch(() => undefined);
  return (
    facts && {
      stamp: `${facts.ino} ${facts.size} ${Math.round(facts.mtimeMs)}`,
      bytes: facts.size,
      written_at: facts.mtime,
    }
  );
}

async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const facts = await stat(join(folder, name)).catch(() => undefined);
    if (facts && Math.max(facts.atimeMs, facts.mtimeMs) < Date.now() - DAY_MS)
      await rm(join(folder, name), { force: true });
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
