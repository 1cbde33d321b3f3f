/** Files that an operator names for an import. */
import { stat } from "node:fs/promises";
import { refuse } from "../core/model/refusal.ts";
import { systemReason } from "../core/model/system-reason.ts";

/** The size of a regular file. A pipe would never end, and a device has no size. */
export async function inputSize(path: string): Promise<number> {
  const found = await stat(path).catch((error) => refuseUnread(path, error));
  return found.isFile() ? found.size : refuse("invalid", `${path} is not a file: name a file`);
}

/** Refuses a file that the operating system does not give, with its reason. */
export const refuseUnread = (path: string, error: unknown): never =>
  refuse("invalid", `${path}: ${systemReason(error) ?? (error as Error).message}`);

/** An error of reading names no path. */
export const isReadError = (error: unknown): boolean => (error as NodeJS.ErrnoException).syscall === "read";
