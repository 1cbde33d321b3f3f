/** Whenever a refund is open and its payment final, it is paid: by an authorization that the chain can take only once. */

import type { SoughtTransfer } from "../../chain/endings.ts";
import { compareChain, fromBlock } from "../../chain/history.ts";
import type { App } from "../../core/app.ts";
import { type Outcome, unlessRefused } from "../../core/background/reactor.ts";
import { type Hex, networkOf } from "../../core/model/chain.ts";
import type { Mined, PaymentState } from "../../domain/payments/payment.ts";
import * as payments from "../../domain/payments/payment.ts";
import { refundTransfer } from "../../domain/payments/refund.ts";
import { openRefunds } from "../../projections/payments/watched.ts";
import { carryOut, type Outgoing, type OutgoingOptions } from "./outgoing.ts";

/** Seconds that a refund's authorization holds; a later one has the same nonce. */
const HOLDS_S = 3_600;

const meta = { actor: "reactor:payments", operation: "payments.refund" };

/**
 * Pays what can be paid, and finds what was paid already: first the refunds that calls have opened, then those that nobody asked for, which
 * have gas of their own. Rejects with ChainUnavailable.
 */
export async function payRefunds(app: App, options: OutgoingOptions): Promise<Outcome<"behind" | "foreign">> {
  const network = networkOf(app.chain);
  const [asked, unasked] = await Promise.all([
    openRefunds(app.pool, network, false),
    openRefunds(app.pool, network, true),
  ]);
  if (asked.length + unasked.length === 0) {
    if (options.told) options.told.warning = undefined;
    return "done";
  }
  const compared = await compareChain(app);
  if (compared.status !== "same") return compared;
  const due = [...(await dueOf(app, asked, "refund")), ...(await dueOf(app, unasked, "unasked refund"))];
  await carryOut(app, due, "refunds", options);
  return "done";
}

async function dueOf(
  app: App,
  ids: readonly string[],
  errand: "refund" | "unasked refund",
): Promise<Outgoing[]> {
  const due: Outgoing[] = [];
  for (const id of ids) {
    const state = await app.load(payments, payments.targetOf(id));
    const sought = refundToSeek(app, state);
    if (sought && state?.status === "settled" && !state.refund?.paid)
      due.push({ name: `refund of ${id}`, errand, sought, record: (mined) => recordRefund(app, id, mined) });
  }
  return due;
}

/** Appends that a refund was paid, or where it stands now. */
export async function recordRefund(app: App, id: string, mined: Mined): Promise<void> {
  const decision = payments.payRefund(mined, app.clock.now().toISOString());
  await unlessRefused(app.decide(payments, payments.targetOf(id), decision, { meta }));
}

/** The transfer that pays a payment's refund, and from where on it may be found. */
export function refundToSeek(app: App, state: PaymentState): SoughtTransfer | undefined {
  if (!state?.refund) return undefined;
  const { claim, refund } = state;
  const from = app.refunds.address.toLowerCase() as Hex;
  const valid_before = Math.floor(app.clock.now().getTime() / 1000) + HOLDS_S;
  return {
    transfer: refundTransfer(claim, refund.amount_micro, from, valid_before),
    from_block: fromBlock(claim.seen_block),
  };
}
