/** Refunds: cancelled orders, returned goods, and a payment that the chain reverts for good. */
import { afterAll, beforeAll, expect, test } from "vitest";
import * as orders from "../../src/domain/commerce/order.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { cancelled, delivered, returned, ship } from "../../src/operator/shop.ts";
import { hasPaid } from "../../src/projections/commerce/orders.ts";
import { balanceOf } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { until } from "../support/until.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { distinctOrder, openShopSetup, type ShopSetup, walletTenantOf } from "./shop-setup.ts";

let setup: ShopSetup;
beforeAll(async () => {
  setup = await openShopSetup();
});
afterAll(() => setup?.stop());

const buyer = wallet(2);
const tenant = walletTenantOf(buyer);
const has = () => balanceOf(setup.service.app.chain, addressOf(buyer));

/** The buyer's paid order, its cost, and its payment. */
async function paidOrder(quantity: number) {
  const { data } = (await setup.pays(buyer, "orders", distinctOrder(quantity))).body;
  const paid = await setup.pays(buyer, "orders/pay", data.pay.body);
  expect(paid.status, JSON.stringify(paid.body)).toBe(200);
  const micro = BigInt(Math.round(Number(data.total_usdc) * 1e6));
  return {
    named: { tenant, order_id: data.order_id as number },
    micro,
    payment_id: paid.body.data.paid.payment_id as string,
  };
}

const refundOf = async (payment_id: string) =>
  (await setup.service.app.load(payments, payments.targetOf(payment_id)))?.refund;

const refunded = (payment_id: string) => until(async () => (await refundOf(payment_id))?.paid !== undefined);

test("a paid order cancelled by its buyer frees its goods, and its payment is fully refunded on chain", async () => {
  const { app } = setup.service;
  const before = await setup.stockOf(1);
  const { named, micro, payment_id } = await paidOrder(3);
  const had = await has();
  const answer = await setup.pays(buyer, "orders/cancel", {
    order_id: named.order_id,
    reason: "wrong_order",
  });
  expect(answer.body.data).toMatchObject({
    status: "cancelled",
    ended: { by: "buyer", reason: "wrong_order" },
    paid: { payment_id },
  });
  expect(await setup.stockOf(1)).toEqual(before);
  await refunded(payment_id);
  // The price of the call itself is not refunded.
  expect(await has()).toBe(had + micro - 1_000n);
  expect(await setup.storyOf(tenant, named.order_id)).toEqual(["OrderPlaced", "OrderPaid", "OrderCancelled"]);
  const again = await setup.pays(buyer, "orders/cancel", { order_id: named.order_id });
  expect(again.body.data).toMatchObject({ status: "cancelled", ended: { reason: "wrong_order" } });
  const result = await (await fetch(`${setup.service.url}/v1/agent/payments/${payment_id}`)).json();
  expect(result).toMatchObject({ data: { refund: { status: "paid", reason: "the order was cancelled" } } });
  await expectBooks(app);
  // A refunded order does not make its buyer known.
  await setup.folded();
  expect(await hasPaid(app.pool, tenant)).toBe(false);
});

test("a paid order cancelled by the operator is refunded in the commit that frees its goods", async () => {
  const { app } = setup.service;
  const { named, micro, payment_id } = await paidOrder(1);
  const had = await has();
  await cancelled(app, named, "the pellets were damp");
  const [event] = (await setup.eventsOf(tenant, orders.streamOf(String(named.order_id)))).slice(-1);
  const after = await app.store.readLog({ after: event!.position - 1, limit: 3 });
  expect(after.map(({ type }) => type)).toEqual(["OrderCancelled", "StockReleased", "RefundOpened"]);
  await refunded(payment_id);
  expect(await has()).toBe(had + micro);
});

test("returned goods can be sold again, and are refunded once", async () => {
  const { app } = setup.service;
  const before = await setup.stockOf(1);
  const { named, micro, payment_id } = await paidOrder(4);
  const had = await has();
  const sent = { carrier: null, tracking: null };
  await until(async () => (await ship(app, named, sent)).status === "shipped");
  await delivered(app, named);
  const gone = await setup.stockOf(1);
  expect(gone.shelves[0]!.on_hand).toBe(before.shelves[0]!.on_hand - 4);
  await expect(cancelled(app, named, "too late")).rejects.toThrow("is delivered");
  expect((await returned(app, named, { reason: "not as described" })).status).toBe("returned");
  expect(await setup.stockOf(1)).toEqual(before);
  await expect(returned(app, named, { reason: "again" })).rejects.toThrow("is returned");
  await refunded(payment_id);
  expect(await has()).toBe(had + micro);
  await expectBooks(app);
});

test("returned goods are refunded even if they cannot be sold again", async () => {
  const { app } = setup.service;
  const { named, payment_id } = await paidOrder(1);
  await until(async () => (await ship(app, named, { carrier: null, tracking: null })).status === "shipped");
  const gone = await setup.stockOf(1);
  await returned(app, named, { reason: "burnt", restocked: null });
  expect(await setup.stockOf(1)).toEqual(gone);
  await refunded(payment_id);
});

test("goods do not ship before their payment is final; if it is reverted for good, the order is cancelled and no refund is owed", async () => {
  const { app } = setup.service;
  const before = await setup.stockOf(1);
  const { named, payment_id } = await paidOrder(2);
  const target = payments.targetOf(payment_id);
  const meta = { actor: "test", operation: "test" };
  const at = new Date().toISOString();
  const state = await app.load(payments, target);
  if (state?.status !== "settled") throw new Error("it was settled");
  // As reconciling decides about a reverted block and an ended authorization; immediately, before it looks again.
  const { transaction } = state.settlement;
  await app.commit(
    async ({ decide }) => {
      await decide(payments, target, payments.reorg(transaction, at));
      await decide(payments, target, payments.giveUp("it expired", at));
    },
    { meta },
  );
  await expect(ship(app, named, { carrier: null, tracking: null })).rejects.toThrow(
    /may still revert the payment|is cancelled/,
  );
  await until(
    async () =>
      orders.existing(await app.load(orders, orders.targetOf(tenant, named.order_id))).status === "cancelled",
  );
  const shown = (await setup.pays(buyer, `orders?order_id=${named.order_id}`)).body.data[0];
  expect(shown.ended).toMatchObject({ by: "chain", reason: "payment_taken_back" });
  expect(await setup.stockOf(1)).toEqual(before);
  expect(await refundOf(payment_id)).toBeUndefined();
});
