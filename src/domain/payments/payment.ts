/**
 * A payment: an authorization that a payer signed for us, from its claim to its settlement on the chain, and the refund
 * of one that got no answer, or whose goods came back. Its name is the authorization's own, so the same payment cannot be claimed twice.
 */
import { z } from "zod";
import type { Hex, Receipt } from "../../core/model/chain.ts";
import type { DataOf } from "../../core/model/entity.ts";
import type { SignedTransfer, TransferAuthorization } from "../../core/model/ports/settlement.ts";
import { refuse } from "../../core/model/refusal.ts";
import type { Claim, events, Found, Mined, PaidAnswer, PaymentEvent } from "./payment-events.ts";
import { paymentProblems } from "./problems.ts";

export type { Claim, Found, Mined, PaidAnswer, PaymentEvent } from "./payment-events.ts";
export { events } from "./payment-events.ts";

/** What distinguishes one payment from all others, on any chain. Lower-case hex. */
export type PaymentName = { network: string; asset: Hex; payer: Hex; nonce: Hex };

/** What a payment keeps of the transaction that carried it. */
export const minedBy = ({ transaction, block_number, block_hash, fee_wei }: Receipt): Mined => ({
  transaction,
  block_number: Number(block_number),
  block_hash,
  fee_wei: String(fee_wei),
});

export type Refund = {
  amount_micro: number;
  reason: string;
  opened_at: string;
  paid?: Mined & { paid_at: string };
};

/**
 * `claimed`: may be settled by now, and whoever asks must not be told to pay again. `settled` without `answer` or
 * `refund`: an answer is owed.
 */
export type Payment =
  | ({ status: "claimed"; claim: Claim; held: Held } & Owing)
  | ({ status: "reorged"; claim: Claim } & Owing)
  | ({ status: "failed"; claim: Claim; reason: string; for_good: boolean } & Owing)
  | ({ status: "settled"; claim: Claim; settlement: Mined & { settled_at: string } } & Owing);
/** Undefined of one that nobody has claimed. */
export type PaymentState = Payment | undefined;

/** The process that sees a claimed payment through, and since when; null: an earlier version did not say which. */
export type Held = { by: string | null; since: string };

type Owing = { answer?: PaidAnswer; refund?: Refund; kept?: Kept };

/** Money that nobody asked anything for, and whose refund would cost more than it is. */
export type Kept = DataOf<typeof events, "PaymentKept">;

/** `eip155:8453:<asset>:<payer>:<nonce>`: what a payment is called in paths, receipts and events. */
export const idOf = ({ network, asset, payer, nonce }: PaymentName) =>
  `${network}:${asset}:${payer}:${nonce}`;

export const paymentId = z
  .string()
  .regex(
    /^eip155:\d{1,20}:0x[0-9a-f]{40}:0x[0-9a-f]{40}:0x[0-9a-f]{64}$/,
    "is eip155:<chain>:<asset>:<payer>:<nonce> in lower-case hex",
  );

/** A payer's tenant is its wallet. */
export const walletTenant = (wallet: Hex) => `wallet:${wallet}`;

/** Where the stream of a payment lies: in the tenant of its payer, whoever presented it. */
export function targetOf(id: string): { tenant: string; id: string } {
  const [, , , payer] = id.split(":");
  return { tenant: walletTenant(payer as Hex), id };
}

/** The authorization of a claim, as it travels to the chain. */
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

/** What its streams are named by, before the id. */
export const prefix = "payment-";

export const streamOf = (id: string) => prefix + id;

export const initialState = (): PaymentState => undefined;

/** A payment worth less would cost more to move, or to give back, than it brings: 0.001 USDC. */
export const SMALLEST_MICRO = 1_000n;

/** The operation of a payment that came with no call. */
export const NO_OPERATION = "none";

/** What was found on the chain was claimed for nothing; of its authorization only what the chain's logs say is known. */
export const claimOfFound = (found: Found): Claim => ({
  network: found.network,
  asset: found.asset,
  payer: found.payer,
  pay_to: found.pay_to,
  amount_micro: found.amount_micro,
  valid_after: "0",
  valid_before: "0",
  nonce: found.nonce,
  signature: "0x",
  operation: NO_OPERATION,
  request_sha256: NO_REQUEST,
  tenant: walletTenant(found.payer),
  seen_block: found.block_number,
  claimed_at: found.found_at,
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
  const owing: Owing = { ...(answer && { answer }), ...(refund && { refund }), ...(kept && { kept }) };
  switch (event.type) {
    case "PaymentTakenOver": {
      const { holder: by, taken_over_at: since } = event.data;
      return state.status === "claimed" ? { ...state, held: { by, since } } : state;
    }
    case "PaymentSettled": {
      const { answer: given, ...settlement } = event.data;
      return { status: "settled", claim, settlement, ...owing, ...(given && { answer: given }) };
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

type Free =
  | (Extract<Payment, { status: "failed" }> & { answer?: never; refund?: never; kept?: never })
  | undefined;

/** True of a payment that nobody has presented, or that failed before it bought anything. */
export const isFree = (state: PaymentState): state is Free =>
  !state || (state.status === "failed" && !state.answer && !state.refund);

/** Takes a payment for one request: the last step before it is carried to the chain. */
export const claim =
  (facts: Claim) =>
  (state: PaymentState): PaymentEvent[] => {
    if (!isFree(state)) refuse(paymentProblems["payment-known"], "this payment was presented before");
    // Both could be carried to the chain, which takes one of them: the stream must know which to look for.
    if (state && !isSameTransfer(state.claim, facts))
      refuse(
        "conflict",
        "another authorization of this nonce was presented before; sign one with a new nonce",
      );
    // Its signature may stand on the chain since, where anybody reads it.
    if (state && state.claim.tenant !== facts.tenant)
      refuse("conflict", "this payment failed when another tenant presented it; sign one with a new nonce");
    return [{ type: "PaymentClaimed", data: facts }];
  };

/** Takes a claim over from a process that is not at it any more: `from` is whom it was seen to be held by. */
export const takeOver =
  (from: string | null, by: string, at: string) =>
  (state: PaymentState): PaymentEvent[] => {
    if (state?.status !== "claimed" || state.held.by !== from) return refuseLost();
    return from === by ? [] : [{ type: "PaymentTakenOver", data: { holder: by, taken_over_at: at } }];
  };

/**
 * The decision, for the call that claimed the payment and in the process that holds it: one that was paused, and finds that
 * another has taken the payment over or claimed it for another call, decides nothing more.
 */
export const heldBy =
  (by: string, claim: Claim, decision: (state: PaymentState) => PaymentEvent[]) =>
  (state: PaymentState): PaymentEvent[] => {
    const isOthers = state?.status === "claimed" && state.held.by !== by;
    return isOthers || (state && !isSameCall(state.claim, claim)) ? refuseLost() : decision(state);
  };

const isSameCall = (a: Claim, b: Claim) => a.request_sha256 === b.request_sha256 && a.tenant === b.tenant;

const refuseLost = () =>
  refuse(paymentProblems["payment-known"], "another process has taken this payment over");

const isSameTransfer = (a: Claim, b: Claim) =>
  a.pay_to === b.pay_to &&
  a.amount_micro === b.amount_micro &&
  a.valid_after === b.valid_after &&
  a.valid_before === b.valid_before;

/**
 * Takes note of money that came for nothing, and owes it back, unless giving it back costs more than it is; one that somebody presented is left
 * to whom it is claimed for.
 */
export const find =
  (found: Found, refund_cost_micro: bigint) =>
  (state: PaymentState): PaymentEvent[] => {
    if (state) return [];
    const { amount_micro, found_at } = found;
    if (BigInt(amount_micro) < refund_cost_micro)
      return [
        { type: "PaymentFound", data: found },
        { type: "PaymentKept", data: { refund_cost_micro: Number(refund_cost_micro), kept_at: found_at } },
      ];
    const reason = "it was carried to the chain, and nothing was asked for it";
    return [
      { type: "PaymentFound", data: found },
      { type: "RefundOpened", data: { amount_micro, reason, opened_at: found_at } },
    ];
  };

/** The chain moved the money, as `settlement` says. `given` is what is answered for it in the same commit. */
export const settle =
  (settlement: Mined, given: PaidAnswer | null, at: string) =>
  (state: PaymentState): PaymentEvent[] => {
    if (!state) return refuse("not_found", "no such payment was claimed");
    if (given && (state.answer || state.refund))
      refuse(paymentProblems["payment-known"], "this payment was answered or refunded meanwhile");
    const settled: PaymentEvent = {
      type: "PaymentSettled",
      data: { ...settlement, answer: given, settled_at: at },
    };
    if (state.status !== "settled") return [settled];
    if (isSamePlace(state.settlement, settlement))
      return given ? [{ type: "PaymentAnswered", data: { answer: given, answered_at: at } }] : [];
    // It moved to another block, or another transaction carried it after a reorg.
    const { transaction } = state.settlement;
    return [{ type: "PaymentReorged", data: { transaction, reorged_at: at } }, settled];
  };

const isSamePlace = (a: Mined, b: Mined) => a.transaction === b.transaction && a.block_hash === b.block_hash;

/** It did not settle, though it may yet: its payer had not enough, or nothing could be sent. */
export const fail =
  (reason: string, at: string) =>
  (state: PaymentState): PaymentEvent[] =>
    state?.status === "failed" ? [] : failure(state, { reason, for_good: false, failed_at: at });

/** It can never settle: it expired, was cancelled or used for something else, and the chain will not take that back. */
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

/** The chain took the settlement back. */
export const reorg =
  (transaction: Hex, at: string) =>
  (state: PaymentState): PaymentEvent[] =>
    state?.status === "settled" && state.settlement.transaction === transaction
      ? [{ type: "PaymentReorged", data: { transaction, reorged_at: at } }]
      : [];

/** Money was taken for which no answer was given: it goes back. */
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
 * What an answer was bought with goes back, the whole of it unless `amount_micro` says less: it was cancelled, or returned. There is
 * one refund a payment; said twice, nothing happens. Decided in the commit that says why.
 */
export const refundAnswered =
  (reason: string, at: string, amount_micro?: number) =>
  (state: PaymentState): PaymentEvent[] => {
    if (!state?.answer) return refuse("conflict", "nothing was bought with this payment yet");
    const wanted = amount_micro ?? state.claim.amount_micro;
    if (!Number.isSafeInteger(wanted) || wanted <= 0 || wanted > state.claim.amount_micro)
      refuse("invalid", `amount_micro: is from 1 to the ${state.claim.amount_micro} that were paid`);
    // The chain took the payment back for good: there is nothing to return.
    if (state.status === "failed" && state.for_good) return [];
    if (!state.refund)
      return [{ type: "RefundOpened", data: { amount_micro: wanted, reason, opened_at: at } }];
    if (state.refund.amount_micro !== wanted)
      refuse("conflict", `this payment has its refund, of ${state.refund.amount_micro}: there is one`);
    return [];
  };

/** The refund was carried to the chain. */
export const payRefund =
  (paid: Mined, at: string) =>
  (state: PaymentState): PaymentEvent[] => {
    if (!state?.refund) return refuse("conflict", "no refund is open");
    const before = state.refund.paid;
    const event: PaymentEvent = { type: "RefundPaid", data: { ...paid, paid_at: at } };
    if (!before) return [event];
    if (isSamePlace(before, paid)) return [];
    return [{ type: "RefundReorged", data: { transaction: before.transaction, reorged_at: at } }, event];
  };

/** The chain took the refund back; it is open again. */
export const reorgRefund =
  (transaction: Hex, at: string) =>
  (state: PaymentState): PaymentEvent[] =>
    state?.refund?.paid?.transaction === transaction
      ? [{ type: "RefundReorged", data: { transaction, reorged_at: at } }]
      : [];
