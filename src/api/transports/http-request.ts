import type { Request, Response } from "express";
import { parseStrictBytes } from "../../../eventstore/canonical.ts";
import type { JsonObject, JsonValue } from "../../../eventstore/types.ts";
import { coreProblems } from "../../core/model/problem.ts";
import { Refusal, refuse } from "../../core/model/refusal.ts";
import { isTagged } from "../declare/access/signed-request.ts";
import type { Credentials, SignedRequest } from "../declare/access/way.ts";
import type { Fields, InputReader } from "../declare/input.ts";
import { prefersProof } from "../declare/named-event.ts";
import type { Wire } from "../declare/output.ts";
import { presentedSecret } from "../serve/admission.ts";
import { isPaymentScheme } from "../serve/mpp/credential.ts";
import type { CallRequest } from "../serve/read-call.ts";
import { bodyBytes } from "./request-body.ts";
import { checkContentDigest, prefersSigned } from "./signed-answer.ts";

const BODY_LIMIT = 256 * 1024;

/** The largest body that is read before payment; the same limit as Node's for headers. */
export const SMALL_BODY = 16 * 1024;

class HttpCredentials implements Credentials {
  readonly #req: Request;
  readonly secret: string | undefined;
  readonly payment: string | undefined;
  readonly wallet_proof: string | undefined;
  readonly on_behalf_of: string | undefined;
  readonly internal_token: string | undefined;
  /** GET also for HEAD. */
  readonly method: string;
  readonly signed?: SignedRequest;

  constructor(req: Request) {
    const { headers, method } = req;
    this.#req = req;
    const credential = paymentCredential(headers);
    this.secret = presentedSecret(
      credential === headers.authorization ? undefined : headers.authorization,
      text(headers["x-api-key"]),
    );
    // An answer to HEAD cannot be bought, so its payment is ignored.
    this.payment =
      method === "HEAD"
        ? undefined
        : presentedPayment({
            "PAYMENT-SIGNATURE": text(headers["payment-signature"]),
            "X-PAYMENT": text(headers["x-payment"]),
            Authorization: credential,
          });
    this.wallet_proof = text(headers["sign-in-with-x"]);
    this.on_behalf_of = text(headers["on-behalf-of"]);
    this.internal_token = text(headers["x-internal-token"]);
    this.method = method === "HEAD" ? "GET" : method;
    if (isTagged(text(headers["signature-input"]))) this.signed = signedRequest(req);
  }

  get is_local() {
    return isLocal(this.#req);
  }
  get path() {
    return withoutQuery(this.#req.originalUrl);
  }
  get ip() {
    return this.#req.ip ?? "";
  }
}

type RequestTarget = { params: Fields; stopping: AbortSignal };

/** A call over HTTP. Properties that few calls need are computed on demand. */
export class HttpCall implements CallRequest {
  readonly transport = "http";
  readonly #req: Request;
  readonly #res: Response;
  readonly #called: RequestTarget;
  readonly #hasBody: boolean;
  readonly presented: Credentials;
  readonly path: string;
  readonly accept: string | undefined;
  readonly idempotency_key: string | undefined;
  readonly if_match: string | undefined;
  readonly if_none_match: string | undefined;
  readonly last_event_id: string | undefined;
  readonly min_log_position: string | undefined;
  readonly request_id: string;
  sent: JsonObject = {};

  constructor(req: Request, res: Response, called: RequestTarget) {
    const { headers, method } = req;
    this.#req = req;
    this.#res = res;
    this.#called = called;
    this.#hasBody = method !== "GET" && method !== "HEAD" && method !== "DELETE";
    this.presented = new HttpCredentials(req);
    this.path = req.originalUrl;
    this.accept = headers.accept;
    this.idempotency_key = text(headers["idempotency-key"]);
    this.if_match = headers["if-match"];
    // A signature needs a body, which a 304 lacks. Other methods select no representation that could be unchanged.
    const isConditional = (method === "GET" || method === "HEAD") && !prefersSigned(req);
    this.if_none_match = isConditional ? headers["if-none-match"] : undefined;
    this.last_event_id = text(headers["last-event-id"]);
    this.min_log_position = text(headers["min-log-position"]);
    this.request_id = res.locals.request_id as string;
  }

  async read(reader: InputReader, most_bytes = BODY_LIMIT): Promise<Fields> {
    const { params } = this.#called;
    const query = new URLSearchParams(queryOf(this.#req.url));
    if (!this.#hasBody) return reader.fromQuery(query, params);
    if (query.size > 0)
      refuse("invalid", "this operation takes its input in the body; the query string must be empty");
    const needed = reader.schema.required?.filter((name) => !Object.hasOwn(params, name)) ?? [];
    const body = await readBody(this.#req, most_bytes, needed);
    const fields = reader.fromObject(body, params);
    this.sent = body as JsonObject;
    return fields;
  }

  get is_small() {
    const { "content-length": length, "transfer-encoding": encoding } = this.#req.headers;
    // A body without a stated length may be endless, so it does not count as small.
    return !this.#hasBody || (encoding === undefined && Number(length ?? 0) <= SMALL_BODY);
  }
  get wire() {
    return wireOf(this.#req);
  }
  get prefers_proof() {
    return prefersProof(text(this.#req.headers.prefer));
  }
  get signal() {
    return endOf(this.#res, this.#called.stopping);
  }
}

/** The parts of a request that its signature covers. Values that are not ASCII cannot be signed. */
function signedRequest({ method, originalUrl, rawHeaders, headers }: Request): SignedRequest {
  const fields = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 && /^[\t\x20-\x7e]*$/.test(rawHeaders[at + 1]!)
      ? [{ name: name.toLowerCase(), value: rawHeaders[at + 1]! }]
      : [],
  );
  const has_body = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  return { method, target: originalUrl, fields, has_body };
}

const withoutQuery = (url: string) => url.split("?", 1)[0]!;

function queryOf(url: string): string {
  const mark = url.indexOf("?");
  return mark === -1 ? "" : url.slice(mark + 1);
}

/** True for a request from this machine, without a proxy, which would forward requests from anywhere. */
export const isLocal = ({ socket, headers }: Request): boolean =>
  LOOPBACK.includes(socket.remoteAddress ?? "") &&
  headers["x-forwarded-for"] === undefined &&
  headers.forwarded === undefined;

/**
 * True for a browser on this machine. A page of another site cannot forge Sec-Fetch-Mode, and the Host check stops
 * DNS rebinding.
 */
export const isAtHome = (req: Request): boolean =>
  isLocal(req) &&
  req.headers["sec-fetch-mode"] === "navigate" &&
  /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(req.headers.host ?? "");

const LOOPBACK = ["127.0.0.1", "::1", "::ffff:127.0.0.1"];

/** Node joins repeated headers of these names into one text. */
const text = (header: string | string[] | undefined) => header as string | undefined;

/**
 * The payment's header: PAYMENT-SIGNATURE in x402 version 2, X-PAYMENT in version 1, Authorization with the scheme
 * Payment in MPP.
 */
function presentedPayment(headers: Record<string, string | undefined>): string | undefined {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  );
  const [first] = given;
  const other = given.find(({ value }) => value !== first?.value);
  if (first && other) refuse("invalid", `${first.name} and ${other.name} carry different payments; send one`);
  return first?.value;
}

/** If Authorization contains an API key, MPP's clients send the payment in Payment-Authorization. */
function paymentCredential({ authorization, "payment-authorization": beside }: Request["headers"]) {
  if (beside !== undefined) return text(beside);
  return isPaymentScheme(authorization) ? authorization : undefined;
}

/**
 * Aborts after the answer, when the caller leaves, or when the service stops. AbortSignal.any would leak memory,
 * because `stopping` lives as long as the process.
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

/** Reads the body as JSON. An operation that needs no body accepts an empty one of any content type. */
async function readBody(req: Request, limit: number, needed: readonly string[]): Promise<JsonValue> {
  const isNeeded = needed.length > 0;
  const type = req.is("application/json");
  if (isNeeded && (type === null || req.headers["content-length"] === "0")) {
    const message = `the body is missing: send JSON as application/json, with ${needed.join(", ")}`;
    refuse("invalid", message, { errors: [{ path: "", message }] });
  }
  if (isNeeded && !type) {
    throw new Refusal(coreProblems["unsupported-media-type"], "send the body as application/json");
  }
  // raw-body would report a caller that left early as a fault of the service.
  if (req.destroyed) throw new DOMException("the caller left before its body was read", "AbortError");
  const body = await bodyBytes(req, limit);
  if (req.headers["content-encoding"] === undefined)
    checkContentDigest(text(req.headers["content-digest"]), body);
  if (!isNeeded && body.length === 0) return {};
  try {
    return parseStrictBytes(body);
  } catch (error) {
    return refuse("invalid", `the body is not JSON that the service accepts: ${(error as Error).message}`, {
      errors: [{ path: "", message: (error as Error).message }],
    });
  }
}
