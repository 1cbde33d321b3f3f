import type { Prover } from "../../anchoring/prove.ts";
import type { App } from "../../core/app.ts";
import type { EventName, Refusal } from "../../core/model/refusal.ts";
import { type Admission, challengeOf, paymentOf } from "../declare/access/way.ts";
import { formHeaders, formsOf } from "../declare/forms/form.ts";
import { type NamedEvent, namedEvent } from "../declare/named-event.ts";
import type { Operation } from "../declare/operation.ts";
import { isCommand, mediaTypeOf } from "../declare/operation-facts.ts";
import type { ServedFile } from "../declare/output.ts";
import { isUnchanged, type PreparedAnswer } from "./answer.ts";
import type { Call } from "./call.ts";
import { type PaymentReceipt, receiptHeader } from "./mpp/challenge.ts";
import type { CallRequest } from "./read-call.ts";
import { unencodedDigest } from "./unencoded-digest.ts";
import type { PaymentRequired } from "./x402/required.ts";
import { type SettleResponse, settledHeaders } from "./x402/response.ts";

type Headers = Record<string, string>;

type SentAnswer = {
  status: number;
  headers: Headers;
  payment?: SettleResponse;
  /** Set only for a payment by the `Payment` scheme. */
  receipt?: PaymentReceipt;
  event?: NamedEvent | undefined;
};

export type Answer =
  | ({ kind: "body"; body: Buffer } & SentAnswer)
  | ({ kind: "file"; file: ServedFile } & SentAnswer)
  | ({ kind: "stream"; chunks: AsyncIterable<string | Buffer> } & SentAnswer)
  | { kind: "unchanged"; status: 304; headers: Headers }
  | ({ kind: "pay" } & PaymentRequired)
  | { kind: "refused"; refusal: Refusal; headers: Headers; event?: NamedEvent | undefined };

export type ServedAnswer = {
  made: PreparedAnswer;
  event?: EventName | undefined;
  settlement?: SettleResponse;
  receipt?: PaymentReceipt;
  sha256?: string | null;
};

type Parts = { app: App; prover: Prover };

export async function respond(
  parts: Parts,
  call: Call,
  admitted: Admission,
  request: CallRequest,
  { made, event, settlement, receipt, sha256 }: ServedAnswer,
): Promise<Answer> {
  const { operation, input, form } = call;
  const { status } = made;
  if (event) parts.app.readers.appended(call.caller.tenant, event.position);
  const named = await namedEvent(parts, event, request);
  const headers: Headers = {
    ...headersOf(operation, admitted),
    ...(sha256 && { "Unencoded-Digest": unencodedDigest(sha256) }),
    ...named?.headers,
    ...(made.kind !== "stream" && made.etag !== "" && { ETag: made.etag }),
    ...(operation.caching && { "Cache-Control": operation.caching(input as never) }),
  };
  if (isUnchanged(call, made)) return { kind: "unchanged", status: 304, headers };
  if (settlement) Object.assign(headers, settledHeaders(settlement));
  if (receipt) Object.assign(headers, receiptHeader(receipt));
  const sent = {
    status,
    headers,
    event: named?.event,
    ...(settlement && { payment: settlement }),
    ...(receipt && { receipt }),
  };
  if (made.kind === "stream") return { kind: "stream", ...sent, chunks: made.chunks };
  const { output } = operation;
  const typed =
    output.kind === "file" || output.kind === "bytes"
      ? { "Content-Type": mediaTypeOf(operation) }
      : formHeaders(operation, form);
  const typedHeaders = { ...headers, ...typed };
  return made.kind === "file"
    ? { kind: "file", ...sent, headers: typedHeaders, file: made.file }
    : { kind: "body", ...sent, headers: typedHeaders, body: made.body };
}

export async function refused(
  parts: Parts,
  operation: Operation,
  admitted: Admission | undefined,
  request: CallRequest,
  refusal: Refusal,
): Promise<Answer> {
  const named = await namedEvent(parts, refusal.event, request);
  const headers: Headers = {
    ...headersOf(operation, admitted),
    ...(refusal.code === "unauthorized" && { "WWW-Authenticate": challengeOf(operation) }),
    ...named?.headers,
  };
  return { kind: "refused", refusal, headers, event: named?.event };
}

function headersOf(operation: Operation, admitted: Admission | undefined): Headers {
  const cached = paymentOf(operation) ? "private, no-cache" : isCommand(operation) ? "no-store" : undefined;
  return {
    ...(formsOf(operation).length > 1 && { Vary: "Accept" }),
    ...admitted?.headers,
    ...(admitted && cached && { "Cache-Control": cached }),
  };
}
