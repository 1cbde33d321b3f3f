/**
 * Whenever a payment's outcome is unknown or could change, the chain is asked, and the log follows the chain.
 *
 * Once a block is final and all that the log has up to it was found there, ChainConfirmed says so, and it is not looked
 * at again. A chain that is away, hangs or lags changes nothing: the next turn asks again.
 */

import { type Ending, endingsOf, type SoughtTransfer } from "../../chain/endings.ts";
import {
  type ChainMemory,
  compareChain,
  fromBlock,
  newlyMovedBlocks,
  noChainMemory,
} from "../../chain/history.ts";
import type { App } from "../../core/app.ts";
import { type Outcome, unlessRefused, unlessUndone } from "../../core/background/reactor.ts";
import { forEach, untilStopped } from "../../core/coordination/concurrency.ts";
import { type Block, type Heads, type Hex, networkOf } from "../../core/model/chain.ts";
import * as confirmation from "../../domain/payments/confirmation.ts";
import type { PaymentEvent, PaymentState } from "../../domain/payments/payment.ts";
import * as payments from "../../domain/payments/payment.ts";
import {
  finalUpTo,
  movedWith,
  unanswered,
  type Watched,
  watched,
} from "../../projections/payments/watched.ts";
import { recordRefund, refundToSeek } from "./refund.ts";

export type ReconcileOptions = {
  /** The call that claimed a payment settles it within this. */
  claim_holds_ms?: number;
  /** A settled payment that has no answer after this is refunded. */
  answer_within_ms?: number;
  /** What the turn before learned, so that not every block is asked for again. */
  memory?: ChainMemory;
  signal?: AbortSignal;
};

/** Blocks between two confirmations while something is looked for all along: it bounds how far back that goes. */
const CONFIRM_EVERY = 1_000;

const meta = { actor: "reactor:payments", operation: "payments.reconcile" };

/** Compares everything that is not final yet with the chain, and asks nothing when there is nothing. Rejects with ChainUnavailable. */
export async function reconcile(
  app: App,
  options: ReconcileOptions = {},
): Promise<Outcome<"behind" | "foreign">> {
  const { claim_holds_ms = 90_000, answer_within_ms = 900_000 } = options;
  const network = networkOf(app.chain);
  const now = app.clock.now().getTime();
  const claimed_before = new Date(now - claim_holds_ms).toISOString();
  await refundUnanswered(app, network, new Date(now - answer_within_ms).toISOString());
  const seen = await watched(app.pool, { network, claimed_before });
  if (seen.unsettled.length === 0 && seen.blocks.length === 0) return "done";
  const compared = await compareChain(app);
  if (compared.status !== "same") return compared;
  const heads = await app.chain.heads();
  const highest = seen.blocks.at(-1)?.block_number ?? 0;
  if (heads.latest.number < highest) return "behind";
  const moved = await newlyMovedBlocks(
    app.chain,
    seen.blocks,
    heads.latest,
    options.memory ?? noChainMemory(),
  );
  const gone = new Set(moved.map(({ block_hash }) => block_hash));
  const { settled, refunded } = await movedWith(app.pool, [...gone]);
  const reorged = await followPayments(app, [...seen.unsettled, ...settled], seen, heads, gone);
  await followRefunds(app, refunded, heads, gone);
  const isAgreed = moved.every(({ block_number }) => block_number > heads.finalized.number);
  if (isAgreed) await confirmFinal(app, seen, heads.finalized, claimed_before);
  await sendAgain(app, reorged, options.signal);
  return "done";
}

/** Looks payments up in the chain and appends what it says; answers those that it took back. */
async function followPayments(
  app: App,
  ids: readonly string[],
  seen: Watched,
  heads: Heads,
  gone: ReadonlySet<Hex>,
): Promise<string[]> {
  const { confirmed } = seen;
  const sought = new Map<string, SoughtTransfer>();
  await forEach(ids, async (id) => {
    const state = await app.load(payments, payments.targetOf(id));
    if (!state) return;
    const { claim } = state;
    const isBelow = confirmed && claim.claimed_at < confirmed.claimed_before;
    const first = isBelow ? Math.max(claim.seen_block, confirmed.block_number) : claim.seen_block;
    sought.set(id, { transfer: payments.transferOf(claim), from_block: fromBlock(first) });
  });
  const endings = await endingsOf(app.chain, [...sought.values()], heads.latest.number);
  const at = app.clock.now().toISOString();
  const reorged: string[] = [];
  await forEach([...sought], async ([id, { transfer }]) => {
    const decision = (state: PaymentState) => follow(state, endings.get(transfer), heads, gone, at);
    await unlessRefused(
      app.decide(payments, payments.targetOf(id), decision, { meta }).then(({ result: { state } }) => {
        if (state?.status === "reorged") reorged.push(id);
      }),
    );
  });
  return reorged;
}

/** What the chain's word means for a payment; `gone` are the blocks that are not in it any more. */
function follow(
  state: PaymentState,
  ending: Ending | undefined,
  { finalized }: Heads,
  gone: ReadonlySet<Hex>,
  at: string,
): PaymentEvent[] {
  if (!state) return [];
  // A settlement by its own call may be newer than what was looked through.
  if (state.status === "settled" && !gone.has(state.settlement.block_hash)) return [];
  if (ending?.kind === "moved") return payments.settle(ending.mined, null, at)(state);
  if (state.status === "settled") return payments.reorg(state.settlement.transaction, at)(state);
  if (ending && ending.block_number <= finalized.number) return payments.giveUp(ending.reason, at)(state);
  // No later block has an earlier time.
  if (BigInt(finalized.timestamp) >= BigInt(state.claim.valid_before))
    return payments.giveUp("expired", at)(state);
  return [];
}

/** The same for refunds that stood in blocks which moved. */
async function followRefunds(
  app: App,
  ids: readonly string[],
  heads: Heads,
  gone: ReadonlySet<Hex>,
): Promise<void> {
  await forEach(ids, async (id) => {
    const target = payments.targetOf(id);
    const state = await app.load(payments, target);
    const sought = refundToSeek(app, state);
    if (!sought || !state?.refund?.paid) return;
    const { transaction, block_hash } = state.refund.paid;
    const ending = (await endingsOf(app.chain, [sought], heads.latest.number)).get(sought.transfer);
    const at = app.clock.now().toISOString();
    if (ending?.kind === "moved") await recordRefund(app, id, ending.mined);
    else if (gone.has(block_hash))
      await unlessRefused(app.decide(payments, target, payments.reorgRefund(transaction, at), { meta }));
  });
}

async function confirmFinal(
  app: App,
  seen: Watched,
  finalized: Block,
  claimed_before: string,
): Promise<void> {
  const { as_of_position, confirmed } = seen;
  const network = networkOf(app.chain);
  const block_number = Number(finalized.number);
  if (confirmed && block_number < confirmed.block_number) return;
  const sums = await finalUpTo(app.pool, { network, block_number, as_of_position });
  const isDue = seen.unsettled.length > 0 && block_number - (confirmed?.block_number ?? 0) > CONFIRM_EVERY;
  if (sums.payments + sums.refunds === 0 && !isDue) return;
  const facts: confirmation.Confirmed = {
    network,
    block_number,
    block_hash: finalized.hash,
    timestamp: finalized.timestamp,
    as_of_position,
    claimed_before,
    ...sums,
    confirmed_at: app.clock.now().toISOString(),
  };
  const decision = confirmation.confirm(facts, confirmed);
  await unlessRefused(app.decide(confirmation, confirmation.targetOf(network), decision, { meta }));
}

/** A payment that the chain took back still holds for a while: it is carried there again, if it would go through. */
async function sendAgain(app: App, ids: readonly string[], signal: AbortSignal | undefined): Promise<void> {
  const send = async (id: string) => {
    const target = payments.targetOf(id);
    const state = await app.load(payments, target);
    if (state?.status !== "reorged") return;
    const signed = payments.signedTransferOf(state.claim);
    try {
      if (!(await app.settlement.facts(signed)).would_settle) return;
      const mined = payments.minedBy(await app.settlement.settle(signed, BigInt(state.claim.seen_block)));
      const at = app.clock.now().toISOString();
      await unlessRefused(app.decide(payments, target, payments.settle(mined, null, at), { meta }));
    } catch (error) {
      unlessUndone(error);
    }
  };
  await untilStopped(Promise.all(ids.map(send)), signal);
}

/** Settled for good, and nobody came for the answer. */
async function refundUnanswered(app: App, network: string, settled_before: string): Promise<void> {
  for (const id of await unanswered(app.pool, network, settled_before)) {
    const at = app.clock.now().toISOString();
    const decision = payments.openRefund("no answer was given for it", at);
    await unlessRefused(app.decide(payments, payments.targetOf(id), decision, { meta }));
  }
}
