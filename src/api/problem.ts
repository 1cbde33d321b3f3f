/** Errors as RFC 9457 problem details, with `success` and `error` beside them for older clients. */
import { LogDamaged, TreeTooShort } from "../anchoring/tile-store.ts";
import { ChainUnavailable } from "../domain/ports.ts";
import { type FieldError, Refusal, type RefusalCode } from "../domain/refusal.ts";

export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  success: false;
  error: string;
  errors?: FieldError[];
};

type Kind = { status: number; title: string; meaning: string };

/** Every kind of problem this service answers; `/problems` prints the list. */
export const problemKinds = {
  invalid: {
    status: 400,
    title: "Invalid request",
    meaning: "`errors` names every bad field and the remedy.",
  },
  "outside-coverage": {
    status: 400,
    title: "Outside coverage",
    meaning: "No dataset covers what was asked; `errors` names the field and the range that there is.",
  },
  unauthorized: { status: 401, title: "Unauthorized", meaning: "The key is missing, unknown or revoked." },
  "payment-required": {
    status: 402,
    title: "Payment required",
    meaning: "Pay as `accepts` says and repeat the request, or send an API key.",
  },
  forbidden: {
    status: 403,
    title: "Forbidden",
    meaning: "The key lacks the scope, or the thing is another tenant's.",
  },
  "passphrase-wrong": {
    status: 403,
    title: "Wrong passphrase",
    meaning: "The check has a passphrase, and this is not it. Nothing was charged; the try is counted.",
  },
  not_found: { status: 404, title: "Not found", meaning: "There is no such thing, or no such path." },
  "method-not-allowed": {
    status: 405,
    title: "Method not allowed",
    meaning: "`Allow` lists the methods of this path.",
  },
  "not-acceptable": {
    status: 406,
    title: "Not acceptable",
    meaning: "`errors` lists the forms that this answer can be had in. Nothing was charged.",
  },
  conflict: { status: 409, title: "Conflict", meaning: "The thing's state does not allow it." },
  "history-diverged": {
    status: 409,
    title: "History diverged",
    meaning:
      "The cursor belongs to a history this log does not hold; compare with what you kept before going on.",
  },
  "payment-known": {
    status: 409,
    title: "Payment known",
    meaning: "Another call with this payment, or with this Idempotency-Key, was faster.",
  },
  "answer-gone": {
    status: 409,
    title: "Answer gone",
    meaning: "What this payment bought was answered and is not kept any more; its digest stands in the log.",
  },
  "other-seed": {
    status: 409,
    title: "Other seed",
    meaning: "Another seed of random numbers is active by now than the one you named; nothing was drawn.",
  },
  "check-not-pending": {
    status: 409,
    title: "Check not pending",
    meaning: "It is redeemed, expired or cancelled, and checks_verify tells which.",
  },
  "check-redeeming": {
    status: 409,
    title: "Check being redeemed",
    meaning: "Its redemption was asked for: only CancelAuthorization on the chain can be faster.",
  },
  "check-uncovered": {
    status: 409,
    title: "Check not covered",
    meaning: "The chain would not pay it now: too little USDC, or USDC itself refuses one of the two.",
  },
  "balance-too-low": {
    status: 409,
    title: "Balance too low",
    meaning: "The account of the lounge holds less than the bet; nothing was drawn.",
  },
  "account-in-debt": {
    status: 409,
    title: "Account in debt",
    meaning:
      "A deposit was taken back by the chain after it was played; no bet is taken until it is deposited again.",
  },
  "link-expired": {
    status: 410,
    title: "Link expired",
    meaning: "A signed link is good for a while only; ask for a new one where you got it.",
  },
  "precondition-failed": {
    status: 412,
    title: "Precondition failed",
    meaning: "The file is not the one that If-Match names.",
  },
  "too-large": { status: 413, title: "Content too large", meaning: "The body exceeds the limit." },
  "unsupported-media-type": {
    status: 415,
    title: "Unsupported media type",
    meaning: "Send application/json.",
  },
  "range-not-satisfiable": {
    status: 416,
    title: "Range not satisfiable",
    meaning: "The file ends before the range begins; `Content-Range` tells its length.",
  },
  unprocessable: {
    status: 422,
    title: "Unprocessable",
    meaning: "Well-formed, but it cannot be done as asked.",
  },
  "idempotency-key-reused": {
    status: 422,
    title: "Idempotency key reused",
    meaning: "The key was used for another request; take a new one.",
  },
  quota_exceeded: {
    status: 429,
    title: "Quota exceeded",
    meaning:
      "The key's daily or monthly quota is used up. Wait, or repeat the call without the key and pay for it.",
  },
  "rate-limited": {
    status: 429,
    title: "Too many requests",
    meaning: "Free calls are limited per minute and address.",
  },
  "passphrase-paused": {
    status: 429,
    title: "Passphrase paused",
    meaning: "Too many wrong passphrases were tried for this check; see Retry-After.",
  },
  internal: { status: 500, title: "Internal error", meaning: "A fault of ours; the log has the request id." },
  unavailable: {
    status: 503,
    title: "Unavailable",
    meaning: "A part that this needs is away; see Retry-After.",
  },
  "dataset-missing": {
    status: 503,
    title: "Dataset missing",
    meaning: "The data this needs is not loaded (yet); see Retry-After.",
  },
  "platform-token-missing": {
    status: 503,
    title: "Platform token missing",
    meaning: "This service has no platform token on its chain, and what moves it cannot be done.",
  },
  "seed-missing": {
    status: 503,
    title: "Seed missing",
    meaning: "No seed of random numbers is active for a moment, or the one asked about is not at hand.",
  },
  "snapshot-being-made": {
    status: 503,
    title: "Snapshot being made",
    meaning:
      "The file is made the first time it is asked for; ask again after Retry-After. Nothing was charged.",
  },
  busy: { status: 503, title: "Busy", meaning: "Too many questions at once; see Retry-After." },
  "payment-unavailable": {
    status: 503,
    title: "Payment unavailable",
    meaning: "Payments cannot be settled at the moment. Nothing was charged.",
  },
  "payment-pending": {
    status: 503,
    title: "Payment pending",
    meaning:
      "The payment is under way and its outcome not known yet. Ask again with the same payment; do not sign a new one.",
  },
} satisfies Record<string, Kind>;

export type ProblemType = keyof typeof problemKinds;

const slugOf = (type: ProblemType) => type.replaceAll("_", "-");

const typeOf = (refusal: Refusal): ProblemType =>
  refusal.type && refusal.type in problemKinds
    ? (refusal.type as ProblemType)
    : (refusal.code satisfies RefusalCode);

export const statusOf = (refusal: Refusal): number => problemKinds[typeOf(refusal)].status;

/** What a caller needs to be told of an error: the problem itself and the headers that belong to it. */
export type ProblemAnswer = { status: number; headers: Record<string, string>; problem: Problem };

export function problem(
  type: ProblemType,
  detail: string,
  place: { public_url: string; instance: string },
  extra: { errors?: FieldError[]; headers?: Record<string, string> } = {},
): ProblemAnswer {
  const { status, title } = problemKinds[type];
  return {
    status,
    headers: { ...extra.headers },
    problem: {
      type: `${place.public_url}/problems#${slugOf(type)}`,
      title,
      status,
      detail,
      instance: place.instance,
      success: false,
      error: detail,
      ...(extra.errors && { errors: extra.errors }),
    },
  };
}

export function problemOfRefusal(
  refusal: Refusal,
  place: { public_url: string; instance: string },
): ProblemAnswer {
  const type = typeOf(refusal);
  const { status } = problemKinds[type];
  const headers: Record<string, string> = {};
  const retry = refusal.retry_after_s ?? (status === 503 ? 5 : undefined);
  if (retry !== undefined) headers["Retry-After"] = String(retry);
  if (status === 401) headers["WWW-Authenticate"] = 'Bearer realm="tallystick"';
  return problem(type, refusal.message, place, { errors: refusal.errors, headers });
}

const AWAY = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "57P01",
  "57P02",
  "57P03",
  "55000",
  "57014",
]);

/** True when the database is away rather than wrong: the same request may succeed later. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (["StoreUnavailable", "StoreClosed", "AppendUnknown"].includes(error.name)) return true;
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string" && (AWAY.has(code) || /^(08|53)/.test(code))) return true;
  // pg reports a lost connection, a full pool and an answer that does not come by message alone.
  return /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
    error.message,
  );
}

/** Any error as a refusal; `undefined` means it is a fault of ours, to be logged and answered with 500. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof ChainUnavailable)
    return new Refusal("unavailable", "the chain cannot be asked at the moment", {
      retry_after_s: 10,
      cause: error,
    });
  if (error instanceof TreeTooShort || error instanceof LogDamaged)
    return new Refusal("unavailable", `the log's tree cannot be read: ${error.message}`, {
      retry_after_s: 60,
      cause: error,
    });
  if (isAway(error))
    return new Refusal("unavailable", "the log is away; try again shortly", {
      retry_after_s: 2,
      cause: error,
    });
  return undefined;
}

/** The page at `/problems`. */
export const problemsPage = () =>
  [
    "# Problems",
    "",
    "Every error is `application/problem+json` (RFC 9457). `type` ends in one of these names.",
    "",
    ...Object.entries(problemKinds).map(
      ([type, kind]) =>
        `- **${slugOf(type as ProblemType)}** (${kind.status}): ${kind.title}. ${kind.meaning}`,
    ),
    "",
  ].join("\n");
