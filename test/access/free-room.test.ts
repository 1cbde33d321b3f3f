/** Free calls that are recorded: strangers use up their own daily share, and nobody else's. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAddressLimits } from "../../src/adapters/address-limits.ts";
import { anonymous, type Caller } from "../../src/api/declare/caller.ts";
import { type CallerStatus, createFreeRoom } from "../../src/api/serve/free-room.ts";
import { caller, ed25519Key } from "../identity/agents.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { FREE_WRITES_A_DAY: "4" } });
});
afterAll(() => service?.stop());

const send = (path: string, key: string, body: object) =>
  fetch(`${service.url}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });

const subject = (tenant: string): Caller => ({
  kind: "subject",
  tenant,
  key_id: tenant,
  subject: tenant,
  scopes: ["order"],
});

test("twenty large unpaid bodies are read a minute, and a refused call stores nothing", async () => {
  const { body } = await caller(service.url).post("/soul/register", {
    agent_id: "large",
    issue_api_key: true,
  });
  const objects = async () => {
    const sql = "select (select count(*) from objects.small) + (select count(*) from objects.large) as count";
    return (await service.app.pool.query(sql)).rows[0].count;
  };
  const before = await objects();
  const task = { task_type: "translate", max_price_usd: 1, input_data: { text: "x".repeat(100_000) } };
  const submit = async () => (await send("/soul/compute/submit", String(body.api_key), task)).status;
  const statuses: number[] = [];
  for (let n = 0; n < 21; n++) statuses.push(await submit());
  expect(statuses).toEqual([...Array(20).fill(402), 429]);
  expect(await objects()).toBe(before);
  // A small body still gets a price.
  const small = await send("/soul/compute/submit", String(body.api_key), { ...task, input_data: {} });
  expect(small.status).toBe(402);
});

test("strangers share a daily allowance, and an agent with a proven key has its own", async () => {
  const api = caller(service.url);
  const proof = await api.proof(ed25519Key(), "proven");
  const proven = await api.post("/soul/register", { agent_id: "proven", issue_api_key: true, ...proof });
  const bare = await api.post("/soul/register", { agent_id: "bare", issue_api_key: true });
  expect([proven.status, bare.status]).toEqual([200, 200]);
  const register = (key: unknown, agent_id: string) =>
    send("/soul/node/register", String(key), {
      ...{ agent_id, capabilities: ["cpu"], hourly_rate_usd: 0.06, max_concurrent: 1 },
    });
  expect((await register(bare.body.api_key, "bare")).status).toBe(200);
  const refused = [
    await api.post("/soul/register", { agent_id: "one-too-many" }),
    await register(bare.body.api_key, "bare").then(async (answer) => ({
      status: answer.status,
      body: await answer.json(),
    })),
  ];
  for (const { status, body } of refused) {
    expect(status).toBe(429);
    expect((body as { detail: string }).detail).toContain(
      "of all strangers together are used up: prove a key",
    );
  }
  const known = await register(proven.body.api_key, "proven");
  expect([known.status, await known.text()]).toEqual([200, expect.any(String)]);
});

test("bytes count as well, by address, by subject and for all callers of one kind; a paying caller does not count towards its address", async () => {
  const standings = new Map<string, CallerStatus>([
    ["stranger", "stranger"],
    ["proven", "proven"],
    ["paid", "paying"],
  ]);
  const room = createFreeRoom({
    limits: createAddressLimits(service.app.pool, service.app.clock),
    writes_a_day: 1_000,
    mib_a_day: 100,
    callerStatusOf: async ({ tenant }) => standings.get(tenant) ?? "stranger",
  });
  const MIB = 1_048_576;
  await room.store(anonymous, "10.0.0.1", 64 * MIB);
  const full = "today's free calls";
  await expect(room.store(anonymous, "10.0.0.1", 1)).rejects.toThrow(`${full} of this address are used up`);
  await room.store(subject("stranger"), "10.0.0.2", 64 * MIB);
  await expect(room.store(subject("stranger"), "10.0.0.3", 1)).rejects.toThrow(
    `${full} of this caller are used up`,
  );
  // Together they have used the strangers' hundred.
  await expect(room.store(anonymous, "10.0.0.4", 1)).rejects.toThrow(
    `${full} of all strangers together are used up`,
  );
  await room.store(subject("proven"), "10.0.0.4", MIB);
  await room.store(subject("paid"), "10.0.0.1", MIB);
});
