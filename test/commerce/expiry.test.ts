/** The end of the time to pay: goods are freed, and a payment in progress buys them or is refunded. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import * as orders from "../../src/domain/commerce/order.ts";
import * as stock from "../../src/domain/commerce/stock.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { dueOrders, type OrderKey } from "../../src/projections/commerce/orders.ts";
import { expireOrder } from "../../src/reactors/commerce/steps.ts";
import { balanceOf } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { replace } from "../support/replace.ts";
import { until } from "../support/until.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { type Answer, type Credentials, openShopSetup, pelletOrder, type ShopSetup } from "./shop-setup.ts";

let setup: ShopSetup;
const real = { now: () => new Date() };
beforeAll(async () => {
  setup = await openShopSetup();
});
afterEach(() => {
  replace(setup.service.app, { clock: real });
});
afterAll(() => setup?.stop());

const tenant = "buyer";
let credentials: Credentials | undefined;
let placed = 0;

/** An order whose time to pay ends in this many milliseconds. */
async function orderEnding(in_ms: number) {
  const { app } = setup.service;
  credentials ??= await setup.keyOf(tenant);
  replace(app, { clock: { now: () => new Date(Date.now() - orders.HOLD_S.x402 * 1_000 + in_ms) } });
  const answer = await setup.ask(
    { ...credentials, "Idempotency-Key": `o${placed++}` },
    "orders",
    pelletOrder(1),
  );
  replace(app, { clock: real });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.data as { order_id: number; until: string; total_usdc: string; pay: { body: object } };
}

const pay = (order: { pay: { body: object } }): Promise<Answer> =>
  setup.pays(wallet(9), "orders/pay", order.pay.body, credentials);

/** Decides the expiry as of its time, whatever the clock shows. */
async function expire({ order_id, until }: { order_id: number; until: string }): Promise<void> {
  const { app } = setup.service;
  const meta = { actor: "test", operation: "test" };
  const at = orders.expiresAt({ until });
  await app.commit((unit) => expireOrder(unit, { tenant, order_id }, at), { meta });
}

const statusOf = async ({ order_id }: { order_id: number }) =>
  orders.existing(await setup.service.app.load(orders, orders.targetOf(tenant, order_id))).status;

const heldFor = async ({ order_id }: { order_id: number }) =>
  stock.reservationOf(await setup.stockOf(1), order_id);

describe("an overdue order", () => {
  test("expires ten minutes later by the reactor, and its goods can be sold again", async () => {
    const { app } = setup.service;
    const before = await setup.stockOf(1);
    const early = await orderEnding(-9 * 60_000);
    const due = await orderEnding(-11 * 60_000);
    await setup.folded();
    expect(
      (await dueOrders(app.pool, new Date().toISOString())).map(({ order_id }: OrderKey) => order_id),
    ).not.toContain(early.order_id);
    await until(async () => (await statusOf(due)) === "expired");
    expect(await setup.storyOf(tenant, due.order_id)).toEqual(["OrderPlaced", "OrderExpired"]);
    expect(await statusOf(early)).toBe("awaiting_payment");
    await expire(early);
    expect(await setup.stockOf(1)).toEqual(before);
    expect((await setup.ask(credentials!, `orders?order_id=${due.order_id}`)).body.data[0]).toMatchObject({
      status: "expired",
      ended: { by: "time" },
    });
  });

  test("cannot be paid while its goods are still reserved, and nothing is charged", async () => {
    const order = await orderEnding(0);
    const before = await balanceOf(setup.service.app.chain, addressOf(wallet(9)));
    const { status, body } = await pay(order);
    expect([status, String(body.type).split("#")[1], body.detail]).toEqual([
      409,
      "order-not-payable",
      expect.stringContaining(order.until),
    ]);
    expect(await heldFor(order)).toMatchObject({ confirmed: false });
    expect(await balanceOf(setup.service.app.chain, addressOf(wallet(9)))).toBe(before);
    await expire(order);
  });
});

describe("a payment that settles during the expiry", () => {
  /** Runs `then` between the next payment's settlement and its commit. */
  function onceSettled(then: () => Promise<void>): void {
    const { app } = setup.service;
    const { settlement } = app;
    replace(app, {
      settlement: Object.assign(Object.create(settlement), {
        settle: async (...args: Parameters<typeof settlement.settle>) => {
          replace(app, { settlement });
          const receipt = await settlement.settle(...args);
          await then();
          return receipt;
        },
      }),
    });
  }

  test("after the decision is refunded in full", async () => {
    const { app } = setup.service;
    const order = await orderEnding(60_000);
    const before = await balanceOf(app.chain, addressOf(wallet(9)));
    onceSettled(() => expire(order));
    const { status, body } = await pay(order);
    expect([status, String(body.type).split("#")[1], body.detail]).toEqual([
      409,
      "order-not-payable",
      expect.stringContaining("is being refunded"),
    ]);
    expect(await setup.storyOf(tenant, order.order_id)).toEqual(["OrderPlaced", "OrderExpired"]);
    expect(await heldFor(order)).toBeUndefined();
    const [, id] = /payments\/(\S+)/.exec(body.detail)!;
    await until(async () => (await app.load(payments, payments.targetOf(id!)))?.refund?.paid !== undefined);
    expect(await balanceOf(app.chain, addressOf(wallet(9)))).toBe(before);
    await expectBooks(app);
  });

  test("before the decision gets the goods, and nothing expires", async () => {
    const order = await orderEnding(2_000);
    // The time to pay ends during the payment.
    onceSettled(() => until(() => Date.now() > Date.parse(order.until)) as Promise<never>);
    expect((await pay(order)).body.data).toMatchObject({ status: "paid" });
    await expire(order);
    expect(await statusOf(order)).toBe("paid");
    expect(await heldFor(order)).toMatchObject({ confirmed: true });
    await expectBooks(setup.service.app);
  });

  test("at the same moment gets the goods or a refund, never neither or both", async () => {
    const { app } = setup.service;
    const outcomes = new Set<string>();
    for (let n = 0; n < 10; n++) {
      const order = await orderEnding(60_000);
      let expiring: Promise<void> | undefined;
      onceSettled(async () => {
        expiring = new Promise((done) => setTimeout(done, n % 5)).then(() => expire(order));
      });
      const { status, body } = await pay(order);
      await expiring;
      const now = await statusOf(order);
      outcomes.add(now);
      expect([status, now]).toEqual(status === 200 ? [200, "paid"] : [409, "expired"]);
      expect((await heldFor(order)) !== undefined).toBe(now === "paid");
      if (status === 200) continue;
      const [, id] = /payments\/(\S+)/.exec(body.detail)!;
      expect(await app.load(payments, payments.targetOf(id!))).toMatchObject({
        status: "settled",
        refund: { reason: expect.any(String) },
      });
    }
    const unpaid = () => app.pool.query("select from read.payments_v1 where refund_status = 'open'");
    await until(async () => (await unpaid()).rows.length === 0);
    await expectBooks(app);
    expect([...outcomes].every((one) => ["paid", "expired"].includes(one))).toBe(true);
  });
});
