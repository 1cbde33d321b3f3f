/** Sends a channel's open refund, and records how it ended. The contract accepts one refund per nonce. */
import type { App } from "../core/app.ts";
import type { Hex } from "../core/model/chain.ts";
import type { Channel } from "../domain/payments/channel.ts";
import * as channels from "../domain/payments/channel.ts";
import {
  channelDigests,
  channelRefundCall,
  REFUND_GAS,
  refundedIn,
} from "../domain/payments/channel-contract.ts";
import { type MinedTransaction, minedBy } from "../domain/payments/payment.ts";
import { readChannels, recordSeen } from "./channels.ts";

export type EndedRefund = { channel: Channel; refunded_micro: number; transaction: Hex };

const meta = { actor: "system:channels", operation: "channels.refund" };

const UNKNOWN: MinedTransaction = {
  transaction: `0x${"00".repeat(32)}`,
  block_number: 0,
  block_hash: `0x${"00".repeat(32)}`,
  fee_wei: "0",
};

/** Undefined without an open refund. Rejects with ChainUnavailable or TransactionPending. */
export async function endRefund(app: App, id: string): Promise<EndedRefund | undefined> {
  const channel = await app.load(channels, channels.targetOf(id));
  const { refund } = channel ?? {};
  if (!channel || !refund) return undefined;
  const [read] = await readChannels(app.chain, [channel.channel_id]);
  // Another process, or this one before a crash, has sent it.
  if (read!.refund_nonce !== refund.nonce) {
    const returned = channel.chain.balance_micro - read!.balance_micro;
    return end(app, id, channel, Math.max(0, Math.min(returned, refund.amount_micro)), UNKNOWN);
  }
  const hash = channelDigests(app.chain.chain_id).refund(
    channel.channel_id,
    BigInt(refund.nonce),
    refund.amount_micro,
  );
  const call = channelRefundCall(channel.config, refund, await app.refunds.sign({ hash }));
  const receipt = await app.chain.send(call, { purpose: "channel deposit", gas: REFUND_GAS });
  const refunded_micro = refundedIn(receipt.logs, channel.channel_id);
  return end(app, id, channel, refunded_micro ?? 0, minedBy(receipt));
}

async function end(
  app: App,
  id: string,
  channel: Channel,
  refunded_micro: number,
  mined: MinedTransaction,
): Promise<EndedRefund> {
  const [read] = await readChannels(app.chain, [channel.channel_id]);
  await recordSeen(app, channel, read!);
  const at = app.clock.now().toISOString();
  const decision = channels.endRefund(channel.refund!.nonce, refunded_micro, mined, at);
  const { result } = await app.decide(channels, channels.targetOf(id), decision, { meta });
  return { channel: result.state!, refunded_micro, transaction: mined.transaction };
}
