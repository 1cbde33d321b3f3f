/** ML-DSA-44 (FIPS 204), which Node 20 lacks. Signatures are deterministic, so signing twice gives the same bytes. */
import { ml_dsa44 } from "@noble/post-quantum/ml-dsa.js";

export const ML_DSA_BYTES = { public_key: 1_312, signature: 2_420, seed: 32 } as const;

/** A key pair whose private key even a quantum computer cannot compute from the public one. */
export type MlDsaKey = { public_key: Uint8Array; sign(message: Uint8Array): Uint8Array };

/** The key pair of a secret seed of 32 bytes. */
export function mlDsaKey(seed: Uint8Array): MlDsaKey {
  const { publicKey, secretKey } = ml_dsa44.keygen(seed);
  return {
    public_key: publicKey,
    sign: (message) => ml_dsa44.sign(message, secretKey, { extraEntropy: false }),
  };
}

/** False also for a key or a signature of the wrong length. */
export function verifiesMlDsa(public_key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (public_key.length !== ML_DSA_BYTES.public_key || signature.length !== ML_DSA_BYTES.signature)
    return false;
  return ml_dsa44.verify(signature, message, public_key);
}
