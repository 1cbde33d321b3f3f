/** A facilitator that wants a token for each request, and catalogues what it settles. */
import { generateKeyPairSync } from "node:crypto";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { BaseChain } from "../../src/adapters/base-chain.ts";
import { tokenSigner } from "../../src/adapters/facilitator-token.ts";
import { hostedSettlement } from "../../src/adapters/hosted-facilitator.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { ChainUnavailable } from "../../src/core/model/ports/chain.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { buy } from "../support/buyer.ts";
import { countCalls, takeNote } from "../support/notes.ts";
import { type Service, startService } from "../support/service.ts";
import { GAS_KEY, PAYEE, payment, wallet } from "../support/wallets.ts";
import { headerOf, presentedV2 } from "../support/x402.ts";
import { openSigningFacilitator, type SigningFacilitator } from "./signing-facilitator.ts";

const edwards = generateKeyPairSync("ed25519");
const curve = generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwk = edwards.privateKey.export({ format: "jwk" });
/** The two forms in which the facilitator hands out its keys. */
const EDWARDS = Buffer.concat([jwk.d!, jwk.x!].map((part) => Buffer.from(part, "base64url"))).toString(
  "base64",
);
const CURVE = curve.privateKey
  .export({ type: "sec1", format: "pem" })
  .toString()
  .trim()
  .replaceAll("\n", "\\n");

let workshop: Workshop;
let theirs: BaseChain;
let facilitator: SigningFacilitator;
let service: Service;
beforeAll(async () => {
  workshop = await openWorkshop();
  const gas_key = generatePrivateKey();
  await workshop.rpc("anvil_setBalance", privateKeyToAccount(gas_key).address, "0xde0b6b3a7640000");
  theirs = workshop.connect({ gas_key });
  facilitator = await openSigningFacilitator(theirs, { ed: edwards.publicKey, ec: curve.publicKey });
  service = await startService({
    operations: [countCalls, takeNote],
    chain: { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY as Hex, pay_to: PAYEE },
    env: {
      GAS_KEY: "",
      REFUND_KEY: generatePrivateKey(),
      PUBLIC_URL: "https://tallystick.example",
      FACILITATOR_URL: facilitator.url,
      FACILITATOR_KEY_ID: "ed",
      FACILITATOR_KEY_SECRET: EDWARDS,
    },
  });
});
afterAll(async () => {
  await service?.stop();
  await facilitator?.close();
  theirs?.close();
  await workshop?.close();
});
beforeEach(() => {
  facilitator.taken.length = 0;
  facilitator.refused.length = 0;
});

test("a paid call reaches the facilitator with a token, and its listing has input and output but no words of the call", async () => {
  const { answer } = await buy(wallet(0), `${service.url}/v1/agent/count?word=own-secret&limit=3`);
  expect(answer.status, await answer.clone().text()).toBe(200);
  expect(facilitator.refused).toEqual([]);
  expect(facilitator.taken.map(({ path }) => path.split("/").at(-1))).toEqual(["verify", "settle"]);
  for (const { body } of facilitator.taken) {
    expect(body.paymentPayload.accepted).toEqual(body.paymentRequirements);
    expect(JSON.stringify(body)).not.toContain("own-secret");
  }
  const [found] = facilitator.catalogue.values();
  expect(found).toMatchObject({
    resourceUrl: expect.stringMatching(/^https:\/\/tallystick\.example\//),
    method: "GET",
    serviceName: "Tallystick",
    tags: expect.arrayContaining(["usdc"]),
    iconUrl: "https://tallystick.example/log/icon.png",
    discoveryInfo: { input: { type: "http" }, output: { type: "json" } },
  });
});

test("an MCP tool is listed by its name", async () => {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`)));
  try {
    const paid = headerOf(presentedV2(await payment(wallet(1), 50_000n), PAYEE));
    const answer = await client.callTool({
      name: countCalls.name,
      arguments: { limit: 3 },
      _meta: { "x402/payment": paid },
    });
    expect(answer.isError, JSON.stringify(answer.content)).toBeFalsy();
  } finally {
    await client.close();
  }
  expect([...facilitator.catalogue.keys()]).toContain(`https://tallystick.example/mcp ${countCalls.name}`);
});

test("keys of both kinds sign tokens", async () => {
  const options = { url: facilitator.url, request_ms: 2_000, wait_ms: 2_000 };
  const ours = workshop.connect({ gas_key: generatePrivateKey() });
  try {
    for (const key of [
      { id: "ed", secret: EDWARDS },
      { id: "ec", secret: CURVE },
    ])
      expect(
        await hostedSettlement(ours, { ...options, key }).facts(await payment(wallet(2), 5n)),
      ).toMatchObject({ would_settle: true });
    // A key that the facilitator does not know, or that is another's, charges nothing.
    for (const key of [
      { id: "unknown", secret: EDWARDS },
      { id: "ec", secret: EDWARDS },
    ])
      await expect(
        hostedSettlement(ours, { ...options, key }).facts(await payment(wallet(2), 5n)),
      ).rejects.toThrow(ChainUnavailable);
    expect(facilitator.refused).toHaveLength(2);
  } finally {
    ours.close();
  }
});

test("a token is good once, for its own method and address, and for two minutes", async () => {
  const sign = tokenSigner({ id: "ec", secret: CURVE });
  const body = JSON.stringify({ paymentPayload: { payload: { authorization: { from: "0x" } } } });
  const ask = async (token: string, path = "verify") => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${facilitator.url}/${path}`, { method: "POST", headers, body })).status;
  };
  const url = `${facilitator.url}/verify`;
  const token = await sign("POST", url);
  expect(await ask(token)).toBe(200);
  const [old, early] = [-125, 125].map((seconds) => new Date(Date.now() + seconds * 1_000));
  const elsewhere = url.replace("127.0.0.1", "other.example");
  const refused = [
    await ask(token),
    await ask(await sign("POST", url), "settle"),
    await ask(await sign("GET", url)),
    await ask(await sign("POST", elsewhere)),
    await ask(await sign("POST", url, old)),
    await ask(await sign("POST", url, early)),
  ];
  expect(refused).toEqual([401, 401, 401, 401, 401, 401]);
});
