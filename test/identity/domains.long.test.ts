/** Links to domains at a real server: who may make one, and what ends it. */

import { once } from "node:events";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import * as agents from "../../src/domain/identity/agent.ts";
import { didOf } from "../../src/domain/identity/public-key.ts";
import { domainsProjection } from "../../src/projections/identity/domains.ts";
import { CHECK_EVERY_MS, domainsReactor, SILENCE_MS } from "../../src/reactors/identity/check-domains.ts";
import { type Answer, openReceiver, type Receiver } from "../alerts/receiver.ts";
import { startProgram } from "../support/compiled.ts";
import { replace } from "../support/replace.ts";
import { type Service, startService } from "../support/service.ts";
import { turn as take } from "../support/turns.ts";
import { LIMIT_MS } from "../support/until.ts";
import { caller, ed25519Key, evmKey, kidOf, PROXIED, type TestKey } from "./agents.ts";

let service: Service & { database_url: string };
let site: Receiver;
let domain: string;
let api: ReturnType<typeof caller>;

beforeAll(async () => {
  site = await openReceiver();
  domain = `localhost:${site.port}`;
  const env = { ...PROXIED, ALLOW_PRIVATE_WEBHOOKS: "1", WEBHOOK_PORTS: "1024-65535" };
  service = await startService({ env });
  api = caller(service.url);
});
afterAll(async () => {
  await service?.stop();
  await site?.close();
});
beforeEach(() => {
  site.received.length = 0;
  replace(service.app, { clock: { now: () => new Date(Date.now() + later_ms) } });
});

/** The lead of the service's clock: it never goes back. */
let later_ms = 0;

const didBy = ({ kind, name }: TestKey) =>
  kind === "evm" ? didOf({ kind, public: name.toLowerCase() }) : name;

const saying =
  (said: unknown): Answer =>
  (response) =>
    void response.end(JSON.stringify(said));
const naming = (...names: string[]) => saying({ id: `did:web:localhost%3A${site.port}`, alsoKnownAs: names });

async function agentOf(agent_id: string, key: TestKey) {
  const made = await api.post("/soul/register", { agent_id, ...(await api.proof(key, agent_id)) });
  expect(made).toMatchObject({ status: 200 });
}

const linkBy = async (key: TestKey, agent_id: string, name = domain) =>
  api.post(`/soul/${agent_id}/links`, {
    domain: name,
    ...(await api.proof(key, agent_id, "link", `domain-${name}`)),
  });

type Linked = { link: string }[];
const linksOf = async (agent_id: string) =>
  ((await api.get(`/soul/passport/${agent_id}`)).body.links as Linked).map(({ link }) => link);

async function turn(after_ms: number): Promise<void> {
  later_ms += after_ms;
  const { app } = service;
  await app.runner.reached(domainsProjection, (await app.store.head()).position, LIMIT_MS);
  expect(await take(app, domainsReactor)).toEqual({ status: "done" });
  await app.runner.reached(domainsProjection, (await app.store.head()).position, LIMIT_MS);
}

const storyOf = async (agent_id: string) => {
  const { tenant } = agents.targetOf(agent_id);
  const events = await service.app.store.readStream({ tenant, stream_id: agents.streamOf(agent_id) });
  return events.flatMap(({ type, payload }) =>
    type === "AgentLinked" ? "linked" : type === "AgentUnlinked" ? String(payload.reason) : [],
  );
};

const refused = { status: 409, body: { type: expect.stringContaining("#domain-refused") } };

test("a domain that names the agent's key is linked at that key's request only", async () => {
  const [key, stranger] = [evmKey(), ed25519Key()];
  await agentOf("sited", key);
  await agentOf("stranger", stranger);
  site.answers(naming("did:web:elsewhere.example.org", didBy(key)));
  // An unsigned call causes no outside request.
  expect(await api.post("/soul/sited/links", { domain })).toMatchObject({ status: 403 });
  const other = await api.proof(key, "sited", "link", "domain-other.example.org");
  expect(await api.post("/soul/sited/links", { domain, ...other })).toMatchObject({ status: 400 });
  expect(await linkBy(stranger, "sited")).toMatchObject({ status: 403 });
  expect(site.received).toEqual([]);
  expect(await linkBy(stranger, "stranger")).toMatchObject(refused);

  const linked = await linkBy(key, "sited");
  expect(linked).toMatchObject({
    status: 200,
    body: {
      links: [
        { link: `domain-${domain}`, kind: "domain", domain, agent_id: null, registry: null, wallet: null },
      ],
    },
  });
  expect(site.received.at(-1)).toMatchObject({ url: "/.well-known/did.json", body: "" });
  expect(await api.post("/soul/sited/links", { domain })).toEqual(linked);
  expect(await storyOf("sited")).toEqual(["linked"]);
});

test("a domain link is in the passport and the credential, and is not a registration", async () => {
  expect(await linksOf("sited")).toEqual([`domain-${domain}`]);
  const token = await (await fetch(`${service.url}/soul/passport/sited/credential`)).text();
  const { credentialSubject } = JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());
  expect(credentialSubject.alsoKnownAs).toContain(`did:web:localhost%3A${site.port}`);
  const file = (await api.get("/soul/passport/sited/registration.json")).body;
  expect(file.registrations).toEqual([]);
});

test("a link needs exactly one of both names, in a valid form", async () => {
  for (const request of [{}, { domain, erc8004_id: "0" }])
    expect(await api.post("/soul/sited/links", request)).toMatchObject({
      status: 400,
      body: { errors: [{ path: "erc8004_id" }] },
    });
  for (const name of ["https://a.example.org", "A.example.org", "127.0.0.1", "a.example.org/x"])
    expect(await api.post("/soul/sited/links", { domain: name })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "domain" }] },
    });
});

test("hostile answers link nothing, and the error has their class", async () => {
  const key = ed25519Key();
  await agentOf("hostile", key);
  const own = { id: `did:web:localhost%3A${site.port}`, alsoKnownAs: [didBy(key)] };
  const answers: [string, Answer][] = [
    ["redirects are not followed", { status: 302, headers: { Location: "http://127.0.0.1:1/" } }],
    ["more than 65536 bytes", saying({ ...own, more: "a".repeat(65_536) })],
    ["breaks off", (response) => response.write("{", () => response.socket!.destroy())],
    ["answered 500", { status: 500 }],
    ["not a DID document", saying([own])],
    ["its id is another", saying({ ...own, id: "did:web:agent.example.org" })],
    ["names no live key", saying({ ...own, alsoKnownAs: [didBy(ed25519Key())] })],
    ["names no live key", { status: 404 }],
  ];
  for (const [why, answer] of answers) {
    site.answers(answer);
    expect(await linkBy(key, "hostile")).toMatchObject({
      status: 409,
      body: { type: refused.body.type, detail: expect.stringContaining(why) },
    });
  }
  expect(site.received).toHaveLength(answers.length);
  expect(await linkBy(key, "hostile", "localhost:22")).toMatchObject(refused);
  expect(await storyOf("hostile")).toEqual([]);
});

test("concurrent requests link a domain once", async () => {
  const key = evmKey();
  await agentOf("hurried", key);
  site.answers(naming(didBy(key)));
  const answers = await Promise.all(Array.from({ length: 8 }, () => linkBy(key, "hurried")));
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(await storyOf("hurried")).toEqual(["linked"]);
});

test("a domain is checked again after an hour, and the link ends when it no longer names the key", async () => {
  const key = evmKey();
  await agentOf("leaving", key);
  site.answers(naming(didBy(key)));
  expect(await linkBy(key, "leaving")).toMatchObject({ status: 200 });
  site.answers(naming());
  await turn(CHECK_EVERY_MS - 60_000);
  expect(await linksOf("leaving")).toEqual([`domain-${domain}`]);
  await turn(60_000);
  expect(await linksOf("leaving")).toEqual([]);
  // All other links end too: the domain names none of them any more.
  expect(await linksOf("sited")).toEqual([]);
  expect(await storyOf("leaving")).toEqual(["linked", "withdrawn"]);
  site.answers(naming(didBy(key)));
  await turn(CHECK_EVERY_MS);
  expect(await linksOf("leaving")).toEqual([]);
  expect(await linkBy(key, "leaving")).toMatchObject({ status: 200 });
});

test("a domain without an answer keeps its link for a week, and each answer restarts the week", async () => {
  const key = ed25519Key();
  await agentOf("silent", key);
  site.answers(naming(didBy(key)));
  expect(await linkBy(key, "silent")).toMatchObject({ status: 200 });
  const silence = async () => {
    site.answers({ status: 503 });
    await turn(CHECK_EVERY_MS);
    site.answers({ status: 302, headers: { Location: "/" } });
    await turn(SILENCE_MS - 600_000);
    expect(await linksOf("silent")).toEqual([`domain-${domain}`]);
  };
  await silence();
  site.answers(naming(didBy(key)));
  await turn(CHECK_EVERY_MS);
  await silence();
  await turn(CHECK_EVERY_MS);
  expect(await linksOf("silent")).toEqual([]);
  expect(await storyOf("silent")).toEqual(["linked", "silent"]);
});

test.each([
  ["while it is asked", ["linked"]],
  ["before it is recorded", ["linked"]],
  ["after it is recorded", ["linked", "withdrawn"]],
])("after a process is killed %s, the next one finishes, and the link ends once", async (step, left) => {
  const key = ed25519Key();
  const id = `killed-${step.replaceAll(" ", "-")}`;
  await agentOf(id, key);
  site.answers(naming(didBy(key)));
  expect(await linkBy(key, id)).toMatchObject({ status: 200 });
  later_ms += CHECK_EVERY_MS;
  const { database_url, data_dir, app } = service;
  const child = startProgram("test/identity/doomed-asker.ts", [], {
    env: {
      ...{ PATH: process.env.PATH, DATABASE_URL: database_url, DATA_DIR: data_dir },
      ...{ ALLOW_PRIVATE_WEBHOOKS: "1", WEBHOOK_PORTS: "1024-65535" },
      ...{ DIES_AT: step, LATER_MS: String(later_ms) },
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  site.answers((response) => {
    if (step === "while it is asked") child.kill("SIGKILL");
    response.end(JSON.stringify({ id: `did:web:localhost%3A${site.port}` }));
  });
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
  expect(await storyOf(id)).toEqual(left);
  await app.runner.reached(domainsProjection, (await app.store.head()).position, LIMIT_MS);
  expect(await take(app, domainsReactor, { patient: true })).toEqual({ status: "done" });
  expect(await storyOf(id)).toEqual(["linked", "withdrawn"]);
});

test("a check of an earlier link ends no renewed link", async () => {
  const key = ed25519Key();
  await agentOf("renewed", key);
  site.answers(naming(didBy(key)));
  expect(await linkBy(key, "renewed")).toMatchObject({ status: 200 });
  let hasRenewed = false;
  site.answers((response) => {
    site.answers(naming(didBy(key)));
    void renew().finally(() => response.writeHead(404).end());
  });
  async function renew() {
    const proof = new URLSearchParams(await api.proof(key, "renewed", "revoke", `domain-${domain}`));
    const path = `/soul/renewed/links/${encodeURIComponent(`domain-${domain}`)}?${proof}`;
    expect(await api.call("DELETE", path)).toMatchObject({ status: 200, body: { links: [] } });
    expect(await linkBy(key, "renewed")).toMatchObject({ status: 200 });
    hasRenewed = true;
  }
  await turn(CHECK_EVERY_MS);
  expect(hasRenewed).toBe(true);
  expect(await linksOf("renewed")).toEqual([`domain-${domain}`]);
  expect(await storyOf("renewed")).toEqual(["linked", "asked", "linked"]);
});

test("a link ends with the key that the domain names", async () => {
  const [key, next] = [evmKey(), ed25519Key()];
  await agentOf("rotating", key);
  site.answers(naming(didBy(key)));
  expect(await linkBy(key, "rotating")).toMatchObject({ status: 200 });
  const endorsement = await api.proof(key, "rotating", "rotate", await kidOf(api, next));
  const rotation = { ...(await api.proof(next, "rotating")), endorsement, rotate: true };
  expect(await api.post("/soul/rotating/keys", rotation)).toMatchObject({ status: 200 });
  expect(await linksOf("rotating")).toEqual([]);
  site.received.length = 0;
  await turn(CHECK_EVERY_MS);
  const { rows } = await service.app.pool.query(
    "select agent from read.agent_domains_v1 where agent = 'rotating'",
  );
  expect(rows).toEqual([]);
});
