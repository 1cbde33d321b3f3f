/** Stock clients find the service, sign in to it, and pay by either protocol. */
import type { webcrypto } from "node:crypto";
import { AgentCard, verifyAgentCardSignature } from "@a2a-js/sdk";
import { DefaultAgentCardResolver } from "@a2a-js/sdk/client";
import {
  checkEndpointSchema,
  checkL2ForOpenAPI,
  discoverOriginSchema,
  getL3ForOpenAPI,
  getOpenAPI,
  getWarningsForL2,
  getWarningsForL3,
  getWarningsForOpenAPI,
  isOpenApiParseFailure,
  type OpenApiSource,
  validatePaymentRequiredDetailed,
} from "@agentcash/discovery";
import { decodePaymentRequiredHeader } from "@x402/core/http";
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  extractPublicKeyFromKid,
  extractReceiptFromResponse,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
} from "@x402/extensions/offer-receipt";
import { wrapFetchWithSIWx } from "@x402/extensions/sign-in-with-x";
import { evm, Mppx } from "mppx/client";
import { describe, expect, inject, test } from "vitest";
import { signatureHeaders } from "web-bot-auth";
import { signerFromJWK } from "web-bot-auth/crypto";
import { fetchOfVersion2 } from "./buyers.ts";
import { buyerWallet } from "./wallets.ts";

const service = inject("sandbox");
const at = (path: string) => `${service.url}/v1/agent/${path}`;
const wallet = buyerWallet(7);
const PRICED = "trade/top-partners?reporter=DE&limit=3";

test("@x402/extensions signs in where the wallet may sign instead of paying, three times of three", async () => {
  const signIn = wrapFetchWithSIWx(fetch, wallet);
  for (const path of ["orders", "orders?limit=1", "orders?limit=2"])
    expect((await signIn(at(path))).status, path).toBe(200);
});

test("@x402/extensions verifies the offer, and matches it with the receipt", async () => {
  const required = decodePaymentRequiredHeader((await fetch(at(PRICED))).headers.get("payment-required")!);
  const [signed] = extractOffersFromPaymentRequired(required);
  const [offer] = decodeSignedOffers([signed!]);
  const { kid } = JSON.parse(
    Buffer.from((signed as { signature: string }).signature.split(".")[0]!, "base64url").toString(),
  );
  const key = await extractPublicKeyFromKid(kid);
  expect(await verifyOfferSignatureJWS(signed as never, key)).toMatchObject({ resourceUrl: at(PRICED) });
  const answer = await fetchOfVersion2(wallet)(at(PRICED));
  expect(answer.status).toBe(200);
  const receipt = extractReceiptFromResponse(answer)!;
  expect(verifyReceiptMatchesOffer(receipt, offer!, [wallet.address])).toBe(true);
});

test("mppx pays by MPP", async () => {
  const methods = [
    evm({ account: wallet, assets: [evm.assets.base.USDC], networks: [8453], maxAmount: "1" }),
  ];
  const answer = await Mppx.create({ methods, polyfill: false }).fetch(at(`${PRICED}&year=2024`));
  expect(answer.status, await answer.clone().text()).toBe(200);
  expect(answer.headers.get("payment-receipt")).toBeTruthy();
});

describe("@agentcash/discovery", () => {
  test("finds the operations, and reads the 402 of a priced one", async () => {
    expect(await discoverOriginSchema({ target: service.url })).toMatchObject({ found: true });
    const checked = await checkEndpointSchema({ url: at(PRICED), probe: true });
    expect(checked, JSON.stringify(checked).slice(0, 500)).toMatchObject({ found: true });
  });

  test("reports no error of the document, of any operation or of any 402", async () => {
    const document = (await getOpenAPI(service.url))._unsafeUnwrap()!;
    expect(isOpenApiParseFailure(document)).toBe(false);
    const source = document as OpenApiSource;
    const { routes } = checkL2ForOpenAPI(source);
    const priced = routes.filter(({ authMode }) => authMode === "paid" || authMode === "apiKey+paid");
    expect(priced.length).toBeGreaterThan(100);
    const warnings = [
      ...getWarningsForOpenAPI(source),
      ...getWarningsForL2({ routes, source: "openapi" }),
      ...routes.flatMap(({ path, method }) => getWarningsForL3(getL3ForOpenAPI(source, path, method))),
    ];
    // The service has more than forty operations, and no address for questions of its operator.
    const EXPECTED = ["L2_ROUTE_COUNT_HIGH", "OPENAPI_CONTACT_MISSING"];
    expect(warnings.filter(({ code }) => !EXPECTED.includes(code))).toEqual([]);
    for (const { path, method } of priced) {
      const unpaid = await fetch(service.url + path, { method });
      // Ten verifications a day are free.
      if (unpaid.status !== 402) expect(path).toBe("/v1/agent/soul/verify/{agent_id}");
      else {
        const required = decodePaymentRequiredHeader(unpaid.headers.get("payment-required")!);
        expect([path, validatePaymentRequiredDetailed(required).issues]).toEqual([path, []]);
      }
    }
  });
});

test("@a2a-js/sdk resolves the service's own card and verifies it", async () => {
  const card = await new DefaultAgentCardResolver().resolve(service.url);
  const verify = verifyAgentCardSignature(async (kid, jku) => {
    const { keys } = (await (await fetch(jku!)).json()) as { keys: { kid: string }[] };
    return keys.find((one) => one.kid === kid) as never;
  });
  await expect(verify(card)).resolves.toBeUndefined();
  const copy = AgentCard.fromJSON(await (await fetch(`${service.url}/.well-known/agent-card.json`)).json());
  copy.name = "Another";
  await expect(verify(copy)).rejects.toThrow();
});

test("web-bot-auth signs requests of a passport's key, which are that agent's", async () => {
  const pair = await crypto.subtle.generateKey({ name: "Ed25519" }, true, ["sign", "verify"]);
  const jwk = await crypto.subtle.exportKey("jwk", (pair as webcrypto.CryptoKeyPair).privateKey);
  const post = async (path: string, body: object) => {
    const init = {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json" },
    };
    return (await (await fetch(service.url + path, init)).json()) as Record<string, string>;
  };
  const agent_id = `stock-signer-${Date.now()}`;
  const key = { kty: jwk.kty, crv: jwk.crv, x: jwk.x };
  const { challenge } = await post("/soul/challenge", { agent_id, key, purpose: "prove" });
  const encoded = (text: string) => Buffer.from(text).toString("base64url");
  const signing = `${encoded('{"alg":"EdDSA","typ":"JWT"}')}.${encoded(challenge!)}`;
  const bytes = await crypto.subtle.sign(
    "Ed25519",
    (pair as webcrypto.CryptoKeyPair).privateKey,
    Buffer.from(signing),
  );
  const signature = `${signing}.${Buffer.from(bytes).toString("base64url")}`;
  await post("/soul/register", { agent_id, challenge, signature });
  const url = `${service.url}/soul/compute/tasks?limit=1`;
  const signed = async () => {
    const now = Date.now();
    const times = { created: new Date(now), expires: new Date(now + 60_000) };
    return signatureHeaders(new Request(url), await signerFromJWK(jwk), times);
  };
  const headers = { ...(await signed()) } as Record<string, string>;
  expect((await fetch(url, { headers })).status).toBe(200);
  expect((await fetch(url, { headers })).status).toBe(401);
});
