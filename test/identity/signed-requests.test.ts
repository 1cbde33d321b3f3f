/** Web Bot Auth: a passport's key signs requests by the stock library, and is that agent on every operation. */
import { createHash, generateKeyPairSync } from "node:crypto";
import type { JWK } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateNonce, type SignatureParams, signatureHeaders } from "web-bot-auth";
import { signerFromJWK } from "web-bot-auth/crypto";
import { present, quoteOf, signPayment } from "../support/buyer.ts";
import { catalogue } from "../support/catalogue.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { wallet } from "../support/wallets.ts";
import { caller, ed25519Key, kidOf, PROXIED } from "./agents.ts";

let service: Service;
let api: ReturnType<typeof caller>;
let jwk: JWK;
let kid: string;
let own: { Authorization: string };
beforeAll(async () => {
  service = await startService({ chain: "embedded", env: PROXIED });
  api = caller(service.url);
  const key = ed25519Key();
  jwk = key.private_jwk();
  kid = await kidOf(api, key);
  const { body } = await api.post("/soul/register", {
    agent_id: "signer",
    issue_api_key: true,
    ...(await api.proof(key, "signer")),
  });
  own = { Authorization: `Bearer ${body.api_key}` };
  await until(async () => (await api.get("/soul/compute/tasks?limit=1", own)).status === 200);
});
afterAll(() => service?.stop());

type Signing = Partial<SignatureParams> & { jwk?: JWK; at?: string; agent?: string };
const COVERED = ["@authority", "@method", "@target-uri"];

/** The request with the library's headers; `at`: the URL that is signed. */
async function signed(path: string, init: RequestInit = {}, options: Signing = {}): Promise<Request> {
  const { jwk: key = jwk, at = service.url + path, agent, ...params } = options;
  const { method = "GET", body } = init;
  const headers = new Headers(init.headers);
  if (agent) headers.set("Signature-Agent", agent);
  const digest = createHash("sha256")
    .update(String(body ?? ""))
    .digest("base64");
  if (body) headers.set("Content-Digest", `sha-256=:${digest}:`);
  if (body) headers.set("Content-Type", "application/json");
  const write = method !== "GET" && {
    components: [...COVERED, ...(body ? ["content-digest"] : []), ...(agent ? ["signature-agent"] : [])],
  };
  const made = await signatureHeaders(
    { method, url: at, headers } as never,
    await signerFromJWK(key as never),
    {
      created: new Date(),
      expires: new Date(Date.now() + 60_000),
      ...(write || {}),
      ...params,
    },
  );
  headers.set("Signature", made.Signature);
  headers.set("Signature-Input", made["Signature-Input"]);
  return new Request(service.url + path, { ...init, headers });
}

const TASKS = "/soul/compute/tasks?limit=1";
const statusOf = async (request: Request) => (await fetch(request)).status;
const register = { method: "POST", body: JSON.stringify({ services: [], version: "1.2.3" }) };

test("the library's own signature, with its default components, identifies the agent", async () => {
  expect(await statusOf(await signed(TASKS))).toBe(200);
  expect(await statusOf(await signed(TASKS, {}, { agent: '"https://signer.example.org"' }))).toBe(200);
  expect(kid).toBe((await signerFromJWK(jwk as never)).keyid);
});

test("a write's signature covers its method, address and body, and the log names the key", async () => {
  const path = "/soul/signer/description";
  const described = await fetch(await signed(path, register));
  expect([described.status, await described.json()]).toMatchObject([200, { version: "1.2.3" }]);
  for (const components of [["@authority"], COVERED, ["@authority", "content-digest"]])
    expect(await statusOf(await signed(path, register, { components }))).toBe(401);
  const other = await signed(path, register);
  const swapped = new Request(other.url, {
    method: "POST",
    headers: other.headers,
    body: '{"version":"6.6.6"}',
  });
  expect(await statusOf(swapped)).toBe(400);
  const elsewhere = await signed(path, register);
  const moved = new Request(`${service.url}/soul/stack`, {
    method: "POST",
    headers: elsewhere.headers,
    body: register.body,
  });
  expect(await statusOf(moved)).toBe(401);
  const posted = {
    method: "POST",
    body: '{"kind":"note","title":"Pellets","price_usd":0,"content":"March."}',
  };
  const published = await fetch(await signed("/soul/stack", posted));
  expect(published.status).toBe(201);
  const { item_id } = (await published.json()) as { item_id: string };
  const events = await service.app.store.readStream({ tenant: "operator", stream_id: `stack-${item_id}` });
  expect(events[0]!.meta).toMatchObject({ actor: `key:${kid}` });
});

describe("the service refuses", () => {
  const other = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }) as JWK;
  const nonce = generateNonce();
  const cases: [string, () => Promise<Request>][] = [
    ["a nonce that was used", () => signed(TASKS, {}, { nonce })],
    ["a signature for another host", () => signed(TASKS, {}, { at: `https://other.example${TASKS}` })],
    ["one that expired", () => signed(TASKS, {}, past(400, 340))],
    ["one that begins later", () => signed(TASKS, {}, past(-120, -180))],
    ["one that lasts for an hour", () => signed(TASKS, {}, past(0, -3_600))],
    [
      "a header that names the agent and is not covered",
      async () => {
        const request = await signed(TASKS);
        request.headers.set("Signature-Agent", '"https://evil.example.org"');
        return request;
      },
    ],
    [
      "another key's signature under this key's name",
      async () => {
        const [mine, theirs] = [await signed(TASKS), await signed(TASKS, {}, { jwk: other })];
        mine.headers.set("Signature", theirs.headers.get("signature")!);
        return mine;
      },
    ],
  ];
  const past = (from: number, to: number) => ({
    created: new Date(Date.now() - from * 1e3),
    expires: new Date(Date.now() - to * 1e3),
  });
  test.each(cases)("%s", async (_, request) => {
    if (_ === "a nonce that was used") expect(await statusOf(await request())).toBe(200);
    expect(await statusOf(await request())).toBe(401);
  });

  test("the second use of a request: of twenty at once, all but one", async () => {
    const once = await signed(TASKS);
    const answers = await Promise.all(Array.from({ length: 20 }, () => statusOf(once.clone())));
    expect(answers.filter((status) => status === 200)).toHaveLength(1);
  });

  test("an API key together with the signature, since each names a caller", async () => {
    expect(await statusOf(await signed(TASKS, { headers: own }))).toBe(400);
  });
});

test("a key of no agent changes nothing: the caller is anonymous, or that of its API key", async () => {
  const stranger = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }) as JWK;
  expect(await statusOf(await signed(TASKS, {}, { jwk: stranger }))).toBe(402);
  expect(await statusOf(await signed(TASKS, { headers: own }, { jwk: stranger }))).toBe(200);
  expect(await statusOf(await signed("/soul/stats", {}, { jwk: stranger }))).toBe(200);
});

test("every read for an agent's API key also takes the agent's signature, and nobody else's", async () => {
  const reads = catalogue.filter(
    ({ route, access }) => route.startsWith("GET ") && access.some(({ kind }) => kind === "subject's key"),
  );
  expect(reads.length).toBeGreaterThan(7);
  for (const { route, name } of reads) {
    const path = route.slice("GET ".length).replaceAll(/\{\+?\w+\}/g, "1");
    const [by_key, by_signature] = [
      await fetch(service.url + path, { headers: own }),
      await fetch(await signed(path)),
    ];
    expect(by_signature.status, name).toBe(by_key.status);
    expect([401, 402, 403], name).not.toContain(by_signature.status);
  }
});

test("a purchase with the signature is the agent's", async () => {
  const item = { kind: "note", title: "Pellets in April", price_usd: 0.05, content: "By the ton." };
  const author = await api.post("/soul/register", { agent_id: "author", issue_api_key: true });
  const selling = { Authorization: `Bearer ${author.body.api_key}` };
  const published = await until(async () => {
    const answer = await api.post("/soul/stack", item, selling);
    return answer.status === 201 && answer;
  });
  const path = `/soul/stack/${published.body.item_id}/buy`;
  const init = { method: "POST", body: '{"price_usd":0.05}' };
  const quoted = { ...init, headers: { "Content-Type": "application/json" } };
  const payment = await signPayment(wallet(4), await quoteOf(service.url + path, quoted));
  const headers = Object.fromEntries((await signed(path, init)).headers);
  expect((await present(service.url + path, payment, { ...init, headers })).status).toBe(200);
  const bought = await fetch(await signed(`/soul/stack/${published.body.item_id}`));
  expect(await bought.json()).toMatchObject({ content: "By the ton." });
});

test("a revoked key identifies nobody", async () => {
  const second = ed25519Key();
  const endorsed = { agent_id: "leaver", issue_api_key: true, ...(await api.proof(second, "leaver")) };
  const { body } = await api.post("/soul/register", endorsed);
  const key = second.private_jwk();
  expect(await statusOf(await signed(TASKS, {}, { jwk: key }))).toBe(200);
  const headers = { Authorization: `Bearer ${body.api_key}` };
  expect(
    (await api.call("DELETE", `/soul/leaver/keys/${await kidOf(api, second)}`, undefined, headers)).status,
  ).toBe(200);
  expect(await statusOf(await signed(TASKS, {}, { jwk: key }))).toBe(402);
});
