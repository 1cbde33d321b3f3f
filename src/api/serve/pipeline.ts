/**
 * The steps of every call: form -> admit -> read -> price -> answer -> settle -> commit -> respond. A paid call
 * differs only in answer and settle (x402/payment-flow.ts).
 */
import { LRUCache } from "lru-cache";
import { createProver, type Prover } from "../../anchoring/prove.ts";
import { type FieldError, Refusal } from "../../core/model/refusal.ts";
import { paymentProblems } from "../../domain/payments/problems.ts";
import { refuseClosed } from "../declare/access/account.ts";
import { bodyDigest } from "../declare/access/owner.ts";
import { type Admission, paymentOf } from "../declare/access/way.ts";
import { anonymous } from "../declare/caller.ts";
import { chosenForm, type Form } from "../declare/forms/form.ts";
import { type Fields, inputReader, isPresent } from "../declare/input.ts";
import { dataNamed } from "../declare/named-vintages.ts";
import type { Catalogue, Operation } from "../declare/operation.ts";
import { refusalsOf } from "../declare/statuses.ts";
import { refuseUncovered } from "../declare/uncovered.ts";
import type { Gate } from "./admission.ts";
import type { AnswerParts, PreparedBody } from "./answer.ts";
import type { Call } from "./call.ts";
import { refuseUnmatched } from "./conditions.ts";
import { refusalOf } from "./problem.ts";
import {
  type CallRequest,
  countLarge,
  type ReadableOperation,
  type ReadParts,
  readCall,
} from "./read-call.ts";
import { type Answer, refused, respond, type ServedAnswer } from "./respond.ts";
import { unpaid } from "./unpaid.ts";
import { createPaymentFlow, type PaymentFlow } from "./x402/payment-flow.ts";
import type { PaymentRefused } from "./x402/payment-refusal.ts";
import { type PaymentTerms, paymentRequired, priceOf, type Quote, signInRequired } from "./x402/required.ts";

export type PipelineParts = Pick<AnswerParts, "onBroken"> &
  ReadParts & {
    catalogue: Catalogue;
    gate: Gate;
    terms: PaymentTerms;
    /** Called when the log, the chain or the facilitator is unavailable. */
    onAway: (refusal: Refusal) => void;
    onPresented: (outcome: string) => void;
    cache_bytes: number;
  };

type Parts = AnswerParts & PipelineParts & { payments: PaymentFlow; prover: Prover };

export type ServedOperation = ReadableOperation & { ask(request: CallRequest): Promise<Answer> };

export function createPipeline(given: PipelineParts): (operation: Operation) => ServedOperation {
  const finished = new LRUCache<string, PreparedBody>({
    maxSize: Math.max(1, given.cache_bytes),
    sizeCalculation: ({ body }, name) => body.length + name.length + 64,
  });
  const maker = { ...given, finished };
  const payments = createPaymentFlow(maker, given.terms, given.limits);
  const parts: Parts = { ...maker, payments, prover: createProver(given.app) };

  return (operation) => {
    const ready = { operation, reader: inputReader(operation.input) };
    return { ...ready, ask: (request) => ask(parts, ready, request) };
  };
}

/** Refusals become answers; other errors are faults of the service. */
async function ask(parts: Parts, ready: ReadableOperation, request: CallRequest): Promise<Answer> {
  const { operation } = ready;
  let admitted: Admission | undefined;
  try {
    const form = chosenForm(operation, request.accept);
    const verdict = await parts.gate.admit(operation, request.presented);
    if (verdict === "pay") return await quoted(parts, ready, request, form);
    if (verdict === "sign in") return await signInAsked(parts, ready, request);
    admitted = verdict;
    const { call, release } = await readCall(parts, ready, request, { form, admitted });
    try {
      if (operation.output.kind !== "file") refuseUnmatched(request.if_match);
      return await answered(parts, call, admitted, request);
    } finally {
      release();
    }
  } catch (error) {
    const headers = admitted?.failed?.();
    if (admitted && headers) admitted = { ...admitted, headers };
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    const isOfInput = admitted !== undefined && refusal.errors !== undefined;
    if (isOfInput || refusal.type.status === 401) {
      const due = await dueInstead(parts, ready, request, refusal);
      if (due) return due;
    }
    countLarge(parts.limits, operation, admitted, request);
    if (refusal.cause !== undefined) parts.onAway(refusal);
    const { status } = refusal.type;
    if (!refusalsOf(operation).has(status))
      parts.onBroken(operation, "refusal", `${status} is not declared: ${refusal.message}`);
    return refused(parts, operation, admitted, request, refusal);
  }
}

/**
 * A payment that cannot be read gets a new 402, even if the input is wrong or a credential is missing too, so that its
 * client can pay again.
 */
async function dueInstead(
  parts: Parts,
  { operation }: ReadableOperation,
  request: CallRequest,
  { type, errors }: Refusal,
): Promise<Answer | undefined> {
  const isOfCaller = errors !== undefined || type.status === 401;
  const refused =
    isOfCaller && paymentOf(operation) ? parts.payments.unreadable(request.presented) : undefined;
  if (!refused) return undefined;
  parts.onPresented("refused");
  const { app } = parts;
  const price = await priceOf(operation, { app, data: app.data, caller: anonymous });
  return required(parts, operation, request, {
    price,
    is_unit: true,
    refused,
    errors: errors?.filter(isPresent),
  });
}

/** The caller must pay first. `refused`: why the payment it sent is not acceptable. */
export type PaymentDue = { due: true; refused?: PaymentRefused };

async function answered(
  parts: Parts,
  call: Call,
  admitted: Admission,
  request: CallRequest,
): Promise<Answer> {
  const served = await (admitted.pays ? paid(parts, call, request) : unpaidOrDue(parts, call, admitted));
  if (!("due" in served)) return respond(parts, call, admitted, request, served);
  const { operation, form, input } = call;
  countLarge(parts.limits, operation, admitted, request);
  return required(parts, operation, request, {
    price: await priceOf(operation, call, input),
    form,
    ...served,
  });
}

async function paid(parts: Parts, call: Call, request: CallRequest): Promise<ServedAnswer | PaymentDue> {
  const served = await parts.payments.serve(call, request).catch((error) => {
    parts.onPresented(refusalOf(error)?.type.slug ?? "failed");
    throw error;
  });
  parts.onPresented("due" in served ? "refused" : "answered");
  return served;
}

async function unpaidOrDue(
  parts: Parts,
  call: Call,
  { from_account }: Admission,
): Promise<ServedAnswer | PaymentDue> {
  try {
    return await unpaid(parts, call);
  } catch (error) {
    const isMissing = error instanceof Refusal && error.type === paymentProblems["funds-missing"];
    if (!from_account || !isMissing) throw error;
    refuseClosed(call.app);
    return { due: true };
  }
}

async function quoted(
  parts: Parts,
  ready: ReadableOperation,
  request: CallRequest,
  form: Form,
): Promise<Answer> {
  await parts.app.accepting.check();
  const { input, errors } = await quotableInput(ready, request);
  const quote = await quoteFor(parts, ready.operation, input);
  return required(parts, ready.operation, request, { ...quote, ...(errors && { errors }), form });
}

/** Asks an anonymous caller to sign in. The input is read only for the digest of its body, which the caller signs. */
async function signInAsked(
  { terms }: Parts,
  ready: ReadableOperation,
  request: CallRequest,
): Promise<Answer> {
  await quotableInput(ready, request);
  return {
    kind: "pay",
    ...signInRequired(ready.operation, request.path, terms, signableOf(request)),
  };
}

const required = (
  { terms }: Parts,
  operation: Operation,
  request: CallRequest,
  quote: Quote & Partial<PaymentDue>,
): Answer => ({
  kind: "pay",
  ...paymentRequired(operation, request.path, terms, {
    ...quote,
    transport: request.transport,
    signable: signableOf(request),
    has_key: request.presented.secret !== undefined,
  }),
});

/** The call that a wallet may sign. A write is signed with the digest of its body; an unread body counts as empty. */
function signableOf({ presented: { method, path }, sent }: CallRequest): NonNullable<Quote["signable"]> {
  const signsBody = method !== "GET" && method !== "DELETE";
  return { method, path, ...(signsBody && { resources: [bodyDigest(sent)] }) };
}

/** The price of an unpaid call. A missing vintage is reported only by the paid call. */
async function quoteFor(
  { app }: Parts,
  operation: Operation,
  input: Fields | undefined,
): Promise<Pick<Quote, "price" | "understood" | "errors" | "is_unit">> {
  try {
    const leased = await dataNamed(app, operation, input);
    try {
      const call = { app, data: leased?.data ?? app.data, caller: anonymous };
      const price = await priceOf(operation, call, input);
      if (input) await refuseUncovered(operation, input as never, call);
      const understood = input && (await operation.understood?.(input as never, call));
      return { price, is_unit: input === undefined, ...(understood && { understood }) };
    } finally {
      leased?.release();
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const price = await priceOf(operation, { app, data: app.data, caller: anonymous });
    return { price, is_unit: true, errors: error.errors?.filter(isPresent) };
  }
}

/** Reads only input that would fit into a query string, because an unpaid request must stay cheap. */
async function quotableInput(
  { reader }: ReadableOperation,
  request: CallRequest,
): Promise<{ input?: Fields; errors?: FieldError[] | undefined }> {
  if (!request.is_small) return {};
  try {
    return { input: await request.read(reader) };
  } catch (error) {
    if (error instanceof Refusal) return { errors: error.errors?.filter(isPresent) };
    throw error;
  }
}
