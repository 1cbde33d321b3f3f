/** Runs a tool's call through the same pipeline as HTTP, and builds the tool's result. */
import type { CallToolRequestParams, CallToolResult } from "@modelcontextprotocol/server";
import type { Request } from "express";
import type { JsonObject } from "../../../eventstore/types.ts";
import type { Printer } from "../../core/model/ports/printer.ts";
import { Refusal } from "../../core/model/refusal.ts";
import { chosenForm, JSON_FORM } from "../declare/forms/form.ts";
import { acceptedForms, contentOf } from "../declare/forms/mcp-content.ts";
import type { SourcedAnswer } from "../declare/forms/table.ts";
import { type NamedEvent, prefers, proofPath } from "../declare/named-event.ts";
import type { Operation } from "../declare/operation.ts";
import { isInPath, mediaTypeOf, methodOf, pathOf, pathWith } from "../declare/operation-facts.ts";
import type { Output, ServedFile } from "../declare/output.ts";
import { exampleOf } from "../describe/reference.ts";
import { drawnFor } from "../describe/views.ts";
import { presentedSecret } from "../serve/admission.ts";
import type { PaymentReceipt } from "../serve/mpp/challenge.ts";
import { isPaymentScheme } from "../serve/mpp/credential.ts";
import type { ServedOperation } from "../serve/pipeline.ts";
import { type ProblemAnswer, problemOfRefusal } from "../serve/problem.ts";
import type { Answer } from "../serve/respond.ts";
import type { SettleResponse } from "../serve/x402/response.ts";
import { SMALL_BODY } from "./http-request.ts";
import { linksOf } from "./mcp-links.ts";
import { requestId } from "./request-id.ts";

export type CallParts = {
  printer: Printer;
  public_url: string;
  problemOf: (error: unknown, path: string, request_id: string) => ProblemAnswer;
  /** True if the digest names a vintage that is still stored. */
  isVintage: (digest: string) => boolean;
};

/** Where a call comes from. */
export type CallOrigin = { req: Request; request_id: string; signal: AbortSignal };

/** The most bytes of a stream in a tool's result. A longer stream needs HTTP. */
const STREAM_LIMIT = 256 * 1024;
const NEWLINE = 0x0a;

const isText = (output: Extract<Output, { kind: "bytes" }>) => output.media_type.startsWith("text/");

/** The answer of an operation, as a caller of HTTP would get it. */
export function answerOf(
  served: ServedOperation,
  { arguments: given = {}, _meta }: Pick<CallToolRequestParams, "arguments" | "_meta">,
  { req, request_id, signal }: CallOrigin,
): Promise<Answer> {
  const { operation } = served;
  return served.ask({
    transport: "mcp",
    presented: {
      secret: presentedSecret(keyHeader(req), req.get("x-api-key")),
      payment: presentedPayment(_meta),
      wallet_proof: presentedProof(_meta),
      on_behalf_of: presentedPrincipal(_meta),
      internal_token: undefined,
      is_local: false,
      ip: req.ip ?? "",
      method: methodOf(operation),
      path: pathWith(operation, given),
    },
    read: (reader) => reader.fromObject(given, {}),
    sent: bodyOf(operation, given),
    is_small: Number(req.get("content-length") ?? Number.POSITIVE_INFINITY) <= SMALL_BODY,
    path: pathOf(operation),
    accept: operation.output.kind === "picture" ? acceptedForms(_meta) : undefined,
    wire: "ndjson",
    idempotency_key: undefined,
    if_match: undefined,
    if_none_match: undefined,
    last_event_id: undefined,
    prefers_proof: prefers(preferenceOf(_meta), "proof"),
    min_log_position: presentedPosition(_meta) ?? req.get("min-log-position"),
    request_id: requestId(request_id),
    signal,
  });
}

export async function callTool(
  parts: CallParts,
  served: ServedOperation,
  params: CallToolRequestParams,
  origin: CallOrigin,
  showsViews: boolean,
): Promise<CallToolResult> {
  const { operation } = served;
  const given = params.arguments ?? {};
  try {
    const form = chosenForm(operation, acceptedForms(params._meta), '_meta["tallystick/accept"]');
    const answer = await answerOf(served, params, origin);
    const result = await resultOf(parts, operation, answer, given);
    const isLinked = showsViews || prefers(preferenceOf(params._meta), "links");
    const links = isLinked ? linksOf(parts, result, params._meta) : [];
    const linked = { ...result, content: [...result.content, ...links] };
    if (answer.kind !== "body" || operation.output.kind !== "json") return linked;
    const view = showsViews ? await viewMeta(parts, operation, answer.body) : undefined;
    const shown = view ? { ...linked, _meta: { ...result._meta, "tallystick/view": view } } : linked;
    if (form === JSON_FORM) return shown;
    const drawn = await contentOf(parts, operation, form, answer.body, given);
    return { ...shown, content: [drawn, ...shown.content] };
  } catch (error) {
    return failure(parts.problemOf(error, pathOf(operation), requestId(origin.request_id)).problem);
  }
}

/** If the drawing fails, the caller still gets the answer. */
async function viewMeta({ printer }: CallParts, operation: Operation, body: Buffer) {
  try {
    return await drawnFor(operation, JSON.parse(body.toString()) as SourcedAnswer, printer);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** The requested preferences, in the form of HTTP's Prefer header: `proof`, `links` or both. */
const preferenceOf = (meta: CallToolRequestParams["_meta"]): string => {
  const preference: unknown = meta?.["tallystick/prefer"];
  return typeof preference === "string" ? preference : "";
};

/** The member names of MPP's transport for MCP. */
const MPP_CREDENTIAL = "org.paymentauth/credential";
const MPP_REQUIRED = "org.paymentauth/payment-required";
const MPP_RECEIPT = "org.paymentauth/receipt";

function presentedPosition(meta: CallToolRequestParams["_meta"]): string | undefined {
  const position = meta?.["tallystick/min-log-position"];
  return position === undefined ? undefined : String(position);
}

/**
 * The key in the Authorization header. Payments over MCP are in _meta, so a header of the Payment scheme is not a
 * key.
 */
export function keyHeader(req: Request): string | undefined {
  const authorization = req.get("authorization");
  return isPaymentScheme(authorization) ? undefined : authorization;
}

function presentedPayment(meta: CallToolRequestParams["_meta"]): string | object | undefined {
  const payment: unknown = meta?.["x402/payment"] ?? meta?.[MPP_CREDENTIAL];
  if (payment === undefined || payment === null) return undefined;
  return typeof payment === "object" ? payment : String(payment);
}

function presentedProof(meta: CallToolRequestParams["_meta"]): string | undefined {
  const proof: unknown = meta?.["sign-in-with-x"];
  if (proof === undefined || proof === null) return undefined;
  return typeof proof === "object" ? Buffer.from(JSON.stringify(proof)).toString("base64") : String(proof);
}

function presentedPrincipal(meta: CallToolRequestParams["_meta"]): string | undefined {
  const principal: unknown = meta?.["tallystick/on-behalf-of"];
  return principal === undefined || principal === null ? undefined : String(principal);
}

const bodyOf = (operation: Operation, given: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !isInPath(operation, name))) as JsonObject;

async function resultOf(
  { public_url }: CallParts,
  operation: Operation,
  answer: Answer,
  input: Record<string, unknown>,
): Promise<CallToolResult> {
  switch (answer.kind) {
    case "body": {
      const resultInfo = resultMeta(public_url, answer);
      if (operation.output.kind === "picture") return { ...pictureResult(answer), ...resultInfo };
      if (operation.output.kind !== "bytes") return { ...jsonResult(answer.body.toString()), ...resultInfo };
      const uri = public_url + pathWith(operation, input);
      return { ...bytesResult(operation.output, answer.body, uri), ...resultInfo };
    }
    case "file":
      return { ...fileResult(operation, answer.file, public_url, input), ...resultMeta(public_url, answer) };
    case "stream":
      return {
        ...jsonResult(JSON.stringify(await collect(answer.chunks))),
        ...resultMeta(public_url, answer),
      };
    case "pay":
      return {
        ...failure({ ...answer.v2, detail: answer.body.detail }),
        ...(answer.challenge && {
          _meta: { [MPP_REQUIRED]: { httpStatus: answer.status, challenges: [answer.challenge] } },
        }),
      };
    case "refused":
      return {
        ...failure(problemOfRefusal(answer.refusal, { public_url, instance: pathOf(operation) }).problem),
        ...resultMeta(public_url, answer),
      };
    case "unchanged":
      throw new Error("MCP sends no If-None-Match");
  }
}

/**
 * Collects a stream into one answer; the cursor in its last line continues it. A live stream ends at its first mark,
 * because a tool has one answer.
 */
async function collect(chunks: AsyncIterable<string | Buffer>): Promise<object> {
  const items: Record<string, unknown>[] = [];
  let length = 0;
  let begun = Buffer.alloc(0);
  for await (const chunk of chunks) {
    // A chunk may end within a line or within a character.
    const bytes = Buffer.concat([begun, Buffer.from(chunk)]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    begun = bytes.subarray(end);
    for (const line of bytes.subarray(0, end).toString().split("\n").slice(0, -1)) {
      const object = JSON.parse(line) as Record<string, unknown>;
      if ("up_to_date" in object) return { items, last: object };
      items.push(object);
    }
    length += chunk.length;
    if (length > STREAM_LIMIT) break;
  }
  return { items, last: null };
}

/** The text is the same as HTTP's body, so that the SHA-256 in a receipt matches. */
const jsonResult = (body: string): CallToolResult => ({
  structuredContent: withoutSuccess(JSON.parse(body)),
  content: [{ type: "text", text: body }],
});

function bytesResult(output: Extract<Output, { kind: "bytes" }>, body: Buffer, uri: string): CallToolResult {
  if (isText(output)) {
    const text = body.toString();
    return { structuredContent: { text }, content: [{ type: "text", text }] };
  }
  const base64 = body.toString("base64");
  const resource = { uri, mimeType: output.media_type, blob: base64 };
  return { structuredContent: { base64 }, content: [{ type: "resource", resource }] };
}

function pictureResult({ body, headers }: Extract<Answer, { kind: "body" }>): CallToolResult {
  const mimeType = headers["Content-Type"]!.split(";", 1)[0]!;
  return {
    structuredContent: { media_type: mimeType, bytes: body.length },
    content: [{ type: "image", data: body.toString("base64"), mimeType }],
  };
}

function fileResult(
  operation: Operation,
  { name, bytes, sha256 }: ServedFile,
  public_url: string,
  input: Record<string, unknown>,
): CallToolResult {
  const uri = public_url + exampleOf({ ...operation, example: input }).slice("GET ".length);
  const mimeType = mediaTypeOf(operation);
  return {
    structuredContent: { uri, media_type: mimeType, bytes, sha256 },
    content: [{ type: "resource_link", uri, name, mimeType, size: bytes }],
  };
}

function resultMeta(
  public_url: string,
  {
    payment,
    receipt,
    event,
  }: { payment?: SettleResponse; receipt?: PaymentReceipt; event?: NamedEvent | undefined },
): Pick<CallToolResult, "_meta"> {
  if (!payment && !event) return {};
  const { event_id, log_position, proof } = event ?? {};
  return {
    _meta: {
      ...(payment && { "x402/payment-response": payment }),
      ...(receipt && { [MPP_RECEIPT]: receipt }),
      ...(event_id && {
        "tallystick/event": { event_id, proof_url: public_url + proofPath(event_id), log_position },
      }),
      ...(proof && { "tallystick/proof": proof }),
    },
  };
}

/** A 402 in the two forms of x402's MCP transport, because clients read one or the other. */
const failure = (value: object): CallToolResult => ({
  isError: true,
  structuredContent: { ...value },
  content: [{ type: "text", text: JSON.stringify(value) }],
});

/** Removes `success`, which isError replaces in a tool's result. */
function withoutSuccess(value: object): Record<string, unknown> {
  const { success: _, ...rest } = value as Record<string, unknown>;
  return rest;
}
