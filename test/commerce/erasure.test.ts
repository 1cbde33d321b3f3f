/** An erased customer: orders and quotes remain without their person; a customer without an order leaves nothing. */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wallet } from "../support/wallets.ts";
import { type Credentials, distinctOrder, openShopSetup, pelletOrder, type ShopSetup } from "./shop-setup.ts";

let setup: ShopSetup;
let mine: Credentials;
beforeAll(async () => {
  setup = await openShopSetup();
  mine = await setup.keyOf("acme");
});
afterAll(() => setup?.stop());

test("an erased customer is erased in every order of hers and in no other; she can order again", async () => {
  const order = async (name: string, customer_email: string) =>
    (await setup.ask({ ...mine, "Idempotency-Key": name }, "orders", pelletOrder(1, { customer_email }))).body
      .data;
  const hers = await order("a", "Anna@Example.org");
  const his = await order("b", "bert@example.org");
  const erased = await setup.ask(mine, "commerce/erase", { email: "anna@example.org" });
  expect(erased.body.data).toMatchObject({ status: "erased", sealed_events: 1 });
  await setup.folded();
  const { data } = (await setup.ask(mine, "orders")).body;
  expect(
    data.map(({ order_id, erased, customer }: { order_id: number; erased: boolean; customer: object }) => [
      order_id,
      erased,
      customer,
    ]),
  ).toEqual([
    [his.order_id, false, expect.objectContaining({ email: "bert@example.org" })],
    [hers.order_id, true, null],
  ]);
  // Her stored answer is gone, and a new one is made from what remains.
  expect(await order("a", "Anna@Example.org")).toEqual(hers);
  const cancelled = await setup.ask(mine, "orders/cancel", { order_id: hers.order_id });
  expect(cancelled.body.data.status).toBe("cancelled");
  await order("c", "anna@example.org");
  await setup.folded();
  const again = (await setup.ask(mine, "orders?limit=1")).body.data;
  expect(again).toMatchObject([{ erased: false, customer: { email: "anna@example.org" } }]);
});

test.each([
  ["anna@bücher.example", "Anna@xn--bcher-kva.example", "letters"],
  ["anna@xn--mnchen-3ya.example", "anna@München.example", "ascii"],
])(
  "a customer stored as %s is erased as %s, also where an earlier version stored her",
  async (stored, given, tenant) => {
    const { subjects } = setup.service.app;
    const own = await setup.keyOf(tenant);
    const place = { tenant, stream_id: "order-0", type: "OrderPlaced" };
    // Earlier versions named a subject by the address as it was written.
    const subject = { tenant, kind: "mail", name: stored };
    const [earlier] = await subjects.seal([{ subject, place, value: { mail: stored } }]);
    const order = await setup.ask(own, "orders", distinctOrder(1, { customer_email: stored }));
    expect(order.status).toBe(201);
    const erased = await setup.ask(own, "commerce/erase", { email: given });
    expect(erased.body.data).toMatchObject({ status: "erased", sealed_events: 1 });
    expect(await subjects.open([{ sealed: earlier!, place }])).toMatchObject([{ erased: true }]);
    await setup.folded();
    expect((await setup.ask(own, "orders?limit=1")).body.data).toMatchObject([
      { order_id: order.body.data.order_id, erased: true, customer: null },
    ]);
    expect((await setup.ask(own, "commerce/erase", { email: stored })).status).toBe(404);
  },
);

test("an erased customer's name, mail and address are in no table and no log line, neither of orders nor of quotes", async () => {
  const person = {
    customer_email: "secret@example.org",
    customer_name: "Secret Person",
    delivery_address: "Secret Street 7",
    notes: "Secret note",
  };
  await setup.ask({ ...mine, "Idempotency-Key": "s" }, "orders", pelletOrder(1, person));
  const items = [{ product_id: 1, quantity: 1 }];
  await setup.ask(mine, "quotes", {
    client_name: "Secret Person",
    client_email: "secret@example.org",
    items,
  });
  await setup.folded();
  const { pool } = setup.service.app;
  const { rows } = await pool.query<{ name: string }>(
    "select format('%I.%I', table_schema, table_name) as name from information_schema.tables where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')",
  );
  expect(rows.length).toBeGreaterThan(20);
  for (const { name } of rows) {
    const found = await pool.query<{ line: string }>(
      `select t::text as line from ${name} t where t::text ilike '%secret %' or t::text ilike '%secret@%' or encode(convert_to(t::text, 'UTF8'), 'escape') ilike '%${Buffer.from("Secret Person").toString("hex")}%' or t::text ilike '%${Buffer.from("secret@example.org").toString("hex")}%'`,
    );
    expect([name, found.rows.map(({ line }) => line)]).toEqual([name, []]);
  }
  expect(JSON.stringify(setup.service.logged)).not.toMatch(/secret person|secret@|secret street/i);
});

test("a refused order or quote creates no subject and no key in the vault", async () => {
  const vault = new pg.Client({ connectionString: setup.vault_url });
  await vault.connect();
  const keys = async () =>
    (await vault.query<{ n: number }>("select count(*)::int as n from subject_keys.subjects")).rows[0]!.n;
  const before = await keys();
  const buyer = await setup.keyOf("refused");
  const known = { product_slug: "finieris-ozols", customer_email: "bert@example.org" };
  for (let n = 0; n < 3; n++)
    expect((await setup.ask(buyer, "orders", distinctOrder(1, known))).status).toBe(201);
  let people = 0;
  const nobody = () => `nobody-${people++}@example.org`;
  for (const [status, wrong] of [
    [404, { product_slug: "none" }],
    [409, { product_slug: "saplaksnis-berzs", quantity: 41 }],
    [409, { product_slug: "finieris-ozols" }],
    [400, { product_slug: "saplaksnis-berzs", quantity: 40 }],
    [400, { unit: "crate" }],
    [404, { quote_id: "0".repeat(32) }],
  ] as const) {
    const body = { ...pelletOrder(1, wrong), customer_email: nobody() };
    expect([wrong, (await setup.ask(buyer, "orders", body)).status]).toEqual([wrong, status]);
  }
  const much = { ...pelletOrder(41, { product_slug: "saplaksnis-berzs" }), customer_email: nobody() };
  expect((await setup.pays(wallet(0), "orders", much)).status).toBe(409);
  for (const [status, item] of [
    [404, { product_id: 99, quantity: 1 }],
    [400, { product_id: 3, quantity: 1, unit: "bag" }],
  ] as const) {
    const body = { client_name: "No One", client_email: nobody(), items: [item] };
    expect((await setup.ask(buyer, "quotes", body)).status).toBe(status);
  }
  // One more key, for the customer with the remaining orders.
  expect(await keys()).toBe(before + 1);
  await vault.end();
});
