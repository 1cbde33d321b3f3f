/** The facts and rules that every subscription of a webhook has. */
import { z } from "zod";
import { time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
import type { Secret } from "./message.ts";
import { rotatedAway } from "./message.ts";
import { webhookProblems } from "./problems.ts";

/** Characters of the reason why an attempt failed. */
export const MOST_REASON = 300;
/** Test messages of a subscription within any hour. */
export const MOST_TESTS = 20;
const TESTS_S = 3_600;

export const rotatedFacts = z.strictObject({
  rotation: z.int().positive(),
  old_until: time,
  rotated_at: time,
});
export const disabledFacts = z.strictObject({ reason: z.string().max(400), disabled_at: time });
export const resumedFacts = z.strictObject({ resumed_at: time });
/** An attempt that failed; each kind of subscription adds the message's id. */
export const failedFacts = {
  attempt: z.int().positive(),
  status: z.int().nullable().describe("The webhook's HTTP status; null: it could not be reached."),
  reason: z.string().max(MOST_REASON),
  next_attempt_at: time.nullable().describe("Null: there is no further attempt."),
  failed_at: time,
};

/** A new subscription's secrets. */
export const firstSecrets: readonly Secret[] = [{ rotation: 0, until: null }];

/** The secrets after a rotation, the newest first. */
export const rotated = (
  secrets: readonly Secret[],
  { rotation, old_until, rotated_at }: z.infer<typeof rotatedFacts>,
): Secret[] => [{ rotation, until: null }, ...rotatedAway(secrets, rotated_at, old_until)];

/** The times of test messages with a new one, without those that are an hour older. */
export const withTest = (tests: readonly string[], at: string): string[] => [...recent(tests, at), at];

const recent = (tests: readonly string[], at: string): string[] =>
  tests.filter((test) => Date.parse(at) - Date.parse(test) < TESTS_S * 1_000);

/** Refuses a test message beyond the hourly limit. */
export function checkTests(tests: readonly string[], at: string): void {
  const [oldest, ...more] = recent(tests, at);
  if (oldest === undefined || more.length + 1 < MOST_TESTS) return;
  const retry_after_s = TESTS_S - Math.floor((Date.parse(at) - Date.parse(oldest)) / 1_000);
  refuse(webhookProblems["too-many-tests"], `${MOST_TESTS} test messages were sent within the last hour`, {
    retry_after_s,
  });
}

/** The subscription as its owner sees it; refused where there is none, or it was deleted. */
export function existingSubscription<Subscription extends { status: string }>(
  state: Subscription | undefined,
): Subscription {
  if (!state)
    return refuse(
      "not_found",
      "there is no such subscription of yours; call as the tenant or wallet that made it",
    );
  if (state.status === "deleted") return refuse("conflict", "this subscription was deleted; make a new one");
  return state;
}

/** As existingSubscription, and a deleted one too. */
export const ownSubscription = <Subscription extends { status: string }>(
  state: Subscription | undefined,
): Subscription => (state?.status === "deleted" ? state : existingSubscription(state));
