/** Concurrent acts: no task is leased twice, each ends once, and the money matches its end. */
import { afterAll, beforeAll, expect, test } from "vitest";
import * as tasks from "../../src/domain/compute/task.ts";
import { stepTask } from "../../src/reactors/compute/steps.ts";
import { type Service, startService } from "../support/service.ts";
import { type ComputeSetup, type LeasedTask, openComputeSetup } from "./compute-setup.ts";

const CALLERS = 64;

let setup: ComputeSetup;
let second: Service & { database_url: string };
beforeAll(async () => {
  setup = await openComputeSetup({ reactors: true });
  second = await startService({ beside: setup.service, chain: "embedded", env: { TRUST_PROXY: "1" } });
});
afterAll(async () => {
  await second.stop();
  await setup.service.stop();
});

/** Every account adds up, and no hold remains. */
async function expectSettled(): Promise<void> {
  await setup.folded();
  const { rows } = await setup.app.pool.query(
    `select tenant from read.accounts_v2
      where held <> 0 or debt <> 0 or credited - reversed <> available + held + spent + withdrawn - debt`,
  );
  expect(rows).toEqual([]);
}

test("64 callers at two processes lease no task twice and leave none", async () => {
  const node = await setup.node("crowd", { max_concurrent: 256 });
  const headers = await setup.requester("crowded", 10_000_000);
  for (let n = 0; n < CALLERS; n++) await setup.submit(headers, { task_type: "crowded" });
  await setup.folded();
  const at = [setup.service.url, second.url];
  const pull = async (n: number): Promise<LeasedTask> => {
    const url = `${at[n % 2]}/soul/compute/pull?wait_s=30&kinds=crowded`;
    // A pull that waited in vain is repeated, as every worker does.
    for (;;) {
      const answer = await fetch(url, { headers: node.headers });
      const { task } = (await answer.json()) as { task: LeasedTask | null };
      if (task) return task;
    }
  };
  const leasedTask = await Promise.all(Array.from({ length: CALLERS }, (_, n) => pull(n)));
  const ids = leasedTask.map((task) => task.task_id);
  expect(new Set(ids).size).toBe(CALLERS);
  await setup.folded();
  const { rows } = await setup.app.pool.query<{ leases: number }>(
    "select count(*)::int as leases from read.compute_leases_v4",
  );
  expect(rows).toEqual([{ leases: CALLERS }]);
  const given = await Promise.all(leasedTask.map((task) => node.gives(task, { done: true })));
  expect(new Set(given.map(({ status }) => status))).toEqual(new Set([200]));
  const settle = (task_id: string) => setup.ask(headers, "/soul/compute/settle", { task_id });
  const settled = await Promise.all(leasedTask.map((task) => settle(task.task_id)));
  expect(new Set(settled.map(({ status }) => status))).toEqual(new Set([200]));
  await expectSettled();
});

test("a concurrent result, lease end, cancellation and settlement have one outcome", async () => {
  const node = await setup.node("racer", { max_concurrent: 256 });
  const meta = { meta: { actor: "test" } };
  for (let round = 0; round < 8; round++) {
    const tenant = `race-${round}`;
    const headers = await setup.requester(tenant);
    await setup.submit(headers, { task_type: "raced" });
    await setup.folded();
    const task = await node.pull("?wait_s=30&kinds=raced");
    const named = { tenant, task_id: task.task_id };
    const lost = { attempt: 1, reason: "silence" as const, last_heartbeat_at: null };
    const acts = [
      () => node.gives(task, { done: true }),
      () =>
        setup.app.commit(
          (unit) => stepTask(unit, named, tasks.loseLease(lost, new Date().toISOString())),
          meta,
        ),
      () => setup.ask(headers, "/soul/compute/cancel", { task_id: task.task_id }),
      () => setup.ask(headers, "/soul/compute/settle", { task_id: task.task_id }),
      () => setup.ask(headers, "/soul/compute/settle", { task_id: task.task_id, accept: false }),
    ];
    // Each act begins once.
    const order = acts.map((_, at) => acts[(at + round) % acts.length]!);
    await Promise.all(order.map((act) => act().catch(() => undefined)));
    const story = await setup.storyOf(tenant, task.task_id);
    const has = (type: string) => story.filter((one) => one === type).length;
    expect(has("TaskLeased")).toBe(1);
    expect(has("TaskResultSubmitted") + has("TaskLeaseExpired")).toBe(1);
    expect(has("TaskSettled") + has("TaskRefunded")).toBeLessThanOrEqual(1);
    expect(has("TaskAccepted") + has("TaskRejected")).toBeLessThanOrEqual(1);
    const { credited, available, held, spent } = await setup.account(tenant);
    expect(credited).toBe(available + held + spent);
    // Open tasks are ended, so the next round and the sums start clean.
    const { status } = await setup.task(tenant, task.task_id);
    if (status === "queued") await setup.ask(headers, "/soul/compute/cancel", { task_id: task.task_id });
    if (status === "submitted") await setup.ask(headers, "/soul/compute/settle", { task_id: task.task_id });
    if (status === "rejected") {
      const at = new Date(Date.now() + 86_401_000).toISOString();
      await setup.app.commit((unit) => stepTask(unit, named, tasks.refundRejected(at)), meta);
    }
  }
  await expectSettled();
});

test("another process's decision counts over a stale state", async () => {
  const [first, next] = [await setup.node("believer"), await setup.node("successor")];
  const headers = await setup.requester("believed");
  await setup.submit(headers, { task_type: "believed" });
  await setup.folded();
  const leasedTask = await first.pull("?wait_s=30&kinds=believed");
  const named = { tenant: "believed", task_id: leasedTask.task_id };
  const lost = { attempt: 1, reason: "silence" as const, last_heartbeat_at: null };
  await second.app.commit((unit) => stepTask(unit, named, tasks.loseLease(lost, new Date().toISOString())), {
    meta: { actor: "test" },
  });
  const late = await first.gives(leasedTask, { done: "late" });
  expect([late.status, late.body.type]).toEqual([409, expect.stringContaining("#stale-lease")]);
  const there = (path: string, body?: object) =>
    fetch(second.url + path, {
      method: body ? "POST" : "GET",
      headers: { ...next.headers, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    }).then((answer) => answer.json());
  const { task } = (await there("/soul/compute/pull?wait_s=30&kinds=believed")) as { task: LeasedTask };
  expect(task).toMatchObject({ task_id: leasedTask.task_id, attempt: 2 });
  await there("/soul/compute/result", {
    task_id: task.task_id,
    lease_id: task.lease_id,
    result: { done: true },
  });
  const settled = await setup.ask(headers, "/soul/compute/settle", { task_id: task.task_id });
  expect(settled.body).toMatchObject({ status: "settled", worker: `SX#${next.sx}`, attempts: 2 });
  const again = await first.gives(leasedTask, { done: "later" });
  expect([again.status, again.body.type]).toEqual([409, expect.stringContaining("#stale-lease")]);
  await expectSettled();
});
