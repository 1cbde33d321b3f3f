/** A service that delivers alerts to a receiver of the test's own, on a clock that the test moves. */
import type { App } from "../../src/core/app.ts";
import { alertIdOf } from "../../src/domain/alerts/message.ts";
import * as subscriptions from "../../src/domain/alerts/subscription.ts";
import { existingSubscription } from "../../src/domain/webhooks/subscription.ts";
import { alertsProjection } from "../../src/projections/alerts/subscriptions.ts";
import { deliveriesReactor } from "../../src/reactors/alerts/deliver.ts";
import { evaluationsReactor } from "../../src/reactors/alerts/evaluate.ts";
import { turn } from "../support/turns.ts";
import { LIMIT_MS } from "../support/until.ts";
import { finding } from "./histories.ts";

/** Receivers listen on any free port. */
export const development = { ALLOW_PRIVATE_WEBHOOKS: "1", WEBHOOK_PORTS: "1024-65535" };
export const TENANT = "acme";
const meta = { actor: "test", operation: "test" };

/** A clock that stops until the test advances it. */
export function stoppedClock(start = new Date()) {
  let now = start.getTime();
  return {
    now: () => new Date(now),
    pass: (seconds: number) => {
      now += seconds * 1000;
    },
  };
}

/** Evaluates releases, then delivers due alerts; throws a failure. */
export async function takeAlertTurn(app: App): Promise<void> {
  for (const reactor of [evaluationsReactor, deliveriesReactor]) {
    const { status, reason } = await turn(app, reactor, { patient: true });
    if (status !== "done") throw new Error(reason);
  }
}

let made = 0;

/** Subscribes a URL, without a call; answers the subscription's id. */
export async function subscribed(app: App, url: string, credits = 100): Promise<string> {
  const id = (++made).toString(16).padStart(32, "0");
  const facts: subscriptions.Subscribed = {
    subscription_id: id,
    watch: { reporter: "DE", hs: null, flow: null, threshold: 3, dataset: null, from: null },
    url,
    credits,
    subscribed_at: app.clock.now().toISOString(),
  };
  await app.decide(subscriptions, { tenant: TENANT, id }, subscriptions.subscribe(facts), { meta });
  return id;
}

/** Triggers alerts of this many chapters, which are due then; returns their ids. */
export async function triggered(app: App, id: string, count: number): Promise<string[]> {
  const found = Array.from({ length: count }, (_, n) => {
    const one = { ...finding, product: String(n + 10) };
    return { alert_id: alertIdOf(id, one), finding: one };
  });
  const decision = subscriptions.trigger(found, app.clock.now().toISOString());
  await app.decide(subscriptions, { tenant: TENANT, id }, decision, { meta });
  await folded(app);
  return found.map(({ alert_id }) => alert_id);
}

/** Decides on a subscription as its owner would. */
export async function decided(
  app: App,
  id: string,
  decision: (state: subscriptions.SubscriptionState) => subscriptions.SubscriptionEvent[],
): Promise<void> {
  await app.decide(subscriptions, { tenant: TENANT, id }, decision, { meta });
  await folded(app);
}

/** Waits until the read model has everything that is in the log. */
export async function folded(app: App): Promise<void> {
  const { position } = await app.store.head();
  if (!(await app.runner.reached(alertsProjection, position, LIMIT_MS)))
    throw new Error("alerts are not folded");
}

/** The subscription as the log has it. */
export async function stateOf(app: App, id: string): Promise<subscriptions.Subscription> {
  return existingSubscription(await app.load(subscriptions, { tenant: TENANT, id }));
}

/** The types of a subscription's events, in order. */
export async function storyOf(app: App, id: string): Promise<string[]> {
  const stream_id = subscriptions.streamOf(id);
  return (await app.store.readStream({ tenant: TENANT, stream_id })).map(({ type }) => type);
}
