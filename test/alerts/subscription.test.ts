/** A subscription's life as given events, when a decision, then events. */
import { DeciderSpecification } from "@event-driven-io/emmett";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import {
  afterFailure,
  BACKOFF_S,
  type Failure,
  JITTER,
  retryAfterSeconds,
} from "../../src/domain/alerts/backoff.ts";
import * as evaluation from "../../src/domain/alerts/evaluation.ts";
import { alertIdOf, isWatched, messageOf, secretOf } from "../../src/domain/alerts/message.ts";
import * as subscriptions from "../../src/domain/alerts/subscription.ts";
import type { Signer } from "../../src/domain/ports.ts";
import { Refusal, type RefusalCode } from "../../src/domain/refusal.ts";
import { AT, facts, finding, later } from "./stories.ts";

type Event = subscriptions.SubscriptionEvent;
type State = subscriptions.SubscriptionState;

/** As emmett's DeciderSpecification, which does not compare facts that may be null. */
const given = (events: Event[]) => ({
  when: (decision: (state: State) => Event[]) => {
    const decide = () => decision(events.reduce(subscriptions.evolve, subscriptions.initialState()));
    return {
      follows: (expected: Event[]) => expect(decide()).toEqual(expected),
      nothingFollows: () => expect(decide()).toEqual([]),
      isRefused: (code: RefusalCode) =>
        expect(decide).toThrow(expect.toSatisfy((error) => error instanceof Refusal && error.code === code)),
    };
  },
});
const told = (...events: Event[]) => {
  const state = events.reduce(subscriptions.evolve, subscriptions.initialState());
  if (state.status === "unknown") throw new Error("a story begins with AlertSubscribed");
  return state;
};

const id = (digit: string) => `msg_${digit.repeat(32)}`;
const subscribed: Event = { type: "AlertSubscribed", data: facts };
const withCredits = (credits: number): Event => ({ type: "AlertSubscribed", data: { ...facts, credits } });
const triggered = (alert_id: string): Event => ({
  type: "AlertTriggered",
  data: { alert_id, finding, triggered_at: AT },
});
const delivered = (alert_id: string, credits_left: number, attempt = 1): Event => ({
  type: "AlertDelivered",
  data: { alert_id, attempt, status: 200, credits_left, delivered_at: AT },
});
const paused = (waiting: number): Event => ({ type: "AlertPaused", data: { waiting, paused_at: AT } });
const disabled: Event = { type: "AlertDisabled", data: { reason: "gone", disabled_at: AT } };
const deleted: Event = { type: "AlertSubscriptionDeleted", data: { deleted_at: AT } };
const toppedUp = (credits_left: number): Event => ({
  type: "AlertToppedUp",
  data: { credits: 500, credits_left, topped_up_at: AT },
});
const failed = (attempt: number, next_attempt_at: string | null, status = 500): Event => ({
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
const failure: Failure = { status: 500, reason: "it answered 500", retry_after_s: null };

describe("a subscription", () => {
  test("begins once", () => {
    given([]).when(subscriptions.subscribe(facts)).follows([subscribed]);
    given([subscribed]).when(subscriptions.subscribe(facts)).isRefused("conflict");
  });
  test("must be there", () => {
    for (const decision of [
      subscriptions.topUp(500, AT),
      subscriptions.rotateSecret(AT),
      subscriptions.remove(AT),
    ])
      given([]).when(decision).isRefused("not_found");
  });
  test("is deleted once, and then nothing more comes of it", () => {
    given([subscribed, triggered(id("a"))])
      .when(subscriptions.remove(AT))
      .follows([deleted]);
    given([subscribed, deleted]).when(subscriptions.remove(AT)).nothingFollows();
    given([subscribed, deleted]).when(subscriptions.topUp(500, AT)).isRefused("conflict");
    given([subscribed, deleted]).when(subscriptions.rotateSecret(AT)).isRefused("conflict");
    const found = [{ alert_id: id("b"), finding }];
    given([subscribed, deleted]).when(subscriptions.trigger(found, AT)).nothingFollows();
    const gone = [subscribed, triggered(id("a")), deleted];
    given(gone)
      .when(subscriptions.deliver(id("a"), 200, AT))
      .nothingFollows();
    given(gone)
      .when(subscriptions.fail(id("a"), failure, 0, AT))
      .nothingFollows();
  });
});

describe("alerts", () => {
  const found = ["a", "b"].map((digit) => ({ alert_id: id(digit), finding }));
  test("are told once", () => {
    given([subscribed])
      .when(subscriptions.trigger(found, AT))
      .follows([triggered(id("a")), triggered(id("b"))]);
    given([subscribed, triggered(id("a")), delivered(id("a"), 99)])
      .when(subscriptions.trigger(found, AT))
      .follows([triggered(id("b"))]);
  });
  test("gather while the subscription is paused, and not while it is disabled", () => {
    given([subscribed, paused(0)])
      .when(subscriptions.trigger(found, AT))
      .follows([triggered(id("a")), triggered(id("b"))]);
    given([subscribed, disabled]).when(subscriptions.trigger(found, AT)).nothingFollows();
  });
  test("wait in a bounded number", () => {
    const many = Array.from({ length: subscriptions.MOST_WAITING + 5 }, (_, n) => ({
      alert_id: `msg_${n.toString(16).padStart(32, "0")}`,
      finding,
    }));
    const events = subscriptions.trigger(many, AT)(told(subscribed));
    expect(events).toHaveLength(subscriptions.MOST_WAITING);
    expect(subscriptions.trigger(many, AT)(told(subscribed, ...events))).toEqual([]);
  });
  test("cost a credit when they are delivered, and the last one pauses", () => {
    given([withCredits(2), triggered(id("a")), triggered(id("b"))])
      .when(subscriptions.deliver(id("a"), 200, AT))
      .follows([delivered(id("a"), 1)]);
    given([withCredits(2), triggered(id("a")), triggered(id("b")), delivered(id("a"), 1), triggered(id("c"))])
      .when(subscriptions.deliver(id("b"), 200, AT))
      .follows([delivered(id("b"), 0), paused(1)]);
    given([subscribed, triggered(id("a")), delivered(id("a"), 99)])
      .when(subscriptions.deliver(id("a"), 200, AT))
      .nothingFollows();
  });
  test("that wait are kept over a pause, and go on with a topup", () => {
    const story = [withCredits(1), triggered(id("a")), triggered(id("b")), delivered(id("a"), 0), paused(1)];
    given(story)
      .when(subscriptions.topUp(500, AT))
      .follows([toppedUp(500)]);
    const state = told(...story, toppedUp(500));
    expect(state).toMatchObject({ status: "active", credits: 500, delivered: 1 });
    expect([...state.waiting.keys()]).toEqual([id("b")]);
  });
});

describe("a failed attempt", () => {
  test("is followed by another, later and later, and at last the subscription is disabled", () => {
    const story: Event[] = [subscribed, triggered(id("a"))];
    for (const [n, pause] of BACKOFF_S.entries()) {
      const expected = failed(n + 1, later(pause));
      given(story)
        .when(subscriptions.fail(id("a"), failure, 0, AT))
        .follows([expected]);
      story.push(expected);
    }
    const last = BACKOFF_S.length + 1;
    given(story)
      .when(subscriptions.fail(id("a"), failure, 0, AT))
      .follows([
        failed(last, null),
        {
          type: "AlertDisabled",
          data: { reason: `${last} attempts failed, the last one: it answered 500`, disabled_at: AT },
        },
      ]);
  });
  test("with 410 disables at once", () => {
    given([subscribed, triggered(id("a"))])
      .when(
        subscriptions.fail(id("a"), { status: 410, reason: "it answered 410", retry_after_s: null }, 0, AT),
      )
      .follows([
        failed(1, null, 410),
        {
          type: "AlertDisabled",
          data: { reason: "the webhook answered 410 Gone: it wants no more alerts", disabled_at: AT },
        },
      ]);
  });
  test("is forgiven by a topup: what waits is tried from the beginning", () => {
    const state = told(subscribed, triggered(id("a")), failed(7, null), disabled, toppedUp(600));
    expect(state).toMatchObject({ status: "active", disabled: null, credits: 600 });
    expect(state.waiting.get(id("a"))).toMatchObject({ attempts: 0, next_attempt_at: AT });
  });
  test("has a reason of bounded length", () => {
    const long = { ...failure, reason: "a".repeat(10_000) };
    const state = told(subscribed, triggered(id("a")), failed(6, later(5)));
    for (const { type, data } of subscriptions.fail(id("a"), long, 0, AT)(state))
      expect(subscriptions.events[type][1].safeParse(data).success).toBe(true);
  });
  test("costs nothing", () => {
    expect(told(subscribed, triggered(id("a")), failed(1, later(5)))).toMatchObject({
      credits: 100,
      delivered: 0,
    });
  });
});

describe("the pause before the next attempt", () => {
  const secondsOf = (attempt: number, of: Failure, chance = 0) => {
    const next = afterFailure(attempt, of, chance, AT);
    return next.kind === "again" ? (Date.parse(next.at) - Date.parse(AT)) / 1000 : next.kind;
  };
  test("is lengthened by chance, never shortened", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, chance) => {
          const pause = BACKOFF_S[attempt - 1]!;
          const seconds = Number(secondsOf(attempt, failure, chance));
          expect(seconds).toBeGreaterThanOrEqual(pause);
          expect(seconds).toBeLessThanOrEqual(pause * (1 + JITTER));
        },
      ),
    );
  });
  test.each([
    [429, 60, 60],
    [503, 60, 60],
    [503, 1, 5],
    [429, 10_000_000, 86_400],
    [500, 60, 5],
    [null, 60, 5],
  ])("status %s that asks for %i s: %i s", (status, retry_after_s, expected) => {
    expect(secondsOf(1, { status, reason: "", retry_after_s })).toBe(expected);
  });
  test.each([
    [undefined, null],
    ["120", 120],
    [" 7 ", 7],
    ["Sat, 21 Nov 2026 12:01:30 GMT", 90],
    ["Sat, 21 Nov 2026 11:00:00 GMT", 0],
    ["soon", null],
  ])("Retry-After: %s", (header, expected) => {
    expect(retryAfterSeconds(header, new Date(AT))).toBe(expected);
  });
});

const signerOf = (key: string): Signer => ({
  kid: "k",
  public_key: { kty: "OKP", crv: "Ed25519", x: "" },
  sign: (bytes) => Buffer.concat([Buffer.from(key), bytes]),
});

describe("secrets", () => {
  const rotated = (rotation: number, at = AT): Event => ({
    type: "SecretRotated",
    data: { rotation, old_until: new Date(Date.parse(at) + 86_400_000).toISOString(), rotated_at: at },
  });
  test("differ by key, subscription and rotation, and stay the same otherwise", () => {
    const secrets = [
      secretOf(signerOf("k"), "s", { rotation: 0 }),
      secretOf(signerOf("K"), "s", { rotation: 0 }),
      secretOf(signerOf("k"), "t", { rotation: 0 }),
      secretOf(signerOf("k"), "s", { rotation: 1 }),
    ];
    expect(new Set(secrets).size).toBe(4);
    expect(secretOf(signerOf("k"), "s", { rotation: 0 })).toBe(secrets[0]);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), "base64")).toHaveLength(32);
    }
  });
  test("are rotated; the old one signs for a day more", () => {
    given([subscribed])
      .when(subscriptions.rotateSecret(AT))
      .follows([rotated(1)]);
    const state = told(subscribed, rotated(1));
    const rotations = (at: string) => subscriptions.signing(state, at).map(({ rotation }) => rotation);
    expect(rotations(later(86_399))).toEqual([1, 0]);
    expect(rotations(later(86_400))).toEqual([1]);
    given([subscribed, rotated(1)])
      .when(subscriptions.rotateSecret(later(9)))
      .follows([rotated(2, later(9))]);
  });
  test("that sign at once are few", () => {
    const often = [subscribed, rotated(1), rotated(2), rotated(3), rotated(4)];
    given(often).when(subscriptions.rotateSecret(AT)).isRefused("conflict");
    given(often)
      .when(subscriptions.rotateSecret(later(86_400)))
      .follows([rotated(5, later(86_400))]);
    expect(told(...often, rotated(5, later(86_400))).secrets).toHaveLength(2);
  });

  const alertId = alertIdOf(facts.subscription_id, finding);
  const alert = { finding, triggered_at: AT, attempts: 0, next_attempt_at: AT };
  test("sign a message that the library verifies, with the old secret and the new one, and no other", () => {
    const now = new Date();
    const signer = signerOf("k");
    const state = told(subscribed, rotated(1, now.toISOString()));
    const { body, headers } = messageOf(signer, state, alertId, alert, now);
    for (const rotation of [0, 1]) {
      const secret = secretOf(signer, facts.subscription_id, { rotation });
      expect(new Webhook(secret).verify(body, headers)).toMatchObject({
        type: "trade.anomaly",
        data: { alert_id: alertId, period: "2026-09" },
      });
    }
    const other = new Webhook(secretOf(signer, facts.subscription_id, { rotation: 2 }));
    expect(() => other.verify(body, headers)).toThrow();
    const newest = new Webhook(secretOf(signer, facts.subscription_id, { rotation: 1 }));
    expect(() => newest.verify(body.replace("2026-09", "2026-08"), headers)).toThrow();
  });
  test("has the same body, whatever order its fields were read in", () => {
    const reversed = Object.fromEntries(Object.entries(finding).reverse()) as subscriptions.Finding;
    const bodyOf = (found: subscriptions.Finding) =>
      messageOf(signerOf("k"), told(subscribed), alertId, { ...alert, finding: found }, new Date(AT)).body;
    expect(bodyOf(reversed)).toBe(bodyOf(finding));
  });
  test("a later attempt has the same id and body", () => {
    const attempt = (at: string) => messageOf(signerOf("k"), told(subscribed), alertId, alert, new Date(at));
    const [first, second] = [attempt(AT), attempt(later(300))];
    expect(second.body).toBe(first.body);
    expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
    expect(second.headers["webhook-timestamp"]).not.toBe(first.headers["webhook-timestamp"]);
  });
});

describe("an alert's name", () => {
  const idOf = (change: Partial<subscriptions.Finding>) => alertIdOf("s", { ...finding, ...change });
  test("is the same in every vintage", () => {
    expect(idOf({ vintage: "b".repeat(64), z: 9, value_eur: 1 })).toBe(idOf({}));
  });
  test.each([{ reporter: "FR" }, { product: "45" }, { flow: "EXPORT" as const }, { period: "2026-08" }])(
    "differs for %j",
    (change) => expect(idOf(change)).not.toBe(idOf({})),
  );
});

test.each<[Partial<subscriptions.Watch>, Partial<subscriptions.Finding>, boolean]>([
  [{}, {}, true],
  [{ reporter: "FR" }, {}, false],
  [{ reporter: null }, { reporter: "FR" }, true],
  [{ hs: "44" }, {}, true],
  [{ hs: "45" }, {}, false],
  [{ hs: "440710" }, { product: "440710" }, true],
  [{ hs: null }, { product: "440710" }, false],
  [{ flow: "EXPORT" }, {}, false],
  [{ threshold: 15 }, {}, true],
  [{ threshold: 15.1 }, {}, false],
  [{}, { z: -15, direction: "drop" }, true],
  [{}, { synthetic: true }, false],
  [{ dataset: "sandbox" }, {}, false],
  [{ dataset: "comext" }, {}, true],
  [{ dataset: "sandbox" }, { synthetic: true, dataset: "sandbox" }, true],
])("a watch for %j and a finding with %j: %s", (watch, change, expected) => {
  expect(isWatched({ ...facts.watch, ...watch }, { ...finding, ...change })).toBe(expected);
});

test("a release is looked through once, an older one never after it", () => {
  const evaluated = (release_position: number): evaluation.EvaluationEvent => ({
    type: "AlertsEvaluated",
    data: {
      dataset: "comext",
      vintage: "v",
      release_position,
      subscriptions: 1,
      significant: 1,
      evaluated_at: AT,
    },
  });
  const story = DeciderSpecification.for({
    decide: (
      decision: (state: evaluation.EvaluationState) => evaluation.EvaluationEvent[],
      state: evaluation.EvaluationState,
    ) => decision(state),
    evolve: evaluation.evolve,
    initialState: evaluation.initialState,
  });
  const decision = evaluation.evaluated(evaluated(7).data);
  story([])
    .when(decision)
    .then([evaluated(7)]);
  story([evaluated(7)])
    .when(decision)
    .thenNothingHappened();
  story([evaluated(8)])
    .when(decision)
    .thenNothingHappened();
});

test("every event of a story fits its schema", () => {
  const state = told(subscribed, triggered(id("a")));
  const made = [
    ...subscriptions.deliver(id("a"), 204, AT)(told(withCredits(1), triggered(id("a")))),
    ...subscriptions.fail(id("a"), { status: 410, reason: "x", retry_after_s: null }, 0.5, AT)(state),
    ...subscriptions.rotateSecret(AT)(state),
    ...subscriptions.topUp(500, AT)(state),
    ...subscriptions.remove(AT)(state),
    subscribed,
    triggered(id("a")),
  ];
  for (const { type, data } of made) subscriptions.events[type][1].parse(data);
  expect(new Set(made.map(({ type }) => type)).size).toBe(Object.keys(subscriptions.events).length);
});
