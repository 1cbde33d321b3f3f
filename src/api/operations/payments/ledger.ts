import { createHmac } from "node:crypto";
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import type { Heads, Hex } from "../../../core/model/chain.ts";
import { address, chainHash, limit, positionCursor, time } from "../../../core/model/fields.ts";
import { ChainUnavailable } from "../../../core/model/ports/chain.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { CHANNELS } from "../../../domain/payments/channel-contract.ts";
import * as confirmation from "../../../domain/payments/confirmation.ts";
import type { Payment, Refund } from "../../../domain/payments/payment.ts";
import * as payments from "../../../domain/payments/payment.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import { examples } from "../../../domain/sandbox/examples.ts";
import {
  channelSums,
  channelsByOperation,
  channelsProjection,
} from "../../../projections/payments/channels.ts";
import { type LedgerRow, type LedgerSums, ledger } from "../../../projections/payments/ledger.ts";
import { paymentsProjection } from "../../../projections/payments/payments.ts";
import { json, open, operation } from "../../declare/index.ts";
import { before, nextCursor, pageOf } from "../../declare/page.ts";

const EXPLORER = "https://basescan.org";

/** The link to a public explorer; null on the development chain, which none shows. */
const transactionUrl = (app: App, transaction: Hex | null) =>
  transaction === null || app.embedded_chain ? null : `${EXPLORER}/tx/${transaction}`;

const usdc = z.string().regex(/^-?\d+\.\d{2,6}$/);
const explorerUrl = z
  .url()
  .nullable()
  .describe("The transaction on basescan.org; null on the development chain");
const finality = z
  .enum(["included", "safe", "final"])
  .nullable()
  .describe("Finality of its block; null while the chain is unavailable or the block is in doubt");

const refundAnswer = z.object({
  amount_usdc: usdc,
  reason: z.string(),
  status: z
    .enum(["open", "paid", "void"])
    .describe("open: paid once the payment is final; void: the payment never settled, so nothing is owed"),
  opened_at: time,
  transaction: chainHash.nullable(),
  explorer_url: explorerUrl,
  paid_at: time.nullable(),
});

const paymentAnswer = z.object({
  id: z.string(),
  status: z
    .enum(["pending", "settled", "failed", "reorged"])
    .describe(
      "pending: do not sign another; reorged: the chain reverted the settlement, and it is sent again while valid",
    ),
  failure: z
    .object({
      reason: z.string(),
      for_good: z
        .boolean()
        .describe("False: until the authorization expires, anybody can still send it to the chain"),
    })
    .nullable(),
  amount_usdc: usdc,
  network: z.string(),
  asset: address,
  payer: address,
  pay_to: address,
  operation: z.string(),
  request_seal: z
    .string()
    .describe(
      "HMAC-SHA256 of the request's digest under a key of the service's own: nobody can guess the request from it. The receipt has the digest itself",
    ),
  transaction: chainHash.nullable(),
  explorer_url: explorerUrl,
  block: z.object({ number: z.int(), hash: chainHash }).nullable(),
  finality,
  answer: z
    .object({
      status: z.int().describe("HTTP status"),
      body_seal: z
        .string()
        .nullable()
        .describe(
          "HMAC-SHA256 of the body's digest under the key of `request_seal`: guessed bodies cannot be tested against it. " +
            "Null for a stream, for an answer about a person, and where secret fields were sent. The receipt has the digest itself",
        ),
      vintage: z.string().nullable(),
    })
    .nullable(),
  refund: refundAnswer.nullable(),
  kept: z
    .object({ refund_cost_usdc: usdc, kept_at: time })
    .nullable()
    .describe("It came without a call and is not refunded, since a refund would cost more than the payment"),
  valid_before: z.string().describe("Seconds of Unix time; the authorization ends then"),
  claimed_at: time,
  settled_at: time.nullable(),
  development_chain: z.boolean().describe("True where the USDC is worth nothing"),
});

/** One payment, whatever its outcome. */
export const paymentStatus = operation({
  name: "payment_status",
  route: "GET /v1/agent/payments/{id}",
  summary: "The status of a payment",
  description:
    "The payment named by its network, asset, payer and nonce. It is pending, settled, failed or reorged. You see its transaction " +
    "and finality, a seal of its purchase, and any refund. Always current, and free.",
  access: [open()],
  input: z.object({
    id: payments.paymentId.describe("eip155:<chain>:<asset>:<payer>:<nonce>, in lower-case hex"),
  }),
  output: json(z.object({ data: paymentAnswer, meta: z.object({ served_at: time }) })),
  refuses: [404],
  example: {
    id: `eip155:8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913:0x70997970c51812dc3a010c7d01b50e0d17dc79c8:${examples.payment.nonce}`,
  },
  handle: async ({ input: { id }, app }) => {
    const state = await app.load(payments, payments.targetOf(id));
    if (!state)
      return refuse("not_found", "no such payment was claimed here; a refused call leaves no payment");
    const { claim, answer = null } = state;
    const settlement = state.status === "settled" ? state.settlement : undefined;
    const transaction = settlement?.transaction ?? null;
    return {
      data: {
        id,
        status: state.status === "claimed" ? "pending" : state.status,
        failure: state.status === "failed" ? { reason: state.reason, for_good: state.for_good } : null,
        amount_usdc: decimalUsdc(claim.amount_micro),
        network: claim.network,
        asset: claim.asset,
        payer: claim.payer,
        pay_to: claim.pay_to,
        operation: claim.operation,
        request_seal: sealOf(app, "request", id, claim.request_sha256),
        transaction,
        explorer_url: transactionUrl(app, transaction),
        block: settlement ? { number: settlement.block_number, hash: settlement.block_hash } : null,
        finality: settlement ? await finalityOf(app, claim.network, settlement) : null,
        answer: answer && answerOf(app, id, answer),
        refund: state.refund ? refundOf(app, state, state.refund) : null,
        kept: state.kept
          ? { refund_cost_usdc: decimalUsdc(state.kept.refund_cost_micro), kept_at: state.kept.kept_at }
          : null,
        valid_before: claim.valid_before,
        claimed_at: claim.claimed_at,
        settled_at: settlement?.settled_at ?? null,
        development_chain: app.embedded_chain,
      },
      meta: { served_at: app.clock.now().toISOString() },
    };
  },
});

const answerOf = (app: App, id: string, { status, sha256, vintage }: payments.PaidAnswer) => ({
  status,
  body_seal: sha256 === null ? null : sealOf(app, "answer", id, sha256),
  vintage,
});

/** A keyed digest: from a plain one, a stranger could confirm guesses at the request or answer. */
const sealOf = ({ link_secret }: App, of: "request" | "answer", id: string, sha256: string) =>
  createHmac("sha256", link_secret).update(`${of}:${id}:${sha256}`).digest("hex");

function refundOf(app: App, payment: Payment, { amount_micro, reason, opened_at, paid }: Refund) {
  const transaction = paid?.transaction ?? null;
  const isOwed = payment.status !== "failed" || !payment.for_good;
  return {
    amount_usdc: decimalUsdc(amount_micro),
    reason,
    status: paid ? "paid" : isOwed ? "open" : "void",
    opened_at,
    transaction,
    explorer_url: transactionUrl(app, transaction),
    paid_at: paid?.paid_at ?? null,
  };
}

/** The finality of a payment's block. Blocks below the confirmed one are final without a chain query. */
async function finalityOf(
  app: App,
  network: string,
  { block_number, block_hash }: payments.MinedTransaction,
): Promise<"included" | "safe" | "final" | null> {
  const confirmed = await app.load(confirmation, confirmation.targetOf(network));
  if (confirmed && block_number <= confirmed.block_number) return "final";
  try {
    const [heads, block] = await Promise.all([recentHeads(app), app.chain.block(BigInt(block_number))]);
    if (block?.hash !== block_hash) return null;
    if (block.number <= heads.finalized.number) return "final";
    return block.number <= heads.safe.number ? "safe" : "included";
  } catch (error) {
    if (error instanceof ChainUnavailable) return null;
    throw error;
  }
}

/** For this long, calls share one chain query, because the calls are free. */
const HEADS_MS = 1_000;

function recentHeads({ chain, once }: App): Promise<Heads> {
  const recent = once("payments: heads", (): { last?: { at: number; heads: Promise<Heads> } } => ({}));
  const { last } = recent;
  if (last && performance.now() - last.at < HEADS_MS) return last.heads;
  const heads = chain.heads();
  recent.last = { at: performance.now(), heads };
  return heads;
}

const sums = {
  payments: z.int().describe("Settled now"),
  settled_usdc: usdc,
  reorged_usdc: usdc.describe("Settled, then reverted by the chain"),
  refunded_usdc: usdc,
  net_usdc: usdc.describe("Settled, less reorged and refunded"),
};

const sumsOf = ({ payments: count, settled_micro, reorged_micro, refunded_micro }: LedgerSums) => ({
  payments: count,
  settled_usdc: decimalUsdc(BigInt(settled_micro)),
  reorged_usdc: decimalUsdc(BigInt(reorged_micro)),
  refunded_usdc: decimalUsdc(BigInt(refunded_micro)),
  net_usdc: decimalUsdc(BigInt(settled_micro) - BigInt(reorged_micro) - BigInt(refunded_micro)),
});

/** The service's revenue, which anybody can compare with the chain. */
const revenueTransparency = operation({
  name: "soul_revenue_transparency",
  route: "GET /soul/revenue/transparency",
  envelope: "none",
  summary: "The public revenue ledger",
  description:
    "Every settled payment, newest first, with its transaction on the chain, and their sums: in total, by " +
    "operation and by UTC day (the last 366 days with payments). Anybody can compare it with the transfers to `pay_to`. " +
    "Calls that were paid from prepaid channels have sums of their own.",
  access: [open()],
  input: z.object({
    limit: limit("Payments a page"),
    cursor: positionCursor,
  }),
  output: json(
    z.object({
      pay_to: address,
      pay_to_url: z.url().nullable().describe("The address on basescan.org; null on the development chain"),
      development_chain: z.boolean().describe("True where the USDC is worth nothing"),
      totals: z.object({
        ...sums,
        kept_usdc: usdc.describe("Came without a call; not refunded, since a refund would cost more"),
        by_operation: z.array(z.object({ operation: z.string(), ...sums })),
        by_day: z.array(z.object({ day: z.iso.date(), ...sums })),
      }),
      channels: z
        .object({
          contract: address.describe("x402BatchSettlement"),
          channels: z.int().describe("All channels that were used here"),
          calls: z.int().describe("Calls that vouchers paid for"),
          charged_usdc: usdc.describe("The sum of their prices"),
          claimed_usdc: usdc.describe("The part of charged_usdc that was claimed on the chain"),
          escrow_usdc: usdc.describe("Deposits, less what was claimed, withdrawn or refunded"),
          by_operation: z
            .array(
              z.object({
                operation: z.string().describe("Its name"),
                calls: z.int().describe("Calls that vouchers paid for"),
                charged_usdc: usdc.describe("The sum of their prices"),
              }),
            )
            .describe("The same by operation"),
        })
        .describe("Calls that were paid from prepaid channels; the totals above do not include them"),
      payments: z.array(
        z.object({
          id: z.string(),
          operation: z.string(),
          amount_usdc: usdc,
          payer: address,
          pay_to: address,
          status: z.enum(["settled", "reorged", "failed"]),
          final: z
            .boolean()
            .describe("true: the payment's block is final on the chain and cannot be reverted"),
          transaction: chainHash,
          explorer_url: explorerUrl,
          block_number: z.int(),
          settled_at: time,
          refund: z
            .object({
              amount_usdc: usdc,
              status: z.enum(["open", "paid"]),
              transaction: chainHash.nullable(),
              explorer_url: explorerUrl,
            })
            .nullable(),
          kept: z.boolean().describe("true: it came without a call and was not refunded"),
        }),
      ),
      count: z.int(),
      next_cursor: nextCursor,
    }),
  ),
  lists: paymentsProjection,
  example: { limit: 10 },
  handle: async ({ input: { limit, cursor }, app }) => {
    await app.caughtUp(channelsProjection);
    const {
      total,
      by_operation,
      by_day,
      kept_micro,
      payments: rows,
      as_of_position,
    } = await ledger(app.pool, { before: before(cursor), limit });
    const { page, next_cursor } = pageOf(rows, limit, (last) => String(last.ledger_position));
    return {
      pay_to: app.pay_to,
      pay_to_url: app.embedded_chain ? null : `${EXPLORER}/address/${app.pay_to}`,
      development_chain: app.embedded_chain,
      totals: {
        ...sumsOf(total),
        kept_usdc: decimalUsdc(BigInt(kept_micro)),
        by_operation: by_operation.map((sum) => ({ operation: sum.operation, ...sumsOf(sum) })),
        by_day: by_day.map((sum) => ({ day: sum.day, ...sumsOf(sum) })),
      },
      channels: await channelsOf(app),
      payments: page.map((row) => entryOf(app, row)),
      count: page.length,
      next_cursor,
      as_of_position,
    };
  },
});

async function channelsOf({ pool }: App) {
  const [all, by_operation] = await Promise.all([channelSums(pool), channelsByOperation(pool)]);
  return {
    contract: CHANNELS as Hex,
    ...{ channels: all.channels, calls: all.calls },
    charged_usdc: decimalUsdc(BigInt(all.charged_micro)),
    claimed_usdc: decimalUsdc(BigInt(all.claimed_micro)),
    escrow_usdc: decimalUsdc(BigInt(all.escrow_micro)),
    by_operation: by_operation.map(({ operation: name, calls, charged_micro }) => ({
      ...{ operation: name, calls },
      charged_usdc: decimalUsdc(BigInt(charged_micro)),
    })),
  };
}

const entryOf = (app: App, row: LedgerRow) => ({
  id: row.id,
  operation: row.operation,
  amount_usdc: decimalUsdc(row.amount_micro),
  payer: row.payer,
  pay_to: row.pay_to,
  status: row.status,
  final: row.final,
  transaction: row.transaction,
  explorer_url: transactionUrl(app, row.transaction),
  block_number: row.block_number,
  settled_at: row.settled_at,
  kept: row.refund_status === "kept",
  refund: row.refund_status &&
    row.refund_status !== "kept" && {
      amount_usdc: decimalUsdc(row.refund_micro!),
      status: row.refund_status,
      transaction: row.refund_transaction,
      explorer_url: transactionUrl(app, row.refund_transaction),
    },
});

export const paymentOperations = [paymentStatus, revenueTransparency];
