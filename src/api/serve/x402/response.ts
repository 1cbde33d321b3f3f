/** The settlement in an answer: x402's SettleResponse, in both versions. */
import type { Claim, MinedTransaction } from "../../../domain/payments/payment.ts";
import { toHeader } from "./header.ts";
import { NETWORK_V1, NETWORK_V2 } from "./required.ts";

/** Source: "SettlementResponse schema" in the specifications of x402 versions 1 and 2. `amount` in micro-USDC. */
export type SettleResponse = {
  success: true;
  transaction: string;
  network: typeof NETWORK_V1 | typeof NETWORK_V2;
  payer: string;
  amount: string;
  /** The charge of a voucher, and the state of its channel. */
  extra?: object;
  extensions?: Record<string, unknown>;
};

/** The settlement in the version of the payment. */
export function settleResponse(
  {
    claim,
    settlement,
  }: { claim: Pick<Claim, "payer" | "amount_micro">; settlement: Pick<MinedTransaction, "transaction"> },
  x402_version: 1 | 2,
  extensions?: Record<string, unknown>,
): SettleResponse {
  return {
    success: true,
    transaction: settlement.transaction,
    network: x402_version === 1 ? NETWORK_V1 : NETWORK_V2,
    payer: claim.payer,
    amount: String(claim.amount_micro),
    ...(extensions && { extensions }),
  };
}

/** Source: "Payment Response Contract" of batch-settlement on EVM. A voucher alone moves nothing. */
export const channelResponse = ({
  payer,
  deposit,
  extra,
  extensions,
}: {
  payer: string;
  deposit?: { transaction: string; amount_micro: number } | undefined;
  extra: object;
  extensions?: Record<string, unknown>;
}): SettleResponse => ({
  success: true,
  transaction: deposit?.transaction ?? "",
  network: NETWORK_V2,
  payer,
  amount: deposit ? String(deposit.amount_micro) : "",
  extra,
  ...(extensions && { extensions }),
});

/** The settlement in two headers: clients of version 1 read the second, those of version 2 either. */
export function settledHeaders(settled: SettleResponse): Record<string, string> {
  const header = toHeader(settled);
  return { "PAYMENT-RESPONSE": header, "X-PAYMENT-RESPONSE": header };
}
