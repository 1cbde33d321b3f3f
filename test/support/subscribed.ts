/** The subscriptions of the alert operations' examples. */
import { alertOperations } from "../../src/api/operations/alerts/subscriptions.ts";
import type { App } from "../../src/core/app.ts";
import * as subscriptions from "../../src/domain/alerts/subscription.ts";

export async function subscribeExamples(app: App, tenant = "acme"): Promise<void> {
  const ids = alertOperations.flatMap(({ example }) => [example.id, example.subscription_id]);
  for (const id of new Set(ids.filter((one) => typeof one === "string"))) {
    const facts: subscriptions.Subscribed = {
      subscription_id: id,
      watch: { reporter: "DE", hs: null, flow: null, threshold: 3, dataset: null, from: null },
      url: "https://agent.example.org/hooks/trade",
      credits: subscriptions.FIRST_CREDITS,
      subscribed_at: app.clock.now().toISOString(),
    };
    const meta = { actor: "test", operation: "test" };
    await app.decide(subscriptions, { tenant, id }, subscriptions.subscribe(facts), { meta });
  }
}
