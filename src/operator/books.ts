/** The books: what the chain moved for the payments and refunds of the log, and what the log says of them. */
import type { App } from "../app.ts";
import { endingsOf, type Sought } from "../chain/endings.ts";
import { fromBlock } from "../chain/history.ts";
import { type Block, networkOf } from "../domain/chain.ts";
import type { Payment, PaymentEvent } from "../domain/payments/payment.ts";
import * as payments from "../domain/payments/payment.ts";
import { type Chain, ChainUnavailable } from "../domain/ports.ts";
import { refundToSeek } from "../reactors/payments/refund.ts";

/** Of one side of the books, in micro-USDC; `differences` names the first payments on which the two disagree. */
export type Account = { chain_micro: bigint; log_micro: bigint; differences: string[] };

export type Books = { payments: Account; refunds: Account; agree: boolean };

/** What the log has of a payment: its claim, and what settled less what was taken back. */
type Entry = { state: Payment; settled_micro: bigint; refunded_micro: bigint };

/** Payments read from the chain at a time. */
const PAGE = 1_000;
const SHOWN = 20;

/**
 * Reads the whole log and the chain, past all read models: the sum of AuthorizationUsed and Transfer with claimed nonces
 * to their payees = settled - reorged, to the micro-unit, and likewise for refunds. Rejects with ChainUnavailable.
 */
export async function books(app: App): Promise<Books> {
  const entries = [...(await entriesOf(app)).entries()];
  const { latest } = await app.chain.heads();
  const paid: Account = { chain_micro: 0n, log_micro: 0n, differences: [] };
  const refunded: Account = { chain_micro: 0n, log_micro: 0n, differences: [] };
  for (let at = 0; at < entries.length; at += PAGE) {
    const page = entries.slice(at, at + PAGE);
    const sides = page.map(([id, { state, settled_micro, refunded_micro }]) => ({
      ...{ id, settled_micro, refunded_micro },
      payment: paymentToSeek(state),
      refund: refundToSeek(app, state),
    }));
    const sought = sides.map(({ payment }) => payment);
    const expired = sought.reduce((last, { transfer }) => greatest(last, transfer.valid_before), 0n);
    const settled = await endingsOf(app.chain, sought, await lastBlockBefore(app.chain, expired, latest));
    const returned = await endingsOf(
      app.chain,
      sides.flatMap(({ refund }) => refund ?? []),
      latest.number,
    );
    for (const { id, payment, refund, settled_micro, refunded_micro } of sides) {
      enter(paid, id, movedBy(payment, settled), settled_micro);
      enter(refunded, id, refund ? movedBy(refund, returned) : 0n, refunded_micro);
    }
  }
  const agree = [paid, refunded].every(({ differences }) => differences.length === 0);
  return { payments: paid, refunds: refunded, agree };
}

const movedBy = ({ transfer }: Sought, endings: Awaited<ReturnType<typeof endingsOf>>) =>
  endings.get(transfer)?.kind === "moved" ? transfer.value : 0n;

const greatest = (a: bigint, b: bigint) => (a > b ? a : b);

/** The last block earlier than a time: what expired then is in none after it. */
async function lastBlockBefore(chain: Chain, time: bigint, latest: Block): Promise<bigint> {
  if (BigInt(latest.timestamp) < time) return latest.number;
  let [before, after] = [0n, latest.number];
  while (after - before > 1n) {
    const middle = (before + after) / 2n;
    const block = await chain.block(middle);
    if (!block) throw new ChainUnavailable(`the node does not know block ${middle}`);
    if (BigInt(block.timestamp) < time) before = middle;
    else after = middle;
  }
  return before;
}

function enter(account: Account, id: string, chain: bigint, log: bigint): void {
  account.chain_micro += chain;
  account.log_micro += log;
  if (chain !== log && account.differences.length < SHOWN) account.differences.push(id);
}

const paymentToSeek = ({ claim }: Payment): Sought => ({
  transfer: payments.transferOf(claim),
  from_block: fromBlock(claim.seen_block),
});

/** Every payment of this chain that was ever claimed. */
async function entriesOf(app: App): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  const ours = `${networkOf(app.chain)}:`;
  for (let after = 0; ; ) {
    const events = await app.store.readLog({ after });
    if (events.length === 0) return entries;
    after = events.at(-1)!.position;
    for (const event of app.eventsOf(payments, events)) {
      const { id } = event;
      if (!id.startsWith(ours)) continue;
      const before = entries.get(id);
      const state = payments.evolve(before?.state, event);
      if (!state) throw new Error(`${event.type} of ${id} comes before its claim`);
      const entry = before ?? { state, settled_micro: 0n, refunded_micro: 0n };
      entry.state = seenFirst(entry.state, state);
      post(entry, event);
      entries.set(id, entry);
    }
  }
}

/** One that was claimed again may have been carried by somebody after its first claim. */
function seenFirst(before: Payment, after: Payment): Payment {
  const seen_block = Math.min(before.claim.seen_block, after.claim.seen_block);
  return { ...after, claim: { ...after.claim, seen_block } };
}

function post(entry: Entry, { type }: PaymentEvent): void {
  const { claim, refund } = entry.state;
  const amount = BigInt(claim.amount_micro);
  const back = BigInt(refund?.amount_micro ?? 0);
  if (type === "PaymentSettled") entry.settled_micro += amount;
  if (type === "PaymentReorged") entry.settled_micro -= amount;
  if (type === "RefundPaid") entry.refunded_micro += back;
  if (type === "RefundReorged") entry.refunded_micro -= back;
}
