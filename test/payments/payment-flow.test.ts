/** Effects of callers, other processes and time between any two steps of a paid call. */

import { createHash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { StoreUnavailable } from "../../eventstore/errors.ts";
import { payer } from "../../src/api/declare/caller.ts";
import { presentedStatusOf } from "../../src/api/serve/x402/presented-status.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { ChainUnavailable, TransactionPending } from "../../src/core/model/ports/chain.ts";
import { NotSettled } from "../../src/core/model/ports/settlement.ts";
import * as apiKey from "../../src/domain/access/key.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { TRANSFER_GAS, transferCall } from "../../src/domain/payments/usdc.ts";
import { balanceOf, openWorkshop, type Workshop } from "../chain/fixture.ts";
import { aroundCommits, typesOf as typesIn } from "../support/around-commits.ts";
import { buy, present, quoteOf, type SignedPayment, settlementOf, signPayment } from "../support/buyer.ts";
import { replace } from "../support/replace.ts";
import { type Service, startService } from "../support/service.ts";
import { walletProof } from "../support/wallet-proof.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";
import { facts, sampleOperations, script } from "./sample-operations.ts";
import { nameOf } from "./stall.ts";

let workshop: Workshop;
let one: Service & { database_url: string };
let two: Service & { database_url: string };
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  one = await startService({ operations: sampleOperations, chain });
  two = await startService({ operations: sampleOperations, chain, beside: one });
});
afterAll(async () => {
  await two?.stop();
  await one?.stop();
  await workshop?.close();
});

/** Undoes a test's changes of the service. */
const undo: (() => void)[] = [];
afterEach(() => {
  for (const back of undo.splice(0).reverse()) back();
});

function meddle<Thing extends object, Name extends keyof Thing>(
  thing: Thing,
  name: Name,
  wrap: (was: Thing[Name]) => Thing[Name],
) {
  const was = thing[name];
  thing[name] = wrap(was);
  undo.push(() => {
    thing[name] = was;
  });
}
/** As if this much time had passed. */
const later = ({ app }: Service, ms: number) => {
  const { clock } = app;
  replace(app, { clock: { now: () => new Date(Date.now() + ms) } });
  undo.push(() => replace(app, { clock }));
};

const echo = (say: string, { url } = one) => `${url}/v1/agent/test/echo?say=${say}`;
const toggle = () => `${one.url}/v1/agent/test/toggle`;
const order = (name: string, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify({ name }),
});
const orderUrl = ({ url } = one) => `${url}/v1/agent/test/order`;
const under = (word: string): RequestInit => ({ headers: { "Idempotency-Key": word } });

const targetOf = ({ authorization }: SignedPayment) =>
  payments.targetOf(
    payments.idOf({
      network: "eip155:8453",
      asset: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
      payer: authorization.from.toLowerCase() as Hex,
      nonce: authorization.nonce as Hex,
    }),
  );
const typesOf = async (payment: SignedPayment) => {
  const { tenant, id } = targetOf(payment);
  const stream_id = payments.streamOf(id);
  return (await one.app.store.readStream({ tenant, stream_id })).map(({ type }) => type);
};
const stateOf = (payment: SignedPayment) => one.app.load(payments, targetOf(payment));
const earned = () => balanceOf(workshop.chain, PAYEE);
const forgetAnswers = () => one.app.pool.query("delete from access.kept_answers");
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const signedOf = (payment: SignedPayment) => {
  const { from, to, value, validAfter, validBefore, nonce } = payment.authorization;
  return {
    transfer: {
      from: from.toLowerCase() as Hex,
      to: to as Hex,
      value: BigInt(value),
      valid_after: BigInt(validAfter),
      valid_before: BigInt(validBefore),
      nonce: nonce as Hex,
    },
    signature: payment.signature as Hex,
  };
};

test("a caller who cannot pay as a wallet does not get that wallet's purchase under an Idempotency-Key", async () => {
  await buy(wallet(0), echo("mine"), under("guessed"));
  const forged = await signPayment(wallet(0), await quoteOf(echo("mine")));
  const signature = `0x${"11".repeat(64)}1b`;
  const answer = await present(echo("mine"), { ...forged, signature }, under("guessed"));
  expect(answer.status).toBe(402);
  const stale = await signPayment(wallet(0), await quoteOf(echo("mine")), { validBefore: "1700000000" });
  expect((await present(echo("mine"), stale, under("guessed"))).status).toBe(402);
});

test("a process that checks the chain after another's settlement returns the same answer", async () => {
  const payment = await signPayment(wallet(1), await quoteOf(echo("late")));
  let first = "";
  meddle(two.app.settlement, "facts", (was) => async (signed) => {
    first = await (await present(echo("late"), payment)).text();
    return was(signed);
  });
  const second = await present(echo("late", two), payment);
  expect(second.status).toBe(200);
  expect(await second.text()).toBe(first);
});

test("a failed payment that somebody sent anyway is answered, and no new signature is requested", async () => {
  const payment = await signPayment(wallet(1), await quoteOf(echo("carried")));
  meddle(one.app.settlement, "settle", () => async () => {
    throw new NotSettled("not enough just now");
  });
  expect((await present(echo("carried"), payment)).status).toBe(402);
  await workshop.chain.send(transferCall(signedOf(payment)), { gas: TRANSFER_GAS, purpose: "settlement" });
  const before = await earned();
  expect((await present(echo("carried"), payment)).status).toBe(200);
  expect(await earned()).toBe(before);
  expect(await typesOf(payment)).toEqual([
    "PaymentClaimed",
    "PaymentFailed",
    "PaymentClaimed",
    "PaymentSettled",
  ]);
});

test("an abandoned claim stays unknown while the chain is unavailable", async () => {
  const payment = await signPayment(wallet(2), await quoteOf(echo("away")));
  meddle(one.app.settlement, "settle", (was) => async (signed, seen) => {
    await was(signed, seen);
    throw new TransactionPending([]);
  });
  expect((await present(echo("away"), payment)).status).toBe(503);
  later(two, 100_000);
  const { settle } = two.app.settlement;
  two.app.settlement.settle = async () => {
    throw new ChainUnavailable("nothing was sent");
  };
  const answer = await present(echo("away", two), payment).finally(() => {
    two.app.settlement.settle = settle;
  });
  expect(await answer.json()).toMatchObject({ type: expect.stringContaining("payment-pending") });
  expect(await typesOf(payment)).toEqual(["PaymentClaimed", "PaymentTakenOver"]);
  expect((await present(echo("away", two), payment)).status).toBe(200);
});

test.each([
  { how: "without an Idempotency-Key", init: {} },
  { how: "under an Idempotency-Key", init: under("slow-word") },
])("a claim taken over $how from a slow process gives one answer with a true receipt", async ({ init }) => {
  const payment = await signPayment(wallet(3), await quoteOf(echo("slow")));
  const before = await earned();
  const events = new EventEmitter();
  const [claimed, both] = [once(events, "claimed"), once(events, "both")];
  meddle(one.app.settlement, "settle", (was) => async (signed, seen) => {
    events.emit("claimed");
    await both;
    return was(signed, seen);
  });
  later(two, 100_000);
  meddle(two.app.settlement, "settle", (was) => async (signed, seen) => {
    events.emit("both");
    return was(signed, seen);
  });
  const slow = present(echo("slow"), payment);
  await claimed;
  const answers = await Promise.all([slow, present(echo("slow", two), payment, init)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const [a, b] = await Promise.all(answers.map((answer) => answer.text()));
  expect(a).toBe(b);
  expect(await stateOf(payment)).toMatchObject({ answer: { sha256: sha256(a!) } });
  expect(await (await present(echo("slow"), payment)).text()).toBe(a);
  expect(await earned()).toBe(before + 50_000n);
});

test("a log that is down after the settlement loses nothing and refunds nothing", async () => {
  const payment = await signPayment(wallet(4), await quoteOf(echo("unlogged")));
  const before = await earned();
  const leaveAlone = aroundCommits(one.app.store, async (commit, send) => {
    if (!typesIn(commit).includes("PaymentSettled")) return send();
    leaveAlone();
    throw new StoreUnavailable("cut off");
  });
  undo.push(leaveAlone);
  expect((await present(echo("unlogged"), payment)).status).toBe(503);
  expect(await typesOf(payment)).toEqual(["PaymentClaimed"]);
  later(one, 100_000);
  expect((await present(echo("unlogged"), payment)).status).toBe(200);
  expect(await typesOf(payment)).toEqual(["PaymentClaimed", "PaymentSettled"]);
  expect(await earned()).toBe(before + 50_000n);
});

test("a purchase is not repeated for its payment, whatever Idempotency-Key it has", async () => {
  const once = (word: string) => order("k_once_only", { "Idempotency-Key": word });
  const { payment, answer } = await buy(wallet(4), toggle(), once("first-word"));
  const first = await answer.text();
  await forgetAnswers();
  expect(await (await present(toggle(), payment, once("first-word"))).text()).toBe(first);
  const { position } = await one.app.store.head();
  for (const init of [order("k_once_only"), once("another-word"), once("third-word")]) {
    const again = await present(toggle(), payment, init);
    expect(again.status).toBe(409);
    expect(await again.json()).toMatchObject({ type: expect.stringContaining("answer-gone") });
  }
  expect((await one.app.store.head()).position).toBe(position);
});

test("an answer that is no longer stored is not replaced by another under its receipt", async () => {
  await buy(wallet(5), echo("gone"), under("gone-word"));
  await forgetAnswers();
  const before = await earned();
  const { answer } = await buy(wallet(5), echo("gone"), under("gone-word"));
  expect(answer.status).toBe(409);
  expect(await earned()).toBe(before);
});

test("a stream's payment covers its continuation for a day", async () => {
  const url = `${one.url}/v1/agent/test/lines?count=2`;
  const { payment, answer } = await buy(wallet(5), url);
  const first = await answer.text();
  const path = `${one.url}/v1/agent/test/lines`;
  const again = async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: one.app.clock.now() });
    const headers = await walletProof(wallet(5), path, { method: "GET" }).finally(vi.useRealTimers);
    return present(url, payment, { headers });
  };
  later(one, 23 * 3_600_000);
  expect(await (await again()).text()).toBe(first);
  later(one, 25 * 3_600_000);
  expect((await again()).status).toBe(409);
});

test("a payment whose Idempotency-Key was answered without it meanwhile is refunded", async () => {
  const { headers } = await one.issue({ tenant: "both-ways" });
  const init = order("k_both_ways", { ...headers, "Idempotency-Key": "both" });
  const payment = await signPayment(wallet(6), await quoteOf(orderUrl(), order("k_both_ways")));
  meddle(one.app.settlement, "settle", (was) => async (signed, seen) => {
    const receipt = await was(signed, seen);
    expect((await fetch(orderUrl(), init)).status).toBe(201);
    return receipt;
  });
  const answer = await present(orderUrl(), payment, init);
  expect(answer.status).toBe(201);
  expect(() => settlementOf(answer)).toThrow("no settlement");
  expect(await typesOf(payment)).toEqual(["PaymentClaimed", "PaymentSettled", "RefundOpened"]);
});

test("an answer that an API key got under its Idempotency-Key is not sold to it again", async () => {
  const { headers } = await one.issue({ tenant: "not-again" });
  const init = { headers: { ...headers, "Idempotency-Key": "said" } };
  const first = await (await fetch(echo("free"), init)).text();
  const payment = await signPayment(wallet(6), await quoteOf(echo("free")));
  const answer = await present(echo("free"), payment, init);
  expect(await answer.text()).toBe(first);
  expect(await typesOf(payment)).toEqual([]);
  expect((await present(echo("dear"), payment, init)).status).toBe(422);
});

test("a key's tenant gets its paid answer under an Idempotency-Key again without a payment", async () => {
  const { headers } = await one.issue({ tenant: "paid-first" });
  const init = { headers: { ...headers, "Idempotency-Key": "paid" } };
  const payment = await signPayment(wallet(6), await quoteOf(echo("paid-first")));
  const first = await (await present(echo("paid-first"), payment, init)).text();
  expect(await (await fetch(echo("paid-first"), init)).text()).toBe(first);
  expect((await fetch(echo("other"), init)).status).toBe(422);
});

test("a settled payment whose call is refused now is refunded, and its payer is informed", async () => {
  const payment = await signPayment(wallet(7), await quoteOf(orderUrl(), order("k_owed")));
  meddle(one.app.settlement, "settle", (was) => async (signed, seen) => {
    const mined = payments.minedBy(await was(signed, seen));
    const meta = { actor: "test", operation: "test" };
    const decision = payments.settle(mined, null, new Date().toISOString());
    await two.app.decide(payments, targetOf(payment), decision, { meta });
    throw new TransactionPending([mined.transaction]);
  });
  expect((await present(orderUrl(), payment, order("k_owed"))).status).toBe(503);
  const meta = { actor: "operator", operation: "test" };
  const target = { tenant: "acme", id: "k_owed" };
  await one.app.decide(apiKey, target, apiKey.issue(facts("k_owed")), { meta });
  const answer = await present(orderUrl(), payment, order("k_owed"));
  expect(answer.status).toBe(409);
  expect(await answer.text()).toContain("refunded");
  expect((await stateOf(payment)) as object).toHaveProperty("refund");
});

test("a payment buys for one tenant: not for another key, nor for its wallet", async () => {
  const [mine, other] = [await one.issue({ tenant: "mine" }), await one.issue({ tenant: "other" })];
  const payment = await signPayment(wallet(7), await quoteOf(echo("tenant")));
  expect((await present(echo("tenant"), payment, mine)).status).toBe(200);
  expect((await present(echo("tenant"), payment, other)).status).toBe(402);
  expect((await present(echo("tenant"), payment)).status).toBe(402);
});

test("while one payment reserves an Idempotency-Key, a second payment does not run the handler repeatedly", async () => {
  const wanted = await quoteOf(echo("waits"));
  const [first, second] = [await signPayment(wallet(7), wanted), await signPayment(wallet(7), wanted)];
  const events = new EventEmitter();
  const claimed = once(events, "claimed");
  meddle(one.app.settlement, "settle", (was) => async (signed, seen) => {
    events.emit("claimed");
    await new Promise((wake) => setTimeout(wake, 1_500));
    return was(signed, seen);
  });
  const { handled } = script;
  const answers = [present(echo("waits"), first, under("waits"))];
  await claimed;
  answers.push(present(echo("waits"), second, under("waits")));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
  // The second may run once before it sees the first one's claim, and once more just as that one ends.
  expect(script.handled - handled).toBeLessThanOrEqual(3);
});

test("another authorization of the same payer and nonce gets nothing of the first one's", async () => {
  const { payment } = await buy(wallet(8), echo("nonce"));
  const { nonce } = payment.authorization;
  const wanted = await quoteOf(echo("nonce"));
  const other = await signPayment(wallet(8), wanted, { nonce, validAfter: "1700000000" });
  expect((await present(echo("nonce"), other)).status).toBe(402);
  const forged = { ...payment, signature: `0x${"11".repeat(64)}1b` };
  expect((await present(echo("nonce"), forged)).status).toBe(402);
});

test("a refunded payment buys nothing more", async () => {
  const payment = await signPayment(wallet(8), await quoteOf(echo("refunded")));
  meddle(one.app.settlement, "settle", (was) => async (signed, seen) => {
    const mined = payments.minedBy(await was(signed, seen));
    const meta = { actor: "test", operation: "test" };
    const at = new Date().toISOString();
    await two.app.decide(payments, targetOf(payment), payments.settle(mined, null, at), { meta });
    await two.app.decide(payments, targetOf(payment), payments.openRefund("a test", at), { meta });
    throw new TransactionPending([mined.transaction]);
  });
  expect((await present(echo("refunded"), payment)).status).toBe(503);
  const { handled } = script;
  const answer = await present(echo("refunded"), payment);
  expect(answer.status).toBe(402);
  expect(await answer.text()).toContain("refunded");
  expect(script.handled).toBe(handled);
});

test("a refunded payment's answer is repeated, and it buys nothing else", async () => {
  const url = echo("cancelled");
  const { payment, answer } = await buy(wallet(6), url, under("cancelled-later"));
  const text = await answer.text();
  const meta = { actor: "operator", operation: "test" };
  const back = payments.refundAnswered("cancelled", new Date().toISOString());
  await one.app.decide(payments, targetOf(payment), back, { meta });
  const again = await present(url, payment);
  expect([again.status, await again.text()]).toEqual([200, text]);
  const other = await present(echo("else"), payment);
  expect(other.status).toBe(402);
  expect(await other.text()).toContain("another call");
  // Under its key, too, no second payment is taken after its stored bytes are gone.
  await forgetAnswers();
  const before = await earned();
  const second = await buy(wallet(6), url, under("cancelled-later"));
  expect(await earned()).toBe(before);
  expect(second.answer.status).not.toBe(200);
});

test("a payment with an unknown outcome stays pending for any other call; once answered, it counts as another's", async () => {
  const { headers } = await one.issue({ tenant: "owner" });
  const url = echo("whose");
  const paid = await signPayment(wallet(6), await quoteOf(url));
  expect((await present(url, paid, { headers })).status).toBe(200);
  const id = nameOf(paid);
  const settled = await one.app.load(payments, payments.targetOf(id));
  if (settled?.status !== "settled") throw new Error("it was settled");
  const { claim } = settled;
  const claimed = payments.evolve(payments.initialState(), { type: "PaymentClaimed", data: claim });
  const request = {
    app: one.app,
    payment: {
      id,
      signed: payments.signedTransferOf(claim),
      contract: false,
      refusal: undefined,
      expired: false,
    },
    call: {
      operation: sampleOperations.find(({ name }) => name === claim.operation)!,
      caller: payer(claim.payer),
      request_sha256: claim.request_sha256,
      request_id: "r",
      idempotency_key: undefined,
    },
  };
  expect(await presentedStatusOf(claimed, request)).toBe("pending");
  await expect(presentedStatusOf(settled, request)).rejects.toThrow("another call");
  const elsewhere = { ...request, call: { ...request.call, request_sha256: "00".repeat(32) } };
  expect(await presentedStatusOf(claimed, elsewhere)).toBe("pending");
  await expect(presentedStatusOf(settled, elsewhere)).rejects.toThrow("another call");
});

test("an abandoned claim whose call is refused now: the payer learns where to see the money", async () => {
  const name = "k_left_and_taken";
  const paid = await signPayment(wallet(6), await quoteOf(orderUrl(), order(name)));
  meddle(one.app.settlement, "settle", () => async () => {
    throw new TransactionPending([]);
  });
  expect((await present(orderUrl(), paid, order(name))).status).toBe(503);
  for (const back of undo.splice(0)) back();
  const meta = { actor: "operator", operation: "test" };
  await one.app.decide(apiKey, { tenant: "acme", id: name }, apiKey.issue(facts(name)), { meta });
  const answer = await present(orderUrl(), paid, order(name));
  expect(answer.status).toBe(409);
  expect(await answer.text()).toContain(
    `may have been settled before; if so, it is refunded: /v1/agent/payments/${nameOf(paid)}`,
  );
});
