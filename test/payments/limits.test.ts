/** Strangers may not fill the log, keep the chain busy, or run handlers without paying. */

import { generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { buy, headerV1, present, quoteOf, signPayment } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";
import { sampleOperations, script } from "./sample-operations.ts";

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop?.close());

const opened: Service[] = [];
afterAll(async () => {
  for (const service of opened) await service.stop();
});
async function open(gas_key: string = GAS_KEY): Promise<Service> {
  const chain = { rpc_url: workshop.node.rpc_url, gas_key, pay_to: PAYEE };
  const service = await startService({ operations: sampleOperations, chain });
  opened.push(service);
  return service;
}

test("after a hundred payments without a purchase new ones wait, and a known buyer is answered", async () => {
  const { url } = await open();
  const echo = `${url}/v1/agent/test/echo`;
  const { payment: known } = await buy(wallet(0), `${echo}?say=known`);
  const fresh = await signPayment(wallet(0), await quoteOf(echo));
  for (let i = 0; i < 100; i++) {
    const answer = await fetch(echo, { headers: { "X-PAYMENT": "junk" } });
    expect(answer.status).toBe(402);
    await answer.arrayBuffer();
  }
  const handled = script.handled;
  const late = await present(echo, fresh);
  expect(late.status).toBe(429);
  expect(late.headers.get("Retry-After")).toBe("60");
  expect(script.handled).toBe(handled);
  expect((await present(`${echo}?say=known`, known)).status).toBe(200);
});

test("refused calls, and answers that their callers already have, count too", async () => {
  const { url } = await open();
  const order = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: '{"name":"k_taken_here"}',
  };
  const bought = await buy(wallet(1), `${url}/v1/agent/test/order`, order);
  expect(bought.answer.status).toBe(201);
  const payment = await signPayment(wallet(1), await quoteOf(`${url}/v1/agent/test/order`, order));
  const statuses: number[] = [];
  for (let i = 0; i < 101; i++) {
    const answer = await present(`${url}/v1/agent/test/order`, payment, order);
    statuses.push(answer.status);
    await answer.arrayBuffer();
  }
  expect(statuses).toEqual([...Array(100).fill(409), 429]);
});

test("payments that only the chain can check are limited to twenty a minute", async () => {
  const { url } = await open();
  const echo = `${url}/v1/agent/test/echo`;
  const good = await signPayment(wallet(2), await quoteOf(echo));
  const statuses: number[] = [];
  for (let i = 0; i < 21; i++) {
    const signature = `0x${"22".repeat(66)}`;
    const answer = await fetch(echo, { headers: headerV1({ ...good, signature }) });
    statuses.push(answer.status);
    await answer.arrayBuffer();
  }
  expect(statuses).toEqual([...Array(20).fill(402), 429]);
});

test("while the gas key is empty the log does not grow", async () => {
  const { url, app } = await open(generatePrivateKey());
  const echo = `${url}/v1/agent/test/echo`;
  const { position } = await app.store.head();
  for (let i = 0; i < 5; i++) {
    const { answer } = await buy(wallet(3), echo);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain("payment-unavailable");
  }
  // The first one costs two events: its claim and its failure.
  expect((await app.store.head()).position).toBe(position + 2);
});
