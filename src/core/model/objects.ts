import { createHash } from "node:crypto";

export const MOST_OBJECT_BYTES = 1024 * 1024;

/** A stored object expires after this time unless an event contains its name. */
export const UNNAMED_S = 3_600;

export const digestOf = (bytes: string | Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");

export const objectName = (area: string, owner: string, sha256: string) => `${area}/${owner}/${sha256}`;

const FORM = /^[a-z]+\/[A-Za-z0-9][A-Za-z0-9._-]{0,99}\/[0-9a-f]{64}$/;

export const checkObject = (name: string, bytes: Uint8Array): void => checkDigest(name, digestOf(bytes));

export function checkDigest(name: string, sha256: string): void {
  if (!FORM.test(name)) throw new Error(`${name} names no object`);
  if (!name.endsWith(`/${sha256}`)) throw new ObjectDamaged(name);
}

export class ObjectDamaged extends Error {
  override readonly name = "ObjectDamaged";

  constructor(object: string, difference = "") {
    super(`the bytes of ${object} are not those that it names${difference}`);
  }
}
