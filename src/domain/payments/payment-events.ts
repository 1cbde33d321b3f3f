import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { address, chainHash, digits, hexBytes, sha256, time } from "../../core/model/fields.ts";

/** The transaction of a payment, as the chain shows it. */
export const mined = {
  transaction: chainHash,
  block_number: z.int().nonnegative(),
  block_hash: chainHash,
  fee_wei: digits.describe(
    "Cost of the whole transaction for its sender, in wei; it may include other payments.",
  ),
};

export const paidAnswer = z.strictObject({
  status: z.int(),
  sha256: sha256
    .nullable()
    .describe(
      "SHA-256 of the body before any encoding; null for a stream, for an answer about a person, and with secret fields.",
    ),
  vintage: z.string().nullable().describe("The dataset release it rests on."),
});

const claimed = z.strictObject({
  network: z.string(),
  asset: address,
  payer: address,
  pay_to: address,
  amount_micro: z.int().positive().describe("In the smallest unit of the asset."),
  valid_after: digits.describe("Seconds of Unix time; the authorization is valid strictly between the two."),
  valid_before: digits,
  nonce: chainHash,
  signature: hexBytes,
  operation: z.string(),
  request_sha256: sha256.describe("SHA-256 of JCS {operation, input}."),
  tenant: z.string().describe("The tenant of the call."),
  seen_block: z
    .int()
    .nonnegative()
    .describe("The chain's height when the payment was checked: no lower block has its settlement."),
  claimed_at: time,
});

const holder = z.string().regex(/^[0-9a-f-]{36}$/, "is a UUID");
const HOLDER = "The process that handles the payment, by a name of that run alone";

export const events = {
  PaymentClaimed: {
    means: "A call claimed a signed payment for itself alone.",
    1: claimed,
    2: claimed.extend({
      holder: holder.nullable().describe(`${HOLDER}; null where an earlier version claimed it.`),
      resource_sha256: sha256
        .optional()
        .describe("SHA-256 of the paid URL, as in its receipt; absent without a receipt."),
    }),
    upcast: { 1: (old: object) => ({ ...old, holder: null }) },
  },
  /** The claiming process is gone: another one finishes the payment, and the first may not. */
  PaymentTakenOver: {
    means: "Another process took a payment over, because the first one stopped.",
    1: z.strictObject({ holder: holder.describe(`${HOLDER}.`), taken_over_at: time }),
  },
  /** A payment on the chain without a call: a stranger carried it, and nobody presented it. */
  PaymentFound: {
    means: "Money arrived on the chain without a call.",
    1: z.strictObject({
      network: z.string(),
      asset: address,
      payer: address,
      pay_to: address,
      amount_micro: z.int().positive(),
      nonce: chainHash,
      ...mined,
      found_at: time,
    }),
  },
  PaymentSettled: {
    means: "The chain moved the money of a payment.",
    1: z.strictObject({ ...mined, answer: paidAnswer.nullable(), settled_at: time }),
  },
  PaymentAnswered: {
    means: "The call that was paid for was answered.",
    1: z
      .strictObject({ answer: paidAnswer, answered_at: time })
      .describe("The answer to an already settled payment."),
  },
  PaymentFailed: {
    means: "A payment did not go through.",
    1: z.strictObject({
      reason: z.string().max(200),
      for_good: z
        .boolean()
        .describe(
          "False: until it expires, anybody may still send the payment to the chain, which settles it after all.",
        ),
      failed_at: time,
    }),
  },
  PaymentReorged: {
    means: "The chain reverted the block of a payment's settlement.",
    1: z.strictObject({ transaction: chainHash, reorged_at: time }),
  },
  RefundOpened: {
    means: "A refund to a buyer became due.",
    1: z.strictObject({
      amount_micro: z.int().positive(),
      reason: z.string().max(500),
      opened_at: time,
    }),
  },
  PaymentKept: {
    means: "Money without a call was kept: its refund would cost more than it is worth.",
    1: z.strictObject({
      refund_cost_micro: z
        .int()
        .positive()
        .describe("The cost of its refund when it was found, in micro-USDC."),
      kept_at: time,
    }),
  },
  RefundPaid: { means: "A refund was paid on the chain.", 1: z.strictObject({ ...mined, paid_at: time }) },
  RefundReorged: {
    means: "The chain reverted the block of a refund; it is paid again.",
    1: z.strictObject({ transaction: chainHash, reorged_at: time }),
  },
};

export type Claim = DataOf<typeof events, "PaymentClaimed">;
export type FoundPayment = DataOf<typeof events, "PaymentFound">;
export type MinedTransaction = z.infer<z.ZodObject<typeof mined>>;
export type PaidAnswer = z.infer<typeof paidAnswer>;

export type PaymentEvent = EventOf<typeof events>;
