/** One price by each protocol, with their own clients: MPP, x402's sign-in, its signed offers. */
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
import { type SIWxExtension, wrapFetchWithSIWx } from "@x402/extensions/sign-in-with-x";
import fc from "fast-check";
import { Challenge, Credential, Receipt } from "mppx";
import { evm, Mppx } from "mppx/client";
import { McpClient } from "mppx/mcp/client";
import { encodeAbiParameters, getContractAddress, parseAbiParameters } from "viem/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { owner } from "../../src/api/declare/access/owner.ts";
import { pay } from "../../src/api/declare/access/pay.ts";
import { operation } from "../../src/api/declare/operation.ts";
import { json } from "../../src/api/declare/output.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { balanceOf, openWorkshop, type Workshop } from "../chain/fixture.ts";
import { headerV1 } from "../support/buyer.ts";
import { countCalls } from "../support/notes.ts";
import { scaled } from "../support/scale.ts";
import { type Service, startService } from "../support/service.ts";
import { addressOf, GAS_KEY, PAYEE, SAYS_NO, SAYS_YES, wallet } from "../support/wallets.ts";

const output = json(z.object({ data: z.looseObject({}), meta: z.object({}) }));

/** Free to its owner, and priced for a wallet that rather pays. */
const mine = operation({
  name: "test_mine",
  route: "GET /v1/agent/test/mine",
  summary: "What is mine",
  description: "Says who asks.",
  access: [owner("read"), pay("0.001")],
  input: z.object({ of: z.string().optional() }),
  output,
  example: {},
  handle: async ({ caller }) => ({ data: { tenant: caller.tenant }, meta: {} }),
});

const change = operation({
  name: "test_change",
  route: "POST /v1/agent/test/change",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Change what is mine",
  description: "Says who changes what.",
  access: [owner("order"), pay("0.001")],
  input: z.object({ to: z.string() }),
  output,
  example: { to: "x" },
  handle: async ({ caller, input }) => ({ data: { tenant: caller.tenant, to: input.to }, meta: {} }),
});

let workshop: Workshop;
let service: Service;
beforeAll(async () => {
  workshop = await openWorkshop();
  service = await startService({
    operations: [countCalls, mine, change],
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

  test("a challenge of others, of another call, or changed, pays for nothing, and a fresh one comes along", async () => {
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
    expect(await answered({ id: other.id })).toEqual([402, expect.stringMatching(/none that this service/)]);
    expect(await answered({ realm: "other.example" })).toEqual([402, expect.stringMatching(/none that/)]);
    expect(await answered({ expires: new Date(Date.now() + 900_000).toISOString() })).toEqual([
      402,
      expect.stringMatching(/none that/),
    ]);
    expect(await answered({}, url("/count?limit=6"))).toEqual([402, expect.stringMatching(/another call/)]);
    for (const garbage of ["Payment dGhpcyBpcyBnYXJiYWdl", "Payment", "Payment e30"])
      expect((await fetch(at, { headers: { Authorization: garbage } })).status).toBe(402);
  });
});

describe("signing in", () => {
  const signIn = (account = buyer) => wrapFetchWithSIWx(fetch, account as never);

  test("x402's own wrapper gets 200 where the wallet may sign instead of paying", async () => {
    const asked = [
      await signIn()(url("/test/mine")),
      await signIn()(url("/test/mine?of=now")),
      await signIn()(url("/test/change"), {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ to: "y" }),
      }),
    ];
    for (const answer of asked) {
      expect(answer.status, await answer.clone().text()).toBe(200);
      expect(await answer.json()).toMatchObject({ data: { tenant: `wallet:${addressOf(buyer)}` } });
    }
    expect(offered(await fetch(url("/count"))).extensions).not.toHaveProperty("sign-in-with-x");
  });

  const declared = async (path = "/test/mine"): Promise<SIWxExtension> =>
    offered(await fetch(url(path))).extensions!["sign-in-with-x"] as SIWxExtension;

  type Info = SIWxExtension["info"] & { address?: string };
  async function present(info: Info, path = "/test/mine", signature?: Hex): Promise<number> {
    const { address = buyer.address, ...said } = info;
    const text = [
      `${said.domain} wants you to sign in with your Ethereum account:\n${address}\n\n${said.statement}\n`,
      `URI: ${said.uri}\nVersion: 1\nChain ID: 8453\nNonce: ${said.nonce}\nIssued At: ${said.issuedAt}`,
      `Expiration Time: ${said.expirationTime}`,
    ].join("\n");
    const signed = signature ?? (await buyer.signMessage({ message: text }));
    const proof = { ...said, address, chainId: "eip155:8453", type: "eip191", signature: signed };
    const header = Buffer.from(JSON.stringify(proof)).toString("base64");
    return (await fetch(url(path), { headers: { "SIGN-IN-WITH-X": header } })).status;
  }

  test("a signature for another host, path or time, and a nonce used before, are refused", async () => {
    const { info } = await declared();
    expect(await present(info)).toBe(200);
    expect(await present(info)).toBe(401);
    const changes = fc.oneof(
      fc.domain().map((domain) => ({ domain })),
      fc.webUrl().map((uri) => ({ uri })),
      fc.webPath().map((path) => ({ uri: `${service.url}/v1/agent/test/mine${path}x` })),
      fc
        .integer({ min: 301, max: 1e6 })
        .map((s) => ({ issuedAt: new Date(Date.now() - s * 1e3).toISOString() })),
      fc
        .integer({ min: 60, max: 1e6 })
        .map((s) => ({ issuedAt: new Date(Date.now() + s * 1e3).toISOString() })),
      fc
        .integer({ min: 1, max: 1e6 })
        .map((s) => ({ expirationTime: new Date(Date.now() - s * 1e3).toISOString() })),
      fc.constant({ nonce: info.nonce }),
    );
    const fresh = (await declared()).info;
    await fc.assert(
      fc.asyncProperty(changes, async (change) => {
        expect(await present({ ...fresh, ...change })).toBe(401);
      }),
      { numRuns: scaled(15, 5) },
    );
    expect(await present(fresh)).toBe(200);
  });

  test("of many uses of one nonce at once one is taken", async () => {
    const { info } = await declared();
    const statuses = await Promise.all(Array.from({ length: 20 }, () => present(info)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  test("a wallet that is a contract, or is not deployed yet, is asked on the chain", async () => {
    const contract = "0x00000000000000000000000000000000000c0de1";
    await workshop.rpc("anvil_setCode", contract, SAYS_YES);
    const signature: Hex = `0x${"12".repeat(195)}`;
    expect(await present({ ...(await declared()).info, address: contract }, "/test/mine", signature)).toBe(
      200,
    );
    await workshop.rpc("anvil_setCode", contract, SAYS_NO);
    expect(await present({ ...(await declared()).info, address: contract }, "/test/mine", signature)).toBe(
      401,
    );
    for (const [code, status] of [
      [SAYS_YES, 200],
      [SAYS_NO, 401],
    ] as const) {
      const { factory, data, address } = deployer(code);
      await workshop.rpc("anvil_setCode", factory, CREATE2_FACTORY);
      const wrapped = encodeAbiParameters(parseAbiParameters("address, bytes, bytes"), [
        factory,
        data,
        "0x12",
      ]);
      const given = { ...(await declared()).info, address };
      expect(await present(given, "/test/mine", `${wrapped}${"6492".repeat(16)}` as Hex)).toBe(status);
      expect(await workshop.rpc("eth_getCode", address, "latest")).toBe("0x");
    }
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

/** The deterministic deployment proxy: it creates the code after a salt of 32 bytes. */
const CREATE2_FACTORY: Hex =
  "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3";

function deployer(code: Hex): { factory: Hex; data: Hex; address: Hex } {
  const factory: Hex = "0x00000000000000000000000000000000000fac70";
  const body = code.slice(2);
  // Copies the code that follows these ten bytes, and returns it.
  const init: Hex = `0x60${(body.length / 2).toString(16).padStart(2, "0")}600c60003960${(body.length / 2).toString(16).padStart(2, "0")}6000f3${body}`;
  const salt: Hex = `0x${"00".repeat(32)}`;
  return {
    factory,
    data: `${salt}${init.slice(2)}`,
    address: getContractAddress({
      from: factory,
      salt,
      bytecode: init,
      opcode: "CREATE2",
    }).toLowerCase() as Hex,
  };
}
