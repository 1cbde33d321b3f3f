/** Forged and misplaced signatures over HTTP: each is refused, with its fault. */

import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { didOf } from "../../src/domain/identity/public-key.ts";
import { replace } from "../support/replace.ts";
import { type Service, startService } from "../support/service.ts";
import { caller, ed25519Key, evmKey, kidOf, PROXIED, type TestKey } from "./agents.ts";

let service: Service;
let api: ReturnType<typeof caller>;
beforeAll(async () => {
  service = await startService({ chain: "embedded", env: PROXIED });
  api = caller(service.url);
});
afterAll(() => service.stop());

let count = 0;
/** A new agent, claimed by a first key. */
async function agent(key: TestKey): Promise<string> {
  const agent_id = `forged-${++count}`;
  const proof = await api.proof(key, agent_id);
  expect(await api.post("/soul/register", { agent_id, ...proof })).toMatchObject({ status: 200 });
  return agent_id;
}

const keysOf = async (agent_id: string) =>
  ((await api.get(`/soul/passport/${agent_id}`)).body.keys as { kid: string }[]).map(({ kid }) => kid);

const HALF_ORDER_TWICE = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The other valid signature of the same text and key: n − s with the other parity. */
function highS(signature: string): string {
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130)];
  const high = (HALF_ORDER_TWICE - BigInt(`0x${s}`)).toString(16).padStart(64, "0");
  return `0x${r}${high}${v === "1b" ? "1c" : "1b"}`;
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

type Signing = (text: string) => Promise<string> | string;
const wallet = evmKey();
const ed = ed25519Key();
const stranger = ed25519Key();

const forgeries: [what: string, key: TestKey, told: string, sign: Signing][] = [
  ["another wallet's signature", wallet, "'s signature of this text", (text) => evmKey().sign(text)],
  ["a signature of another text", wallet, "'s signature of this text", (text) => wallet.sign(`${text} `)],
  [
    "the high s of a good signature",
    wallet,
    "'s signature of this text",
    async (text) => highS(await wallet.sign(text)),
  ],
  [
    "a recovery beyond the curve's",
    wallet,
    "'s signature of this text",
    async (text) => `${(await wallet.sign(text)).slice(0, -2)}1d`,
  ],
  [
    "a signature of 64 bytes",
    wallet,
    "'s signature of this text",
    async (text) => (await wallet.sign(text)).slice(0, -2),
  ],
  ["a signature of zeros", wallet, "'s signature of this text", () => `0x${"0".repeat(130)}`],
  ["a JWT for a wallet's text", wallet, "personal_sign", (text) => ed.sign(text)],
  ["a wallet's signature for a JWT", ed, "compact JWS", (text) => wallet.sign(text)],
  ["alg none", ed, "EdDSA", (text) => `${part({ alg: "none" })}.${Buffer.from(text).toString("base64url")}.`],
  [
    "HS256 with the public key as the secret",
    ed,
    "EdDSA",
    (text) => {
      const signing = `${part({ alg: "HS256" })}.${Buffer.from(text).toString("base64url")}`;
      return `${signing}.${createHmac("sha256", Buffer.from(ed.x, "base64url")).update(signing).digest("base64url")}`;
    },
  ],
  ["ES256 in the header", ed, "EdDSA", (text) => ed.jwt(text, { alg: "ES256" })],
  [
    "a header that brings its key",
    ed,
    "header",
    (text) => stranger.jwt(text, { alg: "EdDSA", jwk: { x: stranger.x } }),
  ],
  [
    "a header that fetches its key",
    ed,
    "header",
    (text) => stranger.jwt(text, { alg: "EdDSA", jku: "https://evil.example.org" }),
  ],
  ["a critical extension", ed, "header", (text) => ed.jwt(text, { alg: "EdDSA", crit: ["b64"], b64: false })],
  ["the kid of another key", ed, "kid", (text) => ed.jwt(text, { alg: "EdDSA", kid: stranger.name })],
  [
    "another key under the right kid",
    ed,
    "'s signature of this text",
    (text) => stranger.jwt(text, { alg: "EdDSA", kid: ed.name }),
  ],
  ["another payload", ed, "payload", (text) => ed.sign(text.replace("prove", "rotate"))],
  [
    "claims in another order",
    ed,
    "payload",
    (text) => ed.sign(JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse()))),
  ],
  [
    "a signature cut short",
    ed,
    "'s signature of this text",
    async (text) => (await ed.sign(text)).slice(0, -4),
  ],
  [
    "an empty signature",
    ed,
    "'s signature of this text",
    async (text) => (await ed.sign(text)).replace(/[^.]*$/, ""),
  ],
];

test.each(forgeries)("%s is refused", async (_, key, answer, sign) => {
  const agent_id = `nobody-${++count}`;
  const { challenge } = await api.proof(key, agent_id);
  const refused = await api.post("/soul/register", { agent_id, challenge, signature: await sign(challenge) });
  expect(refused).toMatchObject({
    status: 400,
    body: {
      type: expect.stringContaining("#proof-refused"),
      errors: [{ path: "signature", message: expect.stringContaining(answer) }],
    },
  });
  expect((await api.get(`/soul/passport/${agent_id}`)).status).toBe(404);
});

test("a key of low order gets no challenge, under either sign", async () => {
  for (const last of [0x00, 0x80]) {
    const low = Buffer.from([1, ...new Array(30).fill(0), last]).toString("base64url");
    for (const key of [didOf({ kind: "ed25519", public: low }), { kty: "OKP", crv: "Ed25519", x: low }])
      expect(await api.post("/soul/challenge", { agent_id: "a", key, purpose: "prove" })).toMatchObject({
        status: 400,
        body: { errors: [{ path: "key" }] },
      });
  }
});

test("a proof is valid for less than ten minutes", async () => {
  const agent_id = "too-late";
  const proof = await api.proof(evmKey(), agent_id);
  const { clock } = service.app;
  const issued = Date.parse(/Issued At: (.*)/.exec(proof.challenge)![1]!);
  try {
    replace(service.app, { clock: { now: () => new Date(issued + 600_000) } });
    expect(await api.post("/soul/register", { agent_id, ...proof })).toMatchObject({
      status: 400,
      body: { errors: [{ message: expect.stringContaining("has expired") }] },
    });
    replace(service.app, { clock: { now: () => new Date(issued + 599_999) } });
    expect(await api.post("/soul/register", { agent_id, ...proof })).toMatchObject({ status: 200 });
  } finally {
    replace(service.app, { clock });
  }
});

test("a later key needs a live key's endorsement of that very key and purpose", async () => {
  const [first, second, third] = [evmKey(), ed25519Key(), evmKey()];
  const agent_id = await agent(first);
  const path = `/soul/${agent_id}/keys`;
  const proof = await api.proof(second, agent_id);
  const kid = await kidOf(api, second);
  expect(await api.post(path, proof)).toMatchObject({ status: 403 });
  const refused = async (endorsement: object, path_: string) =>
    expect(await api.post(path, { ...proof, endorsement })).toMatchObject({
      status: 400,
      body: { errors: [{ path: path_ }] },
    });
  await refused(await api.proof(first, agent_id), "endorsement.challenge");
  await refused(await api.proof(first, agent_id, "prove", await kidOf(api, third)), "endorsement.challenge");
  await refused(await api.proof(first, agent_id, "rotate", kid), "endorsement.challenge");
  // A key that is not live endorses nobody, itself included.
  for (const key of [third, second])
    expect(
      await api.post(path, { ...proof, endorsement: await api.proof(key, agent_id, "prove", kid) }),
    ).toMatchObject({ status: 403 });
  expect(await keysOf(agent_id)).toHaveLength(1);
  const endorsement = await api.proof(first, agent_id, "prove", kid);
  expect(await api.post(path, { ...proof, endorsement })).toMatchObject({ status: 200 });
  expect(await keysOf(agent_id)).toEqual([await kidOf(api, first), kid]);
  // A repeat changes nothing.
  const { position } = await service.app.store.head();
  expect(await api.post(path, { ...proof, endorsement })).toMatchObject({ status: 200 });
  expect((await service.app.store.head()).position).toBe(position);
});

test("a key replaces another in one commit, and neither text counts again", async () => {
  const [old, young] = [evmKey(), ed25519Key()];
  const agent_id = await agent(old);
  const path = `/soul/${agent_id}/keys`;
  const [oldKid, kid] = [await kidOf(api, old), await kidOf(api, young)];
  const proof = await api.proof(young, agent_id);
  const endorsement = await api.proof(old, agent_id, "rotate", kid);
  expect(await api.post(path, { ...proof, rotate: true })).toMatchObject({ status: 400 });
  expect(await api.post(path, { ...proof, endorsement, rotate: true })).toMatchObject({ status: 200 });
  expect(await keysOf(agent_id)).toEqual([kid]);
  // A revoked key endorses nothing, and its old texts do not restore it.
  const next = await api.proof(evmKey(), agent_id);
  expect(
    await api.post(path, { ...next, endorsement: await api.proof(old, agent_id, "prove", "whatever") }),
  ).toMatchObject({ status: 400 });
  const { clock } = service.app;
  const inSeconds = (s: number) => ({ now: () => new Date(clock.now().getTime() + s * 1_000) });
  try {
    replace(service.app, { clock: inSeconds(1) });
    const back = await api.proof(old, agent_id);
    const word = await api.proof(young, agent_id, "prove", oldKid);
    expect(await api.post(path, { ...back, endorsement: word })).toMatchObject({ status: 200 });
    const revoke = await api.proof(young, agent_id, "revoke", oldKid);
    const query = new URLSearchParams(revoke);
    expect(await api.call("DELETE", `${path}/${oldKid}?${query}`)).toMatchObject({ status: 200 });
    expect(await api.post(path, { ...back, endorsement: word })).toMatchObject({
      status: 400,
      body: { errors: [{ message: "was used already" }] },
    });
    // Its earlier endorsement is void too, although the text of the new key is new.
    expect(await api.post(path, { ...(await api.proof(old, agent_id)), endorsement: word })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "endorsement.challenge" }] },
    });
    expect(await keysOf(agent_id)).toEqual([kid]);
    replace(service.app, { clock: inSeconds(3) });
    const anew = {
      ...(await api.proof(old, agent_id)),
      endorsement: await api.proof(young, agent_id, "prove", oldKid),
    };
    const taken = await api.post(path, anew);
    expect(taken.status, JSON.stringify(taken.body)).toBe(200);
    expect(await keysOf(agent_id)).toEqual([kid, oldKid]);
  } finally {
    replace(service.app, { clock });
  }
});

test("the last key needs the API key for its revocation, and a stranger revokes none", async () => {
  const key = evmKey();
  const agent_id = "last-of-keys";
  const { body } = await api.post("/soul/register", {
    agent_id,
    issue_api_key: true,
    ...(await api.proof(key, agent_id)),
  });
  const headers = { Authorization: `Bearer ${body.api_key}` };
  const path = `/soul/${agent_id}/keys/${await kidOf(api, key)}`;
  expect(await api.call("DELETE", path)).toMatchObject({ status: 403 });
  const other = await api.post("/soul/register", { agent_id: "someone-else", issue_api_key: true });
  const theirs = { Authorization: `Bearer ${other.body.api_key}` };
  expect(await api.call("DELETE", path, undefined, theirs)).toMatchObject({ status: 403 });
  const own = new URLSearchParams(await api.proof(key, agent_id, "revoke", await kidOf(api, key)));
  expect(await api.call("DELETE", `${path}?${own}`)).toMatchObject({ status: 409 });
  expect(await api.call("DELETE", path, undefined, headers)).toMatchObject({
    status: 200,
    body: { keys: [] },
  });
});

test("the first key of an agent with an API key needs that key, and an agent without one is claimed once", async () => {
  const { body } = await api.post("/soul/register", { agent_id: "has-a-key", issue_api_key: true });
  const proof = await api.proof(evmKey(), "has-a-key");
  expect(await api.post("/soul/has-a-key/keys", proof)).toMatchObject({ status: 403 });
  const headers = { "X-API-Key": String(body.api_key) };
  expect(await api.post("/soul/has-a-key/keys", proof, headers)).toMatchObject({ status: 200 });

  await api.post("/soul/register", { agent_id: "unclaimed" });
  const [mine, theirs] = [evmKey(), evmKey()];
  expect(await api.post("/soul/unclaimed/keys", await api.proof(mine, "unclaimed"))).toMatchObject({
    status: 200,
  });
  expect(await api.post("/soul/unclaimed/keys", await api.proof(theirs, "unclaimed"))).toMatchObject({
    status: 403,
  });
  // The claimant may get the API key, by a proof that counts once.
  const again = { agent_id: "unclaimed", issue_api_key: true, ...(await api.proof(mine, "unclaimed")) };
  expect(await api.post("/soul/register", again)).toMatchObject({ status: 200, body: { is_new: false } });
  expect(await api.post("/soul/register", again)).toMatchObject({ status: 400 });
  const forged = { ...again, signature: await theirs.sign(again.challenge) };
  expect(await api.post("/soul/register", forged)).toMatchObject({ status: 400 });
});

test("a text signed for a verifier proves the agent, and allows the verifier nothing", async () => {
  const key = evmKey();
  const agent_id = await agent(key);
  const shown = await api.proof(key, agent_id, "verify", "met-on-monday");
  const verify = async (given: object) => (await api.post(`/soul/passport/${agent_id}/verify`, given)).body;
  expect(await verify({ ...shown, about: "met-on-monday" })).toMatchObject({ control: "proven" });
  // A verifier that forwards another's text is not taken for the agent by a verifier with its own word.
  expect(await verify({ ...shown, about: "met-on-tuesday" })).toMatchObject({ control: "refused" });
  expect(await verify(shown)).toMatchObject({ control: "refused" });
  expect(await api.post("/soul/register", { agent_id, issue_api_key: true, ...shown })).toMatchObject({
    status: 400,
    body: { errors: [{ path: "challenge", message: expect.stringContaining("another purpose") }] },
  });
  expect(await api.post(`/soul/${agent_id}/keys`, shown)).toMatchObject({ status: 400 });
  // A text that allows something does not pass as a verifier's.
  expect(await verify(await api.proof(key, agent_id))).toMatchObject({ control: "refused" });
});

test("a key of one agent cannot be another's, nor for 180 days after its revocation", async () => {
  const key = evmKey();
  const agent_id = "first-owner";
  await api.post("/soul/register", { agent_id, issue_api_key: true }).then(async ({ body }) => {
    const headers = { "X-API-Key": String(body.api_key) };
    const path = `/soul/${agent_id}/keys`;
    expect(await api.post(path, await api.proof(key, agent_id), headers)).toMatchObject({ status: 200 });
    const taken = async (name: string) =>
      api.post("/soul/register", { agent_id: name, ...(await api.proof(key, name)) });
    expect(await taken("thief")).toMatchObject({
      status: 409,
      body: { type: expect.stringContaining("#key-in-use") },
    });
    await api.call("DELETE", `${path}/${await kidOf(api, key)}`, undefined, headers);
    expect(await taken("whitewashed")).toMatchObject({ status: 409 });
    const { clock } = service.app;
    try {
      const now = Date.now();
      replace(service.app, { clock: { now: () => new Date(now + 180 * 86_400_000 - 60_000) } });
      expect(await taken("whitewashed")).toMatchObject({ status: 409 });
      replace(service.app, { clock: { now: () => new Date(now + 180 * 86_400_000 + 60_000) } });
      expect(await taken("long-after")).toMatchObject({ status: 200 });
    } finally {
      replace(service.app, { clock });
    }
  });
  expect((await api.get("/soul/passport/thief")).status).toBe(404);
});

test("of two agents that prove one key at once, one wins", async () => {
  const key = evmKey();
  const names = ["twin-a", "twin-b"];
  const calls = await Promise.all(
    names.map(async (name) => ({ agent_id: name, ...(await api.proof(key, name)) })),
  );
  const answers = await Promise.all(calls.map((body) => api.post("/soul/register", body)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test("a passport is revoked by a live key's signature, for good, and never by an API key", async () => {
  const key = ed25519Key();
  const agent_id = await agent(key);
  const path = `/soul/${agent_id}/revoke`;
  const reason = "shut down";
  expect(await api.post(path, { reason, ...(await api.proof(key, agent_id)) })).toMatchObject({
    status: 400,
  });
  const stranger_ = await api.proof(ed25519Key(), agent_id, "revoke", "passport");
  expect(await api.post(path, { reason, ...stranger_ })).toMatchObject({ status: 403 });
  const proof = await api.proof(key, agent_id, "revoke", "passport");
  expect(await api.post(path, { reason, ...proof })).toMatchObject({
    status: 200,
    body: { status: "revoked", keys: [] },
  });
  expect((await api.get(`/soul/passport/${agent_id}`)).body).toMatchObject({ status: "revoked", reason });
  expect(await api.post(`/soul/${agent_id}/keys`, await api.proof(evmKey(), agent_id))).toMatchObject({
    status: 409,
    body: { type: expect.stringContaining("#agent-suspended") },
  });
});
