/** What becomes of an order and of its goods, each step staged in one unit: there is never one without the other. */

import type { Decide, InUnit } from "../../core/commands/unit.ts";
import type { Order, Returned, Shipped } from "../../domain/commerce/order.ts";
import * as orders from "../../domain/commerce/order.ts";
import * as product from "../../domain/commerce/product.ts";
import * as stock from "../../domain/commerce/stock.ts";
import * as payments from "../../domain/payments/payment.ts";
import type { NamedOrder } from "../../projections/commerce/orders.ts";

type Staging = Pick<InUnit, "decide">;
type Stepped = { order: Order; events: orders.OrderEvent[] };

/** Decides on the order, and on its goods where that came to something. */
async function step(
  { decide }: Staging,
  { tenant, order_id }: NamedOrder,
  decision: (state: orders.OrderState) => orders.OrderEvent[],
  goods?: (order: Order) => ((state: stock.StockState) => stock.StockEvent[]) | undefined,
): Promise<Stepped> {
  const { state, events } = await decide(orders, orders.targetOf(tenant, order_id), decision);
  const order = orders.standing(state);
  const moving = events.length > 0 ? goods?.(order) : undefined;
  if (moving) await decide(stock, product.targetOf(tenant, order.facts.product_id), moving);
  return { order, events };
}

/** Nobody paid in time: the goods can be sold again. */
export const expireOrder = (unit: Staging, named: NamedOrder, at: string): Promise<Stepped> =>
  step(unit, named, orders.expire(at), () => stock.release(named.order_id, "expired", at));

/** The operator was paid outside. */
export const settleInvoice = (
  unit: Staging,
  named: NamedOrder,
  { reference, at }: { reference: string | null; at: string },
): Promise<Stepped> =>
  step(unit, named, orders.settleInvoice(reference, at), () => stock.confirm(named.order_id, at));

/** The goods leave the shop. */
export const shipOrder = (unit: Staging, named: NamedOrder, facts: Shipped): Promise<Stepped> =>
  step(unit, named, orders.ship(facts), () => stock.ship(named.order_id, facts.shipped_at));

export const deliverOrder = (unit: Staging, named: NamedOrder, at: string): Promise<Stepped> =>
  step(unit, named, orders.deliver(at));

/** Given up before it was shipped: the goods can be sold again, and what the chain moved for it goes back. */
export async function cancelOrder(
  unit: Staging,
  named: NamedOrder,
  facts: orders.Cancelled,
): Promise<Stepped> {
  const { cancelled_at: at, by } = facts;
  const release = () => stock.release(named.order_id, "cancelled", at);
  const stepped = await step(unit, named, orders.cancel(facts), release);
  // What the chain took back itself is owed to nobody.
  if (stepped.events.length > 0 && by !== "chain")
    await giveBack(unit.decide, stepped.order, "the order was cancelled", at);
  return stepped;
}

/** The goods came back, and what was paid goes back. */
export async function returnOrder(unit: Staging, named: NamedOrder, facts: Returned): Promise<Stepped> {
  const { lines, returned_at: at } = facts;
  const { order_id } = named;
  const stepped = await step(unit, named, orders.takeBack(facts), () =>
    lines?.length ? stock.restock({ order_id, lines, restocked_at: at }) : undefined,
  );
  await giveBack(unit.decide, stepped.order, "the goods were returned", at);
  return stepped;
}

/** Opens the refund of the payment that bought an order; what was paid by invoice, the operator gives back outside. */
async function giveBack(decide: Decide, { paid }: Order, reason: string, at: string): Promise<void> {
  if (!paid?.payment_id) return;
  await decide(payments, payments.targetOf(paid.payment_id), payments.refundAnswered(reason, at));
}
