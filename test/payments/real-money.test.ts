/** Differences with real money: no synthetic data is sold, and test keys move nothing. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { present, quoteOf, signPayment } from "../support/buyer.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";
import { sampleOperations } from "./sample-operations.ts";

let workshop: Workshop;
let service: Service;
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({ operations: sampleOperations, chain, env: { ALLOW_SYNTHETIC: "0" } });
  await openSandbox(service);
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});

test("synthetic data is not sold: neither by key nor for a payment, which stays unsettled", async () => {
  const url = `${service.url}/v1/agent/trade/balance?reporter=DE`;
  const { headers } = await service.issue();
  const position = (await service.app.store.head()).position;
  const byKey = await fetch(url, { headers });
  const paid = await present(url, await signPayment(wallet(0), await quoteOf(url)));
  for (const answer of [byKey, paid]) {
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ type: expect.stringContaining("dataset-missing") });
  }
  expect((await service.app.store.head()).position).toBe(position);
});

test("a test key moves no money", async () => {
  const url = `${service.url}/v1/agent/test/echo`;
  const { headers } = await service.issue({ space: "test" });
  const payment = await signPayment(wallet(0), await quoteOf(url));
  expect((await present(url, payment, { headers })).status).toBe(403);
  expect((await present(url, payment)).status).toBe(200);
});

test("the terms name no development chain", async () => {
  const answer = await fetch(`${service.url}/v1/agent/test/echo`);
  expect(await answer.text()).not.toMatch(/development chain/i);
});
