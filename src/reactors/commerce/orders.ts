/**
 * Whenever the time to pay for an order is over, it expires and its goods can be sold again; whenever the chain takes the payment of one
 * back for good, it is cancelled.
 */

import { reactor, unlessRefused } from "../../core/background/reactor.ts";
import { dueOrders, ordersProjection, undoneOrders } from "../../projections/commerce/orders.ts";
import { paymentsProjection } from "../../projections/payments/payments.ts";
import { cancelOrder, expireOrder } from "./steps.ts";

const meta = (operation: string) => ({ meta: { actor: "reactor:orders", operation } });

export const ordersReactor = reactor({
  name: "orders",
  every_ms: 2_000,
  memory: () => ({}),
  async take({ app, signal }) {
    // What is decided rests on the streams: a list that lags only leaves something to the next turn.
    await Promise.all([app.caughtUp(ordersProjection), app.caughtUp(paymentsProjection)]);
    const at = app.clock.now().toISOString();
    // One after the other: many may be of one product, whose stream takes one decision at a time.
    for (const named of await dueOrders(app.pool, at)) {
      if (signal.aborted) return "done";
      await unlessRefused(app.commit((unit) => expireOrder(unit, named, at), meta("orders.expire")));
    }
    const facts = { by: "chain" as const, reason: "payment_taken_back", cancelled_at: at };
    for (const named of await undoneOrders(app.pool)) {
      if (signal.aborted) return "done";
      await unlessRefused(app.commit((unit) => cancelOrder(unit, named, facts), meta("orders.cancel")));
    }
    return "done";
  },
  troubles: { failed: "unpaid orders do not expire; trying again" },
  resumed: "unpaid orders expire again",
});
