import { randomBytes } from "node:crypto";
import { link, rm, writeFile } from "node:fs/promises";
import { textIn } from "./text-file.ts";

/** A secret in a file of mode 0600, created on first use. */
export async function storedSecret(
  path: string,
  make = () => randomBytes(24).toString("base64url"),
): Promise<string> {
  const kept = (await textIn(path))?.trim();
  if (kept) return kept;
  // Written under another name and linked: a killed process must not leave half a secret.
  const aside = `${path}.${process.pid}-${randomBytes(4).toString("hex")}`;
  try {
    await writeFile(aside, `${make()}\n`, { mode: 0o600, flag: "wx", flush: true });
    await link(aside, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(aside, { force: true });
  }
  const secret = (await textIn(path))?.trim();
  if (!secret)
    throw new Error(
      `${path} is empty, but held a secret: restore it, or remove the file to get a new secret`,
    );
  return secret;
}
