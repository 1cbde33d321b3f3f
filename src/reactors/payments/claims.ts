/** Sends claims in batches, and moves what was claimed to the payment address. */
import type { App } from "../../core/app.ts";
import type { ReactorLog } from "../../core/background/reactor.ts";
import type { Hex } from "../../core/model/chain.ts";
import * as channels from "../../domain/payments/channel.ts";
import {
  CLAIM_GAS,
  CLAIM_ROW_GAS,
  type ClaimRow,
  channelDigests,
  claimCall,
  claimedIn,
  EARNINGS_GAS,
  earningsCall,
  receiverCall,
  receiverSums,
} from "../../domain/payments/channel-contract.ts";
import { minedBy } from "../../domain/payments/payment.ts";
import { USDC } from "../../domain/payments/usdc.ts";

/** A claim of a channel by its id in the log. `more_micro`: what it adds to what was claimed. */
export type DueClaim = { id: string; channel_id: Hex; row: ClaimRow; more_micro: number };

/** Rows of one transaction: three million gas. */
const ROWS = 40;

/** Gas for the transfer is at most a tenth of what it moves. */
const EARNINGS_SHARE = 10n;

const meta = { actor: "reactor:channels", operation: "channels.claim" };

/** `sent`: when a claim of a channel was sent; `refused`: rows that were logged. */
export type ClaimMemory = { sent: Map<string, number>; refused: Set<string> };

/** A claim whose outcome is unknown is not sent again before. */
const SENT_MS = 60_000;

/**
 * Claims what is worth its gas. One bad row would refuse its batch, so a batch is tried first, and halved until the
 * bad row is alone. Rejects with ChainUnavailable or TransactionPending.
 */
export async function claimAll(
  app: App,
  due: readonly DueClaim[],
  memory: ClaimMemory,
  log: ReactorLog,
): Promise<void> {
  if (due.length === 0) return;
  const now = performance.now();
  const cost = await app.gas.cost_micro(CLAIM_ROW_GAS);
  const worthy = due.filter(
    ({ id, more_micro }) =>
      BigInt(more_micro) > cost && now - (memory.sent.get(id) ?? Number.NEGATIVE_INFINITY) > SENT_MS,
  );
  for (let at = 0; at < worthy.length; at += ROWS)
    await claimSome(app, worthy.slice(at, at + ROWS), memory, log);
}

const gasOf = (rows: readonly unknown[]) => CLAIM_GAS + CLAIM_ROW_GAS * BigInt(rows.length);

async function claimSome(
  app: App,
  due: readonly DueClaim[],
  memory: ClaimMemory,
  log: ReactorLog,
): Promise<void> {
  const rows = due.map(({ row }) => row);
  const hash = channelDigests(app.chain.chain_id).claims(rows);
  const call = claimCall(rows, await app.refunds.sign({ hash }));
  if (!(await app.chain.trial(call, gasOf(rows))).success) {
    if (due.length === 1) return warn(due[0]!, memory, log);
    const half = Math.ceil(due.length / 2);
    await claimSome(app, due.slice(0, half), memory, log);
    return claimSome(app, due.slice(half), memory, log);
  }
  for (const { id } of due) memory.sent.set(id, performance.now());
  const receipt = await app.chain.send(call, { purpose: "channel claim", gas: gasOf(rows) });
  const claimed_at = app.clock.now().toISOString();
  const mined = minedBy(receipt);
  for (const { id, channel_id } of due) {
    const total = claimedIn(receipt.logs, channel_id);
    // Another process claimed it, or it changed after the trial; the channel is read before it is claimed again.
    if (total === undefined) continue;
    const decision = channels.recordClaim(total, mined, claimed_at);
    await app.decide(channels, channels.targetOf(id), decision, { meta });
    memory.sent.delete(id);
  }
}

function warn({ id, row }: DueClaim, { refused }: ClaimMemory, log: ReactorLog): void {
  const name = `${id} ${row.total_micro}`;
  if (!refused.has(name)) log.warn({ channel: id }, "the chain refuses this claim; the others continue");
  refused.add(name);
}

/** Anybody may send this transfer; it goes to the payment address alone. */
export async function moveEarnings(app: App): Promise<void> {
  const token = USDC.address.toLowerCase() as Hex;
  const [answer] = await app.chain.read([receiverCall(app.pay_to, token)]);
  const { claimed_micro, moved_micro } = receiverSums(answer);
  const due = claimed_micro - moved_micro;
  if (due === 0n || due <= EARNINGS_SHARE * (await app.gas.cost_micro(EARNINGS_GAS))) return;
  await app.chain.send(earningsCall(app.pay_to, token), { purpose: "channel claim", gas: EARNINGS_GAS });
}
