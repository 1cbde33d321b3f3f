/** Sends our own transfers: authorizations that the chain takes once, paid from the refunding account. */

import { endingsOf, type SoughtTransfer } from "../../chain/endings.ts";
import type { App } from "../../core/app.ts";
import { type ReactorLog, unlessUndone } from "../../core/background/reactor.ts";
import { untilStopped } from "../../core/coordination/concurrency.ts";
import { GasBudgetSpent } from "../../core/model/ports/chain.ts";
import type { Errand, SettlementFacts, SignedTransfer } from "../../core/model/ports/settlement.ts";
import { type MinedTransaction, minedBy } from "../../domain/payments/payment.ts";
import { refundDigest } from "../../domain/payments/refund.ts";
import { decimalUsdc } from "../../domain/payments/usdc.ts";

/** `name`: for warnings. `errand`: selects the gas budget. `record`: records the payment. */
export type OutgoingTransfer = {
  name: string;
  sought: SoughtTransfer;
  errand: Errand;
  record(mined: MinedTransaction): Promise<void>;
};

export type OutgoingOptions = {
  log: ReactorLog;
  /** The last warning, which is not repeated. */
  memory?: { warning?: string | undefined };
  signal?: AbortSignal | undefined;
};

type SignedOutgoing = OutgoingTransfer & { signed: SignedTransfer };

/**
 * Records transfers that are already on the chain, then sends what the balance covers, the oldest first. Rejects with
 * ChainUnavailable.
 */
export async function sendTransfers(
  app: App,
  due: readonly OutgoingTransfer[],
  subject: string,
  { log, memory = {}, signal }: OutgoingOptions,
): Promise<void> {
  const unpaid = await recordPaid(app, due);
  const signed = await Promise.all(unpaid.map(async (one) => ({ ...one, signed: await signedBy(app, one) })));
  const payable = await affordable(app, signed, subject, log, memory);
  await untilStopped(Promise.all(payable.map((one) => pay(app, one))), signal);
}

/** A process may have died between sending and recording. */
async function recordPaid(app: App, due: readonly OutgoingTransfer[]): Promise<OutgoingTransfer[]> {
  if (due.length === 0) return [];
  const { latest } = await app.chain.heads();
  const endings = await endingsOf(
    app.chain,
    due.map(({ sought }) => sought),
    latest.number,
  );
  const unpaid: OutgoingTransfer[] = [];
  for (const one of due) {
    const ending = endings.get(one.sought.transfer);
    if (ending?.kind === "moved") await one.record(ending.mined);
    else unpaid.push(one);
  }
  return unpaid;
}

/** As many as the balance covers; warns once about the reason that others wait. */
async function affordable(
  app: App,
  due: SignedOutgoing[],
  subject: string,
  log: ReactorLog,
  memory: NonNullable<OutgoingOptions["memory"]>,
): Promise<SignedOutgoing[]> {
  if (due.length === 0) return [];
  const facts = await Promise.all(due.map((one) => factsOf(app, one)));
  let left = facts.find((found) => found !== undefined)?.balance ?? 0n;
  let missing = 0n;
  const warnings: string[] = [];
  const waiting = new Set(due.filter((_, i) => !facts[i]).map(({ errand }) => errand));
  for (const errand of waiting)
    warnings.push(`every open ${errand} waits: the day's gas budget for it is spent`);
  const payable = due.filter(({ name, signed: { transfer } }, i) => {
    const found = facts[i];
    if (!found) return false;
    const { would_settle, reason } = found;
    if (transfer.value > left) {
      missing += transfer.value;
      return false;
    }
    if (would_settle) left -= transfer.value;
    else warnings.push(`the ${name} is refused: ${reason}`);
    return would_settle;
  });
  if (missing > 0n)
    warnings.push(
      `${subject} of ${decimalUsdc(missing)} USDC are open: send that much USDC to ${app.refunds.address}`,
    );
  const warning = warnings.join("; ");
  if (warning !== "" && warning !== memory.warning) log.warn({ account: app.refunds.address }, warning);
  memory.warning = warning;
  return payable;
}

/** undefined = the day's gas of the errand is spent: the transfer waits and blocks no other. */
async function factsOf(app: App, { signed, errand }: SignedOutgoing): Promise<SettlementFacts | undefined> {
  try {
    return await app.settlement.facts(signed, errand);
  } catch (error) {
    if (!(error instanceof GasBudgetSpent)) throw error;
    return undefined;
  }
}

async function pay(app: App, { signed, sought, errand, record }: SignedOutgoing): Promise<void> {
  try {
    await record(minedBy(await app.settlement.settle(signed, sought.from_block, errand)));
  } catch (error) {
    unlessUndone(error);
  }
}

async function signedBy(app: App, { sought: { transfer } }: OutgoingTransfer): Promise<SignedTransfer> {
  const hash = refundDigest(transfer, app.chain.chain_id);
  return { transfer, signature: await app.refunds.sign({ hash }) };
}
