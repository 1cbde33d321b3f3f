/** Retries of a webhook that failed, and the point at which it is given up. */

/** Seconds from each attempt to the next; after the last of them the subscription is disabled. */
export const BACKOFF_S = [5, 300, 1_800, 7_200, 18_000, 36_000] as const;
/** Each pause grows by a random share of itself, at most this much, to spread retries. */
export const JITTER = 0.25;
/** A webhook may not put us off for longer. */
const MOST_RETRY_AFTER_S = 86_400;

/** A failed attempt. `status` null: the webhook was not reached; `retry_after_s`: the delay that it requested. */
export type Failure = { status: number | null; reason: string; retry_after_s: number | null };

export type NextStep = { kind: "again"; at: string } | { kind: "disable"; reason: string };

/** The consequence of the `attempt`-th failure (from 1) at an ISO time; `chance` is in [0, 1). */
export function afterFailure(attempt: number, failure: Failure, chance: number, at: string): NextStep {
  if (failure.status === 410)
    return { kind: "disable", reason: "the webhook answered 410 Gone, which ends its alerts" };
  const pause = BACKOFF_S[attempt - 1];
  if (pause === undefined)
    return { kind: "disable", reason: `${attempt} attempts failed, the last one: ${failure.reason}` };
  const retryAfter = isBusy(failure.status) ? Math.min(failure.retry_after_s ?? 0, MOST_RETRY_AFTER_S) : 0;
  const seconds = Math.max(pause * (1 + JITTER * chance), retryAfter);
  return { kind: "again", at: new Date(Date.parse(at) + Math.round(seconds * 1000)).toISOString() };
}

const isBusy = (status: number | null) => status === 429 || status === 503;

/** Seconds of a Retry-After: a number of them, or a date (RFC 9110, 10.2.3); null where it is neither. */
export function retryAfterSeconds(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now.getTime()) / 1000));
}
