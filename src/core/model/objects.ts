/** Bytes that are not events, by names that say whose they are and what their digest is. */
import { createHash } from "node:crypto";

/** The most bytes of one that is held in memory. */
export const MOST_OBJECT_BYTES = 1024 * 1024;

/** What is put lies so long before the log names it: whoever dies in between leaves nothing behind. */
export const UNNAMED_S = 3_600;

/** SHA-256 in hex. */
export const digestOf = (bytes: string | Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");

/** `<area>/<owner's id>/<sha256>`. */
export const objectName = (area: string, owner: string, sha256: string) => `${area}/${owner}/${sha256}`;

const FORM = /^[a-z]+\/[A-Za-z0-9][A-Za-z0-9._-]{0,99}\/[0-9a-f]{64}$/;

/** Throws where a name is none, or the bytes are not those that it names. */
export const checkObject = (name: string, bytes: Uint8Array): void => checkDigest(name, digestOf(bytes));

/** The same of bytes whose SHA-256 is known. */
export function checkDigest(name: string, sha256: string): void {
  if (!FORM.test(name)) throw new Error(`${name} names no object`);
  if (!name.endsWith(`/${sha256}`)) throw new ObjectDamaged(name);
}

/** What lies under a name is not what its digest says. */
export class ObjectDamaged extends Error {
  override readonly name = "ObjectDamaged";

  constructor(object: string, difference = "") {
    super(`the bytes of ${object} are not those that it names${difference}`);
  }
}
