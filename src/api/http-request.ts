import type { Request, Response } from "express";
import rawBody, { type RawBodyError } from "raw-body";
import { parseStrict } from "../../eventstore/canonical.ts";
import type { JsonObject, JsonValue } from "../../eventstore/types.ts";
import { coreProblems } from "../domain/problem.ts";
import { Refusal, refuse } from "../domain/refusal.ts";
import { presentedSecret } from "./access/admission.ts";
import type { Fields } from "./input.ts";
import { prefersProof } from "./named-event.ts";
import type { Wire } from "./operation.ts";
import type { CallRequest } from "./pipeline.ts";

/** Bytes of a JSON body; operations that take more say so themselves. */
const BODY_LIMIT = 256 * 1024;

/** Bytes of a body that is looked at for nothing: as many as Node takes of all headers, the query string among them. */
const SMALL_BODY = 16 * 1024;

/** What an HTTP request asks, in the pipeline's words. What few calls need is worked out when it is asked for. */
export function callRequestOf(
  req: Request,
  res: Response,
  { params, stopping }: { params: Fields; stopping: AbortSignal },
): CallRequest {
  const { headers } = req;
  const hasBody = req.method !== "GET" && req.method !== "HEAD" && req.method !== "DELETE";
  let sent: JsonObject = {};
  return {
    presented: {
      secret: presentedSecret(headers.authorization, text(headers["x-api-key"])),
      // HEAD has no answer that could be paid for.
      payment:
        req.method === "HEAD"
          ? undefined
          : presentedPayment(text(headers["payment-signature"]), text(headers["x-payment"])),
      wallet_proof: text(headers["sign-in-with-x"]),
      on_behalf_of: text(headers["on-behalf-of"]),
      internal_token: text(headers["x-internal-token"]),
      get is_local() {
        return isLocal(req);
      },
      // What is asked by HEAD is what GET answers.
      method: req.method === "HEAD" ? "GET" : req.method,
      get path() {
        return withoutQuery(req.originalUrl);
      },
      get ip() {
        return req.ip ?? "";
      },
    },
    read: async (reader, most_bytes = BODY_LIMIT) => {
      const query = new URLSearchParams(/\?(.*)$/s.exec(req.url)?.[1] ?? "");
      if (!hasBody) return reader.fromQuery(query, params);
      if (query.size > 0)
        refuse("invalid", "this takes its input in the body; the query string must be empty");
      const body = await readBody(req, most_bytes);
      const fields = reader.fromObject(body, params);
      sent = body as JsonObject;
      return fields;
    },
    get sent() {
      return sent;
    },
    get is_small() {
      // A body without a length may have no end.
      return !hasBody || Number(headers["content-length"] ?? Number.POSITIVE_INFINITY) <= SMALL_BODY;
    },
    path: req.originalUrl,
    accept: headers.accept,
    get wire() {
      return wireOf(req);
    },
    idempotency_key: text(headers["idempotency-key"]),
    if_none_match: headers["if-none-match"],
    last_event_id: text(headers["last-event-id"]),
    get prefers_proof() {
      return prefersProof(text(headers.prefer));
    },
    min_log_position: text(headers["min-log-position"]),
    request_id: res.locals.request_id as string,
    get signal() {
      return endOf(res, stopping);
    },
  };
}

const withoutQuery = (url: string) => url.split("?", 1)[0]!;

/** Whether this machine itself sent it; what a proxy forwards may come from anywhere. */
export const isLocal = ({ socket, headers }: Request): boolean =>
  LOOPBACK.includes(socket.remoteAddress ?? "") &&
  headers["x-forwarded-for"] === undefined &&
  headers.forwarded === undefined;

/**
 * Whether a browser at this machine opens it as a page, under a name of this machine. Scripts of other sites cannot say so of their
 * requests (Sec-Fetch-Mode is the browser's own), nor can a name that was bent to this machine's address.
 */
export const isAtHome = (req: Request): boolean =>
  isLocal(req) &&
  req.headers["sec-fetch-mode"] === "navigate" &&
  /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(req.headers.host ?? "");

const LOOPBACK = ["127.0.0.1", "::1", "::ffff:127.0.0.1"];

/** Node joins a header of these names that is sent twice. */
const text = (header: string | string[] | undefined) => header as string | undefined;

/** x402 version 2 names the header PAYMENT-SIGNATURE, version 1 X-PAYMENT; one call is paid for once. */
function presentedPayment(signature: string | undefined, payment: string | undefined): string | undefined {
  if (signature !== undefined && payment !== undefined && signature !== payment)
    refuse("invalid", "PAYMENT-SIGNATURE and X-PAYMENT carry different payments; send one");
  return signature ?? payment;
}

/**
 * Aborted when the answer is over, the caller is gone or the service stops. AbortSignal.any would leave a trace of every
 * call on `stopping` for as long as the process lives.
 */
export function endOf(
  res: NodeJS.EventEmitter & { destroyed?: boolean },
  stopping: AbortSignal,
): AbortSignal {
  const end = new AbortController();
  const abort = () => end.abort();
  stopping.addEventListener("abort", abort);
  res.once("close", () => {
    stopping.removeEventListener("abort", abort);
    abort();
  });
  if (stopping.aborted || res.destroyed) abort();
  return end.signal;
}

const wireOf = (req: Request): Wire =>
  req.accepts(["application/x-ndjson", "text/event-stream"]) === "text/event-stream" ? "sse" : "ndjson";

const utf8 = new TextDecoder("utf-8", { fatal: true });

async function readBody(req: Request, limit: number): Promise<JsonValue> {
  if (!req.is("application/json")) {
    throw new Refusal(coreProblems["unsupported-media-type"], "send the body as application/json");
  }
  // Whoever left before is a caller gone; raw-body would call the stream unreadable, as a fault of ours.
  if (req.destroyed) throw new DOMException("the caller left before its body was read", "AbortError");
  const length = req.headers["content-length"] ?? null;
  const body = await rawBody(req, { length, limit }).catch((error: RawBodyError) => {
    if (error.type !== "entity.too.large") throw error;
    return refuse(coreProblems["too-large"], `the body exceeds ${limit / 1024} KiB`);
  });
  try {
    return parseStrict(utf8.decode(body));
  } catch (error) {
    return refuse("invalid", `the body is not JSON as we read it: ${(error as Error).message}`, {
      errors: [{ path: "", message: (error as Error).message }],
    });
  }
}
