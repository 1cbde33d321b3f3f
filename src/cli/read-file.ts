import { readFile, stat } from "node:fs/promises";
import { refuse } from "../core/model/refusal.ts";
import { systemReason } from "../core/model/system-reason.ts";

const unreadable = (path: string, error: Error): string =>
  `cannot read ${path}: ${systemReason(error) ?? error.message}`;

/** Refuses an unreadable file. */
export const bytesOf = (path: string): Promise<Buffer> =>
  readFile(path).catch((error: Error) => refuse("invalid", unreadable(path, error)));

/** Refuses an unreadable file. */
export const textOf = async (path: string): Promise<string> => (await bytesOf(path)).toString("utf8");

/** Why a large file cannot be read, before it is begun; undefined for a file and for `-`, the standard input. */
export async function faultOfFile(path: string): Promise<string | undefined> {
  if (path === "-") return undefined;
  try {
    return (await stat(path)).isDirectory() ? `cannot read ${path}: it is a folder: name a file` : undefined;
  } catch (error) {
    return unreadable(path, error as Error);
  }
}
