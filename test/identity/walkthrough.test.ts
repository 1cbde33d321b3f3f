/** An agent over HTTP: registered, shown, verified, listed. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { passportHash } from "../../src/domain/identity/agent.ts";
import { type Service, startService } from "../support/service.ts";
import { caller, ed25519Key, evmKey, PROXIED } from "./agents.ts";

type Passport = {
  sx_id: string;
  passport_hash: string;
  agent_id: string;
  issued_at: string;
  origin: string;
  sx_number: number;
};

let service: Service;
let api: ReturnType<typeof caller>;
beforeAll(async () => {
  service = await startService({ vault: true, env: PROXIED });
  api = caller(service.url);
});
afterAll(() => service.stop());

test("an agent is registered once in any letter case, and its passport names the input of its hash", async () => {
  const first = await api.post("/soul/register", {
    agent_id: "Weather-Scout",
    display_name: "Wetterfrosch ☂",
  });
  expect(first).toMatchObject({ status: 200, body: { is_new: true } });
  expect(first.body).not.toHaveProperty("api_key");
  const again = await api.post("/soul/register", {
    agent_id: "weather-SCOUT",
    display_name: "Somebody else",
  });
  expect(again.body).toEqual({ ...(first.body as object), is_new: false });

  const { body } = await api.get("/soul/passport/weather-scout");
  expect(body).toMatchObject({
    display_name: "Wetterfrosch ☂",
    erased: false,
    status: "registered",
    keys: [],
  });
  const { passport_hash, sx_id, ...record } = body.passport as Passport;
  expect(passportHash(record)).toBe(passport_hash);
  expect((first.body.passport as { sx_id: string }).sx_id).toBe(sx_id);
  for (const name of ["WEATHER-scout", encodeURIComponent(sx_id), String(record.sx_number)])
    expect((await api.get(`/soul/passport/${name}`)).body).toEqual(body);
});

test("the log has the name sealed, and the input's digest does not reveal it", async () => {
  await api.post("/soul/register", { agent_id: "hidden-name", display_name: "Zaphod Beeblebrox" });
  const rows = await service.app.pool.query("select payload::text, meta::text from eventstore.events");
  expect(JSON.stringify(rows.rows)).not.toContain("Beeblebrox");
});

test("misleading ids are refused, each by name", async () => {
  for (const agent_id of [
    "42",
    "sx42",
    "SX-7",
    "passport",
    "Directory",
    "a@b",
    "ünal",
    "",
    "-x",
    "a".repeat(129),
    "did:key:zNope",
  ])
    expect(await api.post("/soul/register", { agent_id })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "agent_id" }] },
    });
  for (const display_name of ["", "a".repeat(81), "evil\u202Eeman", "two\nlines", " padded"])
    expect(await api.post("/soul/register", { agent_id: "some-agent", display_name })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "display_name" }] },
    });
  expect((await api.get("/soul/passport/some-agent")).status).toBe(404);
  expect((await api.get("/soul/passport/999999")).status).toBe(404);
});

test("an id that is a key's name belongs to that key", async () => {
  const [wallet, other] = [evmKey(), evmKey()];
  expect(await api.post("/soul/register", { agent_id: wallet.name })).toMatchObject({ status: 403 });
  const stolen = await api.proof(other, wallet.name);
  expect(await api.post("/soul/register", { agent_id: wallet.name, ...stolen })).toMatchObject({
    status: 400,
    body: { errors: [{ path: "challenge" }] },
  });
  const mine = await api.proof(wallet, wallet.name);
  expect(await api.post("/soul/register", { agent_id: wallet.name, ...mine })).toMatchObject({ status: 200 });
  const shown = await api.get(`/soul/passport/${wallet.name}`);
  expect(shown.body).toMatchObject({
    status: "proven",
    keys: [{ kid: wallet.name.toLowerCase(), method: "eip191" }],
  });

  const key = ed25519Key();
  const proof = await api.proof(key, key.name);
  expect(await api.post("/soul/register", { agent_id: key.name, ...proof })).toMatchObject({ status: 200 });
  expect((await api.get(`/soul/passport/${key.name}`)).body).toMatchObject({
    keys: [{ kind: "ed25519", did: key.name, method: "jwt" }],
  });
});

test("an API key is returned once, repeated for the same unguessable key, and renewed by the earlier one", async () => {
  const headers = { "Idempotency-Key": "5d41402abc4b2a76b9719d911017c592" };
  const request = { agent_id: "key-holder", issue_api_key: true };
  const first = await api.post("/soul/register", request, headers);
  const key = String(first.body.api_key);
  expect(key).toMatch(/^sk_soul_[\w-]{43}$/);
  // A repeat returns the passport and the key, and appends nothing.
  const { position } = await service.app.store.head();
  expect((await api.post("/soul/register", request, headers)).body).toEqual(first.body);
  expect((await service.app.store.head()).position).toBe(position);
  // A short key belongs to nobody.
  expect(await api.post("/soul/register", request, { "Idempotency-Key": "short" })).toMatchObject({
    status: 403,
  });
  expect(await api.post("/soul/register", request)).toMatchObject({ status: 403 });
  const kept = await service.app.pool.query("select * from api.kept_answers").catch(() => undefined);
  expect(JSON.stringify(kept?.rows ?? [])).not.toContain(key);

  const bearer = { Authorization: `Bearer ${key}` };
  const renewed = await api.post("/soul/register", request, bearer);
  expect(renewed).toMatchObject({ status: 200, body: { is_new: false } });
  expect(renewed.body.api_key).not.toBe(key);
  expect(await api.get("/soul/stats", { "X-API-Key": String(renewed.body.api_key) })).toMatchObject({
    status: 200,
  });
  expect(await api.get("/soul/stats", bearer)).toMatchObject({ status: 401 });
});

test("verify separates the record, the claim and the control", async () => {
  const key = evmKey();
  await api.post("/soul/register", { agent_id: "verified-one", ...(await api.proof(key, "verified-one")) });
  const { body } = await api.get("/soul/passport/verified-one");
  const { sx_id, passport_hash } = body.passport as { sx_id: string; passport_hash: string };
  const path = `/soul/passport/${encodeURIComponent(sx_id)}/verify`;
  const verify = async (claim: object) => (await api.post(path, claim)).body;
  expect(await verify({})).toMatchObject({ verified: true, claim: "none", control: "not_asked", key: null });
  expect(await verify({ agent_id: "VERIFIED-one", passport_hash })).toMatchObject({ claim: "match" });
  expect(await verify({ agent_id: "weather-scout", passport_hash })).toMatchObject({ claim: "mismatch" });
  const proof = await api.proof(key, "verified-one", "verify");
  expect(await verify(proof)).toMatchObject({ control: "proven", key: key.name.toLowerCase() });
  const stranger = await api.proof(evmKey(), "verified-one", "verify");
  expect(await verify(stranger)).toMatchObject({
    control: "refused",
    refused: expect.stringContaining("not a live key"),
  });
  expect(await verify({ ...proof, signature: "e30.e30.e30" })).toMatchObject({ control: "refused" });
  expect(await api.post(path, { challenge: proof.challenge })).toMatchObject({ status: 400 });
});

test("a walk of the whole directory shows each agent once, and the numbers have no gap", async () => {
  const seen: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const { body } = await api.get(
      `/soul/directory?sort=newest&limit=2${cursor === null ? "" : `&cursor=${cursor}`}`,
    );
    const page = body as unknown as { agents: { sx_id: string }[]; next_cursor: string | null };
    seen.push(...page.agents.map(({ sx_id }) => sx_id));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  expect(seen).toEqual(seen.map((_, at) => `SX#${seen.length - at}`));
  const { body } = await api.get("/soul/stats");
  expect(body).toMatchObject({ issued: seen.length, remaining: 1_000_000 - seen.length });
});

test("a pulse counts calls by the agent's own key", async () => {
  const { body } = await api.post("/soul/register", { agent_id: "busy-bee", issue_api_key: true });
  expect((await api.get("/soul/busy-bee/pulse")).body).toMatchObject({
    last_active: null,
    events_30d: 0,
    activity: "dormant",
  });
  const headers = { Authorization: `Bearer ${body.api_key}` };
  await api.post("/soul/register", { agent_id: "another-of-bees" }, headers);
  // Counted as activity of the agent's own key.
  expect((await api.get("/soul/busy-bee/pulse")).body).toMatchObject({
    events_24h: 1,
    events_7d: 1,
    events_30d: 1,
    activity: "active",
    profile: { most_used: ["soul_register"] },
  });
});
