/** The outcome of a paid call that failed: its answer is still owed, its money is refunded, or nothing was charged. */
import { type EventName, Refusal } from "../../../core/model/refusal.ts";
import type { PaymentState } from "../../../domain/payments/payment.ts";
import * as payments from "../../../domain/payments/payment.ts";
import { commandOf } from "../call.ts";
import { isAway } from "../problem.ts";
import { type CheckedPayment, pathOf, refusePending, type SettledPayment } from "./charge.ts";
import type { PaidCall } from "./payer-proof.ts";

/** The error to answer with. */
export async function afterFailure(
  paid: PaidCall,
  checked: CheckedPayment,
  settled: SettledPayment | undefined,
  error: unknown,
): Promise<unknown> {
  const { id } = paid.payment;
  // The unavailable part will recover, so the answer is still owed.
  if (settled && (isAway(error) || isUnavailable(error))) refusePending(id, error);
  const moved = settled ?? (checked.status === "settled" && isRefused(error) ? checked : undefined);
  if (!moved) return isRefused(error) ? withEarlierSettlement(error, checked, id) : error;
  // The money moved, but the call was refused, so the money is refunded.
  const event = await giveBack(paid, moved);
  if (!(error instanceof Refusal)) return error;
  return withAddition(error, `the payment was settled and is being refunded: ${pathOf(id)}`, event);
}

/** Nothing was charged by this call, but the money may have moved in an earlier one. */
function withEarlierSettlement(error: Refusal, { status }: CheckedPayment, id: string): Refusal {
  if (status === "left_behind")
    return withAddition(
      error,
      `this payment may have been settled before; if so, it is refunded: ${pathOf(id)}`,
    );
  if (status === "carried")
    return withAddition(
      error,
      `this payment is on the chain already; an unused payment is refunded: ${pathOf(id)}`,
    );
  return error;
}

const withAddition = ({ type, message, errors }: Refusal, addition: string, event?: EventName) =>
  new Refusal(type, `${message}; ${addition}`, { errors, event });

const isUnavailable = (error: unknown) => error instanceof Refusal && error.code === "unavailable";
const isRefused = (error: unknown): error is Refusal => error instanceof Refusal && !isUnavailable(error);

/** Opens a refund. Returns its event, unless it was recorded earlier. */
export async function giveBack(
  { app, call, payment }: PaidCall,
  { claim, settlement }: SettledPayment,
): Promise<EventName | undefined> {
  const at = app.clock.now().toISOString();
  const settleAndRefund = (state: PaymentState) => {
    const settled = payments.settle(settlement, null, at)(state);
    const next = settled.reduce(payments.evolve, state);
    return [...settled, ...payments.openRefund("the call was refused after it was paid", at)(next)];
  };
  const decision = payments.byOwner(app.presence.name, claim, settleAndRefund);
  return (await app.decide(payments, payments.targetOf(payment.id), decision, commandOf(call))).events.at(-1);
}
