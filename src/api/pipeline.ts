/**
 * The one path of every call, whatever carries it: admit -> parse -> handle -> check -> encode -> append -> answer.
 * HTTP and MCP hand it the same question and send the same answer in their own form.
 */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { canonicalText } from "../../eventstore/canonical.ts";
import type { Idempotency, JsonObject } from "../../eventstore/types.ts";
import type { App } from "../app.ts";
import { Refusal, refuse } from "../domain/refusal.ts";
import { type Decide, transact } from "../unit.ts";
import { actorOf, type Caller } from "./caller.ts";
import type { Gate, Presented } from "./gate.ts";
import { type Fields, type InputReader, inputReader } from "./input.ts";
import { type Context, isEnveloped, methodOf, type Operation, paymentOf, type Wire } from "./operation.ts";
import { refusalOf } from "./problem.ts";
import { type PaymentRequired, type PaymentTerms, paymentRequired, priceOf } from "./x402/required.ts";

export type Question = {
  presented: Presented;
  /** Reads the input; called once the caller is admitted, so an unpaid body is never looked at. */
  read: (reader: InputReader) => Fields | Promise<Fields>;
  /** The request's own path and query, for the payment requirement. */
  path: string;
  wire: Wire;
  idempotency_key: string | undefined;
  if_none_match: string | undefined;
  last_event_id: string | undefined;
  request_id: string;
  signal: AbortSignal;
};

export type Answer =
  | { kind: "body"; status: number; headers: Record<string, string>; body: Buffer }
  | { kind: "unchanged"; status: 304; headers: Record<string, string> }
  | {
      kind: "stream";
      status: number;
      headers: Record<string, string>;
      chunks: AsyncIterable<string | Buffer>;
    }
  | ({ kind: "pay" } & PaymentRequired)
  | { kind: "refused"; refusal: Refusal; headers: Record<string, string> };

export type PipelineParts = {
  app: App;
  gate: Gate;
  terms: PaymentTerms;
  /** Told of an answer that does not fit its own schema: logged and counted, never a 500 after work was done. */
  onMismatch: (operation: Operation, reason: string) => void;
  /** Bytes of finished answers kept in memory. */
  cache_bytes: number;
};

/** One operation made ready: its input compiled, its answers kept. */
export type Served = {
  operation: Operation;
  reader: InputReader;
  ask(question: Question): Promise<Answer>;
};

type Kept = { body: Buffer; etag: string };

export function createPipeline(parts: PipelineParts): (operation: Operation) => Served {
  const kept = new LRUCache<string, Kept>({
    maxSize: Math.max(1, parts.cache_bytes),
    sizeCalculation: ({ body }, name) => body.length + name.length + 64,
  });

  return (operation) => {
    const reader = inputReader(operation.input);
    return { operation, reader, ask: (question) => ask(parts, kept, operation, reader, question) };
  };
}

/** Refusals are answers; whatever else is thrown is a fault of ours. */
async function ask(
  parts: PipelineParts,
  kept: LRUCache<string, Kept>,
  operation: Operation,
  reader: InputReader,
  question: Question,
): Promise<Answer> {
  const headers: Record<string, string> = {};
  try {
    const admitted = await parts.gate.admit(operation, question.presented);
    if (admitted === "pay") {
      const price = priceOf(operation, await validInput(operation, reader, question));
      return { kind: "pay", ...paymentRequired(operation, price, question.path, parts.terms) };
    }
    const { caller } = admitted;
    Object.assign(headers, admitted.headers);
    if (paymentOf(operation)) headers["Cache-Control"] = "private, no-cache";
    const input = await question.read(reader);
    if (operation.output.kind === "stream") {
      return {
        kind: "stream",
        status: operation.status ?? 200,
        headers,
        chunks: await streamed(parts, operation, input, caller, question),
      };
    }

    const vintage = operation.vintage?.(parts.app);
    const name = vintage === undefined ? undefined : `${operation.name} ${vintage} ${JSON.stringify(input)}`;
    let answer = name === undefined ? undefined : kept.get(name);
    if (!answer) {
      const made = await handled(parts, operation, input, caller, question);
      answer = encode(parts, operation, made, name !== undefined);
      // The vintage may have been swapped meanwhile; then the answer is right but belongs under another name.
      if (name !== undefined && operation.vintage?.(parts.app) === vintage) kept.set(name, answer);
    }
    if (answer.etag) headers.ETag = answer.etag;
    if (answer.etag && matches(question.if_none_match, answer.etag))
      return { kind: "unchanged", status: 304, headers };
    headers["Content-Type"] = "application/json; charset=utf-8";
    return { kind: "body", status: operation.status ?? 200, headers, body: answer.body };
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    return { kind: "refused", refusal, headers };
  }
}

/** An unpaid probe is quoted for its own input if that is valid; reading it must not cost more than a query string. */
async function validInput(
  operation: Operation,
  reader: InputReader,
  question: Question,
): Promise<Fields | undefined> {
  if (methodOf(operation) !== "GET" || typeof paymentOf(operation)?.price !== "function") return undefined;
  try {
    return await question.read(reader);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

async function handled(
  parts: PipelineParts,
  operation: Operation,
  input: Fields,
  caller: Caller,
  question: Question,
): Promise<object> {
  const idempotency = idempotencyOf(operation, input, caller, question.idempotency_key);
  const meta: JsonObject = {
    actor: actorOf(caller),
    operation: operation.name,
    request_id: question.request_id,
  };
  const done = await transact(parts.app.unit, { meta, ...(idempotency && { idempotency }) }, (decide) =>
    operation.handle(context(parts, input, caller, question, decide)),
  );
  return done.result;
}

const noDecisions: Decide = () => {
  throw new Error("a stream decides nothing");
};

async function streamed(
  parts: PipelineParts,
  operation: Operation,
  input: Fields,
  caller: Caller,
  question: Question,
): Promise<AsyncIterable<string | Buffer>> {
  return (await operation.handle(context(parts, input, caller, question, noDecisions))) as AsyncIterable<
    string | Buffer
  >;
}

function context(
  parts: PipelineParts,
  input: Fields,
  caller: Caller,
  question: Question,
  decide: Decide,
): Context<never> {
  const { signal, wire, last_event_id } = question;
  return { input: input as never, caller, app: parts.app, decide, signal, wire, last_event_id };
}

function encode(parts: PipelineParts, operation: Operation, answer: object, tagged: boolean): Kept {
  if (operation.output.kind === "json") {
    const fits = operation.output.schema.safeParse(answer);
    if (!fits.success) parts.onMismatch(operation, fits.error.message);
  }
  const body = Buffer.from(JSON.stringify(isEnveloped(operation) ? { success: true, ...answer } : answer));
  // Weak, because the bytes on the wire may be compressed.
  return {
    body,
    etag: tagged ? `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"` : "",
  };
}

/** By weak comparison (RFC 9110, 13.1.2): a client or a cache between may have dropped the `W/`. */
export const matches = (header: string | undefined, etag: string) =>
  header !== undefined &&
  (header.trim() === "*" ||
    header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag.slice(2)));

/** A key is the caller's own: the same word used by two tenants names two commands. */
function idempotencyOf(
  operation: Operation,
  input: Fields,
  caller: Caller,
  given: string | undefined,
): Idempotency | undefined {
  if (given === undefined || methodOf(operation) === "GET") return undefined;
  if (!/^[\x21-\x7e]{1,128}$/.test(given)) {
    refuse("invalid", "invalid Idempotency-Key", {
      errors: [{ path: "Idempotency-Key", message: "is 1 to 128 visible ASCII characters" }],
    });
  }
  const request = canonicalText(
    { caller: caller.tenant, operation: operation.name, input: input as JsonObject },
    "request",
  );
  const request_hash = createHash("sha256").update(request).digest();
  return { idem_key: `${caller.tenant}/${given}`, request_hash };
}
