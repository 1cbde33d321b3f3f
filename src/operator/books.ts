/** Compares the chain's transfers for payments and refunds with the log. */

import { readChannels } from "../chain/channels.ts";
import { endingsOf, type SoughtTransfer } from "../chain/endings.ts";
import { fromBlock } from "../chain/history.ts";
import type { App } from "../core/app.ts";
import { type Block, type Hex, networkOf } from "../core/model/chain.ts";
import { lowerCase } from "../core/model/fields.ts";
import { type Chain, ChainUnavailable } from "../core/model/ports/chain.ts";
import type { Sums } from "../domain/payments/account.ts";
import * as account from "../domain/payments/account.ts";
import type { Channel } from "../domain/payments/channel.ts";
import * as channels from "../domain/payments/channel.ts";
import { CHANNELS, receiverCall, receiverSums } from "../domain/payments/channel-contract.ts";
import type { Payment, PaymentEvent } from "../domain/payments/payment.ts";
import * as payments from "../domain/payments/payment.ts";
import { paidTo, USDC } from "../domain/payments/usdc.ts";
import { amountIn, balanceCall } from "../domain/wallet/token.ts";
import { depositsTo } from "../projections/wallet/read-transfers.ts";
import { reachOf } from "../projections/wallet/transfers.ts";
import { refundToSeek } from "../reactors/payments/refund.ts";
import { withdrawalToSeek } from "../reactors/payments/withdraw.ts";

/** One side of the books, in micro-USDC; `differences` names the first payments on which both disagree. */
export type Account = { chain_micro: bigint; log_micro: bigint; differences: string[] };

/**
 * All USDC transfers to the payment address, in micro-USDC. `payments_micro`: recorded in the log; `channels_micro`:
 * claims of channels; `other_micro`: without an authorization, or too small to refund; `unasked`: payments that the log lacks (yet).
 */
export type Incoming = {
  chain_micro: bigint;
  payments_micro: bigint;
  channels_micro: bigint;
  other_micro: bigint;
  unasked_micro: bigint;
  unasked: string[];
  /** The part of `payments_micro` without a call that was not refunded. */
  kept_micro: bigint;
};

/**
 * Custody in micro-USDC. `owed`: the balances of all accounts and pending withdrawals; `balance`: the USDC at the
 * payment and refund addresses, which `pay_to` and `refunds` have apart. `differences` names tenants whose account does
 * not add up.
 */
export type Custody = {
  owed_micro: bigint;
  balance_micro: bigint;
  pay_to: AccountBalance;
  refunds: AccountBalance;
  differences: string[];
};

/** The USDC of one address. */
export type AccountBalance = { address: Hex; balance_micro: bigint };

/**
 * Channels in micro-USDC: the claims on the chain and in the log. `charged`: accepted vouchers; `owed`: the part that is
 * not claimed; `lost`: the part of it that has left its deposit; `moved`: claims that arrived at the payment address.
 */
export type ChannelBooks = Account & {
  charged_micro: bigint;
  owed_micro: bigint;
  lost_micro: bigint;
  escrow_micro: bigint;
  moved_micro: bigint;
};

export type Books = {
  payments: Account;
  channels: ChannelBooks;
  refunds: Account;
  withdrawals: Account;
  incoming: Incoming;
  custody: Custody;
  agree: boolean;
};

/** A payment in the log: its claim, and the settled amount minus reverted ones. */
type BookEntry = { state: Payment; settled_micro: bigint; refunded_micro: bigint };

/** Payments per chain query. */
const PAGE = 1_000;
const SHOWN = 20;

/**
 * Compares the whole log with the chain, without read models. AuthorizationUsed and Transfer sums with claimed
 * nonces equal settled minus reverted amounts exactly, and likewise for refunds. Every transfer to the payment
 * address is a payment in the log, or is named. Rejects with ChainUnavailable.
 */
export async function books(app: App): Promise<Books> {
  const read = await readBooks(app);
  const entries = [...read.payments.entries()];
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
  const withdrawn = await withdrawalsOf(app, read.withdrawals, latest);
  const came_in = await incomingOf(app, new Map(entries), latest.number);
  const custody = await custodyOf(app, read);
  const from_channels = await channelsOf(app, read.channels);
  const differences = [
    ...paid.differences,
    ...from_channels.differences,
    ...refunded.differences,
    ...withdrawn.differences,
    ...came_in.unasked,
    ...custody.differences,
  ];
  return {
    payments: paid,
    channels: from_channels,
    refunds: refunded,
    withdrawals: withdrawn,
    incoming: came_in,
    custody,
    agree: differences.length === 0,
  };
}

/** The transfers of withdrawals, and the log's payouts minus reverted ones. */
async function withdrawalsOf(
  app: App,
  entries: ReadonlyMap<string, WithdrawalEntry>,
  latest: Block,
): Promise<Account> {
  const sides: Account = { chain_micro: 0n, log_micro: 0n, differences: [] };
  const sought = [...entries.values()].map((one) => one.sought);
  const endings = await endingsOf(app.chain, sought, latest.number);
  for (const [name, one] of entries) enter(sides, name, movedBy(one.sought, endings), one.paid_micro);
  return sides;
}

/** Charges and claims of each channel in the log, with the chain's own sums. */
async function channelsOf(app: App, entries: ReadonlyMap<string, ChannelEntry>): Promise<ChannelBooks> {
  const sums: ChannelBooks = {
    ...{ chain_micro: 0n, log_micro: 0n, differences: [] },
    ...{ charged_micro: 0n, owed_micro: 0n, lost_micro: 0n, escrow_micro: 0n, moved_micro: 0n },
  };
  if (entries.size === 0) return sums;
  const all = [...entries.entries()];
  const seen = await readChannels(
    app.chain,
    all.map(([, { state }]) => state.channel_id),
  );
  for (const [i, [id, { state, priced_micro, forgotten_micro }]] of all.entries()) {
    const { balance_micro, claimed_micro } = seen[i]!;
    enter(sums, id, BigInt(claimed_micro), BigInt(state.chain.claimed_micro));
    // Each voucher adds its price, and nothing is charged twice.
    if (priced_micro + forgotten_micro !== BigInt(state.charged_micro)) sums.differences.push(id);
    sums.charged_micro += BigInt(state.charged_micro);
    sums.owed_micro += BigInt(channels.owed(state));
    sums.lost_micro += BigInt(Math.max(0, state.charged_micro - balance_micro));
    sums.escrow_micro += BigInt(balance_micro - claimed_micro);
  }
  const token = USDC.address.toLowerCase() as Hex;
  const [answer] = await app.chain.read([receiverCall(app.pay_to, token)], { mined: true });
  return { ...sums, moved_micro: receiverSums(answer).moved_micro };
}

/** Everything received since the first payment, or since this service first watched the address. */
async function incomingOf(app: App, known: Map<string, BookEntry>, to_block: bigint): Promise<Incoming> {
  const asset = USDC.address.toLowerCase() as Hex;
  const [network, pay_to] = [networkOf(app.chain), app.pay_to.toLowerCase() as Hex];
  const sums: Incoming = {
    chain_micro: 0n,
    payments_micro: 0n,
    channels_micro: 0n,
    other_micro: 0n,
    unasked_micro: 0n,
    unasked: [],
    kept_micro: [...known.values()].reduce(
      (sum, { state }) => sum + BigInt(state.kept ? state.claim.amount_micro : 0),
      0n,
    ),
  };
  const reach = await reachOf(app.pool, { network, account: pay_to, token: asset });
  const claimed = [...known.values()].map(({ state }) => fromBlock(state.claim.seen_block));
  const begins = [...claimed, ...(reach ? [reach.from_block] : [])];
  if (begins.length === 0) return sums;
  const [from_block] = begins.toSorted((a, b) => Number(a - b)) as [bigint];
  const transfers = await depositsTo(app.chain, { token: asset, to: pay_to }, { from_block, to_block });
  const by_transaction = new Map<Hex, bigint>();
  for (const { transaction, amount, from } of transfers) {
    if (from === CHANNELS) {
      sums.chain_micro += amount;
      sums.channels_micro += amount;
      continue;
    }
    by_transaction.set(transaction, (by_transaction.get(transaction) ?? 0n) + amount);
  }
  const settled = settledIn(known, pay_to);
  for (const [transaction, moved] of by_transaction) {
    sums.chain_micro += moved;
    if (settled.get(transaction) === moved) {
      sums.payments_micro += moved;
      continue;
    }
    const receipt = await app.chain.receipt(transaction);
    if (!receipt) throw new ChainUnavailable(`the node does not know ${transaction}`);
    let others = moved;
    for (const { from: payer, nonce, value } of paidTo(receipt, pay_to)) {
      const id = payments.idOf({ network, asset, payer, nonce });
      const isKnown = known.has(id);
      if (!isKnown && value < payments.SMALLEST_MICRO) continue;
      others -= value;
      if (isKnown) sums.payments_micro += value;
      else {
        sums.unasked_micro += value;
        if (sums.unasked.length < SHOWN) sums.unasked.push(id);
      }
    }
    sums.other_micro += others;
  }
  return sums;
}

/** The log's amount per transaction and account. */
function settledIn(known: Map<string, BookEntry>, pay_to: Hex): Map<Hex, bigint> {
  const sums = new Map<Hex, bigint>();
  for (const { state } of known.values()) {
    if (state.status !== "settled" || state.claim.pay_to !== pay_to) continue;
    const { transaction } = state.settlement;
    sums.set(transaction, (sums.get(transaction) ?? 0n) + BigInt(state.claim.amount_micro));
  }
  return sums;
}

const movedBy = ({ transfer }: SoughtTransfer, endings: Awaited<ReturnType<typeof endingsOf>>) =>
  endings.get(transfer)?.kind === "moved" ? transfer.value : 0n;

const greatest = (a: bigint, b: bigint) => (a > b ? a : b);

/** The last block before a time; an authorization that expired by then is in no later block. */
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

const paymentToSeek = ({ claim }: Payment): SoughtTransfer => ({
  transfer: payments.transferOf(claim),
  from_block: fromBlock(claim.seen_block),
});

/** Account balances from their events alone, and the USDC at the addresses. */
async function custodyOf(app: App, { accounts, withdrawals }: ReadBooks): Promise<Custody> {
  const token = USDC.address.toLowerCase() as Hex;
  const holders = [...new Set([app.pay_to, app.refunds.address].map(lowerCase))];
  const answers = await app.chain.read(holders.map((holder) => balanceCall(token, holder)));
  const balances = new Map(holders.map((holder, n) => [holder, amountIn(answers[n]!) ?? 0n]));
  const balanceOf = (address: Hex): AccountBalance => ({
    address,
    balance_micro: balances.get(lowerCase(address))!,
  });
  const differences = [...accounts].flatMap(([tenant, sums]) => (addsUp(sums) ? [] : tenant));
  const kept = [...accounts.values()].reduce((sum, one) => sum + one.available + one.held - one.debt, 0);
  const under_way = [...withdrawals.values()]
    .filter(({ paid_micro, has_failed }) => paid_micro === 0n && !has_failed)
    .reduce((sum, { sought }) => sum + sought.transfer.value, 0n);
  return {
    owed_micro: BigInt(kept) + under_way,
    balance_micro: [...balances.values()].reduce((sum, one) => sum + one, 0n),
    pay_to: balanceOf(app.pay_to),
    refunds: balanceOf(app.refunds.address),
    differences: differences.slice(0, SHOWN),
  };
}

const addsUp = ({ credited, reversed, available, held, spent, withdrawn, debt }: Sums) =>
  Math.min(available, held, spent, withdrawn, debt, reversed) >= 0 &&
  credited - reversed === available + held + spent + withdrawn - debt;

/** A withdrawal in the log: paid minus reverted. */
type WithdrawalEntry = { sought: SoughtTransfer; paid_micro: bigint; has_failed: boolean };

type ReadBooks = {
  payments: Map<string, BookEntry>;
  accounts: Map<string, Sums>;
  withdrawals: Map<string, WithdrawalEntry>;
  channels: Map<string, ChannelEntry>;
};

/** `priced`: the prices of all vouchers; `forgotten`: claims that the log learnt from the chain alone. */
type ChannelEntry = { state: Channel; priced_micro: bigint; forgotten_micro: bigint };

/** Every claimed payment of this chain, and every account. */
async function readBooks(app: App): Promise<ReadBooks> {
  const entries = new Map<string, BookEntry>();
  const accounts = new Map<string, Sums>();
  const withdrawals = new Map<string, WithdrawalEntry>();
  const opened = new Map<string, ChannelEntry>();
  const ours = `${networkOf(app.chain)}:`;
  for (let after = 0; ; ) {
    const events = await app.store.readLog({ after });
    if (events.length === 0) return { payments: entries, accounts, withdrawals, channels: opened };
    after = events.at(-1)!.position;
    for (const event of app.eventsOf(account, events)) {
      accounts.set(event.tenant, account.posted(accounts.get(event.tenant) ?? account.noSums(), event));
      enterWithdrawal(withdrawals, event);
    }
    for (const event of app.eventsOf(channels, events))
      if (event.id.startsWith(ours)) enterChannel(opened, event);
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

function enterChannel(
  entries: Map<string, ChannelEntry>,
  event: channels.ChannelEvent & { id: string },
): void {
  const before = entries.get(event.id);
  const state = channels.evolve(before?.state, event);
  if (!state) throw new Error(`${event.type} of ${event.id} comes before its opening`);
  const entry = before ?? { state, priced_micro: 0n, forgotten_micro: 0n };
  if (event.type === "VoucherAccepted") entry.priced_micro += BigInt(event.data.price_micro);
  else entry.forgotten_micro += BigInt(state.charged_micro - (before?.state.charged_micro ?? 0));
  entry.state = state;
  entries.set(event.id, entry);
}

function enterWithdrawal(
  entries: Map<string, WithdrawalEntry>,
  { tenant, type, data }: account.AccountEvent & { tenant: string },
): void {
  if (type === "WithdrawalAsked") {
    const sought = withdrawalToSeek(tenant, { ...data, paid: null });
    entries.set(`${tenant} ${data.withdrawal_id}`, { sought, paid_micro: 0n, has_failed: false });
  }
  const entry = "withdrawal_id" in data ? entries.get(`${tenant} ${data.withdrawal_id}`) : undefined;
  if (!entry) return;
  if (type === "WithdrawalPaid") entry.paid_micro = entry.sought.transfer.value;
  if (type === "WithdrawalReorged") entry.paid_micro = 0n;
  if (type === "WithdrawalFailed") entry.has_failed = true;
}

/** A payment claimed again may have been sent by somebody after its first claim. */
function seenFirst(before: Payment, after: Payment): Payment {
  const seen_block = Math.min(before.claim.seen_block, after.claim.seen_block);
  return { ...after, claim: { ...after.claim, seen_block } };
}

function post(entry: BookEntry, { type }: PaymentEvent): void {
  const { claim, refund } = entry.state;
  const amount = BigInt(claim.amount_micro);
  const back = BigInt(refund?.amount_micro ?? 0);
  if (type === "PaymentSettled" || type === "PaymentFound") entry.settled_micro += amount;
  if (type === "PaymentReorged") entry.settled_micro -= amount;
  if (type === "RefundPaid") entry.refunded_micro += back;
  if (type === "RefundReorged") entry.refunded_micro -= back;
}
