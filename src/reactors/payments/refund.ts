/** Pays an open refund once its payment is final, by an authorization that the chain takes only once. */

import type { SoughtTransfer } from "../../chain/endings.ts";
import { compareChain, fromBlock } from "../../chain/history.ts";
import type { App } from "../../core/app.ts";
import { type Outcome, unlessRefused } from "../../core/background/reactor.ts";
import { type Hex, networkOf } from "../../core/model/chain.ts";
import type { MinedTransaction, PaymentState } from "../../domain/payments/payment.ts";
import * as payments from "../../domain/payments/payment.ts";
import { refundTransfer } from "../../domain/payments/refund.ts";
import { openRefunds } from "../../projections/payments/watched.ts";
import { type OutgoingOptions, type OutgoingTransfer, sendTransfers } from "./outgoing.ts";

/** Validity of a refund's authorization in seconds; a renewed one has the same nonce. */
const VALID_S = 3_600;

const meta = { actor: "reactor:payments", operation: "payments.refund" };

/**
 * Pays possible refunds and records paid ones: first those of calls, then those without a call, which have their own
 * gas budget. Rejects with ChainUnavailable.
 */
export async function payRefunds(app: App, options: OutgoingOptions): Promise<Outcome<"behind" | "foreign">> {
  const network = networkOf(app.chain);
  const [ofCalls, withoutCall] = await Promise.all([
    openRefunds(app.pool, network, false),
    openRefunds(app.pool, network, true),
  ]);
  if (ofCalls.length + withoutCall.length === 0) {
    if (options.memory) options.memory.warning = undefined;
    return "done";
  }
  const compared = await compareChain(app);
  if (compared.status !== "same") return compared;
  const due = [
    ...(await dueOf(app, ofCalls, "refund")),
    ...(await dueOf(app, withoutCall, "unasked refund")),
  ];
  await sendTransfers(app, due, "refunds", options);
  return "done";
}

async function dueOf(
  app: App,
  ids: readonly string[],
  errand: "refund" | "unasked refund",
): Promise<OutgoingTransfer[]> {
  const due: OutgoingTransfer[] = [];
  for (const id of ids) {
    const state = await app.load(payments, payments.targetOf(id));
    const sought = refundToSeek(app, state);
    if (sought && state?.status === "settled" && !state.refund?.paid)
      due.push({ name: `refund of ${id}`, errand, sought, record: (mined) => recordRefund(app, id, mined) });
  }
  return due;
}

/** Records a refund as paid, or its new block. */
export async function recordRefund(app: App, id: string, mined: MinedTransaction): Promise<void> {
  const decision = payments.payRefund(mined, app.clock.now().toISOString());
  await unlessRefused(app.decide(payments, payments.targetOf(id), decision, { meta }));
}

/** The transfer of a payment's refund, and the first block that can have it. */
export function refundToSeek(app: App, state: PaymentState): SoughtTransfer | undefined {
  if (!state?.refund) return undefined;
  const { claim, refund } = state;
  const from = app.refunds.address.toLowerCase() as Hex;
  const valid_before = Math.floor(app.clock.now().getTime() / 1000) + VALID_S;
  return {
    transfer: refundTransfer(claim, refund.amount_micro, from, valid_before),
    from_block: fromBlock(claim.seen_block),
  };
}
