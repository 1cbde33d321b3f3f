/** Nonces that the service hands out to sign in with; each is good once. */
import { createHmac, timingSafeEqual } from "node:crypto";

/** Hex digits of each half: the random one, and its tag. */
const HALF = 16;

const tag = (secret: Uint8Array, random: string) =>
  createHmac("sha256", secret).update(`sign-in nonce ${random}`).digest("hex").slice(0, HALF);

/** `random`: 8 bytes. */
export function issuedNonce(secret: Uint8Array, random: Uint8Array): string {
  const half = Buffer.from(random).toString("hex");
  return half + tag(secret, half);
}

/** A wallet may choose a nonce of its own; only those of the service are counted. */
export function isIssuedNonce(secret: Uint8Array, nonce: string): boolean {
  if (!/^[0-9a-f]{32}$/.test(nonce)) return false;
  const [random, given] = [nonce.slice(0, HALF), nonce.slice(HALF)];
  return timingSafeEqual(Buffer.from(given), Buffer.from(tag(secret, random)));
}
