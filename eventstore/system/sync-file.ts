import { open } from "node:fs/promises";

/** Makes a file or a folder's entries last. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
