/** Payments as x402 clients of both versions present them. */

import type { Hex } from "../../src/core/model/chain.ts";
import type { SignedTransfer } from "../../src/core/model/ports/settlement.ts";
import { USDC } from "../../src/domain/payments/usdc.ts";

/** Micro-USDC: the price of the tests' operations. */
export const PRICE = 50_000n;

/** The base64 for a header. */
export const headerOf = (payment: object) => Buffer.from(JSON.stringify(payment)).toString("base64");

const authorizationOf = ({ transfer, signature }: SignedTransfer) => ({
  signature,
  authorization: {
    from: transfer.from,
    to: transfer.to,
    value: String(transfer.value),
    validAfter: String(transfer.valid_after),
    validBefore: String(transfer.valid_before),
    nonce: transfer.nonce,
  },
});

export const presentedV1 = (payment: SignedTransfer, more: object = {}) => ({
  x402Version: 1,
  scheme: "exact",
  network: "base",
  payload: authorizationOf(payment),
  ...more,
});

export const presentedV2 = (
  payment: SignedTransfer,
  pay_to: Hex,
  { accepted, ...more }: { accepted?: object; resource?: object; extensions?: object } = {},
) => ({
  x402Version: 2,
  accepted: {
    scheme: "exact",
    network: "eip155:8453",
    asset: USDC.address,
    amount: String(PRICE),
    payTo: pay_to,
    maxTimeoutSeconds: 300,
    extra: { name: USDC.name, version: USDC.version },
    ...accepted,
  },
  payload: authorizationOf(payment),
  ...more,
});
