/** Repeats an answer, in this process or another: by its payment or its Idempotency-Key. */
import type { Idempotency } from "../../../../eventstore/types.ts";
import type { App } from "../../../core/app.ts";
import { recall } from "../../../core/commands/transact.ts";
import { decidesNothing, type Work } from "../../../core/commands/unit.ts";
import { coreProblems } from "../../../core/model/problem.ts";
import { type EventName, refuse } from "../../../core/model/refusal.ts";
import { voucherOf } from "../../../domain/payments/channel.ts";
import * as payments from "../../../domain/payments/payment.ts";
import { paymentProblems } from "../../../domain/payments/problems.ts";
import { type AnswerParts, type PreparedAnswer, prepareAnswer, STREAM_HOLDS_MS } from "../answer.ts";
import { type Call, commandOf, idempotencyOf, sha256 } from "../call.ts";
import { answeredVoucher } from "../channels/purchase.ts";
import { factsOf, type PresentedPayment, pathOf } from "./charge.ts";
import type { AnsweredPayment, DeliveredAnswer } from "./paid-call.ts";
import { PaymentRefused } from "./payment-refusal.ts";

/** The idempotency key of a payment's purchase in the log. No tenant's name begins with a slash. */
export const idempotencyOfPayment = (call: Call, id: string) => ({
  idem_key: `/payment/${id}`,
  request_hash: Buffer.from(call.request_sha256, "hex"),
});

/**
 * The name includes the digest: if two processes each made an answer, the log decides which one counts. For answers
 * about a person or a secret field the digest is left out, because it would confirm guesses.
 */
const storedName = (id: string, digest: string | null) => `/payment/${id}/${digest ?? "personal"}`;

/** The digest of an answer's bytes for the log. Null for an answer about a person or to a secret field. */
export const digestOf = (call: Call, made: PreparedAnswer): string | null =>
  made.kind === "body" && made.subjects.length === 0 && !givesSecrets(call) ? sha256(made.body) : null;

/** True if the call has a secret field. It must not be guessable from the log or from other answers. */
export const givesSecrets = ({ operation, input }: Pick<Call, "operation" | "input">): boolean =>
  operation.secrets?.some((name) => isGiven(input[name])) === true;

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);

/** Stores the answer's bytes before the log records them, so that they can be repeated after a crash. */
export async function keep(
  { answers }: App,
  call: Call,
  payment_id: string,
  made: PreparedAnswer,
): Promise<void> {
  if (made.kind !== "body") return;
  const { status, body, subjects } = made;
  const stored = { request_sha256: call.request_sha256, status, payment_id };
  const once = idempotencyOf(call);
  await Promise.all([
    answers.keep(storedName(payment_id, digestOf(call, made)), { ...stored, body }, subjects),
    once && answers.keep(once.idem_key, { ...stored, body: null }),
  ]);
}

/** The answer that was given under the caller's Idempotency-Key. A payment in the call is then not settled. */
export async function givenBefore(
  parts: AnswerParts,
  call: Call,
  payment?: PresentedPayment,
): Promise<DeliveredAnswer | undefined> {
  const { app } = parts;
  const once = idempotencyOf(call);
  const stored = once && (await app.answers.find(once.idem_key));
  if (!stored || (payment && stored.payment_id === payment.id)) return undefined;
  if (payment && !(await isProven(app, call, payment))) return undefined;
  if (stored.request_sha256 !== call.request_sha256)
    refuse(coreProblems["idempotency-key-reused"], "this idempotency key was used for another request");
  if (stored.body) {
    const { status, body, subjects } = stored;
    return { made: { kind: "body", status, body, etag: "", vintage: null, subjects }, again: true };
  }
  if (!voucherOf(stored.payment_id!)) {
    const state = await app.load(payments, payments.targetOf(stored.payment_id!));
    if (!state?.answer) return undefined;
  }
  return repeat(parts, call, stored.payment_id!);
}

/** True if the caller's identity is proven: by an API key, or a wallet's by a good payment. */
async function isProven(app: App, call: Call, payment: PresentedPayment): Promise<boolean> {
  if (call.caller.kind === "key") return true;
  if (payment.refusal) return false;
  if (!payment.contract) return true;
  return factsOf(app.settlement, payment).then(
    ({ status }) => status === "good",
    (error) => {
      if (error instanceof PaymentRefused) return false;
      throw error;
    },
  );
}

/** The answer of a payment: the stored bytes, or computed again over the data recorded with it. */
export async function repeat(parts: AnswerParts, call: Call, id: string): Promise<DeliveredAnswer> {
  const { app } = parts;
  const bought_by = await answeredPayment(app, id);
  const { status, sha256: digest, vintage } = bought_by.answer;
  const gone = () => refuseGone(bought_by);
  const stored = await app.answers.find(storedName(id, digest));
  if (stored?.body) {
    const { body, subjects } = stored;
    const made = { kind: "body" as const, status, body, etag: "", vintage, subjects };
    return { made, bought_by, again: true };
  }
  const age = app.clock.now().getTime() - bought_by.event.recorded_at_us / 1_000;
  if (digest === null && age > STREAM_HOLDS_MS) gone();
  const { output } = call.operation;
  if (output.kind === "stream" && !output.is_bounded) gone();
  const { position, recorded_at_us } = bought_by.event;
  const bought = { position, at: new Date(recorded_at_us / 1_000) };
  const again: Work<PreparedAnswer> = (unit) => prepareAnswer(parts, { ...call, bought }, unit);
  const recalled = async (idempotency: Idempotency | undefined) =>
    idempotency && recall(app.unit, commandOf(call, idempotency), again);
  const made =
    (await recalled(idempotencyOfPayment(call, id))) ??
    (await recalled(idempotencyOf(call))) ??
    // If the decision was recorded under an idempotency key that this call lacks, it must not be taken again.
    (await again({
      ...decidesNothing(gone),
      command: commandOf(call),
    }));
  const isSame = made.kind !== "body" || digest === null || sha256(made.body) === digest;
  return isSame ? { made, bought_by, again: true } : gone();
}

/** A JSON body without the members of these names at any depth. */
export function withoutMembers(body: Buffer, names: readonly string[]): Buffer {
  const rest = (_name: string, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
      : value;
  return Buffer.from(JSON.stringify(JSON.parse(body.toString()), rest));
}

function refuseGone({ payment_id }: AnsweredPayment): never {
  return refuse(
    paymentProblems["answer-gone"],
    `this payment's answer was given and is no longer stored; its receipt has the digest, and ${pathOf(payment_id)} its status`,
  );
}

/** The log's record of an answered payment. */
export async function answeredPayment(app: App, id: string): Promise<AnsweredPayment> {
  const voucher = voucherOf(id);
  if (voucher) return answeredVoucher(app, id, voucher);
  const { tenant } = payments.targetOf(id);
  const recorded = await app.store.readStream({ tenant, stream_id: payments.streamOf(id) });
  const found: Partial<AnsweredPayment> = {};
  for (const event of app.eventsOf(payments, recorded)) {
    if (event.type === "PaymentClaimed") found.claim = event.data;
    if (event.type === "PaymentSettled") found.settlement = event.data;
    if (event.type === "PaymentSettled" || event.type === "PaymentAnswered")
      if (event.data.answer) Object.assign(found, { answer: event.data.answer, event });
  }
  const { claim, settlement, answer, event } = found;
  if (!claim || !settlement || !answer || !event) throw new Error(`payment ${id} was never answered`);
  return { payment_id: id, claim, settlement, answer, event };
}

/** The event of the answer that was given under the caller's Idempotency-Key. */
export async function eventGiven(app: App, call: Call): Promise<EventName | undefined> {
  const once = idempotencyOf(call);
  const commit = once && (await app.store.findCommit(once));
  return commit?.events.at(-1);
}
