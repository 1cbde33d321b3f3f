/** A hostile buyer: repeated names, others' orders, extreme values, and concurrent calls. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { forEach } from "../../src/core/coordination/concurrency.ts";
import { entriesOf } from "../../src/domain/commerce/buckets.ts";
import * as orders from "../../src/domain/commerce/order.ts";
import * as product from "../../src/domain/commerce/product.ts";
import { receiveStock, withdrawProduct } from "../../src/operator/shop.ts";
import { balanceOf } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { present, quoteOf, signPayment } from "../support/buyer.ts";
import { replace } from "../support/replace.ts";
import { until } from "../support/until.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import {
  type Answer,
  type Credentials,
  distinctOrder,
  openShopSetup,
  pelletOrder,
  type ShopSetup,
  walletTenantOf,
} from "./shop-setup.ts";

let setup: ShopSetup;
let mine: Credentials;
let tenant: string;
let buyers = 0;
const real = { now: () => new Date() };
beforeAll(async () => {
  setup = await openShopSetup();
});
beforeEach(async () => {
  tenant = `hostile-${buyers++}`;
  mine = await setup.keyOf(tenant);
});
afterEach(() => {
  replace(setup.service.app, { clock: real });
});
afterAll(async () => {
  const broken = setup?.service.logged.filter(({ msg }) => msg === "an operation breaks its own declaration");
  const failed = setup?.service.logged.filter(({ level }) => Number(level) >= 50);
  await setup?.stop();
  expect([broken, failed]).toEqual([[], []]);
});

const ask = (path: string, body?: object, credentials = mine) => setup.ask(credentials, path, body);
const named = (key: string, credentials = mine) => ({ ...credentials, "Idempotency-Key": key });
const refusal = ({ status, body }: Answer) => [status, String(body.type).split("#")[1]];
const paths = ({ status, body }: Answer) => [
  status,
  [...new Set(body.errors?.map(({ path }: { path: string }) => path))],
];
const at = (time: number) => {
  replace(setup.service.app, { clock: { now: () => new Date(time) } });
};
const has = (n: number) => balanceOf(setup.service.app.chain, addressOf(wallet(n)));
const micro = ({ total_usdc }: { total_usdc: string }) => BigInt(Math.round(Number(total_usdc) * 1e6));

async function order(quantity = 1, more: object = {}, credentials = mine) {
  const answer = await ask("orders", distinctOrder(quantity, more), credentials);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.data;
}

const noRefundIsOpen = () =>
  until(async () => {
    await setup.folded();
    const { rows } = await setup.service.app.pool.query(
      "select from read.payments_v1 where refund_status = 'open'",
    );
    return rows.length === 0;
  });

describe("an idempotency key", () => {
  test("belongs to one command of one tenant: another operation or order is refused under it", async () => {
    const placed = await ask("orders", pelletOrder(1), named("one"));
    const quote = {
      client_name: "Anna",
      client_email: "anna@example.org",
      items: [{ product_id: 1, quantity: 1 }],
    };
    const { order_id } = placed.body.data;
    expect((await ask("quotes", quote, named("one"))).status).toBe(422);
    expect((await ask("orders/cancel", { order_id }, named("one"))).status).toBe(422);
    for (const more of [{ notes: "x" }, { customer_email: "bert@example.org" }, { payment: "invoice" }])
      expect((await ask("orders", pelletOrder(1, more), named("one"))).status).toBe(422);
    const other = await setup.keyOf(`${tenant}-other`);
    const theirs = await ask("orders", pelletOrder(1), named("one", other));
    expect([theirs.status, theirs.body.meta.tenant]).toEqual([201, `${tenant}-other`]);
    expect(theirs.body.data.order_id).not.toBe(order_id);
    const tested = await ask("orders", pelletOrder(1), named("one", await setup.keyOf(tenant, "test")));
    expect([tested.status, tested.body.meta.tenant]).toEqual([201, `test:${tenant}`]);
  });

  test("with two concurrent payments gives one order, charged once", async () => {
    const before = await has(5);
    const request = { ...pelletOrder(1), idempotency_key: `twice-${tenant}` };
    const answers = await Promise.all([0, 1, 2].map(() => setup.pays(wallet(5), "orders", request)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.data.order_id)).size).toBe(1);
    await noRefundIsOpen();
    expect(await has(5)).toBe(before - 50_000n);
  });

  test("a payment that placed an order pays for no other order, and for no goods", async () => {
    const url = `${setup.service.url}/v1/agent/orders`;
    const init = (body: object) => ({
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const payment = await signPayment(wallet(6), await quoteOf(url, init(pelletOrder(1))));
    const placed: Answer["body"] = await (await present(url, payment, init(pelletOrder(1)))).json();
    const { order_id, total_usdc } = placed.data;
    expect((await present(url, payment, init(pelletOrder(2)))).status).toBe(402);
    expect((await present(`${url}/pay`, payment, init({ order_id, total_usdc }))).status).toBe(402);
    expect((await present(`${url}/pay`, payment, init({ order_id, total_usdc: "0.05" }))).status).toBe(402);
    expect(await setup.storyOf(walletTenantOf(wallet(6)), order_id)).toEqual(["OrderPlaced"]);
  });
});

describe("a quote", () => {
  const draft = async (items: object[], credentials = mine) => {
    const body = { client_name: "Anna", client_email: "anna@example.org", items };
    return (await ask("quotes", body, credentials)).body.data;
  };

  test("is valid for its items and its owner until the moment it ends", async () => {
    const { quote_id, valid_until } = await draft([
      { product_id: 1, quantity: 2, unit: "bag" },
      { product_id: 1, quantity: 3, unit: "bag" },
    ]);
    expect((await order(3, { quote_id })).quote_id).toBe(quote_id);
    expect(paths(await ask("orders", pelletOrder(5, { quote_id })))).toEqual([400, ["quantity"]]);
    expect(paths(await ask("orders", pelletOrder(1, { quote_id, unit: "pallet" })))).toEqual([
      400,
      ["quote_id"],
    ]);
    const other = { quote_id, product_slug: "briketes-ozols" };
    expect(paths(await ask("orders", pelletOrder(1, other)))).toEqual([400, ["quote_id"]]);
    for (const stranger of [await setup.keyOf(tenant, "test"), await setup.keyOf(`${tenant}-other`)])
      expect(refusal(await ask("orders", pelletOrder(1, { quote_id }), stranger))).toEqual([
        404,
        "not-found",
      ]);
    at(Date.parse(valid_until) - 1);
    expect((await order(1, { quote_id })).quote_id).toBe(quote_id);
    at(Date.parse(valid_until));
    expect(refusal(await ask("orders", pelletOrder(1, { quote_id })))).toEqual([409, "quote-expired"]);
  });

  test("is exact to the cent at its largest", async () => {
    const items = Array.from({ length: 50 }, () => ({ product_id: 3, quantity: 10_000 }));
    expect(await draft(items)).toMatchObject({
      net: "590000000.00",
      vat: "123900000.00",
      gross: "713900000.00",
    });
  });
});

test("an order has the price of its millisecond, which never changes", async () => {
  const { app } = setup.service;
  const begins = Date.now() + 3_600_000;
  const from = new Date(begins).toISOString();
  const facts = { unit: "bag" as const, net_cents: 500, from, set_at: app.clock.now().toISOString() };
  const meta = { actor: "test", operation: "test" };
  await app.decide(product, { tenant: "operator", id: "2" }, product.price(facts), { meta });
  const briquettes = { product_slug: "briketes-ozols" };
  at(begins - 1);
  const cheap = await ask("orders", pelletOrder(1, briquettes), named("cheap"));
  at(begins);
  const dear = await order(1, briquettes);
  const again = await ask("orders", pelletOrder(1, briquettes), named("cheap"));
  expect([cheap.body.data.net, dear.net, again.body.data.net]).toEqual(["4.25", "5.00", "4.25"]);
});

describe("concurrent calls", () => {
  test("of two wallets for one order: one pays, the other is fully refunded", async () => {
    const data = await order();
    const before = (await has(0)) + (await has(1));
    const answers = await Promise.all(
      [0, 1].map((n) => setup.pays(wallet(n), "orders/pay", data.pay.body, mine)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    await noRefundIsOpen();
    expect((await has(0)) + (await has(1))).toBe(before - micro(data));
    expect(await setup.storyOf(tenant, data.order_id)).toEqual(["OrderPlaced", "OrderPaid"]);
  });

  test("that pay and cancel leave the goods free and nothing paid", async () => {
    const before = await has(2);
    const goods = await setup.stockOf(1);
    const data = await order();
    const [, cancelled] = await Promise.all([
      setup.pays(wallet(2), "orders/pay", data.pay.body, mine),
      ask("orders/cancel", { order_id: data.order_id }),
    ]);
    expect(cancelled.body.data.status).toBe("cancelled");
    await until(async () => {
      await noRefundIsOpen();
      return (await has(2)) === before;
    });
    expect(await setup.stockOf(1)).toEqual(goods);
  });

  test("that cancel a paid order many times make one refund", async () => {
    const before = await has(3);
    const data = await order();
    expect((await setup.pays(wallet(3), "orders/pay", data.pay.body, mine)).status).toBe(200);
    const { order_id } = data;
    const reasons = ["other", "too_slow", "wrong_order", "changed_mind"];
    const answers = await forEach(reasons, (reason) => ask("orders/cancel", { order_id, reason }));
    expect(new Set(answers.map(({ body }) => body.data.ended.reason)).size).toBe(1);
    await noRefundIsOpen();
    expect(await has(3)).toBe(before);
    await expectBooks(setup.service.app);
  });

  test("with eight unpaid orders of one buyer reserve three", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask("orders", distinctOrder(1))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(refusal(answer)).toEqual([409, "unpaid-orders"]);
    const { open } = await setup.stockOf(1);
    expect(entriesOf(open).filter(([, held]) => held.tenant === tenant)).toHaveLength(3);
  });
});

describe("an order", () => {
  test("is neither visible, payable nor cancellable for another tenant, wallet or test key, and nothing is charged", async () => {
    const { order_id, pay } = await order();
    const before = await has(4);
    for (const stranger of [await setup.keyOf(`${tenant}-other`), await setup.keyOf(tenant, "test")]) {
      expect(refusal(await ask(`orders?order_id=${order_id}`, undefined, stranger))).toEqual([
        404,
        "not-found",
      ]);
      expect(refusal(await ask("orders/cancel", { order_id }, stranger))).toEqual([404, "not-found"]);
      expect(refusal(await setup.pays(wallet(4), "orders/pay", pay.body, stranger))).toEqual([
        404,
        "not-found",
      ]);
    }
    for (const [path, body] of [
      ["orders/pay", pay.body],
      ["orders/cancel", { order_id }],
      [`orders?order_id=${order_id}`, undefined],
    ])
      expect(refusal(await setup.pays(wallet(4), path, body))).toEqual([404, "not-found"]);
    expect(await has(4)).toBe(before);
    expect(await setup.storyOf(tenant, order_id)).toEqual(["OrderPlaced"]);
  });

  test("by invoice is not paid over x402, nor an x402 order by invoice", async () => {
    const { order_id, total_usdc } = await order(1, { payment: "invoice" });
    const before = await has(4);
    const answer = await setup.pays(wallet(4), "orders/pay", { order_id, total_usdc }, mine);
    expect(refusal(answer)).toEqual([409, "order-not-payable"]);
    expect(await has(4)).toBe(before);
  });

  test("of a withdrawn product can be paid and read; new ones are refused", async () => {
    const { app } = setup.service;
    await receiveStock(app, "live", { name: "4", location: "riga", quantity: 5, reference: null });
    const wanted = pelletOrder(1, { product_slug: "finieris-ozols" });
    const draft = {
      client_name: "A",
      client_email: "a@example.org",
      items: [{ product_id: 4, quantity: 1 }],
    };
    const { quote_id } = (await ask("quotes", draft)).body.data;
    const placed = await ask("orders", wanted, named("before"));
    await withdrawProduct(app, "live", "finieris-ozols");
    expect(refusal(await ask("orders", wanted))).toEqual([404, "not-found"]);
    expect(refusal(await ask("orders", { ...wanted, quote_id }))).toEqual([404, "not-found"]);
    expect(refusal(await ask("quotes", draft))).toEqual([404, "not-found"]);
    await app.pool.query("delete from access.kept_answers");
    expect((await ask("orders", wanted, named("before"))).body).toEqual(placed.body);
    const paid = await setup.pays(wallet(0), "orders/pay", placed.body.data.pay.body, mine);
    expect(paid.body.data.status).toBe("paid");
    await ask("orders/cancel", { order_id: placed.body.data.order_id });
  });
});

describe("input", () => {
  test.each([
    ["product_slug", "granulas-premium' or '1'='1"],
    ["product_slug", "granulas-premium%"],
    ["product_slug", "../operator"],
    ["product_slug", "grаnulas-premium"],
    ["quantity", "10"],
    ["quantity", 1e21],
    ["quantity", -1],
    ["quantity", null],
    ["customer_email", "anna@example.org\nBcc: x@example.org"],
    ["customer_email", "anna@@example.org"],
    ["customer_email", `${"x".repeat(250)}@example.org`],
    ["customer_name", "half \ud800 a pair"],
    ["customer_name", "nul \u0000"],
    ["customer_name", "\u001b[2Jgone"],
    ["customer_name", "turned \u202e round"],
    ["delivery_address", "\u009b31m"],
    ["notes", "bell \u0007"],
    ["notes", { toString: "x" }],
    ["customer_phone", "+371\n2000"],
    ["quote_id", "' or 1=1 --"],
    ["idempotency_key", "with space"],
  ])("%s of %j is refused by field", async (path, value) => {
    expect(paths(await ask("orders", { ...pelletOrder(1), [path]: value }))).toEqual([400, [path]]);
  });

  test.each(["0", "-1", "1.5", "1e3", "9007199254740992", "1 or 1=1", "%00", "../1"])(
    "the order_id %s is invalid",
    async (order_id) => {
      expect(paths(await ask(`orders?order_id=${order_id}`))).toEqual([400, ["order_id"]]);
    },
  );

  test.each(["0", "0.0", "-1", "1e2", "5.9900001", " 5.99", "12345678", "", "NaN"])(
    "%j is not a total_usdc",
    async (total_usdc) => {
      const { order_id } = await order();
      const paid = await setup.pays(wallet(4), "orders/pay", { order_id, total_usdc }, mine);
      expect(paths(paid)).toEqual([400, ["total_usdc"]]);
    },
  );

  test("in any script is returned unchanged", async () => {
    const person = {
      customer_name: "Ņikita Žagars-Öčík 山田 👩‍👩‍👧 e\u0301",
      delivery_address: "Brīvības iela 1\nRīga\tLV-1010",
      notes: "«Zvanīt» שלום\r\n2 × 👍",
    };
    const { order_id } = await order(1, person);
    const [shown] = (await ask(`orders?order_id=${order_id}`)).body.data;
    expect(shown.customer).toMatchObject({
      name: person.customer_name,
      delivery_address: person.delivery_address,
      notes: person.notes,
    });
  });

  test("of a list respects its limits, and beyond the end there is nothing", async () => {
    await order();
    await setup.folded();
    for (const wrong of ["limit=0", "limit=101", "limit=x", "offset=-1", "offset=1000001"])
      expect(paths(await ask(`orders?${wrong}`))).toEqual([400, [wrong.split("=")[0]]]);
    expect((await ask("orders?limit=100&offset=1000000")).body).toMatchObject({
      data: [],
      meta: { count: 0, total: 1 },
    });
  });

  test("of another tenant's customer erases nobody, nor does a live key in the test shop", async () => {
    const customer_email = `${tenant}@example.org`;
    const { order_id } = await order(1, { customer_email });
    for (const stranger of [await setup.keyOf(`${tenant}-other`), await setup.keyOf(tenant, "test")])
      expect((await ask("commerce/erase", { email: customer_email }, stranger)).status).toBe(404);
    const { app } = setup.service;
    expect(orders.existing(await app.load(orders, orders.targetOf(tenant, order_id))).status).toBe(
      "awaiting_payment",
    );
    expect((await ask(`orders?order_id=${order_id}`)).body.data[0]).toMatchObject({ erased: false });
    const { headers } = await setup.service.issue({ tenant, scopes: ["read"] });
    for (const [path, body] of [
      ["orders", pelletOrder(1)],
      ["orders/cancel", { order_id }],
      ["commerce/erase", { email: customer_email }],
    ] as const)
      expect((await ask(path, body, headers)).status).toBe(403);
  });
});
