/**
 * Charges a payment for a call in three steps: `check` queries the chain, `claim` appends PaymentClaimed, `settle`
 * sends the payment to the chain.
 *
 * The claim records the intent before anything is sent. After a crash that follows the claim, the outcome is unknown
 * until the chain shows it. A crash before the claim leaves nothing. Neither does a payment that cannot settle: the
 * chain is queried first, or signatures of empty wallets could fill the log.
 */

import type { App } from "../../../core/app.ts";
import type { Hex } from "../../../core/model/chain.ts";
import { ChainUnavailable, GasBudgetSpent, TransactionPending } from "../../../core/model/ports/chain.ts";
import type { SignedTransfer } from "../../../core/model/ports/settlement.ts";
import { type Errand, NotSettled, type Settlement } from "../../../core/model/ports/settlement.ts";
import { Refusal, refuse } from "../../../core/model/refusal.ts";
import { inSpan } from "../../../core/tracing.ts";
import { voucherOf } from "../../../domain/payments/channel.ts";
import type {
  Claim,
  MinedTransaction,
  PaymentEvent,
  PaymentState,
} from "../../../domain/payments/payment.ts";
import * as payments from "../../../domain/payments/payment.ts";
import { paymentProblems } from "../../../domain/payments/problems.ts";
import { USDC } from "../../../domain/payments/usdc.ts";
import { type Call, commandOf, idempotencyOf, sha256 } from "../call.ts";
import { PaymentRefused } from "./payment-refusal.ts";
import { NETWORK_V2 } from "./required.ts";

/**
 * A presented payment. `refusal`: why it is not good for this call, unless it was served already. `contract`: only
 * the chain can check its signature.
 */
export type PresentedPayment = {
  id: string;
  signed: SignedTransfer;
  contract: boolean;
  refusal: PaymentRefused | Refusal | undefined;
  /** True if expiry is the only `refusal`. The payment is then good only if somebody sent it to the chain in time. */
  expired: boolean;
};

/** A payment and the call that it pays for. */
export type Charge = {
  app: App;
  call: ChargedCall;
  payment: PresentedPayment;
  /** The digest of the receipt's URL; absent if the call gets no receipt. */
  resource_sha256?: string;
};

/** The facts of a paid call that the log records. */
export type ChargedCall = Pick<
  Call,
  "caller" | "request_sha256" | "request_id" | "idempotency_key" | "repeat_name"
> & {
  operation: Pick<Call["operation"], "name" | "stores_answer">;
};

/** Refuses a test key that would pay with real money. */
export function refuseTestMoney({ embedded_chain }: App, caller: Call["caller"]): void {
  if (caller.kind === "key" && caller.space === "test" && !embedded_chain)
    refuse("forbidden", "a test key moves no money of a real chain; leave the key out");
}

/** The address of a payment's status, or of the channel of a voucher. */
export const pathOf = (id: string) => `/v1/agent/${voucherOf(id) ? "channels" : "payments"}/${id}`;

export const used = (message: string) => new PaymentRefused("invalid_transaction_state", message);

const RETRY_S = 5;

/** Until when a claim excludes other calls, and the milliseconds left if its process died. */
export type PaymentHold = { until: Date; left_ms: number };

export function refusePending(id: string, cause?: unknown, held?: PaymentHold): never {
  const left_s = Math.ceil((held?.left_ms ?? 0) / 1000);
  const sentence = held
    ? `; its claim ends at ${held.until.toISOString()} at the latest, or in ${left_s} s if its process has died`
    : "";
  return refuse(
    paymentProblems["payment-pending"],
    `this payment is being settled: call again with the same payment, or see ${pathOf(id)}${sentence}`,
    { retry_after_s: held ? Math.min(RETRY_S, Math.max(1, left_s)) : RETRY_S, cause },
  );
}

/** True if the money may have moved before the attempt failed. The outcome is then reported later. */
export const mayHaveMoved = ({ status }: CheckedPayment, claimed: boolean) => claimed || status !== "good";

/** Another payment uses the caller's Idempotency-Key. The call gets the outcome of that payment. */
export class KeyInUse extends Refusal {
  readonly holder: string;

  constructor(holder: string) {
    super(paymentProblems["payment-known"], `payment ${holder} uses this idempotency key`);
    this.holder = holder;
  }
}

/** True for the same authorization. Another authorization may have the same payer and nonce. */
export function isSamePayment(claim: Claim, { signed }: PresentedPayment): boolean {
  const { transfer, signature } = signed;
  return (
    signature === claim.signature &&
    transfer.to === claim.pay_to &&
    transfer.value === BigInt(claim.amount_micro) &&
    transfer.valid_after === BigInt(claim.valid_after) &&
    transfer.valid_before === BigInt(claim.valid_before)
  );
}

/** A payment that the chain has moved. */
export type SettledPayment = { claim: Claim; settlement: MinedTransaction };

/**
 * How a charge starts: the payment would settle, somebody else sent it to the chain, a dead process claimed it, or it
 * is settled without an answer.
 */
export type CheckedPayment =
  | { status: "good"; seen_block: bigint }
  | { status: "carried"; seen_block: bigint; settlement: MinedTransaction }
  | { status: "left_behind"; claim: Claim; held_by: string | null }
  | ({ status: "settled" } & SettledPayment);

/** Checks that an unclaimed payment would settle or has settled. Throws PaymentRefused if it will not. */
export async function check(charge: Charge, state: PaymentState): Promise<CheckedPayment> {
  // Also before an earlier claim is sent, because the outcome could not be recorded.
  await charge.app.accepting.check();
  if (state?.status === "settled") return state;
  if (state?.status === "claimed")
    return { status: "left_behind", claim: state.claim, held_by: state.held.by };
  const { app, payment } = charge;
  return factsOf(app.settlement, payment).catch((error) => refuseUnderWay(charge, error));
}

/** The chain may refuse a payment because another process claimed it in the meantime. */
async function refuseUnderWay({ app, payment }: Charge, error: unknown): Promise<never> {
  const isToldFirst = error instanceof PaymentRefused || isPending(error);
  if (isToldFirst && !payments.isFree(await app.load(payments, payments.targetOf(payment.id))))
    refuse(paymentProblems["payment-known"], "this payment was presented before");
  throw error;
}

const isPending = (error: unknown) =>
  error instanceof Refusal && error.type === paymentProblems["payment-pending"];

/**
 * The chain's view of a payment: it would settle, or it is there already. Throws PaymentRefused if it never will
 * settle, or if its payer has too little money. A payment that is not on the chain may be refused for its own
 * `refusal`. A result that a reorg may revert counts as pending.
 */
export async function factsOf(
  settlement: Settlement,
  { id, signed, refusal }: Pick<PresentedPayment, "id" | "signed" | "refusal">,
  errand?: Errand,
): Promise<Extract<CheckedPayment, { seen_block: bigint }>> {
  const { transfer } = signed;
  const facts = await settlement.facts(signed, errand).catch(refuseWhileAway);
  if (facts.used) {
    const end = await settlement.ended(signed).catch(refuseWhileAway);
    if (end?.kind === "settled") {
      const { block_number } = end.receipt;
      return { status: "carried", seen_block: block_number, settlement: payments.minedBy(end.receipt) };
    }
    if (end?.final) throw used(`${end.reason}; sign a new one`);
    return refusePending(id);
  }
  if (refusal) throw refusal;
  if (facts.balance < transfer.value)
    throw new PaymentRefused(
      "insufficient_funds",
      `${transfer.from} has less USDC than this costs; top it up`,
    );
  if (facts.barred !== undefined) throw used(facts.barred);
  if (!facts.would_settle) {
    const reason = (facts.reason ?? "without a reason").slice(0, 120);
    throw new PaymentRefused(
      "invalid_exact_evm_payload_signature",
      `USDC refuses the authorization: ${reason}`,
    );
  }
  return { status: "good", seen_block: facts.seen_block };
}

/**
 * Appends the claim, or takes over an abandoned one. One payment at a time may use an Idempotency-Key; after a
 * failure or refund, the next one may. So two payments of one command never both settle.
 */
export async function claim(charge: Charge, checked: CheckedPayment): Promise<Claim> {
  const { app, call, payment } = charge;
  if (checked.status === "settled") return checked.claim;
  const target = payments.targetOf(payment.id);
  if (checked.status === "left_behind") {
    const taken = payments.takeOver(checked.held_by, app.presence.name, app.clock.now().toISOString());
    await app.decide(payments, target, taken, commandOf(call));
    return checked.claim;
  }
  const facts = claimOf(charge, checked.seen_block);
  const decision = payments.claim(facts);
  const once = idempotencyOf(call);
  if (!once) {
    await app.decide(payments, target, decision, commandOf(call));
    return facts;
  }
  for (let idem_key = `/claim/${once.idem_key}`; ; ) {
    const { replayed, events } = await app.decide(
      payments,
      target,
      decision,
      commandOf(call, { ...once, idem_key }),
    );
    if (!replayed) return facts;
    const holder = events[0]!.stream_id.slice(payments.streamOf("").length);
    const held = await app.load(payments, payments.targetOf(holder));
    const isOver = payments.isFree(held) || (held.refund && !held.answer);
    if (!isOver) throw new KeyInUse(holder);
    idem_key = `/claim/${once.idem_key}#${sha256(`${idem_key} ${holder}`).slice(0, 16)}`;
  }
}

function claimOf({ app, call, payment, resource_sha256 }: Charge, seen_block: bigint): Claim {
  const { transfer, signature } = payment.signed;
  return {
    network: NETWORK_V2,
    asset: USDC.address.toLowerCase() as Hex,
    payer: transfer.from,
    pay_to: transfer.to,
    amount_micro: Number(transfer.value),
    valid_after: String(transfer.valid_after),
    valid_before: String(transfer.valid_before),
    nonce: transfer.nonce,
    signature,
    operation: call.operation.name,
    request_sha256: call.request_sha256,
    tenant: call.caller.tenant,
    seen_block: Number(seen_block),
    claimed_at: app.clock.now().toISOString(),
    holder: app.presence.name,
    ...(resource_sha256 !== undefined && { resource_sha256 }),
  };
}

/**
 * Sends the payment to the chain if needed. Records it as failed if it certainly moved nothing, which is unknown for
 * an abandoned claim.
 */
export async function settle(
  { app, call, payment }: Charge,
  checked: CheckedPayment,
  claim: Claim,
): Promise<SettledPayment> {
  if (checked.status === "settled") return checked;
  if (checked.status === "carried") return { claim, settlement: checked.settlement };
  const whileHeld = (decision: (state: PaymentState) => PaymentEvent[]) =>
    app.decide(
      payments,
      payments.targetOf(payment.id),
      payments.byOwner(app.presence.name, claim, decision),
      commandOf(call),
    );
  const failed = (reason: string) => whileHeld(payments.fail(reason, app.clock.now().toISOString()));
  // Another process may have taken over the payment while this one was paused. Then this one must send nothing.
  if (!app.presence.isLive()) await whileHeld(() => []);
  try {
    const { listing } = payment.signed;
    const signed = { ...payments.signedTransferOf(claim), ...(listing && { listing }) };
    const receipt = await inSpan("settle", {}, () => app.settlement.settle(signed, BigInt(claim.seen_block)));
    return { claim, settlement: payments.minedBy(receipt) };
  } catch (error) {
    if (error instanceof NotSettled) await failed(error.message);
    const isUnsent = error instanceof ChainUnavailable;
    // An abandoned claim may have been sent earlier.
    if (isUnsent && checked.status === "left_behind") return refusePending(payment.id, error);
    if (isUnsent) await failed("nothing was sent: the chain was unavailable");
    return refuseUnsettled(payment.id, error);
  }
}

/** Refuses because the payment did not settle: the chain refused it, it was not sent, or the outcome is unknown. */
export function refuseUnsettled(id: string, error: unknown): never {
  if (error instanceof NotSettled)
    throw new PaymentRefused("invalid_transaction_state", error.message, { sent: true });
  if (error instanceof TransactionPending) return refusePending(id, error);
  return refuseWhileAway(error);
}

export function refuseWhileAway(error: unknown): never {
  if (!(error instanceof ChainUnavailable)) throw error;
  const budget = error instanceof GasBudgetSpent ? error : undefined;
  const why = budget?.message ?? "the chain is unavailable";
  return refuse(
    paymentProblems["payment-unavailable"],
    `${why}: payments cannot be settled now, and nothing was charged`,
    {
      retry_after_s: budget ? Math.max(1, Math.ceil((budget.resets_at.getTime() - Date.now()) / 1000)) : 5,
      cause: error,
    },
  );
}
