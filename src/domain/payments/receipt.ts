/**
 * The signed receipt of a paid answer: payer, request, answer, and the event that records it. Source of the first six
 * members, the location and the JWS form: x402's extension "offer-receipt", sections 3.3 and 5. The other members are
 * ours.
 */
import type { Signer } from "../../core/model/ports/signer.ts";
import type { Claim, MinedTransaction, PaidAnswer } from "./payment.ts";

/** An answered payment in the log; `event`: the one whose payload has the answer. */
export type ReceiptFacts = {
  /** The absolute URL of the paid call. */
  resource_url: string;
  log_origin: string;
  payment_id: string;
  claim: Claim;
  settlement: MinedTransaction;
  answer: PaidAnswer;
  event: { position: number; event_id: string; event_hash: Uint8Array; recorded_at_us: number };
};

/** Digests are SHA-256 in hex; `amount` in the smallest unit of `asset`, `issuedAt` in Unix seconds. */
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
  /** The digest of the JCS form of {operation, input}. */
  request_sha256: string;
  answer_status: number;
  /** The digest of the body before any encoding. */
  answer_sha256: string | null;
  /** The dataset release behind the answer. */
  vintage: string | null;
  event: { origin: string; position: number; event_id: string; event_hash: string };
};

/** All values come from the log, the time included, so a repeat gives the same receipt. */
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

/** A compact JWS (RFC 7515) by Ed25519 (RFC 8037); deterministic for a payload and key. */
export const signReceipt = (payload: ReceiptPayload, key: Pick<Signer, "kid" | "sign">): string =>
  statementSigner(payload.resourceUrl, key)(payload);

/** The terms of a 402, as x402's extension "offer-receipt" signs them, section 4; `validUntil` in Unix seconds. */
export type OfferPayload = {
  version: 1;
  resourceUrl: string;
  scheme: "exact";
  network: string;
  asset: string;
  payTo: string;
  amount: string;
  validUntil: number;
};

/** Signs statements about URLs of one host, by which the key is named; their header is the same each time. */
export function statementSigner(
  url: string,
  key: Pick<Signer, "kid" | "sign">,
): (payload: ReceiptPayload | OfferPayload) => string {
  const header = encoded({ alg: "EdDSA", kid: keyUrl(url, key.kid) });
  return (payload) => {
    const signed = `${header}.${encoded(payload)}`;
    return `${signed}.${Buffer.from(key.sign(Buffer.from(signed))).toString("base64url")}`;
  };
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** The content of SettlementResponse.extensions. */
export const receiptExtension = (jws: string) => ({
  "offer-receipt": { info: { receipt: { format: "jws", signature: jws } } },
});

/** The did:web DID of the service at a URL. */
export const didOf = (url: string) => `did:web:${encodeURIComponent(new URL(url).host)}`;

/** x402 names a key by a DID URL; its fragment is the key's thumbprint. */
export const keyUrl = (url: string, kid: string) => `${didOf(url)}#${kid}`;
