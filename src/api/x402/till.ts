/**
 * The till: serves calls for payments. A payment buys at most one answer, nothing is answered before it is settled, and
 * whoever asks again with the same payment gets the same answer, from this process or another.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { Idempotency } from "../../../eventstore/types.ts";
import type { App } from "../../app.ts";
import type { Mined, PaidAnswer, PaymentState } from "../../domain/payments/payment.ts";
import * as payments from "../../domain/payments/payment.ts";
import { type EventName, Refusal, refuse } from "../../domain/refusal.ts";
import { type Committed, recall, type Stage, transact, type Work } from "../../unit.ts";
import {
  type Call,
  commandOf,
  idempotencyOf,
  isUnchanged,
  type Made,
  type MakerParts,
  make,
  sha256,
} from "../call.ts";
import { isAway } from "../problem.ts";
import {
  type Charged,
  charge,
  isSamePayment,
  KeyHeld,
  type Payment,
  pathOf,
  refusePending,
  type Sale,
  settleable,
  used,
} from "./charge.ts";
import { PaymentRefused } from "./refused.ts";
import { microUsdc, priceOf } from "./required.ts";

/** What a call came to, and the payment that bought it; none when the answer was given before without one. */
export type Served = { made: Made; bought?: Bought };

/** What the log has of an answered payment, and the event that records its answer: what a receipt says. */
export type Bought = Charged & {
  payment_id: string;
  answer: PaidAnswer;
  event: { position: number; event_id: string; event_hash: Uint8Array; recorded_at_us: number };
};

/** A call that asks for an answer. */
type Asked = { app: App; parts: MakerParts; call: Call };

/** A payment that is to buy an answer. */
type Purchase = Sale & Asked;

export type Till = {
  serve(call: Call, payment: Payment): Promise<Served>;
  /** What was answered under the Idempotency-Key of a caller who brings no payment. */
  given(call: Call): Promise<Made | undefined>;
};

/** How long a second presentation of a payment waits for the outcome of the first. */
const PATIENCE_MS = 10_000;
/** The pause between two looks at a payment that another process is settling. */
const LOOK_MS = 200;
/** A claim that is older was likely left behind; of a process that is only slow, one more carrying of its payment moves nothing. */
const CLAIM_HOLDS_MS = 90_000;
/** A stream is made anew whenever it is asked for again; it was paid for as it went on in this time. */
const STREAM_HOLDS_MS = 86_400_000;

export function createTill(parts: MakerParts): Till {
  const { app } = parts;
  /** Payments that calls of this process are serving. */
  const flights = new Map<string, Promise<unknown>>();
  /** Payments that a call of this process claimed and could not see through: nobody is at them, so their claim holds nothing. */
  const leftBehind = new LRUCache<string, true>({ max: 10_000, ttl: CLAIM_HOLDS_MS });

  return {
    given: async (call) => (await givenBefore({ app, parts, call }))?.made,
    serve: async (call, payment) => {
      const purchase: Purchase = { app, parts, call, payment };
      let holder: string | undefined;
      for (const deadline = Date.now() + PATIENCE_MS; ; ) {
        const earlier = await givenBefore(purchase, payment);
        if (earlier) return earlier;
        const flight = flights.get(payment.id);
        if (flight) await Promise.race([flight.catch(() => undefined), pause(deadline - Date.now())]);
        const state = await app.load(payments, payments.targetOf(payment.id));
        const standing = standingOf(state, purchase, leftBehind.has(payment.id));
        if (standing === "answered") return repeat(purchase, payment.id);
        const isHeld = holder !== undefined && (await isUnderWay(app, holder));
        if (standing === "open" && !isHeld && !flights.has(payment.id)) {
          const served = attempt(purchase, state, () => leftBehind.set(payment.id, true));
          flights.set(payment.id, served);
          try {
            return await served;
          } catch (error) {
            // Another call was faster: what it comes to is waited for like any other's.
            if (!isKnown(error)) throw error;
            if (error instanceof KeyHeld) holder = error.holder;
          } finally {
            flights.delete(payment.id);
          }
        }
        if (Date.now() > deadline) refusePending(holder ?? payment.id);
        if (!flights.has(payment.id)) await pause(LOOK_MS);
      }
    },
  };
}

const pause = (ms: number) => sleep(ms, undefined, { ref: false });

const isKnown = (error: unknown) => error instanceof Refusal && error.type === "payment-known";

/** Whether it is still to be told what a payment comes to: until then nothing is handled for one that waits for it. */
async function isUnderWay(app: App, id: string): Promise<boolean> {
  const state = await app.load(payments, payments.targetOf(id));
  return !payments.isFree(state) && state.status !== "unknown" && !state.answer && !state.refund;
}

/**
 * What a payment finds: `open` may be served now, `pending` has an outcome that nobody knows yet, `answered` has its
 * answer. `left_behind`: whoever claimed it is known to be done with it. Throws PaymentRefused for one that is not good,
 * or was used for something else.
 */
export function standingOf(
  state: PaymentState,
  { app, call, payment }: Sale,
  left_behind = false,
): "open" | "pending" | "answered" {
  if (state.status === "unknown" || payments.isFree(state)) {
    if (payment.refusal) throw payment.refusal;
    return "open";
  }
  const { claim, answer, refund } = state;
  const isSameCall = claim.request_sha256 === call.request_sha256 && isSamePayment(claim, payment);
  const isUnknown = state.status === "claimed" || state.status === "reorged";
  // Whose call it was is told by its answer; while there is none, nobody is told to pay again.
  if (isSameCall && isUnknown && !answer && claim.tenant !== call.caller.tenant) return "pending";
  if (!isSameCall || claim.tenant !== call.caller.tenant)
    throw used("this payment was used for another call; sign a new one");
  if (answer) return "answered";
  if (refund) throw used(`this payment is refunded: ${pathOf(payment.id)}; sign a new one`);
  if (state.status === "settled") return "open";
  const age = app.clock.now().getTime() - Date.parse(claim.claimed_at);
  return state.status === "claimed" && (left_behind || age > CLAIM_HOLDS_MS) ? "open" : "pending";
}

/** The answer that was given under the caller's Idempotency-Key; a payment that came along is left unsettled. */
async function givenBefore(asked: Asked, payment?: Payment): Promise<Served | undefined> {
  const { app, call } = asked;
  const once = idempotencyOf(call);
  const kept = once && (await app.answers.find(once.idem_key));
  if (!kept || (payment && kept.payment_id === payment.id)) return undefined;
  if (payment && !(await isProven(asked, payment))) return undefined;
  if (kept.request_sha256 !== call.request_sha256) refuseReusedKey();
  if (kept.body)
    return { made: { kind: "body", status: kept.status, body: kept.body, etag: "", vintage: null } };
  const state = await app.load(payments, payments.targetOf(kept.payment_id!));
  if (state.status === "unknown" || !state.answer) return undefined;
  return repeat(asked, kept.payment_id!);
}

/** Whether the caller is who it says: an API key has shown that, and a wallet shows it by a payment that is good. */
async function isProven({ app, call }: Asked, payment: Payment): Promise<boolean> {
  if (call.caller.kind === "key") return true;
  if (payment.refusal) return false;
  if (!payment.contract) return true;
  return settleable(app.settlement, payment.signed).then(
    () => true,
    (error) => {
      if (error instanceof PaymentRefused) return false;
      throw error;
    },
  );
}

const refuseReusedKey = () =>
  refuse("unprocessable", "this idempotency key was used for another request", {
    type: "idempotency-key-reused",
  });

/**
 * Serves the call: charges the payment, or answers what a settled one is still owed. `onLeft` is told when the claim
 * stands and nothing here will see it through.
 */
async function attempt(purchase: Purchase, state: PaymentState, onLeft: () => void): Promise<Served> {
  const { app, parts, call, payment } = purchase;
  const settle = await charge(purchase, state);
  let charging = false;
  let charged: Charged | undefined;
  const beforeAppend = async (made: Made): Promise<Stage<Made>> => {
    if (isUnchanged(call, made)) return async () => {};
    if (state.status === "unknown" || payments.isFree(state)) refuseOtherPrice(purchase);
    charging = true;
    charged = await settle();
    const { settlement } = charged;
    return async (decide, result) => {
      await keep(purchase, result);
      const decision = payments.settle(settlement, answerOf(result), app.clock.now().toISOString());
      await decide(payments, payments.targetOf(payment.id), decision);
    };
  };
  const command = commandOf(call, idempotencyOf(call) ?? idempotencyOfPayment(call, payment.id));
  const work: Work<Made> = (unit) => make(parts, call, unit);
  let done: Committed<Made>;
  try {
    done = await transact(app.unit, command, work, beforeAppend);
  } catch (error) {
    if (isKnown(error)) throw error;
    if (charging) onLeft();
    // A part that is away will be back: the answer is owed until then.
    if (charged && (isAway(error) || isUnavailable(error))) refusePending(payment.id, error);
    const moved = charged ?? (state.status === "settled" && isRefused(error) ? state : undefined);
    if (!moved && state.status === "claimed" && error instanceof Refusal && isRefused(error))
      throw retold(
        error,
        `this payment may have been settled before; it is refunded then: ${pathOf(payment.id)}`,
      );
    if (!moved) throw error;
    // The money moved, and what it was for is refused by now.
    const event = await giveBack(purchase, moved.settlement);
    if (!(error instanceof Refusal)) throw error;
    throw retold(error, `the payment was settled and is being refunded: ${pathOf(payment.id)}`, event);
  }
  const { result: made, events, replayed } = done;
  const event = events.find(({ stream_id }) => stream_id.startsWith(payments.streamOf("")));
  const payment_id = event?.stream_id.slice(payments.streamOf("").length);
  // The caller's Idempotency-Key was answered meanwhile, and not for this payment.
  if (charged && payment_id !== payment.id) await giveBack(purchase, charged.settlement);
  if (!event || !payment_id) return { made };
  // Another call was faster, or this one's own append went through unseen: what was made now is not what was recorded.
  if (replayed || !charged) return repeat(purchase, payment_id);
  return { made, bought: { ...charged, payment_id, answer: answerOf(made), event } };
}

/** A new vintage may have changed what the call costs since its payment was judged: then nothing is claimed. */
function refuseOtherPrice({ call, payment }: Purchase): void {
  const price = microUsdc(priceOf(call.operation, call.app, call.input));
  if (payment.signed.transfer.value !== BigInt(price))
    throw new PaymentRefused(
      "invalid_exact_evm_payload_authorization_value",
      `authorization.value: the data has changed, and this costs ${price} by now; sign a new one`,
    );
}

const retold = ({ code, message, errors, type }: Refusal, addition: string, event?: EventName) =>
  new Refusal(code, `${message}; ${addition}`, { errors, type, event });

const isUnavailable = (error: unknown) => error instanceof Refusal && error.code === "unavailable";
const isRefused = (error: unknown) => error instanceof Refusal && !isUnavailable(error);

const answerOf = (made: Made): PaidAnswer => ({
  status: made.status,
  sha256: made.kind === "body" ? sha256(made.body) : null,
  vintage: made.vintage,
});

/** The log's own name for what a payment bought; no tenant's name begins with a slash. */
const idempotencyOfPayment = (call: Call, id: string) => ({
  idem_key: `/payment/${id}`,
  request_hash: Buffer.from(call.request_sha256, "hex"),
});

/** Answers the event that says so, unless that was said before. */
async function giveBack({ app, call, payment }: Sale, settlement: Mined): Promise<EventName | undefined> {
  const at = app.clock.now().toISOString();
  const settleAndRefund = (state: PaymentState) => {
    const settled = payments.settle(settlement, null, at)(state);
    const next = settled.reduce(payments.evolve, state);
    return [...settled, ...payments.openRefund("the call was refused after it was paid", at)(next)];
  };
  const target = payments.targetOf(payment.id);
  return (await app.decide(payments, target, settleAndRefund, commandOf(call))).events.at(-1);
}

/** Named by its digest too: of two processes that made an answer each, the log says whose counts. */
const keptName = (id: string, digest: string) => `/payment/${id}/${digest}`;

/** Keeps the bytes before the log says that they were given, so that they can be given again after a crash. */
async function keep({ app, call, payment }: Sale, made: Made): Promise<void> {
  if (made.kind !== "body") return;
  const { status, body } = made;
  const kept = { request_sha256: call.request_sha256, status, payment_id: payment.id };
  const once = idempotencyOf(call);
  await Promise.all([
    app.answers.keep(keptName(payment.id, sha256(body)), { ...kept, body }),
    once && app.answers.keep(once.idem_key, { ...kept, body: null }),
  ]);
}

/** The same answer again: the bytes that were kept, or made anew over what was recorded then. */
async function repeat({ app, parts, call }: Asked, id: string): Promise<Served> {
  const bought = await boughtBy(app, id);
  const { status, sha256: digest, vintage } = bought.answer;
  const gone = () => refuseGone(bought);
  const kept = digest === null ? undefined : await app.answers.find(keptName(id, digest));
  if (kept?.body) return { made: { kind: "body", status, body: kept.body, etag: "", vintage }, bought };
  const age = app.clock.now().getTime() - bought.event.recorded_at_us / 1_000;
  if (digest === null && age > STREAM_HOLDS_MS) gone();
  const again: Work<Made> = (unit) => make(parts, call, unit);
  const recalled = async (idempotency: Idempotency | undefined) =>
    idempotency && recall(app.unit, commandOf(call, idempotency), again);
  const made =
    (await recalled(idempotencyOfPayment(call, id))) ??
    (await recalled(idempotencyOf(call))) ??
    // Under a key that is not said this time: what was decided stands, and is not decided again.
    (await again({ decide: gone, watch: gone, command: commandOf(call) }));
  return made.kind !== "body" || sha256(made.body) === digest ? { made, bought } : gone();
}

function refuseGone({ payment_id, answer }: Bought): never {
  const digest = answer.sha256 ? `its SHA-256 was ${answer.sha256}, ` : "";
  const told = `this payment's answer was given and is not kept any more; ${digest}see ${pathOf(payment_id)}`;
  return refuse("conflict", told, { type: "answer-gone" });
}

/** What an answered payment came to. */
export async function boughtBy(app: App, id: string): Promise<Bought> {
  const { tenant } = payments.targetOf(id);
  const recorded = await app.store.readStream({ tenant, stream_id: payments.streamOf(id) });
  const last = (type: payments.PaymentEvent["type"]) => recorded.findLast((event) => event.type === type)!;
  const answered = recorded.findLast(({ payload }) => payload.answer)!;
  return {
    payment_id: id,
    claim: last("PaymentClaimed").payload as unknown as payments.Claim,
    settlement: last("PaymentSettled").payload as unknown as Mined,
    answer: answered.payload.answer as unknown as PaidAnswer,
    event: answered,
  };
}
