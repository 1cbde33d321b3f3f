/** A node gets no task of its own side: it could buy a history of valid results and points of trust. */
import { afterAll, beforeAll, expect, test } from "vitest";
import * as agents from "../../src/domain/identity/agent.ts";
import { trustProjection } from "../../src/projections/trust/trust.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { wallet } from "../support/wallets.ts";
import { type ComputeSetup, chainOf, openComputeSetup, sha256, type TestNode } from "./compute-setup.ts";

let setup: ComputeSetup;
let node: TestNode;
beforeAll(async () => {
  setup = await openComputeSetup();
  node = await setup.node("worker");
});
afterAll(() => setup.service.stop());

const input_data = { seed: sha256("seed"), n: 5 };
const task = { task_type: "sha256-chain", input_data, max_price_usd: 0.02 };

const known = async () => {
  await setup.folded();
  const { position } = await setup.app.store.head();
  await until(() => setup.app.runner.reached(trustProjection, position, LIMIT_MS));
};

/** A delegation between two agents, as their signature would make it. */
async function delegates(from: TestNode, to: TestNode): Promise<void> {
  const at = new Date();
  const delegation = {
    ...{ delegation_id: sha256(`${from.sx} ${to.sx}`).slice(0, 32), to: to.sx, kid: from.kid },
    ...{ scopes: ["order" as const], max_spend_micro: 1_000_000, challenge_sha256: sha256(from.agent_id) },
    ...{ delegated_at: at.toISOString(), expires_at: new Date(at.getTime() + 3_600_000).toISOString() },
  };
  const decision = agents.delegate(delegation);
  await setup.app.decide(agents, agents.targetOf(from.agent_id), decision, { meta: { actor: "test" } });
}

type Requester = { name: string; headers: Record<string, string> };

/** Requesters bound to a node: the agent itself, either side of a delegation, and a tenant that its wallet pays for. */
async function ownSide(of: TestNode): Promise<Requester[]> {
  const [principal, delegate] = [await setup.node("principal"), await setup.node("delegate")];
  await delegates(principal, of);
  await delegates(of, delegate);
  const paid = await setup.keyOf("paid-for");
  const payer = wallet(3);
  const proven = {
    ...{ kid: payer.address.toLowerCase(), kind: "evm" as const, public: payer.address.toLowerCase() },
    ...{ method: "eip191" as const, challenge_sha256: sha256("wallet"), endorsed_by: of.kid },
    proven_at: new Date().toISOString(),
  };
  await setup.app.decide(
    agents,
    agents.targetOf(of.agent_id),
    agents.prove(proven, { by_api_key: true, rotating: null }),
    { meta: { actor: "test" } },
  );
  expect((await setup.pays(payer, { ...task, task_type: "first" }, paid)).status).toBe(201);
  for (const { sx } of [of, principal, delegate]) await setup.requester(`soul:${sx}`);
  await setup.requester("paid-for");
  await known();
  return [
    { name: "the agent itself", headers: of.headers },
    { name: "its principal", headers: principal.headers },
    { name: "its delegate", headers: delegate.headers },
    { name: "a tenant that its wallet pays for", headers: paid },
  ];
}

test("a node neither gets an assignment nor a lease of its own side's task, as one task or in copies", async () => {
  for (const { name, headers } of await ownSide(node)) {
    const assigned = await setup.submit(headers, { ...task, assign: `agent:${node.agent_id}` });
    expect([name, assigned.status, assigned.body.errors?.[0].path]).toEqual([name, 400, "assign"]);
    expect(assigned.body.errors[0].message).toContain("name another node");
    for (const more of [{}, { verify: "quorum" }])
      expect((await setup.submit(headers, { ...task, ...more })).status).toBe(201);
  }
  await known();
  expect(await node.pull()).toBeNull();
  // Another node gets all of them, so they were available.
  const other = await setup.node("other", { max_concurrent: 16 });
  const leasedTask = [];
  for (let one = await other.pull(); one; one = await other.pull()) leasedTask.push(one);
  expect(leasedTask).toHaveLength(9);
  expect((await other.gives(leasedTask[0]!, chainOf(input_data))).status).toBe(200);
});
