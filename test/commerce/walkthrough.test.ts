/** The shop over real HTTP on the embedded chain: products, quotes, orders, payments, and their owners. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as product from "../../src/domain/commerce/product.ts";
import * as stock from "../../src/domain/commerce/stock.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { delivered, ship } from "../../src/operator/shop.ts";
import { balanceOf } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { buy } from "../support/buyer.ts";
import { opened } from "../support/sandbox.ts";
import { startService } from "../support/service.ts";
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
let mine: Credentials;
let tenant: string;
let buyers = 0;
beforeAll(async () => {
  setup = await openShopSetup();
});
beforeEach(async () => {
  // A buyer per order: nobody may have more than three unpaid orders of a product.
  tenant = `buyer-${buyers++}`;
  mine = await setup.keyOf(tenant);
});
afterAll(async () => {
  const broken = setup?.service.logged.filter(({ msg }) => msg === "an operation breaks its own declaration");
  await setup?.stop();
  expect(broken).toEqual([]);
});

const ask = (path: string, body?: object, credentials = mine) => setup.ask(credentials, path, body);
const named = (key: string, credentials = mine) => ({ ...credentials, "Idempotency-Key": key });
const refusal = ({ status, body }: Answer) => [status, String(body.type).split("#")[1]];
const listed = (order_id: number, credentials = mine) =>
  ask(`orders?order_id=${order_id}`, undefined, credentials);

/** Places an order under a new key. */
let orders = 0;
async function order(quantity: number, more: object = {}, credentials = mine) {
  const answer = await ask("orders", pelletOrder(quantity, more), named(`o${orders++}`, credentials));
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.data;
}
const payBody = ({ pay }: { pay: { body: object } }) => pay.body;

describe("a product", () => {
  test("is listed in stock, by type, with a price per kilogram", async () => {
    const all = (await ask("products")).body;
    expect(all.data.map(({ type }: { type: string }) => type)).toEqual([
      "granulas",
      "briketes",
      "saplaksnis",
      "finieris",
    ]);
    expect(all.meta.as_of_position).toBeGreaterThan(0);
    const { data } = (await ask("products?type=granulas")).body;
    expect(data).toMatchObject([
      {
        product_id: 1,
        slug: "granulas-premium",
        cn_code: "44013100",
        base_unit: "bag",
        units: [
          { unit: "bag", base_units: 1, kg: 15, net: "4.95" },
          { unit: "pallet", base_units: 65, kg: 975, net: "299.00" },
        ],
        price_per_kg: "0.3067",
        stock: [{ location: "riga" }, { location: "liepaja" }],
      },
    ]);
  });

  test("has a price in every currency of the ECB", async () => {
    const euro = (await ask("prices")).body;
    expect(euro.data[0]).toMatchObject({
      unit: "bag",
      net: "4.95",
      vat: "1.04",
      gross: "5.99",
      vat_percent: "21",
      price_per_kg: "0.3300",
    });
    expect(euro.meta).toMatchObject({ currency: "EUR", rate: null, count: 6 });
    const yen = (await ask("prices?currency=JPY")).body;
    const { rate } = yen.meta.rate;
    expect(yen.meta.rate).toMatchObject({ synthetic: true, dataset: "sandbox-ecb-rates" });
    expect(yen.data[0].net).toBe(String(Math.round(4.95 * Number(rate))));
    const refused = await ask("prices?currency=XXX");
    expect(refused.status).toBe(400);
    expect(refused.body.errors[0]).toMatchObject({
      path: "currency",
      message: expect.stringContaining("CHF, CNY, GBP"),
    });
  });

  test("has a price history, alone or with all others", async () => {
    const { data, meta } = (await ask("prices/history?slug=granulas-premium&months=1")).body;
    expect(data).toMatchObject([
      { product_id: 1, unit: "bag", net: "4.95", to: null },
      { product_id: 1, unit: "pallet", net: "299.00", to: null },
    ]);
    expect(meta.count).toBe(2);
    expect((await ask("prices/history")).body.meta.count).toBe(6);
    expect(refusal(await ask("prices/history?slug=granulas-premium&product_id=2"))).toEqual([
      404,
      "not-found",
    ]);
    expect((await ask("prices/history?months=61")).body.errors[0].path).toBe("months");
  });

  test("shows its current stock by location", async () => {
    const before = (await ask("availability?slug=briketes-ozols")).body.data;
    expect(before).toMatchObject([{ location: "riga", on_hand: 1_950, reserved: 0, available: 1_950 }]);
    await order(5, { product_slug: "briketes-ozols" });
    expect((await ask("availability?product_id=2")).body.data).toMatchObject([
      { on_hand: 1_950, reserved: 5, available: 1_945 },
    ]);
    expect(
      (await ask("availability")).body.data.map(({ product_id }: { product_id: number }) => product_id),
    ).toEqual([1, 1, 2, 3, 4]);
    expect(refusal(await ask("availability?slug=none"))).toEqual([404, "not-found"]);
  });

  test("is calculated for a heating season", async () => {
    const { data } = (await ask("calculator", { kw: 10 })).body;
    expect(data.granulas).toEqual({
      kg: 3_500,
      bags: 234,
      pallets: 4,
      // 3 · 299.00 + 39 · 4.95 = 1090.05, and 21 %.
      cost_eur: "1318.96",
      lines: [
        { unit: "pallet", quantity: 3, unit_net: "299.00", net: "897.00", discount: "68.25", missing: 0 },
        { unit: "bag", quantity: 39, unit_net: "4.95", net: "193.05", discount: "0.00", missing: 0 },
      ],
      product_slug: "granulas-premium",
      kwh_per_kg: 4.8,
    });
    expect(data.briketes).toMatchObject({ kg: 3_653, bags: 244, pallets: 4 });
    expect(data.assumptions).toMatchObject({ kg_per_kw: 350, insulation_factor: 1 });
    // 3,900 bags are in the shop; 11,667 are needed.
    const large = (await ask("calculator", { kw: 500 })).body.data.granulas;
    const [pallets, bags] = large.lines;
    expect([large.bags, pallets.quantity, pallets.missing]).toEqual([11_667, 179, 119]);
    expect([bags.quantity, bags.missing]).toEqual([32, 32]);
  });
});

describe("a quote", () => {
  const draft = (items: object[], credentials = mine) =>
    ask("quotes", { client_name: "Anna Ozola", client_email: "Anna@Example.org", items }, credentials);

  test("has current prices with tax for two weeks, and an order uses them", async () => {
    const { status, body } = await draft([
      { product_id: 1, quantity: 2, unit: "pallet" },
      { product_id: 3, quantity: 1 },
    ]);
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      status: "draft",
      items: [
        {
          ...{ product_slug: "granulas-premium", unit: "pallet", unit_net: "299.00" },
          ...{ net: "598.00", vat: "125.58", gross: "723.58" },
        },
        { product_slug: "saplaksnis-berzs", unit: "pallet", unit_net: "1180.00", vat: "247.80" },
      ],
      net: "1778.00",
      vat: "373.38",
      gross: "2151.38",
    });
    const { quote_id, drafted_at, valid_until } = body.data;
    expect(Date.parse(valid_until) - Date.parse(drafted_at)).toBe(14 * 86_400_000);
    const { app } = setup.service;
    const set_at = app.clock.now().toISOString();
    const dearer = product.price({ unit: "pallet", net_cents: 31_000, from: set_at, set_at });
    await app.decide(product, { tenant: "operator", id: "1" }, dearer, {
      meta: { actor: "test", operation: "test" },
    });
    expect(await order(1, { unit: "pallet", quote_id })).toMatchObject({ net: "299.00", quote_id });
    expect(await order(1, { unit: "pallet" })).toMatchObject({ net: "310.00", quote_id: null });
    const more = await ask("orders", pelletOrder(3, { unit: "pallet", quote_id }), named("more"));
    expect([more.status, more.body.errors[0].path]).toEqual([400, "quantity"]);
    const other = await setup.keyOf("other");
    expect(
      refusal(await ask("orders", pelletOrder(1, { unit: "pallet", quote_id }), named("q", other))),
    ).toEqual([404, "not-found"]);
  });

  test("names the cheaper unit, its discount, and the stock that is short", async () => {
    const { status, body } = await draft([
      { product_id: 2, quantity: 130, unit: "bag" },
      { product_id: 2, quantity: 29, unit: "pallet" },
      { product_id: 4, quantity: 12 },
      { product_id: 4, quantity: 3 },
    ]);
    expect(status).toBe(201);
    const [bags, pallets, veneer, more] = body.data.items;
    // 130 bags at 4.25 are 552.50, and two pallets at 259.00 are 518.00.
    expect(bags).toMatchObject({ unit: "bag", quantity: 130, net: "552.50", discount: "0.00", missing: 0 });
    expect(bags.cheaper).toEqual({
      lines: [{ unit: "pallet", quantity: 2, unit_net: "259.00", net: "518.00", discount: "34.50" }],
      net: "518.00",
      saved: "34.50",
    });
    // 1,950 bags, of which an order and the item above have some: 28 pallets at most.
    const left = (await ask("availability?product_id=2")).body.data[0].available;
    expect(pallets).toMatchObject({ unit: "pallet", discount: "500.25", cheaper: null });
    expect(pallets.missing).toBe(29 - Math.floor((left - 130) / 65));
    expect(pallets.missing).toBeGreaterThan(0);
    // Twelve are in stock, and both items together want fifteen.
    expect([veneer.missing, more.missing, more.cheaper]).toEqual([0, 3, null]);
    expect(body.data.discount).toBe("500.25");
    expect(Number(body.data.net)).toBeCloseTo(552.5 + 29 * 259 + 15 * 2_100, 2);
  });

  test.each([
    [[{ product_id: 99, quantity: 1 }], 404, undefined],
    [[{ product_id: 3, quantity: 1, unit: "bag" }], 400, "items.0.unit"],
    [[], 400, "items"],
    [[{ product_id: 1, quantity: 10_001 }], 400, "items.0.quantity"],
    [Array(51).fill({ product_id: 1, quantity: 1 }), 400, "items"],
  ])("%# is refused for missing items", async (items, status, path) => {
    const answer = await draft(items);
    expect([answer.status, answer.body.errors?.[0].path]).toEqual([status, path]);
  });
});

describe("an order", () => {
  test("reserves its goods at once, and says how to pay", async () => {
    const before = await setup.stockOf(1);
    const data = await order(10);
    expect(data).toMatchObject({
      status: "awaiting_payment",
      product_slug: "granulas-premium",
      unit: "bag",
      quantity: 10,
      base_quantity: 10,
      net: "49.50",
      vat: "10.40",
      gross: "59.90",
      payment: "x402",
      paid: null,
      ended: null,
    });
    expect(Number(data.total_usdc)).toBeCloseTo(59.9 * Number(data.eur_usd), 5);
    expect(Date.parse(data.until) - Date.parse(data.placed_at)).toBe(30 * 60_000);
    expect(data.pay).toMatchObject({
      url: `${setup.service.url}/v1/agent/orders/pay`,
      body: { order_id: data.order_id, total_usdc: data.total_usdc },
    });
    const now = await setup.stockOf(1);
    expect(now.shelves[0]!.reserved - before.shelves[0]!.reserved).toBe(10);
    expect(await setup.storyOf(tenant, data.order_id)).toEqual(["OrderPlaced"]);
    await ask("orders/cancel", { order_id: data.order_id });
  });

  test("belongs to its buyer: only the buyer sees the customer, and strangers find nothing", async () => {
    const address = "Brīvības iela 1, Rīga";
    const { order_id } = await order(1, {
      customer_name: "Anna",
      customer_phone: "+371 2000",
      delivery_address: address,
    });
    const { data, meta } = (await listed(order_id)).body;
    expect(data).toMatchObject([
      {
        order_id,
        erased: false,
        customer: {
          name: "Anna",
          email: "anna@example.org",
          phone: "+371 2000",
          delivery_address: address,
          notes: null,
        },
      },
    ]);
    expect(meta).toMatchObject({ count: 1, total: 1 });
    const stranger = await setup.keyOf("stranger");
    for (const path of [`orders?order_id=${order_id}`, "orders/cancel"])
      expect(refusal(await ask(path, path === "orders/cancel" ? { order_id } : undefined, stranger))).toEqual(
        [404, "not-found"],
      );
    const [event] = await setup.eventsOf(tenant, `order-${order_id}`);
    expect(JSON.stringify(event!.payload)).not.toMatch(/anna|Anna|2000|Rīga/);
    await ask("orders/cancel", { order_id });
  });

  test("is listed for its buyer, the newest first", async () => {
    const pager = await setup.keyOf("pager");
    const placed = [await order(1, {}, pager), await order(2, {}, pager), await order(3, {}, pager)];
    await setup.folded();
    const { data, meta } = (await ask("orders?limit=2&offset=1", undefined, pager)).body;
    expect(data.map(({ order_id }: { order_id: number }) => order_id)).toEqual([
      placed[1].order_id,
      placed[0].order_id,
    ]);
    expect(meta).toMatchObject({ count: 2, total: 3 });
  });

  test("is the same for equal unnamed calls within ten minutes, also for two at once on two processes", async () => {
    const buyer = await setup.keyOf("repeats");
    const beside = await startService({ beside: setup.service, vault: setup.vault_url });
    const { data } = setup.service.app;
    await opened(
      beside,
      data.reference.open().map(({ vintage }) => vintage),
    );
    const at = async (url: string, body: object, headers = buyer) => {
      const init = { method: "POST", headers: { "Content-Type": "application/json", ...headers } };
      const response = await fetch(`${url}/v1/agent/orders`, { ...init, body: JSON.stringify(body) });
      return { status: response.status, text: await response.text() };
    };
    const placed = async () =>
      (await setup.service.app.pool.query("select from eventstore.events where type = 'OrderPlaced'"))
        .rowCount!;
    const before = await placed();
    const urls = [setup.service.url, beside.url, setup.service.url, beside.url];
    const answers = await Promise.all(urls.map((url) => at(url, pelletOrder(1))));
    const results = answers.map(({ status, text }) => [status, JSON.parse(text).data?.order_id]);
    expect(results).toEqual(results.map(() => [201, expect.any(Number)]));
    expect([new Set(results.map(String)).size, await placed()]).toEqual([1, before + 1]);
    // The kept answer is given again, whichever process is asked.
    const again = await Promise.all(urls.map((url) => at(url, pelletOrder(1))));
    expect([again, await placed()]).toEqual([again.map(() => again[0]), before + 1]);
    // Another input or a name makes another order.
    await at(beside.url, pelletOrder(1, { notes: "another" }));
    await at(beside.url, pelletOrder(1), named("mine", buyer));
    expect(await placed()).toBe(before + 3);
    await beside.stop();
  });

  test("placed again by an equal unnamed call leaves the second payment unsettled", async () => {
    const url = `${setup.service.url}/v1/agent/orders`;
    const body = JSON.stringify(pelletOrder(1, { product_slug: "briketes-ozols" }));
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body };
    const settled = async () =>
      (await setup.service.app.pool.query("select from eventstore.events where type = 'PaymentSettled'"))
        .rowCount!;
    const before = await settled();
    const first = await buy(wallet(5), url, init);
    const second = await buy(wallet(5), url, init);
    expect([first.answer.status, second.answer.status]).toEqual([201, 201]);
    expect(await second.answer.text()).toBe(await first.answer.text());
    expect(await settled()).toBe(before + 1);
  });

  test("requested twice under one name is one order, by header or by field; without the name it is another", async () => {
    const buyer = await setup.keyOf("twice");
    const first = await ask("orders", pelletOrder(1), named("once", buyer));
    const again = await ask("orders", pelletOrder(1, { idempotency_key: "once" }), buyer);
    const both = await ask("orders", pelletOrder(1, { idempotency_key: "once" }), named("once", buyer));
    expect([again.body, both.body]).toEqual([first.body, first.body]);
    expect(first.body.meta.warning).toBeNull();
    expect((await ask("orders", pelletOrder(2), named("once", buyer))).status).toBe(422);
    const differ = await ask("orders", pelletOrder(1, { idempotency_key: "other" }), named("once", buyer));
    expect([differ.status, differ.body.errors[0].path]).toEqual([400, "idempotency_key"]);
    const loose = await ask("orders", pelletOrder(1), buyer);
    expect(loose.body.meta.warning).toContain("Idempotency-Key");
    expect(loose.body.data.order_id).not.toBe(first.body.data.order_id);
    // The stored answer is gone: the recorded order is returned.
    await setup.service.app.pool.query("delete from access.kept_answers");
    expect((await ask("orders", pelletOrder(1), named("once", buyer))).body).toEqual(first.body);
  });

  test.each([
    [{ quantity: 0 }, "quantity"],
    [{ quantity: 1.5 }, "quantity"],
    [{ quantity: 10_001 }, "quantity"],
    [{ quantity: 140, unit: "pallet" }, "quantity"],
    [{ unit: "crate" }, "unit"],
    [{ product_slug: "saplaksnis-berzs", unit: "bag" }, "unit"],
    [{ product_slug: "Pellets!" }, "product_slug"],
    [{ customer_email: "anna" }, "customer_email"],
    [{ customer_email: undefined }, "customer_email"],
    [{ delivery_address: "x".repeat(301) }, "delivery_address"],
    [{ notes: "x".repeat(501) }, "notes"],
    [{ customer_phone: "call me" }, "customer_phone"],
    [{ payment: "cash" }, "payment"],
    [{ quote_id: "mine" }, "quote_id"],
  ])("with %j is refused by field", async (wrong, path) => {
    const rich = path === "quantity" && "unit" in wrong;
    if (rich) {
      const { app } = setup.service;
      const { receiveStock } = await import("../../src/operator/shop.ts");
      await receiveStock(app, "live", { name: "1", location: "riga", quantity: 10_000, reference: null });
    }
    const answer = await ask(
      "orders",
      pelletOrder(1, wrong),
      named(`wrong ${JSON.stringify(wrong)}`.replaceAll(/[^a-z0-9]/g, "")),
    );
    expect([answer.status, answer.body.errors?.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      [path],
    ]);
  });

  test("is refused for a missing product, for more than the rest, and for a fourth unpaid one", async () => {
    const buyer = await setup.keyOf("greedy");
    expect(refusal(await ask("orders", pelletOrder(1, { product_slug: "none" }), named("a", buyer)))).toEqual(
      [404, "not-found"],
    );
    const much = await ask("orders", pelletOrder(13, { product_slug: "finieris-ozols" }), named("b", buyer));
    expect(refusal(much)).toEqual([409, "out-of-stock"]);
    expect(much.body.detail).toContain("12 are left, counted in pallets");
    for (let n = 0; n < 3; n++) await order(1, { product_slug: "finieris-ozols" }, buyer);
    expect(
      refusal(await ask("orders", pelletOrder(1, { product_slug: "finieris-ozols" }), named("c", buyer))),
    ).toEqual([409, "unpaid-orders"]);
    expect((await order(1, {}, buyer)).status).toBe("awaiting_payment");
  });

  test("by invoice needs a key, and is paid when the operator confirms", async () => {
    const stranger = await setup.pays(wallet(5), "orders", pelletOrder(1, { payment: "invoice" }));
    expect([stranger.status, stranger.body.detail]).toEqual([403, expect.stringContaining("API key")]);
    const data = await order(1, { payment: "invoice" });
    expect(data.pay).toBeNull();
    expect(Date.parse(data.until) - Date.parse(data.placed_at)).toBe(72 * 3_600_000);
    const { invoicePaid } = await import("../../src/operator/shop.ts");
    await invoicePaid(setup.service.app, { tenant, order_id: data.order_id }, "bank 7");
    expect((await listed(data.order_id)).body.data[0]).toMatchObject({
      status: "paid",
      paid: { payment_id: null },
    });
  });

  test("of a test key takes no real stock", async () => {
    const before = await setup.stockOf(1);
    const tester = await setup.keyOf(tenant, "test");
    const data = await order(10, {}, tester);
    expect(await setup.stockOf(1)).toEqual(before);
    expect(stock.reservationOf(await setup.stockOf(1, "test:operator"), data.order_id)).toMatchObject({
      tenant: `test:${tenant}`,
    });
    expect(refusal(await listed(data.order_id))).toEqual([404, "not-found"]);
  });
});

describe("paying for an order", () => {
  test("by a wallet: placed, paid, shipped once its payment is final, delivered", async () => {
    const buyer = wallet(3);
    const tenant = walletTenantOf(buyer);
    const quoted = await setup.pays(buyer, "orders", pelletOrder(2));
    expect(quoted.status).toBe(201);
    const { data, meta } = quoted.body;
    expect([meta.tenant, meta.warning]).toEqual([tenant, null]);
    // A buyer without a payment reserves goods for ten minutes.
    expect(Date.parse(data.until) - Date.parse(data.placed_at)).toBe(10 * 60_000);
    const { app } = setup.service;
    const before = await balanceOf(app.chain, addressOf(buyer));
    const paid = await setup.pays(buyer, "orders/pay", payBody(data));
    expect(paid.body.data).toMatchObject({ status: "paid", order_id: data.order_id });
    const micro = BigInt(Math.round(Number(data.total_usdc) * 1e6));
    expect(await balanceOf(app.chain, addressOf(buyer))).toBe(before - micro);
    const named = { tenant, order_id: data.order_id };
    await until(
      async () => (await ship(app, named, { carrier: "Omniva", tracking: "CC1" })).status === "shipped",
    );
    expect((await delivered(app, named)).status).toBe("delivered");
    expect(await setup.storyOf(tenant, data.order_id)).toEqual([
      "OrderPlaced",
      "OrderPaid",
      "OrderShipped",
      "OrderDelivered",
    ]);
    const shown = (await setup.pays(buyer, `orders?order_id=${data.order_id}`)).body.data[0];
    expect(shown).toMatchObject({
      status: "delivered",
      shipped: { carrier: "Omniva" },
      customer: { email: "anna@example.org" },
    });
    // One commit: the goods, the order and the payment.
    const [, orderPaid] = await setup.eventsOf(tenant, `order-${data.order_id}`);
    const settled = await setup.eventsOf(tenant, payments.streamOf(shown.paid.payment_id));
    const [confirmed] = await app.store.readLog({ after: orderPaid!.position - 2, limit: 1 });
    expect(confirmed).toMatchObject({ type: "ReservationConfirmed", meta: { commit: expect.any(String) } });
    expect(settled.find(({ type }) => type === "PaymentSettled")!.position).toBe(orderPaid!.position + 1);
    expect(settled.at(-1)!.meta.commit).toBeUndefined();
    await setup.folded();
    expect(Date.parse((await setup.pays(buyer, "orders", pelletOrder(1))).body.data.until)).toBeGreaterThan(
      Date.now() + 25 * 60_000,
    );
    await expectBooks(app);
  });

  test("by a key's tenant needs the key with the payment; a key alone buys no goods", async () => {
    const data = await order(1);
    expect((await ask("orders/pay", payBody(data))).status).toBe(402);
    expect(refusal(await setup.pays(wallet(4), "orders/pay", payBody(data)))).toEqual([404, "not-found"]);
    const paid = await setup.pays(wallet(4), "orders/pay", payBody(data), mine);
    expect(paid.body.data).toMatchObject({ status: "paid" });
  });

  test("is refused before a settlement: another total, a second payment, a cancelled order", async () => {
    const before = await balanceOf(setup.service.app.chain, addressOf(wallet(4)));
    const data = await order(1);
    const { order_id } = data;
    const other = await setup.pays(wallet(4), "orders/pay", { order_id, total_usdc: "1.5" }, mine);
    expect([...refusal(other), other.body.detail]).toEqual([
      409,
      "order-total-differs",
      expect.stringContaining(data.total_usdc),
    ]);
    await ask("orders/cancel", { order_id });
    expect(refusal(await setup.pays(wallet(4), "orders/pay", payBody(data), mine))).toEqual([
      409,
      "order-not-payable",
    ]);
    expect(await balanceOf(setup.service.app.chain, addressOf(wallet(4)))).toBe(before);
  });

  test("with the same payment again returns the same, and nothing is charged twice", async () => {
    const data = await order(1);
    const { quoteOf, signPayment, present } = await import("../support/buyer.ts");
    const url = `${setup.service.url}/v1/agent/orders/pay`;
    const init = {
      method: "POST",
      headers: { ...mine, "Content-Type": "application/json" },
      body: JSON.stringify(payBody(data)),
    };
    const payment = await signPayment(
      wallet(4),
      await quoteOf(url, { ...init, headers: { "Content-Type": "application/json" } }),
    );
    const answers = await Promise.all([present(url, payment, init), present(url, payment, init)]);
    const result = await Promise.all(answers.map((answer) => answer.text()));
    expect([answers.map(({ status }) => status), result[0]]).toEqual([[200, 200], result[1]]);
    expect(await setup.storyOf(tenant, data.order_id)).toEqual(["OrderPlaced", "OrderPaid"]);
  });
});

test("a cancelled order frees its goods at once", async () => {
  const before = await setup.stockOf(1);
  const { order_id } = await order(4);
  const cancelled = await ask("orders/cancel", { order_id, reason: "changed_mind" });
  expect(cancelled.body.data).toMatchObject({
    status: "cancelled",
    ended: { by: "buyer", reason: "changed_mind" },
  });
  expect((await ask("orders/cancel", { order_id })).body.data).toEqual(cancelled.body.data);
  expect(await setup.stockOf(1)).toEqual(before);
});
