/** A node that accepts calls and never answers: every wait ends by its own deadline, and nothing is charged. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { BaseChain } from "../../src/adapters/base-chain.ts";
import { gasBudget } from "../../src/adapters/gas-budget.ts";
import type { GasRecord } from "../../src/adapters/gas-record.ts";
import { chainSettlement } from "../../src/adapters/settlement.ts";
import { settlementOnLogsChain } from "../../src/chain/settlement.ts";
import { TransactionPending } from "../../src/core/model/ports/chain.ts";
import * as confirmation from "../../src/domain/payments/confirmation.ts";
import { balanceOf, carriedByStranger, openWorkshop, type Workshop } from "../chain/fixture.ts";
import { type Meddler, openMeddler } from "../chain/meddler.ts";
import { buy, headerV1, present, quoteOf, signPayment } from "../support/buyer.ts";
import { replace } from "../support/replace.ts";
import { type Service, startService } from "../support/service.ts";
import { LIMIT_MS } from "../support/until.ts";
import { GAS_KEY, PAYEE, payment, wallet } from "../support/wallets.ts";
import { sampleOperations } from "./sample-operations.ts";
import { expectAway, storyOf } from "./stall.ts";

let workshop: Workshop;
let meddler: Meddler;
let service: Service;
let chain: BaseChain;
const chains: BaseChain[] = [];
/** A chain without timeouts: only the callers' deadlines end a wait. */
function patientChain(): BaseChain {
  const opened = workshop.connect({ rpc_url: meddler.url, request_ms: 600_000, deadline_ms: 600_000 });
  chains.push(opened);
  return opened;
}
/** Has the service take payments by such a chain, of which nothing was requested yet. */
function sellByPatientChain(): void {
  const { app } = service;
  replace(app, { chain: patientChain() });
  replace(app, { settlement: settlementOnLogsChain(() => app, chainSettlement(app.chain)) });
}
beforeAll(async () => {
  workshop = await openWorkshop();
  meddler = await openMeddler(workshop.node.rpc_url);
  chain = patientChain();
  const settings = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({ operations: sampleOperations, chain: settings, env: { SETTLE_OPEN: "1" } });
  const { app } = service;
  // Something to compare the chain with.
  const { finalized } = await chain.heads();
  const facts: confirmation.ConfirmationData = {
    network: "eip155:8453",
    block_number: Number(finalized.number),
    block_hash: finalized.hash,
    timestamp: finalized.timestamp,
    as_of_position: 0,
    claimed_before: new Date().toISOString(),
    ...{ payments: 0, settled_micro: 0, refunds: 0, refunded_micro: 0 },
    confirmed_at: new Date().toISOString(),
  };
  const meta = { actor: "test", operation: "test" };
  const decision = confirmation.confirm(facts, undefined);
  await app.decide(confirmation, confirmation.targetOf(facts.network), decision, { meta });
});
beforeEach(() => {
  meddler.meddle = () => undefined;
});
afterAll(async () => {
  await meddler?.close();
  for (const one of chains) one.close();
  await service?.stop();
  await workshop?.close();
});

const hang = (...methods: string[]) => {
  meddler.meddle = (method) => (methods.length === 0 || methods.includes(method) ? "hangs" : undefined);
};
const echo = (say: string) => `${service.url}/v1/agent/test/echo?say=${say}`;
const PATIENCE_MS = 200;

test("reading a payment's facts, its end or its payer's code has a deadline, and nothing is sent", async () => {
  const settlement = chainSettlement(chain, { patience_ms: PATIENCE_MS });
  const signed = await payment(wallet(0), 5n);
  hang();
  const late = `no answer in ${PATIENCE_MS} ms`;
  await expect(settlement.facts(signed)).rejects.toThrow(late);
  await expect(settlement.ended(signed)).rejects.toThrow(late);
  await expect(settlement.settle(signed, 0n)).rejects.toThrow(late);
  expect(meddler.methods).not.toContain("eth_sendRawTransaction");
});

test("the lookup of a payment that our transaction did not move has a deadline: the outcome is unknown", async () => {
  const settlement = chainSettlement(chain, { patience_ms: PATIENCE_MS });
  const signed = await payment(wallet(1), 6n);
  await carriedByStranger(workshop, signed);
  await settlement.facts(signed);
  hang("eth_getLogs");
  await expect(settlement.settle(signed, 0n)).rejects.toThrow(TransactionPending);
});

test("the comparison of the chain with the log has a deadline", async () => {
  sellByPatientChain();
  const overHealthy = chainSettlement(workshop.chain);
  const signed = await payment(wallet(0), 7n);
  const patient = settlementOnLogsChain(() => service.app, overHealthy, LIMIT_MS);
  expect(await patient.facts(signed)).toMatchObject({ would_settle: true });
  const settlement = settlementOnLogsChain(() => service.app, overHealthy, PATIENCE_MS);
  hang("eth_getBlockByNumber");
  const late = `was not compared with the log in ${PATIENCE_MS} ms`;
  await expect(settlement.settle(signed, 0n)).rejects.toThrow(late);
  await expect(settlement.facts(signed)).rejects.toThrow(late);
});

test("receipts for the gas budget have a deadline, and their cost counts later", async () => {
  const { transaction } = await chain.send(
    { to: PAYEE, data: "0x" },
    { gas: 30_000n, purpose: "settlement" },
  );
  const record: GasRecord = {
    signed: async () => {},
    mined: async () => {},
    replaced: async () => {},
    spent: async () => 0n,
    committed: async () => 0n,
    byPurpose: async () => [],
    open: async () => [{ transaction, sender: chain.sender, nonce: 0 }],
  };
  const clock = { now: () => new Date("2026-01-02T00:00:00Z") };
  const budget = gasBudget({ budget_eth: "1", clock, record, patience_ms: PATIENCE_MS });
  budget.counted(chain);
  const settlement = budget.guarded(chainSettlement(workshop.chain));
  hang("eth_getTransactionReceipt");
  expect(await settlement.facts(await payment(wallet(0), 8n))).toMatchObject({ would_settle: true });
});

test("paid calls, /x402/verify and /x402/settle report that payments are unavailable, and charge nothing", async () => {
  sellByPatientChain();
  const { payment: known } = await buy(wallet(2), echo("known"));
  const paid = await signPayment(wallet(2), await quoteOf(echo("hung")));
  const before = await balanceOf(workshop.chain, PAYEE);
  const { position } = await service.app.store.head();
  const x402 = (endpoint: string, payload: object) =>
    fetch(`${service.url}/x402/${endpoint}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        paymentPayload: { x402Version: 1, scheme: "exact", network: "base", payload },
        paymentRequirements: {
          ...{ scheme: "exact", network: "base", maxAmountRequired: "50000", payTo: PAYEE },
          asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        },
      }),
    });
  hang();
  const contract = { ...paid, signature: `0x${"22".repeat(66)}` };
  const [unsettled, verified] = await Promise.all([
    Promise.all([
      present(echo("hung"), paid),
      fetch(echo("hung"), { headers: headerV1(contract) }),
      x402("verify", paid),
      x402("settle", paid),
    ]),
    x402("verify", known),
  ]);
  for (const answer of unsettled) await expectAway(answer, "payment-unavailable");
  await expectAway(verified, "payment-pending");
  expect((await service.app.store.head()).position).toBe(position);
  expect(await balanceOf(workshop.chain, PAYEE)).toBe(before);
});

test("a node that hangs during the call: nothing is sent", async () => {
  sellByPatientChain();
  const paid = await signPayment(wallet(3), await quoteOf(echo("later")));
  const before = await balanceOf(workshop.chain, PAYEE);
  const { facts } = service.app.settlement;
  service.app.settlement.facts = async (signed) => {
    const found = await facts(signed);
    hang();
    return found;
  };
  const answer = await present(echo("later"), paid).finally(() => {
    service.app.settlement.facts = facts;
  });
  await expectAway(answer, "payment-unavailable");
  expect(await balanceOf(workshop.chain, PAYEE)).toBe(before);
  expect(await storyOf(service, paid)).toEqual(["PaymentClaimed", "PaymentFailed"]);
});
