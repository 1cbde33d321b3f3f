/**
 * The one path of every call, whatever carries it: admit -> parse -> handle -> check -> encode -> append -> answer.
 * HTTP and MCP hand it the same question and send the same answer in their own form; x402/payment-flow.ts says what a call that
 * brought a payment goes through besides.
 */
import { LRUCache } from "lru-cache";
import type { JsonObject } from "../../../eventstore/types.ts";
import { createProver, type Prover } from "../../anchoring/prove.ts";
import { transact } from "../../core/commands/transact.ts";
import { decidesNothing } from "../../core/commands/unit.ts";
import type { AddressLimits, CallLimit } from "../../core/model/ports/address-limits.ts";
import { coreProblems } from "../../core/model/problem.ts";
import { type EventName, Refusal, refuse } from "../../core/model/refusal.ts";
import { paymentProblems } from "../../domain/payments/problems.ts";
import { refuseClosed } from "../declare/access/account.ts";
import { type Admission, challengeOf, type Presented, paymentOf } from "../declare/access/way.ts";
import { addressBlock } from "../declare/address.ts";
import { anonymous, isTest } from "../declare/caller.ts";
import { chosenForm, formHeaders, formsOf } from "../declare/forms/form.ts";
import { type Fields, type InputReader, inputReader } from "../declare/input.ts";
import { wantedPosition } from "../declare/log-position.ts";
import { type NamedEvent, nameEvent } from "../declare/named-event.ts";
import { dataNamed } from "../declare/named-vintages.ts";
import type { Catalogue, Operation } from "../declare/operation.ts";
import { effectOf, isCommand, mediaTypeOf } from "../declare/operation-facts.ts";
import type { ServedFile, Wire } from "../declare/output.ts";
import { refusalsOf } from "../declare/statuses.ts";
import type { Gate } from "./admission.ts";
import {
  type AnswerParts,
  type Call,
  commandOf,
  finishedBefore,
  idempotencyOf,
  isUnchanged,
  type PreparedAnswer,
  type PreparedBody,
  prepareAnswer,
  requestDigest,
} from "./call.ts";
import type { FreeRoom } from "./free-room.ts";
import { LastingCall } from "./lasting.ts";
import { isNoRoom, refusalOf } from "./problem.ts";
import { unencodedDigest } from "./unencoded-digest.ts";
import { createPaymentFlow, type PaymentFlow } from "./x402/payment-flow.ts";
import { eventGiven, givenBefore } from "./x402/replay.ts";
import { type PaymentRequired, type PaymentTerms, paymentRequired, priceOf } from "./x402/required.ts";
import { type SettleResponse, settledHeaders } from "./x402/response.ts";

export type CallRequest = {
  presented: Presented;
  /** Reads the input; called once the caller is admitted, so an unpaid body is never looked at. */
  read: (reader: InputReader, most_bytes?: number) => Fields | Promise<Fields>;
  /** The body as it was sent, once `read` has resolved. */
  readonly sent: JsonObject;
  /** The input takes no more room than a query string could. */
  is_small: boolean;
  /** The request's own path and query, for the payment requirement. */
  path: string;
  /** The Accept header, or what stands for it. */
  accept: string | undefined;
  wire: Wire;
  idempotency_key: string | undefined;
  if_none_match: string | undefined;
  last_event_id: string | undefined;
  prefers_proof: boolean;
  /** The Min-Log-Position header, or what stands for it: how much of the log the answer has to know. */
  min_log_position: string | undefined;
  request_id: string;
  signal: AbortSignal;
};

type Sent = {
  status: number;
  headers: Record<string, string>;
  payment?: SettleResponse;
  /** The event that the call caused. */
  event?: NamedEvent | undefined;
};

export type Answer =
  | ({ kind: "body"; body: Buffer } & Sent)
  | ({ kind: "file"; file: ServedFile } & Sent)
  | ({ kind: "stream"; chunks: AsyncIterable<string | Buffer> } & Sent)
  | { kind: "unchanged"; status: 304; headers: Record<string, string> }
  | ({ kind: "pay" } & PaymentRequired)
  | { kind: "refused"; refusal: Refusal; headers: Record<string, string>; event?: NamedEvent | undefined };

export type PipelineParts = Pick<AnswerParts, "app" | "onBroken"> & {
  /** Told of calls that are refused for a failure of ours: the log, the chain or the facilitator is away. */
  onAway: (refusal: Refusal) => void;
  catalogue: Catalogue;
  gate: Gate;
  terms: PaymentTerms;
  limits: AddressLimits;
  /** The room of calls that nobody pays for. */
  room: FreeRoom;
  /** Told what came of each call that brought a payment. */
  onPresented: (outcome: string) => void;
  /** Bytes of finished answers kept in memory. */
  cache_bytes: number;
};

type Parts = AnswerParts & PipelineParts & { payments: PaymentFlow; prover: Prover };

/** One operation made ready: its input compiled, its answers kept. */
export type ServedOperation = {
  operation: Operation;
  reader: InputReader;
  ask(question: CallRequest): Promise<Answer>;
};

export function createPipeline(given: PipelineParts): (operation: Operation) => ServedOperation {
  const finished = new LRUCache<string, PreparedBody>({
    maxSize: Math.max(1, given.cache_bytes),
    sizeCalculation: ({ body }, name) => body.length + name.length + 64,
  });
  const maker = { ...given, finished };
  const payments = createPaymentFlow(maker, given.terms, given.limits);
  const parts: Parts = { ...maker, payments, prover: createProver(given.app) };

  return (operation) => {
    const reader = inputReader(operation.input);
    return { operation, reader, ask: (question) => ask(parts, operation, reader, question) };
  };
}

/** Refusals are answers; whatever else is thrown is a fault of ours. */
async function ask(
  parts: Parts,
  operation: Operation,
  reader: InputReader,
  question: CallRequest,
): Promise<Answer> {
  const headers: Record<string, string> = {};
  let isLarge = false;
  const countLarge = () => {
    if (isLarge) parts.limits.add(LARGE_UNPAID, addressBlock(question.presented.ip));
  };
  try {
    if (formsOf(operation).length > 1) headers.Vary = "Accept";
    const form = chosenForm(operation, question.accept);
    const admitted = await parts.gate.admit(operation, question.presented);
    if (admitted === "pay") {
      await parts.app.accepting.check();
      const price = await quoteFor(parts, operation, await validInput(operation, reader, question));
      return { kind: "pay", ...paymentRequired(operation, price, question.path, parts.terms, { form }) };
    }
    refuseTestMoney(parts, operation, admitted);
    Object.assign(headers, admitted.headers);
    if (paymentOf(operation)) headers["Cache-Control"] = "private, no-cache";
    else if (isCommand(operation)) headers["Cache-Control"] = "no-store";
    const { caller } = admitted;
    const isFree = isFreeWrite(operation, admitted);
    if (isFree) await parts.room.take(caller, question.presented.ip);
    isLarge = !question.is_small && paymentOf(operation) !== undefined && caller.kind !== "key";
    if (isLarge) refuseLarge(parts.limits, question);
    const input = await question.read(reader, operation.body_bytes);
    if (isFree) await parts.room.store(caller, question.presented.ip, bytesOf(question));
    const min_position = await wantedPosition(parts.app, operation, question.min_log_position);
    admitted.covers?.(question.sent);
    const held = await dataNamed(parts.app, operation, input);
    try {
      const { app } = parts;
      const data = held?.data ?? app.data;
      const call = callOf(operation, input, { app, data, form, min_position }, admitted, question);
      operation.refuseTo?.({ input: input as never, caller: admitted.caller, app, data });
      if (!admitted.pays) {
        const served = await unpaid(parts, call).catch((error) => missingFunds(admitted, error));
        if (served === "missing") {
          refuseClosed(call.app);
          countLarge();
          const price = await priceOf(operation, call, input);
          return { kind: "pay", ...paymentRequired(operation, price, question.path, parts.terms, { form }) };
        }
        const { made, event } = served;
        return answerOf(call, made, headers, {
          event: await nameEvent(parts, call, event, question, headers),
        });
      }
      const answer = await paid(parts, call, question, headers).catch((error) => {
        parts.onPresented(refusalOf(error)?.type.slug ?? "failed");
        throw error;
      });
      if (answer.kind === "pay") countLarge();
      parts.onPresented(answer.kind === "pay" ? "refused" : "answered");
      return answer;
    } finally {
      held?.release();
    }
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    countLarge();
    if (refusal.cause !== undefined) parts.onAway(refusal);
    const { status } = refusal.type;
    if (!refusalsOf(operation).has(status))
      parts.onBroken(operation, "refusal", `${status} is not declared: ${refusal.message}`);
    if (refusal.code === "unauthorized") headers["WWW-Authenticate"] = challengeOf(operation);
    const event = await nameEvent(parts, undefined, refusal.event, question, headers);
    return { kind: "refused", refusal, headers, event };
  }
}

/** It may append or store, and nobody pays for it: neither its call, nor the task whose work it hands in. */
const isFreeWrite = (operation: Operation, { pays, from_account, caller }: Admission): boolean =>
  effectOf(operation).changes !== "nothing" &&
  !pays &&
  !from_account &&
  !operation.is_paid_work &&
  caller.kind !== "key" &&
  caller.kind !== "internal";

/** A small body counts as the least that an event takes. */
const bytesOf = ({ is_small, sent }: CallRequest): number =>
  is_small ? 1_024 : Buffer.byteLength(JSON.stringify(sent));

/** Large bodies of an address that came to nothing because they were not paid for: each costs as much as a good one to read. */
const LARGE_UNPAID: CallLimit = { name: "large bodies unpaid", calls: 20, per: "minute" };

function refuseLarge(limits: AddressLimits, { presented: { ip } }: CallRequest): void {
  const block = addressBlock(ip);
  if (limits.isSpent(LARGE_UNPAID, block))
    refuse(
      coreProblems["rate-limited"],
      `${LARGE_UNPAID.calls} large bodies a minute may go unpaid: pay with the call, or put money into the account first`,
      { retry_after_s: 60 },
    );
}

/** The caller's account has less than the call holds: a payment brings it. */
function missingFunds({ from_account }: Admission, error: unknown): "missing" {
  const isMissing = error instanceof Refusal && error.type === paymentProblems["funds-missing"];
  if (from_account && isMissing) return "missing";
  throw error;
}

/** A test key moves no money of a real chain, and binds no wallets there. */
function refuseTestMoney({ app }: Parts, { moves_money }: Operation, { caller }: Admission): void {
  if (moves_money && isTest(caller) && !app.embedded_chain)
    refuse("forbidden", "a test key moves no money of a real chain; use a live key, or pay");
}

function callOf(
  operation: Operation,
  input: Fields,
  { app, data, form, min_position }: Pick<Call, "app" | "data" | "form" | "min_position">,
  admitted: Admission,
  question: CallRequest,
): Call {
  const { caller, confirm } = admitted;
  const { if_none_match, last_event_id, request_id } = question;
  let digest: string | undefined;
  return {
    operation,
    app,
    data,
    input,
    form,
    min_position,
    caller,
    ...(confirm && { confirm }),
    // Most calls need it never.
    get request_sha256() {
      const isFollowed = operation.output.kind === "stream" && question.wire === "sse";
      digest ??= requestDigest(operation, input, isFollowed ? "text/event-stream" : form, app.link_secret);
      return digest;
    },
    idempotency_key: nameOf(operation, input, admitted, question),
    if_none_match,
    last_event_id,
    request_id,
    get wire() {
      return question.wire;
    },
    lasting: new LastingCall({
      still: admitted.still ?? (async () => {}),
      request: () => question.signal,
      clock: app.clock,
    }),
  };
}

/** A command has one name, wherever the caller says it: under another one it would be done twice. */
function nameOf(
  { named_by }: Operation,
  input: Fields,
  admitted: Admission,
  question: CallRequest,
): string | undefined {
  const field = named_by === undefined ? undefined : (input[named_by] as string | undefined);
  const { idempotency_key: header } = question;
  if (field !== undefined && header !== undefined && field !== header)
    refuse("invalid", `invalid input: ${named_by}`, {
      errors: [{ path: named_by!, message: "is what Idempotency-Key says, or left out" }],
    });
  const given = header ?? field;
  const { idempotency_key: proven } = admitted;
  // A proof that names the command names it alone.
  if (proven !== undefined && given !== undefined && given !== proven)
    refuse("invalid", "invalid Idempotency-Key", {
      errors: [{ path: "Idempotency-Key", message: "is the nonce of SIGN-IN-WITH-X, or left out" }],
    });
  return proven ?? given;
}

/** Serves a call that brought its payment. */
async function paid(
  parts: Parts,
  call: Call,
  question: CallRequest,
  headers: Record<string, string>,
): Promise<Answer> {
  const { presented, path, sent } = question;
  const outcome = await parts.payments.serve(call, { presented, path, sent });
  if (outcome.kind === "pay") return { kind: "pay", ...outcome.required };
  const { made, settlement, sha256 } = outcome;
  if (sha256) headers["Unencoded-Digest"] = unencodedDigest(sha256);
  const event = await nameEvent(parts, call, outcome.event, question, headers);
  return answerOf(call, made, headers, { event, ...(settlement && { payment: settlement }) });
}

/** Serves a call that is free to its caller, and gives the same answer to the same Idempotency-Key. */
async function unpaid(
  parts: Parts,
  call: Call,
): Promise<{ made: PreparedAnswer; event?: EventName | undefined }> {
  if (call.operation.output.kind === "stream")
    return {
      made: await prepareAnswer(parts, call, {
        ...decidesNothing(none),
        command: commandOf(call),
      }),
    };
  // Said under a key, it is kept under that.
  const finished = call.idempotency_key === undefined ? finishedBefore(parts, call) : undefined;
  if (finished) return { made: finished };
  const given = await givenBefore(parts, call);
  if (given) return { made: given.made, event: await eventGiven(parts.app, call) };
  const once = idempotencyOf(call);
  const { answers, readers } = parts.app;
  const { result, events } = await transact(parts.app.unit, commandOf(call, once), (given) =>
    prepareAnswer(parts, call, given),
  );
  if (once && result.kind === "body" && call.operation.kept !== false) {
    const { status, body, subjects } = result;
    const { request_sha256 } = call;
    const answer = { request_sha256, status, body, payment_id: null };
    await answers.keep(once.idem_key, answer, subjects).catch((error) => {
      // What was recorded is told all the same: asked again, the answer is made of that.
      if (events.length === 0 || !isNoRoom(error)) throw error;
    });
  }
  const last = events.at(-1);
  if (last) readers.appended(call.caller.tenant, last.position);
  return { made: result, event: call.named ?? last };
}

const none = () => {
  throw new Error("a stream decides nothing");
};

function answerOf(
  call: Call,
  made: PreparedAnswer,
  headers: Record<string, string>,
  told: Pick<Sent, "payment" | "event">,
): Answer {
  const { status } = made;
  const { operation } = call;
  if (made.kind !== "stream" && made.etag !== "") headers.ETag = made.etag;
  if (operation.caching) headers["Cache-Control"] = operation.caching(call.input as never);
  if (isUnchanged(call, made)) return { kind: "unchanged", status: 304, headers };
  Object.assign(headers, told.payment && settledHeaders(told.payment));
  if (made.kind === "stream") return { kind: "stream", status, headers, chunks: made.chunks, ...told };
  if (made.kind === "file") {
    headers["Content-Type"] = mediaTypeOf(operation);
    return { kind: "file", status, headers, file: made.file, ...told };
  }
  const { output } = operation;
  Object.assign(
    headers,
    output.kind === "bytes" ? { "Content-Type": output.media_type } : formHeaders(operation, call.form),
  );
  return { kind: "body", status, headers, body: made.body, ...told };
}

/** What a call with this input costs; vintages that cannot be had are told when it is paid for. */
async function quoteFor({ app }: Parts, operation: Operation, input: Fields | undefined) {
  try {
    const held = await dataNamed(app, operation, input);
    try {
      return await priceOf(operation, { app, data: held?.data ?? app.data, caller: anonymous }, input);
    } finally {
      held?.release();
    }
  } catch (error) {
    if (error instanceof Refusal) return priceOf(operation, { app, data: app.data, caller: anonymous });
    throw error;
  }
}

/** An unpaid probe is quoted for its own input if that is valid; reading it must not cost more than a query string. */
async function validInput(
  operation: Operation,
  reader: InputReader,
  question: CallRequest,
): Promise<Fields | undefined> {
  if (!question.is_small || typeof paymentOf(operation)?.price !== "function") return undefined;
  try {
    return await question.read(reader);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
