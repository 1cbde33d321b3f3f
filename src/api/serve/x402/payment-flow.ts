/**
 * The payment flow: how a call is served for the payment that it brought. Its steps, in their order:
 *
 *     accept   the payment is read and judged in this process, and its payer is the caller unless a key was shown
 *     find     what it bought is given again, and what another call is doing with it is waited for
 *     check    the chain says whether it would settle
 *     handle   the answer is made; what it decides is staged, and nothing is stored
 *     claim    PaymentClaimed is appended: what is about to be sent, written down first
 *     settle   the payment is carried to the chain
 *     stage    the answer's bytes are kept, and PaymentSettled joins what is staged: one commit
 *     answer   with the settlement and its signed receipt
 *
 * A payment buys at most one answer, and nothing is answered before it is settled. A call that fails before the claim
 * leaves nothing; one that is refused after the settlement opens a refund.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../../../eventstore/types.ts";
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
import type { Credentials } from "../../declare/access/way.ts";
import { payer } from "../../declare/caller.ts";
import { againTo, effectOf } from "../../declare/operation-facts.ts";
import { type AnswerParts, isUnchanged, type PreparedAnswer, prepareAnswer } from "../answer.ts";
import { type Call, commandOf, idempotencyOf, sha256 } from "../call.ts";
import { isAway, isNoRoom } from "../problem.ts";
import { repeatName } from "../repeats.ts";
import { type Acceptance, type AcceptedPayment, createAcceptance } from "./accept.ts";
import {
  type Charge,
  type Checked,
  check,
  claim,
  isSamePayment,
  KeyHeld,
  mayHaveMoved,
  pathOf,
  refusePending,
  refuseTestMoney,
  type SettledPayment,
  settle,
} from "./charge.ts";
import { PaymentRefused } from "./refused.ts";
import {
  digestOf,
  eventGiven,
  givenBefore,
  givesSecrets,
  idempotencyOfPayment,
  keep,
  repeat,
  type Served,
  withoutMembers,
} from "./replay.ts";
import { microUsdc, type PaymentTerms, priceOf, resourceUrl } from "./required.ts";
import { type SettleResponse, settleResponse } from "./response.ts";
import { callerStatusOf, heldFor, isLeftBehind } from "./standing.ts";

/** A payment as a call brought it; `path` is the request's own path and query, which its 402 named, `sent` its body. */
export type Offer = { presented: Credentials; path: string; sent: JsonObject };

/** What a paid call comes to: its answer with the event that records it, or a fresh 402. */
export type Outcome = Answered | { due: true; refused: PaymentRefused };

type Answered = {
  made: PreparedAnswer;
  event: EventName | undefined;
  /** Of the payment that bought the answer; none when it was given before without one. */
  settlement?: SettleResponse;
  /** SHA-256 of the body, in hex; null where there is none, or less is shown than was bought. */
  sha256?: string | null;
};

export type PaymentFlow = { serve(call: Call, offer: Offer): Promise<Outcome> };

type Flow = {
  parts: AnswerParts;
  terms: PaymentTerms;
  limits: AddressLimits;
  acceptance: Acceptance;
  /** Payments that calls of this process are serving. */
  under_way: Map<string, Promise<unknown>>;
};

/** A payment that is charged for a call of this service. */
type PaidCall = Charge & {
  call: Call;
  /**
   * True if the caller proves that it paid: by the key that claimed the payment, or by the wallet's signature of this call. Neither
   * is on the chain.
   */
  isPayer: (claim: Claim | undefined) => Promise<boolean>;
};

/** How far an attempt came before it failed. */
type Reached = { claimed?: true; settled?: SettledPayment };

/** How long a second presentation of a payment waits for the outcome of the first. */
const PATIENCE_MS = 10_000;
/** The pause between two looks at a payment that another process is settling. */
const LOOK_MS = 200;

export function createPaymentFlow(
  parts: AnswerParts,
  terms: PaymentTerms,
  limits: AddressLimits,
): PaymentFlow {
  const { recover, clock } = parts.app;
  const flow: Flow = {
    parts,
    terms,
    limits,
    acceptance: createAcceptance({ terms, recover, clock, limits }),
    under_way: new Map(),
  };
  return { serve: (call, offer) => serve(flow, call, offer) };
}

/** Serves the call. What is wrong with its payment is told in a fresh 402. */
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

/** A settled payment stands on the chain for all to read: alone it gives again no more than anybody may know. */
async function shownAgain(paid: PaidCall, found: Served): Promise<Served> {
  const { operation } = paid.call;
  const { made, bought_by } = found;
  // Without a payment it was given before under the caller's own Idempotency-Key: its key alone finds that.
  const isOwn = bought_by === undefined && isKey(paid.call.caller);
  if (isOwn || (await paid.isPayer(bought_by?.claim))) return found;
  if (againTo(operation) === "payer") return refuseStranger();
  if (made.kind !== "body") return found;
  // Whoever can repeat the secret fields already knows whom the answer is about.
  const isPersonal = made.subjects.length > 0 || bought_by?.answer.sha256 === null;
  if (isPersonal && !givesSecrets(paid.call)) return refuseStranger();
  if (!operation.told_once) return found;
  return { ...found, made: { ...made, body: withoutMembers(made.body, operation.told_once) }, is_part: true };
}

/**
 * Refuses a payment that anybody may have read off the chain, where the caller has not shown that it is its payer: for a read that
 * tells of its payer, for another command than it was claimed for, and for every call where a third party carried it unclaimed.
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

/** A payment that the chain has already, and that no call of ours carried there: another process may have claimed it meanwhile. */
async function refuseIfCarriedByOthers(paid: PaidCall): Promise<void> {
  const state = await paid.app.load(payments, payments.targetOf(paid.payment.id));
  if (!payments.isFree(state)) refuse(paymentProblems["payment-known"], "this payment was presented before");
  await refuseIfPublic(paid, state);
}

const refuseStranger = () =>
  refuse(
    "unauthorized",
    "this payment stands on the chain or was presented before, and anybody can read it there: ask again with " +
      "SIGN-IN-WITH-X, signed by the wallet that paid, or with the API key that came with it first; for another call sign a new payment",
  );

async function chargeFor(
  { parts: { app }, limits }: Flow,
  call: Call,
  payment: AcceptedPayment,
  { presented, sent }: Offer,
): Promise<PaidCall> {
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

/** Whether SIGN-IN-WITH-X of the call is by the wallet; refuses one by another wallet. */
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

/** Gives again what was given before, waits while another call is at this payment, and attempts to serve it otherwise. */
async function find(flow: Flow, paid: PaidCall): Promise<Served> {
  const { parts, under_way } = flow;
  const { app, call, payment } = paid;
  const { id } = payment;
  let holder: string | undefined;
  // What this process holds and no call of it is at holds nothing.
  const leftBehind = (_: App, state: PaymentState) =>
    isHeldBy(app, state) ? !under_way.has(id) : isLeftBehind(app, state);
  for (const deadline = performance.now() + PATIENCE_MS; ; ) {
    const earlier = await givenBefore(parts, call, payment);
    if (earlier) return earlier;
    const other = under_way.get(id);
    if (other) await Promise.race([other.catch(() => undefined), pause(deadline - performance.now())]);
    const state = await app.load(payments, payments.targetOf(id));
    if (state) await refuseIfPublic(paid, state);
    const standing = await callerStatusOf(state, paid, leftBehind);
    if (standing === "answered") return repeat(parts, call, id);
    const isHeld = holder !== undefined && (await isUnderWay(app, holder));
    if (standing === "open" && !isHeld && !under_way.has(id)) {
      const attempted = attempt(flow, paid, state);
      under_way.set(id, attempted);
      try {
        return await attempted;
      } catch (error) {
        // Another call was faster: what it comes to is waited for like any other's.
        if (!isKnown(error)) throw error;
        if (error instanceof KeyHeld) holder = error.holder;
      } finally {
        under_way.delete(id);
      }
    }
    if (performance.now() > deadline) refusePending(holder ?? id, undefined, await heldFor(app, state));
    if (!under_way.has(id)) await pause(LOOK_MS);
  }
}

const isHeldBy = ({ presence }: App, state: PaymentState): boolean =>
  state?.status === "claimed" && state.held.by === presence.name;

const pause = (ms: number) => sleep(ms, undefined, { ref: false });

const isKnown = (error: unknown) =>
  error instanceof Refusal && error.type === paymentProblems["payment-known"];

/** Whether it is still to be told what a payment comes to: until then nothing is handled for one that waits for it. */
async function isUnderWay(app: App, id: string): Promise<boolean> {
  const state = await app.load(payments, payments.targetOf(id));
  return !payments.isFree(state) && !state.answer && !state.refund;
}

/** Charges the payment and serves the call for it, or serves what a settled payment is still owed. */
async function attempt(flow: Flow, paid: PaidCall, state: PaymentState): Promise<Served> {
  const { parts } = flow;
  const { app, call, payment } = paid;
  const checked = await check(paid, state);
  if (checked.status === "carried") await refuseIfCarriedByOthers(paid);
  const reached: Reached = {};
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
    // That there is no room says that nothing was charged, and that is not known any more.
    if (isNoRoom(error) && mayHaveMoved(checked, reached.claimed === true)) refusePending(payment.id, error);
    throw await afterFailure(paid, checked, reached, error);
  }
}

/** A new vintage may have changed what the call costs since its payment was judged: then nothing is claimed. */
async function refuseOtherPrice({ call, payment }: PaidCall): Promise<void> {
  const price = microUsdc(await priceOf(call.operation, call, call.input));
  if (payment.signed.transfer.value !== BigInt(price))
    throw new PaymentRefused(
      "invalid_exact_evm_payload_authorization_value",
      `authorization.value: the data has changed, and this costs ${price} by now; sign a new one`,
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
  await decide(payments, payments.targetOf(payment.id), payments.heldBy(app.presence.name, claim, decision));
}

const paidAnswerOf = (call: Call, made: PreparedAnswer): PaidAnswer => ({
  status: made.status,
  sha256: digestOf(call, made),
  vintage: made.vintage,
});

/** What counts is what the commit recorded: it may be another call's answer, or be for another payment. */
async function servedBy(
  { parts }: Flow,
  paid: PaidCall,
  { result: made, events, replayed }: CommitResult<PreparedAnswer>,
  settled: SettledPayment | undefined,
): Promise<Served> {
  const event = events.find(({ stream_id }) => stream_id.startsWith(payments.prefix));
  const payment_id = event?.stream_id.slice(payments.prefix.length);
  // The caller's Idempotency-Key was answered meanwhile, and not for this payment.
  if (settled && payment_id !== paid.payment.id) await giveBack(paid, settled);
  if (!event || !payment_id) return { made };
  // Another call was faster, or this one's own append went through unseen: what was made now is not what was recorded.
  if (replayed || !settled) return repeat(parts, paid.call, payment_id);
  return { made, bought_by: { ...settled, payment_id, answer: paidAnswerOf(paid.call, made), event } };
}

/** What is told of a failed attempt: an answer is owed, the money goes back, or nothing was charged. */
async function afterFailure(
  paid: PaidCall,
  checked: Checked,
  { settled }: Reached,
  error: unknown,
): Promise<unknown> {
  const { id } = paid.payment;
  // A part that is away will be back: the answer is owed until then.
  if (settled && (isAway(error) || isUnavailable(error))) refusePending(id, error);
  const moved = settled ?? (checked.status === "settled" && isRefused(error) ? checked : undefined);
  if (!moved) return isRefused(error) ? retoldBefore(error, checked, id) : error;
  // The money moved, and what it was for is refused by now.
  const event = await giveBack(paid, moved);
  if (!(error instanceof Refusal)) return error;
  return retold(error, `the payment was settled and is being refunded: ${pathOf(id)}`, event);
}

/** Nothing was charged by this call, but the money may have moved before it. */
function retoldBefore(error: Refusal, { status }: Checked, id: string): Refusal {
  if (status === "left_behind")
    return retold(error, `this payment may have been settled before; it is refunded then: ${pathOf(id)}`);
  if (status === "carried")
    return retold(
      error,
      `this payment stands on the chain already; what buys nothing is refunded: ${pathOf(id)}`,
    );
  return error;
}

const retold = ({ type, message, errors }: Refusal, addition: string, event?: EventName) =>
  new Refusal(type, `${message}; ${addition}`, { errors, event });

const isUnavailable = (error: unknown) => error instanceof Refusal && error.code === "unavailable";
const isRefused = (error: unknown): error is Refusal => error instanceof Refusal && !isUnavailable(error);

/** Answers the event that says so, unless that was said before. */
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
  const decision = payments.heldBy(app.presence.name, claim, settleAndRefund);
  return (await app.decide(payments, payments.targetOf(payment.id), decision, commandOf(call))).events.at(-1);
}

/** The answer with the settlement that paid for it, and a signed receipt unless it is a stream or a file. */
async function answer(
  { parts: { app }, terms }: Flow,
  { call }: PaidCall,
  { x402_version }: AcceptedPayment,
  { made, bought_by, is_part }: Served,
  { path }: Offer,
): Promise<Answered> {
  if (!bought_by) return { made, event: await eventGiven(app, call) };
  const answer_sha256 = is_part ? null : bought_by.answer.sha256;
  const settled = { made, event: bought_by.event, sha256: answer_sha256 };
  const resource_url = resourceUrl(terms, path);
  // A receipt names no other URL than the one that the log has, however the request was spelt again.
  const isLogged = bought_by.claim.resource_sha256 === sha256(resource_url);
  if (made.kind !== "body" || !isLogged)
    return { ...settled, settlement: settleResponse(bought_by, x402_version) };
  const { origin } = await app.store.identity();
  const payload = receiptOf({ ...bought_by, resource_url, log_origin: origin });
  const receipt = receiptExtension(signReceipt(payload, app.signer));
  return { ...settled, settlement: settleResponse(bought_by, x402_version, receipt) };
}
