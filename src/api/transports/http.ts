import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { IncomingMessage, RequestListener } from "node:http";
import { type Span, SpanStatusCode } from "@opentelemetry/api";
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from "express";
import type { Logger } from "pino";
import type { App } from "../../core/app.ts";
import { coreProblems } from "../../core/model/problem.ts";
import { Refusal } from "../../core/model/refusal.ts";
import { begin, continued } from "../../core/tracing.ts";
import { isSameSecret } from "../declare/access/internal.ts";
import type { Fields } from "../declare/input.ts";
import type { Method, Operation } from "../declare/operation.ts";
import { effectOf, methodOf, pathOf, pathWith } from "../declare/operation-facts.ts";
import type { Document, RenderedDocument } from "../describe/document.ts";
import type { Metrics } from "../describe/metrics.ts";
import { nearestTo } from "../describe/pages/nearest.ts";
import { notFoundPage } from "../describe/pages/not-found.ts";
import { matches, refuseUnmatched } from "../serve/conditions.ts";
import type { ServedOperation } from "../serve/pipeline.ts";
import { isAway, problem, problemOfRefusal, refusalOf } from "../serve/problem.ts";
import { crossOrigin } from "./common-headers.ts";
import { encoded, statesLength } from "./content-coding.ts";
import { type Hint, hintsOf } from "./hints.ts";
import { HttpCall, isAtHome, isLocal } from "./http-request.ts";
import { sendAnswer, setCommonHeaders } from "./http-response.ts";
import { requestId } from "./request-id.ts";
import { type Entry, routeTable } from "./routes.ts";
import { answerSigner } from "./signed-answer.ts";

export type HttpParts = {
  app: App;
  served: ServedOperation[];
  documents: Document[];
  mcp: RequestHandler;
  metrics: Metrics;
  log: Logger;
  public_url: string;
  trust_proxy: boolean | number;
  metrics_token: string | undefined;
  /**
   * The request ids of calls that this process makes to itself, each used once. Such calls are logged at the level
   * debug.
   */
  own_calls: Set<string>;
  stopping: AbortSignal;
};

export function createHttp(parts: HttpParts): RequestListener {
  const http = express();
  http
    .disable("x-powered-by")
    .disable("etag")
    .set("query parser", false)
    .set("trust proxy", parts.trust_proxy);
  // Every running call adds a listener to this signal, so Node's warning would be wrong.
  setMaxListeners(0, parts.stopping);
  const observed = observe(parts);
  const hint = hintsOf(parts.served.map(({ operation }) => operation));
  const serve = served(parts, hint);
  // One layer for everything, because each layer costs every call some microseconds.
  http.use((req, res, next) => {
    const run = observed(req, res);
    return run(() => {
      if (req.method === "OPTIONS") return crossOrigin(req, setCommonHeaders(res), next);
      encoded(req, res);
      return serve(req, res, next);
    });
  });
  http.use((_req, res, next) => {
    setCommonHeaders(res);
    next();
  });
  http.get("/metrics", metricsRoute(parts));
  http.all("/mcp", parts.mcp);
  http.use((req) => {
    const remedy = hint(req.method, req.path) ?? ALL_PATHS;
    throw new Refusal("not_found", `there is nothing at ${req.path}; ${remedy}`);
  });
  http.use(failed(parts));
  return (req, res) => {
    req.url = originForm(req);
    http(req, res);
  };
}

/** The path and query. A client may send an absolute URL (RFC 9112, 3.2.2); its host is ignored. */
const originForm = ({ url = "/" }: IncomingMessage): string => {
  const rest = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  return rest.startsWith("/") ? rest : `/${rest}`;
};

type Handler = (req: Request, res: Response, params: Fields) => Promise<void> | void;

function served(parts: HttpParts, hint: Hint): RequestHandler {
  const entryOf = (document: Document): Entry<Handler> => ({
    method: "GET",
    path: document.path,
    target: documentHandler(parts, document),
  });
  const documents = parts.documents.filter((document) => !document.for_browsers);
  const pages = parts.documents.filter((document) => document.for_browsers);
  const routes = routeTable([
    ...parts.served.flatMap((one) => entriesOf(parts, one)),
    ...documents.map(entryOf),
  ]);
  const pageRoutes = routeTable(pages.map(entryOf));
  return (req, res, next) => {
    const { method, path } = req;
    const found = routes(method, path) ?? (asksForPages(req) ? pageRoutes(method, path) : undefined);
    if (!found) return next();
    if ("allowed" in found) return sendAnswer(res, otherMethod(parts, req, found.allowed, hint));
    return found.target(req, res, found.params);
  };
}

function entriesOf(parts: HttpParts, one: ServedOperation): Entry<Handler>[] {
  const { operation } = one;
  const target = operationHandler(parts, one);
  return [
    ...[pathOf(operation), ...operation.aliases].map((path) => ({
      method: methodOf(operation),
      path,
      target,
    })),
    ...operation.redirects.map((route) => ({
      method: methodOf({ route }),
      path: pathOf({ route }),
      target: redirectTo(operation),
    })),
  ];
}

function otherMethod(
  parts: HttpParts,
  { method, path }: Request,
  allowed: Method[],
  hint: Hint,
  with_get = ["HEAD"],
) {
  const allow = [...allowed, ...(allowed.includes("GET") ? with_get : []), "OPTIONS"].join(", ");
  const remedy = hint(method, path);
  const detail = `${method} is not one of ${allow}${remedy ? `; ${remedy}` : ""}`;
  const headers = { Allow: allow };
  const methodProblem = problem(coreProblems["method-not-allowed"], detail, place(parts, path), { headers });
  return { kind: "problem" as const, ...methodProblem };
}

/** Redirects to an operation's current route. The parameters are decoded already. */
function redirectTo(operation: Operation): Handler {
  return (req, res, params) => {
    res.locals.operation = operation.name;
    setCommonHeaders(res);
    const query = /\?.*$/s.exec(req.originalUrl)?.[0] ?? "";
    res.redirect(301, pathWith(operation, params) + query);
  };
}

const place = (parts: { public_url: string }, instance: string) => ({
  public_url: parts.public_url,
  instance,
});

function operationHandler(parts: HttpParts, { operation, ask }: ServedOperation): Handler {
  const method = methodOf(operation);
  return async (req, res, params) => {
    res.locals.operation = operation.name;
    // HEAD is refused for operations with an effect, because it must have none.
    if (req.method === "HEAD" && effectOf(operation).changes !== "nothing")
      return sendAnswer(
        res,
        otherMethod(parts, req, [method], () => undefined, []),
      );
    const question = new HttpCall(req, res, { params, stopping: parts.stopping });
    const sign = answerSigner(parts.app, req);
    const answer = await ask(question);
    if (answer.kind === "refused") {
      const methodProblem = problemOfRefusal(answer.refusal, place(parts, req.path));
      const headers = { ...methodProblem.headers, ...answer.headers };
      return sendAnswer(res, { kind: "problem", ...methodProblem, headers }, question, sign);
    }
    await sendAnswer(res, answer, question, sign);
  };
}

/** Browsers request pages by Accept. A program's mistake must stay an error. */
const asksForPages = ({ headers }: IncomingMessage) => headers.accept?.includes("text/html") === true;

function documentHandler(parts: HttpParts, document: Document): Handler {
  return async (req, res, params) => {
    res.locals.operation = document.path;
    setCommonHeaders(res);
    const visit = { params, accept: req.headers.accept, is_at_home: isAtHome(req) };
    sendDocument(req, res, document, await document.render(parts.app, visit));
  };
}

function sendDocument(
  req: Request,
  res: Response,
  document: Pick<Document, "type">,
  { status, headers, type, body }: RenderedDocument,
): void {
  // Weak, because a compressor may change the bytes on the wire.
  const etag = `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  res.status(status ?? 200).set({ ETag: etag, "Cache-Control": "no-cache", ...headers });
  res.vary("Accept-Encoding");
  if (res.statusCode === 200) refuseUnmatched(req.headers["if-match"]);
  // Compared here: with `Cache-Control: no-cache`, express would ignore the ETag and send the whole answer.
  if (res.statusCode === 200 && matches(req.headers["if-none-match"], etag))
    return void res.status(304).end();
  res.type(type ?? document.type);
  const bytes = {
    length: body.length,
    type: res.get("Content-Type"),
    cache_control: res.get("Cache-Control"),
  };
  if (!statesLength(req, bytes)) return void res.end();
  res.send(body);
}

function metricsRoute({ metrics, metrics_token }: HttpParts): RequestHandler {
  return async (req, res) => {
    const { authorization } = req.headers;
    const isAllowed = metrics_token
      ? authorization !== undefined && isSameSecret(authorization, `Bearer ${metrics_token}`)
      : isLocal(req);
    if (!isAllowed) throw new Refusal("not_found", "there is nothing at /metrics");
    res.type(metrics.contentType).send(await metrics.print());
  };
}

/** Adds request id, trace, one log line and one measurement. Headers are never logged. */
function observe({ log, metrics, trust_proxy, own_calls }: HttpParts) {
  let warned = false;
  return (req: Request, res: Response) => {
    const began = performance.now();
    const { method, path, headers } = req;
    const request_id = requestId(headers["x-request-id"]);
    const { span, run } = begin(method, {
      kind: "SERVER",
      within: continued(headers.traceparent as string | undefined, headers.tracestate as string | undefined),
      attributes: { "http.request.method": method, "url.path": path, "tallystick.request_id": request_id },
    });
    res.locals.request_id = request_id;
    if (!trust_proxy && !warned && headers["x-forwarded-for"] !== undefined) {
      warned = true;
      log.warn(
        "X-Forwarded-For arrived but TRUST_PROXY is off: callers are distinguished by the proxy's address",
      );
    }
    res.once("close", () => {
      const seconds = (performance.now() - began) / 1e3;
      const operation = (res.locals.operation as string | undefined) ?? "none";
      metrics.answered(operation, res.statusCode, seconds);
      const level = own_calls.delete(request_id) ? "debug" : "info";
      run(() =>
        log[level]({
          request_id,
          method,
          path,
          operation,
          status: res.statusCode,
          ms: Math.round(seconds * 1e5) / 100,
          ...(res.writableFinished ? {} : { cut_off: true }),
        }),
      );
      answered(span, { method, operation, status: res.statusCode });
    });
    return run;
  };
}

function answered(
  span: Span,
  { method, operation, status }: Record<"method" | "operation", string> & { status: number },
) {
  span.updateName(`${method} ${operation}`);
  span.setAttributes({ "tallystick.operation": operation, "http.response.status_code": status });
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Sends refusals. Other errors are logged, and their text is not sent. A stream that has begun is cut. */
function failed(parts: HttpParts): ErrorRequestHandler {
  const operations = parts.served.map(({ operation }) => operation);
  return (error, req, res, _next) => {
    // The caller left, which is not a fault of the service.
    if (req.socket.destroyed && isAborted(error)) return void res.destroy();
    if (res.headersSent) {
      const reason = String(error);
      parts.log.warn(
        { reason, request_id: res.locals.request_id },
        "an answer was cut off while it was sent",
      );
      res.destroy();
      return;
    }
    const methodProblem = problemOfError(error, parts, req.path);
    if (methodProblem.status === 500)
      parts.log.error({ err: error, request_id: res.locals.request_id }, "a call failed");
    else if (isAway(error))
      parts.log.warn({ reason: String(error), request_id: res.locals.request_id }, "a part is unavailable");
    if (methodProblem.status === 404) res.vary("Accept");
    if (methodProblem.status === 404 && asksForPages(req))
      return nearestTo(req.path, operations).then(
        (nearest) => {
          const detail = methodProblem.problem.detail.replace(`; ${ALL_PATHS}`, "");
          return sendDocument(req, res, PAGE, notFoundPage(detail, nearest, parts.app.embedded_chain));
        },
        () => sendAnswer(res, { kind: "problem", ...methodProblem }),
      );
    sendAnswer(res, { kind: "problem", ...methodProblem });
  };
}

const ALL_PATHS = "/openapi.json lists all paths";

const PAGE = { type: "text/html" } as const;

const ABORTED = ["ECONNABORTED", "ECONNRESET", "ABORT_ERR", "ERR_STREAM_PREMATURE_CLOSE"];

const isAborted = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === "AbortError" || ABORTED.includes((error as { code?: string }).code ?? ""));

export function problemOfError(error: unknown, parts: { public_url: string }, path: string) {
  const refusal = refusalOf(error) ?? refusalOfExpress(error);
  if (refusal) return problemOfRefusal(refusal, place(parts, path));
  return problem(
    coreProblems.internal,
    "something failed on our side; the request id names it in our log",
    place(parts, path),
  );
}

/** Express itself refuses a path that cannot be decoded. */
function refusalOfExpress(error: unknown): Refusal | undefined {
  if (error instanceof URIError) return new Refusal("invalid", "the path is not valid percent-encoded UTF-8");
  const status = (error as { status?: unknown }).status;
  return status === 400 ? new Refusal("invalid", "the request could not be read") : undefined;
}
