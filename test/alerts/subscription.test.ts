/** A subscription's life as given events, when a decision, then events. */
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import * as evaluation from "../../src/domain/alerts/evaluation.ts";
import * as subscriptions from "../../src/domain/alerts/subscription.ts";
import { BACKOFF_S } from "../../src/domain/webhooks/backoff.ts";
import { refusedAs, specificationOf } from "../support/specification.ts";
import {
  AT,
  deleted,
  delivered,
  disabled,
  type Event,
  facts,
  failed,
  failure,
  finding,
  given,
  id,
  later,
  paused,
  resumed,
  subscribed,
  subscriptionAfter,
  toppedUp,
  triggered,
  withCredits,
} from "./histories.ts";

describe("a subscription", () => {
  test("starts once", () => {
    given([]).when(subscriptions.subscribe(facts)).then([subscribed]);
    given([subscribed]).when(subscriptions.subscribe(facts)).thenThrows(refusedAs("conflict"));
  });
  test("must exist", () => {
    for (const decision of [
      subscriptions.topUp(500, AT),
      subscriptions.resume(AT),
      subscriptions.rotateSecret(AT),
      subscriptions.remove(AT),
    ])
      given([]).when(decision).thenThrows(refusedAs("not-found"));
  });
  test("is deleted once, and then has no more alerts", () => {
    given([subscribed, triggered(id("a"))])
      .when(subscriptions.remove(AT))
      .then([deleted]);
    expect([subscribed, deleted].reduce(subscriptions.evolve, undefined as never)).toMatchObject({
      status: "deleted",
      credits: 0,
    });
    given([subscribed, deleted]).when(subscriptions.remove(AT)).thenNothingHappened();
    given([subscribed, deleted]).when(subscriptions.topUp(500, AT)).thenThrows(refusedAs("conflict"));
    given([subscribed, deleted]).when(subscriptions.rotateSecret(AT)).thenThrows(refusedAs("conflict"));
    const found = [{ alert_id: id("b"), finding }];
    given([subscribed, deleted]).when(subscriptions.trigger(found, AT)).thenNothingHappened();
    const gone = [subscribed, triggered(id("a")), deleted];
    given(gone)
      .when(subscriptions.deliver(id("a"), 200, AT))
      .thenNothingHappened();
    given(gone)
      .when(subscriptions.fail(id("a"), failure, 0, AT))
      .thenNothingHappened();
  });
});

test("an alert of the first version is read with its standard deviation under the current name", () => {
  const { deviation_eur: _, standard_deviation_eur, ...found } = finding;
  const stored = {
    alert_id: id("a"),
    finding: { ...found, deviation_eur: standard_deviation_eur },
    triggered_at: AT,
  };
  const { upcast, 1: first, 2: second } = subscriptions.events.AlertTriggered;
  expect(second.parse(upcast[1](first.parse(stored)))).toEqual({
    alert_id: id("a"),
    finding,
    triggered_at: AT,
  });
});

test("a subscription of the first version watches from any month", () => {
  const { from: _, ...watch } = facts.watch;
  const { upcast, 1: first, 2: second } = subscriptions.events.AlertSubscribed;
  expect(second.parse(upcast[1](first.parse({ ...facts, watch })))).toEqual({
    ...facts,
    watch: { ...watch, from: null },
  });
});

describe("alerts", () => {
  const found = ["a", "b"].map((digit) => ({ alert_id: id(digit), finding }));
  test("are reported once", () => {
    given([subscribed])
      .when(subscriptions.trigger(found, AT))
      .then([triggered(id("a")), triggered(id("b"))]);
    given([subscribed, triggered(id("a")), delivered(id("a"), 99)])
      .when(subscriptions.trigger(found, AT))
      .then([triggered(id("b"))]);
  });
  test("gather while the subscription is paused, and not while it is disabled", () => {
    given([subscribed, paused(0)])
      .when(subscriptions.trigger(found, AT))
      .then([triggered(id("a")), triggered(id("b"))]);
    given([subscribed, disabled]).when(subscriptions.trigger(found, AT)).thenNothingHappened();
  });
  test("wait in a limited number", () => {
    const many = Array.from({ length: subscriptions.MOST_WAITING + 5 }, (_, n) => ({
      alert_id: `msg_${n.toString(16).padStart(32, "0")}`,
      finding,
    }));
    const events = subscriptions.trigger(many, AT)(subscriptionAfter(subscribed));
    expect(events).toHaveLength(subscriptions.MOST_WAITING);
    expect(subscriptions.trigger(many, AT)(subscriptionAfter(subscribed, ...events))).toEqual([]);
  });
  test("cost a credit on delivery, and the last one pauses", () => {
    given([withCredits(2), triggered(id("a")), triggered(id("b"))])
      .when(subscriptions.deliver(id("a"), 200, AT))
      .then([delivered(id("a"), 1)]);
    given([withCredits(2), triggered(id("a")), triggered(id("b")), delivered(id("a"), 1), triggered(id("c"))])
      .when(subscriptions.deliver(id("b"), 200, AT))
      .then([delivered(id("b"), 0), paused(1)]);
    given([subscribed, triggered(id("a")), delivered(id("a"), 99)])
      .when(subscriptions.deliver(id("a"), 200, AT))
      .thenNothingHappened();
  });
  test("that wait survive a pause, and resume with a topup", () => {
    const story = [withCredits(1), triggered(id("a")), triggered(id("b")), delivered(id("a"), 0), paused(1)];
    given(story)
      .when(subscriptions.topUp(500, AT))
      .then([toppedUp(500)]);
    const state = subscriptionAfter(...story, toppedUp(500));
    expect(state).toMatchObject({ status: "active", credits: 500, delivered: 1 });
    expect([...state.waiting.keys()]).toEqual([id("b")]);
  });
});

describe("a failed attempt", () => {
  test("is followed by another with growing delays, and at last the subscription is disabled", () => {
    const story: Event[] = [subscribed, triggered(id("a"))];
    for (const [n, pause] of BACKOFF_S.entries()) {
      const expected = failed(n + 1, later(pause));
      given(story)
        .when(subscriptions.fail(id("a"), failure, 0, AT))
        .then([expected]);
      story.push(expected);
    }
    const last = BACKOFF_S.length + 1;
    given(story)
      .when(subscriptions.fail(id("a"), failure, 0, AT))
      .then([
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
      .then([
        failed(1, null, 410),
        {
          type: "AlertDisabled",
          data: { reason: "the webhook answered 410 Gone, which ends its alerts", disabled_at: AT },
        },
      ]);
  });
  test("is reset by a topup: waiting alerts are tried from the beginning", () => {
    const state = subscriptionAfter(subscribed, triggered(id("a")), failed(7, null), disabled, toppedUp(600));
    expect(state).toMatchObject({ status: "active", disabled: null, credits: 600 });
    expect(state.waiting.get(id("a"))).toMatchObject({ attempts: 0, next_attempt_at: AT });
  });
  test("is reset by a resumption, which adds no credits and needs some", () => {
    const story = [subscribed, triggered(id("a")), failed(7, null), disabled];
    given(story).when(subscriptions.resume(AT)).then([resumed]);
    const state = subscriptionAfter(...story, resumed);
    expect(state).toMatchObject({ status: "active", disabled: null, credits: 100 });
    expect(state.waiting.get(id("a"))).toMatchObject({ attempts: 0, next_attempt_at: AT });
    given([...story, resumed])
      .when(subscriptions.resume(AT))
      .thenNothingHappened();
    given([withCredits(1), triggered(id("a")), delivered(id("a"), 0), paused(0)])
      .when(subscriptions.resume(AT))
      .thenThrows(refusedAs("conflict"));
    given([subscribed, deleted]).when(subscriptions.resume(AT)).thenThrows(refusedAs("conflict"));
  });
  test("has a reason of limited length", () => {
    const long = { ...failure, reason: "a".repeat(10_000) };
    const state = subscriptionAfter(subscribed, triggered(id("a")), failed(6, later(5)));
    for (const { type, data } of subscriptions.fail(id("a"), long, 0, AT)(state))
      expect(subscriptions.events[type][1].safeParse(data).success).toBe(true);
  });
  test("costs nothing", () => {
    expect(subscriptionAfter(subscribed, triggered(id("a")), failed(1, later(5)))).toMatchObject({
      credits: 100,
      delivered: 0,
    });
  });
});

test("a release is evaluated once, an older one never after it", () => {
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
  const story = specificationOf(evaluation);
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

test("every event of a history fits its schema", () => {
  const state = subscriptionAfter(subscribed, triggered(id("a")));
  const made = [
    ...subscriptions.deliver(id("a"), 204, AT)(subscriptionAfter(withCredits(1), triggered(id("a")))),
    ...subscriptions.fail(id("a"), { status: 410, reason: "x", retry_after_s: null }, 0.5, AT)(state),
    ...subscriptions.rotateSecret(AT)(state),
    ...subscriptions.test(id("b"), AT)(state),
    ...subscriptions.topUp(500, AT)(state),
    ...subscriptions.resume(AT)(subscriptionAfter(subscribed, disabled)),
    ...subscriptions.remove(AT)(state),
    subscribed,
    triggered(id("a")),
  ];
  for (const { type, data } of made) {
    const declared: { 1: z.ZodType; 2?: z.ZodType } = subscriptions.events[type];
    (declared[2] ?? declared[1]).parse(data);
  }
  expect(new Set(made.map(({ type }) => type)).size).toBe(Object.keys(subscriptions.events).length);
});
