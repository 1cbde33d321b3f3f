/** The body of a webhook: the alert as JSON, signed by the Standard Webhooks scheme (www.standardwebhooks.com). */
import { createHmac, hash } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type { Signer } from "../../core/model/ports/signer.ts";
import {
  type Finding,
  type Secret,
  type Subscription,
  signing,
  type Waiting,
  type Watch,
} from "./subscription.ts";

/** The `type` of every alert that is sent. */
export const ALERT_TYPE = "trade.anomaly";

/** The `type` of a test event that the owner requested. */
export const TEST_TYPE = "trade.anomaly.test";

export type WebhookMessage = { url: string; headers: Record<string, string>; body: string };

/**
 * The id of an alert, which is also its `webhook-id`: the same for the same month of the same series in every
 * release.
 */
export const alertIdOf = (subscriptionId: string, { reporter, product, flow, period }: Finding) =>
  `msg_${hash("sha256", [subscriptionId, reporter, product, flow, period].join("\n")).slice(0, 32)}`;

/** No text that the service signs for others begins so. */
const SECRETS = Buffer.from("tallystick/webhook-secrets/1\0");

/**
 * The signing secret of a subscription, `whsec_` and 32 bytes in base64. It is the HMAC-SHA256 of subscription and
 * rotation under a signature by the service's key. Ed25519 is deterministic, so no secret is stored.
 */
export function secretOf(
  signer: Signer,
  subscriptionId: string,
  { rotation }: Pick<Secret, "rotation">,
): string {
  const mac = createHmac("sha256", signer.sign(SECRETS)).update(`${subscriptionId}\n${rotation}`);
  return `whsec_${mac.digest("base64")}`;
}

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
  // Stored events order their fields differently from new ones.
  const inOrder = Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
  const body = JSON.stringify({ type, timestamp: triggered_at, data: inOrder });
  const signatures = signing(subscription, at.toISOString()).map((secret) =>
    new Webhook(secretOf(signer, subscription_id, secret)).sign(alertId, at, body),
  );
  return {
    url,
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "tallystick-webhooks/1",
      "webhook-id": alertId,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": signatures.join(" "),
    },
  };
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
