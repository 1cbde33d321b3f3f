/** An operation's own limit over HTTP counts successes; failures have theirs. A replaced key stops at once. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { caller, PROXIED } from "../identity/agents.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let api: ReturnType<typeof caller>;
beforeAll(async () => {
  service = await startService({ env: PROXIED });
  api = caller(service.url);
});
afterAll(() => service.stop());

const from = (ip: string) => ({ "X-Forwarded-For": ip });

test("failed registrations use none of an address's twenty, and a hundred failures end all of its registrations", async () => {
  const ip = from("203.0.113.1");
  const register = async (agent_id: string) => (await api.post("/soul/register", { agent_id }, ip)).status;
  const statuses = new Map<number, number>();
  const count = (status: number) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
  for (let n = 0; n < 30; n++) count(await register("no agent id"));
  for (let n = 0; n < 21; n++) count(await register(`counted-${n}`));
  expect([...statuses]).toEqual([
    [400, 30],
    [200, 20],
    [429, 1],
  ]);
  const other = from("203.0.113.2");
  for (let n = 0; n < 100; n++) await api.post("/soul/register", { agent_id: "no agent id" }, other);
  const ended = await api.post("/soul/register", { agent_id: "late" }, other);
  expect(ended).toMatchObject({ status: 429, body: { detail: expect.stringContaining("100 an hour") } });
});

test("a verification of an unknown agent uses none of the ten free ones, and its headers show that", async () => {
  await api.post("/soul/register", { agent_id: "verified" });
  const verify = (id: string) =>
    fetch(`${service.url}/v1/agent/soul/verify/${id}`, { headers: from("203.0.113.3") });
  const missing = await verify("nobody-there");
  expect([missing.status, missing.headers.get("ratelimit")]).toEqual([404, expect.stringMatching(/r=10;/)]);
  for (let n = 0; n < 10; n++) expect((await verify("verified")).status).toBe(200);
  expect((await verify("verified")).status).toBe(402);
});

test("a refused item of the stack uses none of an agent's twenty a day", async () => {
  const { body } = await api.post("/soul/register", { agent_id: "author", issue_api_key: true });
  const own = { Authorization: `Bearer ${body.api_key}`, ...from("203.0.113.4") };
  const item = { kind: "note", title: "A title of a note", price_usd: 0, content: "text" };
  for (let n = 0; n < 5; n++)
    expect((await api.post("/soul/stack", { ...item, title: "x" }, own)).status).toBe(400);
  const statuses = [];
  for (let n = 0; n < 21; n++)
    statuses.push((await api.post("/soul/stack", { ...item, content: `text ${n}` }, own)).status);
  expect(statuses).toEqual([...Array<number>(20).fill(201), 429]);
});

test("a replaced API key stops at once, also while the list of keys lags", async () => {
  const agent = { agent_id: "replaced", issue_api_key: true };
  const { body } = await api.post("/soul/register", agent);
  const old = { Authorization: `Bearer ${body.api_key}` };
  const path = "/soul/analytics/roi";
  expect((await api.call("GET", path, undefined, old)).status).toBe(200);
  const client = await service.app.pool.connect();
  try {
    await client.query("begin");
    await client.query("lock table read.access_keys_v1 in share row exclusive mode");
    expect((await api.post("/soul/register", agent, old)).status).toBe(200);
    expect(await api.call("GET", path, undefined, old)).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining("revoked") },
    });
  } finally {
    await client.query("rollback");
    client.release();
  }
});
