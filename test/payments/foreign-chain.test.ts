/** The RPC serves another chain than the one that the log settled on: nothing may be taken, and nothing marked. */
import { afterAll, beforeAll, expect, test } from "vitest";
import * as confirmation from "../../src/domain/payments/confirmation.ts";
import { GAS_KEY, openWorkshop, PAYEE, type Workshop, wallet } from "../chain/fixture.ts";
import { present, quoteOf, signPayment } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { wares } from "./wares.ts";

let workshop: Workshop;
let before: Service & { database_url: string };
let service: Service;
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  before = await startService({ operations: wares, chain });
  const { app } = before;
  const { finalized } = await app.chain.heads();
  const facts: confirmation.Confirmed = {
    network: "eip155:8453",
    block_number: Number(finalized.number),
    block_hash: `0x${"ab".repeat(32)}`,
    timestamp: finalized.timestamp,
    as_of_position: 0,
    claimed_before: new Date().toISOString(),
    payments: 0,
    settled_micro: 0,
    refunds: 0,
    refunded_micro: 0,
    confirmed_at: new Date().toISOString(),
  };
  const meta = { actor: "test", operation: "test" };
  await app.decide(
    confirmation,
    confirmation.targetOf(facts.network),
    confirmation.confirm(facts, undefined),
    { meta },
  );
  service = await startService({ operations: wares, chain, beside: before, reactors: true });
});
afterAll(async () => {
  await service?.stop();
  await before?.stop();
  await workshop?.close();
});

test("payments are refused, keys go on, and the operator is told the remedy", async () => {
  const told = () => service.logged.filter(({ msg }) => String(msg).startsWith("no payments are taken"));
  await until(() => told().length > 0);
  expect(told()[0]!.reason).toMatch(/another history.*BASE_RPC_URL/);
  const url = `${service.url}/v1/agent/test/echo`;
  const answer = await present(url, await signPayment(wallet(0), await quoteOf(url)));
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ type: expect.stringContaining("payment-unavailable") });
  const { headers } = await service.issue();
  expect((await fetch(url, { headers })).status).toBe(200);
});
