import { describe, expect, test } from "vitest";
import * as orders from "../../src/domain/commerce/order.ts";
import {
  cancel,
  deliver,
  events,
  evolve,
  existing,
  expire,
  expiresAt,
  initialState,
  MOST_GROSS_CENTS,
  type OrderEvent,
  type OrderState,
  pay,
  place,
  refuseTooLarge,
  returnGoods,
  settleInvoice,
  ship,
  statuses,
} from "../../src/domain/commerce/order.ts";
import * as quotes from "../../src/domain/commerce/quote.ts";
import { draft, type QuoteFacts, quotedPrice } from "../../src/domain/commerce/quote.ts";
import { refusedAs, specificationOf } from "../support/specification.ts";
import {
  AT,
  delivered,
  facts,
  invoiced,
  later,
  linesOf,
  PAYMENT,
  paid,
  placed,
  sealed,
  shipped,
} from "./facts.ts";

/** The state after events; each must match its schema. */
function stateAfter(history: readonly OrderEvent[]): OrderState {
  for (const { type, data } of history) events[type][1].parse(data);
  return history.reduce(evolve, initialState());
}

const payment = (usdc_micro = facts.usdc_micro, begun_at = AT) => ({
  payment_id: PAYMENT,
  usdc_micro,
  begun_at,
});
const byBuyer = { by: "buyer" as const, reason: "changed_mind", cancelled_at: AT };
const cancelled: OrderEvent = { type: "OrderCancelled", data: byBuyer };
const expired: OrderEvent = { type: "OrderExpired", data: { expired_at: later(40) } };
const sent = { carrier: "Omniva", tracking: "CC1", shipped_at: AT };
const back = { reason: "damp", lines: linesOf({ riga: 10 }), returned_at: AT };
const returned: OrderEvent = { type: "OrderReturned", data: back };
const paidLate: OrderEvent = {
  type: "OrderPaid",
  data: { payment_id: PAYMENT, reference: null, paid_at: later(35) },
};
const settled: OrderEvent = {
  type: "OrderPaid",
  data: { payment_id: null, reference: "bank 7", paid_at: AT },
};

const given = specificationOf(orders);
type Decision = (state: OrderState) => OrderEvent[];
const stories: [what: string, history: OrderEvent[], decision: Decision, then: OrderEvent[]][] = [
  ["is placed", [], place(facts), [placed]],
  ["is paid", [placed], pay(payment(), AT), [paid]],
  [
    "is paid by what was begun in time and settled later",
    [placed],
    pay(payment(facts.usdc_micro, later(29)), later(35)),
    [paidLate],
  ],
  ["is paid by invoice", [invoiced], settleInvoice("bank 7", AT), [settled]],
  ["is shipped", [placed, paid], ship(sent), [shipped]],
  ["is delivered", [placed, paid, shipped], deliver(AT), [delivered]],
  ["is delivered once", [placed, paid, shipped, delivered], deliver(AT), []],
  ["is cancelled before it is paid", [placed], cancel(byBuyer), [cancelled]],
  ["is cancelled after it is paid", [placed, paid], cancel(byBuyer), [cancelled]],
  ["is cancelled once", [placed, cancelled], cancel(byBuyer), []],
  ["expires", [placed], expire(later(40)), [expired]],
  ["that is paid does not expire", [placed, paid], expire(later(40)), []],
  ["is returned on the way", [placed, paid, shipped], returnGoods(back), [returned]],
  ["is returned after its delivery", [placed, paid, shipped, delivered], returnGoods(back), [returned]],
  [
    "is returned unsellable",
    [placed, paid, shipped],
    returnGoods({ ...back, lines: null }),
    [{ type: "OrderReturned", data: { ...back, lines: null } }],
  ],
];
test.each(stories)("an order %s", (_, history, decision, then) => {
  given(history).when(decision).then(then);
});

const refusals: [what: string, history: OrderEvent[], decision: Decision, slug: string, says: string][] = [
  ["to be placed twice", [placed], place(facts), "conflict", "before"],
  ["a payment for a missing order", [], pay(payment(), AT), "not-found", "no such order"],
  ["another total", [placed], pay(payment(1), AT), "order-total-differs", "64.8827"],
  ["to be paid twice", [placed, paid], pay(payment(), AT), "order-not-payable", "is paid"],
  [
    "to be paid when it is cancelled",
    [placed, cancelled],
    pay(payment(), AT),
    "order-not-payable",
    "is cancelled",
  ],
  [
    "to be paid when it has expired",
    [placed, expired],
    pay(payment(), AT),
    "order-not-payable",
    "is expired",
  ],
  [
    "a payment that was begun too late",
    [placed],
    pay(payment(facts.usdc_micro, later(30)), later(30)),
    "order-not-payable",
    later(30),
  ],
  ["a payment of an invoice", [invoiced], pay(payment(), AT), "order-not-payable", "invoice"],
  ["an invoice of what is paid by x402", [placed], settleInvoice(null, AT), "order-not-payable", "x402"],
  ["to be shipped unpaid", [placed], ship(sent), "order-state", "awaiting_payment"],
  ["to be delivered unshipped", [placed, paid], deliver(AT), "order-state", "only one that is shipped"],
  [
    "to be cancelled when it is shipped",
    [placed, paid, shipped],
    cancel(byBuyer),
    "order-state",
    "is shipped",
  ],
  [
    "to expire while a payment may be in progress",
    [placed],
    expire(later(39)),
    "conflict",
    "not be finished yet",
  ],
  ["to come back before it has left", [placed, paid], returnGoods(back), "order-state", "is paid"],
  [
    "more to come back than was sold",
    [placed, paid, shipped],
    returnGoods({ ...back, lines: linesOf({ riga: 11 }) }),
    "invalid",
    "11 base units were returned",
  ],
];
test.each(refusals)("an order refuses %s", (_, history, decision, slug, says) => {
  given(history).when(decision).thenThrows(refusedAs(slug, says));
});

test("an order leaves each status only as documented", () => {
  const ways: Record<string, Decision> = {
    paid: pay(payment(), AT),
    shipped: ship(sent),
    delivered: deliver(AT),
    cancelled: cancel(byBuyer),
    expired: expire(later(40)),
    returned: returnGoods(back),
  };
  const at: Record<string, OrderEvent[]> = {
    awaiting_payment: [placed],
    paid: [placed, paid],
    shipped: [placed, paid, shipped],
    delivered: [placed, paid, shipped, delivered],
    returned: [placed, paid, shipped, returned],
    cancelled: [placed, cancelled],
    expired: [placed, expired],
  };
  const reached = (history: OrderEvent[]) =>
    Object.values(ways).flatMap((decision) => {
      try {
        const then = decision(stateAfter(history));
        return then.length > 0 ? [existing(stateAfter([...history, ...then])).status] : [];
      } catch {
        return [];
      }
    });
  expect(Object.keys(at).sort()).toEqual([...statuses].sort());
  expect(
    Object.fromEntries(Object.entries(at).map(([status, history]) => [status, reached(history)])),
  ).toEqual({
    awaiting_payment: ["paid", "cancelled", "expired"],
    paid: ["shipped", "cancelled"],
    shipped: ["delivered", "returned"],
    delivered: ["returned"],
    returned: [],
    cancelled: [],
    expired: [],
  });
  for (const [status, history] of Object.entries(at))
    expect(existing(stateAfter(history)).status).toBe(status);
});

test("expiry is decided ten minutes after the time to pay", () => {
  expect(expiresAt(facts)).toBe(later(40));
});

test("an order is at most EUR 50,000 with tax", () => {
  refuseTooLarge(MOST_GROSS_CENTS);
  expect(() => refuseTooLarge(MOST_GROSS_CENTS + 1)).toThrow(
    expect.objectContaining({ errors: [{ path: "quantity", message: expect.stringContaining("50000.01") }] }),
  );
});

describe("a quote", () => {
  const quote: QuoteFacts = {
    quote_id: "9".repeat(32),
    items: [
      { product_id: 1, unit: "bag", quantity: 10, net_cents: 495 },
      { product_id: 1, unit: "pallet", quantity: 2, net_cents: 29_900 },
    ],
    net_cents: 64_750,
    vat_cents: 13_598,
    gross_cents: 78_348,
    valid_until: later(60),
    client: sealed,
    drafted_at: AT,
  };
  const line = (quantity: number, unit: "bag" | "pallet" = "bag", product_id = 1) => ({
    product_id,
    unit,
    quantity,
  });

  test("is drafted once", () => {
    const [drafted] = draft(quote)(undefined);
    quotes.events.QuoteDrafted[1].parse(drafted!.data);
    expect(quotes.evolve(undefined, drafted!)).toEqual(quote);
    expect(() => draft(quote)(quote)).toThrow("before");
  });

  test("has its price up to its quantity, until it ends", () => {
    expect(quotedPrice(quote, line(10), later(59))).toBe(495);
    expect(quotedPrice(quote, line(1, "pallet"), AT)).toBe(29_900);
  });

  test.each([
    ["none", undefined, line(1), AT, "not-found", "no such quote"],
    ["one that is over", quote, line(1), later(60), "quote-expired", later(60)],
    ["more than it names", quote, line(11), AT, "invalid", "quantity"],
    ["another product", quote, line(1, "bag", 2), AT, "invalid", "quote_id"],
  ] as const)("refuses %s", (_, state, wanted, at, slug, says) => {
    const ask = () => quotedPrice(state, wanted, at);
    expect(ask).toThrow(says);
    expect(ask).toThrow(expect.objectContaining({ type: expect.objectContaining({ slug }) }));
  });
});
