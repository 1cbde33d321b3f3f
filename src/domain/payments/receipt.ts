/**
 * The signed receipt of a paid answer: who paid what for which request, what was answered, and the event that records it.
 * Source of the first six members, of where it travels and of its form as a JWS: x402's extension "offer-receipt",
 * sections 3.3 and 5. The others are ours.
 */
import type { Signer } from "../../core/model/ports/signer.ts";
import type { Claim, Mined, PaidAnswer } from "./payment.ts";

/** What the log has of an answered payment; `event` is the one whose payload names the answer. */
export type ReceiptFacts = {
  /** The absolute URL that was paid for. */
  resource_url: string;
  log_origin: string;
  payment_id: string;
  claim: Claim;
  settlement: Mined;
  answer: PaidAnswer;
  event: { position: number; event_id: string; event_hash: Uint8Array; recorded_at_us: number };
};

/** Digests are SHA-256 in hex; `amount` is in the smallest unit of `asset`, `issuedAt` in seconds of Unix time. */
export type ReceiptPayload = {
  version: 1;
  network: string;
  resourceUrl: string;
  payer: string;
  issuedAt: number;
  transaction: string;
  asset: string;
  amount: string;
  payTo: string;
  payment_id: string;
  operation: string;
  /** Of JCS {operation, input}. */
  request_sha256: string;
  answer_status: number;
  /** Of the body before any encoding. */
  answer_sha256: string | null;
  /** The dataset release that the answer rests on. */
  vintage: string | null;
  event: { origin: string; position: number; event_id: string; event_hash: string };
};

/** Says nothing but what the log says, its time included: asked for again, a payment has the same receipt. */
export const receiptOf = ({ claim, settlement, answer, event, ...facts }: ReceiptFacts): ReceiptPayload => ({
  version: 1,
  network: claim.network,
  resourceUrl: facts.resource_url,
  payer: claim.payer,
  issuedAt: Math.floor(event.recorded_at_us / 1_000_000),
  transaction: settlement.transaction,
  asset: claim.asset,
  amount: String(claim.amount_micro),
  payTo: claim.pay_to,
  payment_id: facts.payment_id,
  operation: claim.operation,
  request_sha256: claim.request_sha256,
  answer_status: answer.status,
  answer_sha256: answer.sha256,
  vintage: answer.vintage,
  event: {
    origin: facts.log_origin,
    position: event.position,
    event_id: event.event_id,
    event_hash: Buffer.from(event.event_hash).toString("hex"),
  },
});

/** The receipt as a compact JWS (RFC 7515) by Ed25519 (RFC 8037). The same payload and key give the same bytes. */
export function signReceipt(payload: ReceiptPayload, key: Pick<Signer, "kid" | "sign">): string {
  const header = { alg: "EdDSA", kid: keyUrl(payload.resourceUrl, key.kid) };
  const signed = `${encoded(header)}.${encoded(payload)}`;
  return `${signed}.${Buffer.from(key.sign(Buffer.from(signed))).toString("base64url")}`;
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** What SettlementResponse.extensions carries. */
export const receiptExtension = (jws: string) => ({
  "offer-receipt": { info: { receipt: { format: "jws", signature: jws } } },
});

/** The DID of the service at a URL, by the method did:web. */
export const didOf = (url: string) => `did:web:${encodeURIComponent(new URL(url).host)}`;

/** What x402 calls a key by, a DID URL; its fragment is the key's thumbprint. */
export const keyUrl = (url: string, kid: string) => `${didOf(url)}#${kid}`;
