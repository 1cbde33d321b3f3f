/** Pays each withdrawal once, and records what the chain shows. */

import { endingsOf, type SoughtTransfer } from "../../chain/endings.ts";
import { compareChain, fromBlock } from "../../chain/history.ts";
import type { App } from "../../core/app.ts";
import { type Outcome, unlessRefused } from "../../core/background/reactor.ts";
import type { Heads } from "../../core/model/chain.ts";
import { lowerCase } from "../../core/model/fields.ts";
import * as account from "../../domain/payments/account.ts";
import type { MinedTransaction } from "../../domain/payments/payment.ts";
import * as withdrawal from "../../domain/payments/withdrawal.ts";
import {
  accountsProjection,
  type WithdrawalKey,
  withdrawalsToFollow,
} from "../../projections/payments/accounts.ts";
import { type OutgoingOptions, type OutgoingTransfer, sendTransfers } from "./outgoing.ts";

const meta = { actor: "reactor:payments", operation: "payments.withdraw" };

/** A younger block can still be reverted; Base's finality takes about a quarter of an hour. */
const UNSURE_MS = 3_600_000;

/** Checks open withdrawals, and paid ones whose block may still be reverted. Rejects with ChainUnavailable. */
export async function payWithdrawals(
  app: App,
  options: OutgoingOptions,
): Promise<Outcome<"behind" | "foreign">> {
  await app.caughtUp(accountsProjection);
  const paid_since = new Date(app.clock.now().getTime() - UNSURE_MS).toISOString();
  const key = await withdrawalsToFollow(app.pool, paid_since);
  if (key.length === 0) return "idle";
  const compared = await compareChain(app);
  if (compared.status !== "same") return compared;
  const heads = await app.chain.heads();
  const due: OutgoingTransfer[] = [];
  for (const one of key) {
    const open = await follow(app, one, heads);
    if (open) due.push(open);
  }
  await sendTransfers(app, due, "withdrawals", options);
  return "done";
}

/** The transfer to send; undefined if it is on the chain, is over, or waits for the key that signed it. */
async function follow(app: App, key: WithdrawalKey, heads: Heads): Promise<OutgoingTransfer | undefined> {
  const { tenant, withdrawal_id } = key;
  const { withdrawals } = await app.load(account, account.targetOf(tenant));
  const one = withdrawals.get(withdrawal_id);
  if (!one) return undefined;
  const sought = withdrawalToSeek(tenant, one);
  const record = (mined: MinedTransaction) =>
    decide(app, tenant, withdrawal.pay(withdrawal_id, mined, nowOf(app)));
  if (one.paid) {
    const block = await app.chain.block(BigInt(one.paid.block_number));
    // The node does not have the block yet.
    if (!block || block.hash === one.paid.block_hash) return undefined;
    const moved = (await endingsOf(app.chain, [sought], heads.latest.number)).get(sought.transfer);
    if (moved?.kind === "moved") await record(moved.mined);
    else await decide(app, tenant, withdrawal.reorg(withdrawal_id, one.paid.transaction, nowOf(app)));
    return undefined;
  }
  if (heads.finalized.timestamp >= one.valid_before) {
    const ended = (await endingsOf(app.chain, [sought], heads.finalized.number)).get(sought.transfer);
    if (ended?.kind === "moved") await record(ended.mined);
    else
      await decide(
        app,
        tenant,
        withdrawal.fail(withdrawal_id, "the chain did not carry the withdrawal in time", nowOf(app)),
      );
    return undefined;
  }
  const isOurs = lowerCase(app.refunds.address) === one.payer && heads.latest.timestamp < one.valid_before;
  return isOurs
    ? { name: `withdrawal ${withdrawal_id} of ${tenant}`, errand: "withdrawal", sought, record }
    : undefined;
}

/** The transfer of a withdrawal, and the first block that can have it. */
export const withdrawalToSeek = (tenant: string, one: account.Withdrawal): SoughtTransfer => ({
  transfer: withdrawal.withdrawalTransfer(tenant, one),
  from_block: fromBlock(one.seen_block),
});

async function decide(
  app: App,
  tenant: string,
  decision: (state: account.AccountState) => account.AccountEvent[],
): Promise<void> {
  await unlessRefused(app.decide(account, account.targetOf(tenant), decision, { meta }));
}

const nowOf = ({ clock }: App) => clock.now().toISOString();
