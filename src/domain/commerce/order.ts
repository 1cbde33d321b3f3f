/**
 * An order reserves goods for a buyer until they are paid, shipped and delivered, or until it expires or is cancelled.
 *
 *     awaiting_payment ─pay─> paid ─ship─> shipped ─deliver─> delivered        shipped|delivered ─return─> returned
 *          ├─expire─> expired     └─cancel─> cancelled
 *          └─cancel─> cancelled
 *
 * Each step except delivery moves its stock in the same commit, so no order lacks goods, and no goods lack an order.
 */

import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { madeId, time } from "../../core/model/fields.ts";
import { refuse, refuseField } from "../../core/model/refusal.ts";
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

/** `x402`: by a payment of its total; `invoice`: outside, until the operator confirms the payment. */
export const paymentWays = ["x402", "invoice"] as const;
export type PaymentWay = (typeof paymentWays)[number];

/** The most units of an order or of a quote's line. */
export const MOST_UNITS = 10_000;

/** EUR 50,000 with tax. */
export const MOST_GROSS_CENTS = 5_000_000;

/** Seconds of an order's reservation. `first`: a payer without a paid order. */
export const HOLD_S = { first: 10 * 60, x402: 30 * 60, invoice: 72 * 3_600 } as const;

/**
 * Seconds from `until` to the decision about expiry. A settlement takes at most half of that, so one that began in time
 * gets its goods.
 */
export const GRACE_S = 10 * 60;

/** Codes, because no event stores a caller's free text. */
export const cancelReasons = ["changed_mind", "wrong_order", "too_slow", "other"] as const;

const cents = z.int().min(0);

const placed = z.strictObject({
  order_id: orderId,
  product_id: productId,
  slug,
  unit: z.enum(unitNames),
  quantity: z.int().min(1).max(MOST_UNITS).describe("Units."),
  base_quantity: z.int().min(1).describe("The quantity in base units, in which stock is counted."),
  net_cents: netCents.max(MOST_GROSS_CENTS).describe("Price of the whole order."),
  vat_cents: cents,
  gross_cents: cents.max(MOST_GROSS_CENTS),
  usdc_micro: z.int().positive().describe("The order's price: gross_cents at eur_usd, rounded up."),
  eur_usd: z.string().describe("Dollars per euro, the ECB's reference rate; one USDC counts as one dollar."),
  rate_as_of: z.iso.date(),
  payment: z.enum(paymentWays),
  quote_id: madeId.nullable(),
  lines: stockLines.describe("The locations of the reserved goods."),
  until: time.describe("The goods are reserved for payment until then."),
  customer: sealed,
  placed_at: time,
});

export const events = {
  OrderPlaced: { means: "A buyer ordered goods, at prices that are fixed now.", 1: placed },
  OrderPaid: {
    means: "An order was paid.",
    1: z.strictObject({
      payment_id: paymentId.nullable().describe("The id of the x402 payment."),
      reference: z
        .string()
        .max(100)
        .nullable()
        .describe("The operator's own reference for the paid invoice."),
      paid_at: time,
    }),
  },
  OrderShipped: {
    means: "An order was shipped.",
    1: z.strictObject({
      carrier: z.string().max(60).nullable(),
      tracking: z.string().max(100).nullable(),
      shipped_at: time,
    }),
  },
  OrderDelivered: { means: "An order arrived.", 1: z.strictObject({ delivered_at: time }) },
  OrderCancelled: {
    means: "An order was cancelled.",
    1: z.strictObject({
      by: z.enum(["buyer", "operator", "chain"]).describe("chain: a reorg reverted its payment for good."),
      reason: z.string().max(100).describe("A code, or the operator's words."),
      cancelled_at: time,
    }),
  },
  OrderExpired: { means: "An order was not paid in time.", 1: z.strictObject({ expired_at: time }) },
  OrderReturned: {
    means: "The goods of an order were returned.",
    1: z.strictObject({
      reason: z.string().max(100).describe("The operator's words."),
      lines: stockLines
        .nullable()
        .describe("The goods that are back in stock; null: none can be sold again."),
      returned_at: time,
    }),
  },
};

type Data<Type extends keyof typeof events> = DataOf<typeof events, Type>;
export type OrderFacts = Data<"OrderPlaced">;
export type PaymentData = Data<"OrderPaid">;
export type ShipmentData = Data<"OrderShipped">;
export type CancellationData = Data<"OrderCancelled">;
export type ReturnData = Data<"OrderReturned">;
export type OrderEvent = EventOf<typeof events>;

export type Order = {
  facts: OrderFacts;
  status: OrderStatus;
  paid: PaymentData | null;
  shipped: ShipmentData | null;
  delivered_at: string | null;
  cancelled: CancellationData | null;
  expired_at: string | null;
  returned: ReturnData | null;
};
export type OrderState = Order | undefined;

export const prefix = "order-";

export const streamOf = (id: string) => prefix + id;

export const initialState = (): OrderState => undefined;

/** An order's stream belongs to its buyer's tenant. */
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

/** Refuses with `not_found` if there is none. */
export const existing = (state: OrderState): Order => state ?? refuse("not_found", "there is no such order");

export const place =
  (facts: OrderFacts) =>
  (state: OrderState): OrderEvent[] => {
    if (state) refuse("conflict", "this order was placed before");
    return [{ type: "OrderPlaced", data: facts }];
  };

/** Refuses a total above the maximum, by the field that causes it. */
export function refuseTooLarge(gross_cents: number): void {
  if (gross_cents <= MOST_GROSS_CENTS) return;
  const message = `comes to EUR ${decimalEuro(gross_cents)} with tax; an order is at most EUR ${decimalEuro(MOST_GROSS_CENTS)}`;
  refuseField("quantity", message);
}

/** The payment of an order, its amount, and when it began. */
export type OrderPayment = { payment_id: string; usdc_micro: number; begun_at: string };

/** A payment that began in time buys the order until its expiry is decided. */
export const pay =
  ({ payment_id, usdc_micro, begun_at }: OrderPayment, paid_at: string) =>
  (state: OrderState): OrderEvent[] => {
    const { facts } = payable(state);
    if (facts.payment !== "x402")
      refuse(
        commerceProblems["order-not-payable"],
        "this order is paid by invoice, and the operator confirms the payment",
      );
    if (begun_at >= facts.until)
      refuse(
        commerceProblems["order-not-payable"],
        `the goods were reserved until ${facts.until}; place another order`,
      );
    if (usdc_micro !== facts.usdc_micro)
      refuse(
        commerceProblems["order-total-differs"],
        `this order costs ${decimalUsdc(facts.usdc_micro)} USDC: send that as total_usdc`,
      );
    return [{ type: "OrderPaid", data: { payment_id, reference: null, paid_at } }];
  };

/** The operator confirms a payment outside. */
export const settleInvoice =
  (reference: string | null, paid_at: string) =>
  (state: OrderState): OrderEvent[] => {
    const { facts } = payable(state);
    if (facts.payment !== "invoice")
      refuse(commerceProblems["order-not-payable"], "this order is paid by x402, and its buyer pays it");
    return [{ type: "OrderPaid", data: { payment_id: null, reference, paid_at } }];
  };

function payable(state: OrderState): Order {
  const order = existing(state);
  const { status } = order;
  if (status !== "awaiting_payment")
    refuse(commerceProblems["order-not-payable"], `this order is ${status}, so it cannot be paid`);
  return order;
}

export const ship =
  (facts: ShipmentData) =>
  (state: OrderState): OrderEvent[] => {
    requireStatus(existing(state), ["paid"], "shipped");
    return [{ type: "OrderShipped", data: facts }];
  };

export const deliver =
  (delivered_at: string) =>
  (state: OrderState): OrderEvent[] => {
    const order = existing(state);
    if (order.status === "delivered") return [];
    requireStatus(order, ["shipped"], "delivered");
    return [{ type: "OrderDelivered", data: { delivered_at } }];
  };

/** Only before shipping; a payment is refunded. Repeatable. */
export const cancel =
  (facts: CancellationData) =>
  (state: OrderState): OrderEvent[] => {
    const order = existing(state);
    if (order.status === "cancelled") return [];
    requireStatus(order, ["awaiting_payment", "paid"], "cancelled");
    return [{ type: "OrderCancelled", data: facts }];
  };

/** The time from which expiry may be decided. */
export const expiresAt = ({ until }: Pick<OrderFacts, "until">): string =>
  new Date(Date.parse(until) + GRACE_S * 1_000).toISOString();

export const expire =
  (expired_at: string) =>
  (state: OrderState): OrderEvent[] => {
    const { facts, status } = existing(state);
    if (status !== "awaiting_payment") return [];
    if (expired_at < expiresAt(facts))
      refuse("conflict", "a payment of this order may have begun in time and not be finished yet");
    return [{ type: "OrderExpired", data: { expired_at } }];
  };

/** The goods came back; the payment is refunded. */
export const returnGoods =
  (facts: ReturnData) =>
  (state: OrderState): OrderEvent[] => {
    const order = existing(state);
    requireStatus(order, ["shipped", "delivered"], "returned");
    refuseMoreThanSold(order, facts);
    return [{ type: "OrderReturned", data: facts }];
  };

function refuseMoreThanSold({ facts }: Order, { lines }: ReturnData): void {
  const back = (lines ?? []).reduce((sum, { quantity }) => sum + quantity, 0);
  if (back > facts.base_quantity)
    refuse("invalid", `${back} base units were returned, but the order has ${facts.base_quantity}`);
}

function requireStatus({ status }: Order, allowed: readonly OrderStatus[], done: OrderStatus): void {
  if (!allowed.includes(status))
    refuse(
      commerceProblems["order-state"],
      `this order is ${status}; only one that is ${allowed.join(" or ")} can be ${done}`,
    );
}
