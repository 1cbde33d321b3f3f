/** One price by each protocol, with their own clients: MPP, and x402's signed offers. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { decodePaymentRequiredHeader } from "@x402/core/http";
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  extractPublicKeyFromKid,
  extractReceiptFromResponse,
  findAcceptsObjectFromSignedOffer,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
} from "@x402/extensions/offer-receipt";
import { Challenge, Credential, Receipt } from "mppx";
import { evm, Mppx } from "mppx/client";
import { McpClient } from "mppx/mcp/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { balanceOf, openWorkshop, type Workshop } from "../chain/fixture.ts";
import { headerV1 } from "../support/buyer.ts";
import { countCalls } from "../support/notes.ts";
import { type Service, startService } from "../support/service.ts";
import { addressOf, GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";

let workshop: Workshop;
let service: Service;
beforeAll(async () => {
  workshop = await openWorkshop();
  service = await startService({
    operations: [countCalls],
    chain: { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE },
    env: { OPEN_CALLS_PER_MINUTE: "100000" },
  });
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});

const buyer = wallet(3);
const methods = [evm({ account: buyer, assets: [evm.assets.base.USDC], networks: [8453], maxAmount: "1" })];
const url = (path: string) => `${service.url}/v1/agent${path}`;
const offered = (answer: Response) => decodePaymentRequiredHeader(answer.headers.get("payment-required")!);

describe("MPP", () => {
  test("its client pays, and the same authorization is the same payment by x402", async () => {
    const before = await balanceOf(workshop.chain, PAYEE);
    const mppx = Mppx.create({ methods, polyfill: false });
    const at = url("/count?limit=3");
    const answer = await mppx.fetch(at);
    expect(answer.status, await answer.clone().text()).toBe(200);
    const receipt = Receipt.fromResponse(answer);
    expect(receipt).toMatchObject({ method: "evm", status: "success" });
    expect(await balanceOf(workshop.chain, PAYEE)).toBe(before + 50_000n);
    expect(extractReceiptFromResponse(answer)).toMatchObject({ format: "jws" });

    // By hand: one credential at both ways.
    const challenge = Challenge.fromResponse(await fetch(at));
    const header = await methods[0]![0]!.createCredential({ challenge: challenge as never, context: {} });
    const { payload } = Credential.deserialize<Record<string, string>>(header);
    const { type: _, signature, ...authorization } = payload;
    const first = await fetch(at, { headers: { Authorization: header } });
    const again = await fetch(at, { headers: headerV1({ signature, authorization } as never) });
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.headers.get("event-id")).toBe(first.headers.get("event-id"));
    expect(again.headers.get("payment-receipt")).toBeNull();
    expect(await again.text()).toBe(await first.text());
    expect(await balanceOf(workshop.chain, PAYEE)).toBe(before + 100_000n);
    const asset = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
    const id = payments.idOf({
      network: "eip155:8453",
      asset,
      payer: addressOf(buyer),
      nonce: authorization.nonce as Hex,
    });
    expect(await service.app.load(payments, payments.targetOf(id))).toMatchObject({ status: "settled" });
  });

  test("over MCP the challenge and the receipt travel in _meta", async () => {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`)));
    try {
      const paying = McpClient.wrap(client as never, { methods }) as unknown as Client;
      const answer = await paying.callTool({ name: "count_calls", arguments: { limit: 4 } });
      expect(answer.isError, JSON.stringify(answer.content)).toBeFalsy();
      expect(answer._meta?.["org.paymentauth/receipt"]).toMatchObject({ method: "evm", status: "success" });
    } finally {
      await client.close();
    }
  });

  test("a challenge of another service or call, or a changed one, pays for nothing, and the answer has a fresh one", async () => {
    const at = url("/count?limit=5");
    const challenge = Challenge.fromResponse(await fetch(at));
    const answered = async (changes: object, path = at) => {
      const given = { ...challenge, ...changes } as never;
      const header = await methods[0]![0]!.createCredential({ challenge: given, context: {} });
      const answer = await fetch(path, { headers: { Authorization: header } });
      expect(answer.headers.get("www-authenticate")).toMatch(/^Payment id="/);
      return [answer.status, ((await answer.json()) as { detail: string }).detail];
    };
    const other = Challenge.from({ ...challenge, secretKey: "of somebody else" } as never);
    expect(await answered({ id: other.id })).toEqual([
      402,
      expect.stringMatching(/not issued by this service/),
    ]);
    expect(await answered({ realm: "other.example" })).toEqual([402, expect.stringMatching(/not issued by/)]);
    expect(await answered({ expires: new Date(Date.now() + 900_000).toISOString() })).toEqual([
      402,
      expect.stringMatching(/not issued by/),
    ]);
    expect(await answered({}, url("/count?limit=6"))).toEqual([402, expect.stringMatching(/another call/)]);
    for (const garbage of ["Payment dGhpcyBpcyBnYXJiYWdl", "Payment", "Payment e30"])
      expect((await fetch(at, { headers: { Authorization: garbage } })).status).toBe(402);
  });
});

test("an offer is signed by the service, is that of accepts, and matches the receipt", async () => {
  const at = url("/count?limit=7");
  const required = offered(await fetch(at));
  const [signed] = extractOffersFromPaymentRequired(required as never);
  const [offer] = decodeSignedOffers([signed!]);
  const keyOf = (jws: string) =>
    extractPublicKeyFromKid(JSON.parse(Buffer.from(jws.split(".")[0]!, "base64url").toString()).kid);
  expect(await verifyOfferSignatureJWS(signed as never, await keyOf(signed!.signature))).toMatchObject({
    resourceUrl: at,
    amount: "50000",
  });
  expect(findAcceptsObjectFromSignedOffer(offer!, required.accepts)).toEqual(required.accepts[0]);
  const answer = await Mppx.create({ methods, polyfill: false }).fetch(at);
  const receipt = extractReceiptFromResponse(answer)!;
  await verifyReceiptSignatureJWS(receipt as never, await keyOf(receipt.signature));
  expect(verifyReceiptMatchesOffer(receipt, offer!, [buyer.address])).toBe(true);
  expect(verifyReceiptMatchesOffer(receipt, offer!, [wallet(4).address])).toBe(false);
});
