/**
 * Expires unpaid orders, so their goods can be sold again, and cancels orders whose payment the chain reverted for
 * good.
 */

import { idleUntil, reactor, unlessRefused } from "../../core/background/reactor.ts";
import { dueOrders, nextExpiry, ordersProjection, undoneOrders } from "../../projections/commerce/orders.ts";
import { paymentsProjection } from "../../projections/payments/payments.ts";
import { cancelOrder, expireOrder } from "./steps.ts";

const meta = (operation: string) => ({ meta: { actor: "reactor:orders", operation } });

export const ordersReactor = reactor({
  name: "orders",
  every_ms: 2_000,
  memory: () => ({}),
  async take({ app, signal }) {
    // Decisions read the streams, so a lagging list only delays a step to the next tick.
    const current = await Promise.all([app.caughtUp(ordersProjection), app.caughtUp(paymentsProjection)]);
    const at = app.clock.now().toISOString();
    // Sequential: many may belong to one product, whose stream takes one decision at a time.
    for (const key of await dueOrders(app.pool, at)) {
      if (signal.aborted) return "done";
      await unlessRefused(app.commit((unit) => expireOrder(unit, key, at), meta("orders.expire")));
    }
    const facts = { by: "chain" as const, reason: "payment_taken_back", cancelled_at: at };
    for (const key of await undoneOrders(app.pool)) {
      if (signal.aborted) return "done";
      await unlessRefused(app.commit((unit) => cancelOrder(unit, key, facts), meta("orders.cancel")));
    }
    return current.every(Boolean) ? idleUntil(await nextExpiry(app.pool)) : "done";
  },
  failures: { failed: "unpaid orders do not expire; trying again" },
  resumed: "unpaid orders expire again",
});
