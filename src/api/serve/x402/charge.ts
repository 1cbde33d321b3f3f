/**
 * A payment charged for a call, in three steps: check, what the chain says of it; claim, PaymentClaimed; settle, on the chain.
 *
 * The claim is what we intend, written down before it is sent. A process that dies after it leaves an unknown outcome,
 * which the chain tells later; one that dies before it leaves nothing. So does a payment that could not settle anyway:
 * the facts are asked first, or anybody could fill the log with signatures of empty wallets.
 */

import type { App } from "../../../core/app.ts";
import type { Hex } from "../../../core/model/chain.ts";
import { ChainUnavailable, GasBudgetSpent, TransactionPending } from "../../../core/model/ports/chain.ts";
import type { SignedTransfer } from "../../../core/model/ports/settlement.ts";
import { type Errand, NotSettled, type Settlement } from "../../../core/model/ports/settlement.ts";
import { Refusal, refuse } from "../../../core/model/refusal.ts";
import { inSpan } from "../../../core/tracing.ts";
import type { Claim, Mined, PaymentEvent, PaymentState } from "../../../domain/payments/payment.ts";
import * as payments from "../../../domain/payments/payment.ts";
import { paymentProblems } from "../../../domain/payments/problems.ts";
import { USDC } from "../../../domain/payments/usdc.ts";
import { type Call, commandOf, idempotencyOf, sha256 } from "../call.ts";
import { PaymentRefused } from "./refused.ts";
import { NETWORK_V2 } from "./required.ts";

/**
 * A payment as it was presented; `refusal` says why it is not good for this call, unless it has been served already.
 * `contract`: only the chain can judge its signature.
 */
export type PresentedPayment = {
  id: string;
  signed: SignedTransfer;
  contract: boolean;
  refusal: PaymentRefused | Refusal | undefined;
  /** It holds no more, and that alone is its `refusal`: it is good only if somebody carried it to the chain in time. */
  expired: boolean;
};

/** A payment that is charged for a call. */
export type Charge = {
  app: App;
  call: ChargedCall;
  payment: PresentedPayment;
  /** Of the URL that a receipt of it names; none where the call gets no receipt. */
  resource_sha256?: string;
};

/** What the log is told of the call that a payment is charged for. */
export type ChargedCall = Pick<
  Call,
  "caller" | "request_sha256" | "request_id" | "idempotency_key" | "repeat_name"
> & {
  operation: Pick<Call["operation"], "name" | "kept">;
};

/** A key of the test space stands for play, and so must the money that goes with it. */
export function refuseTestMoney({ embedded_chain }: App, caller: Call["caller"]): void {
  if (caller.kind === "key" && caller.space === "test" && !embedded_chain)
    refuse("forbidden", "a test key moves no money of a real chain; leave the key out");
}

export const pathOf = (id: string) => `/v1/agent/payments/${id}`;

export const used = (message: string) => new PaymentRefused("invalid_transaction_state", message);

const RETRY_S = 5;

/** How long a claim is held: until a time at the latest, and for so many milliseconds more if its process has died. */
export type HeldFor = { until: Date; left_ms: number };

export function refusePending(id: string, cause?: unknown, held?: HeldFor): never {
  const left_s = Math.ceil((held?.left_ms ?? 0) / 1000);
  const told = held
    ? `; its claim is held until ${held.until.toISOString()} at the latest, and for ${left_s} s if its process has died`
    : "";
  return refuse(
    paymentProblems["payment-pending"],
    `this payment is being settled: ask again with the same one, or see ${pathOf(id)}${told}`,
    { retry_after_s: held ? Math.min(RETRY_S, Math.max(1, left_s)) : RETRY_S, cause },
  );
}

/** Whether the money of a payment may have moved when an attempt at it failed: what became of it is told later. */
export const mayHaveMoved = ({ status }: Checked, claimed: boolean) => claimed || status !== "good";

/** Another payment holds the caller's Idempotency-Key: what that comes to is the answer. */
export class KeyHeld extends Refusal {
  readonly holder: string;

  constructor(holder: string) {
    super(paymentProblems["payment-known"], `payment ${holder} holds this idempotency key`);
    this.holder = holder;
  }
}

/** The same authorization, not another of the same payer and nonce. */
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
export type SettledPayment = { claim: Claim; settlement: Mined };

/**
 * What a charge begins with: a payment that would settle, one that somebody carried to the chain before it was asked for, the
 * claim of a process that died, or a settlement without an answer.
 */
export type Checked =
  | { status: "good"; seen_block: bigint }
  | { status: "carried"; seen_block: bigint; settlement: Mined }
  | { status: "left_behind"; claim: Claim; held_by: string | null }
  | ({ status: "settled" } & SettledPayment);

/** Makes sure that a payment that nobody has claimed would settle, or has. Throws PaymentRefused for one that will not. */
export async function check(charge: Charge, state: PaymentState): Promise<Checked> {
  // Nor is what was claimed before sent now: what came of it could not be recorded.
  await charge.app.accepting.check();
  if (state?.status === "settled") return state;
  if (state?.status === "claimed")
    return { status: "left_behind", claim: state.claim, held_by: state.held.by };
  const { app, payment } = charge;
  return factsOf(app.settlement, payment).catch((error) => refuseUnderWay(charge, error));
}

/** Whatever the chain holds against a payment, another process may have claimed it meanwhile. */
async function refuseUnderWay({ app, payment }: Charge, error: unknown): Promise<never> {
  const isToldFirst = error instanceof PaymentRefused || isPending(error);
  if (isToldFirst && !payments.isFree(await app.load(payments, payments.targetOf(payment.id))))
    refuse(paymentProblems["payment-known"], "this payment was presented before");
  throw error;
}

const isPending = (error: unknown) =>
  error instanceof Refusal && error.type === paymentProblems["payment-pending"];

/**
 * What the chain says of a payment: it would settle now, or somebody carried it there already. Throws PaymentRefused for one
 * that never will, or not as its payer stands, and its own `refusal` for one that was not carried; whatever the chain may still
 * take back is pending.
 */
export async function factsOf(
  settlement: Settlement,
  { id, signed, refusal }: Pick<PresentedPayment, "id" | "signed" | "refusal">,
  errand?: Errand,
): Promise<Extract<Checked, { seen_block: bigint }>> {
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
 * Appends the claim, or takes over the one that was left behind. Under an Idempotency-Key one payment at a time holds the key, and the next
 * takes its place when that has failed or was given back: so two payments of one command are never both settled.
 */
export async function claim(charge: Charge, checked: Checked): Promise<Claim> {
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
    if (!isOver) throw new KeyHeld(holder);
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
 * Has the payment carried to the chain, unless it was; one that certainly moved nothing is written down as failed. Of a claim
 * that was left behind nobody knows what was sent before.
 */
export async function settle(
  { app, call, payment }: Charge,
  checked: Checked,
  claim: Claim,
): Promise<SettledPayment> {
  if (checked.status === "settled") return checked;
  if (checked.status === "carried") return { claim, settlement: checked.settlement };
  const whileHeld = (decision: (state: PaymentState) => PaymentEvent[]) =>
    app.decide(
      payments,
      payments.targetOf(payment.id),
      payments.heldBy(app.presence.name, claim, decision),
      commandOf(call),
    );
  const failed = (reason: string) => whileHeld(payments.fail(reason, app.clock.now().toISOString()));
  // A process that was paused may have lost the payment to another, and then it sends nothing.
  if (!app.presence.isLive()) await whileHeld(() => []);
  try {
    const transfer = payments.signedTransferOf(claim);
    const receipt = await inSpan("settle", {}, () =>
      app.settlement.settle(transfer, BigInt(claim.seen_block)),
    );
    return { claim, settlement: payments.minedBy(receipt) };
  } catch (error) {
    if (error instanceof NotSettled) await failed(error.message);
    const isUnsent = error instanceof ChainUnavailable;
    // Of one that was left behind nobody knows what was sent before.
    if (isUnsent && checked.status === "left_behind") return refusePending(payment.id, error);
    if (isUnsent) await failed("nothing was sent: the chain was away");
    return refuseUnsettled(payment.id, error);
  }
}

/** What is told of a payment that was not carried through: refused by the chain, not sent, or nobody knows yet. */
export function refuseUnsettled(id: string, error: unknown): never {
  if (error instanceof NotSettled)
    throw new PaymentRefused("invalid_transaction_state", error.message, { sent: true });
  if (error instanceof TransactionPending) return refusePending(id, error);
  return refuseWhileAway(error);
}

function refuseWhileAway(error: unknown): never {
  if (!(error instanceof ChainUnavailable)) throw error;
  const budget = error instanceof GasBudgetSpent ? error : undefined;
  const why = budget?.message ?? "the chain is away";
  return refuse(
    paymentProblems["payment-unavailable"],
    `${why}: payments cannot be settled now, and nothing was charged`,
    {
      retry_after_s: budget ? Math.max(1, Math.ceil((budget.resets_at.getTime() - Date.now()) / 1000)) : 5,
      cause: error,
    },
  );
}
