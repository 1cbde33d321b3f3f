/** The compute market over HTTP: a task is paid, leased, done, accepted and settled; and each other end. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { computeReactor } from "../../src/reactors/compute/due.ts";
import { expectBooks } from "../support/books.ts";
import { turn } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { type ComputeSetup, type LeasedTask, openComputeSetup, type TestNode } from "./compute-setup.ts";

let setup: ComputeSetup;
let node: TestNode;
let other: TestNode;
beforeAll(async () => {
  setup = await openComputeSetup();
  node = await setup.node("worker-one");
  other = await setup.node("worker-two");
});
afterAll(() => setup.service.stop());

const settled = (headers: Record<string, string>, task_id: string, more: object = {}) =>
  setup.ask(headers, "/soul/compute/settle", { task_id, ...more });

/** A task of a new requester, leased by this node. */
async function leasedTask(tenant: string, more: object = {}) {
  const headers = await setup.requester(tenant);
  const { body } = await setup.submit(headers, { assign: `agent:${node.agent_id}`, ...more });
  await setup.folded();
  const task = await node.pull("?wait_s=30");
  expect(task.task_id).toBe(body.task_id);
  return { headers, task };
}

/** A pull that has found nothing and waits for a task of this kind. */
async function waitingPull(kind: string): Promise<{ task: Promise<LeasedTask> }> {
  const queries = vi.spyOn(setup.app.pool, "query");
  const task = node.pull(`?wait_s=30&kinds=${kind}`);
  // It asks for the next ready task only after its first look.
  const waits = () => queries.mock.calls.some(([query]) => Object(query).name === "compute_next_ready");
  await until(waits).finally(() => queries.mockRestore());
  return { task };
}

describe("a task", () => {
  test("is paid from an account, done and accepted, and its worker gets nine tenths of its price", async () => {
    const headers = await setup.requester("acme");
    const submitted = await setup.submit(headers);
    expect(submitted).toMatchObject({
      status: 201,
      body: { status: "queued", account: { available_usdc: "0.95", held_usdc: "0.05" } },
    });
    const { task_id } = submitted.body;
    const task = await node.pull("?wait_s=30");
    expect(task).toMatchObject({
      task_id,
      task_type: "translate",
      input_data: { text: "hello" },
      attempt: 1,
      price_usd: "0.01",
    });
    expect(await node.gives(task, { text: "salut" })).toMatchObject({
      status: 200,
      body: { status: "submitted" },
    });
    const shown = await setup.ask(headers, `/soul/compute/status/${task_id}`);
    expect(shown.body).toMatchObject({
      status: "submitted",
      worker: `SX#${node.sx}`,
      result: { text: "salut" },
    });
    for (const _ of [1, 2])
      expect(await settled(headers, task_id)).toMatchObject({
        status: 200,
        body: { status: "settled", price_usd: "0.01", provider_usd: "0.009" },
      });
    expect(await setup.account("acme")).toMatchObject({ available: 990_000, held: 0, spent: 10_000 });
    expect(await setup.account(`soul:${node.sx}`)).toMatchObject({ available: 9_000 });
    await setup.folded();
    expect((await node.get("/soul/analytics/roi")).body).toMatchObject({ earned_usdc: "0.009" });
    expect((await other.get("/soul/analytics/roi")).body).toMatchObject({ earned_usdc: "0.00" });
    expect(await setup.storyOf("acme", task_id)).toEqual([
      "TaskSubmitted",
      "TaskLeased",
      "TaskResultSubmitted",
      "TaskAccepted",
      "TaskSettled",
    ]);
  });

  test("paid by x402 alone belongs to the wallet", async () => {
    const body = { task_type: "translate", input_data: { text: "hi" }, max_price_usd: 0.02 };
    const paid = await setup.pays(wallet(3), body);
    expect(paid).toMatchObject({
      status: 201,
      body: { account: { available_usdc: "0.00", held_usdc: "0.02" } },
    });
    const tenant = `wallet:${addressOf(wallet(3))}`;
    const task = await other.pull("?wait_s=30");
    expect(task.task_id).toBe(paid.body.task_id);
    await other.gives(task, { text: "salut" });
    await setup.later(86_401, async () => {
      await setup.folded();
      await turn(setup.app, computeReactor);
      expect((await setup.task(tenant, task.task_id)).status).toBe("accepted");
      expect(await settled(other.headers, task.task_id)).toMatchObject({ body: { status: "settled" } });
    });
    expect(await setup.account(tenant)).toMatchObject({ credited: 20_000, available: 10_000, spent: 10_000 });
    await expectBooks(setup.app);
  });

  test("beyond the balance is a 402 for exactly its price, which a payment with the key brings", async () => {
    const headers = await setup.requester("poor", 10_000);
    const answer = await setup.submit(headers, { max_price_usd: 0.25 });
    expect(answer.status).toBe(402);
    expect(answer.body.accepts[0].maxAmountRequired).toBe("250000");
    const body = { task_type: "translate", input_data: {}, max_price_usd: 0.25, kinds: undefined };
    const paid = await setup.pays(wallet(4), body, headers);
    expect(paid).toMatchObject({
      status: 201,
      body: { account: { available_usdc: "0.01", held_usdc: "0.25" } },
    });
    expect(await setup.ask(headers, "/soul/compute/cancel", { task_id: paid.body.task_id })).toMatchObject({
      status: 200,
      body: { status: "cancelled", refunded: "it was cancelled" },
    });
    expect(await setup.account("poor")).toMatchObject({ available: 260_000, held: 0 });
  });

  test("is invisible to others, who can neither settle nor cancel it", async () => {
    const { task } = await leasedTask("private");
    // A stranger's lease is found among the leases that are folded.
    await setup.folded();
    const stranger = await setup.keyOf("stranger");
    for (const headers of [stranger, other.headers]) {
      expect((await setup.ask(headers, `/soul/compute/status/${task.task_id}`)).status).toBe(404);
      for (const path of ["settle", "cancel"])
        expect((await setup.ask(headers, `/soul/compute/${path}`, { task_id: task.task_id })).status).toBe(
          404,
        );
    }
    expect((await other.gives(task, {})).status).toBe(409);
    expect((await other.gives({ ...task, lease_id: "guessed" }, {})).status).toBe(404);
    await node.gives(task, { done: true });
  });

  test("that is rejected is refunded a day later, unless the worker disputes it", async () => {
    const { headers, task } = await leasedTask("picky");
    await node.gives(task, { text: "nonsense" });
    const rejected = await settled(headers, task.task_id, { accept: false, reason: "this is not French" });
    expect(rejected.body).toMatchObject({ status: "rejected" });
    expect((await settled(node.headers, task.task_id)).status).toBe(409);
    await setup.folded();
    await setup.later(86_401, () => turn(setup.app, computeReactor));
    expect(await setup.task("picky", task.task_id)).toMatchObject({
      status: "refunded",
      refunded: { back_micro: 50_000 },
    });
    expect(await setup.account("picky")).toMatchObject({ available: 1_000_000, held: 0 });
  });

  test("that nobody begins is refunded at its deadline", async () => {
    const headers = await setup.requester("patient");
    const { body } = await setup.submit(headers, { deadline_s: 60, max_price_usd: 0.000001 });
    await setup.folded();
    await setup.later(61, () => turn(setup.app, computeReactor));
    expect(await setup.task("patient", body.task_id)).toMatchObject({ status: "expired" });
    expect(await setup.account("patient")).toMatchObject({ available: 1_000_000 });
  });
});

describe("a lease", () => {
  const silence = async () => {
    await setup.folded();
    await setup.app.pool.query(
      "update read.compute_tasks_v4 set leased_at = leased_at - interval '2 minutes' where status = 'leased'",
    );
  };

  test("of a silent worker is over, and its late result does not count", async () => {
    const { task } = await leasedTask("fenced", { assign: "queue" });
    await silence();
    await turn(setup.app, computeReactor);
    expect((await setup.task("fenced", task.task_id)).status).toBe("queued");
    expect((await node.beat(task.lease_id)).body.leases).toEqual([
      { lease_id: task.lease_id, expires_at: null, lost: true },
    ]);
    expect(await node.gives(task, { late: true })).toMatchObject({
      status: 409,
      body: { type: expect.stringContaining("#stale-lease") },
    });
    const again = await other.pull("?wait_s=30");
    expect(again).toMatchObject({ task_id: task.task_id, attempt: 2 });
    expect((await node.gives(task, { late: true })).status).toBe(409);
    expect((await other.gives(again, { right: true })).status).toBe(200);
    expect((await node.gives(task, { late: true })).status).toBe(409);
  });

  test("lasts as long as heartbeats name it", async () => {
    const { task } = await leasedTask("beating");
    expect((await node.beat(task.lease_id)).body.leases).toMatchObject([{ lost: false }]);
    await silence();
    await turn(setup.app, computeReactor);
    expect((await setup.task("beating", task.task_id)).status).toBe("leased");
    expect((await other.beat(task.lease_id)).body.leases).toMatchObject([{ lost: true }]);
    await node.gives(task, {});
  });

  test("lasts for a worker with heartbeats while the list of tasks is being rebuilt", async () => {
    const { task } = await leasedTask("anew");
    await setup.folded();
    const headers = await setup.requester("meanwhile");
    const holding = await setup.app.pool.connect();
    await holding.query("begin");
    await holding.query("select from read.checkpoints where projection = 'compute_tasks_v4' for update");
    const { rows } = await holding.query("select * from read.compute_leases_v4");
    await setup.app.pool.query("delete from read.compute_leases_v4");
    await setup.submit(headers);
    const { body } = await node.beat(task.lease_id);
    expect(body.leases).toEqual([{ lease_id: task.lease_id, expires_at: null, lost: false }]);
    await holding.query(
      "insert into read.compute_leases_v4 select * from jsonb_populate_recordset(null::read.compute_leases_v4, $1)",
      [JSON.stringify(rows)],
    );
    await holding.query("commit");
    holding.release();
    await setup.folded();
    await silence();
    await turn(setup.app, computeReactor);
    expect((await setup.task("anew", task.task_id)).status).toBe("leased");
    expect((await node.beat(task.lease_id)).body.leases).toMatchObject([{ lost: false }]);
    for (const one of [task, await node.pull("?wait_s=30")]) await node.gives(one, {});
  });

  test("is returned again for the same Idempotency-Key, and no second task is leased", async () => {
    const headers = await setup.requester("twice");
    for (const _ of [1, 2]) await setup.submit(headers, { assign: `agent:${node.agent_id}` });
    await setup.folded();
    const named = { "Idempotency-Key": "pull-1" };
    const first = await node.pull("", named);
    expect(await node.pull("", named)).toEqual(first);
    const kept = await setup.app.pool.query(
      "select convert_from(body, 'UTF8') as body from access.kept_answers where body is not null",
    );
    expect(JSON.stringify(kept.rows)).not.toContain(first.lease_id);
    const second = await node.pull("");
    expect(second.task_id).not.toBe(first.task_id);
    for (const task of [first, second]) await node.gives(task, {});
  });

  test("that fails three times ends the task, and the money is freed", async () => {
    const { task } = await leasedTask("hopeless");
    await setup.folded();
    const fails = (one: typeof task) =>
      node.post("/soul/compute/result", {
        task_id: one.task_id,
        lease_id: one.lease_id,
        error: "out of memory",
      });
    expect((await fails(task)).body).toMatchObject({ status: "queued" });
    for (const attempt of [2, 3]) {
      await setup.folded();
      const next = await node.pull("?wait_s=30");
      expect(next).toMatchObject({ task_id: task.task_id, attempt });
      await fails(next);
    }
    expect(await setup.task("hopeless", task.task_id)).toMatchObject({
      status: "dead_lettered",
      attempts: 3,
    });
    expect(await setup.account("hopeless")).toMatchObject({ available: 1_000_000, held: 0 });
  });

  test("takes one result: a repeat is the same, another is refused", async () => {
    const { task } = await leasedTask("once");
    expect((await node.gives(task, { a: 1 })).status).toBe(200);
    expect((await node.gives(task, { a: 1 })).status).toBe(200);
    expect(await node.gives(task, { a: 2 })).toMatchObject({
      status: 409,
      body: { type: expect.stringContaining("#result-differs") },
    });
  });
});

describe("a node", () => {
  test("waits for work, and gets it as soon as there is some", async () => {
    const headers = await setup.requester("waited-for");
    const { task: waiting } = await waitingPull("awaited");
    const { body } = await setup.submit(headers, { task_type: "awaited" });
    const task = await waiting;
    expect(task.task_id).toBe(body.task_id);
    await node.gives(task, {});
  });

  test("that waits leases a task before the list has it, and may return its result at once", async () => {
    const headers = await setup.requester("urgent");
    const { task: waiting } = await waitingPull("urgent");
    const held = await setup.app.pool.connect();
    await held.query("begin; lock table read.compute_tasks_v4 in exclusive mode");
    try {
      const { body } = await setup.submit(headers, { task_type: "urgent" });
      const task = await waiting;
      expect(task.task_id).toBe(body.task_id);
      const known = await held.query("select from read.compute_tasks_v4 where task_id = $1", [task.task_id]);
      expect(known.rowCount).toBe(0);
      const giving = node.gives(task, { done: true });
      await held.query("commit");
      expect((await giving).status).toBe(200);
    } finally {
      await held.query("rollback");
      held.release();
    }
  });

  test("never gets tasks below its price", async () => {
    const credit = await setup.requester("cheap");
    await setup.submit(credit, { task_type: "cheap", max_price_usd: 0.009999 });
    await setup.folded();
    expect(await node.pull("?kinds=cheap")).toBeNull();
  });

  test("with a fractional score gets tasks that require no more than that", async () => {
    const headers = await setup.requester("trusting");
    const scored = (score: number) =>
      setup.app.pool.query(
        `with day as (
           insert into read.trust_computed_v3 values (1, '', 1, 1, 1, 0, 1, '', now(), true) on conflict do nothing)
         insert into read.trust_scores_v3 values (1, $1, $2, 0, 0, 0, 0) on conflict (day, sx) do update set score = excluded.score`,
        [node.sx, score],
      );
    for (const min_trust of [10, 11])
      await setup.submit(headers, { assign: `agent:${node.agent_id}`, task_type: "trusted", min_trust });
    await setup.folded();
    await scored(9_999_999);
    expect(await node.pull("?kinds=trusted")).toBeNull();
    await scored(10_200_000);
    const task = await node.pull("?kinds=trusted");
    expect(await setup.task("trusting", task.task_id)).toMatchObject({ facts: { terms: { min_trust: 10 } } });
    expect(await node.pull("?kinds=trusted")).toBeNull();
    await node.gives(task, { done: true });
  });

  test("takes its maximum of tasks, and none while it is paused", async () => {
    const small = await setup.node("small-one", { max_concurrent: 1, kinds: ["little"] });
    const headers = await setup.requester("many");
    for (const _ of [1, 2]) await setup.submit(headers, { task_type: "little" });
    const task = await small.pull("?wait_s=30");
    await setup.folded();
    expect((await small.get("/soul/compute/pull")).status).toBe(409);
    await small.gives(task, {});
    await small.post("/soul/node/availability", { agent_id: small.agent_id, status: "paused" });
    expect((await small.get("/soul/compute/pull")).status).toBe(409);
    await small.post("/soul/node/availability", { agent_id: small.agent_id, status: "available" });
    expect(await small.pull("?wait_s=30")).toMatchObject({ task_type: "little" });
  });

  test("acts only by its own key", async () => {
    const body = { agent_id: node.agent_id, leases: [] };
    expect((await other.post("/soul/node/heartbeat", body)).status).toBe(403);
    expect((await setup.ask(await setup.keyOf("acme"), "/soul/node/heartbeat", body)).status).toBe(403);
  });

  test("is found by its capabilities, and shows its money only to its owner", async () => {
    await setup.folded();
    const { body } = await setup.ask({}, "/soul/match?need=cpu");
    expect(body.nodes.map((one: { sx_id: string }) => one.sx_id)).toContain(`SX#${node.sx}`);
    expect((await setup.ask({}, "/soul/match?need=gpu")).body.nodes).toEqual([]);
    expect((await setup.ask({}, "/soul/match?need=cpu&max_hourly_usd=0.01")).body.nodes).toEqual([]);
    const own = await node.get(`/soul/node/status/${node.agent_id}`);
    expect(own.body).toMatchObject({ node: { online: true }, account: { debt_usdc: "0.00" } });
    expect((await other.get(`/soul/node/status/${node.agent_id}`)).body).toMatchObject({
      account: null,
      earned_usd: null,
    });
    expect((await setup.ask({}, "/soul/compute/marketplace")).body).toMatchObject({
      hourly_rate_usd: { median: "0.06" },
      settled: expect.any(Number),
    });
  });

  test("that falls silent goes offline, and online again with its next heartbeat", async () => {
    await setup.folded();
    await setup.app.pool.query(
      "update compute.nodes_heard set heard_at = now() - interval '2 minutes' where sx = $1",
      [other.sx],
    );
    await turn(setup.app, computeReactor);
    expect((await other.get(`/soul/node/status/${other.agent_id}`)).body.node.online).toBe(false);
    await other.beat();
    expect((await other.get(`/soul/node/status/${other.agent_id}`)).body.node.online).toBe(true);
  });

  test("with too many heartbeats gets a retry", async () => {
    const results = [];
    for (let n = 0; n < 11; n++) results.push((await other.beat()).status);
    expect(results).toContain(429);
  });
});

test("HEAD does not pull a task, and its answer shows that", async () => {
  const answer = await fetch(`${setup.service.url}/soul/compute/pull`, {
    method: "HEAD",
    headers: node.headers,
  });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, OPTIONS"]);
});

test("each task's money is where its end requires, and the books agree", async () => {
  await setup.folded();
  const { rows } = await setup.app.pool.query<{ n: string }>(
    "select count(*) as n from read.accounts_v2 where credited - reversed <> available + held + spent + withdrawn - debt",
  );
  expect(rows).toEqual([{ n: 0 }]);
  await expectBooks(setup.app);
});
