/**
 * A facilitator with API keys, from the documentation of Coinbase's: Authentication (a JWT for each request) and Bazaar (what is
 * catalogued when a payment settles). It shares no line with the client under test.
 */
import type { KeyObject } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { extractDiscoveryInfo } from "@x402/extensions/bazaar";
import { decodeProtectedHeader, jwtVerify } from "jose";
import type { BaseChain } from "../../src/adapters/base-chain.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { TRANSFER_GAS, transferCall } from "../../src/domain/payments/usdc.ts";

export type SettleBody = {
  x402Version: number;
  paymentPayload: {
    x402Version: number;
    resource?: { url: string; [member: string]: unknown };
    accepted: object;
    payload: { signature: Hex; authorization: Record<string, string> };
    extensions?: Record<string, unknown>;
  };
  paymentRequirements: object;
};

export type SigningFacilitator = {
  url: string;
  /** Bodies of accepted requests, by endpoint. */
  taken: { path: string; body: SettleBody }[];
  refused: string[];
  catalogue: Map<string, ReturnType<typeof extractDiscoveryInfo>>;
  close(): Promise<void>;
};

const LONGEST_TOKEN_S = 120;

export async function openSigningFacilitator(
  chain: BaseChain,
  keys: Readonly<Record<string, KeyObject>>,
): Promise<SigningFacilitator> {
  const nonces = new Set<string>();
  const facilitator: Omit<SigningFacilitator, "url" | "close"> = {
    taken: [],
    refused: [],
    catalogue: new Map(),
  };
  const server = createServer((request, response) => {
    answer(request).then(
      ({ status = 200, headers = {}, body }) =>
        response
          .writeHead(status, { "content-type": "application/json", ...headers })
          .end(JSON.stringify(body)),
      (error: Error) => {
        facilitator.refused.push(error.message);
        response
          .writeHead(401, { "content-type": "application/json" })
          .end(JSON.stringify({ errorType: "unauthorized", errorMessage: error.message }));
      },
    );
  });

  type Reply = { status?: number; headers?: Record<string, string>; body: object };

  async function answer(request: IncomingMessage): Promise<Reply> {
    await signedIn(request);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString()) as SettleBody;
    const path = request.url!;
    facilitator.taken.push({ path, body });
    const { payload } = body.paymentPayload;
    const payer = payload.authorization.from;
    if (path.endsWith("/verify")) return { body: { isValid: true, payer } };
    const { transaction } = await carried(payload);
    const found = extractDiscoveryInfo(body.paymentPayload as never, body.paymentRequirements as never);
    if (found) facilitator.catalogue.set(catalogueKey(found), found);
    const status = found
      ? { status: "success" }
      : { status: "rejected", rejectedReason: "info fails its schema" };
    const listed = Buffer.from(JSON.stringify({ bazaar: status })).toString("base64");
    return {
      headers: { "EXTENSION-RESPONSES": listed },
      body: { success: true, payer, transaction, network: "eip155:8453" },
    };
  }

  async function signedIn({ method, url, headers }: IncomingMessage): Promise<void> {
    const [, token] = /^Bearer (\S+)$/.exec(headers.authorization ?? "") ?? [];
    if (!token) throw new Error("no bearer token");
    const { kid, nonce } = decodeProtectedHeader(token) as { kid?: string; nonce?: string };
    const key = keys[kid ?? ""];
    if (!key) throw new Error("unknown key");
    const isEdwards = key.asymmetricKeyType === "ed25519";
    const { payload } = await jwtVerify(token, key, {
      algorithms: [isEdwards ? "EdDSA" : "ES256"],
      issuer: "cdp",
      subject: kid!,
      requiredClaims: ["nbf", "exp", "uris"],
    });
    if (payload.exp! - payload.nbf! > LONGEST_TOKEN_S) throw new Error("too long a life");
    const here = `${method} ${headers.host}${url}`;
    if (JSON.stringify(payload.uris) !== JSON.stringify([here])) throw new Error(`not for ${here}`);
    if (!nonce || nonces.has(nonce)) throw new Error("used before");
    nonces.add(nonce);
  }

  function carried({ signature, authorization }: SettleBody["paymentPayload"]["payload"]) {
    const { from, to, value, validAfter, validBefore, nonce } = authorization as Record<string, Hex>;
    const transfer = {
      from: from!,
      to: to!,
      value: BigInt(value!),
      valid_after: BigInt(validAfter!),
      valid_before: BigInt(validBefore!),
      nonce: nonce!,
    };
    return chain.send(transferCall({ transfer, signature }), { gas: TRANSFER_GAS, purpose: "settlement" });
  }

  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    ...facilitator,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/platform/v2/x402`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** A tool shares its server's address with others, so that its name is part of the key. */
const catalogueKey = (found: NonNullable<ReturnType<typeof extractDiscoveryInfo>>) =>
  "toolName" in found ? `${found.resourceUrl} ${found.toolName}` : found.resourceUrl;
