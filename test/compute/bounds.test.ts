/** Limits and automatic ends of the market: waiting checks, account balances, order, lists, retention. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as nodes from "../../src/domain/compute/node.ts";
import { walletTenant } from "../../src/domain/payments/payment.ts";
import { recordOf } from "../../src/projections/compute/records.ts";
import { auditReactor } from "../../src/reactors/compute/audit.ts";
import { computeReactor } from "../../src/reactors/compute/due.ts";
import { balanceOf } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { turn } from "../support/turns.ts";
import { addressOf, wallet } from "../support/wallets.ts";
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
  node = await setup.node("bounded");
});
afterAll(() => setup.service.stop());

const DAY_S = 86_400;
const input_data = { seed: sha256("seed"), n: 5 };
const checkedKind = { task_type: "sha256-chain", input_data, max_price_usd: 0.02 };
const forNode = (more: object = {}) => ({ assign: `agent:${node.agent_id}`, ...more });

/** A task of a new requester, leased by this node. */
async function leasedTask(tenant: string, more: object = {}) {
  const headers = await setup.requester(tenant);
  // The other heartbeats may have taken so long that this node counts as silent.
  await node.beat();
  const { status, body } = await setup.submit(headers, forNode(more));
  expect(status, JSON.stringify(body)).toBe(201);
  await setup.folded();
  const task = await node.pull("?wait_s=30");
  expect(task.task_id).toBe(body.task_id);
  return { headers, task, task_id: task.task_id };
}

/** Runs the automatic steps that are due after this many seconds. */
async function oncePassed(seconds: number): Promise<void> {
  await setup.folded();
  await setup.later(seconds, async () => {
    expect(await turn(setup.app, computeReactor)).toEqual({ status: "done" });
  });
}

describe("a submission is refused", () => {
  test("while a thousand results wait for a check, if it needs a check too", async () => {
    const headers = await setup.requester("many-waiting");
    const { pool } = setup.app;
    const wait = (from: number, to: number) =>
      pool.query(
        `insert into read.compute_tasks_v4
           (task_id, tenant, status, kind, offer, max_price_micro, limit_s, min_trust, ready_at, awaits_audit, position, state)
         select 'waits-' || n, 'waits', 'submitted', 'sha256-chain', 1, 1, 60, 0, now(), true, 1000000 + n, '{}' from generate_series($1::int, $2) n`,
        [from, to],
      );
    try {
      await wait(1, 999);
      expect((await setup.submit(headers, checkedKind)).status).toBe(201);
      await wait(1_000, 1_000);
      const answer = await setup.submit(headers, checkedKind);
      expect(kindOf(answer)).toEqual([503, "busy"]);
      expect(answer.body.detail).toBe("too many results wait for a check; retry in a minute");
      const request = await fetch(`${setup.service.url}/soul/compute/submit`, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify(checkedKind),
      });
      expect([request.status, request.headers.get("retry-after")]).toEqual([503, "60"]);
      // The service does not re-run these.
      expect((await setup.submit(headers)).status).toBe(201);
      expect(await setup.account("many-waiting")).toMatchObject({ available: 930_000, held: 70_000 });
    } finally {
      await pool.query("delete from read.compute_tasks_v4 where tenant = 'waits'");
    }
    const { body } = await setup.ask(headers, "/soul/compute/tasks");
    for (const { task_id } of body.tasks) await setup.ask(headers, "/soul/compute/cancel", { task_id });
  });

  test("if the service holds no money of others, with and without a balance", async () => {
    const headers = await setup.requester("closed");
    const { custody } = setup.app.settings;
    custody.open = false;
    try {
      expect(kindOf(await setup.submit(headers))).toEqual([503, "custody-off"]);
      expect(kindOf(await setup.submit({}))).toEqual([503, "custody-off"]);
    } finally {
      custody.open = true;
    }
    expect(await setup.account("closed")).toMatchObject({ available: 1_000_000, held: 0 });
  });

  test.each([
    ["an account", "account_micro", "an account holds 0.04 USDC at most"],
    ["all accounts together", "total_micro", "all accounts together hold at most 0.04 USDC"],
  ] as const)("if %s would exceed the operator's limit, and nothing is paid", async (_, cap, said) => {
    const { custody } = setup.app.settings;
    const before = custody[cap];
    const [payer, { chain }] = [wallet(6), setup.app];
    const had = await balanceOf(chain, addressOf(payer));
    custody[cap] = 40_000;
    try {
      const answer = await setup.pays(payer, { task_type: "translate", input_data: {}, max_price_usd: 0.05 });
      expect(kindOf(answer)).toEqual([409, "account-full"]);
      expect(answer.body.detail).toContain(said);
    } finally {
      custody[cap] = before;
    }
    expect(await balanceOf(chain, addressOf(payer))).toBe(had);
    expect((await setup.account(walletTenant(addressOf(payer)))).credited).toBe(0);
  });
});

test("the best paid per second comes first, and then the oldest", async () => {
  const taker = await setup.node("chooser", { kinds: ["ordered"] });
  const submitted: Record<string, string> = {};
  for (const [name, more] of [
    ["old", { max_price_usd: 0.05, limit_s: 600 }],
    ["short", { max_price_usd: 0.02, limit_s: 60 }],
    ["young", { max_price_usd: 0.05, limit_s: 600 }],
    ["dear", { max_price_usd: 0.1, limit_s: 600 }],
  ] as const) {
    const headers = await setup.requester(`ordered-${name}`);
    const { body } = await setup.submit(headers, { task_type: "ordered", ...more });
    submitted[body.task_id] = name;
  }
  await setup.folded();
  const order: (string | undefined)[] = [];
  for (let n = 0; n < 4; n++) order.push(submitted[(await taker.pull("?wait_s=30")).task_id]);
  expect(order).toEqual(["short", "dear", "old", "young"]);
});

test("tasks are listed by owner, status and page, the newest first", async () => {
  const headers = await setup.requester("lister");
  const worker = await setup.node("listed-worker", { kinds: ["listed"] });
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) {
    const { body } = await setup.submit(headers, { task_type: "listed", assign: `agent:${worker.agent_id}` });
    ids.unshift(body.task_id);
  }
  await setup.ask(headers, "/soul/compute/cancel", { task_id: ids[4] });
  await setup.folded();
  const has = (await worker.pull("?wait_s=30")).task_id;
  await setup.folded();

  const seen: string[] = [];
  const sizes: number[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { body } = await setup.ask(headers, `/soul/compute/tasks?limit=2${cursor && `&cursor=${cursor}`}`);
    seen.push(...body.tasks.map(({ task_id }: { task_id: string }) => task_id));
    sizes.push(body.tasks.length);
    cursor = body.next_cursor;
  }
  expect([seen, sizes]).toEqual([ids, [2, 2, 1]]);

  const listed = async (as: Record<string, string>, query: string) => {
    const { status, body } = await setup.ask(as, `/soul/compute/tasks?${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.tasks.map(({ task_id }: { task_id: string }) => task_id);
  };
  expect(await listed(headers, "status=cancelled")).toEqual([ids[4]]);
  expect(await listed(headers, "status=leased")).toEqual([has]);
  expect(await listed(headers, "status=settled")).toEqual([]);
  expect(await listed(headers, "status=queued&limit=100")).toEqual(
    ids.slice(0, 4).filter((id) => id !== has),
  );
  expect(await listed(worker.headers, "role=assigned")).toEqual([has]);
  expect(await listed(worker.headers, "role=assigned&status=queued")).toEqual([]);
  expect(await listed(worker.headers, "")).toEqual([]);
  // Nobody has worked for an API key.
  expect((await setup.ask(headers, "/soul/compute/tasks?role=assigned")).status).toBe(403);
});

test("a task's bytes are stored until 30 days after its end", async () => {
  const { headers, task, task_id } = await leasedTask("keeper");
  const { pool, objects } = setup.app;
  const named = "starts_with(name, 'task/' || $1 || '/')";
  const lying = async () => {
    const { rows } = await pool.query<{ until: string }>(
      `select keep_until::text as until from objects.small where ${named}`,
      [task_id],
    );
    return rows.map(({ until }) => until);
  };
  expect(await lying()).toEqual(["infinity"]);
  await node.gives(task, { text: "bonjour" });
  await setup.folded();
  expect(await lying()).toEqual(["infinity", "infinity"]);
  expect((await setup.ask(headers, "/soul/compute/settle", { task_id })).body.status).toBe("settled");
  await setup.folded();
  const { ended_at } = await setup.task("keeper", task_id);
  const { rows } = await pool.query<{ days: number }>(
    `select extract(epoch from keep_until - $2::timestamptz)::float8 / 86400 as days from objects.small where ${named}`,
    [task_id, ended_at],
  );
  expect(rows).toEqual([{ days: 30 }, { days: 30 }]);
  await objects.deletePast(1_000);
  const shown = () => setup.ask(headers, `/soul/compute/status/${task_id}`);
  expect((await shown()).body.result).toEqual({ text: "bonjour" });

  // As if 30 days had passed.
  await pool.query(`update objects.small set keep_until = keep_until - interval '31 days' where ${named}`, [
    task_id,
  ]);
  await objects.deletePast(1_000);
  expect(await lying()).toEqual([]);
  expect((await shown()).body).toMatchObject({ status: "settled", result: null });
});

describe("automatic steps", () => {
  test("leave a result to its requester after an inconclusive check, accept it by silence, and settle it a day later", async () => {
    // Silence accepts such a result only from a node with history.
    const text = "update read.compute_nodes_v3 set valid_audits = 10 where sx = $1";
    await setup.app.pool.query(text, [node.sx]);
    const { task, task_id } = await leasedTask("unchecked", checkedKind);
    await node.gives(task, chainOf(input_data));
    await oncePassed(300);
    expect(await setup.task("unchecked", task_id)).toMatchObject({ status: "submitted", audit: null });
    const run = async () => ({ exit: "failed" as const, reason: "it took too long" });
    const executor = { engine_sha256: setup.app.executor.engine_sha256, run };
    await setup.folded();
    await turn({ ...setup.app, executor }, auditReactor);
    await setup.folded();
    const left = await setup.task("unchecked", task_id);
    expect(left).toMatchObject({
      status: "submitted",
      audit: { verdict: "inconclusive", expected_sha256: null, draw: null },
    });
    // The requester's window begins with that.
    await oncePassed(DAY_S - 300);
    expect((await setup.task("unchecked", task_id)).status).toBe("submitted");
    await oncePassed(DAY_S + 900);
    expect(await setup.task("unchecked", task_id)).toMatchObject({
      status: "accepted",
      accepted: { by: "window" },
    });
    await oncePassed(1.5 * DAY_S);
    expect((await setup.task("unchecked", task_id)).status).toBe("accepted");
    const { available: had } = await setup.account(`soul:${node.sx}`);
    await oncePassed(2 * DAY_S + 1_200);
    expect(await setup.task("unchecked", task_id)).toMatchObject({
      status: "settled",
      settled: { price_micro: 1_000, provider_micro: 900, fee_micro: 100, back_micro: 19_000 },
    });
    expect((await setup.account(`soul:${node.sx}`)).available - had).toBe(900);
    expect(await setup.account("unchecked")).toMatchObject({ available: 999_000, held: 0, spent: 1_000 });
  });

  test("refund a task that is disputed for 14 days, and free both bonds", async () => {
    const tenant = `soul:${node.sx}`;
    await setup.requester(tenant, 10_000);
    const { headers, task, task_id } = await leasedTask("undecided");
    const before = await setup.account(tenant);
    await node.gives(task, { text: "bonjour" });
    await setup.ask(headers, "/soul/compute/settle", { task_id, accept: false });
    expect((await node.post("/soul/compute/dispute", { task_id })).body.status).toBe("disputed");
    await oncePassed(13 * DAY_S);
    expect((await setup.task("undecided", task_id)).status).toBe("disputed");
    expect((await setup.account(tenant)).available).toBe(before.available - 10_000);
    expect(await setup.account("undecided")).toMatchObject({ available: 940_000, held: 60_000 });
    await oncePassed(14 * DAY_S + 60);
    expect(await setup.task("undecided", task_id)).toMatchObject({
      status: "refunded",
      dispute: { decided: { by: "time", verdict: "none" } },
    });
    expect(await setup.account(tenant)).toMatchObject({
      available: before.available,
      held: before.held,
      spent: before.spent,
    });
    expect(await setup.account("undecided")).toMatchObject({ available: 1_000_000, held: 0, spent: 0 });
  });
});

describe("a node's status", () => {
  test("shows its earnings, its pending pay and its balance to its owner only", async () => {
    const earner = await setup.node("earner", { kinds: ["earned"] });
    const headers = await setup.requester("payer-of-earner");
    for (let n = 0; n < 3; n++) await setup.submit(headers, { task_type: "earned" });
    await setup.folded();
    const tasks = [];
    for (let n = 0; n < 3; n++) tasks.push(await earner.pull("?wait_s=30"));
    const [paid, owed] = tasks;
    for (const task of [paid!, owed!]) await earner.gives(task, { text: "bonjour" });
    await setup.ask(headers, "/soul/compute/settle", { task_id: paid!.task_id });
    await setup.folded();
    const status = async (as: TestNode) => (await as.get(`/soul/node/status/${earner.agent_id}`)).body;
    expect(await status(earner)).toMatchObject({
      settled: 1,
      running: 1,
      earned_usd: "0.009",
      earnings: { settled: "0.009", pending: "0.009", available: "0.009" },
    });
    expect(await status(node)).toMatchObject({ settled: 1, earned_usd: null, earnings: null, account: null });
    // A rejected result can still win a dispute; a refunded one cannot.
    await setup.ask(headers, "/soul/compute/settle", { task_id: owed!.task_id, accept: false });
    await setup.folded();
    expect((await status(earner)).earnings.pending).toBe("0.009");
    await oncePassed(DAY_S + 60);
    expect((await setup.task("payer-of-earner", owed!.task_id)).status).toBe("refunded");
    await setup.folded();
    expect((await status(earner)).earnings).toEqual({
      settled: "0.009",
      pending: "0.00",
      available: "0.009",
    });
  });

  test("shows its uptime of the last 30 days and the covered seconds", async () => {
    const recorded = await setup.node("recorded");
    const { app } = setup;
    const target = nodes.targetOf(recorded.sx);
    const { facts, online_since } = nodes.registered(await app.load(nodes, target));
    const at = (days: number) => new Date(Date.parse(online_since!) + days * DAY_S * 1_000).toISOString();
    const decide = (decision: (state: nodes.NodeState) => nodes.NodeEvent[]) =>
      app.decide(nodes, target, decision, { meta: { actor: "test" } });
    await decide(nodes.goOffline(at(10), at(10)));
    // A new offer does not reset its registration.
    await decide(nodes.register({ ...facts, hourly_rate_micro: 1, registered_at: at(11) }));
    await decide(nodes.goOnline(at(12)));
    await decide(nodes.goOffline(at(13), at(13.1)));
    await setup.folded();
    const days = async (now: string) => {
      const { n, online_s } = await recordOf(app.pool, recorded.sx, now);
      return [n / DAY_S, online_s / DAY_S];
    };
    const before = (Date.parse(online_since!) - Date.parse(facts.registered_at)) / 1_000 / DAY_S;
    expect(await days(at(20))).toEqual([expect.closeTo(20 + before, 6), 11]);
    expect(await days(at(35))).toEqual([30, 6]);
    expect(await days(at(41))).toEqual([30, 1]);
    expect(await days(at(45))).toEqual([30, 0]);

    await setup.later(20 * DAY_S, async () => {
      const { body } = await recorded.get(`/soul/node/status/${recorded.agent_id}`);
      expect(body.uptime).toBeCloseTo(11 / 20, 3);
      expect(Math.floor(body.uptime_n / DAY_S)).toBe(20);
      expect(body.online_s).toBe(11 * DAY_S);
    });
    await setup.later(45 * DAY_S, async () => {
      const { body } = await recorded.get(`/soul/node/status/${recorded.agent_id}`);
      expect(body).toMatchObject({ uptime: 0, uptime_n: 30 * DAY_S, online_s: 11 * DAY_S });
    });

    // Times older than 30 days are deleted.
    await decide(nodes.goOnline(at(50)));
    await setup.folded();
    expect(await days(at(51))).toEqual([30, 1]);
    await decide(nodes.goOffline(at(52), at(52)));
    await setup.folded();
    expect(await days(at(60))).toEqual([30, 2]);
    const { rows } = await app.pool.query("select from read.compute_online_v1 where sx = $1", [recorded.sx]);
    expect(rows).toHaveLength(1);
  });
});

test("the books agree at the end", () => expectBooks(setup.app));
