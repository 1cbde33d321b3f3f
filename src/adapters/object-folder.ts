/** Stores objects as `<folder>/<name>`, in a folder that all processes of the service share. */
import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFile } from "../../eventstore/system/sync-file.ts";
import { type FileStore, ObjectsUnavailable } from "../core/model/ports/objects.ts";

export function objectFolder(folder: string): FileStore {
  const pathOf = (name: string) => join(folder, name);
  return {
    check: async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
        throw new ObjectsUnavailable(`DATA_DIR: no objects can be kept in ${folder}: ${error.message}`);
      });
    },
    async put(name, { path }) {
      const at = pathOf(name);
      await mkdir(dirname(at), { recursive: true, mode: 0o700 });
      const aside = `${at}.${randomUUID()}`;
      try {
        await copyFile(path, aside);
        await syncFile(aside);
        await rename(aside, at);
        await syncFile(dirname(at));
      } finally {
        await rm(aside, { force: true });
      }
    },
    async get(name) {
      // Opened first, to distinguish a missing file from a failed read.
      const file = await open(pathOf(name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw new ObjectsUnavailable(`${name} cannot be read: ${error.message}`);
      });
      return file && createReadStream("", { fd: file, highWaterMark: 1024 * 1024 });
    },
    async delete(name) {
      await rm(pathOf(name), { force: true });
    },
  };
}
