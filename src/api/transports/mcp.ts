/** One `Server` a request, over shared lists; calls use the same pipeline as HTTP. */
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  type CallToolRequestParams,
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Request, RequestHandler } from "express";
import type { JsonObject } from "../../../eventstore/types.ts";
import type { Printer } from "../../core/model/ports/printer.ts";
import { refuse } from "../../core/model/refusal.ts";
import { chosenForm, JSON_FORM } from "../declare/forms/form.ts";
import { acceptedForms, contentOf } from "../declare/forms/mcp-content.ts";
import { type NamedEvent, proofPath } from "../declare/named-event.ts";
import type { Catalogue, Operation } from "../declare/operation.ts";
import { isInPath, mediaTypeOf, methodOf, pathOf, pathWith } from "../declare/operation-facts.ts";
import type { Output, ServedFile } from "../declare/output.ts";
import { exampleOf } from "../describe/reference.ts";
import { mcpImplementation } from "../describe/service-records.ts";
import { presentedSecret } from "../serve/admission.ts";
import type { PaymentReceipt } from "../serve/mpp/challenge.ts";
import { isPaymentScheme } from "../serve/mpp/credential.ts";
import type { ServedOperation } from "../serve/pipeline.ts";
import { type ProblemAnswer, problemOfRefusal } from "../serve/problem.ts";
import type { Answer } from "../serve/respond.ts";
import type { SettleResponse } from "../serve/x402/response.ts";
import { endOf, SMALL_BODY } from "./http-request.ts";
import { instructionsOf, meantBy, toolLists } from "./mcp-tools.ts";
import { bodyBytes } from "./request-body.ts";
import { requestId } from "./request-id.ts";

export type McpParts = {
  catalogue: Catalogue;
  served: ServedOperation[];
  printer: Printer;
  public_url: string;
  origins: string[];
  problemOf: (error: unknown, path: string, request_id: string) => ProblemAnswer;
  stopping: AbortSignal;
};

/** The list depends on the address alone, and changes with a new version of the service. */
const LISTS = { ttlMs: 3_600_000, cacheScope: "public" } as const;

/** A longer stream needs HTTP. */
const STREAM_LIMIT = 256 * 1024;
const NEWLINE = 0x0a;

export function createMcp(parts: McpParts): RequestHandler {
  const areas = parts.catalogue.areas.map(({ name }) => name);
  const instructions = instructionsOf(areas);
  const byName = new Map(parts.served.map((served) => [served.operation.name, served]));
  const listed = toolLists(parts.served.map(({ operation }) => operation));

  return (req, res, next) => {
    res.locals.operation = "mcp";
    if (!originAllowed(req, parts))
      refuse("forbidden", "this Origin may not call; MCP_ORIGINS names those that may");
    const tools = listed(areas, new URL(req.url, "http://localhost").searchParams.get("areas"));
    const signal = endOf(res, parts.stopping);
    let messages = 0;
    const countMessage = () => {
      if (++messages > MOST_MESSAGES)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidRequest,
          `at most ${MOST_MESSAGES} messages come in one request; send the others by themselves`,
        );
    };
    const newServer = () => {
      const server = new Server(mcpImplementation(parts.public_url), {
        capabilities: { tools: {} },
        instructions,
        cacheHints: { "tools/list": LISTS, "server/discover": LISTS },
      });
      server.setRequestHandler("tools/list", () => {
        countMessage();
        return { tools };
      });
      server.setRequestHandler("tools/call", async ({ params }) => {
        countMessage();
        const meant = meantBy(params.name, params.arguments);
        const served = meant && byName.get(meant.name);
        if (!served) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(meant?.name));
        res.locals.operation = meant.name;
        return call(parts, served, { ...params, ...meant }, req, res.locals.request_id, signal);
      });
      return server;
    };
    const handler = { fetch: withPlainJson(newServer, createMcpHandler(newServer)) };
    withPlainBody(req)
      .then((plain) => toNodeHandler(handler, { maxRequestBodySize: MOST_BODY })(plain, res))
      .catch(next);
  };
}

const MOST_BODY = 1024 * 1024;

/** The request with its body decoded: the SDK reads bytes as they come. */
async function withPlainBody(req: Request): Promise<IncomingMessage> {
  const { "content-encoding": coding, "content-length": _, ...headers } = req.headers;
  if (coding === undefined || req.method !== "POST") return req;
  const body = await bodyBytes(req, MOST_BODY);
  const { method, url } = req;
  return Object.assign(Readable.from([body]), { method, url, headers }) as unknown as IncomingMessage;
}

/** The SDK refuses clients that accept no event stream, curl and plain JSON-RPC among them: these get one JSON body. */
function withPlainJson(newServer: () => Server, handler: McpHttpHandler): McpHttpHandler["fetch"] {
  return async (request, options) => {
    const accepted = request.headers.get("accept") ?? "*/*";
    const streams = accepted.includes("text/event-stream");
    const isPlain = !streams && /application\/(json|\*)|\*\/\*/.test(accepted);
    if (request.method !== "POST" || !isPlain || !(await isLegacyRequest(request)))
      return handler.fetch(request, options);
    const headers = new Headers(request.headers);
    headers.set("accept", "application/json, text/event-stream");
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: true,
      maxRequestBodySize: MOST_BODY,
    });
    const server = newServer();
    await server.connect(transport);
    try {
      return await transport.handleRequest(new Request(request, { headers }));
    } finally {
      await server.close();
    }
  };
}

/** Newer protocols have no batches; a batch saves nothing. */
const MOST_MESSAGES = 10;

const unknownTool = (name: string | undefined) =>
  name === undefined
    ? "operations_call takes the name of an operation, and its arguments as an object; operations_find finds names"
    : `there is no tool ${name.slice(0, 80)}; tools/list names the most used, and operations_find finds the rest`;

/** Programs send no Origin; a page needs a permitted one. */
function originAllowed(req: Request, { public_url, origins }: McpParts): boolean {
  const origin = req.get("origin");
  if (origin === undefined || origin === new URL(public_url).origin || origins.includes(origin)) return true;
  const host = URL.canParse(origin) ? new URL(origin).hostname : "";
  return ["localhost", "127.0.0.1", "[::1]"].includes(host);
}

const isText = (output: Extract<Output, { kind: "bytes" }>) => output.media_type.startsWith("text/");

async function call(
  parts: McpParts,
  served: ServedOperation,
  params: CallToolRequestParams,
  req: Request,
  request_id: string,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const path = pathOf(served.operation);
  try {
    const form = chosenForm(served.operation, acceptedForms(params._meta), '_meta["tallystick/accept"]');
    const answer = await served.ask({
      transport: "mcp",
      presented: {
        secret: presentedSecret(keyHeader(req), req.get("x-api-key")),
        payment: presentedPayment(params._meta),
        wallet_proof: presentedProof(params._meta),
        on_behalf_of: presentedPrincipal(params._meta),
        internal_token: undefined,
        is_local: false,
        ip: req.ip ?? "",
        method: methodOf(served.operation),
        path: pathWith(served.operation, params.arguments ?? {}),
      },
      read: (reader) => reader.fromObject(params.arguments ?? {}, {}),
      sent: bodyOf(served.operation, params.arguments ?? {}),
      is_small: Number(req.get("content-length") ?? Number.POSITIVE_INFINITY) <= SMALL_BODY,
      path,
      accept: served.operation.output.kind === "picture" ? acceptedForms(params._meta) : undefined,
      wire: "ndjson",
      idempotency_key: undefined,
      if_none_match: undefined,
      last_event_id: undefined,
      prefers_proof: params._meta?.["tallystick/prefer"] === "proof",
      min_log_position: presentedPosition(params._meta) ?? req.get("min-log-position"),
      request_id: requestId(request_id),
      signal,
    });
    const result = await resultOf(parts, served.operation, answer, params.arguments ?? {});
    const isJson = served.operation.output.kind === "json";
    if (answer.kind !== "body" || !isJson || form === JSON_FORM) return result;
    const content = await contentOf(parts, served.operation, form, answer.body, params.arguments ?? {});
    return { ...result, content: [content, ...result.content] };
  } catch (error) {
    return failure(parts.problemOf(error, path, requestId(request_id)).problem);
  }
}

/** Names of the MCP transport of MPP. */
const MPP_CREDENTIAL = "org.paymentauth/credential";
const MPP_REQUIRED = "org.paymentauth/payment-required";
const MPP_RECEIPT = "org.paymentauth/receipt";

function presentedPosition(meta: CallToolRequestParams["_meta"]): string | undefined {
  const position = meta?.["tallystick/min-log-position"];
  return position === undefined ? undefined : String(position);
}

/** A payment over MCP is in _meta, so a header of its scheme is not a key. */
function keyHeader(req: Request): string | undefined {
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
  { public_url }: McpParts,
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

/** The last line's cursor continues the stream. A live stream ends at its first mark: a tool has one answer. */
async function collect(chunks: AsyncIterable<string | Buffer>): Promise<object> {
  const items: Record<string, unknown>[] = [];
  let length = 0;
  let begun = Buffer.alloc(0);
  for await (const chunk of chunks) {
    // A chunk may end within a line or a character.
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

/** The text equals HTTP's body, so that a receipt's SHA-256 matches. */
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

/** x402's MCP transport sends a 402 in both forms: clients read one or the other. */
const failure = (value: object): CallToolResult => ({
  isError: true,
  structuredContent: { ...value },
  content: [{ type: "text", text: JSON.stringify(value) }],
});

/** A tool result has isError instead of `success`. */
function withoutSuccess(value: object): Record<string, unknown> {
  const { success: _, ...rest } = value as Record<string, unknown>;
  return rest;
}
