/** A refund is our own authorization with the payment's name as its nonce, so the chain takes one at most. */
import { createHash } from "node:crypto";
import type { Hex } from "../../core/model/chain.ts";
import type { TransferAuthorization } from "../../core/model/ports/settlement.ts";
import { authorizationDigest, domainSeparator } from "./authorization.ts";
import { type Claim, idOf } from "./payment.ts";
import { USDC } from "./usdc.ts";

/** SHA-256 of "tallystick refund" and the payment's name. */
const refundNonce = (id: string): Hex =>
  `0x${createHash("sha256").update(`tallystick refund ${id}`).digest("hex")}`;

/** Refunds `amount_micro` to the payer; valid until `valid_before` (Unix seconds). */
export const refundTransfer = (
  claim: Claim,
  amount_micro: number,
  from: Hex,
  valid_before: number,
): TransferAuthorization => ({
  from,
  to: claim.payer,
  value: BigInt(amount_micro),
  valid_after: 0n,
  valid_before: BigInt(valid_before),
  nonce: refundNonce(idOf(claim)),
});

/** The cost of gas in micro-USDC, rounded up, from `gas_price_wei` per unit and `eth_usdc` per ether. */
export const gasCost = (gas: bigint, gas_price_wei: bigint, eth_usdc: number): bigint => {
  const wei = gas * gas_price_wei;
  const micro_per_ether = BigInt(eth_usdc) * 1_000_000n;
  return (wei * micro_per_ether + ETHER - 1n) / ETHER;
};

const ETHER = 10n ** 18n;

/** The refunding account signs this digest. */
export function refundDigest(transfer: TransferAuthorization, chainId: number): Hex {
  const digest = authorizationDigest(domainSeparator(USDC, chainId))(transfer);
  return `0x${Buffer.from(digest).toString("hex")}`;
}
