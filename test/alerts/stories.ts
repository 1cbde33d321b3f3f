/** What the tests of alerts tell their stories with. */
import type * as subscriptions from "../../src/domain/alerts/subscription.ts";

export const AT = "2026-11-21T12:00:00.000Z";
/** So many seconds after AT. */
export const later = (seconds: number) => new Date(Date.parse(AT) + seconds * 1000).toISOString();

export const facts: subscriptions.Subscribed = {
  subscription_id: "1".repeat(32),
  watch: { reporter: "DE", hs: null, flow: null, threshold: 3, dataset: null },
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
  deviation_eur: 2_000_000,
  z: 15,
  p_value: 1e-8,
  p_adjusted: 1e-5,
  dataset: "comext",
  vintage: "a".repeat(64),
  synthetic: false,
};
