/**
 * The `type` of an error answer (RFC 9457). An area declares its own errors in its problems.ts; any area may use the
 * ones here.
 */

export type RefusalCode =
  | "invalid"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "unprocessable"
  | "quota_exceeded"
  | "unavailable";

type AnswerCode = "payment_required" | "internal";

export type ProblemType<Code extends RefusalCode | AnswerCode = RefusalCode | AnswerCode> = {
  /** The fragment of the error's `type` URI. It never changes. */
  readonly slug: string;
  readonly code: Code;
  readonly status: number;
  readonly title: string;
  /** Markdown for the page `/problems`: what the error means for the caller, and the remedy. */
  readonly meaning: string;
};

const STATUS = {
  invalid: 400,
  unauthorized: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  unprocessable: 422,
  quota_exceeded: 429,
  internal: 500,
  unavailable: 503,
} as const satisfies Record<RefusalCode | AnswerCode, number>;

type ProblemDeclaration = { code: RefusalCode | AnswerCode; status?: number; title: string; meaning: string };

export function problemTypes<const Kinds extends Record<string, ProblemDeclaration>>(
  kinds: Kinds,
): { readonly [Slug in keyof Kinds]: ProblemType<Kinds[Slug]["code"]> } {
  const made = Object.entries(kinds).map(([slug, kind]) => [
    slug,
    Object.freeze({ slug, status: STATUS[kind.code], ...kind }),
  ]);
  return Object.fromEntries(made);
}

export const coreProblems = problemTypes({
  invalid: {
    code: "invalid",
    title: "Invalid request",
    meaning: "`errors` names every bad field and the remedy.",
  },
  unauthorized: {
    code: "unauthorized",
    title: "Unauthorized",
    meaning: "The key is missing, unknown or revoked.",
  },
  "payment-required": {
    code: "payment_required",
    title: "Payment required",
    meaning: "Pay as `accepts` says and repeat the request, or send an API key.",
  },
  "sign-in-required": {
    code: "payment_required",
    title: "Sign-in required",
    meaning:
      "The call is free to its owner: sign the text in `extensions[\"sign-in-with-x\"]` of `PAYMENT-REQUIRED` with the owner's wallet, or send an API key. x402's clients expect this status.",
  },
  forbidden: {
    code: "forbidden",
    title: "Forbidden",
    meaning: "The key lacks the scope, or belongs to another tenant.",
  },
  "not-found": {
    code: "not_found",
    title: "Not found",
    meaning: "The item or path does not exist.",
  },
  "method-not-allowed": {
    code: "invalid",
    status: 405,
    title: "Method not allowed",
    meaning: "`Allow` lists the methods of this path.",
  },
  "not-acceptable": {
    code: "invalid",
    status: 406,
    title: "Not acceptable",
    meaning: "`errors` lists the available forms of this answer. Nothing was charged.",
  },
  conflict: {
    code: "conflict",
    title: "Conflict",
    meaning: "The current state of the thing does not allow this call.",
  },
  "precondition-failed": {
    code: "invalid",
    status: 412,
    title: "Precondition failed",
    meaning:
      "If-Match names another version of the file, or a thing without versions. Nothing was done or charged.",
  },
  "too-large": {
    code: "invalid",
    status: 413,
    title: "Content too large",
    meaning: "The body exceeds the limit.",
  },
  "unsupported-media-type": {
    code: "invalid",
    status: 415,
    title: "Unsupported media type",
    meaning: "Send application/json, plain or as gzip, deflate or br.",
  },
  "range-not-satisfiable": {
    code: "invalid",
    status: 416,
    title: "Range not satisfiable",
    meaning: "The file ends before the range begins; `Content-Range` states its length.",
  },
  unprocessable: {
    code: "unprocessable",
    title: "Unprocessable",
    meaning: "Well-formed, but it cannot be done as requested.",
  },
  "idempotency-key-reused": {
    code: "unprocessable",
    title: "Idempotency key reused",
    meaning: "The key was used for a different request; use a new key.",
  },
  "quota-exceeded": {
    code: "quota_exceeded",
    title: "Quota exceeded",
    meaning:
      "The key's daily or monthly quota is used up. Wait, or repeat the call without the key and pay for it.",
  },
  "rate-limited": {
    code: "quota_exceeded",
    title: "Too many requests",
    meaning: "Free calls are limited per minute and address.",
  },
  internal: {
    code: "internal",
    title: "Internal error",
    meaning: "A fault of the service; its log has the request id.",
  },
  unavailable: {
    code: "unavailable",
    title: "Unavailable",
    meaning: "A required part of the service is unavailable; see Retry-After.",
  },
  "no-room": {
    code: "unavailable",
    title: "No room left",
    meaning:
      "A disk of the service is full. Nothing of the call was recorded or charged. Repeat it with the same key or payment once the operator has freed space; see Retry-After.",
  },
  busy: {
    code: "unavailable",
    title: "Busy",
    meaning: "Too many questions at once; see Retry-After.",
  },
});

export const problemOfCode = {
  invalid: coreProblems.invalid,
  unauthorized: coreProblems.unauthorized,
  forbidden: coreProblems.forbidden,
  not_found: coreProblems["not-found"],
  conflict: coreProblems.conflict,
  unprocessable: coreProblems.unprocessable,
  quota_exceeded: coreProblems["quota-exceeded"],
  unavailable: coreProblems.unavailable,
} satisfies { [Code in RefusalCode]: ProblemType<Code> };

/** All errors, sorted by status. Throws on a duplicate or malformed slug. */
export function problemRegistry(
  areas: readonly { name: string; problems: Readonly<Record<string, ProblemType>> }[],
): readonly ProblemType[] {
  const registry = new Map<string, ProblemType>();
  for (const { name, problems } of [{ name: "every area", problems: coreProblems }, ...areas])
    for (const type of Object.values(problems)) {
      if (!/^[a-z]+(-[a-z]+)*$/.test(type.slug))
        throw new Error(`${name}: the problem type ${type.slug} is not lower-case words with hyphens`);
      if (registry.has(type.slug)) throw new Error(`${name}: there is a problem type ${type.slug} already`);
      registry.set(type.slug, type);
    }
  return [...registry.values()].sort((a, b) => a.status - b.status);
}
