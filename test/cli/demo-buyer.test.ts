/** The demo's buyer at faulty services: nothing is signed for them. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { verifyTypedData } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ask, buy, sign } from "../../src/cli/demo-buyer.ts";
import { USDC } from "../../src/domain/payments/usdc.ts";
import { PAYEE, typedData, wallet } from "../support/wallets.ts";
import { headerOf } from "../support/x402.ts";

const requirement = {
  scheme: "exact",
  network: "eip155:8453",
  asset: USDC.address,
  amount: "50000",
  payTo: PAYEE,
  maxTimeoutSeconds: 300,
  extra: { name: "Another Coin", version: "9" },
};

/** The service's answers to a call without payment, and to one with it. */
let unpaid: { status: number; header?: string };
let paid: { status: number; header?: string; body: string };
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((req, res) => {
    const isPaid = req.headers["payment-signature"] !== undefined;
    const { status, header } = isPaid ? paid : unpaid;
    const name = isPaid ? "PAYMENT-RESPONSE" : "PAYMENT-REQUIRED";
    res.writeHead(status, header === undefined ? {} : { [name]: header }).end(isPaid ? paid.body : "");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((done) => server.close(done)));

const required = (...accepts: object[]) =>
  headerOf({ x402Version: 2, resource: { url, description: "Something" }, accepts });
const settlement = {
  success: true,
  transaction: `0x${"ab".repeat(32)}`,
  network: "eip155:8453",
  payer: PAYEE,
};
beforeEach(() => {
  unpaid = { status: 402, header: required(requirement) };
  paid = { status: 200, header: headerOf(settlement), body: "{}" };
});

test("an offer on our terms is bought, and the signed domain is USDC's own", async () => {
  const offer = await ask(url);
  const payment = await sign(wallet(0), offer);
  expect(payment.transfer).toMatchObject({ to: PAYEE, value: 50_000n });
  const { address } = wallet(0);
  const { signature, transfer } = payment;
  expect(await verifyTypedData({ ...typedData(transfer), address, signature })).toBe(true);
  const again = await sign(wallet(0), { ...offer, accepted: { ...offer.accepted, maxTimeoutSeconds: 1e9 } });
  expect(again.transfer.valid_before - payment.transfer.valid_before).toBeLessThan(60n);
  expect(again.transfer.nonce).not.toBe(payment.transfer.nonce);
  const bought = await buy(url, payment);
  expect(bought).toMatchObject({ body: "{}", settlement: { transaction: settlement.transaction } });
  expect(bought.receipt).toBeUndefined();
});

test("a hurried buyer repeats a payment in progress, and does not wait for an unavailable service", async () => {
  const payment = await sign(wallet(0), await ask(url));
  const served = paid;
  const refused = (name: string, then: typeof paid) => {
    let requests = 0;
    const body = JSON.stringify({ type: `${url}/problems#${name}`, status: 503 });
    paid = {
      ...then,
      get status() {
        return requests++ > 0 ? then.status : 503;
      },
      get body() {
        return requests > 1 ? then.body : body;
      },
    };
  };
  refused("payment-pending", served);
  expect(await buy(url, payment, { hurried: true })).toMatchObject({ status: 200, body: "{}" });
  refused("payment-unavailable", served);
  await expect(buy(url, payment, { hurried: true })).rejects.toThrow("answered 503");
});

test("a receipt's payload is parsed", async () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signature = `${part({ alg: "EdDSA" })}.${part({ operation: "echo" })}.c2ln`;
  const extensions = { "offer-receipt": { info: { receipt: { format: "jws", signature } } } };
  paid.header = headerOf({ ...settlement, extensions });
  const { receipt } = await buy(url, await sign(wallet(0), await ask(url)));
  expect(receipt).toEqual({ jws: signature, payload: { operation: "echo" } });
  extensions["offer-receipt"].info.receipt.signature = "rubbish";
  paid.header = headerOf({ ...settlement, extensions });
  await expect(buy(url, await sign(wallet(0), await ask(url)))).rejects.toThrow("not a JWS");
});

test.each<[string, () => void, RegExp]>([
  [
    "asks for more than the buyer's cap",
    () => (unpaid.header = required({ ...requirement, amount: "100001" })),
    /at most 100000/,
  ],
  [
    "asks for another token",
    () => (unpaid.header = required({ ...requirement, asset: PAYEE })),
    /USDC on Base/,
  ],
  [
    "asks on another chain",
    () => (unpaid.header = required({ ...requirement, network: "eip155:1" })),
    /USDC on Base/,
  ],
  [
    "asks for a negative amount",
    () => (unpaid.header = required({ ...requirement, amount: "-1" })),
    /USDC on Base/,
  ],
  ["accepts nothing", () => (unpaid.header = required()), /USDC on Base/],
  ["says nothing of x402", () => (unpaid = { status: 402 }), /no PAYMENT-REQUIRED header/],
  ["says it in rubbish", () => (unpaid.header = "rubbish"), /PAYMENT-REQUIRED header does not/],
  ["answers for nothing", () => (unpaid = { status: 200 }), /in place of a 402/],
])("a service that %s is refused before anything is signed", async (_, bend, answer) => {
  bend();
  await expect(ask(url)).rejects.toThrow(answer);
});

test.each<[string, () => void, RegExp]>([
  [
    "will not have the payment",
    () => (paid = { status: 402, body: "no" }),
    /answered 402 to the payment: no/,
  ],
  ["tells of no settlement", () => (paid = { status: 200, body: "{}" }), /no PAYMENT-RESPONSE header/],
  [
    "tells of a settlement that failed",
    () => (paid.header = headerOf({ ...settlement, success: false })),
    /PAYMENT-RESPONSE header does not/,
  ],
])("a service that %s is reported", async (_, bend, answer) => {
  const payment = await sign(wallet(0), await ask(url));
  bend();
  await expect(buy(url, payment)).rejects.toThrow(answer);
});

test("an unreachable service is distinguished", async () => {
  await expect(ask("http://127.0.0.1:1/")).rejects.toThrow(/is unreachable/);
});
