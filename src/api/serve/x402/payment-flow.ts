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
import type { Hex } from "../../../core/model/chain.ts";
import type { AddressLimits } from "../../../core/model/ports/address-limits.ts";
import { type EventName, Refusal, refuse } from "../../../core/model/refusal.ts";
import type { Claim, PaidAnswer, PaymentState } from "../../../domain/payments/payment.ts";
import * as payments from "../../../domain/payments/payment.ts";
import { paymentProblems } from "../../../domain/payments/problems.ts";
import { receiptExtension, receiptOf, signReceipt } from "../../../domain/payments/receipt.ts";
import { admitWallet } from "../../declare/access/owner.ts";
import { payer } from "../../declare/caller.ts";
import { againTo, effectOf } from "../../declare/operation-facts.ts";
import { type AnswerParts, isUnchanged, type PreparedAnswer, prepareAnswer } from "../answer.ts";
import { type Call, commandOf, idempotencyOf, sha256 } from "../call.ts";
import { type ChannelFlow, createChannelFlow } from "../channels/channel-flow.ts";
import { isChannelPayment } from "../channels/payload.ts";
import type { PaymentReceipt } from "../mpp/challenge.ts";
import { isAway, isNoRoom } from "../problem.ts";
import { repeatName } from "../repeats.ts";
import { type Acceptance, type AcceptedPayment, createAcceptance } from "./accept.ts";
import {
  type Charge,
  type CheckedPayment,
  check,
  claim,
  isSamePayment,
  KeyInUse,
  mayHaveMoved,
  pathOf,
  refusePending,
  refuseTestMoney,
  type SettledPayment,
  settle,
} from "./charge.ts";
import { listingOf } from "./listing.ts";
import type { AnsweredPayment, DeliveredAnswer, Offer, Outcome, PaidCallAnswer } from "./paid-call.ts";
import { paymentObject } from "./payload.ts";
import { PaymentRefused } from "./payment-refusal.ts";
import { holdOf, isAbandoned, presentedStatusOf } from "./presented-status.ts";
import {
  digestOf,
  eventGiven,
  givenBefore,
  givesSecrets,
  idempotencyOfPayment,
  keep,
  repeat,
  withoutMembers,
} from "./replay.ts";
import { microUsdc, type PaymentTerms, priceOf, resourceUrl } from "./required.ts";
import { settleResponse } from "./response.ts";

export type PaymentFlow = { serve(call: Call, offer: Offer): Promise<Outcome> };

type Flow = {
  parts: AnswerParts;
  terms: PaymentTerms;
  limits: AddressLimits;
  acceptance: Acceptance;
  /** Payments that this process is serving. */
  under_way: Map<string, Promise<unknown>>;
  channels: ChannelFlow;
};

/** A payment that is charged for a call of this service. */
type PaidCall = Charge & {
  call: Call;
  /**
   * True if the caller proves that it paid: by the key that claimed the payment, or by the wallet's signature of this
   * call. The chain shows neither, so nobody can copy them.
   */
  isPayer: (claim: Claim | undefined) => Promise<boolean>;
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
  const channels = createChannelFlow({
    parts,
    terms,
    acceptance,
    shownAgain: (call, wallet, found, offer) =>
      shownAgain({ call, isPayer: proofOf({ app: parts.app, limits }, call.caller, wallet, offer) }, found),
    receiptOf: (found, path) => receiptExtensionOf({ parts, terms }, found, path),
  });
  const flow: Flow = { parts, terms, limits, acceptance, under_way: new Map(), channels };
  return {
    async serve(call, offer) {
      const given = presentedObject(offer);
      if (given && isChannelPayment(given)) return channels.serve(call, offer, given);
      return serve(flow, call, offer);
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
    return await answer(flow, paid, payment, served, offer);
  } catch (error) {
    const isCallers = error instanceof Refusal && error.code !== "unavailable";
    if (isCallers || error instanceof PaymentRefused) acceptance.boughtNothing(offer.presented, error);
    if (!(error instanceof PaymentRefused)) throw error;
    return { due: true, refused: error };
  }
}

/** The chain publishes settled payments, so a payment without a proof of its payer repeats only public answers. */
async function shownAgain(
  paid: Pick<PaidCall, "call" | "isPayer">,
  found: DeliveredAnswer,
): Promise<DeliveredAnswer> {
  const { operation } = paid.call;
  const { made, bought_by } = found;
  // An answer without a payment was given under the caller's own Idempotency-Key, which only that caller's key can
  // find.
  const isOwn = bought_by === undefined && isKey(paid.call.caller);
  if (isOwn || (await paid.isPayer(bought_by?.claim))) return found;
  if (againTo(operation) === "payer") return refuseStranger();
  if (made.kind !== "body") return found;
  // A caller that can repeat the secret fields already knows whom the answer is about.
  const isPersonal = made.subjects.length > 0 || bought_by?.answer.sha256 === null;
  if (isPersonal && !givesSecrets(paid.call)) return refuseStranger();
  if (!operation.omitted_in_repeats) return found;
  return {
    ...found,
    made: { ...made, body: withoutMembers(made.body, operation.omitted_in_repeats) },
    is_part: true,
  };
}

/**
 * Refuses a payment that anybody may have read from the chain, unless the caller proves to be its payer. Applies to a
 * read about its payer, and to a command other than the claimed one. If a third party sent the payment unclaimed, it
 * applies to every call.
 */
async function refuseIfPublic({ call, payment, isPayer }: PaidCall, state: PaymentState): Promise<void> {
  const { operation, request_sha256 } = call;
  const claim = state?.claim;
  if (claim && !isSamePayment(claim, payment)) return;
  const isSame = claim?.request_sha256 === request_sha256;
  const isOthersCommand = effectOf(operation).changes !== "nothing" && payments.isFree(state) && !isSame;
  if (claim && againTo(operation) !== "payer" && !isOthersCommand) return;
  if (!(await isPayer(claim))) refuseStranger();
}

/**
 * The chain has the payment, but no call of this service sent it. Another process may have claimed it in the
 * meantime.
 */
async function refuseIfCarriedByOthers(paid: PaidCall): Promise<void> {
  const state = await paid.app.load(payments, payments.targetOf(paid.payment.id));
  if (!payments.isFree(state)) refuse(paymentProblems["payment-known"], "this payment was presented before");
  await refuseIfPublic(paid, state);
}

const refuseStranger = () =>
  refuse(
    "unauthorized",
    "this payment is on the chain or was presented before, and anybody can read it there: call again with " +
      "SIGN-IN-WITH-X, signed by the wallet that paid, or with the API key that came with it first; for another call sign a new payment",
  );

async function chargeFor(
  { parts: { app }, terms, limits }: Flow,
  call: Call,
  accepted: AcceptedPayment,
  { presented, sent, transport }: Offer,
): Promise<PaidCall> {
  const listing = listingOf(call.operation, terms, transport);
  const payment = { ...accepted, signed: { ...accepted.signed, listing } };
  refuseTestMoney(app, call.caller);
  const caller = call.caller.kind === "anonymous" ? payer(payment.signed.transfer.from) : call.caller;
  const idempotency_key = call.idempotency_key ?? payment.identifier;
  const charged = { ...call, caller, idempotency_key, payment_id: payment.id };
  let signed: Promise<boolean> | undefined;
  return {
    app,
    call: { ...charged, repeat_name: await repeatName(app, charged) },
    payment,
    isPayer: async (claim) => {
      if (isKey(caller) && claim?.tenant === caller.tenant && isSamePayment(claim, payment)) return true;
      signed ??= isSignedBy(payment.signed.transfer.from, { app, limits }, { presented, sent });
      return signed;
    },
  };
}

const isKey = ({ kind }: Call["caller"]): boolean => kind === "key" || kind === "subject";

/** Tells whether the caller proves that it paid for an answer: by the key of its tenant, or by the wallet's signature. */
function proofOf(
  parts: Pick<PaidCall, "app"> & Pick<Flow, "limits">,
  caller: Call["caller"],
  wallet: Hex,
  offer: Pick<Offer, "presented" | "sent">,
): PaidCall["isPayer"] {
  return async (claim) =>
    (isKey(caller) && claim?.tenant === caller.tenant) || isSignedBy(wallet, parts, offer);
}

/** True if the wallet signed the call's SIGN-IN-WITH-X. Refuses a signature of another wallet. */
async function isSignedBy(
  wallet: Hex,
  { app, limits }: Pick<PaidCall, "app"> & Pick<Flow, "limits">,
  { presented, sent }: Pick<Offer, "presented" | "sent">,
): Promise<boolean> {
  if (presented.wallet_proof === undefined) return false;
  const proven = await admitWallet(presented.wallet_proof, presented, { app, clock: app.clock, limits });
  proven.covers?.(sent);
  if (proven.caller.tenant === payments.walletTenant(wallet)) return true;
  return refuse("forbidden", "SIGN-IN-WITH-X is signed by another wallet than the one that paid");
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
    throw await afterFailure(paid, checked, reached, error);
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

/** The answer to a failed attempt: the answer is still owed, or the money is refunded, or nothing was charged. */
async function afterFailure(
  paid: PaidCall,
  checked: CheckedPayment,
  { settled }: PaymentProgress,
  error: unknown,
): Promise<unknown> {
  const { id } = paid.payment;
  // The unavailable part will recover, so the answer is still owed.
  if (settled && (isAway(error) || isUnavailable(error))) refusePending(id, error);
  const moved = settled ?? (checked.status === "settled" && isRefused(error) ? checked : undefined);
  if (!moved) return isRefused(error) ? retoldBefore(error, checked, id) : error;
  // The money moved, but the call was refused, so the money is refunded.
  const event = await giveBack(paid, moved);
  if (!(error instanceof Refusal)) return error;
  return retold(error, `the payment was settled and is being refunded: ${pathOf(id)}`, event);
}

/** Nothing was charged by this call, but the money may have moved in an earlier one. */
function retoldBefore(error: Refusal, { status }: CheckedPayment, id: string): Refusal {
  if (status === "left_behind")
    return retold(error, `this payment may have been settled before; if so, it is refunded: ${pathOf(id)}`);
  if (status === "carried")
    return retold(
      error,
      `this payment is on the chain already; an unused payment is refunded: ${pathOf(id)}`,
    );
  return error;
}

const retold = ({ type, message, errors }: Refusal, addition: string, event?: EventName) =>
  new Refusal(type, `${message}; ${addition}`, { errors, event });

const isUnavailable = (error: unknown) => error instanceof Refusal && error.code === "unavailable";
const isRefused = (error: unknown): error is Refusal => error instanceof Refusal && !isUnavailable(error);

/** Opens a refund. Returns its event, unless it was recorded earlier. */
async function giveBack(
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

/** The answer with its settlement and, unless it is a stream or file, a signed receipt. */
async function answer(
  { parts, terms }: Flow,
  { call }: PaidCall,
  { x402_version, challenge_id }: AcceptedPayment,
  { made, bought_by, is_part }: DeliveredAnswer,
  { path }: Offer,
): Promise<PaidCallAnswer> {
  if (!bought_by) return { made, event: await eventGiven(parts.app, call) };
  const answer_sha256 = is_part ? null : bought_by.answer.sha256;
  const settled = {
    made,
    event: bought_by.event,
    sha256: answer_sha256,
    ...(challenge_id !== undefined && { receipt: paymentReceipt(bought_by, challenge_id) }),
  };
  const signed = await receiptExtensionOf({ parts, terms }, { made, bought_by }, path);
  return { ...settled, settlement: settleResponse(bought_by, x402_version, signed) };
}

/**
 * Streams and files have no receipt. A receipt has the URL from the log, even if a repeated request spells it
 * otherwise.
 */
async function receiptExtensionOf(
  { parts: { app }, terms }: Pick<Flow, "parts" | "terms">,
  { made, bought_by }: DeliveredAnswer,
  path: string,
): Promise<Record<string, unknown> | undefined> {
  const resource_url = resourceUrl(terms, path);
  if (!bought_by || made.kind !== "body" || bought_by.claim.resource_sha256 !== sha256(resource_url))
    return undefined;
  const { origin } = await app.store.identity();
  const payload = receiptOf({ ...bought_by, resource_url, log_origin: origin });
  return receiptExtension(signReceipt(payload, app.signer));
}

/** The receipt is made from the log alone, so a repeat has the same one. */
const paymentReceipt = (
  { settlement, event }: Pick<AnsweredPayment, "settlement" | "event">,
  challengeId: string,
): PaymentReceipt => ({
  method: "evm",
  reference: settlement.transaction,
  status: "success",
  timestamp: new Date(event.recorded_at_us / 1_000).toISOString(),
  challengeId,
});
