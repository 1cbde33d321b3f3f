/** What a payment finds when it is presented: whether it may be served, has been, or is in somebody's hands. */
import type { App } from "../../../core/app.ts";
import type { PaymentState } from "../../../domain/payments/payment.ts";
import * as payments from "../../../domain/payments/payment.ts";
import { type Charge, type HeldFor, isSamePayment, pathOf, used } from "./charge.ts";

/** A claim that is older was likely left behind; of a process that is only slow, one more carrying of its payment moves nothing. */
const CLAIM_HOLDS_MS = 90_000;

/** Undefined of a payment that nobody holds. */
export async function heldFor({ presence, clock }: App, state: PaymentState): Promise<HeldFor | undefined> {
  if (state?.status !== "claimed") return undefined;
  const { by, since } = state.held;
  const until = new Date(Date.parse(since) + CLAIM_HOLDS_MS);
  const left_ms = Math.max(0, until.getTime() - clock.now().getTime());
  return { until, left_ms: by === null ? left_ms : Math.min(left_ms, await presence.livesFor(by)) };
}

/**
 * Whether whoever claimed a payment is known to be done with it: its process has died, or has had time enough. Which of its own
 * claims are left behind this process knows by itself.
 */
export async function isLeftBehind(app: App, state: PaymentState): Promise<boolean> {
  return (await heldFor(app, state))?.left_ms === 0;
}

/**
 * What a payment finds: `open` may be served now, `pending` has an outcome that nobody knows yet, `answered` has its
 * answer. Throws PaymentRefused for one that is not good, or has bought something else.
 */
export async function callerStatusOf(
  state: PaymentState,
  { app, call, payment }: Charge,
  leftBehind: (app: App, state: PaymentState) => boolean | Promise<boolean> = isLeftBehind,
): Promise<"open" | "pending" | "answered"> {
  if (payments.isFree(state)) {
    if (payment.refusal && !payment.expired) throw payment.refusal;
    return "open";
  }
  const { claim, answer, refund } = state;
  const isSame = isSamePayment(claim, payment);
  if (!isSame && payment.refusal) throw payment.refusal;
  const isSameCall =
    isSame && claim.request_sha256 === call.request_sha256 && claim.tenant === call.caller.tenant;
  // What an answer was bought with may have gone back; the answer was given, and is given again.
  if (refund && !answer) throw used(`this payment is refunded: ${pathOf(payment.id)}; sign a new one`);
  if (state.kept && !answer)
    throw used(
      `this payment was carried here without a call, and was kept: ${pathOf(payment.id)}; sign a new one`,
    );
  // Whose call it was is told by its answer; while there is none, nobody is told to pay again.
  if (!isSameCall && !answer) return "pending";
  if (!isSameCall) throw used("this payment was used for another call; sign a new one");
  if (answer) return "answered";
  if (state.status === "settled") return "open";
  return state.status === "claimed" && (await leftBehind(app, state)) ? "open" : "pending";
}
