/** The body of a webhook: the alert as JSON, signed by the Standard Webhooks scheme (www.standardwebhooks.com). */
import { hash } from "node:crypto";
import type { Signer } from "../../core/model/ports/signer.ts";
import { signedMessage, type WebhookMessage } from "../webhooks/message.ts";
import type { Finding, Subscription, Waiting, Watch } from "./subscription.ts";

/** The `type` of every alert that is sent. */
export const ALERT_TYPE = "trade.anomaly";

/** The `type` of a test event that the owner requested. */
export const TEST_TYPE = "trade.anomaly.test";

/**
 * The id of an alert, which is also its `webhook-id`: the same for the same month of the same series in every
 * release.
 */
export const alertIdOf = (subscriptionId: string, { reporter, product, flow, period }: Finding) =>
  `msg_${hash("sha256", [subscriptionId, reporter, product, flow, period].join("\n")).slice(0, 32)}`;

/** One attempt's message: its id and body are the same in every attempt; the time and signature are the attempt's. */
export function messageOf(
  signer: Signer,
  subscription: Subscription,
  alertId: string,
  { finding, triggered_at }: Pick<Waiting, "finding" | "triggered_at">,
  at: Date,
  type: typeof ALERT_TYPE | typeof TEST_TYPE = ALERT_TYPE,
): WebhookMessage {
  const { subscription_id, url } = subscription.facts;
  const data = { alert_id: alertId, subscription_id, ...finding };
  const signing = { subscription_id, url, secrets: subscription.secrets };
  return signedMessage(signer, signing, alertId, { type, timestamp: triggered_at, data }, at);
}

/** An alert as the subscription might get one, with figures that are nobody's. */
export function testMessage(
  signer: Signer,
  subscription: Subscription,
  alertId: string,
  at: Date,
): WebhookMessage {
  const { reporter, hs, flow, dataset } = subscription.facts.watch;
  const finding: Finding = {
    reporter: reporter ?? "LV",
    product: hs ?? "44",
    flow: flow ?? "IMPORT",
    period: at.toISOString().slice(0, 7),
    direction: "spike",
    value_eur: 3_000_000,
    base_eur: 1_000_000,
    deviation_eur: 2_000_000,
    standard_deviation_eur: 250_000,
    z: 8,
    p_value: 0.0001,
    p_adjusted: 0.001,
    dataset: dataset ?? "test",
    vintage: "0".repeat(64),
    synthetic: true,
  };
  const alert = { finding, triggered_at: at.toISOString() };
  return messageOf(signer, subscription, alertId, alert, at, TEST_TYPE);
}

/** True for a finding that a subscription watches; the finding's `product` is the one requested. */
export function isWatched(watch: Watch, finding: Finding): boolean {
  const { reporter, hs, flow, threshold, dataset, from } = watch;
  return (
    (reporter === null || reporter === finding.reporter) &&
    (hs === null ? finding.product.length === 2 : hs === finding.product) &&
    (flow === null || flow === finding.flow) &&
    Math.abs(finding.z) >= threshold &&
    (from === null || finding.period >= from) &&
    (dataset === null ? !finding.synthetic : dataset === finding.dataset)
  );
}
