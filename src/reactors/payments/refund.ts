/** Whenever a refund is open and its payment final, it is paid: by an authorization that the chain can take only once. */
import type { App } from "../../app.ts";
import { endingsOf, type Sought } from "../../chain/endings.ts";
import { compareChain, fromBlock } from "../../chain/history.ts";
import { untilStopped } from "../../concurrency.ts";
import { type Hex, networkOf } from "../../domain/chain.ts";
import type { Mined, PaymentState } from "../../domain/payments/payment.ts";
import * as payments from "../../domain/payments/payment.ts";
import { refundDigest, refundTransfer } from "../../domain/payments/refund.ts";
import { decimalUsdc, type SignedTransfer } from "../../domain/payments/usdc.ts";
import { openRefunds } from "../../projections/payments/watched.ts";
import { type Outcome, type ReactorLog, unlessRefused, unlessUndone } from "../../reactor.ts";

export type RefundOptions = {
  log: ReactorLog;
  /** What was warned of last, so that it is said once. */
  told?: { warning?: string };
  signal?: AbortSignal;
};

/** Seconds that a refund's authorization holds; a later one has the same nonce. */
const HOLDS_S = 3_600;

const meta = { actor: "reactor:payments", operation: "payments.refund" };

type Due = { id: string; signed: SignedTransfer; sought: Sought };

/** Pays what can be paid, and finds what was paid already. Rejects with ChainUnavailable. */
export async function payRefunds(
  app: App,
  { log, told = {}, signal }: RefundOptions,
): Promise<Outcome<"behind" | "foreign">> {
  const open = await openRefunds(app.pool, networkOf(app.chain));
  if (open.length === 0) {
    told.warning = undefined;
    return "done";
  }
  const compared = await compareChain(app);
  if (compared.status !== "same") return compared;
  const due: Due[] = [];
  for (const id of open) {
    const state = await app.load(payments, payments.targetOf(id));
    const sought = refundToSeek(app, state);
    if (sought && state?.status === "settled" && !state.refund?.paid)
      due.push({ id, sought, signed: await signedBy(app, sought) });
  }
  const unpaid = await recordPaid(app, due);
  const payable = await affordable(app, unpaid, log, told);
  await untilStopped(Promise.all(payable.map((one) => pay(app, one))), signal);
  return "done";
}

/** A refund that was sent by a process that died before it could say so. */
async function recordPaid(app: App, due: readonly Due[]): Promise<Due[]> {
  const { latest } = await app.chain.heads();
  const endings = await endingsOf(
    app.chain,
    due.map(({ sought }) => sought),
    latest.number,
  );
  const unpaid: Due[] = [];
  for (const one of due) {
    const ending = endings.get(one.sought.transfer);
    if (ending?.kind === "moved") await recordRefund(app, one.id, ending.mined);
    else unpaid.push(one);
  }
  return unpaid;
}

/** As many as the account's balance covers, the oldest first; says once what keeps the others waiting. */
async function affordable(app: App, due: Due[], log: ReactorLog, told: { warning?: string }): Promise<Due[]> {
  if (due.length === 0) return [];
  const facts = await Promise.all(due.map(({ signed }) => app.settlement.facts(signed)));
  let left = facts[0]!.balance;
  let missing = 0n;
  const warnings: string[] = [];
  const payable = due.filter(({ id, signed: { transfer } }, i) => {
    const { would_settle, reason } = facts[i]!;
    if (transfer.value > left) {
      missing += transfer.value;
      return false;
    }
    if (would_settle) left -= transfer.value;
    else warnings.push(`the refund of ${id} is refused: ${reason}`);
    return would_settle;
  });
  if (missing > 0n)
    warnings.push(
      `refunds of ${decimalUsdc(missing)} USDC are open: send that much USDC to ${app.refunds.address}`,
    );
  const warning = warnings.join("; ");
  if (warning !== "" && warning !== told.warning) log.warn({ account: app.refunds.address }, warning);
  told.warning = warning;
  return payable;
}

async function pay(app: App, { id, signed, sought }: Due): Promise<void> {
  try {
    const receipt = await app.settlement.settle(signed, sought.from_block);
    await recordRefund(app, id, payments.minedBy(receipt));
  } catch (error) {
    unlessUndone(error);
  }
}

/** Appends that a refund was paid, or where it stands now. */
export async function recordRefund(app: App, id: string, mined: Mined): Promise<void> {
  const decision = payments.payRefund(mined, app.clock.now().toISOString());
  await unlessRefused(app.decide(payments, payments.targetOf(id), decision, { meta }));
}

/** The transfer that pays a payment's refund, and from where on it may be found. */
export function refundToSeek(app: App, state: PaymentState): Sought | undefined {
  if (!state?.refund) return undefined;
  const { claim, refund } = state;
  const from = app.refunds.address.toLowerCase() as Hex;
  const valid_before = Math.floor(app.clock.now().getTime() / 1000) + HOLDS_S;
  return {
    transfer: refundTransfer(claim, refund.amount_micro, from, valid_before),
    from_block: fromBlock(claim.seen_block),
  };
}

async function signedBy(app: App, { transfer }: Sought): Promise<SignedTransfer> {
  const hash = refundDigest(transfer, app.chain.chain_id);
  return { transfer, signature: await app.refunds.sign({ hash }) };
}
