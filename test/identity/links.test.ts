/** Links to ERC-8004 on a real chain: who may make one, what ends it, and what restores it. */
import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import * as agents from "../../src/domain/identity/agent.ts";
import { REGISTRY } from "../../src/domain/identity/registry.ts";
import { linksProjection } from "../../src/projections/identity/links.ts";
import { linksReactor } from "../../src/reactors/identity/follow-links.ts";
import { type Desk, openDesk } from "../checks/check-setup.ts";
import { turn as take } from "../support/turns.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { wallet } from "../support/wallets.ts";
import { caller, ed25519Key, kidOf, PROXIED, type TestKey } from "./agents.ts";
import { placeRegistry, register, setWallet, transfer } from "./registry.ts";

let desk: Desk;
let api: ReturnType<typeof caller>;
const OWNER = 2;
const OTHER = 3;
const STRANGER = 4;

const keyOf = (index: number): TestKey => ({
  kind: "evm",
  name: wallet(index).address,
  sign: (message) => wallet(index).signMessage({ message }),
});

const agentOf = async (agent_id: string, key: TestKey) =>
  expect(await api.post("/soul/register", { agent_id, ...(await api.proof(key, agent_id)) })).toMatchObject({
    status: 200,
  });

const linkBy = async (key: TestKey, agent_id: string, erc8004_id: string) =>
  api.post(`/soul/${agent_id}/links`, {
    erc8004_id,
    ...(await api.proof(key, agent_id, "link", `erc8004-${erc8004_id}`)),
  });

type Linked = { link: string; wallet: string }[];
const linksOf = async (agent_id: string) =>
  ((await api.get(`/soul/passport/${agent_id}`)).body.links as Linked).map(({ link }) => link);

/** A tick of the reactor over a read model with the whole log. */
async function turn(): Promise<string> {
  const { app } = desk;
  await app.runner.reached(linksProjection, (await app.store.head()).position, LIMIT_MS);
  return (await take(app, linksReactor)).status;
}

const storyOf = async (agent_id: string) => {
  const { tenant } = agents.targetOf(agent_id);
  const events = await desk.app.store.readStream({ tenant, stream_id: agents.streamOf(agent_id) });
  return events.flatMap(({ type, payload }) =>
    type === "AgentLinked"
      ? `linked ${payload.cause}`
      : type === "AgentUnlinked"
        ? `unlinked ${payload.reason}`
        : [],
  );
};

/** Reverts to a snapshot and continues with a slightly longer chain. */
async function rewind(snapshot: Hex): Promise<void> {
  const { latest } = await desk.app.chain.heads();
  expect(await desk.rpc("evm_revert", snapshot)).toBe(true);
  await desk.rpc("anvil_setBalance", `0x${randomBytes(20).toString("hex")}`, "0x1");
  // For a moment after the revert the node may have no final block.
  while ((await until(() => desk.app.chain.heads())).latest.number <= latest.number)
    await desk.rpc("evm_mine");
}

beforeAll(async () => {
  desk = await openDesk({ env: PROXIED });
  api = caller(desk.service.url);
  await agentOf("owner", keyOf(OWNER));
  await agentOf("other", keyOf(OTHER));
});
afterAll(() => desk?.service.stop());

test("a chain without a registry links nothing, and the error says so", async () => {
  expect(await linkBy(keyOf(OWNER), "owner", "0")).toMatchObject({
    status: 503,
    body: { type: expect.stringContaining("#no-registry") },
  });
  await placeRegistry(desk);
  expect(await linkBy(keyOf(OWNER), "owner", "0")).toMatchObject({ status: 404 });
  for (const _ of [0, 1, 2, 3]) await desk.send(register(), OWNER);
});

test("only an owner in the registry links, by a live key of the agent and about that very id", async () => {
  // A stranger owns nothing there; another's wallet is not a key of the agent.
  expect(await linkBy(keyOf(OTHER), "other", "0")).toMatchObject({
    status: 403,
    body: { type: expect.stringContaining("#not-yours") },
  });
  expect(await linkBy(keyOf(OTHER), "owner", "0")).toMatchObject({ status: 403 });
  const proof = await api.proof(keyOf(OWNER), "owner", "link", "erc8004-1");
  expect(await api.post("/soul/owner/links", { erc8004_id: "0", ...proof })).toMatchObject({ status: 400 });
  expect(await api.post("/soul/owner/links", { erc8004_id: "0" })).toMatchObject({ status: 403 });
  for (const erc8004_id of ["-1", "01", "0x1", "1.5", `${2n ** 256n}`])
    expect(await api.post("/soul/owner/links", { erc8004_id })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "erc8004_id" }] },
    });
  expect(await linksOf("owner")).toEqual([]);
});

test("a link appears once in passport, registration file and credential, however often it is requested", async () => {
  const linked = await linkBy(keyOf(OWNER), "owner", "0");
  expect(linked).toMatchObject({
    status: 200,
    body: {
      sx_id: "SX#1",
      links: [
        {
          link: "erc8004-0",
          agent_id: "0",
          registry: `eip155:8453:${REGISTRY}`,
          wallet: wallet(OWNER).address.toLowerCase(),
        },
      ],
    },
  });
  expect(await api.post("/soul/owner/links", { erc8004_id: "0" })).toEqual(linked);
  expect(await storyOf("owner")).toEqual(["linked asked"]);
  expect(await linksOf("owner")).toEqual(["erc8004-0"]);
  const file = (await api.get("/soul/passport/owner/registration.json")).body;
  expect(file.registrations).toEqual([{ agentId: 0, agentRegistry: `eip155:8453:${REGISTRY}` }]);
  const token = await (await fetch(`${desk.service.url}/soul/passport/1/credential`)).text();
  const { credentialSubject } = JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());
  expect(credentialSubject.alsoKnownAs).toContain(`eip155:8453/erc721:${REGISTRY}/0`);
});

test("the wallet set in the registry may link like the owner", async () => {
  await desk.send(setWallet(1n, wallet(OTHER).address), OWNER);
  expect(await linkBy(keyOf(OTHER), "other", "1")).toMatchObject({
    status: 200,
    body: { links: [{ link: "erc8004-1" }] },
  });
  await turn();
  expect(await linksOf("other")).toEqual(["erc8004-1"]);
  await desk.send(setWallet(1n, wallet(STRANGER).address), OWNER);
  await turn();
  expect(await linksOf("other")).toEqual([]);
});

test("a transfer ends the link; a revert of the transfer restores it, and a final transfer does not", async () => {
  const snapshot = await desk.rpc<Hex>("evm_snapshot");
  await desk.send(transfer(wallet(OWNER).address, wallet(STRANGER).address, 0n), OWNER);
  await turn();
  await turn();
  expect(await linksOf("owner")).toEqual([]);
  expect(await storyOf("owner")).toEqual(["linked asked", "unlinked transfer"]);
  await rewind(snapshot);
  await turn();
  await turn();
  expect(await linksOf("owner")).toEqual(["erc8004-0"]);
  expect(await storyOf("owner")).toEqual(["linked asked", "unlinked transfer", "linked restored"]);

  await desk.send(transfer(wallet(OWNER).address, wallet(STRANGER).address, 0n), OWNER);
  await turn();
  await desk.mine(200);
  await desk.send(transfer(wallet(STRANGER).address, wallet(OWNER).address, 0n), STRANGER);
  await turn();
  expect(await linksOf("owner")).toEqual([]);
  // The link is back when the agent requests it.
  expect(await linkBy(keyOf(OWNER), "owner", "0")).toMatchObject({ status: 200 });
});

test("a link to a reverted registration ends with the reorg", async () => {
  const snapshot = await desk.rpc<Hex>("evm_snapshot");
  await desk.send(register(), OTHER);
  expect(await linkBy(keyOf(OTHER), "other", "4")).toMatchObject({ status: 200 });
  await rewind(snapshot);
  await turn();
  expect(await linksOf("other")).toEqual([]);
  expect((await storyOf("other")).at(-1)).toBe("unlinked reorg");
});

test("a link ends at the agent's request, with its key, and with the passport", async () => {
  expect(await linkBy(keyOf(OWNER), "owner", "2")).toMatchObject({ status: 200 });
  const path = "/soul/owner/links/erc8004-2";
  expect(await api.call("DELETE", path)).toMatchObject({ status: 403 });
  const wrong = await api.proof(keyOf(OWNER), "owner", "revoke", "erc8004-0");
  expect(await api.call("DELETE", `${path}?${new URLSearchParams(wrong)}`)).toMatchObject({ status: 400 });
  const proof = await api.proof(keyOf(OWNER), "owner", "revoke", "erc8004-2");
  const url = `${path}?${new URLSearchParams(proof)}`;
  expect(await api.call("DELETE", url)).toMatchObject({
    status: 200,
    body: { links: [{ link: "erc8004-0" }] },
  });
  expect(await api.call("DELETE", url)).toMatchObject({ status: 200 });
  await turn();
  expect(await linksOf("owner")).toEqual(["erc8004-0"]);

  const next = ed25519Key();
  const kid = await kidOf(api, next);
  const endorsement = await api.proof(keyOf(OWNER), "owner", "rotate", kid);
  const rotation = { ...(await api.proof(next, "owner")), endorsement, rotate: true };
  expect(await api.post("/soul/owner/keys", rotation)).toMatchObject({ status: 200 });
  expect(await linksOf("owner")).toEqual([]);
  await turn();
  expect(await linksOf("owner")).toEqual([]);
  expect((await desk.app.pool.query("select * from read.agent_links_v1 where agent = 'owner'")).rows).toEqual(
    [],
  );
});

test("while the registry is missing no link ends", async () => {
  await desk.send(register(), OTHER);
  expect(await linkBy(keyOf(OTHER), "other", "4")).toMatchObject({ status: 200 });
  const code = await desk.rpc<Hex>("eth_getCode", REGISTRY, "latest");
  await desk.rpc("anvil_setCode", REGISTRY, "0x");
  await desk.mine(1);
  expect(await turn()).toBe("no_registry");
  await desk.rpc("anvil_setCode", REGISTRY, code);
  await desk.mine(1);
  expect(await turn()).toBe("done");
  expect(await linksOf("other")).toEqual(["erc8004-4"]);
});

test("passport, credential, card and registration file name one subject at every step", async () => {
  const { url } = desk.service;
  const [first, second] = [keyOf(5), ed25519Key()];
  await agentOf("wanderer", first);
  const { sx_number } = (await api.get("/soul/passport/wanderer")).body.passport as { sx_number: number };
  const subject = `${url}/soul/passport/${sx_number}`;

  const names = async () => {
    const passport = (await api.get("/soul/passport/wanderer")).body;
    const token = await (await fetch(`${subject}/credential`)).text();
    const { credentialSubject } = JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());
    const card = (await api.get("/soul/passport/wanderer/agent-card.json")).body as {
      documentationUrl: string;
      capabilities: { extensions: { params: { subject: string; alsoKnownAs?: string[] } }[] };
    };
    const { params } = card.capabilities.extensions[0]!;
    const file = (await api.get("/soul/passport/wanderer/registration.json")).body as {
      services: { name: string; endpoint: string }[];
      registrations: { agentId: number }[];
    };
    const place = file.services.find(({ name }) => name === "passport")!.endpoint;
    expect([credentialSubject.id, card.documentationUrl, params.subject, place]).toEqual(
      Array(4).fill(subject),
    );
    const keys = (passport.keys as { did: string }[]).map(({ did }) => did);
    const links = (passport.links as Linked).map(({ link }) => link);
    const assets = links.map((link) => `eip155:8453/erc721:${REGISTRY}/${link.slice("erc8004-".length)}`);
    expect(credentialSubject.alsoKnownAs).toEqual([...keys, ...assets]);
    expect(params.alsoKnownAs ?? []).toEqual([...keys, ...assets]);
    expect(file.services.filter(({ name }) => name === "DID").map(({ endpoint }) => endpoint)).toEqual(keys);
    expect(file.registrations.map(({ agentId }) => `erc8004-${agentId}`)).toEqual(links);
    return { keys: keys.length, links };
  };

  const said = { services: [{ endpoint: "https://wanderer.example.org/a2a", name: "A2A" }] };
  const about = createHash("sha256").update(JSON.stringify(said)).digest("hex");
  const proof = await api.proof(first, "wanderer", "describe", about);
  expect(await api.post("/soul/wanderer/description", { ...said, ...proof })).toMatchObject({ status: 200 });
  expect(await names()).toEqual({ keys: 1, links: [] });

  const kid = await kidOf(api, second);
  const endorsement = await api.proof(first, "wanderer", "prove", kid);
  const added = { ...(await api.proof(second, "wanderer")), endorsement };
  expect(await api.post("/soul/wanderer/keys", added)).toMatchObject({ status: 200 });
  expect(await names()).toEqual({ keys: 2, links: [] });

  await desk.send(register(), 5);
  expect(await linkBy(second, "wanderer", "5")).toMatchObject({ status: 200 });
  expect(await names()).toEqual({ keys: 2, links: ["erc8004-5"] });

  const gone = new URLSearchParams(await api.proof(second, "wanderer", "revoke", await kidOf(api, first)));
  const path = `/soul/wanderer/keys/${await kidOf(api, first)}?${gone}`;
  expect(await api.call("DELETE", path)).toMatchObject({ status: 200 });
  expect(await names()).toEqual({ keys: 1, links: [] });

  const end = { reason: "done", ...(await api.proof(second, "wanderer", "revoke", "passport")) };
  expect(await api.post("/soul/wanderer/revoke", end)).toMatchObject({ status: 200 });
  expect((await api.get("/soul/passport/wanderer/agent-card.json")).status).toBe(409);
  const left = (await api.get("/soul/passport/wanderer/registration.json")).body;
  expect(left).toMatchObject({ active: false, registrations: [] });
  expect(JSON.stringify(left)).toContain(subject);
});
