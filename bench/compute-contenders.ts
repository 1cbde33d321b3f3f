/**
 * The ways of distributing work that bench/compute.ts compares: each does a number of tasks with a number of
 * workers.
 */
import { createHash, randomBytes } from "node:crypto";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import PgBoss from "pg-boss";
import type { Caller } from "../src/api/declare/caller.ts";
import type { Context, OperationDeclaration } from "../src/api/declare/operation.ts";
import { settleOperations } from "../src/api/operations/compute/settle.ts";
import { workOperations } from "../src/api/operations/compute/work.ts";
import type { App } from "../src/core/app.ts";
import { forEach } from "../src/core/coordination/concurrency.ts";
import { objectName } from "../src/core/model/objects.ts";
import * as nodes from "../src/domain/compute/node.ts";
import * as tasks from "../src/domain/compute/task.ts";
import * as agents from "../src/domain/identity/agent.ts";
import * as passports from "../src/domain/identity/passports.ts";
import * as account from "../src/domain/payments/account.ts";
import { tasksProjection } from "../src/projections/compute/tasks.ts";
import { stepTask } from "../src/reactors/compute/steps.ts";
import { loneEvent } from "./lone-event.ts";

/** `seconds`: for tasks that existed before the measurement. */
export type Contender = { seconds(count: number, workers: number): Promise<number> };

const meta = { actor: "bench", operation: "bench" };
const AT = new Date().toISOString();
const PRICE_MICRO = 1_000;
/** Requesters: a settlement locks only its requester's account. */
const TENANTS = 200;
/** Tasks submitted in one commit, before the measurement. */
const TOGETHER = 50;
const PATIENCE_MS = 120_000;

const input = Buffer.from('{"text":"hello"}');
const input_sha256 = createHash("sha256").update(input).digest("hex");

const tenantOf = (n: number) => `requester-${n % TENANTS}`;

/** The time until all workers are done. */
async function timed(
  count: number,
  workers: number,
  one: (worker: number) => Promise<boolean>,
): Promise<number> {
  const begun = performance.now();
  let left = count;
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      while (left > 0) {
        left--;
        if (!(await one(worker))) throw new Error("there was no task left for a worker");
      }
    }),
  );
  return (performance.now() - begun) / 1_000;
}

/** One event in its own stream. */
export const bareAppends = ({ store }: App): Contender => ({
  seconds: (count, workers) =>
    timed(count, workers, async () => {
      await store.append(loneEvent());
      return true;
    }),
});

/** Nodes of this service, one worker each. */
export async function openMarket(app: App, workers: number): Promise<{ pulls: Contender; works: Contender }> {
  const callers = await makeNodes(app, workers);
  for (let n = 0; n < TENANTS; n++) {
    const gift = account.credit({ source: "gift", amount_micro: 10_000_000_000, at: AT });
    await app.decide(account, account.targetOf(tenantOf(n)), gift, { meta });
  }
  const [pull, result] = workOperations as [OperationDeclaration, OperationDeclaration];
  const [settle] = settleOperations as [OperationDeclaration];
  const pulled = async (worker: number) => {
    const { task } = (await ask(app, pull, callers[worker]!, { wait_s: 0, kinds: [] })) as {
      task: Lent | null;
    };
    return task;
  };
  return {
    pulls: {
      async seconds(count, at_once) {
        await submit(app, count);
        return timed(count, at_once, async (worker) => (await pulled(worker)) !== null);
      },
    },
    works: {
      async seconds(count, at_once) {
        const owners = await submit(app, count);
        return timed(count, at_once, async (worker) => {
          const task = await pulled(worker);
          if (!task) return false;
          const { task_id, lease_id } = task;
          await ask(app, result, callers[worker]!, { task_id, lease_id, result: { done: true }, exit: "ok" });
          await ask(app, settle, requester(owners.get(task_id)!), { task_id, accept: true });
          return true;
        });
      },
    },
  };
}

type Lent = { task_id: string; lease_id: string };

const requester = (tenant: string): Caller => ({
  ...{ kind: "key", tenant, key_id: "bench", scopes: ["order"], space: "live" },
});

/** A call as in the pipeline, with its commit, without HTTP, admission and JSON parsing. */
async function ask(
  app: App,
  operation: OperationDeclaration,
  caller: Caller,
  given: object,
): Promise<object> {
  const fresh_id = randomBytes(16).toString("hex");
  const { signal } = new AbortController();
  const { result } = await app.commit(
    (unit) =>
      operation.handle({
        ...unit,
        app,
        data: app.data,
        caller,
        input: given,
        fresh_id,
        signal,
      } as unknown as Context<never>),
    { meta },
  );
  return result;
}

async function makeNodes(app: App, count: number): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (let n = 0; n < count; n++) {
    const agent_id = `bench.node-${n}`;
    const { result } = await app.decide(passports, passports.target, passports.issue(agent_id), { meta });
    const sx_number = result.state;
    const passport_hash = agents.passportHash({ agent_id, issued_at: AT, origin: "bench", sx_number });
    const facts = { agent_id, sx_number, display_name: null, registered_at: AT, passport_hash };
    await app.decide(agents, agents.targetOf(agent_id), agents.register(facts), { meta });
    const offer = { hourly_rate_micro: 6_000, max_concurrent: nodes.MOST_CONCURRENT };
    const node = nodes.register({ capabilities: ["cpu"], kinds: [], ...offer, registered_at: AT });
    await app.decide(nodes, nodes.targetOf(sx_number), node, { meta });
    const tenant = `soul:${sx_number}`;
    callers.push({ kind: "subject", tenant, key_id: agent_id, subject: agent_id, scopes: ["node"] });
  }
  return callers;
}

/** Public tasks, and their owners. */
async function submit(app: App, count: number): Promise<Map<string, string>> {
  const owners = new Map<string, string>();
  for (let n = 0; n < count; n++) owners.set(randomBytes(16).toString("hex"), tenantOf(n));
  const all = [...owners];
  const deadline_at = "2999-01-01T00:00:00.000Z";
  const pages = Array.from({ length: Math.ceil(count / TOGETHER) }, (_, at) =>
    all.slice(at * TOGETHER, (at + 1) * TOGETHER),
  );
  await forEach(pages, async (page) => {
    for (const [task_id] of page) await app.objects.put(objectName("task", task_id, input_sha256), input);
    await app.commit(
      async (unit) => {
        for (const [task_id, tenant] of page) {
          const hold = { hold_id: tasks.holdOf(task_id), amount_micro: PRICE_MICRO, for: "a task" };
          await unit.decide(account, account.targetOf(tenant), account.hold(hold, AT));
          const terms = {
            ...{ max_price_micro: PRICE_MICRO, limit_s: 600, verify: "requester" as const, quorum: null },
            ...{ assign: null, min_trust: 0, window_s: 3_600, deadline_at },
          };
          const facts = { task_id, kind: "bench", input_sha256, input_bytes: input.length, terms };
          await stepTask(
            unit,
            { tenant, task_id },
            tasks.submit({ ...facts, copy_of: null, submitted_at: AT }),
          );
        }
      },
      { meta },
    );
  });
  const { position } = await app.store.head();
  if (!(await app.runner.reached(tasksProjection, position, PATIENCE_MS)))
    throw new Error("no list of tasks");
  return owners;
}

const QUEUE = "bench";

/** pg-boss, fetching one at a time. */
export async function openPgBoss(url: string, workers: number) {
  const boss = new PgBoss({ connectionString: url, max: workers, supervise: false, schedule: false });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue(QUEUE);
  const fill = (count: number) =>
    boss.insert(Array.from({ length: count }, (_, n) => ({ name: QUEUE, data: { n } })));
  const of = (complete: boolean): Contender => ({
    async seconds(count, at_once) {
      await fill(count);
      return timed(count, at_once, async () => {
        const [job] = await boss.fetch(QUEUE);
        if (job && complete) await boss.complete(QUEUE, job.id);
        return job !== undefined;
      });
    },
  });
  return { pulls: of(false), works: of(true), close: () => boss.stop({ graceful: false, close: true }) };
}

/** graphile-worker without its local queue: each worker fetches one at a time, runs nothing and completes it. */
export function graphileWorker(url: string): Contender {
  return {
    async seconds(count, workers) {
      let done = 0;
      let finish = () => {};
      const all = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const task = async () => {
        if (++done === count) finish();
      };
      const silent = new Logger(() => () => {});
      const options = {
        connectionString: url,
        maxPoolSize: workers + 2,
        logger: silent,
        noHandleSignals: true,
      };
      const filling = await makeWorkerUtils({ connectionString: url, logger: silent });
      await filling.migrate();
      await filling.addJobs(Array.from({ length: count }, () => ({ identifier: QUEUE, payload: {} })));
      await filling.release();
      const begun = performance.now();
      const runner = await run({
        ...options,
        concurrency: workers,
        pollInterval: 100,
        taskList: { [QUEUE]: task },
      });
      await all;
      const seconds = (performance.now() - begun) / 1_000;
      await runner.stop();
      return seconds;
    },
  };
}
