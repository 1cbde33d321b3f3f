import { readFile } from "node:fs/promises";

/** What stands in a file; undefined where there is none. Any other trouble of reading it is thrown. */
export const textIn = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
