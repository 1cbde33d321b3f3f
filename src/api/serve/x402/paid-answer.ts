/** The answer of a paid call with its settlement, and the signed receipt of a purchase. */
import { receiptExtension, receiptOf, signReceipt } from "../../../domain/payments/receipt.ts";
import type { AnswerParts } from "../answer.ts";
import { sha256 } from "../call.ts";
import type { PaymentReceipt } from "../mpp/challenge.ts";
import type { AcceptedPayment } from "./accept.ts";
import type { AnsweredPayment, DeliveredAnswer, Offer, PaidCallAnswer } from "./paid-call.ts";
import type { PaidCall } from "./payer-proof.ts";
import { eventGiven } from "./replay.ts";
import { type PaymentTerms, resourceUrl } from "./required.ts";
import { settleResponse } from "./response.ts";

export type ReceiptParts = { parts: AnswerParts; terms: PaymentTerms };

export async function paidAnswer(
  { parts, terms }: ReceiptParts,
  { call }: PaidCall,
  { x402_version, challenge_id }: AcceptedPayment,
  { made, bought_by, is_part }: DeliveredAnswer,
  { path }: Offer,
): Promise<PaidCallAnswer> {
  if (!bought_by) return { made, event: await eventGiven(parts.app, call) };
  const answer_sha256 = is_part ? null : bought_by.answer.sha256;
  const settled = {
    made,
    event: bought_by.event,
    sha256: answer_sha256,
    ...(challenge_id !== undefined && { receipt: paymentReceipt(bought_by, challenge_id) }),
  };
  const signed = await receiptExtensionOf({ parts, terms }, { made, bought_by }, path);
  return { ...settled, settlement: settleResponse(bought_by, x402_version, signed) };
}

/**
 * The receipt for SettlementResponse.extensions; streams and files have none. It has the URL from the log, even if a
 * repeated request spells it otherwise.
 */
export async function receiptExtensionOf(
  { parts: { app }, terms }: ReceiptParts,
  { made, bought_by }: DeliveredAnswer,
  path: string,
): Promise<Record<string, unknown> | undefined> {
  const resource_url = resourceUrl(terms, path);
  if (!bought_by || made.kind !== "body" || bought_by.claim.resource_sha256 !== sha256(resource_url))
    return undefined;
  const { origin } = await app.store.identity();
  const payload = receiptOf({ ...bought_by, resource_url, log_origin: origin });
  return receiptExtension(signReceipt(payload, app.signer));
}

/** The receipt is made from the log alone, so a repeat has the same one. */
const paymentReceipt = (
  { settlement, event }: Pick<AnsweredPayment, "settlement" | "event">,
  challengeId: string,
): PaymentReceipt => ({
  method: "evm",
  reference: settlement.transaction,
  status: "success",
  timestamp: new Date(event.recorded_at_us / 1_000).toISOString(),
  challengeId,
});
