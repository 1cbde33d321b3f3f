/** An agent that acts for another by its own key: what it may do, and every way to pretend to. */

import { createHash, randomBytes } from "node:crypto";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createSiweMessage } from "viem/siwe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { canonicalText } from "../../eventstore/canonical.ts";
import type { JsonObject } from "../../eventstore/types.ts";
import { setSuspended } from "../../src/operator/agents.ts";
import { orderExamples } from "../support/ordered.ts";
import { replace } from "../support/replace.ts";
import { type Service, startService } from "../support/service.ts";
import { type Answered, caller, delegation, ed25519Key, evmKey, kidOf, PROXIED } from "./agents.ts";

let service: Service;
let api: ReturnType<typeof caller>;
const wallet = evmKey();
const helperWallet = evmKey();
const third = ed25519Key();
/** API keys by agent. */
const keys: Record<string, string> = {};

beforeAll(async () => {
  service = await startService({ env: PROXIED, vault: true });
  api = caller(service.url);
  for (const [agent_id, key] of [
    ["principal", wallet],
    ["helper", helperWallet],
    ["third", third],
  ] as const) {
    const { body } = await api.post("/soul/register", {
      agent_id,
      issue_api_key: true,
      ...(await api.proof(key, agent_id)),
    });
    keys[agent_id] = String(body.api_key);
  }
  await orderExamples(service.app, `wallet:${wallet.name.toLowerCase()}`);
});
afterAll(() => service.stop());

const ORDERS = "/v1/agent/orders";
const CANCEL = "/v1/agent/orders/cancel";
type Headers = Record<string, string>;
const as = (agent_id: string, on_behalf_of?: string): Headers => ({
  Authorization: `Bearer ${keys[agent_id]}`,
  ...(on_behalf_of !== undefined && { "On-Behalf-Of": on_behalf_of }),
});
const helping = () => as("helper", "SX#1");
const orders = (headers: Headers) => api.get(ORDERS, headers);
const idsOf = ({ body }: Answered) => (body.data as { order_id: number }[]).map(({ order_id }) => order_id);

/** A delegation from the principal to the helper. */
const let_ = (scopes: string[], expires_in_s = 3_600, to = "SX#2") =>
  delegation(api, { by: wallet, from: "principal", to, scopes, expires_in_s });

async function takeBack(delegation_id: string) {
  const proof = await api.proof(wallet, "principal", "revoke", delegation_id);
  const path = `/soul/principal/delegations/${delegation_id}?${new URLSearchParams(proof)}`;
  expect(await api.call("DELETE", path)).toMatchObject({ status: 200 });
}

/** Runs `work` while one delegation is live. */
async function during(scopes: string[], work: (delegation_id: string) => Promise<void>) {
  const delegation_id = await let_(scopes);
  await work(delegation_id);
  await takeBack(delegation_id);
}

const NOT_DELEGATED = { status: 403, body: { type: expect.stringContaining("#not-delegated") } };
const NAMES_HEADER = { status: 400, body: { errors: [{ path: "On-Behalf-Of" }] } };

/** A wallet's signature of a call, made by a stock client. */
async function signedCall(
  by: ReturnType<typeof evmKey>,
  of: { method: string; path: string; body?: JsonObject; principal?: string; nonce?: string },
): Promise<string> {
  const { method, path, body, principal, nonce = randomBytes(8).toString("hex") } = of;
  const digest = (of: JsonObject) =>
    `ni:///sha-256;${createHash("sha256").update(canonicalText(of, "body")).digest("base64url")}`;
  const resources = [
    ...(body ? [digest(body)] : []),
    ...(principal === undefined ? [] : [`urn:on-behalf-of:${encodeURIComponent(principal)}`]),
  ];
  const fields = {
    domain: new URL(service.url).host,
    address: by.name as `0x${string}`,
    statement: `Call ${method} ${path} as the owner of what this wallet caused.`,
    uri: service.url + path,
    version: "1" as const,
    nonce,
    ...(resources.length > 0 && { resources }),
  };
  const issuedAt = new Date();
  const signature = await by.sign(createSiweMessage({ ...fields, chainId: 8453, issuedAt }));
  const signed = { ...fields, chainId: "eip155:8453", issuedAt: issuedAt.toISOString(), signature };
  return Buffer.from(JSON.stringify(signed)).toString("base64");
}

test("a delegate reads its principal's data only during the delegation", async () => {
  expect(await orders(helping())).toMatchObject(NOT_DELEGATED);
  await during(["read"], async () => {
    const listed = await orders(helping());
    expect(listed).toMatchObject({
      status: 200,
      body: { meta: { tenant: `wallet:${wallet.name.toLowerCase()}` } },
    });
    expect(idsOf(listed).sort()).toEqual([1, 2]);
    expect(await orders(as("helper", "sx#1"))).toMatchObject({ status: 200 });
    // Its own id opens nothing of the principal, and the principal's id opens nothing for others.
    expect(await orders(as("helper"))).toMatchObject({ status: 402 });
    expect(await orders(as("third", "SX#1"))).toMatchObject(NOT_DELEGATED);
  });
  expect(await orders(helping())).toMatchObject(NOT_DELEGATED);
});

test("a call over MCP is made for the principal that it names", async () => {
  await during(["read"], async () => {
    const url = new URL(`${service.url}/mcp?areas=commerce`);
    const client = new Client({ name: "delegate", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: as("helper") } }));
    const ask = (principal: string) =>
      client.callTool({
        name: "orders_list",
        arguments: {},
        _meta: { "tallystick/on-behalf-of": principal },
      });
    expect(await ask("SX#1")).toMatchObject({ structuredContent: { meta: { count: 2 } } });
    expect(await ask("SX#3")).toMatchObject({ isError: true, structuredContent: { status: 403 } });
    await client.close();
  });
});

test("a delegate's decision records the actor, the principal and the delegation", async () => {
  await during(["order"], async (delegation_id) => {
    const headers = { ...helping(), "Idempotency-Key": "cancelOne0000001" };
    const answer = await fetch(service.url + CANCEL, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ order_id: 1 }),
    });
    expect(answer.status).toBe(200);
    const { rows } = await service.app.pool.query<{ meta: Buffer; idem_key: string }>(
      "select meta, idem_key from eventstore.events where event_id = $1",
      [answer.headers.get("event-id")],
    );
    const { key_id } = (
      await service.app.pool.query<{ key_id: string }>(
        "select key_id from read.access_keys_v1 where tenant = 'soul:2'",
      )
    ).rows[0]!;
    expect(JSON.parse(rows[0]!.meta.toString())).toMatchObject({
      actor: `key:${key_id}`,
      on_behalf_of: "SX#1",
      delegation_id,
      operation: "orders_cancel",
    });
    // A repeat is the same order; the principal's own key of that name makes another one.
    const first = await answer.json();
    const again = await api.post(CANCEL, { order_id: 1 }, headers);
    expect(again).toEqual({ status: 200, body: first });
    const body = { order_id: 2, reason: "other" };
    const call = { method: "POST", path: CANCEL, body, nonce: headers["Idempotency-Key"] };
    const own = { "SIGN-IN-WITH-X": await signedCall(wallet, call) };
    expect(await api.post(CANCEL, body, own)).toMatchObject({ status: 200, body: { data: { order_id: 2 } } });
  });
});

test("a delegate needs the operation's scope", async () => {
  await during(["order", "node"], async () => {
    expect(await orders(helping())).toMatchObject({
      ...NOT_DELEGATED,
      body: { detail: expect.stringContaining("needs read") },
    });
    expect(await api.post(CANCEL, { order_id: 1 }, helping())).toMatchObject({ status: 200 });
  });
  await during(["read"], async () => {
    expect(await api.post(CANCEL, { order_id: 1 }, helping())).toMatchObject(NOT_DELEGATED);
    expect(await api.get("/soul/SX%231/trust/history", helping())).toMatchObject({ status: 200 });
  });
});

test("a delegate's delegate may not act", async () => {
  await during(["read"], async () => {
    await delegation(api, {
      by: helperWallet,
      from: "helper",
      to: "SX#3",
      scopes: ["read"],
      expires_in_s: 600,
    });
    expect(await orders(as("third", "SX#2"))).toMatchObject({ status: 200, body: { meta: { count: 0 } } });
    expect(await orders(as("third", "SX#1"))).toMatchObject(NOT_DELEGATED);
    // It cannot delegate in the principal's name either.
    const ask = { to: "third", scopes: ["read"], expires_in_s: 600, challenge: "x", signature: "0x00" };
    expect(await api.post("/soul/principal/delegations", ask, helping())).toMatchObject(NAMES_HEADER);
  });
});

test("a delegation ends at its last second", async () => {
  const delegation_id = await let_(["read"], 600);
  const { delegations } = (await api.get("/soul/passport/principal")).body as {
    delegations: { delegation_id: string; expires_at: string }[];
  };
  const ends = Date.parse(delegations.find((one) => one.delegation_id === delegation_id)!.expires_at);
  const { clock } = service.app;
  try {
    replace(service.app, { clock: { now: () => new Date(ends - 1) } });
    expect(await orders(helping())).toMatchObject({ status: 200 });
    replace(service.app, { clock: { now: () => new Date(ends) } });
    expect(await orders(helping())).toMatchObject(NOT_DELEGATED);
  } finally {
    replace(service.app, { clock });
  }
  await takeBack(delegation_id);
});

test("a suspended agent acts for nobody, and nobody for it", async () => {
  await during(["read", "order"], async () => {
    for (const sx_id of ["SX#1", "SX#2"]) {
      await setSuspended(service.app, sx_id, { suspended: true, reason: "asked" });
      for (const refused of [await orders(helping()), await api.post(CANCEL, { order_id: 1 }, helping())])
        expect(refused).toMatchObject({
          status: 409,
          body: { type: expect.stringContaining("#agent-suspended") },
        });
      await setSuspended(service.app, sx_id, { suspended: false, reason: "sorted out" });
      expect(await orders(helping())).toMatchObject({ status: 200 });
    }
  });
});

const forged: [what: string, headers: () => Headers | Promise<Headers>, refused: object][] = [
  ["oneself", () => as("helper", "SX#2"), NAMES_HEADER],
  ["a passport that was not issued", () => as("helper", "SX#999"), NOT_DELEGATED],
  ["an agent_id", () => as("helper", "principal"), NAMES_HEADER],
  ["two principals", () => as("helper", "SX#1, SX#3"), NAMES_HEADER],
  ["nobody", () => as("helper", ""), NAMES_HEADER],
  [
    "a wallet that is not the principal's",
    () => as("helper", `SX#1; wallet=${helperWallet.name}`),
    NOT_DELEGATED,
  ],
  ["by nobody", () => ({ "On-Behalf-Of": "SX#1" }), { status: 401 }],
  [
    "by a key that is unknown",
    () => ({ ...helping(), Authorization: `Bearer sk_soul_${"A".repeat(43)}` }),
    { status: 401 },
  ],
  [
    "by a tenant's key",
    async () => ({ "On-Behalf-Of": "SX#1", "X-API-Key": (await service.issue()).secret }),
    { status: 403, body: { detail: expect.stringContaining("tenant's") } },
  ],
  ["with a payment", () => ({ ...helping(), "X-PAYMENT": "e30=" }), NAMES_HEADER],
  [
    "by a key and a signature",
    async () => ({
      ...helping(),
      "SIGN-IN-WITH-X": await signedCall(helperWallet, { method: "GET", path: ORDERS, principal: "SX#1" }),
    }),
    { status: 400 },
  ],
  [
    "by a wallet of no agent",
    async () => ({
      "On-Behalf-Of": "SX#1",
      "SIGN-IN-WITH-X": await signedCall(evmKey(), { method: "GET", path: ORDERS, principal: "SX#1" }),
    }),
    { status: 403 },
  ],
  [
    "by a signature of the delegate's own call",
    async () => ({
      "On-Behalf-Of": "SX#1",
      "SIGN-IN-WITH-X": await signedCall(helperWallet, { method: "GET", path: ORDERS }),
    }),
    { status: 401 },
  ],
  [
    "by a signature for another principal",
    async () => ({
      "On-Behalf-Of": "SX#1",
      "SIGN-IN-WITH-X": await signedCall(helperWallet, { method: "GET", path: ORDERS, principal: "SX#3" }),
    }),
    { status: 401 },
  ],
];

test.each(forged)("a call for %s is refused", async (_, headers, refused) => {
  await during(["read", "order"], async () => {
    expect(await orders(await headers())).toMatchObject(refused);
  });
});

test("a delegate's wallet acts by its own signature, and a call signed for another never counts as its own", async () => {
  await during(["read", "order"], async () => {
    const read = await signedCall(helperWallet, { method: "GET", path: ORDERS, principal: "SX#1" });
    expect(await orders({ "SIGN-IN-WITH-X": read, "On-Behalf-Of": "SX#1" })).toMatchObject({
      status: 200,
      body: { meta: { count: 2 } },
    });
    expect(await orders({ "SIGN-IN-WITH-X": read })).toMatchObject({ status: 401 });
    const body = { order_id: 1, reason: "other" };
    const write = await signedCall(helperWallet, { method: "POST", path: CANCEL, body, principal: "SX#1" });
    const headers = { "SIGN-IN-WITH-X": write, "On-Behalf-Of": "SX#1" };
    expect(await api.post(CANCEL, body, { "SIGN-IN-WITH-X": write })).toMatchObject({ status: 401 });
    expect(await api.post(CANCEL, { ...body, order_id: 2 }, headers)).toMatchObject({ status: 401 });
    expect(await api.post(CANCEL, body, headers)).toMatchObject({ status: 200 });
  });
});

test("a principal with several wallets must name one, and one without a wallet owns nothing here", async () => {
  const second = evmKey();
  const kid = await kidOf(api, second);
  const endorsement = await api.proof(wallet, "principal", "prove", kid);
  const proof = await api.proof(second, "principal");
  expect(await api.post("/soul/principal/keys", { ...proof, endorsement })).toMatchObject({ status: 200 });
  await during(["read"], async () => {
    expect(await orders(helping())).toMatchObject(NAMES_HEADER);
    expect(idsOf(await orders(as("helper", `SX#1; wallet=${wallet.name}`)))).toHaveLength(2);
    expect(idsOf(await orders(as("helper", `SX#1;wallet=${second.name.toLowerCase()}`)))).toEqual([]);
    const gone = new URLSearchParams(await api.proof(wallet, "principal", "revoke", kid));
    await api.call("DELETE", `/soul/principal/keys/${kid}?${gone}`);
    expect(await orders(as("helper", `SX#1; wallet=${second.name}`))).toMatchObject(NOT_DELEGATED);
    expect(await orders(helping())).toMatchObject({ status: 200 });
  });
  await delegation(api, { by: third, from: "third", to: "SX#2", scopes: ["read"], expires_in_s: 600 });
  expect(await orders(as("helper", "SX#3"))).toMatchObject(NOT_DELEGATED);
});

test("a call closed to delegates is refused with the reason, and so is a limit without the scope to spend", async () => {
  await during(["read", "order"], async () => {
    for (const [method, path, body] of [
      ["GET", "/soul/directory", undefined],
      ["POST", "/soul/register", { agent_id: "principal", issue_api_key: true }],
      ["POST", "/v1/agent/quotes", {}],
      ["POST", "/v1/agent/orders", {}],
    ] as const) {
      expect([path, await api.call(method, path, body, helping())]).toMatchObject([path, NAMES_HEADER]);
    }
  });
  const proof = await api.proof(wallet, "principal", "delegate", "0".repeat(64));
  for (const [scopes, max_spend_usdc] of [
    [["read"], "5"],
    [["order"], "-5"],
    [["order"], "0.0000001"],
  ]) {
    const ask = { to: "SX#2", scopes, expires_in_s: 600, max_spend_usdc, ...proof };
    expect(await api.post("/soul/principal/delegations", ask)).toMatchObject({
      status: 400,
      body: { errors: [{ path: "max_spend_usdc" }] },
    });
  }
});

test("OpenAPI lists the operations that a delegate may call", async () => {
  const { paths } = (await api.get("/openapi.json")).body as {
    paths: Record<string, Record<string, { parameters: { $ref?: string }[] }>>;
  };
  const takes = (path: string, method: string) =>
    paths[path]![method]!.parameters.some(({ $ref }) => $ref?.endsWith("/OnBehalfOf"));
  expect([takes(ORDERS, "get"), takes(CANCEL, "post"), takes(ORDERS, "post")]).toEqual([true, true, false]);
});
