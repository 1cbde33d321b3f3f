/** x402 for its clients: both versions over HTTP and MCP, the facilitator's endpoints, and discovery. */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from "@x402/core/http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isOpen, paymentOf } from "../../src/api/declare/access/way.ts";
import type { Operation } from "../../src/api/declare/operation.ts";
import { methodOf, pathWith } from "../../src/api/declare/operation-facts.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { USDC } from "../../src/domain/payments/usdc.ts";
import { balanceOf, finalize, openWorkshop, type Workshop } from "../chain/fixture.ts";
import { catalogue, offered } from "../support/catalogue.ts";
import { countCalls, takeNote } from "../support/notes.ts";
import { type Service, startService } from "../support/service.ts";
import { walletProof } from "../support/wallet-proof.ts";
import { addressOf, GAS_KEY, PAYEE, payment, wallet } from "../support/wallets.ts";
import { headerOf, PRICE, presentedV1, presentedV2 } from "../support/x402.ts";

const payer = wallet(2);
let workshop: Workshop;
let service: Service;
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({
    operations: [...catalogue, countCalls, takeNote],
    chain,
    env: { SETTLE_OPEN: "1" },
  });
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});

const place = "/v1/agent/count?limit=3";
const ask = (headers: Record<string, string>, path = place) => fetch(service.url + path, { headers });

describe("over HTTP", () => {
  test("version 2: the offer of the 402 is sent back and settled", async () => {
    const unpaid = await ask({});
    const offered = decodePaymentRequiredHeader(unpaid.headers.get("PAYMENT-REQUIRED")!);
    const [accepted] = offered.accepts;
    const { resource, extensions } = offered;
    const paid = presentedV2(await payment(payer, PRICE), PAYEE, { accepted, resource, extensions });
    const answer = await ask({ "PAYMENT-SIGNATURE": headerOf(paid) });
    expect(answer.status, await answer.text()).toBe(200);
    const settled = decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE")!);
    expect(settled).toEqual({
      success: true,
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      network: "eip155:8453",
      payer: addressOf(payer),
      amount: String(PRICE),
      extensions: {
        "offer-receipt": { info: { receipt: { format: "jws", signature: expect.any(String) } } },
      },
    });
  });

  test("a payment-identifier works like an Idempotency-Key: another payment under it is left unsettled", async () => {
    const buy = async (id: string) => {
      const extensions = { "payment-identifier": { info: { required: false, id } } };
      const paid = presentedV2(await payment(payer, PRICE), PAYEE, { extensions });
      const answer = await ask({ "PAYMENT-SIGNATURE": headerOf(paid) });
      return { status: answer.status, text: await answer.text() };
    };
    const before = await balanceOf(workshop.chain, PAYEE);
    const first = await buy("pay_7d5d747be160e280");
    expect(first.status, first.text).toBe(200);
    expect(await buy("pay_7d5d747be160e280")).toEqual(first);
    expect(await balanceOf(workshop.chain, PAYEE)).toBe(before + PRICE);
    expect((await buy("pay_7d5d747be160e281")).status).toBe(200);
    expect(await balanceOf(workshop.chain, PAYEE)).toBe(before + 2n * PRICE);
  });

  test("version 1: settled with its own field names, in both headers", async () => {
    const answer = await ask({ "X-PAYMENT": headerOf(presentedV1(await payment(payer, PRICE))) });
    expect(answer.status, await answer.text()).toBe(200);
    const header = answer.headers.get("X-PAYMENT-RESPONSE")!;
    expect(decodePaymentResponseHeader(header)).toMatchObject({ success: true, network: "base" });
    expect(answer.headers.get("PAYMENT-RESPONSE")).toBe(header);
  });

  test("one payment in both headers is one payment; two are refused", async () => {
    const [one, other] = await Promise.all([payment(payer, PRICE), payment(payer, PRICE)]);
    const header = headerOf(presentedV1(one));
    const both = await ask({ "X-PAYMENT": headerOf(presentedV1(other)), "PAYMENT-SIGNATURE": header });
    expect(both.status).toBe(400);
    expect(await both.json()).toMatchObject({ detail: expect.stringContaining("different payments") });
    expect((await ask({ "X-PAYMENT": header, "PAYMENT-SIGNATURE": header })).status).toBe(200);
  });

  test("unreadable and invalid payments get a 402 with the reason, in both versions", async () => {
    const foreign = presentedV1(await payment(payer, PRICE), { network: "base-sepolia" });
    for (const [header, code, result] of [
      ["rubbish!", "invalid_payload", "base64"],
      [headerOf(foreign), "invalid_network", "Base"],
    ] as const) {
      const answer = await ask({ "X-PAYMENT": header });
      expect(answer.status).toBe(402);
      const v2 = decodePaymentRequiredHeader(answer.headers.get("PAYMENT-REQUIRED")!);
      expect(v2).toMatchObject({
        error: code,
        accepts: [{ amount: String(PRICE) }, { scheme: "batch-settlement" }],
      });
      const body = await answer.json();
      expect(body).toMatchObject({ x402Version: 1, error: code, detail: expect.stringContaining(result) });
    }
  });

  test.each([
    ["no base64", "%%%", /base64/],
    ["base64 of no JSON", Buffer.from("pay").toString("base64"), /./],
    ["JSON without its base64", '{"x402Version":2}', /base64/],
    ["a list", Buffer.from("[]").toString("base64"), /JSON object/],
    ["an unknown version", Buffer.from('{"x402Version":9}').toString("base64"), /./],
    ["nothing inside", Buffer.from("{}").toString("base64"), /./],
  ])("a malformed header, %s, gets a 402 with the terms, and no 400", async (_, header, result) => {
    for (const name of ["PAYMENT-SIGNATURE", "X-PAYMENT"]) {
      const answer = await ask({ [name]: header });
      expect(answer.status).toBe(402);
      const required = decodePaymentRequiredHeader(answer.headers.get("PAYMENT-REQUIRED")!);
      expect(required).toMatchObject({
        accepts: [{ amount: String(PRICE) }, { scheme: "batch-settlement" }],
        error: expect.any(String),
      });
      expect(((await answer.json()) as { detail: string }).detail).toMatch(result);
    }
  });

  test("a malformed header gets a 402 although the input is wrong too, and names both", async () => {
    const answer = await ask({ "X-PAYMENT": "%%%" }, "/v1/agent/count?limit=many");
    expect(answer.status).toBe(402);
    expect(await answer.json()).toMatchObject({
      error: "invalid_payload",
      detail: expect.stringContaining("base64"),
      errors: [{ path: "limit" }],
    });
    // A payment that can be read is not charged for such a call.
    const readable = headerOf(presentedV1(await payment(payer, PRICE)));
    expect((await ask({ "X-PAYMENT": readable }, "/v1/agent/count?limit=many")).status).toBe(400);
  });

  test("a payment for one resource does not buy another", async () => {
    const resource = { url: `https://elsewhere.example${place}` };
    const paid = presentedV2(await payment(payer, PRICE), PAYEE, { resource });
    const other = await ask({ "PAYMENT-SIGNATURE": headerOf(paid) }, "/v1/agent/count?limit=4");
    expect(other.status).toBe(402);
    expect(await other.json()).toMatchObject({ error: "invalid_payment_requirements" });
    // The same service may have another name.
    expect((await ask({ "PAYMENT-SIGNATURE": headerOf(paid) })).status).toBe(200);
  });
});

describe("over MCP", () => {
  const withClient = async <T>(use: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`)));
    return use(client).finally(() => client.close());
  };
  const callWith = (paid: unknown) =>
    withClient((client) =>
      client.callTool({ name: "count_calls", arguments: { limit: 3 }, _meta: { "x402/payment": paid } }),
    );

  test("the requirement of an unpaid call is paid in _meta, and the settlement comes back there", async () => {
    const unpaid = await withClient((client) =>
      client.callTool({ name: "count_calls", arguments: { limit: 3 } }),
    );
    expect(unpaid.isError).toBe(true);
    const offered = unpaid.structuredContent as ReturnType<typeof decodePaymentRequiredHeader>;
    const [accepted] = offered.accepts;
    const { resource, extensions } = offered;
    const paid = presentedV2(await payment(payer, PRICE), PAYEE, { accepted, resource, extensions });
    const answer = await callWith(paid);
    expect(answer.isError, JSON.stringify(answer.content)).toBeFalsy();
    expect(answer.structuredContent).toMatchObject({ data: { limit: 3 } });
    const settled = answer._meta?.["x402/payment-response"];
    expect(settled).toMatchObject({ success: true, network: "eip155:8453", payer: addressOf(payer) });
    const again = await callWith(paid);
    expect(again._meta?.["x402/payment-response"]).toEqual(settled);
  });

  test("the text of a header is accepted, and so is version 1", async () => {
    const answer = await callWith(headerOf(presentedV1(await payment(payer, PRICE))));
    expect(answer._meta?.["x402/payment-response"]).toMatchObject({ success: true, network: "base" });
  });

  test.each([
    ["text", "rubbish!"],
    ["a number", 7],
    ["an object", {}],
    ["a list", []],
  ])("%s that is not a payment is an error with the requirement", async (_, paid) => {
    expect(await callWith(paid)).toMatchObject({
      isError: true,
      structuredContent: {
        x402Version: 2,
        error: expect.stringMatching(/^invalid_/),
        accepts: [{ amount: String(PRICE) }, { scheme: "batch-settlement" }],
        detail: expect.any(String),
      },
    });
  });
});

describe("the facilitator's endpoints", () => {
  const verify = async (body: object, url = service.url) => {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(`${url}/x402/verify`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const requiredV1 = {
    scheme: "exact",
    network: "base",
    maxAmountRequired: String(PRICE),
    resource: "https://ours.example/",
    description: "",
    payTo: PAYEE,
    asset: USDC.address,
  };
  const v1 = async (required: object = {}, more: Parameters<typeof payment>[2] = {}, from = payer) => ({
    x402Version: 1,
    paymentPayload: presentedV1(await payment(from, PRICE, more)),
    paymentRequirements: { ...requiredV1, ...required },
  });

  test("list the accepted payments", async () => {
    const answer = await (await ask({}, "/x402/supported")).json();
    expect(answer).toEqual({
      kinds: [
        { x402Version: 1, scheme: "exact", network: "base" },
        { x402Version: 2, scheme: "exact", network: "eip155:8453" },
      ],
      extensions: ["payment-identifier", "bazaar", "sign-in-with-x", "offer-receipt"],
      signers: { "eip155:*": [service.app.chain.sender] },
    });
  });

  test("accept a valid payment of either version, and leave it unused", async () => {
    const good = { isValid: true, payer: addressOf(payer) };
    const request = await v1();
    expect(await verify(request)).toEqual({ status: 200, body: good });
    expect((await ask({ "X-PAYMENT": headerOf(request.paymentPayload) })).status).toBe(200);
    const paymentPayload = presentedV2(await payment(payer, PRICE), PAYEE, {
      resource: { url: "https://ours.example/whatever" },
    });
    const { accepted } = paymentPayload;
    for (const more of [{}, { x402Version: 2 }])
      expect(await verify({ ...more, paymentPayload, paymentRequirements: accepted })).toEqual({
        status: 200,
        body: good,
      });
  });

  test("report the fault of any other payment", async () => {
    const other = `0x${"11".repeat(20)}` as const;
    const used = await v1();
    expect((await ask({ "X-PAYMENT": headerOf(used.paymentPayload) })).status).toBe(200);
    expect((await verify(used)).status).toBe(503);
    await finalize(workshop);
    const forged = await v1({}, {}, wallet(3));
    forged.paymentPayload.payload.authorization.from = other;
    const cases: [object, string][] = [
      [await v1({ payTo: other }), "invalid_payment_requirements"],
      [await v1({ asset: other }), "invalid_payment_requirements"],
      [await v1({ maxAmountRequired: undefined }), "invalid_payment_requirements"],
      [await v1({ scheme: "upto" }), "invalid_scheme"],
      [await v1({ network: "base-sepolia" }), "invalid_network"],
      [await v1({ maxAmountRequired: "60000" }), "invalid_exact_evm_payload_authorization_value"],
      [await v1({}, { to: other }), "invalid_exact_evm_payload_recipient_mismatch"],
      [{ ...(await v1()), x402Version: 2 }, "invalid_x402_version"],
      [{ ...(await v1()), paymentPayload: {} }, "invalid_x402_version"],
      [{ ...(await v1()), paymentPayload: { x402Version: 1 } }, "invalid_payload"],
      [used, "invalid_transaction_state"],
      [forged, "insufficient_funds"],
    ];
    for (const [request, invalidReason] of cases) {
      const { status, body } = await verify(request);
      expect({ status, body }).toMatchObject({ status: 200, body: { isValid: false, invalidReason } });
      expect(body.invalidMessage).toEqual(expect.any(String));
    }
  });

  const settle = async (body: object, headers: Record<string, string> = {}) => {
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    };
    const answer = await fetch(`${service.url}/x402/settle`, init);
    return (await answer.json()) as Record<string, unknown>;
  };
  test("settle, for a key, a payment that buys something elsewhere, once; it buys nothing here", async () => {
    const { headers } = await service.issue({ tenant: "elsewhere" });
    const request = await v1();
    const before = await balanceOf(workshop.chain, PAYEE);
    const settled = await settle(request, headers);
    expect(settled).toMatchObject({ success: true, network: "base", payer: addressOf(payer) });
    expect(await workshop.chain.receipt(settled.transaction as Hex)).toMatchObject({ success: true });
    expect(await settle(request, headers)).toEqual(settled);
    expect(await balanceOf(workshop.chain, PAYEE)).toBe(before + PRICE);
    expect((await ask({ "X-PAYMENT": headerOf(request.paymentPayload) })).status).toBe(402);
    const bought = await v1();
    expect((await ask({ "X-PAYMENT": headerOf(bought.paymentPayload) })).status).toBe(200);
    expect(await settle(bought, headers)).toMatchObject({
      success: false,
      errorReason: "invalid_transaction_state",
    });
    const dust = await v1({ maxAmountRequired: "10" });
    expect(await settle(dust, headers)).toMatchObject({
      success: false,
      errorReason: "invalid_payment_requirements",
    });
  });

  test("settle a payment for anybody; then only its payer can buy a call with it", async () => {
    const request = await v1();
    const before = await balanceOf(workshop.chain, PAYEE);
    const { position } = await service.app.store.head();
    const settled = await settle(request);
    expect(settled).toMatchObject({ success: true, network: "base", payer: addressOf(payer) });
    expect(await settle(request)).toEqual(settled);
    expect((await service.app.store.head()).position).toBe(position);
    expect((await verify(request)).body).toMatchObject({ isValid: true });
    const presented = { "X-PAYMENT": headerOf(request.paymentPayload) };
    // Anybody can read it on the chain by now.
    expect((await ask(presented)).status).toBe(401);
    const signed = await walletProof(payer, service.url + place.split("?")[0]!, { method: "GET" });
    const answer = await ask({ ...presented, ...signed });
    expect(answer.status).toBe(200);
    expect(decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE")!)).toMatchObject({
      transaction: settled.transaction,
    });
    expect(await balanceOf(workshop.chain, PAYEE)).toBe(before + PRICE);
    expect(await settle(request)).toMatchObject({ type: expect.stringContaining("payment-pending") });
    expect((await verify(request)).status).toBe(503);
    await finalize(workshop);
    expect(await settle(request)).toMatchObject({ success: false, errorReason: "invalid_transaction_state" });
    expect((await verify(request)).body).toMatchObject({ invalidReason: "invalid_transaction_state" });
  });

  test("report an unavailable chain, and nothing about the payment", async () => {
    const chain = { rpc_url: "http://127.0.0.1:9", gas_key: GAS_KEY, pay_to: PAYEE };
    const cutOff = await startService({ chain });
    try {
      const { status, body } = await verify(await v1(), cutOff.url);
      expect({ status, type: String(body.type).split("#")[1] }).toEqual({
        status: 503,
        type: "payment-unavailable",
      });
    } finally {
      await cutOff.stop();
    }
  });
});

test("HEAD is never charged", async () => {
  const headers = { "X-PAYMENT": headerOf(presentedV1(await payment(payer, PRICE))) };
  const url = service.url + place;
  expect((await fetch(url, { method: "HEAD", headers })).status).toBe(402);
  expect((await fetch(url, { headers })).status).toBe(200);
});

describe("discovery", () => {
  type Listed = { items: { resource: string }[]; pagination: { total: number } };
  const priced = [...catalogue, offered(countCalls), offered(takeNote)].filter(
    (operation) =>
      paymentOf(operation) && !isOpen(operation) && !operation.access.some(({ kind }) => kind === "account"),
  );
  const urlOf = (one: Operation) => service.url + pathWith(one, one.example);
  /** Calls an operation at this address without a payment. */
  const unpaid = (url: string, otherwise = "GET") => {
    const declared = priced.find((one) => urlOf(one) === url);
    return fetch(url, { method: declared ? methodOf(declared) : otherwise });
  };

  test("lists every priced operation, page by page, with the terms of its 402", async () => {
    const list = async (query: string) =>
      (await (await ask({}, `/x402/discovery/resources${query}`)).json()) as Listed;
    const items: Listed["items"] = [];
    for (let more = true; more; ) {
      const page = await list(`?type=http&limit=60&offset=${items.length}`);
      expect(page.pagination.total).toBe(priced.length);
      items.push(...page.items);
      more = page.items.length === 60;
    }
    expect(items.map(({ resource }) => resource)).toEqual(priced.map(urlOf));
    for (const [at, item] of items.entries()) {
      const { headers } = await fetch(item.resource, { method: methodOf(priced[at]!) });
      const { accepts, extensions } = decodePaymentRequiredHeader(headers.get("PAYMENT-REQUIRED")!);
      // The 402 has only as much of it as its header holds, and offers of its own.
      const { info } = extensions!.bazaar as { info: { input: object } };
      const bazaar = { info: { input: info.input } };
      expect(item).toMatchObject({ type: "http", x402Version: 2, accepts, extensions: { bazaar } });
    }
    expect((await list("?limit=2&offset=1")).items).toEqual(items.slice(1, 3));
    expect((await list(`?offset=${priced.length}`)).items).toEqual([]);
  });

  test("/.well-known/x402 has x402scan's form, with addresses that answer 402", async () => {
    const list = (await (await ask({}, "/.well-known/x402")).json()) as {
      version: number;
      resources: string[];
    };
    expect(list).toMatchObject({ version: 1, instructions: expect.any(String) });
    const note = `${service.url}/v1/agent/notes/a`;
    expect(list.resources).toContain(note);
    for (const url of list.resources)
      expect((await unpaid(url, url === note ? "POST" : "GET")).status).toBe(402);
  });
});
