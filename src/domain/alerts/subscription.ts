/**
 * A subscription to trade alerts: its anomalies, its webhook, and the credits that pay for deliveries. An alert is
 * one month of one series, reported once over all releases.
 */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { month, time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
import { flows } from "../trade/units.ts";
import { afterFailure, type Failure } from "../webhooks/backoff.ts";
import { rotationAt, type Secret } from "../webhooks/message.ts";
import {
  checkTests,
  disabledFacts,
  existingSubscription,
  failedFacts,
  firstSecrets,
  MOST_REASON,
  resumedFacts,
  rotated,
  rotatedFacts,
  withTest,
} from "../webhooks/subscription.ts";

/** Alerts that a new subscription may have delivered. */
export const FIRST_CREDITS = 100;
/** Alerts that a topup adds. */
export const TOPUP_CREDITS = 500;
/** The most alerts that wait for delivery; further ones are left to the next release. */
export const MOST_WAITING = 500;
export const MOST_SUBSCRIPTIONS = 100;

const credits_left = z.int().nonnegative();
const alert_id = z.string().regex(/^msg_[0-9a-f]{32}$/);

const findingShape = {
  reporter: z.string().regex(/^[A-Z]{2}$/),
  product: z.string().regex(/^\d{2,8}$/),
  flow: z.enum(flows),
  period: z
    .string()
    .regex(/^\d{4}-\d{2}$/)
    .describe("YYYY-MM."),
  direction: z.enum(["spike", "drop"]),
  value_eur: z.number(),
  base_eur: z.number(),
  z: z.number(),
  p_value: z.number(),
  p_adjusted: z.number(),
  dataset: z.string(),
  vintage: z.string(),
  synthetic: z.boolean(),
};

const firstFinding = z.strictObject({
  ...findingShape,
  deviation_eur: z.number().describe("The standard deviation of the twelve months before."),
});

/** The finding behind an alert of a month; value, base and deviations in EUR. */
export const finding = z.strictObject({
  ...findingShape,
  deviation_eur: z.number().describe("value − base: the actual month less the expected one."),
  standard_deviation_eur: z
    .number()
    .describe("Standard deviation of the twelve months before, at least 5 % of their mean."),
});

function withDeviation(old: object) {
  const { finding: found, ...alert } = old as { finding: z.infer<typeof firstFinding> };
  return {
    ...alert,
    finding: {
      ...found,
      deviation_eur: found.value_eur - found.base_eur,
      standard_deviation_eur: found.deviation_eur,
    },
  };
}

const firstWatch = z.strictObject({
  reporter: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .nullable(),
  hs: z
    .string()
    .regex(/^\d{2,8}$/)
    .nullable(),
  flow: z.enum(flows).nullable(),
  threshold: z.number().positive(),
  dataset: z.string().nullable(),
});

/** The anomalies to report: null = all. `threshold` is the least |z|; an open dataset is any real one. */
export const watch = firstWatch.extend({
  from: month.nullable().describe("The first month to report; it may lie in the future."),
});

const subscribedFacts = {
  subscription_id: z.string(),
  watch: firstWatch,
  url: z.string().max(2048),
  credits: z.int().positive(),
  subscribed_at: time,
};

const withoutStart = (old: object) => ({
  ...old,
  watch: { ...(old as { watch: z.infer<typeof firstWatch> }).watch, from: null },
});

export const events = {
  AlertSubscribed: {
    means: "Somebody subscribed to alerts, which are posted to a webhook.",
    1: z.strictObject(subscribedFacts),
    2: z.strictObject({ ...subscribedFacts, watch }),
    upcast: { 1: withoutStart },
  },
  AlertToppedUp: {
    means: "A subscription got more credits.",
    1: z.strictObject({ credits: z.int().positive(), credits_left, topped_up_at: time }),
  },
  SecretRotated: {
    means: "The secret that signs the messages of a subscription was changed.",
    1: rotatedFacts.describe(
      "The secret itself is made from the service's signing key and `rotation`, and is stored nowhere.",
    ),
  },
  AlertTriggered: {
    means: "A release matched a subscription.",
    1: z.strictObject({ alert_id, finding: firstFinding, triggered_at: time }),
    2: z.strictObject({ alert_id, finding, triggered_at: time }),
    upcast: { 1: withDeviation },
  },
  AlertDelivered: {
    means: "A webhook accepted an alert.",
    1: z.strictObject({
      alert_id,
      attempt: z.int().positive(),
      status: z.int(),
      credits_left,
      delivered_at: time,
    }),
  },
  AlertDeliveryFailed: {
    means: "A webhook did not accept an alert.",
    1: z.strictObject({ alert_id, ...failedFacts }),
  },
  AlertTested: {
    means: "A synthetic alert was sent, to show that a webhook works.",
    1: z
      .strictObject({ alert_id, tested_at: time })
      .describe("A synthetic alert is posted once, without delay, to show its owner that the webhook works."),
  },
  AlertPaused: {
    means: "A subscription has no credits left, and waits.",
    1: z
      .strictObject({ waiting: z.int().nonnegative(), paused_at: time })
      .describe("No credits are left: waiting alerts are stored until a topup."),
  },
  AlertDisabled: {
    means: "A subscription was disabled, because its webhook failed repeatedly.",
    1: disabledFacts,
  },
  AlertResumed: {
    means: "A disabled subscription to alerts delivers again.",
    1: resumedFacts,
  },
  AlertSubscriptionDeleted: {
    means: "A subscription was deleted by its owner.",
    1: z.strictObject({ deleted_at: time }),
  },
};

type Data<Type extends keyof typeof events> = DataOf<typeof events, Type>;
export type Finding = z.infer<typeof finding>;
export type Watch = z.infer<typeof watch>;
export type Subscribed = Data<"AlertSubscribed">;
export type SubscriptionEvent = EventOf<typeof events>;

/** An alert that is not delivered yet; `attempts` so far, the next one when `next_attempt_at` has come. */
export type Waiting = { finding: Finding; triggered_at: string; attempts: number; next_attempt_at: string };

export const statuses = ["active", "paused", "disabled", "deleted"] as const;

export type Subscription = {
  status: (typeof statuses)[number];
  facts: Subscribed;
  credits: number;
  delivered: number;
  /** The newest first. */
  secrets: readonly Secret[];
  /** All past alerts, so that none is reported twice. */
  reported: ReadonlySet<string>;
  waiting: ReadonlyMap<string, Waiting>;
  last_failure: Data<"AlertDeliveryFailed"> | null;
  last_delivered_at: string | null;
  /** The times of test events within the last hour, the oldest first. */
  tests: readonly string[];
  disabled: Data<"AlertDisabled"> | null;
};
export type SubscriptionState = Subscription | undefined;

export const prefix = "alert-subscription-";

export const streamOf = (id: string) => prefix + id;

export const initialState = (): SubscriptionState => undefined;

export function evolve(state: SubscriptionState, event: SubscriptionEvent): SubscriptionState {
  if (event.type === "AlertSubscribed") return newSubscription(event.data);
  if (!state) return state;
  switch (event.type) {
    case "AlertToppedUp": {
      const { credits_left: credits, topped_up_at } = event.data;
      const waiting = state.status === "disabled" ? afresh(state.waiting, topped_up_at) : state.waiting;
      return { ...state, status: "active", credits, waiting, disabled: null };
    }
    case "SecretRotated":
      return { ...state, secrets: rotated(state.secrets, event.data) };
    case "AlertTriggered": {
      const { alert_id: id, finding: found, triggered_at } = event.data;
      const alert = { finding: found, triggered_at, attempts: 0, next_attempt_at: triggered_at };
      const reported = new Set(state.reported).add(id);
      return { ...state, reported, waiting: new Map(state.waiting).set(id, alert) };
    }
    case "AlertDelivered": {
      const { alert_id: id, credits_left: credits, delivered_at: last_delivered_at } = event.data;
      const delivered = state.delivered + 1;
      return { ...state, credits, delivered, last_delivered_at, waiting: without(state.waiting, id) };
    }
    case "AlertDeliveryFailed": {
      const { alert_id: id, attempt: attempts, next_attempt_at, failed_at } = event.data;
      const alert = state.waiting.get(id);
      const waiting = new Map(state.waiting);
      if (alert) waiting.set(id, { ...alert, attempts, next_attempt_at: next_attempt_at ?? failed_at });
      return { ...state, waiting, last_failure: event.data };
    }
    case "AlertTested":
      return { ...state, tests: withTest(state.tests, event.data.tested_at) };
    case "AlertPaused":
      return { ...state, status: "paused" };
    case "AlertDisabled":
      return { ...state, status: "disabled", disabled: event.data };
    case "AlertResumed": {
      const waiting = afresh(state.waiting, event.data.resumed_at);
      return { ...state, status: "active", waiting, disabled: null };
    }
    case "AlertSubscriptionDeleted":
      return { ...state, status: "deleted", credits: 0, waiting: new Map() };
  }
}

const newSubscription = (facts: Subscribed): Subscription => ({
  status: "active",
  facts,
  credits: facts.credits,
  delivered: 0,
  secrets: firstSecrets,
  reported: new Set(),
  waiting: new Map(),
  last_failure: null,
  last_delivered_at: null,
  tests: [],
  disabled: null,
});

/** An address that was given up is tried from the beginning. */
const afresh = (waiting: Subscription["waiting"], next_attempt_at: string): Subscription["waiting"] =>
  new Map([...waiting].map(([id, alert]) => [id, { ...alert, attempts: 0, next_attempt_at }]));

function without(waiting: Subscription["waiting"], id: string): Subscription["waiting"] {
  const left = new Map(waiting);
  left.delete(id);
  return left;
}

export const subscribe =
  (facts: Subscribed) =>
  (state: SubscriptionState): SubscriptionEvent[] => {
    if (state) refuse("conflict", `subscription ${facts.subscription_id} exists already`);
    return [{ type: "AlertSubscribed", data: facts }];
  };

/** Adds credits; a paused or disabled subscription resumes with its waiting alerts. */
export const topUp =
  (credits: number, at: string) =>
  (state: SubscriptionState): SubscriptionEvent[] => {
    const credits_left = existingSubscription(state).credits + credits;
    return [{ type: "AlertToppedUp", data: { credits, credits_left, topped_up_at: at } }];
  };

/** Delivers again what waits, from the beginning; it adds no credits. */
export const resume =
  (at: string) =>
  (state: SubscriptionState): SubscriptionEvent[] => {
    const { status, credits } = existingSubscription(state);
    if (status === "active") return [];
    if (credits === 0) refuse("conflict", "no credits are left; add some with alerts_topup");
    return [{ type: "AlertResumed", data: { resumed_at: at } }];
  };

/** Sets a new secret; the old one also signs for a day. */
export const rotateSecret =
  (at: string) =>
  (state: SubscriptionState): SubscriptionEvent[] => [
    { type: "SecretRotated", data: rotationAt(existingSubscription(state).secrets, at) },
  ];

/** Sends a named test event in any status; it costs no credit, so it is limited. */
export const test =
  (id: string, at: string) =>
  (state: SubscriptionState): SubscriptionEvent[] => {
    checkTests(existingSubscription(state).tests, at);
    return [{ type: "AlertTested", data: { alert_id: id, tested_at: at } }];
  };

export const remove =
  (at: string) =>
  (state: SubscriptionState): SubscriptionEvent[] => {
    if (state?.status === "deleted") return [];
    existingSubscription(state);
    return [{ type: "AlertSubscriptionDeleted", data: { deleted_at: at } }];
  };

/** Reports findings under their alert ids; earlier reports, and those beyond the limit, are left out. */
export const trigger =
  (found: readonly { alert_id: string; finding: Finding }[], at: string) =>
  (state: SubscriptionState): SubscriptionEvent[] => {
    if (state?.status !== "active" && state?.status !== "paused") return [];
    const room = MOST_WAITING - state.waiting.size;
    return found
      .filter(({ alert_id: id }) => !state.reported.has(id))
      .slice(0, room)
      .map((alert) => ({ type: "AlertTriggered", data: { ...alert, triggered_at: at } }));
  };

/** The webhook took it: it costs a credit, and with the last one the subscription pauses. */
export const deliver =
  (id: string, status: number, at: string) =>
  (state: SubscriptionState): SubscriptionEvent[] => {
    const alert = state?.waiting.get(id);
    if (!state || !alert) return [];
    const credits = Math.max(0, state.credits - 1);
    const data = {
      alert_id: id,
      attempt: alert.attempts + 1,
      status,
      credits_left: credits,
      delivered_at: at,
    };
    const delivered: SubscriptionEvent = { type: "AlertDelivered", data };
    if (credits > 0 || state.status !== "active") return [delivered];
    return [delivered, { type: "AlertPaused", data: { waiting: state.waiting.size - 1, paused_at: at } }];
  };

/** The webhook failed: it is retried later, or the subscription is disabled. `chance` is in [0, 1). */
export const fail =
  (id: string, failure: Failure, chance: number, at: string) =>
  (state: SubscriptionState): SubscriptionEvent[] => {
    const alert = state?.waiting.get(id);
    if (!state || !alert) return [];
    const attempt = alert.attempts + 1;
    const { status } = failure;
    const reason = failure.reason.slice(0, MOST_REASON);
    const next = afterFailure(attempt, { ...failure, reason }, chance, at);
    const next_attempt_at = next.kind === "again" ? next.at : null;
    const failed: SubscriptionEvent = {
      type: "AlertDeliveryFailed",
      data: { alert_id: id, attempt, status, reason, next_attempt_at, failed_at: at },
    };
    if (next.kind === "again" || state.status === "disabled") return [failed];
    return [failed, { type: "AlertDisabled", data: { reason: next.reason, disabled_at: at } }];
  };
