/**
 * Gas attacks by strangers: each attack that once stopped all payments of a day costs the service little, and buyers
 * nothing.
 */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { gasBudget } from "../../src/adapters/gas-budget.ts";
import { gasRecord } from "../../src/adapters/gas-record.ts";
import { payerHistory } from "../../src/adapters/payer-history.ts";
import { chainSettlement } from "../../src/adapters/settlement.ts";
import { payer } from "../../src/api/declare/caller.ts";
import type { App } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { ChainUnavailable, GasBudgetSpent } from "../../src/core/model/ports/chain.ts";
import type { SignedTransfer } from "../../src/core/model/ports/settlement.ts";
import { NotSettled } from "../../src/core/model/ports/settlement.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { decimalUsdc, USDC } from "../../src/domain/payments/usdc.ts";
import { books } from "../../src/operator/books.ts";
import { paymentsProjection } from "../../src/projections/payments/payments.ts";
import { findPayments } from "../../src/reactors/payments/find.ts";
import { transfersReactor } from "../../src/reactors/wallet/follow-transfers.ts";
import { callerStatusOf } from "../../src/runtime/caller-status.ts";
import { carriedByStranger, finalize, openWorkshop, placeWallet, type Workshop } from "../chain/fixture.ts";
import { buy } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { turn, turnOf } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { addressOf, GAS_KEY, PAYEE, payment, SAYS_YES, wallet } from "../support/wallets.ts";
import { headerOf, PRICE, presentedV1 } from "../support/x402.ts";
import { sampleOperations } from "./sample-operations.ts";
import { nameOf, reactorsOf } from "./stall.ts";

let workshop: Workshop;
let service: Service;
beforeAll(async () => {
  workshop = await openWorkshop();
  service = await startService({
    operations: sampleOperations,
    chain: { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE },
  });
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});
beforeEach(() => service.app.pool.query("delete from chain.gas"));

/**
 * Accepts every signature while gas is free, as in a call, and burns all gas in a transaction: GASPRICE ISZERO PUSH1 6
 * JUMPI INVALID JUMPDEST.
 */
const TWO_FACED: Hex = `0x3a15600657fe5b${SAYS_YES.slice(2)}`;

/** Accepts every signature, with code that no other test has: it pops two words first. */
const PLAIN_YES: Hex = `0x6000503650${SAYS_YES.slice(2)}`;
/** INVALID, which burns all gas. */
const BURN: Hex = "0xfe";

const echo = (say: string) => `${service.url}/v1/agent/test/echo?say=${say}`;
const gasLeft = async () => service.app.chain.balance(service.app.chain.sender);
async function contractPayment(code: Hex): Promise<SignedTransfer> {
  const from: Hex = `0x${randomBytes(20).toString("hex")}`;
  await placeWallet(workshop, from, code);
  const { transfer } = await payment(wallet(8), PRICE, { from });
  return { transfer, signature: `0x${"5a".repeat(300)}` };
}
const payBy = (signed: SignedTransfer, say: string) =>
  fetch(echo(say), { headers: { "X-PAYMENT": headerOf(presentedV1(signed)) } });
const settleOf = (signed: SignedTransfer, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/x402/settle`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({
      paymentPayload: presentedV1(signed),
      paymentRequirements: {
        ...{ scheme: "exact", network: "base", maxAmountRequired: String(PRICE), payTo: PAYEE },
        asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      },
    }),
  });
/** As if this much gas had been spent for a purpose today. */
const spend = (purpose: string) =>
  service.app.pool.query(
    `insert into chain.gas (network, transaction, day, purpose, fee_wei) values ('eip155:8453', $1, $2, $1, 1e18)`,
    [purpose, service.app.clock.now().toISOString().slice(0, 10)],
  );

test("a payment without a call is not refunded if the refund costs more, and is shown; other refunds have their own gas", async () => {
  const { app } = service;
  const look = async () => {
    expect(await turn(app, transfersReactor)).toEqual({ status: "done" });
    await turnOf(app, "payments", async (given) => {
      await findPayments(given, 0);
      return "done";
    });
  };
  await look();
  const cost = await app.gas.refund_cost_micro();
  expect(cost).toBeGreaterThan(PRICE);
  const [dust, large] = [await payment(wallet(5), PRICE), await payment(wallet(5), 2n * cost)];
  for (const one of [dust, large]) await carriedByStranger(workshop, one);
  await carriedByStranger(workshop, await payment(wallet(6), 4n * cost, { to: addressOf(app.refunds) }));
  const bought = await buy(wallet(0), echo("returned"));
  await finalize(workshop);
  await look();
  const idOf = ({ transfer: { from, nonce } }: SignedTransfer) =>
    payments.idOf({ network: "eip155:8453", asset: USDC.address.toLowerCase() as Hex, payer: from, nonce });
  const status = async (id: string) =>
    ((await (await fetch(`${service.url}/v1/agent/payments/${id}`)).json()) as { data: object }).data;
  expect(await status(idOf(dust))).toMatchObject({
    refund: null,
    kept: { refund_cost_usdc: expect.stringMatching(/^\d+\.\d+$/) },
  });
  expect(await status(idOf(large))).toMatchObject({ refund: { status: "open" }, kept: null });
  const presented = await payBy(dust, "kept");
  expect(presented.status).toBe(402);
  expect(await presented.text()).toContain("was not refunded");

  const paid = nameOf(bought.payment);
  const back = payments.refundAnswered("returned", app.clock.now().toISOString());
  await app.decide(payments, payments.targetOf(paid), back, { meta: { actor: "test", operation: "test" } });
  const { reconcile, payRefunds } = reactorsOf(app);
  await spend("unasked refund");
  expect(await reconcile()).toBe("done");
  expect(await payRefunds()).toBe("done");
  expect(await status(paid)).toMatchObject({ refund: { status: "paid" } });
  expect(await status(idOf(large))).toMatchObject({ refund: { status: "open" } });
  await app.pool.query("delete from chain.gas");
  expect(await payRefunds()).toBe("done");
  expect(await status(idOf(large))).toMatchObject({ refund: { status: "paid" } });

  const ledger = (await (await fetch(`${service.url}/soul/revenue/transparency`)).json()) as {
    totals: { kept_usdc: string };
    payments: { id: string; kept: boolean }[];
  };
  const found = await books(app);
  expect(found).toMatchObject({ agree: true, incoming: { unasked: [] } });
  expect(ledger.totals.kept_usdc).toBe(decimalUsdc(found.incoming.kept_micro));
  expect(ledger.payments.find(({ id }) => id === idOf(dust))).toMatchObject({ kept: true });
  expect(ledger.payments.find(({ id }) => id === idOf(large))).toMatchObject({ kept: false });
});

test("a wallet that accepts in a call and burns gas in a transaction is refused before any gas is paid", async () => {
  const signed = await contractPayment(TWO_FACED);
  const before = await gasLeft();
  const answer = await payBy(signed, "two_faced");
  expect(answer.status).toBe(402);
  expect(await gasLeft()).toBe(before);
});

test("once the gas for contract wallets is spent they wait, and other buyers do not", async () => {
  const signed = await contractPayment(SAYS_YES);
  await spend("contract settlement");
  const { position } = await service.app.store.head();
  const answer = await payBy(signed, "contract");
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain("gas budget for contract wallets is spent");
  expect((await service.app.store.head()).position).toBe(position);
  expect((await buy(wallet(0), echo("plain"))).answer.status).toBe(200);
});

test("settling without a call needs a key", async () => {
  const signed = await payment(wallet(1), PRICE);
  const before = await gasLeft();
  const answer = await settleOf(signed);
  expect(answer.status).toBe(401);
  expect(await answer.text()).toContain("API key");
  expect(await gasLeft()).toBe(before);
  const { headers } = await service.issue({ tenant: "elsewhere" });
  expect(await (await settleOf(signed, headers)).json()).toMatchObject({ success: true });
});

test("if the operator opens it, settling without a call has its own gas", async () => {
  const open = await startService({
    operations: sampleOperations,
    chain: { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE },
    env: { SETTLE_OPEN: "1" },
  });
  const [own, mine] = [service, open];
  try {
    service = mine;
    expect(await (await settleOf(await payment(wallet(2), PRICE))).json()).toMatchObject({ success: true });
    await spend("carrying");
    const refused = await settleOf(await payment(wallet(2), PRICE));
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain("gas budget for carrying without a call is spent");
    expect((await buy(wallet(0), echo("plain"))).answer.status).toBe(200);
  } finally {
    service = own;
    await open.stop();
  }
});

test("a wallet whose payment was refunded is not a paying subject any more", async () => {
  const { app } = service;
  const { payment: paid } = await buy(wallet(4), echo("standing"));
  const standing = async () => {
    await app.caughtUp(paymentsProjection);
    return callerStatusOf(app)(payer(addressOf(wallet(4))));
  };
  expect(await standing()).toBe("paying");
  const back = payments.refundAnswered("returned", app.clock.now().toISOString());
  await app.decide(payments, payments.targetOf(nameOf(paid)), back, {
    meta: { actor: "test", operation: "test" },
  });
  expect(await standing()).toBe("proven");
});

const historyOf = ({ pool, clock }: App) => payerHistory(pool, "eip155:8453", clock);

test("a wallet that failed on the chain is not sent again, nor is its code, in any process", async () => {
  const { chain } = workshop;
  // The contract deceives even the trial.
  const deceived = { ...chain, trial: async () => ({ success: true, gas: 100_000n }) as const };
  const process = (trusting = false) => {
    const payers = historyOf(service.app);
    return chainSettlement(trusting ? deceived : chain, { payers });
  };
  const honest = await contractPayment(PLAIN_YES);
  expect((await process().settle(honest, 0n)).success).toBe(true);
  const bad = await contractPayment(BURN);
  const before = await gasLeft();
  await expect(process(true).settle(bad, 0n)).rejects.toThrow(NotSettled);
  const burnt = before - (await gasLeft());
  expect(burnt).toBeGreaterThan(0n);
  const again = await payment(wallet(8), PRICE, { from: bad.transfer.from });
  const alike = await contractPayment(BURN);
  const left = await gasLeft();
  for (const signed of [{ ...again, signature: bad.signature }, alike]) {
    await expect(process(true).settle(signed, 0n)).rejects.toThrow("failed on the chain");
    expect(await process().facts(signed)).toMatchObject({
      would_settle: false,
      barred: expect.stringContaining("carry this authorization to the chain yourself"),
    });
  }
  // A running process learns of it within seconds.
  await until(async () => (await (await payBy(alike, "alike")).text()).includes("same code failed"));
  expect(await gasLeft()).toBe(left);
  // Others with the honest code can still pay, and so can an earlier payer after a failure of that code.
  const other = { address: addressOf(wallet(9)), code: PLAIN_YES };
  await historyOf(service.app).failed(other, Number(honest.transfer.valid_before));
  const { transfer } = await payment(wallet(8), PRICE, { from: honest.transfer.from });
  expect((await process().settle({ transfer, signature: honest.signature }, 0n)).success).toBe(true);
});

test("a wallet that failed once may still pay as a contract later", async () => {
  let now = Date.now();
  const clock = { now: () => new Date(now) };
  const history = () => payerHistory(service.app.pool, "eip155:8453", clock);
  const address = addressOf(wallet(7));
  await history().failed({ address, code: undefined }, now / 1_000 + 86_400);
  expect(await history().barred({ address, code: undefined })).toMatch(/within the hour/);
  await history().carried({ address, code: PLAIN_YES });
  now += 3 * 3_600_000;
  expect(await history().barred({ address, code: undefined })).toBeUndefined();
  expect(await history().barred({ address, code: PLAIN_YES })).toBeUndefined();
});

test("many concurrent payments do not exceed their purpose's budget together", async () => {
  const sent: bigint[] = [];
  let finish = () => {};
  const mined = new Promise<void>((done) => {
    finish = done;
  });
  const chain = {
    ...workshop.chain,
    gasPrice: async () => 1n,
    send: async (_: unknown, { gas }: { gas: bigint }) => {
      sent.push(gas);
      await mined;
      throw new ChainUnavailable("not sent");
    },
  };
  const record = gasRecord(service.app.pool, "eip155:8453");
  const clock = { now: () => new Date("2031-01-02T00:00:00Z") };
  const purposes_eth = { carrying: "0.000000000000000250" };
  const budget = gasBudget({ budget_eth: "1", purposes_eth, clock, record }).counted(chain);
  const send = () => budget.send({ to: PAYEE, data: "0x" }, { gas: 100n, purpose: "carrying" });
  let refused = 0;
  const sending = Array.from({ length: 20 }, () =>
    send().catch((error) => {
      if (error instanceof GasBudgetSpent) refused++;
    }),
  );
  await until(async () => refused === 17);
  finish();
  await Promise.all(sending);
  expect(sent).toHaveLength(3);
});
