/** Ed25519 keys derived from a seed, so that signatures are the same in every run. */
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import type { OkpKey, Signer } from "../../src/core/model/ports/signer.ts";

/** The prefix of the seed in PKCS #8 (RFC 8410, section 7). */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** The signer of a seed of 32 bytes, or of the SHA-256 of a name. */
export function signerOf(seed: Uint8Array | string): Signer {
  const bytes = typeof seed === "string" ? createHash("sha256").update(seed).digest() : seed;
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, bytes]), format: "der", type: "pkcs8" });
  const public_key = createPublicKey(key).export({ format: "jwk" }) as OkpKey;
  return { kid: public_key.x, public_key, sign: (message) => sign(null, message, key) };
}
