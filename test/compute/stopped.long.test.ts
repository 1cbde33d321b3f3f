/**
 * Workers paused past their lease while another finishes their tasks: each gets 409 when it resumes, and one result
 * counts. STOPS=1000 gives the promised size.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forEach } from "../../src/core/coordination/concurrency.ts";
import * as tasks from "../../src/domain/compute/task.ts";
import { scaled } from "../support/scale.ts";
import { until } from "../support/until.ts";
import { type Answer, type ComputeSetup, chainOf, openComputeSetup, sha256 } from "./compute-setup.ts";
import { startWork, type WorkProcess } from "./work-process.ts";

const STOPS = scaled(2, 2);
/** Workers paused at once; two more finish their tasks. An address registers twenty agents an hour. */
const AT_ONCE = Math.min(STOPS, 18);
const CREW = AT_ONCE + 2;
const PRICE_MICRO = 1_000;

type Worker = WorkProcess & { agent: string; sx: number };

let setup: ComputeSetup;
let network: Awaited<ReturnType<typeof watchedNetwork>>;
const workers: WorkProcess[] = [];
beforeAll(async () => {
  setup = await openComputeSetup({ reactors: true });
  network = await watchedNetwork(setup.service.url);
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.clear()));
  await network.close();
  await setup.service.stop();
});

/**
 * A proxy between workers and service. It records the answers to results, and delays heartbeats of a paused worker,
 * which could tell it of the loss before its result does.
 */
async function watchedNetwork(target: string) {
  const answers = new Map<string, string[]>();
  const held = new Set<string>();
  const server = createServer((req, res) => {
    const pass = async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      if (req.url === "/soul/node/heartbeat") {
        const { agent_id } = JSON.parse(body);
        await until(() => !held.has(agent_id));
      }
      const { host: _host, connection: _connection, "content-length": _length, ...headers } = req.headers;
      const answer = await fetch(`${target}${req.url}`, {
        method: req.method!,
        headers: headers as Record<string, string>,
        ...(body && { body }),
      });
      const result = await answer.text();
      if (req.url === "/soul/compute/result") {
        const { task_id } = JSON.parse(body);
        const kind = answer.ok ? "" : ` ${JSON.parse(result).type.split("#")[1]}`;
        answers.set(task_id, [...(answers.get(task_id) ?? []), `${answer.status}${kind}`]);
      }
      res.writeHead(answer.status, { "Content-Type": answer.headers.get("Content-Type") ?? "" }).end(result);
    };
    pass().catch(() => res.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The answers to a task's results, in order. */
    answersTo: (task_id: string) => answers.get(task_id) ?? [],
    hold: (agent: string) => held.add(agent),
    let: (agent: string) => held.delete(agent),
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

async function hire(agent: string): Promise<Worker> {
  const worker = await startWork(network.url, agent, ["--kinds", "sha256-chain"]);
  workers.push(worker);
  const { sx_id } = await worker.tells("online");
  return { ...worker, agent, sx: Number(sx_id.slice(3)) };
}

const seed = sha256("seed");
const tenant = "stopped";

/** Retries if the service closed an idle connection. */
function ask(headers: Record<string, string>, path: string, body?: object): Promise<Answer> {
  const named = { ...headers, "Idempotency-Key": randomUUID() };
  return until(() => setup.ask(named, path, body));
}

type Leased = { sx: number; lease_sha256: string };
/** Reads tasks from the growing log: one query per task would take the processor from the workers. */
const leases = new Map<string, Leased[]>();
const given = new Set<string>();

async function follow(signal: AbortSignal): Promise<void> {
  const { app } = setup;
  for await (const batch of app.tail.subscribe({ after: app.tail.position, signal }))
    for (const { type, data, id } of app.eventsOf(tasks, batch)) {
      if (type === "TaskLeased") leases.set(id, [...(leases.get(id) ?? []), data]);
      if (type === "TaskResultSubmitted") given.add(id);
    }
}

/** Returns whether a worker was paused before its result arrived; then another finished, and it got the 409. */
async function stopOne(
  crew: readonly Worker[],
  headers: Record<string, string>,
  n: number,
): Promise<boolean> {
  const task = { task_type: "sha256-chain", input_data: { seed, n }, verify: "requester" };
  const submitted = await ask(headers, "/soul/compute/submit", { ...task, max_price_usd: 0.001 });
  expect(submitted.status).toBe(201);
  const { task_id } = submitted.body;
  const lease = await until(() => leases.get(task_id)?.[0] ?? false);
  const slow = crew.find(({ sx }) => sx === lease.sx)!;
  network.hold(slow.agent);
  slow.signal("SIGSTOP");
  await until(() => silence(lease));
  await until(() => given.has(task_id));
  // A result may have been on its way, and counts then.
  const isInTime = leases.get(task_id)!.length > 1;
  slow.signal("SIGCONT");
  if (isInTime) {
    expect(leases.get(task_id)!.at(-1)!.sx).not.toBe(slow.sx);
    expect(await slow.tells("task", task_id)).toMatchObject({ attempt: 1, exit: "lost", status: "lost" });
  }
  network.let(slow.agent);
  const settled = await ask(headers, "/soul/compute/settle", { task_id });
  expect(settled.status).toBe(200);
  if (!isInTime) return false;
  expect(network.answersTo(task_id)).toEqual(["200", "409 stale-lease"]);
  expect(await setup.storyOf(tenant, task_id)).toEqual([
    ...["TaskSubmitted", "TaskLeased", "TaskLeaseExpired", "TaskLeased", "TaskResultSubmitted"],
    ...["TaskAccepted", "TaskSettled"],
  ]);
  const { body } = await ask(headers, `/soul/compute/status/${task_id}`);
  expect(body).toMatchObject({ attempts: 2, status: "settled", result: chainOf({ seed, n }) });
  return true;
}

/** Reports a lease's silence at once, when the read model has it, instead of after a minute and a half. */
const silence = async ({ lease_sha256 }: Leased): Promise<boolean> => {
  const { pool } = setup.app;
  await pool.query(
    "update compute.leases_heard set heard_at = now() - interval '2 minutes' where lease_sha256 = $1",
    [lease_sha256],
  );
  const { rowCount } = await pool.query(
    "update read.compute_tasks_v4 set leased_at = leased_at - interval '2 minutes' where lease_sha256 = $1",
    [lease_sha256],
  );
  return rowCount === 1;
};

test(`${STOPS} workers paused past their lease: another one finishes the task, each paused one gets 409, and one result counts`, async () => {
  const headers = await setup.requester(tenant, 2 * STOPS * PRICE_MICRO + 1_000_000);
  const watching = new AbortController();
  const following = follow(watching.signal);
  const crew = await Promise.all(Array.from({ length: CREW }, (_, n) => hire(`stopped-${n}`)));
  let left = STOPS;
  let requests = 0;
  await forEach(
    Array.from({ length: AT_ONCE }, (_, lane) => lane),
    async () => {
      while (left > 0) {
        left--;
        requests++;
        // Long enough to pause its worker during the run.
        if (!(await stopOne(crew, headers, 200_000 + requests))) left++;
      }
    },
  );
  watching.abort();
  await following;
  await setup.folded();
  expect(await setup.account(tenant)).toMatchObject({ held: 0, spent: requests * PRICE_MICRO });
  const { rows } = await setup.app.pool.query<{ sum: string }>(
    "select sum(credited)::text as sum from read.accounts_v2 where tenant like 'soul:%'",
  );
  expect(rows).toEqual([{ sum: String(requests * (PRICE_MICRO - PRICE_MICRO / 10)) }]);
  for (const worker of crew) worker.signal("SIGTERM");
  for (const worker of crew) expect(await worker.ended, worker.stderr()).toBe(0);
});
