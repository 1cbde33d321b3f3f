/**
 * A subscription to notices: its kinds, its webhook, and how far they were delivered. Notices come in log order:
 * `through` is the position up to which all were taken, `ahead` are later ones that were taken while a subject failed.
 */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { madeId, time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
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
import { kindNames } from "./kinds.ts";

export const MOST_SUBSCRIPTIONS = 20;
/** Days that a notice stays; a webhook that has not taken it holds it longer. */
export const KEEP_DAYS = 90;
/** Notices beyond `through` among which those of other subjects still go out. */
export const WINDOW = 500;
/** While so many subjects fail, no other subject's notice goes out: the webhook itself is down. */
export const MOST_FAILING = 10;

const position = z.int().nonnegative();

export const events = {
  NoticesSubscribed: {
    means: "Somebody subscribed to notices, which are posted to a webhook.",
    1: z.strictObject({
      subscription_id: madeId,
      url: z.string().max(2048),
      kinds: z.array(z.enum(kindNames)).min(1),
      products: z
        .array(z.string().regex(/^\d{2,10}$/))
        .max(100)
        .describe("Only duties that apply to one of these codes; none: all."),
      after: position.describe("Notices of later positions are delivered."),
      subscribed_at: time,
    }),
  },
  NoticeSecretRotated: {
    means: "The secret that signs the notices of a subscription was changed.",
    1: rotatedFacts,
  },
  NoticesDelivered: {
    means: "A webhook accepted notices.",
    1: z.strictObject({
      count: z.int().positive(),
      through: position.describe("Every notice up to this position was accepted."),
      ahead: z
        .array(position)
        .max(WINDOW)
        .describe("Positions of later accepted notices, while a notice of another subject fails."),
      delivered_at: time,
    }),
  },
  NoticeDeliveryFailed: {
    means: "A webhook did not accept a notice.",
    1: z.strictObject({ notice: position, subject: z.string().max(300), ...failedFacts }),
  },
  NoticeTested: {
    means: "A test notice was sent, to show that a webhook works.",
    1: z.strictObject({ notice_id: z.string().max(100), tested_at: time }),
  },
  NoticesDisabled: {
    means: "A subscription to notices was disabled, because its webhook failed repeatedly.",
    1: disabledFacts,
  },
  NoticesResumed: {
    means: "A disabled subscription to notices delivers again.",
    1: resumedFacts,
  },
  NoticesUnsubscribed: {
    means: "A subscription to notices was ended by its owner.",
    1: z.strictObject({ unsubscribed_at: time }),
  },
};

type Data<Type extends keyof typeof events> = DataOf<typeof events, Type>;
export type Subscribed = Data<"NoticesSubscribed">;
export type SubscriptionEvent = EventOf<typeof events>;
type Failed = Data<"NoticeDeliveryFailed">;

export const statuses = ["active", "disabled", "deleted"] as const;

export type Subscription = {
  status: (typeof statuses)[number];
  facts: Subscribed;
  /** The newest first. */
  secrets: readonly Secret[];
  through: number;
  ahead: number[];
  /** The last failure of each subject whose next notice failed. */
  failing: Failed[];
  delivered: number;
  last_failure: Failed | null;
  last_delivered_at: string | null;
  /** The times of test events within the last hour, the oldest first. */
  tests: string[];
  disabled: Data<"NoticesDisabled"> | null;
};
export type SubscriptionState = Subscription | undefined;

export const prefix = "noticesubscription-";

export const fold_version = 1;

export const streamOf = (id: string) => prefix + id;

export const initialState = (): SubscriptionState => undefined;

export function evolve(state: SubscriptionState, { type, data }: SubscriptionEvent): SubscriptionState {
  if (type === "NoticesSubscribed")
    return {
      status: "active",
      facts: data,
      secrets: firstSecrets,
      through: data.after,
      ahead: [],
      failing: [],
      delivered: 0,
      last_failure: null,
      last_delivered_at: null,
      tests: [],
      disabled: null,
    };
  if (!state) return state;
  switch (type) {
    case "NoticeSecretRotated":
      return { ...state, secrets: rotated(state.secrets, data) };
    case "NoticesDelivered": {
      const { count, through, ahead, delivered_at } = data;
      const isTaken = (notice: number) => notice <= through || ahead.includes(notice);
      const failing = state.failing.filter(({ notice }) => !isTaken(notice));
      const delivered = state.delivered + count;
      return { ...state, through, ahead, failing, delivered, last_delivered_at: delivered_at };
    }
    case "NoticeDeliveryFailed": {
      const others = state.failing.filter(({ notice }) => notice !== data.notice);
      return { ...state, failing: [...others, data], last_failure: data };
    }
    case "NoticeTested":
      return { ...state, tests: withTest(state.tests, data.tested_at) };
    case "NoticesDisabled":
      return { ...state, status: "disabled", disabled: data };
    case "NoticesResumed":
      return { ...state, status: "active", disabled: null, failing: [] };
    case "NoticesUnsubscribed":
      return { ...state, status: "deleted", failing: [] };
  }
}

/** Until then the subject's next notice waits; undefined: it may go out. */
export const blockedUntil = ({ failing }: Subscription, subject: string): string | undefined =>
  failing.find((one) => one.subject === subject)?.next_attempt_at ?? undefined;

/** The next attempt of a notice that failed; null where none waits. */
export const nextAttemptAt = ({ status, failing }: Subscription): string | null =>
  (status === "active" && failing.flatMap((one) => one.next_attempt_at ?? []).sort()[0]) || null;

export const subscribe =
  (facts: Subscribed) =>
  (state: SubscriptionState): SubscriptionEvent[] => {
    if (state) refuse("conflict", `subscription ${facts.subscription_id} exists already`);
    return [{ type: "NoticesSubscribed", data: facts }];
  };

/** Sets a new secret; the old one also signs for a day. */
export const rotateSecret =
  (at: string) =>
  (state: SubscriptionState): SubscriptionEvent[] => [
    { type: "NoticeSecretRotated", data: rotationAt(existingSubscription(state).secrets, at) },
  ];

/** Sends a test notice in any status; it is limited, because it costs nothing. */
export const test =
  (notice_id: string, at: string) =>
  (state: SubscriptionState): SubscriptionEvent[] => {
    checkTests(existingSubscription(state).tests, at);
    return [{ type: "NoticeTested", data: { notice_id, tested_at: at } }];
  };

/** Goes on where it stopped: nothing that waited is lost. */
export const resume =
  (at: string) =>
  (state: SubscriptionState): SubscriptionEvent[] =>
    existingSubscription(state).status === "active"
      ? []
      : [{ type: "NoticesResumed", data: { resumed_at: at } }];

export const unsubscribe =
  (at: string) =>
  (state: SubscriptionState): SubscriptionEvent[] => {
    if (state?.status === "deleted") return [];
    existingSubscription(state);
    return [{ type: "NoticesUnsubscribed", data: { unsubscribed_at: at } }];
  };

/** `taken`: the notices that the webhook took since; `open`: those that it has not taken, oldest first. */
export type Delivery = {
  taken: readonly number[];
  open: readonly number[];
  failed: readonly { notice: number; subject: string; failure: Failure; chance: number }[];
};

/** Records an attempt of several notices; notices that another process recorded are left out. */
export const deliver =
  ({ taken, open, failed }: Delivery, at: string) =>
  (state: SubscriptionState): SubscriptionEvent[] => {
    if (state?.status !== "active") return [];
    const isNew = (notice: number) => notice > state.through && !state.ahead.includes(notice);
    const news = taken.filter(isNew);
    const delivered: SubscriptionEvent[] = news.length === 0 ? [] : [taking(state, news, open, at)];
    const failures = failed.filter(({ notice }) => isNew(notice)).flatMap((one) => failing(state, one, at));
    const end = failures.findIndex(({ type }) => type === "NoticesDisabled");
    return [...delivered, ...(end < 0 ? failures : failures.slice(0, end + 1))];
  };

function taking(
  { through, ahead }: Subscription,
  news: readonly number[],
  open: readonly number[],
  delivered_at: string,
): SubscriptionEvent {
  const all = [...ahead, ...news].sort((a, b) => a - b);
  const firstOpen = open[0] ?? Number.POSITIVE_INFINITY;
  const data = {
    count: news.length,
    through: Math.max(through, ...all.filter((notice) => notice < firstOpen)),
    ahead: all.filter((notice) => notice > firstOpen),
    delivered_at,
  };
  return { type: "NoticesDelivered", data };
}

function failing(
  state: Subscription,
  { notice, subject, failure, chance }: Delivery["failed"][number],
  at: string,
): SubscriptionEvent[] {
  const attempt = (state.failing.find((one) => one.notice === notice)?.attempt ?? 0) + 1;
  const reason = failure.reason.slice(0, MOST_REASON);
  const next = afterFailure(attempt, { ...failure, reason }, chance, at);
  const next_attempt_at = next.kind === "again" ? next.at : null;
  const { status } = failure;
  const failed: SubscriptionEvent = {
    type: "NoticeDeliveryFailed",
    data: { notice, subject, attempt, status, reason, next_attempt_at, failed_at: at },
  };
  if (next.kind === "again") return [failed];
  return [failed, { type: "NoticesDisabled", data: { reason: next.reason, disabled_at: at } }];
}
