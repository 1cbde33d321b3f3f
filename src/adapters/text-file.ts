import { readFile } from "node:fs/promises";

/** The file's text; undefined if it does not exist. Throws other read errors. */
export const textIn = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
