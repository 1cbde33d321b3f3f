/** The subscriptions of the examples of operations on alerts and notices. */
import { alertOperations } from "../../src/api/operations/alerts/subscriptions.ts";
import { noticeOperations } from "../../src/api/operations/notices/subscriptions.ts";
import type { App } from "../../src/core/app.ts";
import * as subscriptions from "../../src/domain/alerts/subscription.ts";
import * as notices from "../../src/domain/notices/subscription.ts";

export async function subscribeExamples(app: App, tenant = "acme"): Promise<void> {
  for (const id of idsIn(alertOperations)) {
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
  for (const id of idsIn(noticeOperations)) {
    const facts: notices.Subscribed = {
      subscription_id: id,
      url: "https://agent.example.org/hooks/jobs",
      kinds: ["task", "order", "refund"],
      products: [],
      after: (await app.store.head()).position,
      subscribed_at: app.clock.now().toISOString(),
    };
    const meta = { actor: "test", operation: "test" };
    await app.decide(notices, { tenant, id }, notices.subscribe(facts), { meta });
  }
}

const idsIn = (operations: readonly { example: Record<string, unknown> }[]): Set<string> =>
  new Set(
    operations
      .flatMap(({ example }) => [example.id, example.subscription_id])
      .filter((one) => typeof one === "string"),
  );
