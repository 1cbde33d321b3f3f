import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Makes a folder and its parents; rejects with the operating system's error, whose `path` is where it stopped. */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const exists = (place: string) => stat(place).catch(() => undefined);
    if (code === "EEXIST" && (await exists(path))?.isDirectory()) return;
    if (code === "EEXIST") throw Object.assign(error as Error, { code: "ENOTDIR" });
    if (code !== "ENOENT") throw error;
    // Node's own recursive mkdir tries forever below /proc, where the parent exists and no folder can be made.
    if (await exists(dirname(path))) throw Object.assign(error as Error, { code: "ENOTSUP" });
    await makeFolder(dirname(path), mode);
    await makeFolder(path, mode);
  }
}
