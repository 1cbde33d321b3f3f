/** Alerts over real HTTP to a real receiver: signed, retried, paid for, and delivered once. */

import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { App } from "../../src/core/app.ts";
import * as subscriptions from "../../src/domain/alerts/subscription.ts";
import { BACKOFF_S } from "../../src/domain/webhooks/backoff.ts";
import { secretOf, signingAt } from "../../src/domain/webhooks/message.ts";
import { aroundCommits, typesOf } from "../support/around-commits.ts";
import { replace } from "../support/replace.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import {
  decided,
  development,
  folded,
  stateOf,
  stoppedClock,
  storyOf,
  subscribed,
  takeAlertTurn,
  triggered,
} from "./delivery-setup.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

let service: Awaited<ReturnType<typeof startService>>;
let app: App;
let clock: ReturnType<typeof stoppedClock>;
let receiver: Receiver;
beforeAll(async () => {
  [service, receiver] = await Promise.all([startService({ env: development }), openReceiver()]);
  ({ app } = service);
  replace(app, { random: { bytes: (length) => new Uint8Array(length) } });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answers({ status: 204 });
  clock = stoppedClock();
  replace(app, { clock });
});

const turn = async (at = app) => {
  await folded(at);
  await takeAlertTurn(at);
};
const idsReceived = () => receiver.received.map(({ headers }) => headers["webhook-id"]);
const at = () => clock.now().toISOString();

test("an alert arrives once, signed, for a credit", async () => {
  const id = await subscribed(app, receiver.url);
  const [alert] = await triggered(app, id, 1);
  await turn();
  await turn();
  expect(idsReceived()).toEqual([alert]);
  const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
  const webhook = new Webhook(secretOf(app.signer, id, { rotation: 0 }));
  expect(webhook.verify(body, headers as Record<string, string>)).toMatchObject({
    type: "trade.anomaly",
    data: {
      alert_id: alert,
      subscription_id: id,
      reporter: "DE",
      product: "10",
      period: "2026-09",
      synthetic: false,
    },
  });
  expect(headers["content-type"]).toBe("application/json");
  expect(await stateOf(app, id)).toMatchObject({ status: "active", credits: 99, delivered: 1 });
  expect(await storyOf(app, id)).toEqual(["AlertSubscribed", "AlertTriggered", "AlertDelivered"]);
});

test("a failing webhook is retried with growing delays under the same id, then the subscription is disabled, and a topup restarts it", async () => {
  receiver.answers({ status: 500 });
  const id = await subscribed(app, receiver.url);
  const [alert] = await triggered(app, id, 1);
  for (const [n, pause] of BACKOFF_S.entries()) {
    await turn();
    expect(receiver.received).toHaveLength(n + 1);
    clock.pass(pause - 1);
    await turn();
    expect(receiver.received).toHaveLength(n + 1);
    clock.pass(1);
  }
  await turn();
  expect(idsReceived()).toEqual(Array.from({ length: BACKOFF_S.length + 1 }, () => alert));
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  expect(await stateOf(app, id)).toMatchObject({
    status: "disabled",
    credits: 100,
    disabled: { reason: "7 attempts failed, the last one: it answered 500" },
    last_failure: { attempt: 7, status: 500, next_attempt_at: null },
  });
  clock.pass(86_400);
  await turn();
  expect(receiver.received).toHaveLength(BACKOFF_S.length + 1);
  receiver.answers({ status: 200 });
  await decided(app, id, subscriptions.topUp(500, at()));
  await turn();
  expect(receiver.received).toHaveLength(BACKOFF_S.length + 2);
  expect(await stateOf(app, id)).toMatchObject({ status: "active", credits: 599, delivered: 1 });
});

test("an answer of 410 disables the subscription at once", async () => {
  receiver.answers({ status: 410 });
  const id = await subscribed(app, receiver.url);
  await triggered(app, id, 1);
  await turn();
  clock.pass(86_400);
  await turn();
  expect(receiver.received).toHaveLength(1);
  expect(await storyOf(app, id)).toEqual([
    "AlertSubscribed",
    "AlertTriggered",
    "AlertDeliveryFailed",
    "AlertDisabled",
  ]);
});

test("a busy webhook gets no request until its Retry-After", async () => {
  receiver.answers({ status: 503, headers: { "Retry-After": "900" } });
  const id = await subscribed(app, receiver.url);
  await triggered(app, id, 1);
  await turn();
  receiver.answers({ status: 200 });
  clock.pass(899);
  await turn();
  expect(receiver.received).toHaveLength(1);
  clock.pass(1);
  await turn();
  expect(receiver.received).toHaveLength(2);
  expect(await stateOf(app, id)).toMatchObject({ delivered: 1, credits: 99 });
});

test("a redirect is a failure, and so is an unreachable host", async () => {
  receiver.answers({ status: 302, headers: { Location: "http://169.254.169.254/" } });
  const gone = await openReceiver();
  await gone.close();
  const [redirected, lost] = [await subscribed(app, receiver.url), await subscribed(app, gone.url)];
  await triggered(app, redirected, 1);
  await triggered(app, lost, 1);
  await turn();
  expect((await stateOf(app, redirected)).last_failure).toMatchObject({
    status: 302,
    reason: "it answered 302; redirects are not followed",
  });
  expect((await stateOf(app, lost)).last_failure).toMatchObject({
    status: null,
    reason: "no connection",
  });
});

test("a subscription pauses with its last credit, and its waiting alerts are delivered after a topup", async () => {
  const id = await subscribed(app, receiver.url, 2);
  const alerts = await triggered(app, id, 5);
  for (let n = 0; n < 3; n++) await turn();
  expect(receiver.received).toHaveLength(2);
  expect(await stateOf(app, id)).toMatchObject({ status: "paused", credits: 0, delivered: 2 });
  await decided(app, id, subscriptions.topUp(subscriptions.TOPUP_CREDITS, at()));
  await turn();
  expect(idsReceived().toSorted()).toEqual(alerts.toSorted());
  expect(await stateOf(app, id)).toMatchObject({ status: "active", credits: 497, delivered: 5 });
});

test("a deleted subscription gets nothing more", async () => {
  const id = await subscribed(app, receiver.url);
  await triggered(app, id, 2);
  await decided(app, id, subscriptions.remove(at()));
  await turn();
  expect(receiver.received).toEqual([]);
});

test("for a day after a rotation both secrets verify, then only the new one", async () => {
  const id = await subscribed(app, receiver.url);
  await decided(app, id, subscriptions.rotateSecret(at()));
  await triggered(app, id, 1);
  await turn();
  const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
  for (const rotation of [0, 1])
    new Webhook(secretOf(app.signer, id, { rotation })).verify(body, headers as Record<string, string>);
  clock.pass(86_400);
  const later = { ...(await stateOf(app, id)), waiting: new Map() };
  expect(signingAt(later.secrets, at()).map(({ rotation }) => rotation)).toEqual([1]);
});

test("two processes that run ticks concurrently deliver once", async () => {
  const other = await startService({ env: development, beside: service });
  replace(other.app, { clock });
  const ids = [await subscribed(app, receiver.url), await subscribed(app, receiver.url)];
  const alerts: string[] = [];
  for (const id of ids) alerts.push(...(await triggered(app, id, 10)));
  receiver.answers((response) => void setTimeout(() => response.writeHead(204).end(), 20));
  for (let n = 0; n < 4; n++) await Promise.all([turn(), turn(other.app), turn(), turn(other.app)]);
  await other.stop();
  expect(idsReceived().toSorted()).toEqual(alerts.toSorted());
  for (const id of ids) expect(await stateOf(app, id)).toMatchObject({ delivered: 10, credits: 90 });
});

test("a running service delivers by itself, and a stopping one completes the post in progress", async () => {
  const running = await startService({ env: development, reactors: true });
  let release = () => {};
  receiver.answers((response) => {
    release = () => void response.writeHead(204).end();
  });
  const id = await subscribed(running.app, receiver.url);
  await triggered(running.app, id, 1);
  await until(() => expect(receiver.received).toHaveLength(1));
  const recorded: string[] = [];
  aroundCommits(running.app.store, async (commit, send) => {
    recorded.push(...typesOf(commit));
    return send();
  });
  const stopped = running.stop();
  release();
  await stopped;
  // Other reactors record events of their own.
  expect(recorded.filter((type) => type.startsWith("Alert"))).toEqual(["AlertDelivered"]);
});
