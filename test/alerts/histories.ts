/** Builders for the histories of alert tests. */

import * as subscriptions from "../../src/domain/alerts/subscription.ts";
import type { Failure } from "../../src/domain/webhooks/backoff.ts";
import { specificationOf } from "../support/specification.ts";

export const AT = "2026-11-21T12:00:00.000Z";
/** This many seconds after AT. */
export const later = (seconds: number) => new Date(Date.parse(AT) + seconds * 1000).toISOString();

export const facts: subscriptions.Subscribed = {
  subscription_id: "1".repeat(32),
  watch: { reporter: "DE", hs: null, flow: null, threshold: 3, dataset: null, from: null },
  url: "https://hooks.example/alerts",
  credits: 100,
  subscribed_at: AT,
};

export const finding: subscriptions.Finding = {
  reporter: "DE",
  product: "44",
  flow: "IMPORT",
  period: "2026-09",
  direction: "spike",
  value_eur: 50_000_000,
  base_eur: 20_000_000,
  deviation_eur: 30_000_000,
  standard_deviation_eur: 2_000_000,
  z: 15,
  p_value: 1e-8,
  p_adjusted: 1e-5,
  dataset: "comext",
  vintage: "a".repeat(64),
  synthetic: false,
};

export type Event = subscriptions.SubscriptionEvent;
export type State = subscriptions.SubscriptionState;

export const given = specificationOf(subscriptions);
export const subscriptionAfter = (...events: Event[]) => {
  const state = events.reduce(subscriptions.evolve, subscriptions.initialState());
  if (!state) throw new Error("a story begins with AlertSubscribed");
  return state;
};

export const id = (digit: string) => `msg_${digit.repeat(32)}`;
export const subscribed: Event = { type: "AlertSubscribed", data: facts };
export const withCredits = (credits: number): Event => ({
  type: "AlertSubscribed",
  data: { ...facts, credits },
});
export const triggered = (alert_id: string): Event => ({
  type: "AlertTriggered",
  data: { alert_id, finding, triggered_at: AT },
});
export const delivered = (alert_id: string, credits_left: number, attempt = 1): Event => ({
  type: "AlertDelivered",
  data: { alert_id, attempt, status: 200, credits_left, delivered_at: AT },
});
export const paused = (waiting: number): Event => ({ type: "AlertPaused", data: { waiting, paused_at: AT } });
export const disabled: Event = { type: "AlertDisabled", data: { reason: "gone", disabled_at: AT } };
export const resumed: Event = { type: "AlertResumed", data: { resumed_at: AT } };
export const deleted: Event = { type: "AlertSubscriptionDeleted", data: { deleted_at: AT } };
export const toppedUp = (credits_left: number): Event => ({
  type: "AlertToppedUp",
  data: { credits: 500, credits_left, topped_up_at: AT },
});
export const failed = (attempt: number, next_attempt_at: string | null, status = 500): Event => ({
  type: "AlertDeliveryFailed",
  data: {
    alert_id: id("a"),
    attempt,
    status,
    reason: `it answered ${status}`,
    next_attempt_at,
    failed_at: AT,
  },
});

export const failure: Failure = { status: 500, reason: "it answered 500", retry_after_s: null };
