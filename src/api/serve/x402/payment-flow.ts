/**
 * Serves a call for the payment that it brought. Its steps, in order:
 *
 *     accept   the payment is read and checked in this process; its payer is the caller unless a key was shown
 *     find     an earlier answer is repeated, and another call with this payment is waited for
 *     check    the chain says whether it would settle
 *     handle   the answer is computed; its decisions are staged, and nothing is stored
 *     claim    PaymentClaimed is appended: the intent is recorded before anything is sent
 *     settle   the payment is carried to the chain
 *     stage    the answer's bytes are stored, and PaymentSettled joins the staged events: one commit
 *     answer   with the settlement and its signed receipt
 *
 * A payment buys at most one answer, and nothing is answered before it is settled. A call that fails before the
 * claim leaves nothing; one that is refused after the settlement opens a refund.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../../../core/app.ts";
import { transact } from "../../../core/commands/transact.ts";
import type { CommitResult, Decide } from "../../../core/commands/unit.ts";
import type { AddressLimits } from "../../../core/model/ports/address-limits.ts";
import { Refusal } from "../../../core/model/refusal.ts";
import type { Claim, PaidAnswer, PaymentState } from "../../../domain/payments/payment.ts";
import * as payments from "../../../domain/payments/payment.ts";
import { paymentProblems } from "../../../domain/payments/problems.ts";
import { payer } from "../../declare/caller.ts";
import { type AnswerParts, isUnchanged, type PreparedAnswer, prepareAnswer } from "../answer.ts";
import { type Call, commandOf, idempotencyOf, sha256 } from "../call.ts";
import { type ChannelFlow, createChannelFlow } from "../channels/channel-flow.ts";
import { isChannelPayment } from "../channels/payload.ts";
import { isNoRoom } from "../problem.ts";
import { repeatName } from "../repeats.ts";
import { type Acceptance, type AcceptedPayment, createAcceptance } from "./accept.ts";
import {
  check,
  claim,
  isSamePayment,
  KeyInUse,
  mayHaveMoved,
  refusePending,
  refuseTestMoney,
  type SettledPayment,
  settle,
} from "./charge.ts";
import { afterFailure, giveBack } from "./failed-payment.ts";
import { listingOf } from "./listing.ts";
import { paidAnswer } from "./paid-answer.ts";
import type { DeliveredAnswer, Offer, Outcome } from "./paid-call.ts";
import {
  type PaidCall,
  payerProof,
  refuseIfCarriedByOthers,
  refuseIfPublic,
  shownAgain,
} from "./payer-proof.ts";
import { paymentObject, readPayment } from "./payload.ts";
import { PaymentRefused } from "./payment-refusal.ts";
import { holdOf, isAbandoned, presentedStatusOf } from "./presented-status.ts";
import { digestOf, givenBefore, idempotencyOfPayment, keep, repeat } from "./replay.ts";
import { microUsdc, type PaymentTerms, priceOf, resourceUrl } from "./required.ts";

export type PaymentFlow = {
  serve(call: Call, offer: Offer): Promise<Outcome>;
  /** Why the presented payment cannot be read, which counts as a bad payment; undefined if it can, or if there is none. */
  unreadable(presented: Offer["presented"]): PaymentRefused | undefined;
};

type Flow = {
  parts: AnswerParts;
  terms: PaymentTerms;
  limits: AddressLimits;
  acceptance: Acceptance;
  /** Payments that this process is serving. */
  under_way: Map<string, Promise<unknown>>;
  channels: ChannelFlow;
};

/** How far an attempt got before it failed. */
type PaymentProgress = { claimed?: true; settled?: SettledPayment };

/** How long a repeated payment waits for the outcome of the first presentation. */
const PATIENCE_MS = 10_000;
/** The polling interval while another process settles the payment. */
const LOOK_MS = 200;

export function createPaymentFlow(
  parts: AnswerParts,
  terms: PaymentTerms,
  limits: AddressLimits,
): PaymentFlow {
  const { recover, clock } = parts.app;
  const acceptance = createAcceptance({ terms, recover, clock, limits });
  const channels = createChannelFlow({ parts, terms, limits, acceptance });
  const flow: Flow = { parts, terms, limits, acceptance, under_way: new Map(), channels };
  return {
    async serve(call, offer) {
      const given = presentedObject(offer);
      if (given && isChannelPayment(given)) return channels.serve(call, offer, given);
      return serve(flow, call, offer);
    },
    unreadable(presented) {
      if (presented.payment === undefined) return undefined;
      try {
        const given = paymentObject(presented.payment);
        if (!isChannelPayment(given)) readPayment(given);
        return undefined;
      } catch (error) {
        if (!(error instanceof PaymentRefused)) throw error;
        acceptance.boughtNothing(presented, error);
        return error;
      }
    },
  };
}

/** Undefined if the payment cannot be read. The check of payments then refuses it by name. */
function presentedObject({ presented }: Offer): object | undefined {
  try {
    return paymentObject(presented.payment!);
  } catch {
    return undefined;
  }
}

/** Serves the call. A bad payment gets a new 402 with the reason. */
async function serve(flow: Flow, call: Call, offer: Offer): Promise<Outcome> {
  const { acceptance, terms } = flow;
  try {
    const price = await priceOf(call.operation, call, call.input);
    const payment = await acceptance.accept(offer.presented, { price, path: offer.path });
    const paid = {
      ...(await chargeFor(flow, call, payment, offer)),
      resource_sha256: sha256(resourceUrl(terms, offer.path)),
    };
    const found = await find(flow, paid);
    const served = found.again ? await shownAgain(paid, found) : found;
    if (!served.bought_by) acceptance.boughtNothing(offer.presented);
    return await paidAnswer(flow, paid, payment, served, offer);
  } catch (error) {
    const isCallers = error instanceof Refusal && error.code !== "unavailable";
    if (isCallers || error instanceof PaymentRefused) acceptance.boughtNothing(offer.presented, error);
    if (!(error instanceof PaymentRefused)) throw error;
    return { due: true, refused: error };
  }
}

async function chargeFor(
  { parts: { app }, terms, limits }: Flow,
  call: Call,
  accepted: AcceptedPayment,
  offer: Offer,
): Promise<PaidCall> {
  const listing = listingOf(call.operation, terms, offer.transport);
  const payment = { ...accepted, signed: { ...accepted.signed, listing } };
  refuseTestMoney(app, call.caller);
  const wallet = payment.signed.transfer.from;
  const caller = call.caller.kind === "anonymous" ? payer(wallet) : call.caller;
  const idempotency_key = call.idempotency_key ?? payment.identifier;
  const charged = { ...call, caller, idempotency_key, payment_id: payment.id };
  const isClaimed = (claim: Claim) => isSamePayment(claim, payment);
  return {
    app,
    call: { ...charged, repeat_name: await repeatName(app, charged) },
    payment,
    isPayer: payerProof({ app, limits }, { caller, wallet }, offer, isClaimed),
  };
}

/** Repeats an earlier answer, or waits while another call uses this payment, or tries to serve the call. */
async function find(flow: Flow, paid: PaidCall): Promise<DeliveredAnswer> {
  const { parts, under_way } = flow;
  const { app, call, payment } = paid;
  const { id } = payment;
  let holder: string | undefined;
  // A claim of this process that no running call owns is abandoned.
  const leftBehind = (_: App, state: PaymentState) =>
    isHeldBy(app, state) ? !under_way.has(id) : isAbandoned(app, state);
  for (const deadline = performance.now() + PATIENCE_MS; ; ) {
    const earlier = await givenBefore(parts, call, payment);
    if (earlier) return earlier;
    const other = under_way.get(id);
    if (other) await Promise.race([other.catch(() => undefined), pause(deadline - performance.now())]);
    const state = await app.load(payments, payments.targetOf(id));
    if (state) await refuseIfPublic(paid, state);
    const standing = await presentedStatusOf(state, paid, leftBehind);
    if (standing === "answered") return repeat(parts, call, id);
    const isHeld = holder !== undefined && (await isUnderWay(app, holder));
    if (standing === "open" && !isHeld && !under_way.has(id)) {
      const attempted = attempt(flow, paid, state);
      under_way.set(id, attempted);
      try {
        return await attempted;
      } catch (error) {
        // Another call used the payment first, so this one waits for its outcome.
        if (!isKnown(error)) throw error;
        if (error instanceof KeyInUse) holder = error.holder;
      } finally {
        under_way.delete(id);
      }
    }
    if (performance.now() > deadline) refusePending(holder ?? id, undefined, await holdOf(app, state));
    if (!under_way.has(id)) await pause(LOOK_MS);
  }
}

const isHeldBy = ({ presence }: App, state: PaymentState): boolean =>
  state?.status === "claimed" && state.held.by === presence.name;

const pause = (ms: number) => sleep(ms, undefined, { ref: false });

const isKnown = (error: unknown) =>
  error instanceof Refusal && error.type === paymentProblems["payment-known"];

/** True while the outcome is unknown. Until it is known, no handler runs for a waiting call. */
async function isUnderWay(app: App, id: string): Promise<boolean> {
  const state = await app.load(payments, payments.targetOf(id));
  return !payments.isFree(state) && !state.answer && !state.refund;
}

/** Charges the payment and serves the call. For a settled payment without an answer, only serves the call. */
async function attempt(flow: Flow, paid: PaidCall, state: PaymentState): Promise<DeliveredAnswer> {
  const { parts } = flow;
  const { app, call, payment } = paid;
  const checked = await check(paid, state);
  if (checked.status === "carried") await refuseIfCarriedByOthers(paid);
  const reached: PaymentProgress = {};
  const command = commandOf(call, idempotencyOf(call) ?? idempotencyOfPayment(call, payment.id));
  try {
    const done = await transact(app.unit, command, (unit) => prepareAnswer(parts, call, unit), {
      once: async (made) => {
        if (isUnchanged(call, made)) return undefined;
        if (checked.status === "good" || checked.status === "carried") await refuseOtherPrice(paid);
        const claimed = await claim(paid, checked);
        reached.claimed = true;
        reached.settled = await settle(paid, checked, claimed);
        return reached.settled;
      },
      stage: async (decide, made, settled) => {
        if (settled) await stage(decide, paid, made, settled);
      },
    });
    return await servedBy(flow, paid, done, reached.settled);
  } catch (error) {
    if (isKnown(error)) throw error;
    // The error "no room" says that nothing was charged, which is unknown here.
    if (isNoRoom(error) && mayHaveMoved(checked, reached.claimed === true)) refusePending(payment.id, error);
    throw await afterFailure(paid, checked, reached.settled, error);
  }
}

/** A new vintage may have changed the price since the payment was checked. Then the payment is not claimed. */
async function refuseOtherPrice({ call, payment }: PaidCall): Promise<void> {
  const price = microUsdc(await priceOf(call.operation, call, call.input));
  if (payment.signed.transfer.value !== BigInt(price))
    throw new PaymentRefused(
      "invalid_exact_evm_payload_authorization_value",
      `authorization.value: the data has changed, and this now costs ${price}; sign a new one`,
    );
}

async function stage(
  decide: Decide,
  { app, call, payment }: PaidCall,
  made: PreparedAnswer,
  { claim, settlement }: SettledPayment,
): Promise<void> {
  await keep(app, call, payment.id, made);
  const decision = payments.settle(settlement, paidAnswerOf(call, made), app.clock.now().toISOString());
  await decide(payments, payments.targetOf(payment.id), payments.byOwner(app.presence.name, claim, decision));
}

const paidAnswerOf = (call: Call, made: PreparedAnswer): PaidAnswer => ({
  status: made.status,
  sha256: digestOf(call, made),
  vintage: made.vintage,
});

/** Serves from the recorded commit, which may contain another call's answer or another payment. */
async function servedBy(
  { parts }: Flow,
  paid: PaidCall,
  { result: made, events, replayed }: CommitResult<PreparedAnswer>,
  settled: SettledPayment | undefined,
): Promise<DeliveredAnswer> {
  const event = events.find(({ stream_id }) => stream_id.startsWith(payments.prefix));
  const payment_id = event?.stream_id.slice(payments.prefix.length);
  // Another payment has used the caller's Idempotency-Key in the meantime.
  if (settled && payment_id !== paid.payment.id) await giveBack(paid, settled);
  if (!event || !payment_id) return { made };
  // The recorded answer counts: another call was faster, or this call's append succeeded unnoticed.
  if (replayed || !settled) return repeat(parts, paid.call, payment_id);
  return { made, bought_by: { ...settled, payment_id, answer: paidAnswerOf(paid.call, made), event } };
}
