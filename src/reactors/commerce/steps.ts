/** Each step stages an order's event and its goods in one unit, so neither moves alone. */

import type { Decide, InUnit } from "../../core/commands/unit.ts";
import type { Order, ReturnData, ShipmentData } from "../../domain/commerce/order.ts";
import * as orders from "../../domain/commerce/order.ts";
import * as product from "../../domain/commerce/product.ts";
import * as stock from "../../domain/commerce/stock.ts";
import * as payments from "../../domain/payments/payment.ts";
import type { OrderKey } from "../../projections/commerce/orders.ts";

type Staging = Pick<InUnit, "decide">;
type StepResult = { order: Order; events: orders.OrderEvent[] };

/** Decides on the order, and on its goods if that changed something. */
async function step(
  { decide }: Staging,
  { tenant, order_id }: OrderKey,
  decision: (state: orders.OrderState) => orders.OrderEvent[],
  goods?: (order: Order) => ((state: stock.StockState) => stock.StockEvent[]) | undefined,
): Promise<StepResult> {
  const { state, events } = await decide(orders, orders.targetOf(tenant, order_id), decision);
  const order = orders.existing(state);
  const moving = events.length > 0 ? goods?.(order) : undefined;
  if (moving) await decide(stock, product.targetOf(tenant, order.facts.product_id), moving);
  return { order, events };
}

/** Nobody paid in time: the goods can be sold again. */
export const expireOrder = (unit: Staging, key: OrderKey, at: string): Promise<StepResult> =>
  step(unit, key, orders.expire(at), () => stock.release(key.order_id, "expired", at));

/** The operator was paid outside. */
export const settleInvoice = (
  unit: Staging,
  key: OrderKey,
  { reference, at }: { reference: string | null; at: string },
): Promise<StepResult> =>
  step(unit, key, orders.settleInvoice(reference, at), () => stock.confirm(key.order_id, at));

export const shipOrder = (unit: Staging, key: OrderKey, facts: ShipmentData): Promise<StepResult> =>
  step(unit, key, orders.ship(facts), () => stock.ship(key.order_id, facts.shipped_at));

export const deliverOrder = (unit: Staging, key: OrderKey, at: string): Promise<StepResult> =>
  step(unit, key, orders.deliver(at));

/** Before shipping: the goods can be sold again, and an x402 payment is refunded. */
export async function cancelOrder(
  unit: Staging,
  key: OrderKey,
  facts: orders.CancellationData,
): Promise<StepResult> {
  const { cancelled_at: at, by } = facts;
  const release = () => stock.release(key.order_id, "cancelled", at);
  const stepped = await step(unit, key, orders.cancel(facts), release);
  // A payment that the chain reverted is owed to nobody.
  if (stepped.events.length > 0 && by !== "chain")
    await openRefund(unit.decide, stepped.order, "the order was cancelled", at);
  return stepped;
}

/** The goods came back, and the payment is refunded. */
export async function returnOrder(unit: Staging, key: OrderKey, facts: ReturnData): Promise<StepResult> {
  const { lines, returned_at: at } = facts;
  const { order_id } = key;
  const stepped = await step(unit, key, orders.returnGoods(facts), () =>
    lines?.length ? stock.restock({ order_id, lines, restocked_at: at }) : undefined,
  );
  await openRefund(unit.decide, stepped.order, "the goods were returned", at);
  return stepped;
}

/** Opens the refund of an order's payment; the operator refunds invoices outside. */
async function openRefund(decide: Decide, { paid }: Order, reason: string, at: string): Promise<void> {
  if (!paid?.payment_id) return;
  await decide(payments, payments.targetOf(paid.payment_id), payments.refundAnswered(reason, at));
}
