/**
 * The process is killed just before and just after each append of the shop: after a retry at another process,
 * everything exists once.
 */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import pg from "pg";
import type { HDAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sealedIn } from "../../src/core/model/sealed.ts";
import * as subject from "../../src/core/model/subject.ts";
import { entriesOf } from "../../src/domain/commerce/buckets.ts";
import * as orders from "../../src/domain/commerce/order.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { listProduct, receiveStock, setPrice } from "../../src/operator/shop.ts";
import { ordersReactor } from "../../src/reactors/commerce/orders.ts";
import { paymentsReactor } from "../../src/reactors/payments/reactor.ts";
import { erasuresReactor } from "../../src/reactors/subjects/erase.ts";
import { balanceOf } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { present, quoteOf, signPayment } from "../support/buyer.ts";
import { startProgram } from "../support/compiled.ts";
import { replace } from "../support/replace.ts";
import { turn } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import {
  type Answer,
  type Credentials,
  openShopSetup,
  pelletOrder,
  type ShopSetup,
  walletTenantOf,
} from "./shop-setup.ts";

let setup: ShopSetup;
const children: ChildProcess[] = [];
beforeAll(async () => {
  // Ticks run by hand: otherwise a reactor would finish before the process is killed.
  setup = await openShopSetup({ reactors: false });
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await setup?.stop();
});

/** A call during which a process is killed, repeated unchanged. */
type Story = { tenant: string; step: string; ask(url: string): Promise<Answer> };
const CALL_MICRO = 50_000n;
const UNITS = 10;
let products = 0;

/** A product of its own, so that waiting calls do not queue for one stream. */
async function rare(): Promise<{ product_id: number; slug: string }> {
  const { app } = setup.service;
  const slug = `rare-${products++}`;
  const unit = "pallet" as const;
  const product_id = await listProduct(app, "live", {
    ...{ slug, type: "finieris", name: slug, base_unit: unit, units: [{ unit, base: 1 }] },
    ...{ kg_per_base: 500, kwh_per_kg: null, vat_bp: 2_100 },
  });
  const name = String(product_id);
  const { clock } = app;
  // The price existed when the order was placed that expires.
  replace(app, { clock: { now: () => new Date(Date.now() - 3_600_000) } });
  await setPrice(app, "live", { name, unit, net_cents: 10_000 });
  replace(app, { clock });
  await receiveStock(app, "live", { name, location: "riga", quantity: UNITS, reference: null });
  await setup.folded();
  return { product_id, slug };
}

const bodyFor = (slug: string) =>
  pelletOrder(2, { product_slug: slug, customer_email: `${slug}@example.org`, customer_name: "Anna Ozola" });

/** A call with a payment that is signed once, whichever process gets it. */
async function paying(payer: HDAccount, path: string, body: object, credentials: Credentials = {}) {
  const init = {
    method: "POST",
    headers: { ...credentials, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  const quoted = { ...init, headers: { "Content-Type": "application/json" } };
  const signed = await signPayment(payer, await quoteOf(`${setup.service.url}/v1/agent/${path}`, quoted));
  return async (url: string): Promise<Answer> => {
    const response = await present(`${url}/v1/agent/${path}`, signed, init);
    return { status: response.status, body: await response.json(), headers: response.headers };
  };
}

/** Calls the surviving process until nothing is pending. */
const again = ({ ask }: Story): Promise<Answer> =>
  until(async () => {
    const answer = await ask(setup.service.url);
    return !String(answer.body.type).endsWith("#payment-pending") && answer;
  });

const has = (payer: HDAccount) => balanceOf(setup.service.app.chain, addressOf(payer));
const micro = ({ total_usdc }: { total_usdc: string }) => BigInt(Math.round(Number(total_usdc) * 1e6));
const ofCustomer = (tenant: string, order_id: number) => orders.targetOf(tenant, order_id);

/** Only these orders hold the product's goods, two units each. */
async function expectHeld(product_id: number, held: readonly { order_id: number; confirmed: boolean }[]) {
  const { shelves, open } = await setup.stockOf(product_id);
  expect(entriesOf(open).map(([id, { confirmed }]) => ({ order_id: Number(id), confirmed }))).toEqual(held);
  expect(shelves).toEqual([{ location: "riga", on_hand: UNITS, reserved: 2 * held.length }]);
}

describe.each(["before", "after"])("after a kill just %s the append of", (side) => {
  const keyed = (what: string) => `${side}-${what}`;
  const stories = new Map<string, Story>();
  const dead: Promise<unknown>[] = [];
  let prepared: Awaited<ReturnType<typeof prepare>>;

  async function prepare() {
    const { app } = setup.service;
    const mine = (tenant: string) => setup.keyOf(keyed(tenant));
    const goods = {
      placed: await rare(),
      bought: await rare(),
      claimed: await rare(),
      paid: await rare(),
      paying: await rare(),
      cancelled: await rare(),
      expired: await rare(),
      erased: await rare(),
    };
    const before = await Promise.all([0, 1, 2, 3, 4].map((n) => has(wallet(n))));
    const tell = (name: string, story: Story) => stories.set(name, story);

    const placer = { ...(await mine("placed")), "Idempotency-Key": "once" };
    tell("an order by a key", {
      tenant: keyed("placed"),
      step: "OrderPlaced",
      ask: (url) => setup.ask(placer, "orders", bodyFor(goods.placed.slug), url),
    });
    for (const [name, payer, of, step] of [
      ["an order by a wallet", wallet(0), goods.bought, "OrderPlaced"],
      ["the payment that places an order", wallet(1), goods.claimed, "PaymentClaimed"],
    ] as const)
      tell(name, {
        tenant: walletTenantOf(payer),
        step,
        ask: await paying(payer, "orders", bodyFor(of.slug)),
      });
    const due: Record<string, { order_id: number; total_usdc: string; pay: { body: object } }> = {};
    for (const [name, payer, of, step] of [
      ["a paid order", wallet(2), goods.paid, "OrderPaid"],
      ["the payment of an order", wallet(3), goods.paying, "PaymentClaimed"],
    ] as const) {
      const placed = (await setup.pays(payer, "orders", bodyFor(of.slug))).body.data;
      due[name] = placed;
      tell(name, {
        tenant: walletTenantOf(payer),
        step,
        ask: await paying(payer, "orders/pay", placed.pay.body),
      });
    }

    const giver = await mine("cancelled");
    const given = (await setup.ask(giver, "orders", bodyFor(goods.cancelled.slug))).body.data;
    const paid = await setup.pays(wallet(4), "orders/pay", given.pay.body, giver);
    expect(paid.status, JSON.stringify(paid.body)).toBe(200);
    tell("a cancelled order", {
      tenant: keyed("cancelled"),
      step: "OrderCancelled",
      ask: (url) => setup.ask(giver, "orders/cancel", { order_id: given.order_id }, url),
    });

    const quoter = { ...(await mine("quoted")), "Idempotency-Key": "once" };
    const quote = {
      client_name: "Anna Ozola",
      client_email: `${keyed("quoted")}@example.org`,
      items: [{ product_id: goods.placed.product_id, quantity: 1 }],
    };
    tell("a quote", {
      tenant: keyed("quoted"),
      step: "QuoteDrafted",
      ask: (url) => setup.ask(quoter, "quotes", quote, url),
    });

    const erased: Record<string, { subject_id: string; order_id: number }> = {};
    for (const step of ["SubjectErasureRequested", "SubjectErased"]) {
      const eraser = await mine(step);
      const email = `${keyed(step.toLowerCase())}@example.org`;
      const body = { ...bodyFor(goods.erased.slug), customer_email: email };
      const { order_id } = (await setup.ask(eraser, "orders", body)).body.data;
      const { facts } = orders.existing(await app.load(orders, ofCustomer(keyed(step), order_id)));
      erased[step] = { subject_id: facts.customer.subject_id, order_id };
      tell(step, {
        tenant: keyed(step),
        step,
        ask: (url) => setup.ask(eraser, "commerce/erase", { email }, url),
      });
    }

    const { clock } = app;
    replace(app, { clock: { now: () => new Date(Date.now() - 41 * 60_000) } });
    const late = await setup.ask(await mine("expired"), "orders", bodyFor(goods.expired.slug));
    replace(app, { clock });
    expect(late.status, JSON.stringify(late.body)).toBe(201);
    // No call is needed: the process runs its ticks.
    tell("an expired order", {
      tenant: keyed("expired"),
      step: "OrderExpired",
      ask: () => Promise.reject(new Error("nobody asks")),
    });
    await setup.folded();
    return { goods, before, due, given, erased, late: late.body.data };
  }

  beforeAll(async () => {
    prepared = await prepare();
    const { database_url, data_dir } = setup.service;
    const steps = Object.fromEntries([...stories.values()].map(({ tenant, step }) => [tenant, step]));
    const child = startProgram("test/commerce/doomed-shop.ts", [], {
      env: {
        PATH: process.env.PATH,
        DATABASE: database_url,
        DATA: data_dir,
        VAULT: setup.vault_url,
        SIDE: side,
        STEPS: JSON.stringify(steps),
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    const ended = once(child, "exit");
    const url = ((await once(child.stdout!, "data")) as [Buffer])[0].toString().trim();
    const reader = await setup.keyOf("reader");
    await until(async () => (await setup.ask(reader, "prices?currency=USD", undefined, url)).status === 200);
    for (const { ask } of stories.values())
      dead.push(
        ask(url).then(
          ({ body }) => body,
          () => "cut off",
        ),
      );
    expect(await ended).toEqual([null, "SIGKILL"]);
  });

  /** The answer's order is the only one of its product and equals the log's, however often it is requested. */
  async function expectOnce(name: string, product_id: number, confirmed: boolean): Promise<void> {
    const story = stories.get(name)!;
    const { status, body } = await again(story);
    expect([status, body.data?.status], JSON.stringify(body)).toEqual(
      confirmed ? [200, "paid"] : [201, "awaiting_payment"],
    );
    const { order_id } = body.data;
    expect((await again(story)).body.data).toEqual(body.data);
    await expectHeld(product_id, [{ order_id, confirmed }]);
    expect(await setup.storyOf(story.tenant, order_id)).toEqual(
      confirmed ? ["OrderPlaced", "OrderPaid"] : ["OrderPlaced"],
    );
  }

  test("an order by a key exists once, and its goods are reserved once", () =>
    expectOnce("an order by a key", prepared.goods.placed.product_id, false));

  test.each([
    ["an order by a wallet", 0, "bought"],
    ["the payment that places an order", 1, "claimed"],
  ] as const)("%s: the order exists once, charged once", async (name, payer, goods) => {
    await expectOnce(name, prepared.goods[goods].product_id, false);
    expect(await has(wallet(payer))).toBe(prepared.before[payer]! - CALL_MICRO);
  });

  test.each([
    ["a paid order", 2, "paid"],
    ["the payment of an order", 3, "paying"],
  ] as const)("%s: it is paid once, and keeps its goods", async (name, payer, goods) => {
    await expectOnce(name, prepared.goods[goods].product_id, true);
    const cost = CALL_MICRO + micro(prepared.due[name]!);
    expect(await has(wallet(payer))).toBe(prepared.before[payer]! - cost);
  });

  test("a cancelled order's goods are free, and it is refunded once", async () => {
    const { body } = await again(stories.get("a cancelled order")!);
    expect(body.data).toMatchObject({ status: "cancelled", ended: { by: "buyer" } });
    const { app } = setup.service;
    const target = payments.targetOf(body.data.paid.payment_id);
    await until(async () => {
      await turn(app, paymentsReactor(), { patient: true });
      return (await app.load(payments, target))?.refund?.paid !== undefined;
    });
    await turn(app, paymentsReactor(), { patient: true });
    expect(await has(wallet(4))).toBe(prepared.before[4]);
    await expectHeld(prepared.goods.cancelled.product_id, []);
    expect(await setup.storyOf(keyed("cancelled"), body.data.order_id)).toEqual([
      "OrderPlaced",
      "OrderPaid",
      "OrderCancelled",
    ]);
  });

  test("a quote exists once", async () => {
    const story = stories.get("a quote")!;
    const { status, body } = await again(story);
    expect(status).toBe(201);
    expect((await again(story)).body.data).toEqual(body.data);
    const { rows } = await setup.service.app.pool.query(
      "select type from eventstore.events where tenant = $1 and stream_id like 'quote-%'",
      [story.tenant],
    );
    expect(rows).toEqual([{ type: "QuoteDrafted" }]);
  });

  test.each(["SubjectErasureRequested", "SubjectErased"])(
    "%s: the customer is erased, once",
    async (step) => {
      const { app } = setup.service;
      const { subject_id, order_id } = prepared.erased[step]!;
      // By the second step the key is gone, and the name is unknown.
      expect((await again(stories.get(step)!)).status).toBe(step === "SubjectErased" ? 404 : 200);
      await setup.folded();
      await until(async () => {
        await turn(app, erasuresReactor, { patient: true });
        return (await app.load(subject, { tenant: keyed(step), id: subject_id }))?.status === "erased";
      });
      const events = await setup.eventsOf(keyed(step), subject.streamOf(subject_id));
      expect(events.map(({ type }) => type)).toEqual(["SubjectErasureRequested", "SubjectErased"]);
      const credentials = await setup.keyOf(keyed(step));
      const { data } = (await setup.ask(credentials, `orders?order_id=${order_id}`)).body;
      expect(data).toMatchObject([{ erased: true, customer: null }]);
    },
  );

  test("an expired order is expired, and its goods are free once", async () => {
    const { app } = setup.service;
    const { order_id } = prepared.late;
    const story = ["OrderPlaced", "OrderExpired"];
    await until(async () => {
      await turn(app, ordersReactor, { patient: true });
      return (await setup.storyOf(keyed("expired"), order_id)).length === story.length;
    });
    expect(await setup.storyOf(keyed("expired"), order_id)).toEqual(story);
    await expectHeld(prepared.goods.expired.product_id, []);
  });

  test("every call was cut off, the books agree, and the vault has exactly the log's subjects", async () => {
    expect(new Set(await Promise.all(dead))).toEqual(new Set(["cut off"]));
    await expectBooks(setup.service.app);
    const named = new Set<string>();
    for (const { type, payload } of await setup.service.app.store.readLog({ after: 0, limit: 10_000 })) {
      for (const { subject_id } of sealedIn(payload)) named.add(subject_id);
      if (type === "SubjectErased") named.delete(String(payload.subject_id));
    }
    const vault = new pg.Client({ connectionString: setup.vault_url });
    await vault.connect();
    const { rows } = await vault.query<{ subject_id: string }>(
      "select subject_id from subject_keys.subjects",
    );
    await vault.end();
    expect(new Set(rows.map(({ subject_id }) => subject_id))).toEqual(named);
  });
});
