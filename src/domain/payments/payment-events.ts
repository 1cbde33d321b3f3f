/** The events of a payment, and what they say. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { address, chainHash, digits, hexBytes, sha256, time } from "../../core/model/fields.ts";

/** What the chain says of the transaction that carried a payment. */
export const mined = {
  transaction: chainHash,
  block_number: z.int().nonnegative(),
  block_hash: chainHash,
  fee_wei: digits.describe(
    "What the whole transaction cost its sender, in wei; other payments may have travelled in it.",
  ),
};

/** The answer that a payment paid for. */
const answer = z.strictObject({
  status: z.int(),
  sha256: sha256
    .nullable()
    .describe(
      "Of the body before any encoding; null for a stream, for an answer about a person, and where secret fields were sent.",
    ),
  vintage: z.string().nullable().describe("The dataset release it rests on."),
});

const claimed = z.strictObject({
  network: z.string(),
  asset: address,
  payer: address,
  pay_to: address,
  amount_micro: z.int().positive().describe("In the smallest unit of the asset."),
  valid_after: digits.describe("Seconds of Unix time; the authorization holds strictly between the two."),
  valid_before: digits,
  nonce: chainHash,
  signature: hexBytes,
  operation: z.string(),
  request_sha256: sha256.describe("SHA-256 of JCS {operation, input}."),
  tenant: z.string().describe("The tenant that owns what the call causes."),
  seen_block: z
    .int()
    .nonnegative()
    .describe("The chain's height when the payment was looked at: its settlement is not below."),
  claimed_at: time,
});

const holder = z.string().regex(/^[0-9a-f-]{36}$/, "is a UUID");
const HOLDER = "The process that is to see the payment through, by a name of its run alone";

export const events = {
  PaymentClaimed: {
    means: "A call came with a signed payment, which is used for that call alone.",
    1: claimed,
    2: claimed.extend({
      holder: holder.nullable().describe(`${HOLDER}; null where an earlier version claimed it.`),
      resource_sha256: sha256
        .optional()
        .describe(
          "SHA-256 of the URL that was paid for, as its receipt names it; absent where there is no receipt.",
        ),
    }),
    upcast: { 1: (old: object) => ({ ...old, holder: null }) },
  },
  /** Whoever claimed it is not at it any more: another process sees it through, and the first one may not. */
  PaymentTakenOver: {
    means: "Another process sees a payment through, because the first one stopped.",
    1: z.strictObject({ holder: holder.describe(`${HOLDER}.`), taken_over_at: time }),
  },
  /** The chain moved a payment to us that nobody asked anything for: carried by a stranger, and never presented. */
  PaymentFound: {
    means: "The chain moved money here that came with no call.",
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
    1: z.strictObject({ ...mined, answer: answer.nullable(), settled_at: time }),
  },
  PaymentAnswered: {
    means: "The call that was paid for was answered.",
    1: z
      .strictObject({ answer, answered_at: time })
      .describe("The answer to a payment whose settlement was known before its answer was."),
  },
  PaymentFailed: {
    means: "A payment did not go through.",
    1: z.strictObject({
      reason: z.string().max(200),
      for_good: z
        .boolean()
        .describe(
          "False: until it expires anybody may still carry it to the chain, and then it is settled after all.",
        ),
      failed_at: time,
    }),
  },
  PaymentReorged: {
    means: "The chain took back the block that had moved the money of a payment.",
    1: z.strictObject({ transaction: chainHash, reorged_at: time }),
  },
  RefundOpened: {
    means: "A buyer is to get money back.",
    1: z.strictObject({
      amount_micro: z.int().positive(),
      reason: z.string().max(500),
      opened_at: time,
    }),
  },
  PaymentKept: {
    means: "Money that came with no call stays here, because giving it back would cost more gas than it is.",
    1: z.strictObject({
      refund_cost_micro: z
        .int()
        .positive()
        .describe("The cost of its refund when it was found, in micro-USDC."),
      kept_at: time,
    }),
  },
  RefundPaid: { means: "The chain gave a buyer money back.", 1: z.strictObject({ ...mined, paid_at: time }) },
  RefundReorged: {
    means: "The chain took back the block of a refund; it is paid again.",
    1: z.strictObject({ transaction: chainHash, reorged_at: time }),
  },
};

export type Claim = DataOf<typeof events, "PaymentClaimed">;
export type Found = DataOf<typeof events, "PaymentFound">;
export type Mined = z.infer<z.ZodObject<typeof mined>>;
export type PaidAnswer = z.infer<typeof answer>;

export type PaymentEvent = EventOf<typeof events>;
