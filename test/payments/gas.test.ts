/** Gas of payments: another service as our facilitator over HTTP, or ourselves up to the daily budget. */
import { generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { receiptIn, verifyReceipt } from "../../src/domain/payments/verify-receipt.ts";
import { paymentsProjection } from "../../src/projections/payments/payments.ts";
import { balanceOf, openWorkshop, type Workshop } from "../chain/fixture.ts";
import { buy, present, settlementOf } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { addressOf, GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";
import { sampleOperations } from "./sample-operations.ts";

let workshop: Workshop;
let facilitator: Service;
let service: Service;
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY as Hex, pay_to: PAYEE };
  facilitator = await startService({ chain, env: { SETTLE_OPEN: "1" } });
  const env = { GAS_KEY: "", REFUND_KEY: generatePrivateKey(), FACILITATOR_URL: `${facilitator.url}/x402` };
  service = await startService({ operations: sampleOperations, chain, env });
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});

const etherOf = (account: Hex) => workshop.rpc<Hex>("eth_getBalance", account, "latest");

test("a paid call is settled with the facilitator's gas, and recorded as on the chain", async () => {
  expect(BigInt(await etherOf(service.app.chain.sender))).toBe(0n);
  const before = await balanceOf(workshop.chain, PAYEE);
  const { payment, answer } = await buy(wallet(0), `${service.url}/v1/agent/test/echo?say=hosted`);
  expect(answer.status).toBe(200);
  expect(await balanceOf(workshop.chain, PAYEE)).toBe(before + 50_000n);
  const { transaction } = settlementOf(answer);
  expect(await workshop.rpc("eth_getTransactionByHash", transaction)).toMatchObject({
    from: facilitator.app.chain.sender,
  });
  const { authorization } = payment;
  const name = { network: "eip155:8453", payer: addressOf(wallet(0)), nonce: authorization.nonce as Hex };
  const id = payments.idOf({ ...name, asset: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913" });
  expect(await service.app.load(payments, payments.targetOf(id))).toMatchObject({
    status: "settled",
    settlement: { transaction },
  });
  // The same payment again gets the same answer, at no cost.
  const again = await present(`${service.url}/v1/agent/test/echo?say=hosted`, payment);
  const body = await answer.text();
  expect(await again.text()).toBe(body);
  expect(await balanceOf(workshop.chain, PAYEE)).toBe(before + 50_000n);
});

test("a payment settled by the facilitator has a receipt that its holder can verify", async () => {
  const { answer } = await buy(wallet(1), `${service.url}/v1/agent/test/echo?say=proof`);
  const { keys } = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as { keys: object[] };
  const verified = verifyReceipt(receiptIn(answer.headers.get("payment-response")!)!, {
    keys,
    body: Buffer.from(await answer.arrayBuffer()),
    request: { operation: "test_echo", input: { say: "proof" } },
  });
  expect(verified.checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(verified).toMatchObject({ ok: true, payload: { transaction: settlementOf(answer).transaction } });
});

test("while the facilitator is down a paid call is 503, charges nothing and leaves nothing in the log", async () => {
  await facilitator.stop();
  const before = await balanceOf(workshop.chain, PAYEE);
  const { position } = await service.app.store.head();
  const { answer } = await buy(wallet(0), `${service.url}/v1/agent/test/echo?say=away`);
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBeTruthy();
  expect(await balanceOf(workshop.chain, PAYEE)).toBe(before);
  expect((await service.app.store.head()).position).toBe(position);
});

test("a service without gas budget says when to retry, charges nothing and leaves nothing in the log", async () => {
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY as Hex, pay_to: PAYEE };
  const thrifty = await startService({
    operations: sampleOperations,
    chain,
    env: { GAS_BUDGET_ETH: "0.000001" },
  });
  const url = `${thrifty.url}/v1/agent/test/echo?say=dear`;
  expect((await buy(wallet(0), url)).answer.status).toBe(200);
  const before = await balanceOf(workshop.chain, PAYEE);
  const { position } = await thrifty.app.store.head();
  const { answer } = await buy(wallet(0), url);
  expect(answer.status).toBe(503);
  expect(((await answer.json()) as { detail: string }).detail).toMatch(
    /gas budget is spent; it is renewed at .*T00:00/,
  );
  const seconds = Number(answer.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(86_400);
  expect(await balanceOf(workshop.chain, PAYEE)).toBe(before);
  expect((await thrifty.app.store.head()).position).toBe(position);
  // Another process of the same service reads the spent gas from the ledger.
  while (!(await thrifty.app.caughtUp(paymentsProjection)));
  const beside = await startService({
    operations: sampleOperations,
    chain,
    beside: thrifty,
    env: { GAS_BUDGET_ETH: "0.000001" },
  });
  expect((await buy(wallet(0), `${beside.url}/v1/agent/test/echo?say=dear`)).answer.status).toBe(503);
  await beside.stop();
  await thrifty.stop();
});
