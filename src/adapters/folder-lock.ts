import { randomBytes } from "node:crypto";
import { link, rm, stat, writeFile } from "node:fs/promises";
import { textIn } from "./text-file.ts";

/** The contents of this process's lock files. */
const heldHere = new Set<string>();

/** Work under such a lock takes seconds, so an older file was abandoned, even if its pid runs again. */
const STALE_MS = 180_000;
/** Earlier versions created the file empty and wrote the name a moment later. */
const NAMELESS_MS = 2_000;
const RETRY_MS = 100;
const PATIENCE_MS = 60_000;

/** Waits for the lock; the lock of a dead process is taken over. */
export async function lockFolder(path: string): Promise<() => Promise<void>> {
  const own = `${process.pid}-${randomBytes(8).toString("hex")}`;
  heldHere.add(own);
  try {
    for (const end = performance.now() + PATIENCE_MS; ; ) {
      if (await createLockFile(path, own)) return () => release(path, own);
      const holder = await textIn(path);
      if (performance.now() > end)
        throw new Error(`another process (pid ${holder}) has held ${path} for over a minute`);
      if (holder !== undefined && (await isAbandoned(path, holder))) await clearAbandoned(path, holder);
      else await new Promise((wake) => setTimeout(wake, holder === undefined ? 1 : RETRY_MS));
    }
  } catch (error) {
    heldHere.delete(own);
    throw error;
  }
}

async function release(path: string, own: string): Promise<void> {
  try {
    if ((await textIn(path)) === own) await rm(path, { force: true });
  } finally {
    heldHere.delete(own);
  }
}

/** Creates the file with its contents, or not at all. */
async function createLockFile(path: string, own: string): Promise<boolean> {
  const aside = `${path}.${own}`;
  try {
    await writeFile(aside, own, { mode: 0o600, flag: "wx" });
    await link(aside, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    await rm(aside, { force: true });
  }
}

async function isAbandoned(path: string, holder: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
  const age = Date.now() - mtimeMs;
  const pid = Number.parseInt(holder, 10);
  if (!pid) return age > NAMELESS_MS;
  // In a container, the dead process and this one may have the same pid.
  const isOwn = pid === process.pid && !heldHere.has(holder);
  return isOwn || !isAlive(pid) || age > STALE_MS;
}

/** Removes an abandoned lock, under a lock of its own: another process may have replaced it since. */
export async function clearAbandoned(path: string, holder: string): Promise<void> {
  const release = await lockFolder(`${path}.of-${holder || "nobody"}`);
  try {
    if ((await textIn(path)) === holder && (await isAbandoned(path, holder))) await rm(path, { force: true });
  } finally {
    await release();
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** An identity that a folder keeps when moved, and that a copy lacks. */
export async function identityOf(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder);
  return `${dev}:${ino}`;
}
