import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { address, chainHash, digits, hexBytes, sha256, time } from "../../core/model/fields.ts";
import { mined, paidAnswer } from "./payment-events.ts";

const micro = z.int().nonnegative();

export const events = {
  ChannelOpened: {
    means: "A channel with a deposit was first used here.",
    1: z.strictObject({
      network: z.string(),
      channel_id: chainHash.describe("EIP-712 hash of the channel's configuration."),
      payer: address,
      payer_authorizer: address.describe("The key that signs vouchers."),
      receiver: address,
      receiver_authorizer: address.describe("The key that signs claims and refunds."),
      token: address,
      withdraw_delay_s: z.int().positive(),
      salt: chainHash,
      opened_at: time,
    }),
  },
  ChannelSeen: {
    means: "The chain's state of a channel was found to differ from the log's.",
    1: z.strictObject({
      balance_micro: micro.describe("Deposits less withdrawals and refunds."),
      claimed_micro: micro,
      refund_nonce: digits,
      withdrawal: z
        .strictObject({ amount_micro: micro, initiated_at_s: z.int().positive() })
        .nullable()
        .describe("The payer's pending withdrawal."),
      seen_block: z.int().nonnegative().describe("The chain's height; the state is not older."),
      seen_at: time,
    }),
  },
  ChannelFunded: {
    means: "A payer's deposit was carried to the chain.",
    1: z.strictObject({
      amount_micro: z.int().positive(),
      valid_after: digits,
      valid_before: digits,
      salt: chainHash,
      signature: hexBytes,
      ...mined,
      funded_at: time,
    }),
  },
  VoucherAccepted: {
    means: "A voucher paid for a call, which was answered.",
    1: z.strictObject({
      charged_micro: z.int().positive().describe("All charges of the channel, this one included."),
      price_micro: z.int().positive(),
      signature: hexBytes.describe("The payer's signature of charged_micro."),
      operation: z.string(),
      request_sha256: sha256.describe("SHA-256 of JCS {operation, input}."),
      resource_sha256: sha256
        .optional()
        .describe("SHA-256 of the paid URL, as in its receipt; absent without a receipt."),
      tenant: z.string().describe("The tenant of the call."),
      answer: paidAnswer,
      accepted_at: time,
    }),
  },
  ChannelClaimed: {
    means: "Charges of a channel were claimed on the chain.",
    1: z.strictObject({ claimed_micro: z.int().positive(), ...mined, claimed_at: time }),
  },
  ChannelRefundOpened: {
    means: "A payer requested the unused rest of a channel.",
    1: z.strictObject({
      amount_micro: z.int().positive(),
      nonce: digits.describe("The contract accepts one refund per nonce."),
      opened_at: time,
    }),
  },
  ChannelRefundEnded: {
    means: "The chain returned the rest of a channel, or had nothing to return.",
    1: z.strictObject({ refunded_micro: micro, ...mined, ended_at: time }),
  },
};

export type OpenedChannel = DataOf<typeof events, "ChannelOpened">;
export type SeenChannel = DataOf<typeof events, "ChannelSeen">;
export type FundedChannel = DataOf<typeof events, "ChannelFunded">;
export type AcceptedVoucher = DataOf<typeof events, "VoucherAccepted">;
export type ChannelEvent = EventOf<typeof events>;
