/**
 * What a payment must be before the chain is asked about it. Its checks are a list that tests iterate over: with any one
 * switched off, some payment that must be refused gets through.
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
import { USDC } from "../../../domain/payments/usdc.ts";
import type { PaymentPayload } from "./payload.ts";
import { refusePayment } from "./payment-refusal.ts";
import { DOMAIN, MAX_TIMEOUT_SECONDS, NETWORK_V1, NETWORK_V2 } from "./required.ts";

/** What a call is sold for. Lower-case hex. */
export type Asked = {
  pay_to: Hex;
  amount_micro: bigint;
  /** The URL that the call's own 402 names; absent where a payment is judged apart from a call. */
  resource?: string;
};

type Attempt = {
  payload: PaymentPayload;
  asked: Asked;
  /** Seconds of Unix time. */
  now: bigint;
};

/** One reason to turn a payment away. */
export type PaymentCheck = { name: string; refuses(attempt: Attempt): void };

const CHAIN_ID = 8453;
const ASSET = USDC.address.toLowerCase();
/** Time enough to carry a payment to the chain. */
export const SETTLING_SECONDS = 6n;
/** What is refused or fails may still be carried to the chain by anybody, so it is watched until it expires. */
const FURTHEST_SECONDS = 3600n;

export const paymentChecks: PaymentCheck[] = [
  {
    name: "scheme",
    refuses: ({ payload }) => {
      if (payload.scheme !== "exact")
        refusePayment("invalid_scheme", "this is sold by the scheme exact only");
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
    refuses: ({ payload: { accepted }, asked }) => {
      if (!accepted) return;
      const { amount, pay_to, max_timeout_seconds, extra } = accepted;
      const bad = [
        amount !== asked.amount_micro && `amount (${asked.amount_micro})`,
        pay_to !== asked.pay_to && `payTo (${asked.pay_to})`,
        max_timeout_seconds !== MAX_TIMEOUT_SECONDS && `maxTimeoutSeconds (${MAX_TIMEOUT_SECONDS})`,
        extra.name !== DOMAIN.name && `extra.name (${DOMAIN.name})`,
        extra.version !== DOMAIN.version && `extra.version (${DOMAIN.version})`,
      ].filter((field) => field !== false);
      if (bad.length > 0)
        refusePayment(
          "invalid_payment_requirements",
          `accepted differs from what this call is sold for in ${bad.join(", ")}; accept the terms of this answer`,
        );
    },
  },
  {
    name: "resource",
    refuses: ({ payload: { resource_url }, asked: { resource } }) => {
      if (resource_url !== undefined && resource !== undefined && placeOf(resource_url) !== placeOf(resource))
        refusePayment(
          "invalid_payment_requirements",
          `resource.url: this payment is for another call than ${resource}`,
        );
    },
  },
  {
    name: "payee",
    refuses: ({ payload: { signed }, asked: { pay_to } }) => {
      if (signed.transfer.to !== pay_to)
        refusePayment("invalid_exact_evm_payload_recipient_mismatch", `authorization.to: pay to ${pay_to}`);
    },
  },
  {
    name: "too little",
    refuses: ({ payload: { signed }, asked: { amount_micro } }) => {
      if (signed.transfer.value < amount_micro)
        refusePayment("invalid_exact_evm_payload_authorization_value", wrongAmount(signed, amount_micro));
    },
  },
  {
    name: "too much",
    refuses: ({ payload: { signed }, asked: { amount_micro } }) => {
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
          `authorization.validAfter: holds only after ${signed.transfer.valid_after}, and it is ${now} here; sign one that holds already`,
        );
    },
  },
  {
    name: "expired",
    refuses: ({ payload: { signed }, now }) => {
      if (signed.transfer.valid_before < now + SETTLING_SECONDS)
        refusePayment(
          "invalid_exact_evm_payload_authorization_valid_before",
          `authorization.validBefore: must hold ${SETTLING_SECONDS} seconds more, and it is ${now} here; sign a new one`,
        );
    },
  },
  {
    name: "too far ahead",
    refuses: ({ payload: { signed }, now }) => {
      if (signed.transfer.valid_before > now + FURTHEST_SECONDS)
        refusePayment(
          "invalid_exact_evm_payload_authorization_valid_before",
          `authorization.validBefore: may be at most an hour ahead, and it is ${now} here; sign one that ends sooner`,
        );
    },
  },
  {
    name: "payer",
    refuses: ({ payload: { signed }, asked: { pay_to } }) => {
      const { from } = signed.transfer;
      if (from === pay_to || BigInt(from) === 0n)
        refusePayment("invalid_payload", "authorization.from: is not a wallet that could pay us");
    },
  },
];

const wrongAmount = ({ transfer }: SignedTransfer, amount: bigint) =>
  `authorization.value: is ${transfer.value}, and this costs ${amount} exactly`;

/** Path and query: the same service may be reached under several names. */
function placeOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

const digest = authorizationDigest(domainSeparator(USDC, CHAIN_ID));

/**
 * A payment that no check refuses. `contract`: its signature is not the key's of the payer, and only the chain can say
 * whether a contract wallet accepts it (ERC-1271); asking costs us a request each, so whoever calls this limits them.
 */
export type Examined = { signed: SignedTransfer; contract: boolean };

/** Judges a payment in this process: no chain, no log. Throws PaymentRefused. */
export function examine(
  payload: PaymentPayload,
  asked: Asked,
  now: Date,
  recover: RecoverKey,
  checks: PaymentCheck[] = paymentChecks,
): Examined {
  const attempt = { payload, asked, now: BigInt(Math.floor(now.getTime() / 1000)) };
  for (const check of checks) check.refuses(attempt);
  const { transfer, signature } = payload.signed;
  const plain = readSignature(signature);
  if (!plain || signerOf(digest(transfer), plain, recover) !== transfer.from)
    return { signed: payload.signed, contract: true };
  return { signed: { transfer, signature: writeSignature(plain) }, contract: false };
}
