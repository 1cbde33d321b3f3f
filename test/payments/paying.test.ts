/** Paid calls over real HTTP, on a real chain and a real log. */
import { createHash, createPublicKey, verify } from "node:crypto";
import type { HDAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import * as apiKey from "../../src/domain/access/key.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { settledBy, TRANSFER_GAS, transferCall } from "../../src/domain/payments/usdc.ts";
import { balanceOf, carriedByStranger, openWorkshop, type Workshop } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import {
  buy,
  headerV1,
  present,
  quoteOf,
  type SignedPayment,
  settlementOf,
  signPayment,
} from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { walletProof } from "../support/wallet-proof.ts";
import { addressOf, GAS_KEY, PAYEE, payment as signedTransfer, wallet } from "../support/wallets.ts";
import { facts, sampleOperations, script } from "./sample-operations.ts";
import { nameOf, signedOf, storyOf } from "./stall.ts";

let workshop: Workshop;
let service: Service & { database_url: string };
let chain: { rpc_url: string; gas_key: Hex; pay_to: Hex };
beforeAll(async () => {
  workshop = await openWorkshop();
  chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({ operations: sampleOperations, chain });
});
afterAll(async () => {
  if (service) await expectBooks(service.app);
  await service?.stop();
  await workshop?.close();
});
afterEach(() => {
  script.before = async () => {};
});

const echoUrl = (say = "hello") => `${service.url}/v1/agent/test/echo?say=${say}`;
const orderOf = (name: string, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify({ name }),
});
const orderUrl = () => `${service.url}/v1/agent/test/order`;

const stateOf = (payment: SignedPayment) => service.app.load(payments, payments.targetOf(nameOf(payment)));
const typesOf = (payment: SignedPayment) => storyOf(service, payment);
const earned = () => balanceOf(workshop.chain, PAYEE);
const headPosition = async () => (await service.app.store.head()).position;

describe("a call with its payment", () => {
  test("is settled, recorded and answered", async () => {
    const before = await earned();
    const { payment, answer } = await buy(wallet(0), echoUrl("paid"));
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as { data: { said: string } }).data.said).toBe("paid");
    expect(await earned()).toBe(before + 50_000n);
    const settlement = settlementOf(answer);
    expect(settlement).toMatchObject({ success: true });
    expect(settlement.payer.toLowerCase()).toBe(addressOf(wallet(0)));
    expect(await typesOf(payment)).toEqual(["PaymentClaimed", "PaymentSettled"]);
    const state = await stateOf(payment);
    expect(state).toMatchObject({ status: "settled", settlement: { transaction: settlement.transaction } });
  });

  test("comes with a receipt that proves it", async () => {
    const { answer, payment } = await buy(wallet(0), echoUrl("proof"));
    const body = Buffer.from(await answer.arrayBuffer());
    const settled = settlementOf(answer) as {
      extensions?: { "offer-receipt": { info: { receipt: { signature: string } } } };
    };
    const jws = settled.extensions!["offer-receipt"].info.receipt.signature;
    const payload = JSON.parse(Buffer.from(jws.split(".")[1]!, "base64url").toString());
    const { events } = (await service.app.store.findCommit({ idem_key: `/payment/${nameOf(payment)}` }))!;
    expect(payload).toMatchObject({
      operation: "test_echo",
      resourceUrl: echoUrl("proof"),
      answer_sha256: createHash("sha256").update(body).digest("hex"),
      event: {
        position: events[0]!.position,
        event_hash: Buffer.from(events[0]!.event_hash).toString("hex"),
      },
    });
    const digest = createHash("sha256").update(body).digest("base64");
    expect(answer.headers.get("Unencoded-Digest")).toBe(`sha-256=:${digest}:`);
    const jwks = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as {
      keys: object[];
    };
    const key = createPublicKey({ key: jwks.keys[0] as never, format: "jwk" });
    const [head, claims, signature] = jws.split(".") as [string, string, string];
    expect(verify(null, Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, "base64url"))).toBe(
      true,
    );
  });

  test("with a secret field leaves no digest of its answer in the log: guesses could be tested against it", async () => {
    const [open, secret] = [
      await buy(wallet(0), echoUrl("open")),
      await buy(wallet(0), `${echoUrl("secret")}&softly=word`),
    ];
    expect([open.answer.status, secret.answer.status]).toEqual([200, 200]);
    expect((await stateOf(open.payment))!.answer!.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect((await stateOf(secret.payment))!.answer!.sha256).toBeNull();
  });

  test("appends the work and the payment in one commit", async () => {
    const { payment, answer } = await buy(wallet(0), orderUrl(), orderOf("k_one_commit"));
    expect(answer.status).toBe(201);
    const found = await service.app.store.findCommit({ idem_key: `/payment/${nameOf(payment)}` });
    expect(found?.events.map(({ type }) => type).sort()).toEqual(["KeyIssued", "PaymentSettled"]);
  });

  test("sent with a key is charged, too: the key names the tenant, and its quota is not used", async () => {
    const { headers } = await service.issue({ tenant: "keyed", scopes: ["read", "order"], daily: 1 });
    const payment = await signPayment(wallet(0), await quoteOf(orderUrl(), orderOf("k_keyed")));
    const answer = await present(orderUrl(), payment, orderOf("k_keyed", headers));
    expect(answer.status).toBe(201);
    expect(answer.headers.get("RateLimit")).toBeNull();
    expect(await stateOf(payment)).toMatchObject({ claim: { tenant: "keyed" } });
    expect((await fetch(echoUrl(), { headers })).status).toBe(200);
  });

  test("for an answer that the caller already has is not settled", async () => {
    const url = `${service.url}/v1/agent/test/dated`;
    const { headers } = await service.issue();
    const etag = (await fetch(url, { headers })).headers.get("ETag")!;
    expect(etag).toBeTruthy();
    const payment = await signPayment(wallet(0), await quoteOf(url));
    const answer = await present(url, payment, { headers: { "If-None-Match": etag } });
    expect(answer.status).toBe(304);
    expect(await typesOf(payment)).toEqual([]);
    const unmatched = await present(url, payment, { headers: { "If-Match": etag } });
    expect(unmatched.status).toBe(412);
    expect(await typesOf(payment)).toEqual([]);
    const whole = await present(url, payment, { headers: { "If-None-Match": '"another"' } });
    expect(whole.status).toBe(200);
    expect(await typesOf(payment)).toEqual(["PaymentClaimed", "PaymentSettled"]);
  });
});

test("the headers of the 402 and of the answer stay below 6 KiB for every call", async () => {
  const url = echoUrl("x".repeat(8_000));
  const unpaid = await fetch(url);
  const required = unpaid.headers.get("PAYMENT-REQUIRED")!;
  expect(required.length).toBeLessThan(6 * 1024);
  const { resource, accepts } = JSON.parse(Buffer.from(required, "base64").toString());
  expect(resource.url).toMatch(/\/echo\?sha256=[0-9a-f]{64}$/);
  const paid = await signPayment(wallet(0), await quoteOf(url));
  const answering = (text: string) => {
    const payload = { x402Version: 2, resource, accepted: accepts[0], payload: paid };
    const header = Buffer.from(JSON.stringify(payload)).toString("base64");
    return fetch(text, { headers: { "PAYMENT-SIGNATURE": header } });
  };
  expect(await (await answering(`${url}y`)).text()).toContain("this payment is for a call other than");
  const answer = await answering(url);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("PAYMENT-RESPONSE")!.length).toBeLessThan(6 * 1024);
});

describe("the same payment again", () => {
  test("gets the same bytes and is not charged twice", async () => {
    const { payment, answer } = await buy(wallet(1), echoUrl("again"));
    const first = await answer.text();
    const before = await earned();
    const second = await present(echoUrl("again"), payment);
    expect(second.status).toBe(200);
    expect(await second.text()).toBe(first);
    expect(second.headers.get("X-PAYMENT-RESPONSE")).toBe(answer.headers.get("X-PAYMENT-RESPONSE"));
    expect(await earned()).toBe(before);
    expect(await typesOf(payment)).toEqual(["PaymentClaimed", "PaymentSettled"]);
  });

  test("for another call is refused", async () => {
    const { payment } = await buy(wallet(1), echoUrl("mine"));
    const answer = await present(echoUrl("other"), payment);
    expect(answer.status).toBe(402);
    expect(await answer.text()).toContain("another call");
  });

  test("50 times at once is settled once, and all get one answer", async () => {
    const payment = await signPayment(wallet(1), await quoteOf(echoUrl("fifty")));
    const before = await earned();
    const answers = await Promise.all(Array.from({ length: 50 }, () => present(echoUrl("fifty"), payment)));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    expect(await earned()).toBe(before + 50_000n);
    expect(await typesOf(payment)).toEqual(["PaymentClaimed", "PaymentSettled"]);
  });

  test("50 times at once to two processes is settled once, and all get one answer", async () => {
    const other = await startService({ operations: sampleOperations, chain, beside: service });
    try {
      const payment = await signPayment(wallet(1), await quoteOf(echoUrl("two")));
      const before = await earned();
      const urls = Array.from({ length: 50 }, (_, i) =>
        i % 2 ? echoUrl("two") : `${other.url}/v1/agent/test/echo?say=two`,
      );
      const answers = await Promise.all(urls.map((url) => present(url, payment)));
      expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
      expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
      expect(await earned()).toBe(before + 50_000n);
      expect(await typesOf(payment)).toEqual(["PaymentClaimed", "PaymentSettled"]);
    } finally {
      await other.stop();
    }
  });
});

describe("an unsettled payment", () => {
  test("of a refused call costs nothing and leaves nothing", async () => {
    await buy(wallet(2), orderUrl(), orderOf("k_taken"));
    const [before, position] = [await earned(), await headPosition()];
    const { answer, payment } = await buy(wallet(2), orderUrl(), orderOf("k_taken"));
    expect(answer.status).toBe(409);
    expect(await earned()).toBe(before);
    expect(await headPosition()).toBe(position);
    // The payment can still buy something else.
    expect((await present(orderUrl(), payment, orderOf("k_free"))).status).toBe(201);
  });

  test("of a failing handler costs nothing", async () => {
    const before = await earned();
    script.before = async () => {
      throw new Error("a fault of ours");
    };
    const { answer } = await buy(wallet(2), echoUrl("fault"));
    expect(answer.status).toBe(500);
    expect(await earned()).toBe(before);
  });

  test("without money is refused, and leaves nothing in the log", async () => {
    const { generatePrivateKey, privateKeyToAccount } = await import("viem/accounts");
    const poor = privateKeyToAccount(generatePrivateKey());
    const position = await headPosition();
    const payment = await signPayment(poor, await quoteOf(echoUrl()));
    const answer = await present(echoUrl(), payment);
    expect(answer.status).toBe(402);
    expect(await answer.json()).toMatchObject({ x402Version: 1, accepts: [{ scheme: "exact" }] });
    expect(await headPosition()).toBe(position);
  });

  test("whose balance is drained before the settlement gets no answer, but a fresh 402", async () => {
    const { settlement } = service.app;
    const { settle } = settlement;
    const [payer, friend] = [wallet(6), wallet(7)];
    const all = await balanceOf(workshop.chain, addressOf(payer));
    const moved = async (from: HDAccount, to: HDAccount) => {
      const signed = await signedTransfer(from, all, { to: addressOf(to) });
      expect(
        settledBy(
          await workshop.chain.send(transferCall(signed), { gas: TRANSFER_GAS, purpose: "settlement" }),
          signed.transfer,
        ),
      ).toBe(true);
    };
    settlement.settle = async (payment, seen) => {
      settlement.settle = settle;
      await moved(payer, friend);
      return settle(payment, seen);
    };
    const handled = script.handled;
    const { answer, payment } = await buy(payer, echoUrl("drained"));
    expect(answer.status).toBe(402);
    expect(script.handled).toBe(handled + 1);
    expect(await typesOf(payment)).toEqual(["PaymentClaimed", "PaymentFailed"]);
    // It cost gas, so the service does not send it again; topped up, its payer sends it, and it counts.
    await moved(friend, payer);
    const again = await present(echoUrl("drained"), payment);
    expect(again.status).toBe(402);
    expect(await again.text()).toContain("carry this authorization to the chain yourself");
    await carriedByStranger(workshop, signedOf(payment));
    expect((await present(echoUrl("drained"), payment)).status).toBe(200);
  });

  test("of junk leaves nothing in the log", async () => {
    const position = await headPosition();
    const good = await signPayment(wallet(3), await quoteOf(echoUrl()));
    const bad = { ...good, signature: `0x${"11".repeat(64)}1b` };
    for (const headers of [
      { "X-PAYMENT": "rubbish" },
      { "X-PAYMENT": Buffer.from("{}").toString("base64") },
      headerV1(bad),
      headerV1(good, { network: "base-sepolia" }),
    ]) {
      const answer = await fetch(echoUrl(), { headers });
      expect(answer.status).toBe(402);
    }
    expect(await headPosition()).toBe(position);
  });
});

describe("a refusal after the settlement", () => {
  test("opens a refund, and tells the payer where", async () => {
    // Another writer takes the name during the settlement.
    const { settlement } = service.app;
    const { settle } = settlement;
    settlement.settle = async (payment, seen) => {
      const receipt = await settle(payment, seen);
      const meta = { actor: "operator", operation: "test" };
      const target = { tenant: "acme", id: "k_contested" };
      await service.app.decide(apiKey, target, apiKey.issue(facts("k_contested")), { meta });
      return receipt;
    };
    try {
      const { answer, payment } = await buy(wallet(4), orderUrl(), orderOf("k_contested"));
      expect(answer.status).toBe(409);
      expect(await answer.text()).toContain("refunded");
      expect(await typesOf(payment)).toEqual(["PaymentClaimed", "PaymentSettled", "RefundOpened"]);
    } finally {
      settlement.settle = settle;
    }
  });

  test("forced by another writer repeats the work and answers with the digest of what was sent", async () => {
    const { settlement } = service.app;
    const { settle } = settlement;
    settlement.settle = async (payment, seen) => {
      settlement.settle = settle;
      const receipt = await settle(payment, seen);
      const meta = { actor: "operator", operation: "test" };
      await service.app.decide(apiKey, { tenant: "acme", id: "k_moved" }, apiKey.issue(facts("k_moved")), {
        meta,
      });
      return receipt;
    };
    const toggle = `${service.url}/v1/agent/test/toggle`;
    const { answer, payment } = await buy(wallet(4), toggle, orderOf("k_moved"));
    expect(answer.status).toBe(200);
    const body = Buffer.from(await answer.arrayBuffer());
    // The first run issued the key; the run that counts found it issued.
    expect(JSON.parse(body.toString())).toMatchObject({ data: { status: "revoked" } });
    const digest = createHash("sha256").update(body).digest("hex");
    expect(await stateOf(payment)).toMatchObject({ answer: { sha256: digest, status: 200 } });
  });
});

describe("a stream", () => {
  const path = "/v1/agent/test/lines";
  const url = () => `${service.url}${path}?count=3`;
  const signed = async (): Promise<RequestInit> => ({
    headers: await walletProof(wallet(8), service.url + path, { method: "GET" }),
  });

  test("is settled before its first line, and repeats for the same payment", async () => {
    const before = await earned();
    const { payment, answer } = await buy(wallet(8), url());
    expect(settlementOf(answer)).toMatchObject({ success: true });
    const text = await answer.text();
    expect(text.trim().split("\n")).toHaveLength(4);
    expect(await typesOf(payment)).toEqual(["PaymentClaimed", "PaymentSettled"]);
    expect((await present(url(), payment)).status).toBe(401);
    const again = await present(url(), payment, await signed());
    expect(await again.text()).toBe(text);
    expect(await earned()).toBe(before + 100_000n);
  });

  test("20 times at once with one payment is charged once and answers all", async () => {
    const before = await earned();
    const payment = await signPayment(wallet(8), await quoteOf(url()));
    const init = await signed();
    const answers = await Promise.all(Array.from({ length: 20 }, () => present(url(), payment, init)));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain("up_to_date");
    expect(await earned()).toBe(before + 100_000n);
  });
});

test("the operator sees the outcome of payments", async () => {
  const page = await (await fetch(`${service.url}/metrics`)).text();
  expect(page).toMatch(/tallystick_payments_total\{outcome="answered"\} [1-9]/);
  expect(page).toMatch(/tallystick_payments_total\{outcome="refused"\} [1-9]/);
});

describe("Idempotency-Key", () => {
  const once = (name: string, word: string) => orderOf(name, { "Idempotency-Key": word });

  test("with a new payment returns the first answer, and leaves the payment unsettled", async () => {
    const first = await buy(wallet(5), orderUrl(), once("k_idem", "word-1"));
    const before = await earned();
    const second = await buy(wallet(5), orderUrl(), once("k_idem", "word-1"));
    expect(second.answer.status).toBe(201);
    expect(await second.answer.text()).toBe(await first.answer.text());
    expect(await earned()).toBe(before);
    expect(await typesOf(second.payment)).toEqual([]);
  });

  test("with another body is refused, before anything is charged", async () => {
    const before = await earned();
    const { answer } = await buy(wallet(5), orderUrl(), once("k_idem_other", "word-1"));
    expect(answer.status).toBe(422);
    expect(await earned()).toBe(before);
  });

  test("with two payments at once settles one, and both get its answer", async () => {
    const wanted = await quoteOf(orderUrl(), once("k_race", "word-2"));
    const signed = await Promise.all([signPayment(wallet(5), wanted), signPayment(wallet(5), wanted)]);
    const before = await earned();
    const answers = await Promise.all(
      signed.map((payment) => present(orderUrl(), payment, once("k_race", "word-2"))),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(await earned()).toBe(before + 500_000n);
  });

  test("with an API key returns the same bytes at a repeat", async () => {
    const { headers } = await service.issue({ tenant: "twice" });
    const init = { headers: { ...headers, "Idempotency-Key": "w" } };
    const first = await (await fetch(echoUrl("kept"), init)).text();
    expect(await (await fetch(echoUrl("kept"), init)).text()).toBe(first);
    expect((await fetch(echoUrl("else"), init)).status).toBe(422);
  });
});
