/** Anybody can send a signed authorization to the chain: each such payment is answered or refunded. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import type { SignedTransfer } from "../../src/core/model/ports/settlement.ts";
import { books } from "../../src/operator/books.ts";
import { findPayments } from "../../src/reactors/payments/find.ts";
import { transfersReactor } from "../../src/reactors/wallet/follow-transfers.ts";
import { balanceOf, carriedByStranger, finalize, openWorkshop, type Workshop } from "../chain/fixture.ts";
import { present, quoteOf, type SignedPayment, settlementOf, signPayment } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { turn, turnOf } from "../support/turns.ts";
import { walletProof } from "../support/wallet-proof.ts";
import { addressOf, GAS_KEY, PAYEE, payment, wallet } from "../support/wallets.ts";
import { sampleOperations } from "./sample-operations.ts";
import { nameOf, reactorsOf, signedOf, storyOf } from "./stall.ts";

let workshop: Workshop;
let one: Service & { database_url: string };
let two: Service & { database_url: string };
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  // The x402 endpoints are free, and all callers here share an address.
  const env = { OPEN_CALLS_PER_MINUTE: "100000", ETH_USDC: "1" };
  one = await startService({ operations: sampleOperations, chain, env });
  two = await startService({ operations: sampleOperations, chain, env, beside: one });
});
afterAll(async () => {
  if (one) expect(await books(one.app)).toMatchObject({ agree: true, incoming: { unasked: [] } });
  await two?.stop();
  await one?.stop();
  await workshop?.close();
});

const PRICE = 50_000n;
const echo = (say: string, { url } = one) => `${url}/v1/agent/test/echo?say=${say}`;
const earned = () => balanceOf(workshop.chain, PAYEE);
const sign = async (say: string, payer = 0, more = {}) =>
  signPayment(wallet(payer), await quoteOf(echo(say)), more);

/** The wallet's proof next to its payment, which the chain does not show. */
const signsIn = async (url: string, payer: number, headers: Record<string, string> = {}) => ({
  headers: { ...headers, ...(await walletProof(wallet(payer), url.split("?")[0]!, { method: "GET" })) },
});

/** A stranger has one account, which sends one transaction after the other. */
let sending: Promise<unknown> = Promise.resolve();
function carry(paid: SignedPayment): Promise<Hex> {
  const carried = sending.then(() => carriedByStranger(workshop, signedOf(paid)));
  sending = carried.catch(() => undefined);
  return carried;
}

test("a payment that a stranger sent before it was presented buys its payer's call, once", async () => {
  const paid = await sign("carried");
  const before = await earned();
  const transaction = await carry(paid);
  const unsigned = await present(echo("carried"), paid);
  expect(unsigned.status).toBe(401);
  expect(await unsigned.text()).toMatch(/SIGN-IN-WITH-X.*wallet that paid/);
  const answer = await present(echo("carried"), paid, await signsIn(echo("carried"), 0));
  expect(answer.status).toBe(200);
  expect(settlementOf(answer).transaction).toBe(transaction);
  expect(await storyOf(one, paid)).toEqual(["PaymentClaimed", "PaymentSettled"]);
  const text = await answer.text();
  expect(await (await present(echo("carried", two), paid)).text()).toBe(text);
  expect((await present(echo("other"), paid)).status).toBe(402);
  expect(await earned()).toBe(before + PRICE);
});

test("a payment that was sent in time is answered although it has expired since", async () => {
  const now = Math.floor(Date.now() / 1000);
  const late = await sign("late", 1, { validBefore: String(now + 4) });
  expect((await present(echo("late"), late)).status).toBe(402);
  await carry(late);
  expect((await present(echo("late"), late, await signsIn(echo("late"), 1))).status).toBe(200);
});

test("no API key alone uses a sent payment: the payer's own key needs its sign-in, too", async () => {
  const thief = await one.issue({ tenant: "thief", scopes: ["read", "order"] });
  const own = await one.issue({ tenant: "payers-firm", scopes: ["read", "order"] });
  const paid = await sign("with_a_key", 5);
  await carry(paid);
  const json = { "Content-Type": "application/json" };
  expect((await present(echo("with_a_key"), paid, { headers: thief.headers })).status).toBe(401);
  const settled = await fetch(`${one.url}/x402/settle`, {
    method: "POST",
    headers: { ...json, ...thief.headers },
    body: JSON.stringify({
      x402Version: 1,
      paymentPayload: { x402Version: 1, scheme: "exact", network: "base", payload: paid },
      paymentRequirements: {
        scheme: "exact",
        network: "base",
        maxAmountRequired: String(PRICE),
        payTo: PAYEE,
        asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      },
    }),
  });
  expect(await settled.json()).toMatchObject({
    success: false,
    errorMessage: expect.stringMatching(/carried/),
  });
  expect(await storyOf(one, paid)).toEqual([]);
  const signed = await signsIn(echo("with_a_key"), 5, own.headers);
  expect((await present(echo("with_a_key"), paid, signed)).status).toBe(200);
  // The idempotency key belongs to the payment from then on; another one never did.
  expect((await present(echo("with_a_key"), paid, { headers: own.headers })).status).toBe(200);
  expect((await present(echo("with_a_key"), paid, { headers: thief.headers })).status).not.toBe(200);

  const url = `${one.url}/v1/agent/test/order`;
  const order = (name: string, headers = {}): RequestInit => ({
    method: "POST",
    headers: { ...json, ...headers },
    body: JSON.stringify({ name }),
  });
  const dear = await signPayment(wallet(5), await quoteOf(url, order("k_bought")));
  await carry(dear);
  expect((await present(url, dear, order("k_bought", thief.headers))).status).toBe(401);
  expect(await storyOf(one, dear)).toEqual([]);
  const proof = await walletProof(wallet(5), url, { method: "POST", body: { name: "k_bought" } });
  expect((await present(url, dear, order("k_bought", { ...own.headers, ...proof }))).status).toBe(201);
});

test("a refused call leaves a sent payment valid for another call, and says so", async () => {
  const url = `${one.url}/v1/agent/test/order`;
  const order = (name: string): RequestInit => ({
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name }),
  });
  const first = await signPayment(wallet(2), await quoteOf(url, order("k_carried")));
  expect((await present(url, first, order("k_carried"))).status).toBe(201);
  const paid = await signPayment(wallet(2), await quoteOf(url, order("k_carried")));
  await carry(paid);
  // Anybody could have read it on the chain, so a command also requires the payer's signature.
  const signed = async (name: string): Promise<RequestInit> => {
    const proof = await walletProof(wallet(2), url, { method: "POST", body: { name } });
    return { ...order(name), headers: { ...order(name).headers, ...proof } };
  };
  expect((await present(url, paid, order("k_carried"))).status).toBe(401);
  const refused = await present(url, paid, await signed("k_carried"));
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain("an unused payment is refunded");
  expect((await present(url, paid, await signed("k_carried_other"))).status).toBe(201);
});

test("a payment without a call is found, reported and refunded", async () => {
  const { app } = one;
  const look = async (answer_within_ms: number) => {
    expect(await turn(app, transfersReactor)).toEqual({ status: "done" });
    const looked = await turnOf(app, "payments", async (given) => {
      await findPayments(given, answer_within_ms);
      return "done";
    });
    expect(looked).toEqual({ status: "done" });
  };
  // Transfers before the service's first look are ignored.
  await look(0);
  const [paid, dust] = [await sign("never_asked", 7), await payment(wallet(7), 10n)];
  await carry(paid);
  await carriedByStranger(workshop, dust);
  const name = nameOf(paid);
  const before = await books(app);
  expect(before).toMatchObject({ agree: false, incoming: { unasked: [name], unasked_micro: PRICE } });
  await finalize(workshop);
  // The payer has a while to make its call.
  await look(900_000);
  expect(await storyOf(one, paid)).toEqual([]);
  await look(0);
  await look(0);
  expect(await storyOf(one, paid)).toEqual(["PaymentFound", "RefundOpened"]);
  const answer = await present(echo("never_asked"), paid);
  expect(answer.status).toBe(402);
  expect(await answer.text()).toContain("is refunded");
  const status = await fetch(`${one.url}/v1/agent/payments/${name}`);
  expect(await status.json()).toMatchObject({
    data: { status: "settled", operation: "none", amount_usdc: "0.05", refund: { status: "open" } },
  });
  const { incoming } = await books(app);
  expect(incoming).toMatchObject({ unasked: [], unasked_micro: 0n, chain_micro: await earned() });
  expect(incoming.other_micro).toBe(10n);
  // Funds the refunding account.
  await carriedByStranger(workshop, await payment(wallet(8), PRICE, { to: addressOf(app.refunds) }));
  const { reconcile, payRefunds } = reactorsOf(app);
  expect(await reconcile()).toBe("done");
  expect(await payRefunds()).toBe("done");
  expect(await storyOf(one, paid)).toEqual(["PaymentFound", "RefundOpened", "RefundPaid"]);
});

describe("simultaneous chain queries", () => {
  const facts = (payments: SignedTransfer[]) =>
    Promise.all(payments.map((one_of) => one.app.settlement.facts(one_of)));

  test("about 40 copies of one payment do not affect each other", async () => {
    const copy = await payment(wallet(3), PRICE);
    const found = await facts(Array.from({ length: 40 }, () => structuredClone(copy)));
    expect(found.map(({ used, would_settle }) => ({ used, would_settle }))).toEqual(
      Array(40).fill({ used: false, would_settle: true }),
    );
  });

  test("about two payments answer each one separately, though the payer can afford only one", async () => {
    const all = await balanceOf(workshop.chain, wallet(4).address.toLowerCase() as Hex);
    const found = await facts([await payment(wallet(4), all), await payment(wallet(4), all)]);
    expect(found.map(({ would_settle, balance }) => ({ would_settle, balance }))).toEqual(
      Array(2).fill({ would_settle: true, balance: all }),
    );
  });
});
