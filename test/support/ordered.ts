/** The sandbox's shop, and the orders of the shop operations' examples. */
import { payingOperations } from "../../src/api/operations/commerce/paying.ts";
import type { App } from "../../src/core/app.ts";
import { mailSubject, sealLocation } from "../../src/core/model/sealed.ts";
import * as orders from "../../src/domain/commerce/order.ts";
import * as stock from "../../src/domain/commerce/stock.ts";
import { openSandboxShop } from "../../src/operator/sandbox-shop.ts";

export async function orderExamples(app: App, tenant = "acme"): Promise<void> {
  await openSandboxShop(app);
  for (const { example } of payingOperations) {
    const order_id = example.order_id as number;
    const target = orders.targetOf(tenant, order_id);
    const placed_at = app.clock.now().toISOString();
    const until = new Date(Date.parse(placed_at) + orders.HOLD_S.x402 * 1_000).toISOString();
    const place = async ({ decide, personal }: Parameters<Parameters<App["commit"]>[0]>[0]) => {
      const subject = mailSubject(tenant, "order@example.org");
      const value = {
        name: null,
        email: "order@example.org",
        phone: null,
        delivery_address: null,
        notes: null,
      };
      const customer = personal({ subject, place: sealLocation(orders, target, "OrderPlaced"), value });
      const unit = "bag" as const;
      const wanted = { order_id, tenant, unit, base: 1, quantity: 1, until };
      await decide(stock, { tenant: "operator", id: "1" }, stock.reserve(wanted, placed_at));
      const facts: orders.OrderFacts = {
        ...{ order_id, product_id: 1, slug: "granulas-premium", unit, quantity: 1, base_quantity: 1 },
        ...{ net_cents: 4_000, vat_cents: 840, gross_cents: 4_840, usdc_micro: 52_130_000 },
        ...{ eur_usd: "1.0771", rate_as_of: placed_at.slice(0, 10), payment: "x402", quote_id: null },
        ...{ lines: [{ location: "riga", quantity: 1 }], until, customer, placed_at },
      };
      await decide(orders, target, orders.place(facts));
    };
    await app.commit(place, { meta: { actor: "test", operation: "test" } });
  }
}
