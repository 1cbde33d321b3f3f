/**
 * The cost of workers that wait for a task, and how soon one gets the next task:
 *
 *     npx tsx bench/waiting.ts [--polls 1000] [--seconds 60] [--tasks 200]
 *
 * This many long polls (`GET /soul/compute/pull?wait_s=30`) wait at a service without work, each repeated when it
 * ends. Claims: they take less than 5 % of a core; a submitted task is leased within 20 ms at p95. For comparison:
 * the same service without polls, and the answer to submitting, which is the first of two commits.
 */
import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { forEach } from "../src/core/coordination/concurrency.ts";
import * as account from "../src/domain/payments/account.ts";
import { cpuOf } from "./cpu.ts";
import { AT, meta, orderKey, withDatabase, withService } from "./load.ts";
import { type Environment, type ServiceProcess, startServiceProcess } from "./service-process.ts";

const { values } = parseArgs({
  options: {
    polls: { type: "string", default: "1000" },
    seconds: { type: "string", default: "60" },
    tasks: { type: "string", default: "200" },
  },
});
const [POLLS, SECONDS, TASKS] = [values.polls, values.seconds, values.tasks].map(Number) as [
  number,
  number,
  number,
];
const NODES = 50;
const WAIT_S = 30;

type Headers = Record<string, string>;
type Pulled = { task: { task_id: string; lease_id: string } | null };

const at = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;

/** Percent of one core over some seconds: the service's, and that of Postgres' processes that existed throughout. */
async function share(service: ServiceProcess, client: pg.Client, seconds: number) {
  const pids = async () =>
    (await client.query<{ pid: number }>("select pid from pg_stat_activity")).rows.map(({ pid }) => pid);
  const cpu = (of: number[]) => new Map(of.flatMap((pid) => alive(pid)));
  const before = { service: service.cpu_ms(), postgres: cpu(await pids()) };
  await pause(seconds * 1_000);
  const percent = (ms: number) => ms / (seconds * 10);
  const after = cpu([...before.postgres.keys()]);
  const spent = [...after].reduce((sum, [pid, ms]) => sum + ms - before.postgres.get(pid)!, 0);
  return { service: percent(service.cpu_ms() - before.service), postgres: percent(spent) };
}

function alive(pid: number): [number, number][] {
  try {
    return [[pid, cpuOf(pid)]];
  } catch {
    return [];
  }
}

await withDatabase(async (bare) => {
  const env: Environment = { ...bare, ANCHORING: "0", CUSTODY: "1", TRUST_PROXY: "1" };
  const requester = await withService(env, async (app) => {
    const gift = account.credit({ source: "gift", amount_micro: 90_000_000, at: AT });
    await app.decide(account, account.targetOf("acme"), gift, { meta });
    return orderKey(app, "acme");
  });
  const service = await startServiceProcess(env);
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  const stopping = new AbortController();
  // One per call that was not yet collected.
  setMaxListeners(0, stopping.signal);
  try {
    const call = async <T>(path: string, headers: Headers, body?: object): Promise<T> => {
      const answer = await fetch(service.url + path, {
        signal: stopping.signal,
        headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as T;
    };
    const nodes = await forEach(
      Array.from({ length: NODES }, (_, n) => n),
      async (n) => {
        const agent_id = `waiting.node-${n}`;
        const from = { "X-Forwarded-For": `198.51.100.${n}` };
        const { api_key } = await call<{ api_key: string }>("/soul/register", from, {
          agent_id,
          issue_api_key: true,
        });
        const headers = { Authorization: `Bearer ${api_key}` };
        const offer = { agent_id, capabilities: ["cpu"], hourly_rate_usd: 0.006, max_concurrent: 256 };
        await call("/soul/node/register", headers, offer);
        return headers;
      },
    );
    // The start's work is done.
    await pause(15_000);
    const idle = await share(service, client, Math.min(SECONDS, 20));

    /** When each task was leased. */
    const had = new Map<string, number>();
    let heard = () => {};
    const poll = async (n: number) => {
      const headers = nodes[n % NODES]!;
      while (!stopping.signal.aborted) {
        const { task } = await call<Pulled>(`/soul/compute/pull?wait_s=${WAIT_S}`, headers);
        if (!task) continue;
        had.set(task.task_id, performance.now());
        heard();
        const { task_id, lease_id } = task;
        await call("/soul/compute/result", headers, { task_id, lease_id, result: { done: true } });
      }
    };
    const polls = Array.from({ length: POLLS }, (_, n) =>
      poll(n).catch((error: unknown) => {
        if (!stopping.signal.aborted) throw error;
      }),
    );
    // Each has asked, and none is still on its way.
    await pause(10_000);
    const waiting = await share(service, client, SECONDS);

    const latencies: number[] = [];
    const taken: number[] = [];
    const waited: number[] = [];
    for (let n = 0; n < TASKS; n++) {
      const began = performance.now();
      const { task_id } = await call<{ task_id: string }>("/soul/compute/submit", requester, {
        task_type: "waited-for",
        input_data: { n },
        max_price_usd: 0.01,
      });
      latencies.push(performance.now() - began);
      while (!had.has(task_id))
        await new Promise<void>((done) => {
          heard = done;
        });
      taken.push(had.get(task_id)! - began);
      waited.push(Math.max(0, taken.at(-1)! - latencies.at(-1)!));
      await pause(50);
    }
    stopping.abort();
    await Promise.all(polls);
    console.table({
      "no polls": { "service, % of a core": idle.service, "Postgres, %": idle.postgres },
      [`${POLLS} polls that wait`]: {
        "service, % of a core": waiting.service,
        "Postgres, %": waiting.postgres,
      },
    });
    console.table({
      "submitting is answered": { p50_ms: at(latencies, 0.5), p95_ms: at(latencies, 0.95) },
      "from then on until somebody has the task": { p50_ms: at(waited, 0.5), p95_ms: at(waited, 0.95) },
      "both together": { p50_ms: at(taken, 0.5), p95_ms: at(taken, 0.95) },
    });
  } finally {
    stopping.abort();
    await client.end();
    await service.stop();
  }
});
