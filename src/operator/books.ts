/** The books: what the chain moved for the payments and refunds of the log, and what the log says of them. */
import type { App } from "../app.ts";
import type { Claim, PaymentEvent, PaymentState } from "../domain/payments/payment.ts";
import * as payments from "../domain/payments/payment.ts";
import { refundToSeek } from "../reactors/payments/refund.ts";
import { endingsOf, fromBlock, networkOf, type Sought } from "../reactors/payments/search.ts";

/** Of one side of the books, in micro-USDC; `differences` names the first payments on which the two disagree. */
export type Account = { chain_micro: bigint; log_micro: bigint; differences: string[] };

export type Books = { payments: Account; refunds: Account; agree: boolean };

/** What the log has of a payment: its claim, and what settled less what was taken back. */
type Entry = { state: PaymentState; settled_micro: bigint; refunded_micro: bigint };

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
    const sought = sides.flatMap(({ payment, refund }) => [payment ?? [], refund ?? []].flat());
    const endings = await endingsOf(app.chain, sought, latest.number);
    const movedOf = (one: Sought | undefined) =>
      one && endings.get(one.transfer)?.kind === "moved" ? one.transfer.value : 0n;
    for (const { id, payment, refund, settled_micro, refunded_micro } of sides) {
      enter(paid, id, movedOf(payment), settled_micro);
      enter(refunded, id, movedOf(refund), refunded_micro);
    }
  }
  const agree = [paid, refunded].every(({ differences }) => differences.length === 0);
  return { payments: paid, refunds: refunded, agree };
}

function enter(account: Account, id: string, chain: bigint, log: bigint): void {
  account.chain_micro += chain;
  account.log_micro += log;
  if (chain !== log && account.differences.length < SHOWN) account.differences.push(id);
}

const paymentToSeek = (state: PaymentState): Sought | undefined =>
  state.status === "unknown"
    ? undefined
    : { transfer: payments.transferOf(state.claim), from_block: fromBlock(state.claim.seen_block) };

/** Every payment of this chain that was ever claimed. */
async function entriesOf(app: App): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  const network = networkOf(app.chain);
  for (let after = 0; ; ) {
    const events = await app.store.readLog({ after });
    if (events.length === 0) return entries;
    for (const event of events) {
      after = event.position;
      if (!event.stream_id.startsWith(payments.streamOf(network))) continue;
      const id = event.stream_id.slice(payments.streamOf("").length);
      const change = { type: event.type, data: event.payload } as unknown as PaymentEvent;
      const entry = entries.get(id) ?? {
        state: payments.initialState(),
        settled_micro: 0n,
        refunded_micro: 0n,
      };
      entry.state = firstSeen(entry.state, payments.evolve(entry.state, change));
      post(entry, change);
      entries.set(id, entry);
    }
  }
}

/** One that was claimed again may have been carried by somebody after its first claim. */
function firstSeen(before: PaymentState, after: PaymentState): PaymentState {
  if (before.status === "unknown" || after.status === "unknown") return after;
  const seen_block = Math.min(before.claim.seen_block, after.claim.seen_block);
  const claim: Claim = { ...after.claim, seen_block };
  return { ...after, claim };
}

function post(entry: Entry, { type }: PaymentEvent): void {
  const { state } = entry;
  if (state.status === "unknown") return;
  const amount = BigInt(state.claim.amount_micro);
  const refund = BigInt(state.refund?.amount_micro ?? 0);
  if (type === "PaymentSettled") entry.settled_micro += amount;
  if (type === "PaymentReorged") entry.settled_micro -= amount;
  if (type === "RefundPaid") entry.refunded_micro += refund;
  if (type === "RefundReorged") entry.refunded_micro -= refund;
}
