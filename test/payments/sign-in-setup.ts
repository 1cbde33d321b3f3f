/** A service whose operations a wallet signs in to, and sign-ins that are for another call. */
import { decodePaymentRequiredHeader } from "@x402/core/http";
import type { SIWxExtension } from "@x402/extensions/sign-in-with-x";
import fc from "fast-check";
import { expect } from "vitest";
import { z } from "zod";
import { owner } from "../../src/api/declare/access/owner.ts";
import { pay } from "../../src/api/declare/access/pay.ts";
import { operation } from "../../src/api/declare/operation.ts";
import { json } from "../../src/api/declare/output.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { countCalls } from "../support/notes.ts";
import { type Service, startService } from "../support/service.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";

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

/** Free to its owner, and to nobody else at any price. */
const own = operation({
  name: "test_own",
  route: "POST /v1/agent/test/own",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Change what is mine alone",
  description: "Says who changes what.",
  access: [owner("order")],
  input: z.object({ to: z.string() }),
  output,
  example: { to: "x" },
  handle: async ({ caller, input }) => ({ data: { tenant: caller.tenant, to: input.to }, meta: {} }),
});

export type SignInSetup = { workshop: Workshop; service: Service; close(): Promise<void> };

export async function openSignInSetup(): Promise<SignInSetup> {
  const workshop = await openWorkshop();
  const service = await startService({
    operations: [countCalls, mine, change, own],
    chain: { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE },
    env: { OPEN_CALLS_PER_MINUTE: "100000" },
  });
  const close = async () => {
    await service.stop();
    await workshop.close();
  };
  return { workshop, service, close };
}

export const buyer = wallet(3);

export const urlOf = ({ service }: SignInSetup, path: string) => `${service.url}/v1/agent${path}`;

export const offered = (answer: Response) =>
  decodePaymentRequiredHeader(answer.headers.get("payment-required")!);

export const declaredAt = async (setup: SignInSetup, path = "/test/mine"): Promise<SIWxExtension> =>
  offered(await fetch(urlOf(setup, path))).extensions!["sign-in-with-x"] as SIWxExtension;

export type SignIn = SIWxExtension["info"] & { address?: string };

/** Signs exactly what is said, and calls the path with it. */
export async function present(
  setup: SignInSetup,
  info: SignIn,
  path = "/test/mine",
  signature?: Hex,
): Promise<number> {
  const { address = buyer.address, ...said } = info;
  const text = [
    `${said.domain} wants you to sign in with your Ethereum account:\n${address}\n\n${said.statement}\n`,
    `URI: ${said.uri}\nVersion: 1\nChain ID: 8453\nNonce: ${said.nonce}\nIssued At: ${said.issuedAt}`,
    `Expiration Time: ${said.expirationTime}`,
  ].join("\n");
  const signed = signature ?? (await buyer.signMessage({ message: text }));
  const proof = { ...said, address, chainId: "eip155:8453", type: "eip191", signature: signed };
  const header = Buffer.from(JSON.stringify(proof)).toString("base64");
  return (await fetch(urlOf(setup, path), { headers: { "SIGN-IN-WITH-X": header } })).status;
}

/** Changes that make a sign-in one for another host, path or time, or one with a nonce that was used. */
const foreign = ({ service }: SignInSetup, used: string) =>
  fc.oneof(
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
    fc.constant({ nonce: used }),
  );

/** None of so many foreign sign-ins is accepted; the unchanged one is, once. */
export async function expectForeignRefused(setup: SignInSetup, times: number): Promise<void> {
  const { info } = await declaredAt(setup);
  expect(await present(setup, info)).toBe(200);
  expect(await present(setup, info)).toBe(401);
  await fc.assert(
    fc.asyncProperty(foreign(setup, info.nonce), async (change) => {
      const fresh = (await declaredAt(setup)).info;
      expect(await present(setup, { ...fresh, ...change })).toBe(401);
    }),
    { numRuns: times },
  );
  const { info: last } = await declaredAt(setup);
  expect(await present(setup, last)).toBe(200);
}
