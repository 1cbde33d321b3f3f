/** The chain reverts the payment of goods: blocks are reverted on a real node, and goods, orders and books follow. */

import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import * as orders from "../../src/domain/commerce/order.ts";
import * as stock from "../../src/domain/commerce/stock.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { ship } from "../../src/operator/shop.ts";
import { ordersReactor } from "../../src/reactors/commerce/orders.ts";
import { cancelOrder, expireOrder } from "../../src/reactors/commerce/steps.ts";
import { paymentsReactor } from "../../src/reactors/payments/reactor.ts";
import {
  balanceOf,
  cancelAuthorization,
  carriedByStranger,
  finalize,
  type Meddled,
  rewind,
} from "../chain/fixture.ts";
import { ask, runningNode } from "../chain/lent-node.ts";
import { expectBooks } from "../support/books.ts";
import { replace } from "../support/replace.ts";
import { turn } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { addressOf, payment, wallet } from "../support/wallets.ts";
import { distinctOrder, openShopSetup, type ShopSetup, walletTenantOf } from "./shop-setup.ts";

let setup: ShopSetup;
let node: Meddled;
beforeAll(async () => {
  // Ticks run by hand, so the chain moves between them.
  setup = await openShopSetup({ reactors: false });
  const { app, data_dir } = setup.service;
  const { port } = await runningNode(join(data_dir, "chain"));
  node = {
    chain: app.chain,
    rpc: (method, ...params) => ask(`http://127.0.0.1:${port}`, method, ...params),
  };
});
afterAll(() => setup?.stop());

const buyer = wallet(2);
const tenant = walletTenantOf(buyer);
const has = () => balanceOf(node.chain, addressOf(buyer));
const SOMEBODY: Hex = "0x000000000000000000000000000000000000dead";

const BY_BUYER = { by: "buyer" as const, reason: "other", cancelled_at: new Date().toISOString() };

type Order = { order_id: number; total_usdc: string; until: string; pay: { body: object } };
let order: Order;
let goods: stock.StockState;
let money: bigint;
let before: Hex;
beforeEach(async () => {
  goods = await setup.stockOf(1);
  const placed = await setup.pays(buyer, "orders", distinctOrder(2));
  expect(placed.status, JSON.stringify(placed.body)).toBe(201);
  order = placed.body.data;
  // The call that placed the order is paid for good: only the payment of the goods is reverted.
  await finalize(node);
  await follow();
  money = await has();
  before = await node.rpc<Hex>("evm_snapshot");
});

/** A tick of each reactor over lists with the whole log. */
async function follow(): Promise<void> {
  const { app } = setup.service;
  for (const reactor of [paymentsReactor(), ordersReactor]) {
    await setup.folded();
    expect(await turn(app, reactor)).toEqual({ status: "done" });
  }
  await setup.folded();
}

const named = () => ({ tenant, order_id: order.order_id });
const stateOf = async () =>
  orders.existing(await setup.service.app.load(orders, orders.targetOf(tenant, order.order_id)));
const paymentOf = (id: string) => setup.service.app.load(payments, payments.targetOf(id));
const story = () => setup.storyOf(tenant, order.order_id);
const goodsStory = async () =>
  (await setup.eventsOf("operator", stock.streamOf("1")))
    .filter(({ payload }) => payload.order_id === order.order_id)
    .map(({ type }) => type);

/** Pays for the order; returns the payment's id. */
async function pay(): Promise<string> {
  const { status, body } = await setup.pays(buyer, "orders/pay", order.pay.body);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.paid.payment_id;
}

/** Reverts the payment's blocks and ends its authorization otherwise, for good. */
async function takenForGood(id: string, spent: "cancelled" | "used" = "cancelled"): Promise<void> {
  await rewind(node, before);
  const nonce = id.split(":").at(-1) as Hex;
  if (spent === "cancelled") await cancelAuthorization(node, buyer, { from: addressOf(buyer), nonce });
  else await carriedByStranger(node, await payment(buyer, 1n, { nonce, to: SOMEBODY }));
  await finalize(node);
}

async function expire(): Promise<void> {
  const at = orders.expiresAt(order);
  const meta = { actor: "test", operation: "test" };
  await setup.service.app.commit((unit) => expireOrder(unit, named(), at), { meta });
}

describe("a payment reverted for good", () => {
  test.each(["cancelled", "used"] as const)(
    "whose authorization is %s: the chain cancels the order, its goods are free, and nothing is owed",
    async (spent) => {
      const id = await pay();
      await takenForGood(id, spent);
      await follow();
      await follow();
      expect(await paymentOf(id)).toMatchObject({ status: "failed", for_good: true });
      expect(await stateOf()).toMatchObject({
        status: "cancelled",
        cancelled: { by: "chain", reason: "payment_taken_back" },
      });
      expect(await setup.stockOf(1)).toEqual(goods);
      expect(await paymentOf(id)).not.toHaveProperty("refund");
      expect(await has()).toBe(money - (spent === "used" ? 1n : 0n));
      await expectBooks(setup.service.app);
    },
  );

  test("after the time to pay: the order does not expire, since it was paid; its goods are freed once", async () => {
    const id = await pay();
    await takenForGood(id);
    await expire();
    expect((await stateOf()).status).toBe("paid");
    await follow();
    await follow();
    await expire();
    expect(await story()).toEqual(["OrderPlaced", "OrderPaid", "OrderCancelled"]);
    expect(await goodsStory()).toEqual(["StockReserved", "ReservationConfirmed", "StockReleased"]);
    expect(await setup.stockOf(1)).toEqual(goods);
    await expectBooks(setup.service.app);
  });

  test("of an order that expired before the payment was recorded: the open refund is void", async () => {
    const { app } = setup.service;
    const { settlement } = app;
    replace(app, {
      settlement: Object.assign(Object.create(settlement), {
        settle: async (...args: Parameters<typeof settlement.settle>) => {
          replace(app, { settlement });
          const receipt = await settlement.settle(...args);
          await expire();
          return receipt;
        },
      }),
    });
    const { status, body } = await setup.pays(buyer, "orders/pay", order.pay.body);
    expect([status, body.detail]).toEqual([409, expect.stringContaining("is being refunded")]);
    const [, id] = /payments\/(\S+)/.exec(body.detail)!;
    await takenForGood(id!);
    await follow();
    await follow();
    expect(await paymentOf(id!)).toMatchObject({ status: "failed", for_good: true });
    expect((await paymentOf(id!))!.refund?.paid).toBeUndefined();
    expect(await story()).toEqual(["OrderPlaced", "OrderExpired"]);
    expect(await setup.stockOf(1)).toEqual(goods);
    expect(await has()).toBe(money);
    await expectBooks(app);
  });

  test.each(["before", "after"])(
    "of an order cancelled just %s the log knew: no refund for a payment that never happened",
    async (when) => {
      const id = await pay();
      const cancel = () =>
        setup.service.app.commit((unit) => cancelOrder(unit, named(), BY_BUYER), { meta: { actor: "test" } });
      if (when === "before") await cancel();
      await takenForGood(id);
      // The first tick finds the missing blocks, the second the ended authorization.
      await follow();
      if (when === "after") {
        expect([(await paymentOf(id))?.status, (await stateOf()).status]).toEqual(["reorged", "paid"]);
        await cancel();
      }
      await follow();
      await follow();
      expect(await paymentOf(id)).toMatchObject({ status: "failed", for_good: true });
      expect((await paymentOf(id))!.refund?.paid).toBeUndefined();
      expect((await stateOf()).status).toBe("cancelled");
      expect(await setup.stockOf(1)).toEqual(goods);
      expect(await has()).toBe(money);
      await expectBooks(setup.service.app);
    },
  );
});

describe("a reverted payment with a valid authorization", () => {
  test("is sent again: the order stays paid, keeps its goods, and ships once it is final", async () => {
    const { app } = setup.service;
    const id = await pay();
    await rewind(node, before);
    expect(await has()).toBe(money);
    await expect(ship(app, named(), { carrier: null, tracking: null })).rejects.toThrow("may still revert");
    await follow();
    expect(await paymentOf(id)).toMatchObject({ status: "settled", answer: { status: 200 } });
    expect(await story()).toEqual(["OrderPlaced", "OrderPaid"]);
    expect(stock.reservationOf(await setup.stockOf(1), order.order_id)).toMatchObject({ confirmed: true });
    await finalize(node);
    await follow();
    expect((await ship(app, named(), { carrier: null, tracking: null })).status).toBe("shipped");
    expect(await has()).toBe(money - BigInt(Math.round(Number(order.total_usdc) * 1e6)));
    await expectBooks(app);
  });

  test("of an order cancelled meanwhile is sent again, and fully refunded once", async () => {
    const { app } = setup.service;
    const id = await pay();
    await rewind(node, before);
    await app.commit((unit) => cancelOrder(unit, named(), BY_BUYER), { meta: { actor: "test" } });
    await until(async () => {
      await finalize(node);
      await follow();
      return (await paymentOf(id))?.refund?.paid !== undefined;
    });
    await finalize(node);
    await follow();
    expect(await has()).toBe(money);
    expect(await setup.stockOf(1)).toEqual(goods);
    await expectBooks(app);
  });
});
