/**
 * Signs in to a facilitator: a JWT for each request, as Coinbase's Developer Platform documents its API keys. It names the
 * method, host and path, so a token that leaks is good for nothing else.
 */
import { createPrivateKey, type KeyObject, randomBytes } from "node:crypto";
import { SignJWT } from "jose";

/** `secret`: an Ed25519 key as base64 of seed and public key, or a P-256 key as PEM. */
export type FacilitatorKey = { id: string; secret: string };

/** The facilitator refuses a token that is older. */
const TOKEN_SECONDS = 120;

export type TokenSigner = (method: string, url: string, now?: Date) => Promise<string>;

export function tokenSigner({ id, secret }: FacilitatorKey): TokenSigner {
  const { alg, key } = signingKey(secret);
  return (method, url, now = new Date()) => {
    const { host, pathname } = new URL(url);
    const issued_at = Math.floor(now.getTime() / 1_000);
    return new SignJWT({ iss: "cdp", sub: id, uris: [`${method} ${host}${pathname}`] })
      .setProtectedHeader({ alg, kid: id, typ: "JWT", nonce: randomBytes(16).toString("hex") })
      .setIssuedAt(issued_at)
      .setNotBefore(issued_at)
      .setExpirationTime(issued_at + TOKEN_SECONDS)
      .sign(key);
  };
}

const ED25519_BYTES = 64;

/** Throws with the setting's remedy if the secret is of neither form. */
export function signingKey(secret: string): { alg: "EdDSA" | "ES256"; key: KeyObject } {
  if (secret.includes("-----BEGIN")) {
    // Settings are one line, so that downloaded keys have escaped line ends.
    const key = pemKey(secret.replaceAll("\\n", "\n"));
    if (key?.asymmetricKeyDetails?.namedCurve === "prime256v1") return { alg: "ES256", key };
    if (key?.asymmetricKeyType === "ed25519") return { alg: "EdDSA", key };
    throw new Error(FORMS);
  }
  const bytes = Buffer.from(secret, "base64");
  if (bytes.length !== ED25519_BYTES) throw new Error(FORMS);
  const [d, x] = [bytes.subarray(0, 32), bytes.subarray(32)].map((part) => part.toString("base64url"));
  const jwk = { kty: "OKP", crv: "Ed25519", d: d!, x: x! };
  return { alg: "EdDSA", key: createPrivateKey({ key: jwk, format: "jwk" }) };
}

const FORMS = "is base64 of 64 bytes (Ed25519), or a P-256 private key as PEM";

function pemKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
