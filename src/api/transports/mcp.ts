/** MCP over streamable HTTP. Each request has its own `Server`; all servers share their lists. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  isInitializeRequest,
  isJsonContentType,
  isLegacyRequest,
  type McpHttpHandler,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Request as HttpRequest, Response as HttpResponse, RequestHandler } from "express";
import { parseStrictBytes } from "../../../eventstore/canonical.ts";
import { coreProblems } from "../../core/model/problem.ts";
import { Refusal, refuse } from "../../core/model/refusal.ts";
import type { Catalogue } from "../declare/operation.ts";
import { presentedSecret } from "../serve/admission.ts";
import type { ServedOperation } from "../serve/pipeline.ts";
import { problemOfRefusal } from "../serve/problem.ts";
import { endOf } from "./http-request.ts";
import { type CallParts, keyHeader } from "./mcp-call.ts";
import { serverFactory, showsViews } from "./mcp-server.ts";
import { instructionsOf, toolLists } from "./mcp-tools.ts";
import { bodyBytes } from "./request-body.ts";

export type McpParts = CallParts & {
  catalogue: Catalogue;
  served: ServedOperation[];
  origins: string[];
  stopping: AbortSignal;
};

export function createMcp(parts: McpParts): RequestHandler {
  const areas = parts.catalogue.areas.map(({ name }) => name);
  const byName = new Map(parts.served.map((served) => [served.operation.name, served]));
  const makeServer = serverFactory(parts, byName, instructionsOf(areas));
  const listed = toolLists(
    parts.served.map(({ operation }) => operation),
    parts.public_url,
  );

  const handle = async (req: HttpRequest, res: HttpResponse) => {
    if (!originAllowed(req, parts))
      refuse("forbidden", "this Origin may not call; MCP_ORIGINS names those that may");
    const wanted = new URL(req.url, "http://localhost").searchParams.get("areas");
    const tools = listed(areas, wanted);
    const newServer = () =>
      makeServer({
        tools,
        origin: { req, request_id: res.locals.request_id, signal: endOf(res, parts.stopping) },
        has_apps_session: req.get(SESSION)?.startsWith(APPS_SESSION) === true,
        is_keyed: presentedSecret(keyHeader(req), req.get("x-api-key")) !== undefined,
        onOperation: (name) => {
          res.locals.operation = name;
        },
      });
    if (req.method !== "POST") {
      res.set("Allow", "POST");
      throw new Refusal(
        coreProblems["method-not-allowed"],
        `${req.method} is not one of POST, OPTIONS: send each message of MCP by POST; /docs/mcp shows how`,
      );
    }
    const fetch = withAppsSession(withPlainJson(newServer, createMcpHandler(newServer)));
    const handler = { fetch: withoutConnection(fetch) };
    const plain = await withPlainBody(req, res);
    if (plain) await toNodeHandler(handler, { maxRequestBodySize: MOST_BODY })(plain, res);
  };
  return (req, res, next) => {
    res.locals.operation = "mcp";
    handle(req, res).catch((error: unknown) => {
      const refusal = error instanceof Refusal && !res.headersSent ? error : undefined;
      if (refusal) sendRefusal(res, refusal, parts.public_url);
      else next(error);
    });
  };
}

/** Answers in JSON-RPC before a message is read, so without its id; the code is that of the SDK's own refusals. */
function sendRefusal(res: HttpResponse, refusal: Refusal, public_url: string): void {
  const { status, headers, problem } = problemOfRefusal(refusal, { public_url, instance: "/mcp" });
  const { type, detail: message } = problem;
  const error = { code: REQUEST_REFUSED, message, data: { type, status } };
  res.status(status).set(headers).json({ jsonrpc: "2.0", error, id: null });
}

const MOST_BODY = 1024 * 1024;

const PARSE_ERROR = -32_700;
const REQUEST_REFUSED = -32_000;

/**
 * The request with its body decoded; undefined where the body was refused. The SDK reads bytes as they come, replaces
 * those that are not UTF-8, takes the last of equal keys, and does not say where JSON ends.
 */
async function withPlainBody(req: HttpRequest, res: HttpResponse): Promise<IncomingMessage | undefined> {
  if (req.method !== "POST") return req;
  const body = await bodyBytes(req, MOST_BODY);
  const { method, url } = req;
  const { "content-encoding": _, "content-length": __, ...headers } = req.headers;
  if (isJsonContentType(headers["content-type"] ?? null)) {
    try {
      parseStrictBytes(body);
    } catch (error) {
      const message = `The message is not JSON that the service accepts: ${(error as Error).message}`;
      res.status(400).json({ jsonrpc: "2.0", error: { code: PARSE_ERROR, message }, id: null });
      return undefined;
    }
  }
  return Object.assign(Readable.from([body]), { method, url, headers }) as unknown as IncomingMessage;
}

/** The SDK refuses clients that do not accept an event stream, such as curl. These clients get one JSON body. */
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

/** The SDK keeps the connection of a stream open, even if its caller wants it closed. */
function withoutConnection(fetch: McpHttpHandler["fetch"]): McpHttpHandler["fetch"] {
  return async (request, options) => {
    const response = await fetch(request, options);
    response.headers.delete("Connection");
    return response;
  };
}

const SESSION = "mcp-session-id";
const APPS_SESSION = "apps-";
const REVISION = "mcp-protocol-version";

/**
 * In the revisions of 2025, a client declares its capabilities only in `initialize`. So the session's id records for
 * later requests that the client has Apps.
 */
function withAppsSession(fetch: McpHttpHandler["fetch"]): McpHttpHandler["fetch"] {
  return async (request, options) => {
    // Later requests name their session or their revision, so this is the first one.
    const isFirst =
      request.method === "POST" && ![SESSION, REVISION].some((name) => request.headers.has(name));
    if (!isFirst) return fetch(request, options);
    const [hasApps, response] = await Promise.all([beginsWithApps(request.clone()), fetch(request, options)]);
    if (hasApps && response.ok) response.headers.set(SESSION, APPS_SESSION + randomUUID());
    return response;
  };
}

async function beginsWithApps(request: Request): Promise<boolean> {
  const message = (await request.json().catch(() => undefined)) as unknown;
  return isInitializeRequest(message) && showsViews(message.params.capabilities);
}

/** False if a page of a forbidden origin sent the request. Programs send no Origin. */
function originAllowed(req: HttpRequest, { public_url, origins }: McpParts): boolean {
  const origin = req.get("origin");
  if (origin === undefined || origin === new URL(public_url).origin || origins.includes(origin)) return true;
  const host = URL.canParse(origin) ? new URL(origin).hostname : "";
  return ["localhost", "127.0.0.1", "[::1]"].includes(host);
}
