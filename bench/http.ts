/**
 * Claim: a priced read by key answers at least half as many requests per second as a bare Express 5 route that
 * sends the same bytes, with 64 connections and one request at a time on each.
 *
 *     npx tsx bench/http.ts [--seconds 5] [--rounds 5] [--connections 64]
 *
 * Both servers are separate processes and alternate; figures are medians over the rounds.
 */

import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import pino from "pino";
import { embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import { sizeAt } from "../src/datasets/sandbox.ts";
import { releaseSandbox } from "../src/operator/releases.ts";
import { withRuntime } from "../src/runtime/assemble.ts";
import { readConfig } from "../src/runtime/config.ts";
import { startBareExpress } from "./bare-express.ts";
import { issueReadKey, median, startServiceProcess } from "./service-process.ts";

const PATH = "/v1/agent/trade/top-partners?reporter=DE&limit=10";
/** It computes its answer from constants each time, so the cost excludes data access. */
const LATE_PATH = "/v1/agent/lounge/menu?section=bar";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "5" },
    connections: { type: "string", default: "64" },
  },
});

type Contender = {
  name: string;
  url: string;
  headers: Record<string, string>;
  /** The server's CPU time so far. */
  cpu_ms(): number;
};
type Round = { rate: number; p50: number; p95: number; p99: number; cpu_ms: number };

async function round(contender: Contender, duration: number): Promise<Round> {
  const { url, headers } = contender;
  const connections = Number(values.connections);
  // autocannon's own percentiles are whole milliseconds, without the 95th.
  const latencies: number[] = [];
  const before = contender.cpu_ms();
  const answer = await new Promise<autocannon.Result>((done, fail) => {
    const options = { url, headers, connections, duration };
    autocannon(options, (error, result) => (error ? fail(error) : done(result))).on(
      "response",
      (_client, _status, _bytes, ms) => latencies.push(ms),
    );
  });
  if (answer.non2xx + answer.errors > 0) throw new Error(`${contender.name}: ${answer.non2xx} refusals`);
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))]!;
  const cpu_ms = (contender.cpu_ms() - before) / latencies.length;
  return { rate: latencies.length / answer.duration, p50: at(0.5), p95: at(0.95), p99: at(0.99), cpu_ms };
}

/** The dataset is opened a moment after the service listens. */
async function answerOf(url: string, headers: Record<string, string>): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetch(url + PATH, { headers });
    if (answer.status === 200) return answer.text();
    await pause(100);
  }
  throw new Error("the dataset was not opened in ten seconds");
}

async function main(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-bench-"));
  await chmod(dir, 0o755);
  const server = await embeddedPostgres({ dir: join(dir, "postgres") });
  const env = { DATABASE_URL: server.ownerUrl, DATA_DIR: join(dir, "data"), LOG_LEVEL: "info" };
  try {
    await withRuntime(readConfig(env), pino({ level: "silent" }), ({ app }) =>
      releaseSandbox(app, {
        data_dir: env.DATA_DIR,
        limits: { threads: 2, memory_mb: 512 },
        size: sizeAt(0.01),
      }),
    );
    const free = await issueReadKey(env, "acme");
    const counted = await issueReadKey(env, "counted", 900_000_000);
    const service = await startServiceProcess(env);
    const byKey = (secret: string) => ({ Authorization: `Bearer ${secret}` });
    const body = await answerOf(service.url, byKey(free));
    const bare = await startBareExpress(body);
    const read = { url: service.url + PATH, cpu_ms: service.cpu_ms };
    const late = { url: service.url + LATE_PATH, cpu_ms: service.cpu_ms };
    const contenders: Contender[] = [
      { name: "bare Express 5", url: bare.url, headers: {}, cpu_ms: bare.cpu_ms },
      { name: "priced read, quota none", ...read, headers: byKey(free) },
      { name: "priced read, quota counted", ...read, headers: byKey(counted) },
      { name: "an operation late in the catalogue", ...late, headers: byKey(free) },
    ];
    for (const contender of contenders) await round(contender, 2);
    const results = new Map<Contender, Round[]>(contenders.map((contender) => [contender, []]));
    for (let i = 0; i < Number(values.rounds); i++) {
      for (const contender of contenders)
        results.get(contender)!.push(await round(contender, Number(values.seconds)));
      contenders.reverse();
    }
    const baseline = [...results.values()][0]!;
    console.log(`${body.length} bytes an answer, ${values.connections} connections`);
    console.table(
      Object.fromEntries(
        [...results].map(([{ name }, rounds]) => [
          name,
          {
            "requests/s": Math.round(median(rounds.map((r) => r.rate))),
            "CPU ms a call": median(rounds.map((r) => r.cpu_ms)).toFixed(3),
            "p50 ms": median(rounds.map((r) => r.p50)).toFixed(2),
            "p95 ms": median(rounds.map((r) => r.p95)).toFixed(2),
            "p99 ms": median(rounds.map((r) => r.p99)).toFixed(2),
            "÷ bare": median(rounds.map((r, i) => r.rate / baseline[i]!.rate)).toFixed(2),
          },
        ]),
      ),
    );
    bare.stop();
    await service.stop();
  } finally {
    await server.leave();
    await rm(dir, { recursive: true, force: true });
  }
}

await main();
