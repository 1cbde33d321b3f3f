/** Posts due alerts to their webhooks, and records the results. */
import type { App } from "../../core/app.ts";
import { idleUntil, reactor, type Outcome as TickOutcome } from "../../core/background/reactor.ts";
import { messageOf } from "../../domain/alerts/message.ts";
import type { SubscriptionEvent, SubscriptionState } from "../../domain/alerts/subscription.ts";
import * as subscriptions from "../../domain/alerts/subscription.ts";
import {
  alertsProjection,
  type DueAlert,
  dueAlerts,
  nextAttempt,
} from "../../projections/alerts/subscriptions.ts";
import { type Outcome, post } from "../webhooks/post.ts";

const AT_ONCE = 50;
/** Alerts of one subscription in a tick, so that one slow webhook does not delay all others. */
const EACH = 5;
const A_TURN = 500;

const meta = { actor: "reactor:alerts", operation: "alerts.deliver" };

export const deliveriesReactor = reactor({
  name: "alert-deliveries",
  every_ms: 1_000,
  memory: () => ({}),
  take: ({ app, signal }) => deliverDue(app, signal),
  failures: { failed: "alerts cannot be delivered; trying again" },
  resumed: "alerts are delivered again",
});

/** Delivers due alerts. After a crash between a post and its record the alert is posted again, under the same id. */
async function deliverDue(app: App, signal: AbortSignal): Promise<TickOutcome<"done">> {
  const isCurrent = await app.caughtUp(alertsProjection);
  const at = app.clock.now().toISOString();
  const due = await dueAlerts(app.pool, { at, each: EACH, limit: A_TURN });
  const worker = async () => {
    for (let next = due.shift(); next && !signal.aborted; next = due.shift()) await deliver(app, next);
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(AT_ONCE, due.length) }, worker));
  const failed = ended.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
  return isCurrent ? idleUntil(await nextAttempt(app.pool)) : "done";
}

async function deliver(app: App, { alert_id, subscription_id: id, tenant }: DueAlert): Promise<void> {
  const target = { tenant, id };
  const now = app.clock.now();
  // The read model may lag behind a recent delivery, pause or deletion.
  const state = await app.load(subscriptions, target);
  if (state?.status !== "active") return;
  const alert = state.waiting.get(alert_id);
  if (!alert || alert.next_attempt_at > now.toISOString()) return;
  const outcome = await post(app, messageOf(app.signer, state, alert_id, alert, now));
  await app.decide(subscriptions, target, outcomeOf(app, alert_id, outcome), { meta });
}

function outcomeOf(
  app: App,
  alertId: string,
  outcome: Outcome,
): (state: SubscriptionState) => SubscriptionEvent[] {
  const at = app.clock.now().toISOString();
  if (outcome.kind === "taken") return subscriptions.deliver(alertId, outcome.status, at);
  const chance = Buffer.from(app.random.bytes(4)).readUInt32BE() / 2 ** 32;
  return subscriptions.fail(alertId, outcome.failure, chance, at);
}
