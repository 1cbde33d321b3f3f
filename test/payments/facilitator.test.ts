/** Paid calls while the settling facilitator fails: nothing is lost, and nothing is charged twice. */

import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { freePort } from "../../src/adapters/free-port.ts";
import { hostedSettlement } from "../../src/adapters/hosted-facilitator.ts";
import type { Settlement, SignedTransfer } from "../../src/core/model/ports/settlement.ts";
import { carriedByStranger } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { present } from "../support/buyer.ts";
import { replace } from "../support/replace.ts";
import { startService } from "../support/service.ts";
import { sampleOperations } from "./sample-operations.ts";
import { expectAnswered, expectAway, openStall, type Stall, storyOf } from "./stall.ts";

const PRICE = 50_000n;

let stall: Stall;
afterEach(() => expectBooks(stall.service.app, stall.workshop.chain));

type FacilitatorCall = { path: string; signed: SignedTransfer };
let manner: (request: FacilitatorCall, response: ServerResponse) => void | Promise<void>;
let server: Server;
let own: Settlement;
const says = (response: ServerResponse, body: object) =>
  void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
const honest: typeof manner = async ({ path, signed }, response) => {
  if (path === "/verify") return says(response, { isValid: true });
  const transaction = await carriedByStranger(stall.workshop, signed);
  says(response, { success: true, transaction, network: "eip155:8453" });
};
const settles =
  (how: typeof manner): typeof manner =>
  (request, response) =>
    (request.path === "/verify" ? honest : how)(request, response);

beforeAll(async () => {
  stall = await openStall();
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { signature, authorization } = JSON.parse(Buffer.concat(parts).toString()).paymentPayload.payload;
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    const window = { valid_after: BigInt(validAfter), valid_before: BigInt(validBefore) };
    await manner(
      {
        path: request.url!,
        signed: { signature, transfer: { from, to, nonce, value: BigInt(value), ...window } },
      },
      response,
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { app } = stall.service;
  own = app.settlement;
  const patience = { request_ms: 600, wait_ms: 900, poll_ms: 50 };
  replace(app, { settlement: hostedSettlement(stall.chain, { url, ...patience }) });
});
afterAll(async () => {
  replace(stall.service.app, { settlement: own });
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  await stall.close();
});

test.each<[string, typeof manner]>([
  ["down", (_, response) => void response.destroy()],
  ["hanging", () => undefined],
  ["not admitting us", (_, response) => void response.writeHead(401).end("who are you?")],
  ["babbling", (_, response) => void response.end("<html>")],
])("a facilitator that is %s: nothing is charged, and it recovers", async (what, bad) => {
  const say = `facilitator_${what.replaceAll(" ", "_")}`;
  const paid = await stall.sign(say, 4);
  const [earned, position] = [await stall.earned(), await stall.position()];
  manner = bad;
  await expectAway(await stall.pay(say, paid), "payment-unavailable");
  expect([await stall.earned(), await stall.position()]).toEqual([earned, position]);
  manner = honest;
  await expectAnswered(await stall.pay(say, paid), say);
  expect(await stall.earned()).toBe(earned + PRICE);
});

test.each<[string, typeof manner]>([
  [
    "lies about success",
    (_, response) => says(response, { success: true, transaction: `0x${"ab".repeat(32)}` }),
  ],
  ["hangs while it settles", () => undefined],
  ["dies while it settles", (_, response) => void response.destroy()],
  [
    "settles nothing and says that it may",
    (_, response) => says(response, { success: false, errorReason: "timeout" }),
  ],
])(
  "a facilitator that %s: no answer and no fresh 402; answered and charged once after its recovery",
  async (what, bad) => {
    const say = `facilitator_${what.replaceAll(" ", "_")}`;
    const paid = await stall.sign(say, 4);
    const earned = await stall.earned();
    manner = settles(bad);
    await expectAway(await stall.pay(say, paid), "payment-pending");
    expect(await stall.earned()).toBe(earned);
    expect(await storyOf(stall.service, paid)).toEqual(["PaymentClaimed"]);
    manner = honest;
    await expectAnswered(await stall.askedAgain(say, paid), say);
    expect(await stall.earned()).toBe(earned + PRICE);
  },
);

test("a facilitator at FACILITATOR_URL that never answers: nothing is charged, and the operator is warned once", async () => {
  const env = { FACILITATOR_URL: `http://127.0.0.1:${await freePort(0)}` };
  const service = await startService({ operations: sampleOperations, chain: stall.settings, env });
  try {
    const paid = await stall.sign("no_facilitator", 4);
    for (let i = 0; i < 3; i++)
      await expectAway(
        await present(`${service.url}/v1/agent/test/echo?say=no_facilitator`, paid),
        "payment-unavailable",
      );
    const warned = service.logged.filter(({ msg }) => String(msg).includes("payments cannot be settled"));
    expect(warned).toMatchObject([{ level: 40, reason: expect.stringContaining("the facilitator") }]);
    expect(await storyOf(service, paid)).toEqual([]);
  } finally {
    await service.stop();
  }
});

test("a facilitator that settles without an answer is not called twice: the chain shows the outcome", async () => {
  const paid = await stall.sign("facilitator_silent", 4);
  const earned = await stall.earned();
  manner = settles(async ({ signed }, response) => {
    await carriedByStranger(stall.workshop, signed);
    response.destroy();
  });
  await expectAnswered(await stall.pay("facilitator_silent", paid), "facilitator_silent");
  expect(await stall.earned()).toBe(earned + PRICE);
});
