/**
 * Stock clients buy goods: a quote, an order, its payment; shipped and delivered by the operator's command, or
 * cancelled and refunded.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { axiosBuyer, fetchOfVersion1, fetchOfVersion2 } from "./buyers.ts";
import { balanceOf, buyerWallet } from "./wallets.ts";

const bin = new URL("../../bin/tallystick", import.meta.url).pathname;
const service = inject("sandbox");
const at = (path: string) => `${service.url}/v1/agent/${path}`;

type Told = {
  status: number;
  data: Record<string, unknown> & {
    order_id: number;
    total_usdc: string;
    pay: { body: object };
    quote_id: string;
  };
};
type Buyer = typeof fetch;

/** The buyer's answer, with or without a body. */
async function ask(buyer: Buyer, path: string, body?: object): Promise<Told> {
  const init = body && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  const answer = await buyer(at(path), init ?? {});
  return { status: answer.status, ...((await answer.json()) as { data: Told["data"] }) };
}

const customer_email = "anna@example.org";

/** A quote and an order by it. */
async function ordered(buyer: Buyer): Promise<Told["data"]> {
  const items = [{ product_id: 1, quantity: 3, unit: "bag" }];
  const quote = await ask(buyer, "quotes", { client_name: "Anna", client_email: customer_email, items });
  expect(quote.status).toBe(201);
  const { quote_id } = quote.data;
  const order = await ask(buyer, "orders", {
    product_slug: "granulas-premium",
    quantity: 3,
    quote_id,
    customer_email,
  });
  expect([order.status, order.data.status]).toEqual([201, "awaiting_payment"]);
  return order.data;
}

const operator = (...args: string[]) =>
  promisify(execFile)(process.execPath, [bin, "shop", ...args], { env: service.env });

test("x402-fetch 1.x, with its cap raised, pays for goods that are quoted, ordered, shipped and delivered", async () => {
  const wallet = buyerWallet(4);
  const order = await ordered((await fetchOfVersion1(wallet)) as Buyer);
  const rich = (await fetchOfVersion1(wallet, 100_000_000n)) as Buyer;
  const paid = await ask(rich, "orders/pay", order.pay.body);
  expect([paid.status, paid.data.status]).toEqual([200, "paid"]);
  const id = String(order.order_id);
  expect((await operator("ship", id, "--carrier", "Omniva")).stdout).toContain("is shipped");
  expect((await operator("deliver", id)).stdout).toContain("is delivered");
  const { data } = await ask(rich, `orders?order_id=${id}`);
  expect(data).toMatchObject([{ status: "delivered", customer: { email: customer_email } }]);
});

test("@x402/fetch 2.x, with its cap raised, pays for an order that is cancelled and refunded on the chain", async () => {
  const wallet = buyerWallet(5);
  const buyer = fetchOfVersion2(wallet, "$100");
  const order = await ordered(buyer);
  expect((await ask(buyer, "orders/pay", order.pay.body)).data.status).toBe("paid");
  const before = await balanceOf(service.rpc_url, wallet.address);
  expect((await ask(buyer, "orders/cancel", { order_id: order.order_id })).data.status).toBe("cancelled");
  const price = 1_000n;
  const total = BigInt(Math.round(Number(order.total_usdc) * 1e6));
  await expect
    .poll(() => balanceOf(service.rpc_url, wallet.address), { timeout: 60_000 })
    .toBe(before + total - price);
});

test("x402-axios, which has no cap, pays for an order", async () => {
  const buyer = await axiosBuyer(buyerWallet(6));
  const order = (
    await buyer.post(at("orders"), { product_slug: "granulas-premium", quantity: 1, customer_email })
  ).data.data;
  expect((await buyer.post(at("orders/pay"), order.pay.body)).data.data.status).toBe("paid");
});
