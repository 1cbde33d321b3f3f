/** Attacks on honest nodes' stake, price or points: each is tried, and the honest node loses nothing. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { App } from "../../src/core/app.ts";
import type { ExecutionResult } from "../../src/core/model/ports/executor.ts";
import * as nodes from "../../src/domain/compute/node.ts";
import { auditReactor } from "../../src/reactors/compute/audit.ts";
import { computeReactor } from "../../src/reactors/compute/due.ts";
import { quorumReactor } from "../../src/reactors/compute/quorum.ts";
import { stepStake } from "../../src/reactors/compute/steps.ts";
import { turn } from "../support/turns.ts";
import { until } from "../support/until.ts";
import {
  type ComputeSetup,
  chainOf,
  kindOf,
  openComputeSetup,
  sha256,
  type TestNode,
} from "./compute-setup.ts";

let setup: ComputeSetup;
let node: TestNode;
beforeAll(async () => {
  setup = await openComputeSetup();
  node = await setup.node("honest");
  await setup.requester(`soul:${node.sx}`, 50_000);
});
afterAll(() => setup.service.stop());

const input_data = { seed: sha256("seed"), n: 5 };

/** A task of a built-in kind for this node alone, leased by it. */
async function leasedTask(tenant: string, by = node, more: object = {}) {
  const headers = await setup.requester(tenant);
  await by.beat();
  const task = { task_type: "sha256-chain", input_data, max_price_usd: 0.02 };
  const { status, body } = await setup.submit(headers, {
    ...{ ...task, assign: `agent:${by.agent_id}` },
    ...more,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  await setup.folded();
  return { headers, task: await by.pull("?wait_s=30") };
}

/** The service with a fake sandbox: each run returns the next of these results. */
const withRuns = (...runs: (ExecutionResult | "failed")[]): App => ({
  ...setup.app,
  executor: {
    engine_sha256: sha256("engine"),
    run: async () => {
      const ran = runs.shift()!;
      return ran === "failed" ? { exit: "failed", reason: "it took too long" } : ran;
    },
  },
});

const came = (hash: string): ExecutionResult => ({ exit: "ok", output: { hash } });

const checks = async (app = setup.app) => {
  await setup.folded();
  expect(await turn(app, auditReactor)).toEqual({ status: "done" });
  await setup.folded();
};

test("a nondeterministic task is void: its worker is paid, gets no points and loses nothing", async () => {
  const tenant = `soul:${node.sx}`;
  const before = await setup.account(tenant);
  const { task } = await leasedTask("void");
  const { task_id } = task;
  await node.gives(task, { hash: "of a moment" });
  await checks(withRuns(came("of a later moment"), came("of one later still")));
  expect(await setup.task("void", task_id)).toMatchObject({
    status: "accepted",
    audit: { verdict: "void", expected_sha256: null, on_silence: null },
  });
  await node.post("/soul/compute/settle", { task_id });
  const after = await setup.account(tenant);
  expect(after).toMatchObject({ available: before.available + 900, spent: before.spent });
  await setup.folded();
  const { body } = await node.get(`/soul/node/status/${node.agent_id}`);
  expect(body).toMatchObject({ slashes: 0, valid_audits: 0 });
});

test("only two equal runs prove a result wrong", async () => {
  const { task } = await leasedTask("refuted");
  await node.gives(task, { hash: "wrong" });
  await checks(withRuns(came("right"), came("right")));
  expect(await setup.task("refuted", task.task_id)).toMatchObject({
    status: "refunded",
    audit: { verdict: "mismatch" },
  });
  const unsure = await leasedTask("unsure");
  await node.gives(unsure.task, { hash: "whatever" });
  await checks(withRuns(came("right"), "failed"));
  expect(await setup.task("unsure", unsure.task.task_id)).toMatchObject({
    audit: { verdict: "inconclusive" },
  });
});

test("a node's collateral is reserved during checks, so it cannot be moved away", async () => {
  const thief = await setup.node("thief");
  const tenant = `soul:${thief.sx}`;
  await setup.requester(tenant, 50_000);
  const victims = await Promise.all([1, 2, 3].map((n) => leasedTask(`victim-${n}`, thief)));
  for (const { task } of victims) await thief.gives(task, { hash: "00".repeat(32) });
  expect(await setup.account(tenant)).toMatchObject({ available: 47_000, held: 3_000 });
  // The thief puts the rest of its money into a task of its own.
  const own = await setup.submit(thief.headers, { max_price_usd: 0.047 });
  expect(own.status).toBe(201);
  expect((await setup.submit(thief.headers, { max_price_usd: 0.003 })).status).toBe(402);
  await checks();
  for (const n of [1, 2, 3])
    expect(await setup.account(`victim-${n}`)).toMatchObject({ available: 1_001_000, held: 0 });
  expect(await setup.account(tenant)).toMatchObject({ available: 0, held: 47_000, spent: 3_000 });
});

test("a right result frees its collateral, the stake's part too, even if the stake was withdrawn meanwhile", async () => {
  const staked = await setup.node("staked", { hourly_rate_usd: 0.6 });
  const tenant = `soul:${staked.sx}`;
  await setup.requester(tenant, 5_000);
  const stake = (stake_usdc: number) =>
    staked.post("/soul/node/register", {
      ...{ agent_id: staked.agent_id, capabilities: ["cpu"], hourly_rate_usd: 0.6, max_concurrent: 8 },
      stake_usdc,
    });
  expect((await stake(0.004)).body).toMatchObject({ stake_usdc: "0.004" });
  const right = await leasedTask("staked-right", staked);
  await staked.gives(right.task, chainOf(input_data));
  // The price is 0.01: all of both is collateral, and the stake is still reported.
  expect([...(await setup.account(tenant)).holds.values()].map((one) => one.amount_micro)).toEqual([
    1_000, 4_000,
  ]);
  expect((await stake(0)).body).toMatchObject({ stake_usdc: "0.004", stake_free_at: expect.any(String) });
  // A week later the stake is free; the result's collateral stays reserved.
  const free = nodes.releaseStake(staked.sx, new Date(Date.now() + 8 * 86_400_000).toISOString());
  await setup.app.commit((unit) => stepStake(unit, staked.sx, free), { meta: { actor: "test" } });
  expect(await setup.account(tenant)).toMatchObject({ available: 0, held: 5_000 });
  await checks();
  expect(await setup.account(tenant)).toMatchObject({ available: 5_000, held: 0 });
  expect((await stake(0.005)).body).toMatchObject({ stake_usdc: "0.005", stake_free_at: null });

  const wrong = await leasedTask("staked-wrong", staked);
  await staked.gives(wrong.task, { hash: "00".repeat(32) });
  await checks();
  expect(await setup.account("staked-wrong")).toMatchObject({ available: 1_005_000, held: 0 });
  expect(await setup.account(tenant)).toMatchObject({ available: 0, held: 0, spent: 5_000 });
});

const judges = async (app = setup.app) => {
  await setup.folded();
  expect(await turn(app, quorumReactor)).toEqual({ status: "done" });
  await setup.folded();
};

/** A quorum of three of a built-in kind, one result per node. */
async function quorumOf(tenant: string, results: readonly (readonly [TestNode, object])[], app = setup.app) {
  const headers = await setup.requester(tenant);
  const task = { task_type: "sha256-chain", input_data, max_price_usd: 0.02, verify: "quorum" };
  const { body } = await setup.submit(headers, task);
  await setup.folded();
  const given: string[] = [];
  for (const [by, result] of results) {
    await by.beat();
    const leasedTask = await by.pull("?wait_s=30&kinds=sha256-chain");
    if (given.length === 0) await judges();
    expect((await by.gives(leasedTask, result)).status).toBe(200);
    given.push(leasedTask.task_id);
  }
  await judges(app);
  return { task_id: body.task_id as string, given };
}

test("two nodes of a requester cannot take the price and money of a third: the service's result counts", async () => {
  const colluding = await Promise.all(["colluding-1", "colluding-2"].map((name) => setup.node(name)));
  for (const one of colluding) await setup.requester(`soul:${one.sx}`, 5_000);
  const wrong = { hash: "00".repeat(32) };
  const tenant = `soul:${node.sx}`;
  const before = await setup.account(tenant);
  const results = [...colluding.map((one) => [one, wrong] as const), [node, chainOf(input_data)] as const];
  const { task_id, given } = await quorumOf("colluder", results);
  expect(await setup.task("colluder", task_id)).toMatchObject({
    ...{ status: "settled", judged: { verdict: "agreed", copy: 3, agreed: 1 } },
  });
  expect(await setup.account(tenant)).toMatchObject({ available: before.available + 900, held: before.held });
  for (const one of colluding)
    expect(await setup.account(`soul:${one.sx}`)).toMatchObject({ available: 4_000, held: 1_000 });

  // A dispute over a copy is decided too: the task stores its input.
  await setup.requester(`soul:${colluding[0]!.sx}`, 10_000);
  const disputed = await colluding[0]!.post("/soul/compute/dispute", { task_id: given[0] });
  expect(disputed.body).toMatchObject({ status: "disputed" });
  await checks();
  expect(await setup.task("colluder", given[0]!)).toMatchObject({
    ...{ status: "refunded", dispute: { decided: { by: "rerun", verdict: "requester" } } },
  });
});

test("a differing copy costs its node nothing if the service cannot run the task, or the task is void", async () => {
  const two = await Promise.all(["agreeing-1", "agreeing-2"].map((name) => setup.node(name)));
  const tenant = `soul:${node.sx}`;
  const results = [...two.map((one) => [one, { hash: "a" }] as const), [node, { hash: "b" }] as const];
  const before = await setup.account(tenant);
  const void_ = await quorumOf("void-quorum", results, withRuns(came("c"), came("d")));
  for (const task_id of void_.given)
    expect(await setup.task("void-quorum", task_id)).toMatchObject({
      ...{ status: "settled", audit: { verdict: "void" }, settled: { provider_micro: 900 } },
    });
  const { task_id } = await quorumOf("unknown-quorum", results, withRuns("failed"));
  expect(await setup.task("unknown-quorum", task_id)).toMatchObject({ status: "refunded" });
  expect(await setup.account(tenant)).toMatchObject({ available: before.available + 900, held: before.held });
});

test("nodes with equal wrong results are not paid: the service runs built-in kinds", async () => {
  const three = await Promise.all(["same-1", "same-2", "same-3"].map((name) => setup.node(name)));
  for (const one of three) await setup.requester(`soul:${one.sx}`, 5_000);
  const same = three.map((one) => [one, { hash: "00".repeat(32) }] as const);
  const { task_id, given } = await quorumOf("same", same.slice(0, 2));
  // Both are found wrong at once, and the third copy is judged alone.
  for (const id of given)
    expect(await setup.task("same", id)).toMatchObject({
      status: "rejected",
      compared: { verdict: "differed" },
    });
  const before = await setup.account(`soul:${node.sx}`);
  const leasedTask = await node.pull("?wait_s=30&kinds=sha256-chain");
  await node.gives(leasedTask, chainOf(input_data));
  await judges();
  expect(await setup.task("same", task_id)).toMatchObject({
    ...{ status: "settled", judged: { verdict: "agreed", copy: 3, agreed: 1 } },
  });
  expect(await setup.account(`soul:${node.sx}`)).toMatchObject({ available: before.available + 900 });
  await setup.later(86_401, () => turn(setup.app, computeReactor));
  // Each has lost its price to the requester, who paid only for the right result.
  for (const one of three.slice(0, 2))
    expect(await setup.account(`soul:${one.sx}`)).toMatchObject({ available: 4_000, held: 0 });
  expect(await setup.account("same")).toMatchObject({ available: 1_001_000, held: 0 });
});

test("without a possible check, nodes without history do not count as agreement", async () => {
  const two = await Promise.all(["vouching-1", "vouching-2"].map((name) => setup.node(name)));
  const same = two.map((one) => [one, { hash: "00".repeat(32) }] as const);
  const { task_id } = await quorumOf("vouched", same, withRuns("failed"));
  expect(await setup.task("vouched", task_id)).toMatchObject({
    status: "refunded",
    judged: { verdict: "none" },
  });
  for (const one of two) expect(await setup.account(`soul:${one.sx}`)).toMatchObject({ credited: 0 });
  expect(await setup.account("vouched")).toMatchObject({ available: 1_000_000, held: 0 });
});

test("an undecidable dispute ends with that reason, and both bonds are freed", async () => {
  const tenant = `soul:${node.sx}`;
  const { headers, task } = await leasedTask("undecided", node, { verify: "requester" });
  const { task_id } = task;
  await node.gives(task, chainOf(input_data));
  await setup.ask(headers, "/soul/compute/settle", { task_id, accept: false });
  const before = await setup.account(tenant);
  await node.post("/soul/compute/dispute", { task_id });
  await checks(withRuns("failed"));
  expect(await setup.task("undecided", task_id)).toMatchObject({
    status: "refunded",
    dispute: {
      decided: { by: "rerun", verdict: "none", reason: expect.stringContaining("could not be rerun") },
    },
  });
  expect(await setup.account(tenant)).toMatchObject({ available: before.available, held: before.held });
  expect(await setup.account("undecided")).toMatchObject({ available: 1_000_000, held: 0 });
});

test("a node does not get a task again that it failed; another node does it", async () => {
  const headers = await setup.requester("sabotaged");
  const saboteur = await setup.node("saboteur", { hourly_rate_usd: 0, kinds: ["sabotaged"] });
  const other = await setup.node("steadfast", { kinds: ["sabotaged"] });
  const { body } = await setup.submit(headers, { task_type: "sabotaged" });
  const { task_id, lease_id } = await saboteur.pull("?wait_s=30");
  await saboteur.post("/soul/compute/result", { task_id, lease_id, error: "no" });
  await setup.folded();
  await setup.app.pool.query("update read.compute_tasks_v4 set ready_at = now() where task_id = $1", [
    task_id,
  ]);
  await setup.later(10, async () => {
    expect(await saboteur.pull()).toBeNull();
    const again = await until(async () => (await other.pull()) ?? false);
    expect(again).toMatchObject({ task_id: body.task_id, attempt: 2 });
  });
});

test("a node that keeps failing waits before its next task", () => {
  const at = "2026-11-28T12:00:00.000Z";
  expect(nodes.pausedUntil(2, at)).toBeUndefined();
  expect(nodes.pausedUntil(3, at)).toBe("2026-11-28T12:01:00.000Z");
  expect(nodes.pausedUntil(5, at)).toBe("2026-11-28T12:04:00.000Z");
  expect(nodes.pausedUntil(50, at)).toBe("2026-11-28T13:00:00.000Z");
});

test("a node with a price of 0 is paid the cost of a re-run", async () => {
  const free = await setup.node("for-nothing", { hourly_rate_usd: 0 });
  const { task } = await leasedTask("for-nothing", free);
  expect((await setup.task("for-nothing", task.task_id)).lease).toMatchObject({ price_micro: 1_000 });
});

test("silence does not accept an unchecked result of a node without history: it is refunded, and nobody is slashed", async () => {
  const young = await setup.node("young");
  await setup.requester(`soul:${young.sx}`, 5_000);
  const { task } = await leasedTask("unjudged", young);
  const { task_id } = task;
  await young.gives(task, { hash: "garbage" });
  await checks(withRuns("failed"));
  expect(await setup.task("unjudged", task_id)).toMatchObject({
    ...{ status: "submitted", audit: { verdict: "inconclusive", on_silence: "refunds" } },
  });
  const due = (seconds: number) => setup.later(seconds, () => turn(setup.app, computeReactor));
  await due(2 * 86_400);
  await setup.later(2 * 86_400, async () => {
    expect(kindOf(await young.post("/soul/compute/settle", { task_id }))).toEqual([409, "not-due"]);
  });
  await due(8 * 86_400);
  expect(await setup.task("unjudged", task_id)).toMatchObject({
    status: "refunded",
    ended_at: expect.any(String),
  });
  expect(await setup.account(`soul:${young.sx}`)).toMatchObject({ available: 5_000, held: 0, spent: 0 });
});

test("a result whose check did not begin within ten minutes waits for it", async () => {
  const young = await setup.node("younger");
  const { task } = await leasedTask("late-check", young);
  await young.gives(task, chainOf(input_data));
  await setup.folded();
  await setup.later(700, () => turn(setup.app, computeReactor));
  expect(await setup.task("late-check", task.task_id)).toMatchObject({
    ...{ status: "submitted", audit: { engine_sha256: null, on_silence: "refunds" } },
  });
  await checks();
  expect(await setup.task("late-check", task.task_id)).toMatchObject({
    ...{ status: "accepted", audit: { verdict: "valid" } },
  });
});
