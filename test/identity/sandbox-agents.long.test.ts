/**
 * The sandbox's agents: real events, once, never on a real chain; their purchases at their own service make them
 * active.
 */
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buyAsSandboxAgents, makeSandboxAgents } from "../../src/cli/sandbox-calls.ts";
import { openSandboxShop } from "../../src/operator/sandbox-shop.ts";
import { areasWithoutBets } from "../contract/driven.ts";
import { openSandbox, openSandboxLv } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { caller, PROXIED } from "./agents.ts";

type Listed = { sx_id: string; agent_id: string; trust_score: number; proven: boolean; synthetic: boolean };

let service: Service;
beforeAll(async () => {
  service = await startService({
    chain: "embedded",
    reactors: true,
    areas: areasWithoutBets,
    env: { ...PROXIED, OPEN_CALLS_PER_MINUTE: "10000" },
  });
  await openSandbox(service);
  await openSandboxLv(service);
  await openSandboxShop(service.app);
  const { headers } = await service.issue();
  await until(async () => {
    expect((await fetch(`${service.url}/v1/agent/rng/seed`, { headers })).status).toBe(200);
  });
});
afterAll(() => service.stop());

/** Only the agents' events: reactors append meanwhile. */
const position = async () => {
  const { rows } = await service.app.pool.query<{ n: number }>(
    `select count(*)::int as n from eventstore.events where stream_id ~ '^(agent|attestation|passports|payment)'`,
  );
  return rows[0]!.n;
};
const directory = async () => {
  const { body } = await caller(service.url).get("/soul/directory?limit=100");
  return (body as unknown as { agents: Listed[] }).agents;
};

test("a real chain has no sandbox agents", async () => {
  const before = await position();
  await makeSandboxAgents({ ...service.app, embedded_chain: false });
  await buyAsSandboxAgents(
    { ...service.app, embedded_chain: false },
    pino({ enabled: false }),
    new AbortController().signal,
  );
  expect(await position()).toBe(before);
});

test("the sandbox agents are created in two commits, once, whatever else starts", async () => {
  await makeSandboxAgents(service.app);
  const made = await position();
  await makeSandboxAgents(service.app);
  expect(await position()).toBe(made);
  const { rows } = await service.app.pool.query(
    `select count(*)::int as commits from eventstore.events where meta like '%"agents.sandbox"%' and meta like '%"commit"%'`,
  );
  expect(rows).toEqual([{ commits: 2 }]);
});

test("the directory has a few dozen marked sandbox agents; those with evidence are trusted, and a ring gets nothing", async () => {
  const listed = await until(async () => {
    const found = await directory();
    expect(found[0]!.trust_score).toBeGreaterThan(0);
    return found;
  });
  expect(listed.length).toBeGreaterThanOrEqual(36);
  expect(new Set(listed.map(({ synthetic }) => synthetic))).toEqual(new Set([true]));
  expect(listed.filter(({ proven }) => proven)).toHaveLength(9);
  const trusted = listed.filter(({ trust_score }) => trust_score > 0);
  expect(trusted.length).toBeGreaterThan(15);
  expect(new Set(trusted.map(({ trust_score }) => trust_score)).size).toBeGreaterThan(12);
  const ring = listed.filter(({ agent_id }) => agent_id.startsWith("sandbox.ring-"));
  expect(ring.map(({ trust_score }) => trust_score)).toEqual([0, 0, 0, 0]);
});

test("no other agent's id can look like one of them", async () => {
  for (const agent_id of ["sandbox.my-own", "SANDBOX.X"])
    expect(await caller(service.url).post("/soul/register", { agent_id })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "agent_id", message: expect.stringContaining("invented agents") }] },
    });
  await caller(service.url).post("/soul/register", { agent_id: "not-of-the-sandbox" });
  const mine = (await directory()).find(({ agent_id }) => agent_id === "not-of-the-sandbox");
  expect(mine).toMatchObject({ synthetic: false });
});

describe("the purchases of sandbox agents", () => {
  const buyAll = () =>
    buyAsSandboxAgents(service.app, pino({ enabled: false }), new AbortController().signal);
  const paid = async () =>
    (await service.app.pool.query("select from read.trust_payments_v3 where settled")).rowCount!;

  test("are paid, belong to them, and differ between them; a restart buys only the rest", async () => {
    const stopped = new AbortController();
    stopped.abort();
    await buyAsSandboxAgents(service.app, pino({ enabled: false }), stopped.signal);
    expect(await paid()).toBe(0);
    const passed: string[] = [];
    const answer = pino({ level: "debug" }, { write: (line) => void passed.push(line) });
    await buyAsSandboxAgents(service.app, answer, new AbortController().signal);
    // A payment that a busy node could not settle in time is charged to nobody, and made again the next time.
    const refused = passed.filter((line) => line.includes("is skipped"));
    expect(refused.filter((line) => !line.includes("#payment-unavailable"))).toEqual([]);
    await until(async () => {
      if (refused.length > 0) await buyAll();
      expect(await paid()).toBe(9 * 12);
    });
    const api = caller(service.url);
    const of = async (name: string) => (await api.get(`/soul/sandbox.${name}/character`)).body;
    await until(async () => {
      expect(await of("dice-player")).toMatchObject({
        events: 12,
        dna: { risk: expect.toSatisfy((n) => n > 0.4) },
      });
      expect(await of("harbour-clerk")).toMatchObject({ events: 12, dna: { risk: 0 } });
    });
    await buyAll();
    expect(await paid()).toBe(9 * 12);
  });
});
