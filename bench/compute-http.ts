/**
 * Claim: over HTTP, with separate calls, a service leases, accepts and settles at least 400 tasks a second for 64
 * workers.
 *
 *     npx tsx bench/compute-http.ts [--tasks 3000] [--workers 64] [--rounds 3]
 *
 * One process serves; its callers share its cores. For comparison in the same run: bare appends of one event, in
 * process, on the same Postgres.
 */
import { Agent, request } from "node:http";
import { parseArgs } from "node:util";
import { forEach } from "../src/core/coordination/concurrency.ts";
import * as account from "../src/domain/payments/account.ts";
import { AT, appendRate, meta, orderKey, withDatabase, withService } from "./load.ts";
import { type Environment, median, startServiceProcess, untilAtRest } from "./service-process.ts";

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "3000" },
    workers: { type: "string", default: "64" },
    rounds: { type: "string", default: "3" },
  },
});
const [TASKS, WORKERS, ROUNDS] = [values.tasks, values.workers, values.rounds].map(Number) as [
  number,
  number,
  number,
];
/** A settlement locks only its requester's account. */
const REQUESTERS = 100;

type Headers = Record<string, string>;
type Pulled = { task: { task_id: string; lease_id: string } | null };

const agent = new Agent({ keepAlive: true, maxSockets: 2 * WORKERS });

/** A call's answer as JSON; throws if it was refused. */
function call<T>(url: string, headers: Headers, body?: object): Promise<T> {
  const text = body && JSON.stringify(body);
  return new Promise((done, fail) => {
    const input = request(
      url,
      {
        agent,
        method: text ? "POST" : "GET",
        headers: {
          ...headers,
          ...(text && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) }),
        },
      },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("end", () => {
          const heard = Buffer.concat(parts).toString();
          if (answer.statusCode! < 300) done(JSON.parse(heard) as T);
          else fail(new Error(`${url}: ${answer.statusCode} ${heard}`));
        });
      },
    );
    input.on("error", fail);
    input.end(text);
  });
}

await withDatabase(async (bare) => {
  const env: Environment = { ...bare, ANCHORING: "0", CUSTODY: "1", TRUST_PROXY: "1" };
  const requesters = await withService(env, async (app) => {
    const tenants = Array.from({ length: REQUESTERS }, (_, n) => `requester-${n}`);
    return forEach(tenants, async (tenant) => {
      const gift = account.credit({ source: "gift", amount_micro: 90_000_000, at: AT });
      await app.decide(account, account.targetOf(tenant), gift, { meta });
      return orderKey(app, tenant);
    });
  });
  const appends = await appendRate(env, { connections: WORKERS, seconds: 5 });
  const service = await startServiceProcess(env);
  try {
    const at = (path: string) => service.url + path;
    const nodes = await forEach(
      Array.from({ length: WORKERS }, (_, n) => n),
      async (n) => {
        const agent_id = `bench.node-${n}`;
        const wanted = { agent_id, issue_api_key: true };
        const from = { "X-Forwarded-For": `198.51.100.${n}` };
        const { api_key } = await call<{ api_key: string }>(at("/soul/register"), from, wanted);
        const headers = { Authorization: `Bearer ${api_key}` };
        const offer = { capabilities: ["cpu"], hourly_rate_usd: 0.006, max_concurrent: 256 };
        await call(at("/soul/node/register"), headers, { agent_id, ...offer });
        return headers;
      },
    );
    const owners = new Map<string, Headers>();
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await forEach(
        Array.from({ length: TASKS }, (_, n) => n),
        async (n) => {
          const whose = requesters[n % REQUESTERS]!;
          const task = {
            task_type: "bench",
            input_data: { n },
            max_price_usd: 0.01,
            verify: "requester",
          };
          const { task_id } = await call<{ task_id: string }>(at("/soul/compute/submit"), whose, task);
          owners.set(task_id, whose);
        },
      );
      await untilAtRest(service);
      const begun = performance.now();
      let left = TASKS;
      await Promise.all(
        nodes.map(async (headers) => {
          while (left-- > 0) {
            const { task } = await call<Pulled>(at("/soul/compute/pull?wait_s=5"), headers);
            if (!task) throw new Error("there was no task left for a worker");
            const { task_id, lease_id } = task;
            const result = { task_id, lease_id, result: { done: true } };
            await call(at("/soul/compute/result"), headers, result);
            await call(at("/soul/compute/settle"), owners.get(task_id)!, { task_id, accept: true });
          }
        }),
      );
      rates.push((1_000 * TASKS) / (performance.now() - begun));
    }
    const rate = median(rates);
    console.log(
      `over HTTP: ${Math.round(rate)} whole tasks a second (${rates.map(Math.round).join(", ")}), ${(rate / appends).toFixed(2)} of ${Math.round(appends)} bare appends in process`,
    );
  } finally {
    agent.destroy();
    await service.stop();
  }
});
