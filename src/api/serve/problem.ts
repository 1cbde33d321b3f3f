/** Problems by RFC 9457, with `success` and `error` for older clients. */
import { LogDamaged, TreeTooShort } from "../../anchoring/tile-store.ts";
import { ChainUnavailable } from "../../core/model/ports/chain.ts";
import { SubjectsUnavailable } from "../../core/model/ports/subjects.ts";
import { coreProblems, type ProblemType } from "../../core/model/problem.ts";
import { type FieldError, MOST_NAMED, Refusal, sentenceOf } from "../../core/model/refusal.ts";

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

export type ProblemAnswer = { status: number; headers: Record<string, string>; problem: Problem };

export function problem(
  type: ProblemType,
  detail: string,
  place: { public_url: string; instance: string },
  extra: { errors?: FieldError[]; headers?: Record<string, string> } = {},
): ProblemAnswer {
  const { slug, status, title } = type;
  return {
    status,
    headers: { ...extra.headers },
    problem: {
      type: `${place.public_url}/problems#${slug}`,
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
  const { status } = refusal.type;
  const headers: Record<string, string> = {};
  const retry = refusal.retry_after_s ?? (status === 503 ? 5 : undefined);
  if (retry !== undefined) headers["Retry-After"] = String(retry);
  if (status === 401) headers["WWW-Authenticate"] = 'Bearer realm="tallystick"';
  return problem(refusal.type, detailOf(refusal), place, { errors: refusal.errors, headers });
}

/** The message, followed by the remedies of the fields if it only names the fault. */
function detailOf({ message, errors = [] }: Refusal): string {
  const untold = errors.slice(0, MOST_NAMED).filter((error) => !message.includes(error.message));
  return untold.length === 0 ? message : `${message}: ${untold.map(sentenceOf).join("; ")}`;
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

/** True if the database is unavailable, so that a retry may succeed. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (["StoreUnavailable", "StoreClosed", "AppendUnknown"].includes(error.name)) return true;
  if (isNoRoom(error)) return true;
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string" && (AWAY.has(code) || /^(08|53)/.test(code))) return true;
  // pg reports these errors by their message alone.
  return /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
    error.message,
  );
}

const FULL = ["53100", "ENOSPC", "EDQUOT"];
const FULL_TOLD = /No space left on device|Disk quota exceeded|failed to offload data block/;

/** True if a write failed because a disk is full. */
export function isNoRoom(error: unknown): boolean {
  // An append with an unknown outcome may have succeeded.
  if (!(error instanceof Error) || error.name === "AppendUnknown") return false;
  const { code } = error as { code?: unknown };
  // The message of a refusal may quote the caller's words, so it is not searched.
  const isTold = !(error instanceof Refusal) && FULL_TOLD.test(error.message);
  return FULL.includes(String(code)) || isTold || isNoRoom(error.cause);
}

const NO_ROOM_RETRY_S = 30;

/** The refusal for an error. Undefined for a fault of the service, which is logged and answered with 500. */
export function refusalOf(error: unknown): Refusal | undefined {
  // An `unavailable` without a type of its own may be caused by a full disk, which has a remedy.
  const saysMore = error instanceof Refusal && error.type !== coreProblems.unavailable;
  if (!saysMore && isNoRoom(error))
    return new Refusal(
      coreProblems["no-room"],
      "a disk of this service is full: nothing of this call was recorded or charged; once the operator has freed space, repeat the same call",
      { retry_after_s: NO_ROOM_RETRY_S, cause: error },
    );
  if (error instanceof Refusal) return error;
  if (error instanceof ChainUnavailable)
    return new Refusal("unavailable", "the chain cannot be queried at the moment", {
      retry_after_s: 10,
      cause: error,
    });
  if (error instanceof SubjectsUnavailable)
    return new Refusal("unavailable", "personal data cannot be sealed or opened at the moment", {
      retry_after_s: 10,
      cause: error,
    });
  if (error instanceof TreeTooShort || error instanceof LogDamaged)
    return new Refusal("unavailable", `the log's tree cannot be read: ${error.message}`, {
      retry_after_s: 60,
      cause: error,
    });
  if (isAway(error))
    return new Refusal("unavailable", "the log is unavailable; try again shortly", {
      retry_after_s: 2,
      cause: error,
    });
  return undefined;
}
