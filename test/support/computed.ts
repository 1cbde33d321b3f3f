/**
 * A node and tasks in the state that examples need; returns the inputs of those examples, and the node's
 * credentials.
 */
import { randomBytes } from "node:crypto";
import type { App } from "../../src/core/app.ts";
import { networkOf } from "../../src/core/model/chain.ts";
import * as account from "../../src/domain/payments/account.ts";
import { nodesProjection } from "../../src/projections/compute/nodes.ts";
import { tasksProjection } from "../../src/projections/compute/tasks.ts";
import { accountsProjection } from "../../src/projections/payments/accounts.ts";
import { caller } from "../identity/agents.ts";
import type { Service } from "./service.ts";
import { LIMIT_MS, until } from "./until.ts";

type Inputs = Record<string, Record<string, unknown>>;

/** The deposit of the withdrawing example's wallet, old enough to be withdrawn. */
export async function payInForExample(app: App): Promise<void> {
  const wallet = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed";
  const nonce = `0x${randomBytes(32).toString("hex")}`;
  const source = account.paymentSource(`${networkOf(app.chain)}:usdc:${wallet}:${nonce}`);
  const at = new Date(Date.now() - 3 * 86_400_000).toISOString();
  const credit = account.credit({ source, amount_micro: 5_000_000, at });
  await app.decide(account, account.targetOf("acme"), credit, { meta: { actor: "test" } });
  const { position } = await app.store.head();
  await until(() => app.runner.reached(accountsProjection, position, LIMIT_MS));
}

type Headers = Record<string, string>;

const agent_id = "example-node";

async function submitExample({ url }: Service, requester: Headers): Promise<string> {
  const task = {
    task_type: "echo",
    input_data: { text: "hello" },
    max_price_usd: 0.01,
    assign: `agent:${agent_id}`,
  };
  return String((await caller(url).post("/soul/compute/submit", task, requester)).body.task_id);
}

/** A task that was just leased to the node; a late caller finds the lease expired. */
async function lendExample(service: Service, requester: Headers, node: Headers): Promise<string> {
  const task_id = await submitExample(service, requester);
  // Other examples' tasks may be leased first, because a pull takes any task.
  await until(async () => {
    const { body } = await caller(service.url).get("/soul/compute/pull?wait_s=30", node);
    return (body.task as { task_id: string } | null | undefined)?.task_id === task_id;
  });
  return task_id;
}

/** The input of the example of submitting a result, for a task leased a moment ago. */
export async function resultExample(service: Service, requester: Headers, node: Headers) {
  const { app } = service;
  // The escrow's amount, so that the example of submitting can still be paid.
  const credit = account.credit({
    source: `task:${randomBytes(8).toString("hex")}`,
    amount_micro: 10_000,
    at: new Date().toISOString(),
  });
  await app.decide(account, account.targetOf("acme"), credit, { meta: { actor: "test" } });
  return { task_id: await lendExample(service, requester, node), result: { output: 42 } };
}

/** The input of the example of disputing: a rejected task of the node, whose account has less than the bond. */
export async function disputeExample(service: Service, requester: Headers, node: Headers) {
  const api = caller(service.url);
  const { task_id, result } = await resultExample(service, requester, node);
  await api.post("/soul/compute/result", { task_id, result }, node);
  await api.post("/soul/compute/settle", { task_id, accept: false }, requester);
  return { task_id };
}

export async function computeExamples(
  service: Service,
  requester: Headers,
): Promise<{ inputs: Inputs; node: Headers }> {
  const { app, url } = service;
  const api = caller(url);
  const at = new Date().toISOString();
  // The escrow of three of these tasks, and no more: the example of submitting pays for itself.
  const credit = account.credit({ source: "task:examples", amount_micro: 30_000, at });
  await app.decide(account, account.targetOf("acme"), credit, { meta: { actor: "test" } });
  const { body } = await api.post("/soul/register", { agent_id, issue_api_key: true });
  const node = { Authorization: `Bearer ${body.api_key}` };
  const { sx_id } = body.passport as { sx_id: string };
  const offer = { agent_id, capabilities: ["cpu"], hourly_rate_usd: 0.06, max_concurrent: 64 };
  await api.post("/soul/node/register", offer, node);
  await api.post("/soul/node/heartbeat", { agent_id }, node);
  const submitted = () => submitExample(service, requester);
  const lent = () => lendExample(service, requester, node);
  const done = async () => {
    const task_id = await lent();
    await api.post("/soul/compute/result", { task_id, result: { output: 42 } }, node);
    return task_id;
  };
  const inputs = {
    compute_node_register: { ...offer, agent_id: sx_id },
    compute_node_heartbeat: { agent_id: sx_id, leases: [] },
    compute_node_availability: { agent_id: sx_id, status: "available" },
    compute_node_status: { agent_id: sx_id },
    compute_task_status: { task_id: await done() },
    compute_settle: { task_id: await done(), accept: true },
    compute_result: await resultExample(service, requester, node),
    compute_dispute: await disputeExample(service, requester, node),
    compute_cancel: { task_id: await submitted() },
  };
  const { position } = await app.store.head();
  for (const list of [nodesProjection, tasksProjection])
    await until(() => app.runner.reached(list, position, LIMIT_MS));
  return { inputs, node };
}
