/** Fields that operations on notices share. */
import { z } from "zod";
import { idFrom, time } from "../../../core/model/fields.ts";
import { kindNames } from "../../../domain/notices/kinds.ts";
import type { Subscription } from "../../../domain/notices/subscription.ts";
import { nextAttemptAt, statuses } from "../../../domain/notices/subscription.ts";
import {
  disabled,
  failureFields,
  old_secret_until,
  secret,
  shownDisabled,
  shownFailure,
} from "../webhooks/subscription.ts";

export const subscriptionId = idFrom("subscription_id", "notices_subscribe").describe(
  "The subscription_id from notices_subscribe",
);

export const kindsField = z
  .array(z.enum(kindNames, { error: `is one of ${kindNames.join(", ")}` }), "is a list of kinds")
  .min(1, "has at least one kind")
  .max(kindNames.length, `has at most ${kindNames.length} kinds`);

export const product = z
  .string()
  .regex(/^(?:\d{2}|\d{4}|\d{6}|\d{8}|\d{10})$/, "is a goods code of 2, 4, 6, 8 or 10 digits");

export const subscription = z
  .object({
    subscription_id: subscriptionId,
    status: z
      .enum(statuses)
      .describe("disabled: the webhook failed, see `disabled`; notices wait for notices_resume"),
    url: z.string().optional().describe("Only its owner sees this"),
    kinds: z.array(z.enum(kindNames)).describe("The kinds of subjects that it covers"),
    products: z.array(z.string()).describe("Only duties that apply to one of these codes; none: all"),
    delivered: z.int().describe("Notices that the webhook accepted"),
    failing: z.int().describe("Subjects whose next notice failed, and waits for another attempt"),
    next_attempt_at: time
      .nullable()
      .describe("The next attempt of a notice that failed; null when none waits"),
    last_delivered_at: time.nullable().describe("null: nothing was delivered yet"),
    last_failure: z
      .object({
        subject: z.string().describe("Kind and id of the notice's subject"),
        ...failureFields,
      })
      .nullable()
      .describe("null: no attempt failed"),
    disabled,
    old_secret_until,
    subscribed_at: time.describe("When it was made; earlier notices are in notices_stream"),
  })
  .meta({ id: "NoticeSubscription" });

export const subscriptionWithSecret = subscription
  .extend({ secret })
  .meta({ id: "NoticeSubscriptionWithSecret" });

/** A subscription as its owner sees it. Each field is listed, because stored events may have them in another order. */
export function shownSubscription(state: Subscription): z.infer<typeof subscription> {
  const {
    facts,
    status,
    delivered,
    failing,
    last_delivered_at,
    last_failure: failure,
    disabled: end,
    secrets,
  } = state;
  return {
    subscription_id: facts.subscription_id,
    status,
    url: facts.url,
    kinds: facts.kinds,
    products: facts.products,
    delivered,
    failing: failing.length,
    next_attempt_at: nextAttemptAt(state),
    last_delivered_at,
    last_failure: failure && { subject: failure.subject, ...shownFailure(failure) },
    disabled: shownDisabled(end),
    old_secret_until: secrets[1]?.until ?? null,
    subscribed_at: facts.subscribed_at,
  };
}
