/** A country-month costs a dollar: quoted, charged and refused over HTTP, on a chain of the test's own. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { pay } from "../../src/api/declare/access/pay.ts";
import type { Usdc } from "../../src/api/declare/access/way.ts";
import { operation } from "../../src/api/declare/operation.ts";
import { json } from "../../src/api/declare/output.ts";
import { mirrorOperations } from "../../src/api/operations/mirror/reconstruct.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { buy, present, quoteOf, settlementOf, signPayment } from "../support/buyer.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";

/** The current price of the test's operation, and its price after the handler ran. */
let price: Usdc = "1";
let next: Usdc = "1";
const pricedOperation = operation({
  name: "changing_price",
  route: "GET /v1/agent/test/changing",
  summary: "Costs something else once it was handled",
  description: "For this test.",
  access: [pay(() => price, "1.00", "1.00 USDC a try")],
  input: z.object({}),
  output: json(z.object({ data: z.object({}), meta: z.object({}) })),
  example: {},
  handle: async () => {
    price = next;
    return { data: {}, meta: {} };
  },
});

let workshop: Workshop;
let service: Service;
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({ chain, operations: [...mirrorOperations, pricedOperation] });
  await openSandbox(service);
});
afterAll(async () => {
  if (service) await expectBooks(service.app);
  await service?.stop();
  await workshop?.close();
});

const urlOf = (query: string) =>
  `${service.url}/v1/agent/mirror/reconstruct?target_country=CN&direction=EXPORT&hs=44${query}`;
const sovereign = () => `${service.url}/v1/agent/sovereign/mirror`;
const post = (body: object): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});
const question = { target_country: "TR", direction: "IMPORT", hs: "44" };

describe("the quote", () => {
  test.each([
    ["&month=2024-03", "1000000"],
    ["&year=2024", "12000000"],
    ["", "252000000"],
    ["&year=2031", "1000000"],
    ["&year=twelve", "1000000"],
  ])("of %j is %s", async (query, amount) => {
    expect((await quoteOf(urlOf(query))).maxAmountRequired).toBe(amount);
  });

  test("for a body is the real sum too, unless the body is too large to be read for free", async () => {
    const request = { ...question, year: 2024 };
    expect((await quoteOf(sovereign(), post(request))).maxAmountRequired).toBe("12000000");
    const padded = { ...post(request), body: JSON.stringify(request) + " ".repeat(20_000) };
    expect((await quoteOf(sovereign(), padded)).maxAmountRequired).toBe("1000000");
  });
});

describe("the charge", () => {
  test("equals the quote, and the answer has as many country-months", async () => {
    const { answer, payment } = await buy(wallet(0), urlOf("&year=2023"));
    const body = (await answer.json()) as { data: object[]; meta: { count: number } };
    expect([answer.status, body.data.length, body.meta.count]).toEqual([200, 12, 12]);
    expect(body.data[0]).toMatchObject({ value_usd: expect.any(Number) });
    expect(body.meta).toMatchObject({
      synthetic: true,
      rates: { dataset: "sandbox-ecb-rates", synthetic: true },
    });
    expect(settlementOf(answer).success).toBe(true);
    expect(payment.authorization.value).toBe("12000000");
    const other = await buy(wallet(0), sovereign(), post({ ...question, month: "2024-03" }));
    expect([other.answer.status, other.payment.authorization.value]).toEqual([200, "1000000"]);
  });

  test("for a month does not buy a year: the 402 has the price of the year", async () => {
    const payment = await signPayment(wallet(0), await quoteOf(urlOf("&month=2024-03")));
    const refused = await present(urlOf("&year=2024"), payment);
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({ accepts: [{ maxAmountRequired: "12000000" }] });
  });

  test("is zero where nothing is covered", async () => {
    const { answer } = await buy(wallet(0), urlOf("&year=2031"));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ errors: [{ path: "year" }] });
  });

  test("is zero where the data has changed the price meanwhile", async () => {
    const url = `${service.url}/v1/agent/test/changing`;
    next = "2";
    const payment = await signPayment(wallet(1), await quoteOf(url));
    const refused = await present(url, payment);
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({
      accepts: [{ maxAmountRequired: "2000000" }],
      detail: expect.stringMatching(/the data has changed, and this now costs 2000000/),
    });
    expect((await buy(wallet(1), url)).answer.status).toBe(200);
  });
});
