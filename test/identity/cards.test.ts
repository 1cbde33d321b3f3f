/** Descriptions, and their forms for other registries: A2A's own library verifies the card. */
import { createHash } from "node:crypto";
import { AgentCard, verifyAgentCardSignature } from "@a2a-js/sdk";
import type { JWK } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { canonicalText } from "../../eventstore/canonical.ts";
import type { JsonObject } from "../../eventstore/types.ts";
import { events } from "../../src/domain/identity/agent-events.ts";
import { eraseName, setSuspended } from "../../src/operator/agents.ts";
import { type Service, startService } from "../support/service.ts";
import { caller, ed25519Key, evmKey, PROXIED, type TestKey } from "./agents.ts";

let service: Service;
let api: ReturnType<typeof caller>;
let api_key: string;
const key = ed25519Key();
const wallet = evmKey();
beforeAll(async () => {
  service = await startService({ env: PROXIED, vault: true });
  api = caller(service.url);
  const { body } = await api.post("/soul/register", {
    agent_id: "scout",
    display_name: "Scout",
    issue_api_key: true,
    ...(await api.proof(key, "scout")),
  });
  api_key = String(body.api_key);
  await api.post("/soul/register", { agent_id: "quiet", ...(await api.proof(wallet, "quiet")) });
});
afterAll(() => service.stop());

const own = () => ({ Authorization: `Bearer ${api_key}` });
const A2A = { name: "A2A", endpoint: "https://scout.example.org/a2a", version: "1.0", binding: "HTTP+JSON" };
const MCP = { name: "MCP", endpoint: "https://scout.example.org/mcp", version: "2025-06-18" };
const PATH = "/soul/scout/description";
const PROVIDER = { organization: "Nordic Weather AS", url: "https://weather.example.org" };

/** The SHA-256 of a description's canonical form. */
const about = (said: JsonObject) => createHash("sha256").update(canonicalText(said, "said")).digest("hex");
const describedBy = async (by: TestKey, said: JsonObject, agent_id = "scout") =>
  api.post(`/soul/${agent_id}/description`, {
    ...said,
    ...(await api.proof(by, agent_id, "describe", about(said))),
  });

const cardOf = (agent_id: string) => api.get(`/soul/passport/${agent_id}/agent-card.json`);
const fileOf = (agent_id: string) => api.get(`/soul/passport/${agent_id}/registration.json`);

/** Verifies with the key at the card's URL. */
const verify = verifyAgentCardSignature(async (kid, jku) => {
  const { keys } = (await (await fetch(jku!)).json()) as { keys: (JWK & { kid: string })[] };
  return keys.find((one) => one.kid === kid)!;
});

test("an owner describes an agent by its API key, or by a live key's signature of exactly that description", async () => {
  const purpose = "Watches the weather over the Baltic";
  const said = { purpose, provider: PROVIDER, services: [MCP], version: "1.4.0" };
  expect(await describedBy(key, said)).toMatchObject({ status: 200, body: { sx_id: "SX#1", ...said } });
  expect(await api.post(PATH, { services: [A2A, MCP], purpose }, own())).toMatchObject({ status: 200 });
  const proof = await api.proof(key, "scout", "describe", about(said));
  const altered = { ...said, services: [{ ...MCP, endpoint: "https://evil.example.org/mcp" }] };
  expect(await api.post(PATH, { ...altered, ...proof })).toMatchObject({
    status: 400,
    body: { errors: [{ path: "challenge" }] },
  });
  expect(await describedBy(wallet, said)).toMatchObject({ status: 403 });
  expect(await api.post(PATH, said)).toMatchObject({ status: 403 });
  expect(await api.post("/soul/quiet/description", said, own())).toMatchObject({ status: 403 });
  const described = await api.post(PATH, { ...said, ...proof });
  expect(described).toMatchObject({ status: 200 });
  expect(await api.post(PATH, { ...said, ...proof })).toEqual(described);
  // After another description the old signature does not restore the first.
  await api.post(PATH, { services: [A2A] }, own());
  expect(await api.post(PATH, { ...said, ...proof })).toMatchObject({
    status: 400,
    body: { errors: [{ message: "was used already" }] },
  });
});

test.each([
  [
    "an address without encryption",
    { services: [{ ...MCP, endpoint: "http://scout.example.org" }] },
    "services.0.endpoint",
  ],
  [
    "an address with a password",
    { services: [{ ...MCP, endpoint: "https://me:secret@scout.example.org" }] },
    "services.0.endpoint",
  ],
  [
    "an address that is a script",
    { services: [{ ...MCP, endpoint: "javascript:alert(1)" }] },
    "services.0.endpoint",
  ],
  ["a binding of what is not A2A", { services: [{ ...MCP, binding: "GRPC" }] }, "services.0.binding"],
  ["too many services", { services: new Array(11).fill(MCP) }, "services"],
  ["a purpose with a direction mark", { purpose: "\u202egnp.exe" }, "purpose"],
  ["a purpose too long", { purpose: "x".repeat(301) }, "purpose"],
  ["a provider without an address", { provider: { organization: "Nordic Weather AS" } }, "provider.url"],
  [
    "a provider at an address without encryption",
    { provider: { ...PROVIDER, url: "http://weather.example.org" } },
    "provider.url",
  ],
  [
    "a provider with a direction mark in its name",
    { provider: { ...PROVIDER, organization: "\u202egnp" } },
    "provider.organization",
  ],
  ["a version of two words", { version: "one two" }, "version"],
])("%s is refused by field", async (_, said, path) => {
  expect(await api.post(PATH, said, own())).toMatchObject({ status: 400, body: { errors: [{ path }] } });
});

test("A2A's library reads and verifies the card, and any change breaks it", async () => {
  await api.post(PATH, { purpose: "Watches the weather", provider: PROVIDER, services: [A2A, MCP] }, own());
  const { status, body } = await cardOf("scout");
  expect(status).toBe(200);
  expect(body).not.toHaveProperty("url");
  const card = AgentCard.fromJSON(body);
  await expect(verify(card)).resolves.toBeUndefined();
  expect(card).toMatchObject({
    name: "Scout",
    description: "Watches the weather",
    provider: PROVIDER,
    supportedInterfaces: [{ url: A2A.endpoint, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }],
    capabilities: {
      extensions: [{ params: { sx_id: "SX#1", agent_id: "scout", alsoKnownAs: [key.name] } }],
    },
  });
  const forged: ((of: typeof card) => void)[] = [
    (of) => void (of.name = "Another"),
    (of) => void (of.provider!.organization = "Another"),
    (of) => void (of.supportedInterfaces[0]!.url = "https://evil.example.org/a2a"),
    (of) => void (of.capabilities!.extensions[0]!.params = { sx_id: "SX#2" }),
    (of) =>
      void (of.signatures[0]!.signature = of.signatures[0]!.signature.replace(/^./, (first) =>
        first === "A" ? "B" : "A",
      )),
    (of) => void of.signatures.pop(),
  ];
  for (const forge of forged) {
    const copy = AgentCard.fromJSON(body);
    forge(copy);
    await expect(verify(copy)).rejects.toThrow();
  }
});

test("an agent without an interface has no card, and every form names the same subject", async () => {
  expect(await cardOf("quiet")).toMatchObject({
    status: 404,
    body: { detail: expect.stringContaining("soul_describe") },
  });
  const subject = `${service.url}/soul/passport/1`;
  const file = await fileOf("scout");
  expect(file).toMatchObject({
    status: 200,
    body: {
      type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
      name: "Scout",
      description: "Watches the weather",
      active: true,
      services: [
        { name: "A2A", endpoint: `${subject}/agent-card.json`, version: "1.0" },
        MCP,
        { name: "DID", endpoint: key.name, version: "v1" },
        { name: "passport", endpoint: subject },
      ],
      registrations: [],
    },
  });
  expect(await fileOf("quiet")).toMatchObject({
    status: 200,
    body: { name: "quiet", services: [{ name: "DID" }, {}] },
  });
  const params = (await cardOf("scout")).body.capabilities as {
    extensions: { params: { subject: string } }[];
  };
  expect(params.extensions[0]!.params.subject).toBe(subject);
  const token = await (await fetch(`${subject}/credential`)).text();
  const payload = JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());
  expect(payload.credentialSubject.id).toBe(subject);
  expect((await fileOf("nobody")).status).toBe(404);
});

test("a suspended agent is inactive and cannot describe itself; erased data is in no form", async () => {
  await setSuspended(service.app, "scout", { suspended: true, reason: "asked" });
  expect((await fileOf("scout")).body.active).toBe(false);
  expect(await cardOf("scout")).toMatchObject({
    status: 409,
    body: { type: expect.stringContaining("#agent-suspended") },
  });
  expect(await api.post(PATH, { services: [A2A] }, own())).toMatchObject({ status: 409 });
  await setSuspended(service.app, "scout", { suspended: false, reason: "sorted out" });
  await eraseName(service.app, "scout");
  const card = await cardOf("scout");
  expect(card.body).toMatchObject({ name: "scout", description: expect.stringContaining("SX#1") });
  for (const { body } of [card, await fileOf("scout")])
    expect(JSON.stringify(body)).not.toMatch(/Scout|weather|Nordic/);
  await expect(verify(AgentCard.fromJSON(card.body))).resolves.toBeUndefined();
});

test("descriptions from before the field provider are read unchanged", () => {
  const { upcast, 1: first, 2: second } = events.AgentDescribed;
  const rest = {
    version: null,
    services: [],
    by: null,
    challenge_sha256: null,
    described_at: "2026-01-01T00:00:00.000Z",
  };
  const purpose = {
    subject_id: "5".repeat(32),
    seal_id: "6".repeat(32),
    iv: "i".repeat(16),
    ct: "c",
    tag: "t".repeat(22),
  };
  for (const sealed of [purpose, null]) {
    const old = first.parse({ purpose: sealed, ...rest });
    expect(second.parse(upcast[1](old))).toEqual({ about: sealed, ...rest });
  }
});
