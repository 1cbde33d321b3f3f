/** A voucher's purchase in the form of a payment, so that repeats, receipts and answers treat both alike. */
import type { App } from "../../../core/app.ts";
import type { Hex } from "../../../core/model/chain.ts";
import type { AcceptedVoucher, Channel } from "../../../domain/payments/channel.ts";
import * as channels from "../../../domain/payments/channel.ts";
import type { AnsweredPayment } from "../x402/paid-call.ts";

/** A voucher sends no transaction by itself, so these fields are empty. */
const UNMOVED = { transaction: "" as Hex, block_number: 0, block_hash: "" as Hex, fee_wei: "0" };

/** A voucher has no authorization of its own, so the other members of the claim are empty. */
export const purchaseOf = (
  { network, channel_id, config }: Pick<Channel, "network" | "channel_id" | "config">,
  voucher: AcceptedVoucher,
): Omit<AnsweredPayment, "payment_id" | "event"> => ({
  claim: {
    network,
    asset: config.token,
    payer: config.payer,
    pay_to: config.receiver,
    amount_micro: voucher.price_micro,
    valid_after: "0",
    valid_before: "0",
    nonce: channel_id,
    signature: voucher.signature,
    operation: voucher.operation,
    request_sha256: voucher.request_sha256,
    tenant: voucher.tenant,
    seen_block: 0,
    claimed_at: voucher.accepted_at,
    holder: null,
    ...(voucher.resource_sha256 !== undefined && { resource_sha256: voucher.resource_sha256 }),
  },
  settlement: UNMOVED,
  answer: voucher.answer,
});

const PAGE = 1_000;

/** The log's record of an accepted voucher. */
export async function answeredVoucher(
  app: App,
  payment_id: string,
  { channel: id, charged_micro }: { channel: string; charged_micro: number },
): Promise<AnsweredPayment> {
  const target = channels.targetOf(id);
  const channel = await app.load(channels, target);
  const stream = { tenant: target.tenant, stream_id: channels.streamOf(id) };
  const head = await app.store.streamHead(stream);
  // Searches from the newest events backwards, because a repeated voucher is nearly always the newest.
  for (let end = head?.version ?? 0; channel && end > 0; end -= PAGE) {
    const page = await app.store.readStream({
      ...stream,
      after_version: Math.max(0, end - PAGE),
      limit: PAGE,
    });
    for (const event of app.eventsOf(channels, page))
      if (event.type === "VoucherAccepted" && event.data.charged_micro === charged_micro)
        return { ...purchaseOf(channel, event.data), payment_id, event };
  }
  throw new Error(`voucher ${payment_id} was never accepted`);
}
