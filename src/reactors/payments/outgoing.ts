/** Carries transfers of our own to the chain: authorizations that it takes once each, paid from the account of refunds. */

import { endingsOf, type SoughtTransfer } from "../../chain/endings.ts";
import type { App } from "../../core/app.ts";
import { type ReactorLog, unlessUndone } from "../../core/background/reactor.ts";
import { untilStopped } from "../../core/coordination/concurrency.ts";
import { GasBudgetSpent } from "../../core/model/ports/chain.ts";
import type { Errand, SettlementFacts, SignedTransfer } from "../../core/model/ports/settlement.ts";
import { type Mined, minedBy } from "../../domain/payments/payment.ts";
import { refundDigest } from "../../domain/payments/refund.ts";
import { decimalUsdc } from "../../domain/payments/usdc.ts";

/** `name`: what a warning calls it. `errand`: by that its gas comes from one budget or another. `record`: says that it was paid. */
export type Outgoing = {
  name: string;
  sought: SoughtTransfer;
  errand: Errand;
  record(mined: Mined): Promise<void>;
};

export type OutgoingOptions = {
  log: ReactorLog;
  /** What was warned of last, so that it is said once. */
  told?: { warning?: string | undefined };
  signal?: AbortSignal | undefined;
};

type Signed = Outgoing & { signed: SignedTransfer };

/** Records what was paid already, and sends what the balance covers, the oldest first. Rejects with ChainUnavailable. */
export async function carryOut(
  app: App,
  due: readonly Outgoing[],
  what: string,
  { log, told = {}, signal }: OutgoingOptions,
): Promise<void> {
  const unpaid = await recordPaid(app, due);
  const signed = await Promise.all(unpaid.map(async (one) => ({ ...one, signed: await signedBy(app, one) })));
  const payable = await affordable(app, signed, what, log, told);
  await untilStopped(Promise.all(payable.map((one) => pay(app, one))), signal);
}

/** One that was sent by a process that died before it could say so. */
async function recordPaid(app: App, due: readonly Outgoing[]): Promise<Outgoing[]> {
  if (due.length === 0) return [];
  const { latest } = await app.chain.heads();
  const endings = await endingsOf(
    app.chain,
    due.map(({ sought }) => sought),
    latest.number,
  );
  const unpaid: Outgoing[] = [];
  for (const one of due) {
    const ending = endings.get(one.sought.transfer);
    if (ending?.kind === "moved") await one.record(ending.mined);
    else unpaid.push(one);
  }
  return unpaid;
}

/** As many as the account's balance covers; says once what keeps the others waiting. */
async function affordable(
  app: App,
  due: Signed[],
  what: string,
  log: ReactorLog,
  told: NonNullable<OutgoingOptions["told"]>,
): Promise<Signed[]> {
  if (due.length === 0) return [];
  const facts = await Promise.all(due.map((one) => factsOf(app, one)));
  let left = facts.find((found) => found !== undefined)?.balance ?? 0n;
  let missing = 0n;
  const warnings: string[] = [];
  const waiting = new Set(due.filter((_, i) => !facts[i]).map(({ errand }) => errand));
  for (const errand of waiting) warnings.push(`each open ${errand} waits: the day's gas for it is spent`);
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
      `${what} of ${decimalUsdc(missing)} USDC are open: send that much USDC to ${app.refunds.address}`,
    );
  const warning = warnings.join("; ");
  if (warning !== "" && warning !== told.warning) log.warn({ account: app.refunds.address }, warning);
  told.warning = warning;
  return payable;
}

/** Undefined where the day's gas for the errand is spent: it waits, and holds up no other. */
async function factsOf(app: App, { signed, errand }: Signed): Promise<SettlementFacts | undefined> {
  try {
    return await app.settlement.facts(signed, errand);
  } catch (error) {
    if (!(error instanceof GasBudgetSpent)) throw error;
    return undefined;
  }
}

async function pay(app: App, { signed, sought, errand, record }: Signed): Promise<void> {
  try {
    await record(minedBy(await app.settlement.settle(signed, sought.from_block, errand)));
  } catch (error) {
    unlessUndone(error);
  }
}

async function signedBy(app: App, { sought: { transfer } }: Outgoing): Promise<SignedTransfer> {
  const hash = refundDigest(transfer, app.chain.chain_id);
  return { transfer, signature: await app.refunds.sign({ hash }) };
}
