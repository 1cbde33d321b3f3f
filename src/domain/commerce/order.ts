/**
 * An order: goods held for a buyer, paid for, shipped and delivered, or given up on the way.
 *
 *     awaiting_payment ─pay─> paid ─ship─> shipped ─deliver─> delivered        shipped|delivered ─return─> returned
 *          ├─expire─> expired     └─cancel─> cancelled
 *          └─cancel─> cancelled
 *
 * Each step but delivery moves its stock in the same commit, so there is no order without goods and no goods without an order.
 */

import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { madeId, time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
import { sealed } from "../../core/model/sealed.ts";
import { paymentId } from "../payments/payment.ts";
import { decimalUsdc } from "../payments/usdc.ts";
import { decimalEuro } from "./money.ts";
import { commerceProblems } from "./problems.ts";
import { netCents, productId, slug, unitNames } from "./product.ts";
import { orderId, stockLines } from "./stock.ts";

export const statuses = [
  "awaiting_payment",
  "paid",
  "shipped",
  "delivered",
  "returned",
  "cancelled",
  "expired",
] as const;
export type OrderStatus = (typeof statuses)[number];

/** `x402`: by a payment of its total; `invoice`: outside, until the operator says that it is paid. */
export const paymentWays = ["x402", "invoice"] as const;
export type PaymentWay = (typeof paymentWays)[number];

/** The most units of an order or of a line of a quote. */
export const MOST_UNITS = 10_000;

/** EUR 50,000 with tax. */
export const MOST_GROSS_CENTS = 5_000_000;

/** Seconds for which an order holds its goods. `first`: of a payer without a paid order. */
export const HOLD_S = { first: 10 * 60, x402: 30 * 60, invoice: 72 * 3_600 } as const;

/** Seconds after `until` at which expiry is decided: a settlement takes half of it at most, so one begun in time finds its goods. */
export const GRACE_S = 10 * 60;

/** Why a buyer cancels: a code, since what a caller writes freely stands in no event. */
export const cancelReasons = ["changed_mind", "wrong_order", "too_slow", "other"] as const;

const cents = z.int().min(0);

const placed = z.strictObject({
  order_id: orderId,
  product_id: productId,
  slug,
  unit: z.enum(unitNames),
  quantity: z.int().min(1).max(MOST_UNITS).describe("Units."),
  base_quantity: z.int().min(1).describe("The same in base units, as stock is counted."),
  net_cents: netCents.max(MOST_GROSS_CENTS).describe("Of the whole order."),
  vat_cents: cents,
  gross_cents: cents.max(MOST_GROSS_CENTS),
  usdc_micro: z.int().positive().describe("What pays for it: gross_cents at eur_usd, rounded up."),
  eur_usd: z.string().describe("Dollars a euro, the ECB's reference rate; one USDC is taken for one dollar."),
  rate_as_of: z.iso.date(),
  payment: z.enum(paymentWays),
  quote_id: madeId.nullable(),
  lines: stockLines.describe("Where the goods are held."),
  until: time.describe("Until when they are held for payment."),
  customer: sealed,
  placed_at: time,
});

export const events = {
  OrderPlaced: { means: "Somebody ordered goods, at prices that are fixed now.", 1: placed },
  OrderPaid: {
    means: "An order was paid.",
    1: z.strictObject({
      payment_id: paymentId.nullable().describe("Of the x402 payment."),
      reference: z.string().max(100).nullable().describe("The operator's own, of an invoice that was paid."),
      paid_at: time,
    }),
  },
  OrderShipped: {
    means: "An order was sent on its way.",
    1: z.strictObject({
      carrier: z.string().max(60).nullable(),
      tracking: z.string().max(100).nullable(),
      shipped_at: time,
    }),
  },
  OrderDelivered: { means: "An order arrived.", 1: z.strictObject({ delivered_at: time }) },
  OrderCancelled: {
    means: "An order was called off.",
    1: z.strictObject({
      by: z.enum(["buyer", "operator", "chain"]).describe("chain: a reorg took its payment for good."),
      reason: z.string().max(100).describe("A code, or the operator's words."),
      cancelled_at: time,
    }),
  },
  OrderExpired: { means: "An order was not paid in time.", 1: z.strictObject({ expired_at: time }) },
  OrderReturned: {
    means: "The goods of an order came back.",
    1: z.strictObject({
      reason: z.string().max(100).describe("The operator's words."),
      lines: stockLines.nullable().describe("What lies in the shop again; null: nothing of it can be sold."),
      returned_at: time,
    }),
  },
};

type Data<Type extends keyof typeof events> = DataOf<typeof events, Type>;
export type OrderFacts = Data<"OrderPlaced">;
export type Paid = Data<"OrderPaid">;
export type Shipped = Data<"OrderShipped">;
export type Cancelled = Data<"OrderCancelled">;
export type Returned = Data<"OrderReturned">;
export type OrderEvent = EventOf<typeof events>;

export type Order = {
  facts: OrderFacts;
  status: OrderStatus;
  paid: Paid | null;
  shipped: Shipped | null;
  delivered_at: string | null;
  cancelled: Cancelled | null;
  expired_at: string | null;
  returned: Returned | null;
};
export type OrderState = Order | undefined;

/** What its streams are named by, before the id. */
export const prefix = "order-";

export const streamOf = (id: string) => prefix + id;

export const initialState = (): OrderState => undefined;

/** Where an order lies: in its buyer's tenant. */
export const targetOf = (tenant: string, order_id: number) => ({ tenant, id: String(order_id) });

export function evolve(state: OrderState, { type, data }: OrderEvent): OrderState {
  if (type === "OrderPlaced")
    return {
      facts: data,
      status: "awaiting_payment",
      paid: null,
      shipped: null,
      delivered_at: null,
      cancelled: null,
      expired_at: null,
      returned: null,
    };
  if (!state) return state;
  switch (type) {
    case "OrderPaid":
      return { ...state, status: "paid", paid: data };
    case "OrderShipped":
      return { ...state, status: "shipped", shipped: data };
    case "OrderDelivered":
      return { ...state, status: "delivered", delivered_at: data.delivered_at };
    case "OrderCancelled":
      return { ...state, status: "cancelled", cancelled: data };
    case "OrderExpired":
      return { ...state, status: "expired", expired_at: data.expired_at };
    case "OrderReturned":
      return { ...state, status: "returned", returned: data };
  }
}

/** The order; `not_found` where there is none. */
export const standing = (state: OrderState): Order => state ?? refuse("not_found", "there is no such order");

export const place =
  (facts: OrderFacts) =>
  (state: OrderState): OrderEvent[] => {
    if (state) refuse("conflict", "this order was placed before");
    return [{ type: "OrderPlaced", data: facts }];
  };

/** A total that an order of the shop may come to; refuses one beyond by the field that makes it so large. */
export function refuseTooLarge(gross_cents: number): void {
  if (gross_cents <= MOST_GROSS_CENTS) return;
  const message = `comes to EUR ${decimalEuro(gross_cents)} with tax; an order is at most EUR ${decimalEuro(MOST_GROSS_CENTS)}`;
  refuse("invalid", "invalid input: quantity", { errors: [{ path: "quantity", message }] });
}

/** What pays for an order: its payment, how much that is, and when it was begun. */
export type PaidBy = { payment_id: string; usdc_micro: number; begun_at: string };

/** Paid by x402. A payment that was begun in time buys the order until its expiry is decided. */
export const pay =
  ({ payment_id, usdc_micro, begun_at }: PaidBy, paid_at: string) =>
  (state: OrderState): OrderEvent[] => {
    const { facts } = payable(state);
    if (facts.payment !== "x402")
      refuse(
        commerceProblems["order-not-payable"],
        "this order is paid by invoice, and the operator says when it is",
      );
    if (begun_at >= facts.until)
      refuse(
        commerceProblems["order-not-payable"],
        `the goods were held until ${facts.until}; place another order`,
      );
    if (usdc_micro !== facts.usdc_micro)
      refuse(
        commerceProblems["order-total-differs"],
        `this order costs ${decimalUsdc(facts.usdc_micro)} USDC: send that as total_usdc`,
      );
    return [{ type: "OrderPaid", data: { payment_id, reference: null, paid_at } }];
  };

/** Paid outside, as the operator says. */
export const settleInvoice =
  (reference: string | null, paid_at: string) =>
  (state: OrderState): OrderEvent[] => {
    const { facts } = payable(state);
    if (facts.payment !== "invoice")
      refuse(commerceProblems["order-not-payable"], "this order is paid by x402, and its buyer pays it");
    return [{ type: "OrderPaid", data: { payment_id: null, reference, paid_at } }];
  };

function payable(state: OrderState): Order {
  const order = standing(state);
  const { status } = order;
  if (status !== "awaiting_payment")
    refuse(commerceProblems["order-not-payable"], `this order is ${status}, so it cannot be paid`);
  return order;
}

/** The goods have left. */
export const ship =
  (facts: Shipped) =>
  (state: OrderState): OrderEvent[] => {
    inState(standing(state), ["paid"], "shipped");
    return [{ type: "OrderShipped", data: facts }];
  };

export const deliver =
  (delivered_at: string) =>
  (state: OrderState): OrderEvent[] => {
    const order = standing(state);
    if (order.status === "delivered") return [];
    inState(order, ["shipped"], "delivered");
    return [{ type: "OrderDelivered", data: { delivered_at } }];
  };

/** Gives it up before anything was shipped; what was paid goes back. Said again it changes nothing. */
export const cancel =
  (facts: Cancelled) =>
  (state: OrderState): OrderEvent[] => {
    const order = standing(state);
    if (order.status === "cancelled") return [];
    inState(order, ["awaiting_payment", "paid"], "cancelled");
    return [{ type: "OrderCancelled", data: facts }];
  };

/** When its expiry may be decided. */
export const expiresAt = ({ until }: Pick<OrderFacts, "until">): string =>
  new Date(Date.parse(until) + GRACE_S * 1_000).toISOString();

/** Its time to be paid is over. */
export const expire =
  (expired_at: string) =>
  (state: OrderState): OrderEvent[] => {
    const { facts, status } = standing(state);
    if (status !== "awaiting_payment") return [];
    if (expired_at < expiresAt(facts))
      refuse("conflict", "a payment of this order may have been begun in time, and still be under way");
    return [{ type: "OrderExpired", data: { expired_at } }];
  };

/** The goods came back; what was paid does too. */
export const takeBack =
  (facts: Returned) =>
  (state: OrderState): OrderEvent[] => {
    const order = standing(state);
    inState(order, ["shipped", "delivered"], "returned");
    refuseMoreThanSold(order, facts);
    return [{ type: "OrderReturned", data: facts }];
  };

function refuseMoreThanSold({ facts }: Order, { lines }: Returned): void {
  const back = (lines ?? []).reduce((sum, { quantity }) => sum + quantity, 0);
  if (back > facts.base_quantity)
    refuse("invalid", `${back} came back, and the order was of ${facts.base_quantity} base units`);
}

function inState({ status }: Order, allowed: readonly OrderStatus[], wanted: OrderStatus): void {
  if (!allowed.includes(status))
    refuse(
      commerceProblems["order-state"],
      `this order is ${status}; only one that is ${allowed.join(" or ")} can be ${wanted}`,
    );
}
