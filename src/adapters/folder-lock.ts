import { randomBytes } from "node:crypto";
import { open, readFile, rm, stat } from "node:fs/promises";

/** What stands in the files of the locks that this process holds. */
const heldHere = new Set<string>();

/** Work under such a lock takes seconds; a file older than this was left behind, whoever has its pid by now. */
const STALE_MS = 180_000;
/** Whoever makes such a file writes its name into it at once. */
const NAMELESS_MS = 2_000;
const RETRY_MS = 100;
const MOST_TRIES = 600;

/** One starter at a time; a lock whose holder is gone is taken over. */
export async function lockFolder(path: string): Promise<() => Promise<void>> {
  const own = `${process.pid}-${randomBytes(8).toString("hex")}`;
  heldHere.add(own);
  for (let tries = 0; tries < MOST_TRIES; ) {
    if (await made(path, own))
      return async () => {
        if ((await holderOf(path)) === own) await rm(path, { force: true });
        heldHere.delete(own);
      };
    const holder = await holderOf(path);
    if (holder === undefined) continue;
    if (await isLeft(path, holder)) await clearLeft(path, holder);
    else await new Promise((wake) => setTimeout(wake, RETRY_MS));
    tries++;
  }
  heldHere.delete(own);
  throw new Error(`another process (pid ${await holderOf(path)}) has held ${path} for over a minute`);
}

async function made(path: string, own: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    await file.writeFile(own);
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

/** Undefined where nobody holds it; empty where its maker has not written yet. */
const holderOf = (path: string) => readFile(path, "utf8").catch(() => undefined);

async function isLeft(path: string, holder: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
  const age = Date.now() - mtimeMs;
  const pid = Number.parseInt(holder, 10);
  if (!pid) return age > NAMELESS_MS;
  // In a container the process that died and this one may well have the same pid.
  const isOwn = pid === process.pid && !heldHere.has(holder);
  return isOwn || !isAlive(pid) || age > STALE_MS;
}

/** Removes what was left behind, under a lock of its own: another may have done so since, and the file be that of somebody who lives. */
export async function clearLeft(path: string, holder: string): Promise<void> {
  const release = await lockFolder(`${path}.of-${holder || "nobody"}`);
  try {
    if ((await holderOf(path)) === holder && (await isLeft(path, holder))) await rm(path, { force: true });
  } finally {
    await release();
  }
}

/** True while a process of this id runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** What a folder keeps when it is moved, and a copy of it has not. */
export async function identityOf(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder);
  return `${dev}:${ino}`;
}
