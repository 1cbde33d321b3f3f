/**
 * A payment is an authorization signed for us, from its claim to its settlement on chain, with the refund of an
 * unanswered or returned one. The authorization's own name is its id, so it cannot be claimed twice.
 */
import { z } from "zod";
import type { Hex, Receipt } from "../../core/model/chain.ts";
import type { DataOf } from "../../core/model/entity.ts";
import type { SignedTransfer, TransferAuthorization } from "../../core/model/ports/settlement.ts";
import { refuse } from "../../core/model/refusal.ts";
import type {
  Claim,
  events,
  FoundPayment,
  MinedTransaction,
  PaidAnswer,
  PaymentEvent,
} from "./payment-events.ts";
import { paymentProblems } from "./problems.ts";

export type { Claim, FoundPayment, MinedTransaction, PaidAnswer, PaymentEvent } from "./payment-events.ts";
export { events } from "./payment-events.ts";

/** Unique on any chain. Lower-case hex. */
export type PaymentName = { network: string; asset: Hex; payer: Hex; nonce: Hex };

/** The stored part of a payment's transaction. */
export const minedBy = ({ transaction, block_number, block_hash, fee_wei }: Receipt): MinedTransaction => ({
  transaction,
  block_number: Number(block_number),
  block_hash,
  fee_wei: String(fee_wei),
});

export type Refund = {
  amount_micro: number;
  reason: string;
  opened_at: string;
  paid?: MinedTransaction & { paid_at: string };
};

/**
 * `claimed`: it may be settled already, so nobody may ask for another payment. `settled` without `answer` or `refund`:
 * an answer is owed.
 */
export type Payment =
  | ({ status: "claimed"; claim: Claim; held: ClaimOwner } & PaymentDebts)
  | ({ status: "reorged"; claim: Claim } & PaymentDebts)
  | ({ status: "failed"; claim: Claim; reason: string; for_good: boolean } & PaymentDebts)
  | ({
      status: "settled";
      claim: Claim;
      settlement: MinedTransaction & { settled_at: string };
    } & PaymentDebts);
/** undefined = nobody has claimed it. */
export type PaymentState = Payment | undefined;

/** The process that finishes a claimed payment, and since when; null = unknown, from an earlier version. */
export type ClaimOwner = { by: string | null; since: string };

type PaymentDebts = { answer?: PaidAnswer; refund?: Refund; kept?: KeptData };

/** Money without a call, whose refund would cost more than it is worth. */
export type KeptData = DataOf<typeof events, "PaymentKept">;

/** `eip155:8453:<asset>:<payer>:<nonce>`: a payment's id in paths, receipts and events. */
export const idOf = ({ network, asset, payer, nonce }: PaymentName) =>
  `${network}:${asset}:${payer}:${nonce}`;

export const paymentId = z
  .string()
  .regex(
    /^eip155:\d{1,20}:0x[0-9a-f]{40}:0x[0-9a-f]{40}:0x[0-9a-f]{64}$/,
    "is eip155:<chain>:<asset>:<payer>:<nonce> in lower-case hex",
  );

export const walletTenant = (wallet: Hex) => `wallet:${wallet}`;

/** A payment's stream belongs to its payer's tenant, even if somebody else presented it. */
export function targetOf(id: string): { tenant: string; id: string } {
  const [, , , payer] = id.split(":");
  return { tenant: walletTenant(payer as Hex), id };
}

/** The signed authorization, as sent to the chain. */
export const signedTransferOf = (claim: Claim): SignedTransfer => ({
  transfer: transferOf(claim),
  signature: claim.signature,
});

export const transferOf = (claim: Claim): TransferAuthorization => ({
  from: claim.payer,
  to: claim.pay_to,
  value: BigInt(claim.amount_micro),
  valid_after: BigInt(claim.valid_after),
  valid_before: BigInt(claim.valid_before),
  nonce: claim.nonce,
});

export const prefix = "payment-";

export const streamOf = (id: string) => prefix + id;

export const initialState = (): PaymentState => undefined;

/** 0.001 USDC: a smaller payment would cost more to move or refund than it brings. */
export const SMALLEST_MICRO = 1_000n;

/** The operation of a payment without a call. */
export const NO_OPERATION = "none";

/** The chain's logs do not contain all of an authorization, so the rest of the claim is empty. */
export const claimOfFound = (foundPayment: FoundPayment): Claim => ({
  network: foundPayment.network,
  asset: foundPayment.asset,
  payer: foundPayment.payer,
  pay_to: foundPayment.pay_to,
  amount_micro: foundPayment.amount_micro,
  valid_after: "0",
  valid_before: "0",
  nonce: foundPayment.nonce,
  signature: "0x",
  operation: NO_OPERATION,
  request_sha256: NO_REQUEST,
  tenant: walletTenant(foundPayment.payer),
  seen_block: foundPayment.block_number,
  claimed_at: foundPayment.found_at,
  holder: null,
});

const NO_REQUEST = "0".repeat(64);

export function evolve(state: PaymentState, event: PaymentEvent): PaymentState {
  if (event.type === "PaymentClaimed") {
    const { holder: by, claimed_at: since } = event.data;
    return { status: "claimed", claim: event.data, held: { by, since } };
  }
  if (event.type === "PaymentFound") {
    const { transaction, block_number, block_hash, fee_wei, found_at } = event.data;
    const settlement = { transaction, block_number, block_hash, fee_wei, settled_at: found_at };
    return { status: "settled", claim: claimOfFound(event.data), settlement };
  }
  if (!state) return state;
  const { claim, answer, refund, kept } = state;
  const owing: PaymentDebts = { ...(answer && { answer }), ...(refund && { refund }), ...(kept && { kept }) };
  switch (event.type) {
    case "PaymentTakenOver": {
      const { holder: by, taken_over_at: since } = event.data;
      return state.status === "claimed" ? { ...state, held: { by, since } } : state;
    }
    case "PaymentSettled": {
      const { answer: newAnswer, ...settlement } = event.data;
      return { status: "settled", claim, settlement, ...owing, ...(newAnswer && { answer: newAnswer }) };
    }
    case "PaymentAnswered":
      return { ...state, answer: event.data.answer };
    case "PaymentFailed": {
      const { reason, for_good } = event.data;
      return { status: "failed", claim, reason, for_good, ...owing };
    }
    case "PaymentReorged":
      return { status: "reorged", claim, ...owing };
    case "RefundOpened":
      return { ...state, refund: event.data };
    case "PaymentKept":
      return { ...state, kept: event.data };
    case "RefundPaid":
      return refund ? { ...state, refund: { ...refund, paid: event.data } } : state;
    case "RefundReorged": {
      if (!refund) return state;
      const { paid: _, ...open } = refund;
      return { ...state, refund: open };
    }
  }
}

type UnclaimedPayment =
  | (Extract<Payment, { status: "failed" }> & { answer?: never; refund?: never; kept?: never })
  | undefined;

/** True if nobody has presented the payment, or it failed before it bought anything. */
export const isFree = (state: PaymentState): state is UnclaimedPayment =>
  !state || (state.status === "failed" && !state.answer && !state.refund);

/** Reserves a payment for one request: the last step before it is sent to the chain. */
export const claim =
  (facts: Claim) =>
  (state: PaymentState): PaymentEvent[] => {
    if (!isFree(state)) refuse(paymentProblems["payment-known"], "this payment was presented before");
    // Both could reach the chain, which takes one: the stream must know which to look for.
    if (state && !isSameTransfer(state.claim, facts))
      refuse(
        "conflict",
        "another authorization with this nonce was presented before; sign one with a new nonce",
      );
    // Its signature may be public on the chain since.
    if (state && state.claim.tenant !== facts.tenant)
      refuse("conflict", "this payment failed when another tenant presented it; sign one with a new nonce");
    return [{ type: "PaymentClaimed", data: facts }];
  };

/** Takes a claim over from a dead process; `from` is its last known owner. */
export const takeOver =
  (from: string | null, by: string, at: string) =>
  (state: PaymentState): PaymentEvent[] => {
    if (state?.status !== "claimed" || state.held.by !== from) return refuseTakenOver();
    return from === by ? [] : [{ type: "PaymentTakenOver", data: { holder: by, taken_over_at: at } }];
  };

/**
 * Wraps a decision of the claiming call and process. If the process was paused and another one has taken the payment
 * over, or claimed it for another call, it refuses.
 */
export const byOwner =
  (by: string, claim: Claim, decision: (state: PaymentState) => PaymentEvent[]) =>
  (state: PaymentState): PaymentEvent[] => {
    const isOthers = state?.status === "claimed" && state.held.by !== by;
    return isOthers || (state && !isSameCall(state.claim, claim)) ? refuseTakenOver() : decision(state);
  };

const isSameCall = (a: Claim, b: Claim) => a.request_sha256 === b.request_sha256 && a.tenant === b.tenant;

const refuseTakenOver = () =>
  refuse(paymentProblems["payment-known"], "another process has taken this payment over");

const isSameTransfer = (a: Claim, b: Claim) =>
  a.pay_to === b.pay_to &&
  a.amount_micro === b.amount_micro &&
  a.valid_after === b.valid_after &&
  a.valid_before === b.valid_before;

/**
 * Records money without a call, and opens its refund unless that costs more than it is worth. A presented payment is
 * unchanged.
 */
export const recordFound =
  (foundPayment: FoundPayment, refund_cost_micro: bigint) =>
  (state: PaymentState): PaymentEvent[] => {
    if (state) return [];
    const { amount_micro, found_at } = foundPayment;
    if (BigInt(amount_micro) < refund_cost_micro)
      return [
        { type: "PaymentFound", data: foundPayment },
        { type: "PaymentKept", data: { refund_cost_micro: Number(refund_cost_micro), kept_at: found_at } },
      ];
    const reason = "it was carried to the chain, and no call used it";
    return [
      { type: "PaymentFound", data: foundPayment },
      { type: "RefundOpened", data: { amount_micro, reason, opened_at: found_at } },
    ];
  };

/** The chain moved the money, as `settlement` shows. `given`: the answer of the same commit. */
export const settle =
  (settlement: MinedTransaction, newAnswer: PaidAnswer | null, at: string) =>
  (state: PaymentState): PaymentEvent[] => {
    if (!state) return refuse("not_found", "no such payment was claimed");
    if (newAnswer && (state.answer || state.refund))
      refuse(paymentProblems["payment-known"], "this payment was answered or refunded meanwhile");
    const settled: PaymentEvent = {
      type: "PaymentSettled",
      data: { ...settlement, answer: newAnswer, settled_at: at },
    };
    if (state.status !== "settled") return [settled];
    if (isSameBlock(state.settlement, settlement))
      return newAnswer ? [{ type: "PaymentAnswered", data: { answer: newAnswer, answered_at: at } }] : [];
    // A reorg moved it to another block or transaction.
    const { transaction } = state.settlement;
    return [{ type: "PaymentReorged", data: { transaction, reorged_at: at } }, settled];
  };

const isSameBlock = (a: MinedTransaction, b: MinedTransaction) =>
  a.transaction === b.transaction && a.block_hash === b.block_hash;

/** Failed for now: the payer's balance was too low, or nothing could be sent. */
export const fail =
  (reason: string, at: string) =>
  (state: PaymentState): PaymentEvent[] =>
    state?.status === "failed" ? [] : failure(state, { reason, for_good: false, failed_at: at });

/** Failed for good: it expired, or was cancelled or used elsewhere, in a final block. */
export const giveUp =
  (reason: string, at: string) =>
  (state: PaymentState): PaymentEvent[] =>
    state?.status === "failed" && state.for_good
      ? []
      : failure(state, { reason, for_good: true, failed_at: at });

function failure(
  state: PaymentState,
  data: { reason: string; for_good: boolean; failed_at: string },
): PaymentEvent[] {
  if (!state) return refuse("not_found", "no such payment was claimed");
  if (state.status === "settled")
    refuse(paymentProblems["payment-known"], "a payment that is settled cannot fail");
  return [{ type: "PaymentFailed", data }];
}

/** The chain reverted the settlement. */
export const reorg =
  (transaction: Hex, at: string) =>
  (state: PaymentState): PaymentEvent[] =>
    state?.status === "settled" && state.settlement.transaction === transaction
      ? [{ type: "PaymentReorged", data: { transaction, reorged_at: at } }]
      : [];

/** A settled payment without an answer is refunded. */
export const openRefund =
  (reason: string, at: string) =>
  (state: PaymentState): PaymentEvent[] => {
    if (state?.status !== "settled") return refuse("conflict", "only a settled payment can be refunded");
    if (state.answer) refuse(paymentProblems["payment-known"], "this payment was answered");
    if (state.refund || state.kept) return [];
    const { amount_micro } = state.claim;
    return [{ type: "RefundOpened", data: { amount_micro, reason, opened_at: at } }];
  };

/**
 * Refunds an answered payment, whole or `amount_micro`: it was cancelled or returned. One refund per payment;
 * repeatable. The commit with the reason includes it.
 */
export const refundAnswered =
  (reason: string, at: string, amount_micro?: number) =>
  (state: PaymentState): PaymentEvent[] => {
    if (!state?.answer) return refuse("conflict", "nothing was bought with this payment yet");
    const refunded_micro = amount_micro ?? state.claim.amount_micro;
    if (
      !Number.isSafeInteger(refunded_micro) ||
      refunded_micro <= 0 ||
      refunded_micro > state.claim.amount_micro
    )
      refuse("invalid", `amount_micro: is from 1 to the ${state.claim.amount_micro} that were paid`);
    // The chain reverted the payment for good, so there is nothing to refund.
    if (state.status === "failed" && state.for_good) return [];
    if (!state.refund)
      return [{ type: "RefundOpened", data: { amount_micro: refunded_micro, reason, opened_at: at } }];
    if (state.refund.amount_micro !== refunded_micro)
      refuse("conflict", `this payment already has a refund of ${state.refund.amount_micro}`);
    return [];
  };

/** The refund was mined. */
export const payRefund =
  (paid: MinedTransaction, at: string) =>
  (state: PaymentState): PaymentEvent[] => {
    if (!state?.refund) return refuse("conflict", "no refund is open");
    const before = state.refund.paid;
    const event: PaymentEvent = { type: "RefundPaid", data: { ...paid, paid_at: at } };
    if (!before) return [event];
    if (isSameBlock(before, paid)) return [];
    return [{ type: "RefundReorged", data: { transaction: before.transaction, reorged_at: at } }, event];
  };

/** The chain reverted the refund; it is open again. */
export const reorgRefund =
  (transaction: Hex, at: string) =>
  (state: PaymentState): PaymentEvent[] =>
    state?.refund?.paid?.transaction === transaction
      ? [{ type: "RefundReorged", data: { transaction, reorged_at: at } }]
      : [];
