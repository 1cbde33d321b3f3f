/**
 * The `Payment` HTTP authentication challenge of the Machine Payments Protocol, for the same USDC authorization that x402
 * takes. Source: draft-httpauth-payment and the evm charge method, as mppx 0.11 writes and checks them.
 */
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { getAddress, keccak256 } from "viem/utils";
import { canonicalText } from "../../../../eventstore/canonical.ts";
import type { JsonObject } from "../../../../eventstore/types.ts";
import type { Hex } from "../../../core/model/chain.ts";
import { BASE, USDC } from "../../../domain/payments/usdc.ts";
import { sha256 } from "../call.ts";

/** The content of a challenge's `request`. */
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

/** A challenge as a credential returns it. `request` is the base64url of its canonical JSON. */
export type EchoedChallenge = Omit<Challenge, "request" | "method" | "intent"> & {
  method: string;
  intent: string;
  request: string;
};

/** `header`: the value of WWW-Authenticate. */
export type IssuedChallenge = { challenge: Challenge; header: string };

export type ChallengedCall = { amount_micro: string; path: string; expires: Date };

export type ChallengeTerms = { public_url: string; pay_to: Hex; secret: Uint8Array };

/** Creates the service's challenges. The part that all calls of one price share is encoded once. */
export function challengeIssuer({ public_url, pay_to, secret }: ChallengeTerms) {
  const realm = realmOf(public_url);
  const requests = new LRUCache<string, { request: ChargeRequest; text: string }>({ max: MOST_PRICES });
  const requestOf = (amount: string) => {
    const made = requests.get(amount);
    if (made) return made;
    const request: ChargeRequest = {
      amount,
      currency: getAddress(USDC.address),
      recipient: getAddress(pay_to),
      methodDetails: { chainId: BASE.chain_id, credentialTypes: ["authorization"], decimals: USDC.decimals },
    };
    const encodedRequest = { request, text: encoded(request) };
    requests.set(amount, encodedRequest);
    return encodedRequest;
  };
  /** A challenge names its call, so that its credential pays for no other call. */
  return ({ amount_micro, path, expires }: ChallengedCall): IssuedChallenge => {
    const { request, text } = requestOf(amount_micro);
    const bound = {
      realm,
      method: "evm" as const,
      intent: "charge" as const,
      request: text,
      expires: expires.toISOString(),
      // The random nonce makes simultaneous challenges different. The members are in canonical order.
      opaque: base64url(`{"call":"${callName(path)}","nonce":"${randomUUID()}"}`),
    };
    const id = idOf(bound, secret);
    return { challenge: { id, ...bound, request }, header: challengeHeader({ id, ...bound }) };
  };
}

const MOST_PRICES = 1_000;

export const realmOf = (public_url: string) => new URL(public_url).hostname;

export const encoded = (value: object): string => base64url(canonicalText(value as JsonObject, "challenge"));

const base64url = (text: string): string => Buffer.from(text).toString("base64url");

const callName = (path: string) => sha256(path).slice(0, 32);

/**
 * The id is an HMAC over fixed slots. The slot for a digest of the body stays empty, because the service sends none.
 * The secret is bytes, because an HMAC with a KeyObject takes twice as long.
 */
function idOf(challenge: Omit<EchoedChallenge, "id">, secret: Uint8Array): string {
  const { realm, method, intent, request, expires, opaque } = challenge;
  const slots = ["payment challenge", realm, method, intent, request, expires, "", opaque];
  return createHmac("sha256", secret).update(slots.join("|")).digest("base64url");
}

/** The nonce that an authorization needs to answer a challenge. */
export const challengeNonce = ({ id, realm }: Pick<EchoedChallenge, "id" | "realm">): Hex =>
  keccak256(Buffer.from(id + realm));

/**
 * Why a challenge is not valid for this call and authorization; undefined if it is. It must be issued by this service
 * for this call.
 */
export function challengeFault(
  challenge: EchoedChallenge,
  { public_url, secret }: Pick<ChallengeTerms, "public_url" | "secret">,
  { nonce, path, now }: { nonce: Hex; path: string; now: Date },
): string | undefined {
  const { id, ...bound } = challenge;
  const [given, ours] = [id, idOf(bound, secret)].map((text) => Buffer.from(text));
  if (given!.length !== ours!.length || !timingSafeEqual(given!, ours!))
    return "challenge: was not issued by this service; answer the challenge of this 402";
  if (challenge.realm !== realmOf(public_url)) return `challenge.realm: is ${realmOf(public_url)} here`;
  if (nonce !== challengeNonce(challenge))
    return "payload.nonce: is the keccak256 of the challenge's id and realm";
  const { call } = JSON.parse(Buffer.from(challenge.opaque, "base64url").toString()) as { call?: string };
  if (call !== callName(path)) return "challenge: is for another call; answer the challenge of this 402";
  if (Date.parse(challenge.expires) <= now.getTime())
    return `challenge.expires: is over since ${challenge.expires}; answer the challenge of this 402`;
  return undefined;
}

/** Needs no escaping, because none of these values has a quote or a backslash. */
const challengeHeader = ({ id, realm, method, intent, request, expires, opaque }: EchoedChallenge): string =>
  `Payment id="${id}", realm="${realm}", method="${method}", intent="${intent}", request="${request}", ` +
  `expires="${expires}", opaque="${opaque}"`;

/** The receipt in a header of a paid answer. `reference`: the transaction. */
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
