/** What an answer tells of the payment that bought it. */
import { encodePaymentResponseHeader } from "@x402/core/http";
import { NETWORK_V1, NETWORK_V2 } from "./required.ts";
import type { Bought } from "./till.ts";

export type SettleResponse = {
  success: true;
  transaction: string;
  network: string;
  payer: string;
  amount: string;
};

export function settleResponse({ claim, settlement }: Bought, version: 1 | 2): SettleResponse {
  return {
    success: true,
    transaction: settlement.transaction,
    network: version === 1 ? NETWORK_V1 : NETWORK_V2,
    payer: claim.payer,
    amount: String(claim.amount_micro),
  };
}

export function settledHeaders(response: SettleResponse): Record<string, string> {
  const encoded = encodePaymentResponseHeader(response as never);
  return { "PAYMENT-RESPONSE": encoded, "X-PAYMENT-RESPONSE": encoded };
}
