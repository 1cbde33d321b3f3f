/**
 * The `Payment` HTTP authentication challenge of the Machine Payments Protocol, for the same USDC authorization that x402
 * takes. Source: draft-httpauth-payment and the evm charge method, as mppx 0.11 writes and checks them.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { getAddress, keccak256 } from "viem/utils";
import { canonicalText } from "../../../../eventstore/canonical.ts";
import type { JsonObject } from "../../../../eventstore/types.ts";
import type { Hex } from "../../../core/model/chain.ts";
import { USDC } from "../../../domain/payments/usdc.ts";
import { sha256 } from "../call.ts";

export const CHAIN_ID = 8453;

/** `request`, as a client reads it. */
export type ChargeRequest = {
  amount: string;
  currency: string;
  recipient: string;
  methodDetails: { chainId: number; credentialTypes: ["authorization"]; decimals: number };
};

export type Challenge = {
  id: string;
  realm: string;
  method: "evm";
  intent: "charge";
  request: ChargeRequest;
  expires: string;
  opaque: string;
};

/** A challenge as a credential sends it back; `request` is the base64url of its canonical JSON. */
export type EchoedChallenge = Omit<Challenge, "request" | "method" | "intent"> & {
  method: string;
  intent: string;
  request: string;
};

export type ChallengeTerms = { public_url: string; pay_to: Hex; secret: Uint8Array };

/** A challenge names its call, so that its credential pays for no other. */
export function challengeFor(
  { public_url, pay_to, secret }: ChallengeTerms,
  { amount_micro, path, expires }: { amount_micro: string; path: string; expires: Date },
): Challenge {
  const bare = {
    realm: realmOf(public_url),
    method: "evm" as const,
    intent: "charge" as const,
    request: {
      amount: amount_micro,
      currency: getAddress(USDC.address),
      recipient: getAddress(pay_to),
      methodDetails: {
        chainId: CHAIN_ID,
        credentialTypes: ["authorization"] as ["authorization"],
        decimals: USDC.decimals,
      },
    },
    expires: expires.toISOString(),
    // Two callers at once get different challenges, and so different nonces.
    opaque: encoded({ call: callName(path), nonce: randomBytes(12).toString("hex") }),
  };
  return { id: idOf({ ...bare, request: encoded(bare.request) }, secret), ...bare };
}

export const realmOf = (public_url: string) => new URL(public_url).hostname;

export const encoded = (value: object): string =>
  Buffer.from(canonicalText(value as JsonObject, "challenge")).toString("base64url");

const callName = (path: string) => sha256(path).slice(0, 32);

/** The slots are fixed; a digest of the body is never sent, and its slot is empty. */
function idOf(challenge: Omit<EchoedChallenge, "id">, secret: Uint8Array): string {
  const { realm, method, intent, request, expires, opaque } = challenge;
  const slots = ["payment challenge", realm, method, intent, request, expires, "", opaque];
  return createHmac("sha256", secret).update(slots.join("|")).digest("base64url");
}

/** The nonce of the authorization that answers a challenge. */
export const challengeNonce = ({ id, realm }: Pick<EchoedChallenge, "id" | "realm">): Hex =>
  keccak256(Buffer.from(id + realm));

/** Why a challenge is none of ours for this call, or its authorization is for another; undefined if it is good. */
export function challengeFault(
  challenge: EchoedChallenge,
  { public_url, secret }: Pick<ChallengeTerms, "public_url" | "secret">,
  { nonce, path, now }: { nonce: Hex; path: string; now: Date },
): string | undefined {
  const { id, ...bound } = challenge;
  const [given, ours] = [id, idOf(bound, secret)].map((text) => Buffer.from(text));
  if (given!.length !== ours!.length || !timingSafeEqual(given!, ours!))
    return "challenge: is none that this service issued; answer the challenge of this 402";
  if (challenge.realm !== realmOf(public_url)) return `challenge.realm: is ${realmOf(public_url)} here`;
  if (nonce !== challengeNonce(challenge))
    return "payload.nonce: is the keccak256 of the challenge's id and realm";
  const { call } = JSON.parse(Buffer.from(challenge.opaque, "base64url").toString()) as { call?: string };
  if (call !== callName(path)) return "challenge: is for another call; answer the challenge of this 402";
  if (Date.parse(challenge.expires) <= now.getTime())
    return `challenge.expires: is over since ${challenge.expires}; answer the challenge of this 402`;
  return undefined;
}

/** The value of WWW-Authenticate. No value of ours has a quote or a backslash. */
export const challengeHeader = ({ id, realm, method, intent, request, expires, opaque }: Challenge): string =>
  `Payment ${Object.entries({ id, realm, method, intent, request: encoded(request), expires, opaque })
    .map(([name, value]) => `${name}="${value}"`)
    .join(", ")}`;

/** The receipt in the header of a paid answer. `reference`: the transaction. */
export type PaymentReceipt = {
  method: "evm";
  reference: string;
  status: "success";
  timestamp: string;
  challengeId: string;
};

export const receiptHeader = (receipt: PaymentReceipt) => ({
  "Payment-Receipt": Buffer.from(JSON.stringify(receipt)).toString("base64url"),
});
