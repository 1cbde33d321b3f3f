/** Facts of a shop for tests. */

import type { Sealed } from "../../src/core/model/sealed.ts";
import type { OrderEvent, OrderFacts } from "../../src/domain/commerce/order.ts";
import type { ProductEvent, ProductFacts } from "../../src/domain/commerce/product.ts";
import type { ReservationRequest, StockEvent } from "../../src/domain/commerce/stock.ts";

export const AT = "2026-01-01T12:00:00.000Z";
export const later = (minutes: number) => new Date(Date.parse(AT) + minutes * 60_000).toISOString();

export const sealed: Sealed = {
  subject_id: "5".repeat(32),
  seal_id: "6".repeat(32),
  iv: "a".repeat(16),
  ct: "abc",
  tag: "b".repeat(22),
};

export const pellets: ProductFacts = {
  product_id: 1,
  slug: "pellets",
  type: "granulas",
  name: "Pellets",
  cn_code: "44013100",
  base_unit: "bag",
  units: [
    { unit: "bag", base: 1 },
    { unit: "pallet", base: 65 },
  ],
  kg_per_base: 15,
  kwh_per_kg: 4.8,
  vat_bp: 2_100,
  listed_at: AT,
};
export const listed: ProductEvent = { type: "ProductListed", data: pellets };
export const priced = (net_cents: number, from = AT, unit: "bag" | "pallet" = "bag"): ProductEvent => ({
  type: "PriceSet",
  data: { unit, net_cents, from, set_at: AT },
});

export const received = (location: string, quantity: number): StockEvent => ({
  type: "StockReceived",
  data: { location, quantity, reference: null, received_at: AT },
});
export const wanted = (
  order_id: number,
  quantity: number,
  more: Partial<ReservationRequest> = {},
): ReservationRequest => ({
  order_id,
  tenant: "acme",
  unit: "bag",
  base: 1,
  quantity,
  until: later(30),
  ...more,
});
export const reserved = (order_id: number, lines: Record<string, number>, tenant = "acme"): StockEvent => ({
  type: "StockReserved",
  data: { order_id, tenant, lines: linesOf(lines), until: later(30), reserved_at: AT },
});
export const confirmed = (order_id: number): StockEvent => ({
  type: "ReservationConfirmed",
  data: { order_id, confirmed_at: AT },
});
export const linesOf = (lines: Record<string, number>) =>
  Object.entries(lines).map(([location, quantity]) => ({ location, quantity }));

export const PAYMENT = `eip155:8453:0x${"a".repeat(40)}:0x${"b".repeat(40)}:0x${"c".repeat(64)}`;

export const facts: OrderFacts = {
  order_id: 7,
  product_id: 1,
  slug: "pellets",
  unit: "bag",
  quantity: 10,
  base_quantity: 10,
  net_cents: 4_950,
  vat_cents: 1_040,
  gross_cents: 5_990,
  usdc_micro: 64_882_700,
  eur_usd: "1.0832",
  rate_as_of: "2026-01-01",
  payment: "x402",
  quote_id: null,
  lines: [{ location: "riga", quantity: 10 }],
  until: later(30),
  customer: sealed,
  placed_at: AT,
};
export const placed: OrderEvent = { type: "OrderPlaced", data: facts };
export const invoiced: OrderEvent = { type: "OrderPlaced", data: { ...facts, payment: "invoice" } };
export const paid: OrderEvent = {
  type: "OrderPaid",
  data: { payment_id: PAYMENT, reference: null, paid_at: AT },
};
export const shipped: OrderEvent = {
  type: "OrderShipped",
  data: { carrier: "Omniva", tracking: "CC1", shipped_at: AT },
};
export const delivered: OrderEvent = { type: "OrderDelivered", data: { delivered_at: AT } };
