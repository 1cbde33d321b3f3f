/** Results before their check: nothing is paid, lost or stored for them, whatever else happens. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { App } from "../../src/core/app.ts";
import { objectName } from "../../src/core/model/objects.ts";
import type { ExecutionResult } from "../../src/core/model/ports/executor.ts";
import * as account from "../../src/domain/payments/account.ts";
import { auditReactor } from "../../src/reactors/compute/audit.ts";
import { computeReactor } from "../../src/reactors/compute/due.ts";
import { OWN_QUEUE_MICRO } from "../../src/reactors/compute/fair-queue.ts";
import { quorumReactor } from "../../src/reactors/compute/quorum.ts";
import { turn } from "../support/turns.ts";
import {
  type ComputeSetup,
  chainOf,
  kindOf,
  type LeasedTask,
  openComputeSetup,
  sha256,
  type TestNode,
} from "./compute-setup.ts";

let setup: ComputeSetup;
beforeAll(async () => {
  setup = await openComputeSetup();
});
afterAll(() => setup.service.stop());

const [DAY_S, input_data] = [86_400, { seed: sha256("seed"), n: 5 }];
const [right, wrong] = [chainOf(input_data), { hash: "00".repeat(32) }];
const task = { task_type: "sha256-chain", input_data, max_price_usd: 0.02 };

/** A node with this balance. */
async function nodeWith(name: string, micro = 50_000): Promise<TestNode> {
  const node = await setup.node(name);
  await setup.requester(`soul:${node.sx}`, micro);
  return node;
}

/** A task for this node alone, leased by it. */
async function leasedTask(tenant: string, node: TestNode, more: object = {}) {
  const headers = await setup.requester(tenant);
  await node.beat();
  const { status, body } = await setup.submit(headers, {
    ...{ ...task, assign: `agent:${node.agent_id}` },
    ...more,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  await setup.folded();
  return { headers, task: await node.pull("?wait_s=30") };
}

/** The service with a fake sandbox: each run does the next of these and returns its output. */
const withRuns = (...runs: (() => Promise<object>)[]): App => ({
  ...setup.app,
  executor: {
    engine_sha256: sha256("engine"),
    run: async () => ({ exit: "ok", output: await runs.shift()!() }) as ExecutionResult,
  },
});

const takes = async (reactor: typeof auditReactor, app = setup.app) => {
  await setup.folded();
  expect(await turn(app, reactor)).toEqual({ status: "done" });
  await setup.folded();
};
const due = (seconds: number) => setup.later(seconds, () => takes(computeReactor));

const accountOf = ({ sx }: TestNode) => setup.account(`soul:${sx}`);

/** A node with ten valid checks in a row. */
async function sure(name: string): Promise<TestNode> {
  const node = await nodeWith(name);
  await setup.folded();
  await setup.app.pool.query("update read.compute_nodes_v3 set valid_audits = 10 where sx = $1", [node.sx]);
  return node;
}

test("silence never accepts a result whose check never began, even from a node with ten valid checks", async () => {
  const node = await sure("sure");
  const { headers, task } = await leasedTask("delayed", node, { deadline_s: 60, window_s: 60 });
  const { task_id } = task;
  await node.gives(task, wrong);
  const aside = (await accountOf(node)).held;
  expect(aside).toBeGreaterThan(0);
  await due(700);
  await due(2 * DAY_S);
  expect(await setup.task("delayed", task_id)).toMatchObject({
    ...{ status: "submitted", audit: { verdict: "inconclusive", engine_sha256: null } },
  });
  expect(await accountOf(node)).toMatchObject({ held: aside });
  await setup.later(2 * DAY_S, async () => {
    expect(kindOf(await node.post("/soul/compute/settle", { task_id }))).toEqual([409, "not-due"]);
    const rejects = await setup.ask(headers, "/soul/compute/settle", { task_id, accept: false });
    expect(kindOf(rejects)).toEqual([409, "not-due"]);
  });
  await takes(auditReactor);
  expect(await setup.task("delayed", task_id)).toMatchObject({
    ...{ status: "refunded", audit: { verdict: "mismatch" } },
  });
  expect(await accountOf(node)).toMatchObject({ held: 0, spent: 1_000 });
});

test("all new requesters share one slot of the checks, and a requester with spending has its own", async () => {
  const node = await nodeWith("busy");
  const requesters = ["fresh-1", "fresh-2", "fresh-3", "settled"];
  const seeds = new Map(requesters.map((tenant) => [sha256(tenant), tenant]));
  for (const [seed, tenant] of seeds) {
    const { task } = await leasedTask(tenant, node, { input_data: { seed, n: 1 } });
    await node.gives(task, chainOf({ seed, n: 1 }));
  }
  const at = new Date().toISOString();
  const spent = account.take({ hold_id: "spent", amount_micro: OWN_QUEUE_MICRO, for: "a test" }, at);
  await setup.app.decide(account, account.targetOf("settled"), spent, { meta: { actor: "test" } });
  const order: string[] = [];
  const { executor } = setup.app;
  const spying: App["executor"] = {
    engine_sha256: executor.engine_sha256,
    run(work) {
      order.push(seeds.get((work.input as { seed: string }).seed)!);
      return executor.run(work);
    },
  };
  await takes(auditReactor, { ...setup.app, executor: spying });
  expect(order.indexOf("settled")).toBeLessThan(2);
  expect(order.toSorted()).toEqual(requesters);
});

test("a check that nobody ran for a week is void: the requester is refunded, and the node loses nothing", async () => {
  const node = await sure("sure-too");
  const before = await accountOf(node);
  const { task } = await leasedTask("forgotten", node, { deadline_s: 60, window_s: 60 });
  await node.gives(task, right);
  for (const seconds of [700, 6 * DAY_S]) await due(seconds);
  expect((await setup.task("forgotten", task.task_id)).status).toBe("submitted");
  await due(7 * DAY_S + 60);
  expect((await setup.task("forgotten", task.task_id)).status).toBe("refunded");
  expect(await setup.account("forgotten")).toMatchObject({ available: 1_000_000, held: 0 });
  expect(await accountOf(node)).toMatchObject({ available: before.available, held: 0, spent: 0 });
});

test.each([
  { name: "leaving", again: 0, shown: "0.00" },
  { name: "coming-back", again: 0.003, shown: "0.003" },
])(
  "the collateral part of a stake is lost although the stake was released: $name",
  async ({ name, again, shown }) => {
    const node = await nodeWith(name, 5_000);
    const stake = (stake_usdc: number) =>
      node.post("/soul/node/register", {
        ...{ agent_id: node.agent_id, capabilities: ["cpu"], hourly_rate_usd: 0.06, max_concurrent: 8 },
        stake_usdc,
      });
    await stake(0.005);
    const { task } = await leasedTask(`left-${name}`, node);
    await node.gives(task, wrong);
    expect((await stake(0)).status).toBe(200);
    await due(7 * DAY_S + 1);
    expect(await accountOf(node)).toMatchObject({ available: 4_000, held: 1_000 });
    // A later stake is not collateral for it.
    expect((await stake(again)).status).toBe(200);
    await takes(auditReactor);
    expect(await setup.account(`left-${name}`)).toMatchObject({ available: 1_001_000, held: 0 });
    const staked = again * 1e6;
    expect(await accountOf(node)).toMatchObject({ available: 4_000 - staked, held: staked, spent: 1_000 });
    const { body } = await node.get(`/soul/node/status/${node.agent_id}`);
    expect(body).toMatchObject({ node: { stake_usdc: shown }, slashes: 1 });
  },
);

test("a refused result is not stored", async () => {
  const node = await nodeWith("insistent");
  const { task } = await leasedTask("insisted", node, { verify: "requester" });
  const { task_id } = task;
  const stored = (result: object) =>
    setup.app.objects.get(objectName("task", task_id, sha256(JSON.stringify(result))));
  expect((await node.gives(task, right)).status).toBe(200);
  expect(await stored(right)).toBeDefined();
  for (const another of [wrong, { hash: "11".repeat(32) }]) {
    expect(kindOf(await node.gives(task, another))).toEqual([409, "result-differs"]);
    expect(await stored(another)).toBeUndefined();
  }
});

/** A quorum whose third copy arrives while the service runs the first two. Returns its outcome. */
async function lateCopy(tenant: string, late: object, ...later: object[]) {
  const [one, two, three] = await Promise.all(["a", "b", "c"].map((name) => nodeWith(`${tenant}-${name}`)));
  await setup.submit(await setup.requester(tenant), { ...task, verify: "quorum" });
  await setup.folded();
  const copies: LeasedTask[] = [];
  for (const by of [one!, two!, three!]) {
    await by.beat();
    copies.push(await by.pull("?wait_s=30&kinds=sha256-chain"));
    if (copies.length === 1) await takes(quorumReactor);
  }
  for (const [n, by] of [one!, two!].entries()) await by.gives(copies[n]!, right);
  const before = await accountOf(three!);
  const app = withRuns(
    async () => {
      expect((await three!.gives(copies[2]!, late)).status).toBe(200);
      return right;
    },
    ...later.map((output) => async () => output),
  );
  // The first tick runs the existing results, and the next one the late result, if it differs.
  for (let n = 0; n < 2; n++) await turn(app, quorumReactor).then(setup.folded);
  const now = await accountOf(three!);
  const { status, compared } = await setup.task(tenant, copies[2]!.task_id);
  return { status, verdict: compared?.verdict, earned: now.available + now.held - before.available };
}

test("a late copy of a quorum is paid if it is right, and slashed only by two equal runs", async () => {
  expect(await lateCopy("late-right", right)).toEqual({ status: "settled", verdict: "agreed", earned: 900 });
  expect(await lateCopy("late-wrong", wrong, right, right)).toEqual({
    ...{ status: "rejected", verdict: "differed", earned: 0 },
  });
  // The result changes with time: the service gets two results itself, and nobody was wrong.
  expect(await lateCopy("late-odd", wrong, wrong, { hash: "22".repeat(32) })).toEqual({
    ...{ status: "settled", verdict: undefined, earned: 900 },
  });
});
