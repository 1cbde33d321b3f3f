/** The Signer port: an Ed25519 key from the environment, or from a file of mode 0600, created on first use. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign,
} from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { OkpKey, Signer } from "../core/model/ports/signer.ts";
import { storedSecret } from "./stored-secret.ts";

/** Signs with the `given` key, otherwise with the one in the file. */
export async function openSigner(path: string, given?: string): Promise<Signer> {
  return signerOf(given ?? (await storedSecret(path, makeKey)), path);
}

/** 32 secret bytes for one purpose: HKDF-SHA256 (RFC 5869) over the key's seed, with the purpose as info. */
export async function derivedSecret(path: string, given: string | undefined, purpose: string) {
  const { d } = keyOf(given ?? (await storedSecret(path, makeKey)), path).export({ format: "jwk" });
  return new Uint8Array(hkdfSync("sha256", Buffer.from(d!, "base64url"), "", `tallystick/${purpose}/1`, 32));
}

/** The existing key; none is created. */
export async function existingSigner(path: string, given?: string): Promise<Signer | undefined> {
  if (given === undefined && !existsSync(path)) return undefined;
  return signerOf(given ?? (await readFile(path, "utf8")), path);
}

/**
 * True for an Ed25519 key in PKCS #8: PEM (line ends may be written as \
 * ) or DER in base64.
 */
export const isSigningKey = (text: string) => readKey(text) !== undefined;

/** The hex seed of an Ed25519 key, its only secret part; undefined for any other text. */
export function signingSeed(text: string): string | undefined {
  const d = readKey(text)?.export({ format: "jwk" }).d;
  return d === undefined ? undefined : Buffer.from(d, "base64url").toString("hex");
}

function readKey(text: string): KeyObject | undefined {
  const der = Buffer.from(text.replace(/-----[A-Z ]+-----|\\n|\s/g, ""), "base64");
  try {
    const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    return key.asymmetricKeyType === "ed25519" ? key : undefined;
  } catch {
    return undefined;
  }
}

const makeKey = () =>
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();

function keyOf(text: string, path: string): KeyObject {
  const key = readKey(text);
  if (!key) throw new Error(`${path} holds no private key of Ed25519`);
  return key;
}

function signerOf(text: string, path: string): Signer {
  const key = keyOf(text, path);
  const { x } = createPublicKey(key).export({ format: "jwk" });
  const public_key: OkpKey = { kty: "OKP", crv: "Ed25519", x: x! };
  return { kid: thumbprintOf(public_key), public_key, sign: (bytes) => sign(null, bytes, key) };
}

/** RFC 7638: the required members alone, sorted by name. */
const thumbprintOf = ({ crv, kty, x }: OkpKey) =>
  createHash("sha256").update(JSON.stringify({ crv, kty, x })).digest("base64url");
