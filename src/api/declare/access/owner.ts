import { createHash } from "node:crypto";
import { canonicalText } from "../../../../eventstore/canonical.ts";
import type { JsonObject } from "../../../../eventstore/types.ts";
import { lowerCase } from "../../../core/model/fields.ts";
import type { CallLimit } from "../../../core/model/ports/address-limits.ts";
import { coreProblems } from "../../../core/model/problem.ts";
import { refuse } from "../../../core/model/refusal.ts";
import type { Scope } from "../../../domain/access/key.ts";
import { isIssuedNonce } from "../../../domain/access/sign-in-nonce.ts";
import {
  proofText,
  readWalletProof,
  refuseProof,
  textDigest,
  type WalletProof,
} from "../../../domain/access/wallet-proof.ts";
import type { SignedAct } from "../../../domain/identity/act.ts";
import { addressBlock } from "../address.ts";
import { payer } from "../caller.ts";
import { admitKey, keySchemes, keySecurity } from "./key.ts";
import { type AcceptedSignature, walletsOwn } from "./wallet-signature.ts";
import {
  type AccessParts,
  type Admission,
  BEARER,
  type Credentials,
  type Way,
  walletSchemes,
} from "./way.ts";

/**
 * The service issues each nonce for one use. The signed text is valid for minutes, so remembering a nonce for an hour
 * is enough.
 */
const SIGN_IN_NONCES: CallLimit = { name: "sign-in-nonces", calls: 1, per: "hour" };

/** Checking the signature of a contract wallet costs a query to the chain. */
const CONTRACT_SIGNATURES: CallLimit = { name: "contract-signatures", calls: 20, per: "minute" };

const WRITES = new Set(["POST", "PUT", "PATCH"]);

/**
 * A way in for the owner: a wallet owns the effects of its payments. The signature of a write covers the body. Its
 * nonce serves as the Idempotency-Key, so a repeat gets the first answer.
 */
export const owner = (scope: Scope): Way => ({
  kind: "owner",
  scope,
  delegated: { scope, owns: "wallet" },
  price: "free to its owner",
  security: [...keySecurity, { wallet: [] }],
  schemes: { ...keySchemes, ...walletSchemes },
  statuses: [402, 403, 409],
  invitation: "the owner's API key (Authorization: Bearer sk_…) or its wallet's signature (SIGN-IN-WITH-X)",
  challenge: BEARER,
  async admit(attempt, parts) {
    const { presented } = attempt;
    if (presented.wallet_proof === undefined) return admitKey(attempt, parts, scope);
    if (presented.secret !== undefined)
      refuse("invalid", "send an API key or SIGN-IN-WITH-X, not both: each names an owner");
    return admitWallet(presented.wallet_proof, presented, parts);
  },
});

export async function admitWallet(
  header: string,
  { method, path, ip, on_behalf_of }: Credentials,
  { app, clock, limits }: Pick<AccessParts, "app" | "clock" | "limits">,
): Promise<Admission> {
  const { public_url } = app.settings;
  const proof = readWalletProof(header, { public_url, method, path }, clock.now());
  const wallet = lowerCase(proof.address);
  const text = proofText(proof);
  const signature = { digest: textDigest(text), wallet, given: lowerCase(proof.signature) };
  const own = await walletsOwn(app, signature, async () => {
    const { granted, reset_s } = await limits.take(CONTRACT_SIGNATURES, addressBlock(ip));
    if (!granted)
      refuse(coreProblems["rate-limited"], "too many contract wallet signatures from this address", {
        retry_after_s: reset_s,
      });
  });
  if (!own) refuseProof([{ path: "signature", message: `is not a signature by ${wallet} of this text` }]);
  if (
    isIssuedNonce(app.link_secret, proof.nonce) &&
    !(await limits.take(SIGN_IN_NONCES, proof.nonce)).granted
  )
    refuseProof([{ path: "nonce", message: "was used before; call again for a new one, and sign that" }]);
  const admission = { caller: payer(wallet), pays: false, headers: {}, act: actOf(own, wallet, text) };
  const principal = on_behalf_of === undefined ? [] : [principalUri(on_behalf_of)];
  const covers = (body: JsonObject) => refuseOthers(proof, [bodyDigest(body), ...principal]);
  if (WRITES.has(method)) return { ...admission, covers, idempotency_key: proof.nonce };
  refuseOthers(proof, principal);
  return method === "DELETE" ? { ...admission, idempotency_key: proof.nonce } : admission;
}

const actOf = ({ scheme, signature, block }: AcceptedSignature, kid: string, text: string): SignedAct => ({
  ...{ by: "signature", scheme, kid, signed: { text, signature, body: null } },
  block: block && { number: Number(block.number), hash: block.hash },
});

/** A body's SHA-256 over its canonical form (RFC 8785), as a URI (RFC 6920). */
export const bodyDigest = (body: JsonObject): string =>
  `ni:///sha-256;${createHash("sha256").update(canonicalText(body, "body")).digest("base64url")}`;

/** The signed text includes the principal, so that nobody can redirect the call to another one. */
const principalUri = (on_behalf_of: string): string => `urn:on-behalf-of:${encodeURIComponent(on_behalf_of)}`;

function refuseOthers({ resources = [] }: WalletProof, wanted: readonly string[]): void {
  if (JSON.stringify(resources) === JSON.stringify(wanted)) return;
  const message = wanted.length === 0 ? "is empty without a body" : `are ${JSON.stringify(wanted)}`;
  refuseProof([{ path: "resources", message }]);
}
