import { createHash } from "node:crypto";
import { base58btc } from "multiformats/bases/base58";
import { z } from "zod";
import { lowerCase, walletAddress } from "../../core/model/fields.ts";
import type { KeyKind } from "./agent.ts";

/**
 * `kid`: the address in lower case, or the JWK's thumbprint (RFC 7638). `public`: the address, or 32 bytes in
 * base64url.
 */
export type PublicKey = { kind: KeyKind; kid: string; public: string };

/** The multicodec prefix of an Ed25519 key. */
const ED25519_CODEC = [0xed, 0x01];
const KEY_BYTES = 32;

const WEAK = "is a key of low order, whose signatures anybody can make; use a random key";

/**
 * The y coordinates of the points of low order on edwards25519, little-endian, without the sign of x: for such a key
 * one signature fits any text. Source: RFC 7748's curve; the list of 8-torsion points as in libsodium's
 * ge25519_has_small_order.
 */
const LOW_ORDER = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);

function isLowOrder(bytes: Uint8Array): boolean {
  const y = Buffer.from(bytes);
  y[KEY_BYTES - 1]! &= 0x7f;
  return LOW_ORDER.has(y.toString("hex"));
}

const jwk = z.object({
  kty: z.literal("OKP", "is OKP"),
  crv: z.literal("Ed25519", "is Ed25519"),
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/, "is 32 bytes in base64url"),
});

const ABOUT = "is an EVM address, a did:key of Ed25519 (did:key:z6Mk…), or its JWK";

/** undefined = the did:key is not an Ed25519 key. */
export function bytesOfDid(did: string): Uint8Array | undefined {
  if (!/^did:key:z[1-9A-HJ-NP-Za-km-z]{40,60}$/.test(did)) return undefined;
  const bytes = base58btc.decode(did.slice("did:key:".length) as `z${string}`);
  const isEd25519 = ED25519_CODEC.every((byte, at) => bytes[at] === byte);
  return isEd25519 && bytes.length === 2 + KEY_BYTES ? bytes.subarray(2) : undefined;
}

const x = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

const ed25519 = (x: string): PublicKey => ({
  kind: "ed25519",
  kid: createHash("sha256")
    .update(JSON.stringify({ crv: "Ed25519", kty: "OKP", x }))
    .digest("base64url"),
  public: x,
});

const evm = (address: string): PublicKey => {
  const lower = lowerCase(address);
  return { kind: "evm", kid: lower, public: lower };
};

export const publicKey = z
  .union([z.string(), jwk], ABOUT)
  .transform((input, { addIssue }): PublicKey => {
    const key = typeof input === "string" ? readKey(input) : ed25519(input.x);
    if (!key) addIssue({ code: "custom", message: ABOUT });
    else if (key.kind === "ed25519" && isLowOrder(Buffer.from(key.public, "base64url")))
      addIssue({ code: "custom", message: WEAK });
    else return key;
    return z.NEVER;
  })
  .describe("The key: an EVM address, or Ed25519 as did:key:z6Mk… or as a JWK { kty, crv, x }");

function readKey(text: string): PublicKey | undefined {
  if (walletAddress.safeParse(text).success) return evm(text);
  const bytes = bytesOfDid(text);
  return bytes && ed25519(x(bytes));
}

/** The key as a DID: did:pkh on Base, or did:key. */
export function didOf({ kind, public: named }: Pick<PublicKey, "kind" | "public">): string {
  if (kind === "evm") return `did:pkh:eip155:8453:${named}`;
  const bytes = Buffer.from(named, "base64url");
  return `did:key:${base58btc.encode(Buffer.concat([Buffer.from(ED25519_CODEC), bytes]))}`;
}

/** The key that an id names: only its owner may register such an id. */
export function keyOfId(agent_id: string): PublicKey | "unreadable" | undefined {
  if (/^0x[0-9a-f]{40}$/i.test(agent_id)) return evm(agent_id);
  if (!/^did:/i.test(agent_id)) return undefined;
  const bytes = bytesOfDid(agent_id);
  return bytes && !isLowOrder(bytes) ? ed25519(x(bytes)) : "unreadable";
}
