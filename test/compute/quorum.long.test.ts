/** Quorum tasks: the result that enough copies agree on counts, its nodes are paid, and collusion needs many nodes. */
import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import * as agents from "../../src/domain/identity/agent.ts";
import * as account from "../../src/domain/payments/account.ts";
import { decideDispute } from "../../src/operator/disputes.ts";
import { computeReactor } from "../../src/reactors/compute/due.ts";
import { quorumReactor } from "../../src/reactors/compute/quorum.ts";
import { scaled } from "../support/scale.ts";
import { turn } from "../support/turns.ts";
import {
  type ComputeSetup,
  chainOf,
  type LeasedTask,
  openComputeSetup,
  sha256,
  type TestNode,
} from "./compute-setup.ts";

let setup: ComputeSetup;
let nodes: TestNode[];
beforeAll(async () => {
  setup = await openComputeSetup();
  nodes = await Promise.all(
    Array.from({ length: 6 }, (_, n) => setup.node(`node-${n}`, { max_concurrent: 200 })),
  );
});
afterAll(() => setup.service.stop());
afterEach(async () => expectSums());

/** No money appears or vanishes: credits by payments and gifts are in accounts, or were fees. */
async function expectSums(): Promise<void> {
  const { rows } = await setup.app.pool.query<{ tenant: string }>(
    "select distinct tenant from eventstore.events where stream_id like 'account-%'",
  );
  for (const { tenant } of rows) {
    const { credited, available, held, spent, debt } = await setup.account(tenant);
    expect([tenant, credited + debt]).toEqual([tenant, available + held + spent]);
  }
}

const judged = async () => {
  await setup.folded();
  expect(await turn(setup.app, quorumReactor)).toEqual({ status: "done" });
  await setup.folded();
};

const PRICE = 10_000;

/** A quorum of three with all copies available. */
async function submitted(tenant: string, more: object = {}) {
  const headers = await setup.requester(tenant);
  const { status, body } = await setup.submit(headers, {
    ...{ verify: "quorum", task_type: tenant, max_price_usd: 0.02 },
    ...more,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  await setup.folded();
  return { headers, task_id: body.task_id as string, body };
}

const pulls = (node: TestNode, kind: string) => node.pull(`?kinds=${kind}`);
const gives = async (node: TestNode, leasedTask: LeasedTask, result: object) => {
  const { status, body } = await node.gives(leasedTask, result);
  expect(status, JSON.stringify(body)).toBe(200);
};
const stateOf = async (headers: Record<string, string>, task_id: string) =>
  (await setup.ask(headers, `/soul/compute/status/${task_id}`)).body;

/** The first node begins the first copy, and then the others get theirs. */
async function begun(
  tenant: string,
  by: TestNode[],
  more: { task_type?: string; [field: string]: unknown } = {},
) {
  const { headers, task_id } = await submitted(tenant, more);
  const leasedTask: LeasedTask[] = [];
  for (const node of by) {
    leasedTask.push(await pulls(node, more.task_type ?? tenant));
    await judged();
  }
  return { headers, task_id, leasedTask };
}

describe("a quorum of three", () => {
  test("holds three prices, makes the other copies once one is begun, and pays the agreeing nodes", async () => {
    const { headers, task_id, body } = await submitted("two-of-three");
    expect(body).toMatchObject({
      status: "copied",
      copies: { wanted: 3, agree: 2, made: 1, agreed: 0 },
      account: { held_usdc: "0.06" },
    });
    const [one, two, three] = nodes as [TestNode, TestNode, TestNode];
    const first = await pulls(one, "two-of-three");
    expect(first.task_id).toBe(`${task_id}.1`);
    expect(await pulls(two, "two-of-three")).toBeNull();
    await judged();
    const [second, third] = [await pulls(two, "two-of-three"), await pulls(three, "two-of-three")];
    await gives(one, first, { word: "labdien" });
    expect((await one.post("/soul/compute/settle", { task_id: first.task_id })).body.type).toMatch(
      /#not-due$/,
    );
    expect((await setup.ask(headers, "/soul/compute/settle", { task_id: first.task_id })).status).toBe(409);
    await gives(three, third, { word: "sveiki" });
    await judged();
    expect(await stateOf(headers, task_id)).toMatchObject({ status: "copied", result: null });
    await gives(two, second, { word: "labdien" });
    await judged();
    expect(await stateOf(headers, task_id)).toMatchObject({
      ...{ status: "settled", accepted_by: "quorum", result: { word: "labdien" } },
      copies: { made: 3, agreed: 2 },
    });
    expect(await stateOf(one.headers, first.task_id)).toMatchObject({
      status: "settled",
      provider_usd: "0.009",
    });
    expect(await stateOf(three.headers, third.task_id)).toMatchObject({ status: "rejected" });
    // Two prices are spent; the third is held until its rejection cannot be disputed.
    expect(await setup.account("two-of-three")).toMatchObject({ spent: 2 * PRICE, held: 20_000 });
  });

  test("costs a differing node only its price if the service cannot run the kind", async () => {
    const three = nodes[2]!;
    await setup.later(86_401, () => turn(setup.app, computeReactor));
    expect((await three.get(`/soul/node/status/${three.agent_id}`)).body).toMatchObject({ slashes: 0 });
    expect(await setup.account("two-of-three")).toMatchObject({ spent: 2 * PRICE, held: 0 });
  });

  test("reserves no collateral for such a kind: two of three may collude, and the third keeps its money", async () => {
    const [one, two, three] = nodes as [TestNode, TestNode, TestNode];
    for (const n of [0, 1, 2]) await setup.requester(`soul:${nodes[n]!.sx}`, 50_000);
    const run = async (tenant: string) => {
      const { leasedTask } = await begun(tenant, [one, two, three]);
      await gives(one, leasedTask[0]!, { a: 1 });
      await gives(two, leasedTask[1]!, { a: 1 });
      await gives(three, leasedTask[2]!, { a: 2 });
      await judged();
      return leasedTask[2]!.task_id;
    };
    const own = () => setup.account(`soul:${three.sx}`);
    const before = await own();
    const task_id = await run("contested");
    expect(await own()).toMatchObject({ held: before.held, available: before.available });
    const disputed = await three.post("/soul/compute/dispute", { task_id });
    expect(disputed.body).toMatchObject({ status: "disputed" });
    await setup.folded();
    await decideDispute(setup.app, task_id, { verdict: "worker", reason: "it was right" });
    expect(await own()).toMatchObject({ held: before.held });
    await setup.later(86_401, () => turn(setup.app, computeReactor));
    expect(await setup.task("contested", task_id)).toMatchObject({ status: "settled" });

    const left = await own();
    const outvoted = await run("not-contested");
    await setup.later(86_401, () => turn(setup.app, computeReactor));
    expect(await setup.task("not-contested", outvoted)).toMatchObject({ status: "refunded" });
    expect(await own()).toMatchObject({ held: left.held, available: left.available });
    expect(await setup.account("not-contested")).toMatchObject({ available: 1_000_000 - 2 * PRICE });
  });
});

test("too little agreement leads to one second round, and then to a refund", async () => {
  const { headers, task_id, leasedTask } = await begun("at-odds", nodes.slice(0, 3), { copies: 2 });
  // With two copies the third node gets none.
  expect(leasedTask[2]).toBeNull();
  await gives(nodes[0]!, leasedTask[0]!, { a: 1 });
  await gives(nodes[1]!, leasedTask[1]!, { a: 2 });
  await judged();
  expect(await stateOf(headers, task_id)).toMatchObject({ status: "copied", copies: { made: 4 } });
  expect(await setup.account("at-odds")).toMatchObject({ held: 40_000, available: 960_000 });
  const again = [await pulls(nodes[3]!, "at-odds"), await pulls(nodes[4]!, "at-odds")];
  await gives(nodes[3]!, again[0]!, { a: 1 });
  await gives(nodes[4]!, again[1]!, { a: 3 });
  await judged();
  expect(await stateOf(headers, task_id)).toMatchObject({ status: "refunded", copies: { agreed: 0 } });
  expect(await setup.account("at-odds")).toMatchObject({ held: 0, spent: 0, available: 1_000_000 });
  const { body } = await nodes[3]!.get(`/soul/node/status/${nodes[3]!.agent_id}`);
  expect(body).toMatchObject({ slashes: 0 });
});

test("a late copy is compared with the agreement; an unstarted one is dropped", async () => {
  const { headers, task_id, leasedTask } = await begun("late", nodes.slice(0, 4), { copies: 5, agree: 3 });
  for (const n of [0, 1, 2]) await gives(nodes[n]!, leasedTask[n]!, { a: 1 });
  await judged();
  expect(await stateOf(headers, task_id)).toMatchObject({
    status: "settled",
    copies: { made: 5, agreed: 3 },
  });
  expect(await setup.account("late")).toMatchObject({ held: 20_000, spent: 3 * PRICE });
  await gives(nodes[3]!, leasedTask[3]!, { a: 1 });
  await judged();
  expect(await setup.account("late")).toMatchObject({ held: 0, spent: 4 * PRICE });
});

test("a task that is cancelled before it began holds no money", async () => {
  const { headers, task_id } = await submitted("dropped");
  const cancel = (id: string) => setup.ask(headers, "/soul/compute/cancel", { task_id: id });
  expect((await cancel(`${task_id}.1`)).status).toBe(404);
  expect((await cancel(task_id)).body).toMatchObject({ status: "cancelled" });
  expect((await cancel(task_id)).body).toMatchObject({ status: "cancelled" });
  expect(await setup.account("dropped")).toMatchObject({ held: 0, available: 1_000_000 });
  const other = await begun("not-dropped", [nodes[0]!]);
  expect(
    (await setup.ask(other.headers, "/soul/compute/cancel", { task_id: other.task_id })).body.type,
  ).toMatch(/#task-state$/);
});

test("copies and agree need verify=quorum, and agree is more than half", async () => {
  const headers = await setup.requester("mistaken");
  for (const [more, path] of [
    [{ verify: "requester", copies: 3 }, "copies"],
    [{ agree: 2 }, "agree"],
    [{ verify: "quorum", copies: 6 }, "copies"],
    [{ verify: "quorum", copies: 5, agree: 2 }, "agree"],
    [{ verify: "quorum", copies: 3, agree: 4 }, "agree"],
    [{ verify: "quorum", assign: `agent:${nodes[0]!.agent_id}` }, "assign"],
  ] as const)
    expect((await setup.submit(headers, more)).body.errors).toMatchObject([{ path }]);
  expect(await setup.account("mistaken")).toMatchObject({ held: 0 });
});

/** Quorums that ten colluding nodes bend among fifteen honest ones. */
const TASKS = scaled(8, 2);
const COLLUDERS = 10;
const HONEST = 15;

test(`ten colluders of ${COLLUDERS + HONEST} nodes bend only the share of ${TASKS} quorums that chance predicts`, async () => {
  const market = await Promise.all(
    Array.from({ length: COLLUDERS + HONEST }, (_, n) =>
      setup.node(`colluding-${n}`, { max_concurrent: 200 }),
    ),
  );
  const isBent = (node: TestNode) => market.indexOf(node) < COLLUDERS;
  const headers = await setup.requester("bent", 3 * TASKS * 20_000);
  let state = 16;
  const below = (most: number) => {
    state = createHash("sha256").update(`draw ${state}`).digest().readUInt32BE();
    return state % most;
  };
  let bent = 0;
  for (let n = 0; n < TASKS; n++) {
    const kind = `bent-${n}`;
    const { body } = await setup.submit(headers, {
      ...{ verify: "quorum", task_type: kind, max_price_usd: 0.02 },
    });
    await setup.folded();
    const waiting = [...market];
    const three = [1, 2, 3].map(() => waiting.splice(below(waiting.length), 1)[0]!);
    for (const [at, node] of three.entries()) {
      const leasedTask = await pulls(node, kind);
      if (at === 0) await judged();
      await gives(node, leasedTask, { right: !isBent(node) });
    }
    await judged();
    const { status: ended, result } = await stateOf(headers, body.task_id);
    expect(ended).toBe("settled");
    const colluding = three.filter(isBent).length;
    expect(result.right).toBe(colluding < 2);
    if (colluding >= 2) bent++;
  }
  // Hypergeometric: two or three of three drawn without replacement.
  const [c, h, all] = [COLLUDERS, HONEST, COLLUDERS + HONEST];
  const ways = (all * (all - 1) * (all - 2)) / 6;
  const p = (((c * (c - 1)) / 2) * h + (c * (c - 1) * (c - 2)) / 6) / ways;
  expect(Math.abs(bent - TASKS * p)).toBeLessThan(3 * Math.sqrt(TASKS * p * (1 - p)));
});

test("one copy of a proven node suffices if the draw says so", async () => {
  const sure = nodes[5]!;
  await setup.app.pool.query("update read.compute_nodes_v3 set valid_audits = 1000000 where sx = $1", [
    sure.sx,
  ]);
  const rich = account.credit({ source: "gift", amount_micro: 90_000_000_000, at: new Date().toISOString() });
  await setup.app.decide(account, account.targetOf(`soul:${sure.sx}`), rich, { meta: { actor: "test" } });
  const input_data = { seed: sha256("seed"), n: 5 };
  const chain = { task_type: "sha256-chain", input_data };
  const { headers, task_id, leasedTask } = await begun("sure", [sure], chain);
  expect(await stateOf(headers, task_id)).toMatchObject({ status: "copied", copies: { made: 1 } });
  await gives(sure, leasedTask[0]!, chainOf(input_data));
  await judged();
  // Without a seed no draw accepts a single copy.
  expect(await stateOf(headers, task_id)).toMatchObject({ status: "copied", copies: { made: 3 } });
  await setup.activeSeed();
  const next = await begun("sure-drawn", [sure], chain);
  await gives(sure, next.leasedTask[0]!, chainOf(input_data));
  await judged();
  expect(await stateOf(next.headers, next.task_id)).toMatchObject({
    ...{ status: "settled", copies: { made: 1, agreed: 1 }, result: chainOf(input_data) },
  });
  expect(await setup.account("sure-drawn")).toMatchObject({ held: 0, spent: 1_000 });
  // For a kind that the service cannot run, the node risks nothing with a single copy.
  const opaque = await begun("sure-opaque", [sure]);
  expect(await stateOf(opaque.headers, opaque.task_id)).toMatchObject({ copies: { made: 3 } });
});

test("copies never go to nodes that are bound to each other", async () => {
  const { app } = setup;
  const [one, two, three] = nodes as [TestNode, TestNode, TestNode];
  const at = new Date();
  const delegation = {
    ...{ delegation_id: sha256("d").slice(0, 32), to: two.sx, scopes: ["node" as const], kid: one.kid },
    ...{ max_spend_micro: 0, challenge_sha256: sha256("c"), delegated_at: at.toISOString() },
    expires_at: new Date(at.getTime() + 3_600_000).toISOString(),
  };
  const target = agents.targetOf(one.agent_id);
  await app.decide(agents, target, agents.delegate(delegation), { meta: { actor: "test" } });
  await submitted("apart");
  expect((await pulls(one, "apart")).task_id).toMatch(/\.1$/);
  await judged();
  expect(await pulls(one, "apart")).toBeNull();
  expect(await pulls(two, "apart")).toBeNull();
  expect((await pulls(three, "apart")).task_id).toMatch(/\.[23]$/);
});
