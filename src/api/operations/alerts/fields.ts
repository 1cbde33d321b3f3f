/** Fields that operations on alerts share. */
import { z } from "zod";
import { idFrom, time } from "../../../core/model/fields.ts";
import type { Data } from "../../../datasets/reading.ts";
import { awaitedData, judgedReporters } from "../../../domain/alerts/awaited-data.ts";
import type { Subscription } from "../../../domain/alerts/subscription.ts";
import * as subscriptions from "../../../domain/alerts/subscription.ts";
import {
  disabled,
  failureFields,
  old_secret_until,
  secret,
  shownDisabled,
  shownFailure,
} from "../webhooks/subscription.ts";

const id = idFrom("subscription_id", "alerts_subscribe");
export const subscriptionId = id.describe("The subscription_id from alerts_subscribe");

const status = z
  .enum(subscriptions.statuses)
  .describe(
    "paused: no credits are left, and alerts wait for a topup; disabled: the webhook failed, see `disabled`, and alerts wait for alerts_resume",
  );

export const subscription = z
  .object({
    subscription_id: id,
    status,
    url: z.string().optional().describe("Only its owner sees this"),
    watch: subscriptions.watch,
    waiting_for: z.string().nullable().describe("The missing dataset, product, country or month; null: none"),
    judged_reporters: z.array(z.string()).describe("Countries judged now"),
    credits: z.int().describe("Alerts that can still be delivered; 0 once cancelled"),
    delivered: z.int(),
    waiting: z.int().describe("Found alerts that are not delivered yet"),
    next_attempt_at: time.nullable().describe("When the next delivery starts; null: no alert waits"),
    last_delivered_at: time.nullable(),
    last_failure: z
      .object({
        alert_id: z.string(),
        ...failureFields,
      })
      .nullable(),
    disabled,
    old_secret_until,
    subscribed_at: time,
  })
  .meta({ id: "AlertSubscription" });

export const subscriptionWithSecret = subscription
  .extend({ secret })
  .meta({ id: "AlertSubscriptionWithSecret" });

/**
 * A subscription as its owner sees it. Stored events order their fields differently from new ones, and equal answers
 * must be equal bytes.
 */
export function shownSubscription(
  { facts, status, waiting, secrets, ...state }: Subscription,
  { vintages }: Pick<Data, "vintages">,
) {
  const { credits, delivered, last_delivered_at, last_failure: failure, disabled: end } = state;
  const { reporter, hs, flow, threshold, dataset, from } = facts.watch;
  const times = [...waiting.values()].map(({ next_attempt_at }) => next_attempt_at).sort();
  return {
    subscription_id: facts.subscription_id,
    status,
    url: facts.url,
    watch: { reporter, hs, flow, threshold, dataset, from },
    waiting_for: status === "deleted" ? null : awaitedData(facts.watch, vintages.open()),
    judged_reporters: status === "deleted" ? [] : judgedReporters(facts.watch, vintages.open()),
    credits,
    delivered,
    waiting: waiting.size,
    next_attempt_at: (status === "active" && times[0]) || null,
    last_delivered_at,
    last_failure: failure && { alert_id: failure.alert_id, ...shownFailure(failure) },
    disabled: shownDisabled(end),
    old_secret_until: secrets[1]?.until ?? null,
    subscribed_at: facts.subscribed_at,
  };
}
