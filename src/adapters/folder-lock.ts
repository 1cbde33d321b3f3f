import { open, readFile, rm, stat } from "node:fs/promises";

const heldHere = new Set<string>();

/** Work under such a lock takes seconds; a file older than this was left behind, whoever has its pid by now. */
const STALE_MS = 180_000;

/** One starter at a time; a lock whose holder is gone is taken over. */
export async function lockFolder(path: string): Promise<() => Promise<void>> {
  for (let attempt = 0; ; attempt++) {
    try {
      const file = await open(path, "wx", 0o600);
      await file.writeFile(String(process.pid));
      await file.close();
      heldHere.add(path);
      return async () => {
        heldHere.delete(path);
        await rm(path, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = Number(await readFile(path, "utf8").catch(() => "0"));
    const age =
      Date.now() -
      (await stat(path).then(
        (s) => s.mtimeMs,
        () => Date.now(),
      ));
    // In a container the process that died and this one may well have the same pid.
    const own = holder === process.pid && !heldHere.has(path);
    const gone = holder ? own || !isAlive(holder) || age > STALE_MS : age > 2_000;
    if (gone) await rm(path, { force: true });
    if (attempt > 600) throw new Error(`another process (pid ${holder}) has held ${path} for over a minute`);
    await new Promise((wake) => setTimeout(wake, 100));
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
