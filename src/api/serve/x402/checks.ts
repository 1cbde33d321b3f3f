/**
 * The checks of a payment before any chain query. They form a list: a test omits each in turn, and a bad payment must
 * then pass.
 */

import type { Hex, RecoverKey } from "../../../core/model/chain.ts";
import type { SignedTransfer } from "../../../core/model/ports/settlement.ts";
import {
  authorizationDigest,
  domainSeparator,
  readSignature,
  signerOf,
  writeSignature,
} from "../../../domain/payments/authorization.ts";
import { BASE, USDC } from "../../../domain/payments/usdc.ts";
import type { EchoedChallenge } from "../mpp/challenge.ts";
import type { PaymentPayload } from "./payload.ts";
import { refusePayment } from "./payment-refusal.ts";
import { DOMAIN, MAX_TIMEOUT_SECONDS, NETWORK_V1, NETWORK_V2 } from "./required.ts";

/** The payment that a call requires. All hex is in lower case. */
export type RequiredPayment = {
  pay_to: Hex;
  amount_micro: bigint;
  /** The URL that the call's own 402 named; absent without a call. */
  resource?: string;
  /** Why an answered challenge does not fit this call. Absent if the service issues no challenges. */
  challengeFault?: (challenge: EchoedChallenge, nonce: Hex, now: Date) => string | undefined;
};

type PaymentAttempt = {
  payload: PaymentPayload;
  required: RequiredPayment;
  /** The current time in Unix seconds. */
  now: bigint;
};

/** A check, which throws its reason to refuse a payment. */
export type PaymentCheck = { name: string; refuses(attempt: PaymentAttempt): void };

const ASSET = USDC.address.toLowerCase();
/** The seconds that are enough to send a payment to the chain. */
export const SETTLING_SECONDS = 6n;
/**
 * A payment must expire within this time: anybody may still send a refused or failed payment, so it is watched until
 * then.
 */
export const FURTHEST_SECONDS = 3600n;

export const paymentChecks: PaymentCheck[] = [
  {
    name: "scheme",
    refuses: ({ payload }) => {
      if (payload.scheme !== "exact")
        refusePayment("invalid_scheme", "this call takes payments of the scheme exact only");
    },
  },
  {
    name: "network",
    refuses: ({ payload }) => {
      const ours = payload.x402_version === 1 ? NETWORK_V1 : NETWORK_V2;
      if (payload.network !== ours)
        refusePayment(
          "invalid_network",
          `pay on Base: x402 version ${payload.x402_version} calls it ${ours}`,
        );
    },
  },
  {
    name: "asset",
    refuses: ({ payload: { accepted } }) => {
      if (accepted && accepted.asset !== ASSET)
        refusePayment("invalid_payment_requirements", `accepted.asset: pay in USDC on Base, ${USDC.address}`);
    },
  },
  {
    name: "terms",
    refuses: ({ payload: { accepted }, required }) => {
      if (!accepted) return;
      const { amount, pay_to, max_timeout_seconds, extra } = accepted;
      const bad = [
        amount !== required.amount_micro && `amount (${required.amount_micro})`,
        pay_to !== required.pay_to && `payTo (${required.pay_to})`,
        max_timeout_seconds !== MAX_TIMEOUT_SECONDS && `maxTimeoutSeconds (${MAX_TIMEOUT_SECONDS})`,
        extra.name !== DOMAIN.name && `extra.name (${DOMAIN.name})`,
        extra.version !== DOMAIN.version && `extra.version (${DOMAIN.version})`,
      ].filter((field) => field !== false);
      if (bad.length > 0)
        refusePayment(
          "invalid_payment_requirements",
          `accepted differs from the terms of this call in ${bad.join(", ")}; use the terms of this answer`,
        );
    },
  },
  {
    name: "resource",
    refuses: ({ payload: { resource_url }, required: { resource } }) => {
      if (resource_url !== undefined && resource !== undefined && pathOf(resource_url) !== pathOf(resource))
        refusePayment(
          "invalid_payment_requirements",
          `resource.url: this payment is for a call other than ${resource}`,
        );
    },
  },
  {
    name: "payee",
    refuses: ({ payload: { signed }, required: { pay_to } }) => {
      if (signed.transfer.to !== pay_to)
        refusePayment("invalid_exact_evm_payload_recipient_mismatch", `authorization.to: pay to ${pay_to}`);
    },
  },
  {
    name: "too little",
    refuses: ({ payload: { signed }, required: { amount_micro } }) => {
      if (signed.transfer.value < amount_micro)
        refusePayment("invalid_exact_evm_payload_authorization_value", wrongAmount(signed, amount_micro));
    },
  },
  {
    name: "too much",
    refuses: ({ payload: { signed }, required: { amount_micro } }) => {
      if (signed.transfer.value > amount_micro)
        refusePayment(
          "invalid_exact_evm_payload_authorization_value_mismatch",
          wrongAmount(signed, amount_micro),
        );
    },
  },
  {
    name: "not yet valid",
    refuses: ({ payload: { signed }, now }) => {
      if (signed.transfer.valid_after >= now)
        refusePayment(
          "invalid_exact_evm_payload_authorization_valid_after",
          `authorization.validAfter: is valid only after ${signed.transfer.valid_after}, and the service's time is ${now}; sign one that is valid now`,
        );
    },
  },
  {
    name: "expired",
    refuses: ({ payload: { signed }, now }) => {
      if (signed.transfer.valid_before < now + SETTLING_SECONDS)
        refusePayment(
          "invalid_exact_evm_payload_authorization_valid_before",
          `authorization.validBefore: must be valid for ${SETTLING_SECONDS} more seconds, and the service's time is ${now}; sign a new one`,
        );
    },
  },
  {
    name: "too far ahead",
    refuses: ({ payload: { signed }, now }) => {
      if (signed.transfer.valid_before > now + FURTHEST_SECONDS)
        refusePayment(
          "invalid_exact_evm_payload_authorization_valid_before",
          `authorization.validBefore: may be at most an hour ahead, and the service's time is ${now}; sign one that ends sooner`,
        );
    },
  },
  {
    name: "challenge",
    refuses: ({ payload: { challenge, signed }, required: { challengeFault }, now }) => {
      if (!challenge) return;
      const at = new Date(Number(now) * 1_000);
      const fault = challengeFault
        ? challengeFault(challenge, signed.transfer.nonce, at)
        : "challenge: this service issues none; pay by x402";
      if (fault !== undefined) refusePayment("invalid_payment_requirements", fault);
    },
  },
  {
    name: "payer",
    refuses: ({ payload: { signed }, required: { pay_to } }) => {
      const { from } = signed.transfer;
      if (from === pay_to || BigInt(from) === 0n)
        refusePayment("invalid_payload", "authorization.from: is not a wallet that could pay us");
    },
  },
];

const wrongAmount = ({ transfer }: SignedTransfer, amount: bigint) =>
  `authorization.value: is ${transfer.value}, and this costs ${amount} exactly`;

/** The path and query of a URL. The host is not compared, because a service may have several. */
export function pathOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

const digest = authorizationDigest(domainSeparator(USDC, BASE.chain_id));

/**
 * A payment that passed all checks. `contract`: the payer's own key did not sign it. Then only the chain can tell if
 * a contract wallet accepts it (ERC-1271). That costs a query, so callers limit it.
 */
export type ExaminedPayment = { signed: SignedTransfer; contract: boolean };

/** Checks a payment without the chain or the log. Throws PaymentRefused. */
export function examine(
  payload: PaymentPayload,
  required: RequiredPayment,
  now: Date,
  recover: RecoverKey,
  checks: PaymentCheck[] = paymentChecks,
): ExaminedPayment {
  const attempt = { payload, required, now: BigInt(Math.floor(now.getTime() / 1000)) };
  for (const check of checks) check.refuses(attempt);
  const { transfer, signature } = payload.signed;
  const plain = readSignature(signature);
  if (!plain || signerOf(digest(transfer), plain, recover) !== transfer.from)
    return { signed: payload.signed, contract: true };
  return { signed: { transfer, signature: writeSignature(plain) }, contract: false };
}
