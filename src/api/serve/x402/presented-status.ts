/** The status of a presented payment: it may be served, was served, or is in progress. */
import type { App } from "../../../core/app.ts";
import type { PaymentState } from "../../../domain/payments/payment.ts";
import * as payments from "../../../domain/payments/payment.ts";
import { type Charge, isSamePayment, type PaymentHold, pathOf, used } from "./charge.ts";

/**
 * A claim older than this is probably abandoned. If its process is only slow, sending the payment once more moves no
 * money.
 */
const CLAIM_HOLDS_MS = 90_000;

/** How long a claim still excludes other calls. Undefined for an unclaimed payment. */
export async function holdOf(
  { presence, clock }: App,
  state: PaymentState,
): Promise<PaymentHold | undefined> {
  if (state?.status !== "claimed") return undefined;
  const { by, since } = state.held;
  const until = new Date(Date.parse(since) + CLAIM_HOLDS_MS);
  const left_ms = Math.max(0, until.getTime() - clock.now().getTime());
  return { until, left_ms: by === null ? left_ms : Math.min(left_ms, await presence.livesFor(by)) };
}

/**
 * True if the process that claimed the payment certainly no longer serves it: it died, or had enough time. For its
 * own claims, each process knows by itself.
 */
export async function isAbandoned(app: App, state: PaymentState): Promise<boolean> {
  return (await holdOf(app, state))?.left_ms === 0;
}

/**
 * `open`: the payment may be served now. `pending`: its outcome is unknown. `answered`: it has its answer. Throws
 * PaymentRefused for a bad payment, or for one that bought something else.
 */
export async function presentedStatusOf(
  state: PaymentState,
  { app, call, payment }: Charge,
  leftBehind: (app: App, state: PaymentState) => boolean | Promise<boolean> = isAbandoned,
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
  // A refund does not take back an answer that was given, so the answer is repeated.
  if (refund && !answer) throw used(`this payment is refunded: ${pathOf(payment.id)}; sign a new one`);
  if (state.kept && !answer)
    throw used(
      `this payment came without a call, and was not refunded: ${pathOf(payment.id)}; sign a new one`,
    );
  // Only an answer shows which call the payment bought. Without one, the caller must not be asked to pay again.
  if (!isSameCall && !answer) return "pending";
  if (!isSameCall) throw used("this payment was used for another call; sign a new one");
  if (answer) return "answered";
  if (state.status === "settled") return "open";
  return state.status === "claimed" && (await leftBehind(app, state)) ? "open" : "pending";
}
