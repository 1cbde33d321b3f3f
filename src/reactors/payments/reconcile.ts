/**
 * Queries the chain about payments whose outcome is unknown or could change, and updates the log.
 *
 * Once a block is final and the log's payments up to it are found there, ChainConfirmed records that, and the block is
 * not read again. A chain that is down, hangs or lags changes nothing: the next tick queries again.
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
  type WatchedPayments,
  watchedPayments,
} from "../../projections/payments/watched.ts";
import { recordRefund, refundToSeek } from "./refund.ts";

export type ReconcileOptions = {
  /** The claiming call settles within this time. */
  claim_holds_ms?: number;
  /** A settled payment without an answer is refunded after this time. */
  answer_within_ms?: number;
  /** Results of earlier ticks, so that not every block is read again. */
  memory?: ChainMemory;
  signal?: AbortSignal;
};

/** Blocks between two confirmations while a search is running; this bounds how far back a search reads. */
const CONFIRM_EVERY = 1_000;

const meta = { actor: "reactor:payments", operation: "payments.reconcile" };

/**
 * Compares everything that is not final with the chain; without such payments it makes no query. Rejects with
 * ChainUnavailable.
 */
export async function reconcile(
  app: App,
  options: ReconcileOptions = {},
): Promise<Outcome<"behind" | "foreign">> {
  const { claim_holds_ms = 90_000, answer_within_ms = 900_000 } = options;
  const network = networkOf(app.chain);
  const now = app.clock.now().getTime();
  const claimed_before = new Date(now - claim_holds_ms).toISOString();
  await refundUnanswered(app, network, new Date(now - answer_within_ms).toISOString());
  const searched = await watchedPayments(app.pool, { network, claimed_before });
  if (searched.unsettled.length === 0 && searched.blocks.length === 0) return "done";
  const compared = await compareChain(app);
  if (compared.status !== "same") return compared;
  const heads = await app.chain.heads();
  const highest = searched.blocks.at(-1)?.block_number ?? 0;
  if (heads.latest.number < highest) return "behind";
  const moved = await newlyMovedBlocks(
    app.chain,
    searched.blocks,
    heads.latest,
    options.memory ?? noChainMemory(),
  );
  const gone = new Set(moved.map(({ block_hash }) => block_hash));
  const { settled, refunded } = await movedWith(app.pool, [...gone]);
  const reorged = await followPayments(app, [...searched.unsettled, ...settled], searched, heads, gone);
  await followRefunds(app, refunded, heads, gone);
  const isAgreed = moved.every(({ block_number }) => block_number > heads.finalized.number);
  if (isAgreed) await confirmFinal(app, searched, heads.finalized, claimed_before);
  await sendAgain(app, reorged, options.signal);
  return "done";
}

/** Looks payments up on the chain and appends the result; returns those that it reverted. */
async function followPayments(
  app: App,
  ids: readonly string[],
  searched: WatchedPayments,
  heads: Heads,
  gone: ReadonlySet<Hex>,
): Promise<string[]> {
  const { confirmed } = searched;
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

/** The decision about a payment by its ending on the chain; `gone`: blocks that are not canonical any more. */
function follow(
  state: PaymentState,
  ending: Ending | undefined,
  { finalized }: Heads,
  gone: ReadonlySet<Hex>,
  at: string,
): PaymentEvent[] {
  if (!state) return [];
  // A call may have settled it in a block after the searched ones.
  if (state.status === "settled" && !gone.has(state.settlement.block_hash)) return [];
  if (ending?.kind === "moved") return payments.settle(ending.mined, null, at)(state);
  if (state.status === "settled") return payments.reorg(state.settlement.transaction, at)(state);
  if (ending && ending.block_number <= finalized.number) return payments.giveUp(ending.reason, at)(state);
  // Later blocks have no earlier time.
  if (BigInt(finalized.timestamp) >= BigInt(state.claim.valid_before))
    return payments.giveUp("expired", at)(state);
  return [];
}

/** As followPayments, for refunds in moved blocks. */
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
  searched: WatchedPayments,
  finalized: Block,
  claimed_before: string,
): Promise<void> {
  const { as_of_position, confirmed } = searched;
  const network = networkOf(app.chain);
  const block_number = Number(finalized.number);
  if (confirmed && block_number < confirmed.block_number) return;
  const sums = await finalUpTo(app.pool, { network, block_number, as_of_position });
  const isConfirmationDue =
    searched.unsettled.length > 0 && block_number - (confirmed?.block_number ?? 0) > CONFIRM_EVERY;
  if (sums.payments + sums.refunds === 0 && !isConfirmationDue) return;
  const facts: confirmation.ConfirmationData = {
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

/** A reverted payment remains valid for a while: it is sent again if it would settle. */
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

/** Settled for good, and nobody fetched the answer. */
async function refundUnanswered(app: App, network: string, settled_before: string): Promise<void> {
  for (const id of await unanswered(app.pool, network, settled_before)) {
    const at = app.clock.now().toISOString();
    const decision = payments.openRefund("the paid call got no answer", at);
    await unlessRefused(app.decide(payments, payments.targetOf(id), decision, { meta }));
  }
}
