/**
 * Refunds the rest of a channel at its payer's request. The refund is recorded before it is sent, so that no voucher
 * spends that money. After a crash a reactor finishes it.
 */
import { endRefund } from "../../../chain/channel-refunds.ts";
import { TransactionPending } from "../../../core/model/ports/chain.ts";
import { Refusal } from "../../../core/model/refusal.ts";
import type { Channel } from "../../../domain/payments/channel.ts";
import * as channels from "../../../domain/payments/channel.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import type { AnswerParts } from "../answer.ts";
import { commandOf } from "../call.ts";
import { refuseUnsettled, refuseWhileAway } from "../x402/charge.ts";
import type { Outcome } from "../x402/paid-call.ts";
import { PaymentRefused, refusePayment } from "../x402/payment-refusal.ts";
import { channelResponse } from "../x402/response.ts";
import { type ChannelViews, correctionOf, stateOnWire } from "./channel-view.ts";
import type { PresentedVoucher } from "./presented-voucher.ts";

type Flow = { parts: AnswerParts; views: ChannelViews };

/** A refund comes with a voucher that charges nothing: it proves that its signer knows all charges. */
export async function refundChannel(flow: Flow, voucher: PresentedVoucher): Promise<Outcome> {
  const { app } = flow.parts;
  const { call, payment, id, name } = voucher;
  const channel = await flow.views.fromChain(name).catch(refuseWhileAway);
  if (!channel)
    return refusePayment(
      "invalid_batch_settlement_evm_channel_not_found",
      "this channel has no deposit that could be returned",
    );
  if (payment.voucher.max_micro !== channel.charged_micro)
    throw new PaymentRefused(
      "invalid_batch_settlement_evm_cumulative_amount_mismatch",
      `voucher.maxClaimableAmount: sign ${channel.charged_micro}, which is all charges; a refund charges nothing`,
      { channel: correctionOf(channel) },
    );
  const at = app.clock.now().toISOString();
  const opened = await app
    .decide(channels, channels.targetOf(id), channels.openRefund(payment.amount_micro, at), commandOf(call))
    .catch(refuseEmpty);
  const { refund } = opened.result.state as Channel;
  const ended = await endRefund(app, id).catch((error) => {
    if (error instanceof TransactionPending) return refuseUnsettled(id, error);
    return refuseWhileAway(error);
  });
  if (!ended) return refuseUnsettled(id, new TransactionPending([]));
  return {
    made: {
      kind: "body",
      status: 200,
      vintage: null,
      etag: "",
      subjects: [],
      body: bodyOf(ended.channel, ended.refunded_micro),
    },
    event: opened.events.at(-1),
    settlement: channelResponse({
      payer: name.config.payer,
      deposit: { transaction: ended.transaction, amount_micro: ended.refunded_micro },
      extra: { channelState: stateOnWire(ended.channel) },
    }),
    ...(refund && { sha256: null }),
  };
}

const bodyOf = (channel: Channel, refunded_micro: number): Buffer =>
  Buffer.from(
    JSON.stringify({
      success: true,
      refunded_usdc: decimalUsdc(refunded_micro),
      channel_id: channel.channel_id,
    }),
  );

function refuseEmpty(error: unknown): never {
  if (error instanceof Refusal && error.code === "conflict")
    throw new PaymentRefused("invalid_batch_settlement_evm_refund_no_balance", error.message);
  throw error;
}
