/**
 * A mixed load on several processes of the service, some of them killed meanwhile:
 *
 *     npx tsx bench/endurance.ts [--minutes 60] [--processes 2] [--callers 16] [--load 0] [--measure 1] [--kill-every
 * 0]
 *                                [--kills 0] [--restart-every 0] [--break-every 0] [--cut-every 0] [--proxy] [--keep folder]
 *
 * `--load`: the share of the processes' capacity, at times of a Poisson process; the capacity is measured first,
 * for `--measure` minutes, by callers without pauses; 0 continues without pauses. `--kill-every`: the mean seconds
 * (randomly between none and twice that) from a process's start, ready or not, to its kill -9, after which another
 * replaces it; 0 kills none. `--kills`: this many end the run early. `--restart-every`: a successor is started
 * first and gets the calls, and then the process is asked to end. `--break-every`: the line of all processes to
 * Postgres breaks, in turn by a reset, a stall of ten seconds and a refusal of five; the time to the next answered
 * command is reported. `--cut-every`: each process has its own network namespace, and for ten seconds the packets
 * between it and Postgres, the vault, the chain or the callers, in turn, are dropped (needs root, `ip` and `nft`).
 * `--proxy`: the callers use HAProxy with docker/haproxy.cfg, which forwards to two processes; with `--cut-every`
 * it is cut off instead of them.
 *
 * Callers read and follow their changes, bet on one account, roll by key and by payment on the chain, order one
 * product, request quotes, create checks and submit tasks, which a worker does. Each command has its own
 * Idempotency-Key and is repeated until it is answered. At the end everything is compared with the log: each
 * acknowledged command is there once, the books match the chain, and a complete export is verified. Without kills
 * it also reports how memory grew.
 *
 * `--keep`: the folder for the warnings and errors of each process (process-1.log and so on), the first answer of
 * each kind of problem (problems.json) and the slowest calls (slowest.json); by default a new temporary one.
 */
import { execFile } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import pg from "pg";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { embeddedChain } from "../src/adapters/embedded-chain.ts";
import { freePort } from "../src/adapters/free-port.ts";
import { forEach } from "../src/core/coordination/concurrency.ts";
import * as account from "../src/domain/lounge/account.ts";
import { releaseSandboxTables } from "../src/operator/reference.ts";
import { startWork } from "../test/compute/work-process.ts";
import { type BreakingLine, breakingLine, lineToDatabase } from "./breaking-line.ts";
import {
  anyReading,
  type Command,
  commandsOf,
  type Headers,
  MOST_ORDERS,
  pricesAt,
  TENANTS,
} from "./endurance-calls.ts";
import {
  AT,
  database,
  listProducts,
  meta,
  orderKey,
  RICH,
  startDrawingService,
  withDatabase,
  withService,
} from "./load.ts";
import { type Namespace, openNamespace } from "./namespaces.ts";
import { createProblems } from "./problems.ts";
import { startProxy } from "./proxy.ts";
import { watchMemory } from "./service-memory.ts";
import { type Environment, launchServiceProcess, median, type ServiceProcess } from "./service-process.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    processes: { type: "string", default: "2" },
    callers: { type: "string", default: "16" },
    load: { type: "string", default: "0" },
    measure: { type: "string", default: "1" },
    "kill-every": { type: "string", default: "0" },
    kills: { type: "string", default: "0" },
    "restart-every": { type: "string", default: "0" },
    "break-every": { type: "string", default: "0" },
    "cut-every": { type: "string", default: "0" },
    proxy: { type: "boolean", default: false },
    keep: { type: "string" },
  },
});
const [minutes, processes, callers] = [values.minutes, values.processes, values.callers].map(Number) as [
  number,
  number,
  number,
];
const load = Number(values.load);
const measure_ms = Number(values.measure) * 60_000;
const killEvery_s = Number(values["kill-every"]);
const mostKills = Number(values.kills) || Number.POSITIVE_INFINITY;
const restartEvery_s = Number(values["restart-every"]);
const breakEvery_s = Number(values["break-every"]);
const cutEvery_s = Number(values["cut-every"]);
const CUT_MS = 10_000;
/** A caller's timeout, shorter than a process is cut off for. */
const PATIENCE_MS = cutEvery_s > 0 ? 3_000 : 30_000;
/** Reads among the calls. */
const READS = 0.42;
/** Calls that wait at once: more than a service that keeps up lets wait. */
const MOST_AT_ONCE = 512;
const FAULTS = ["reset", "stall", "refuse"] as const;
const BROKEN_MS = { reset: 0, stall: 10_000, refuse: 5_000 };
let begun = 0;
let kills = 0;
const end = () => (kills < mostKills ? begun + minutes * 60_000 : 0);

const run = promisify(execFile);
const TALLYSTICK = fileURLToPath(new URL("../bin/tallystick", import.meta.url));

const counts = { answered: 0, refused: 0, again: 0, broken: 0, worst_ms: 0 };
const latencies: number[] = [];
const problems = createProblems();
/** The slowest calls from their due time, with all their answers. */
const slowest: { path: string; ms: number; due: string; lines: string[] }[] = [];
const SLOWEST = 40;
const keep = values.keep ?? (await mkdtemp(join(tmpdir(), "tallystick-endurance-")));
await mkdir(keep, { recursive: true });
const logOf = (n: number) => join(keep, `process-${n + 1}.log`);
/** When a command was last answered. */
let done_at = 0;
/** Acknowledged commands, by the type of their event. */
const acknowledged = new Map<string, Set<string>>();

await withDatabase(async (bare) => {
  const env: Environment = {
    ...bare,
    SUBJECT_KEYS_URL: await database(bare.DATABASE_URL!, "vault"),
    // The load needs more gas than a normal daily budget.
    GAS_BUDGET_ETH: "100000",
    // Processes start while others use the same cores.
    ...(killEvery_s > 0 && { DATABASE_WAIT_MS: "60000" }),
  };
  const keys = await withService(env, async (app) => {
    await releaseSandboxTables(app, env.DATA_DIR!);
    await listProducts(app, 1, 1);
    await app.decide(account, account.targetOf("buyer-0"), account.followDeposits([RICH], [], AT), { meta });
    return forEach(
      Array.from({ length: TENANTS }, (_, n) => `buyer-${n}`),
      (tenant) => orderKey(app, tenant),
    );
  });
  // Only the processes use the line: the final checks bypass it.
  const broken = breakEvery_s > 0 ? await lineToDatabase(env.DATABASE_URL!) : undefined;
  const apart = cutEvery_s > 0 ? await setApart(env) : undefined;
  const known = apart?.env ?? env;
  const served = { ...env, ...(broken && { DATABASE_URL: broken.url }) };
  // The successor of a killed process uses its address.
  const placed = await forEach(Array.from({ length: processes }), async () =>
    killEvery_s > 0 ? { ...served, PORT: String(await freePort(0)) } : { ...served, PORT: "0" },
  );
  const services = await Promise.all(
    placed.map((own, n) =>
      startDrawingService(apart?.places[n]?.env ?? own, keys[0]!, apart?.places[n]?.space.enter, logOf(n)),
    ),
  );
  const proxy = values.proxy ? await startProxy(services) : undefined;
  const worker = await startWork(services[0]!.url, "endurance", ["--concurrency", "2"]);
  const prices = await pricesAt(services[0]!.url);
  const address = () => proxy?.url ?? services[randomInt(services.length)]!.url;
  const parties = { address, keys, next: commandsOf(keys, prices, apart ? 0 : MOST_ORDERS) };
  // A process reports its memory only to its own machine.
  const isWatched = killEvery_s === 0 && restartEvery_s === 0 && !apart;
  const memory = isWatched ? watchMemory(services) : undefined;
  try {
    const rate = load > 0 ? load * (await capacity(parties)) : undefined;
    memory?.reset();
    begun = Date.now();
    const killing = services.map((_, at) => killAgain(placed[at]!, services, at));
    const restarting = every(restartEvery_s, (nth) => restartOne(served, services, nth, keys[0]!));
    const breaking = every(breakEvery_s, (nth) => breakLine(broken!.line, services, nth));
    const cutting = every(cutEvery_s, (nth) => cutOne(apart!.places, services, nth));
    await (rate === undefined ? withoutPause(parties, end) : atRate(parties, rate, end));
    await Promise.all(killing);
    const [restarts, breaks, cuts] = await Promise.all([restarting, breaking, cutting]);
    console.log(`${kills} kills, ${restarts} restarts, ${breaks} breaks of the line, ${cuts} cuts`);
    memory?.tell();
    await tell(known);
  } finally {
    memory?.stop();
    await worker.clear();
    await proxy?.stop();
    broken?.line.close();
    await Promise.all(services.map((service) => service.stop()));
    for (const one of apart?.places ?? []) one.close();
    await apart?.node.leave();
  }
});

/** Repeats until the end, in sequence; returns how often. */
async function every(seconds: number, work: (nth: number) => Promise<void>): Promise<number> {
  if (seconds === 0) return 0;
  for (let nth = 0; ; nth++) {
    await pause(Math.min(seconds * 1_000, Math.max(0, end() - Date.now())));
    if (Date.now() >= end()) return nth;
    await work(nth);
  }
}

/** Kills the process at this index repeatedly, at any moment of its life. */
async function killAgain(
  env: Environment & { PORT: string },
  services: ServiceProcess[],
  at: number,
): Promise<void> {
  while (killEvery_s > 0) {
    await pause(Math.min(2_000 * killEvery_s * Math.random(), Math.max(0, end() - Date.now())));
    if (Date.now() >= end()) return;
    process.kill(services[at]!.pid, "SIGKILL");
    if (++kills % 50 === 0)
      console.log(
        `${kills} killed in ${Math.round((Date.now() - begun) / 1_000)} s, ${counts.answered} calls answered meanwhile`,
      );
    services[at] = launchServiceProcess(env, logOf(at));
  }
}

async function restartOne(
  env: Environment,
  services: ServiceProcess[],
  nth: number,
  key: Headers,
): Promise<void> {
  const at = nth % services.length;
  const before = services[at]!;
  services[at] = await startDrawingService(env, key, [], logOf(at));
  await before.stop();
}

/** A process in a namespace: its settings, and its ports. */
type ProcessSlot = {
  space: Namespace;
  env: Environment;
  ports: Record<"Postgres" | "the vault" | "the chain", number>;
  close(): void;
};

/** A namespace per process, with lines from there to the databases and to a chain of the bench's own. */
async function setApart(given: Environment) {
  const [gas_key, payee] = [generatePrivateKey(), generatePrivateKey()];
  const { address } = privateKeyToAccount(gas_key);
  const node = await embeddedChain({ dir: join(given.DATA_DIR!, "bench-chain"), gas_accounts: [address] });
  const env: Environment = {
    ...given,
    ...{ GAS_KEY: gas_key, PAY_TO: privateKeyToAccount(payee).address },
    // On a real chain, accounts for tasks need the operator's consent.
    ...{ ALLOW_SYNTHETIC: "1", CUSTODY: "1", BASE_RPC_URL: node.rpc_url },
  };
  const place = async (n: number): Promise<ProcessSlot> => {
    const space = openNamespace(n + 1);
    const log = await lineToDatabase(env.DATABASE_URL!, space.gateway);
    const vault = await lineToDatabase(env.SUBJECT_KEYS_URL!, space.gateway);
    const rpc = await breakingLine({ port: Number(new URL(node.rpc_url).port) }, space.gateway);
    return {
      space,
      env: {
        ...env,
        HOST: space.host,
        DATABASE_URL: log.url,
        SUBJECT_KEYS_URL: vault.url,
        BASE_RPC_URL: `http://${space.gateway}:${rpc.port}`,
      },
      ports: { Postgres: log.line.port, "the vault": vault.line.port, "the chain": rpc.port },
      close() {
        for (const line of [log.line, vault.line, rpc]) line.close();
        space.remove();
      },
    };
  };
  return { env, node, places: await Promise.all(Array.from({ length: processes }, (_, n) => place(n))) };
}

/**
 * Drops the packets between a process and one of its peers, and reports the time to the next answered command
 * there.
 */
async function cutOne(
  apart: readonly ProcessSlot[],
  services: readonly ServiceProcess[],
  nth: number,
): Promise<void> {
  const at = nth % services.length;
  const { space, ports } = apart[at]!;
  const places = [
    ...Object.entries(ports),
    [values.proxy ? "the proxy" : "its callers", Number(new URL(services[at]!.url).port)],
  ] as const;
  const [name, port] = places[Math.floor(nth / services.length) % places.length]!;
  const before = done_at;
  space.drop(port);
  await pause(CUT_MS);
  const meanwhile = done_at > before;
  space.mend();
  const mended = performance.now();
  const isReady = async () => {
    const answer = await answered(`${services[at]!.url}/ready`, { signal: AbortSignal.timeout(1_000) });
    return answer?.status === 200;
  };
  while (!(await isReady())) await pause(20);
  console.log(
    `process ${at + 1} and ${name} cut: commands were ${meanwhile ? "" : "not "}answered meanwhile; it was ready ${Math.round(performance.now() - mended)} ms after`,
  );
}

/**
 * Breaks the line, queries the first process's state meanwhile, repairs it, and reports the time to the next
 * answered command.
 */
async function breakLine(
  line: BreakingLine,
  services: readonly ServiceProcess[],
  nth: number,
): Promise<void> {
  const fault = FAULTS[nth % FAULTS.length]!;
  line.breaks(fault);
  await pause(BROKEN_MS[fault]);
  const ready =
    fault === "reset"
      ? undefined
      : await answered(`${services[0]!.url}/ready`, { signal: AbortSignal.timeout(10_000) });
  line.mend();
  const mended = performance.now();
  while (done_at < mended && Date.now() < end()) await pause(5);
  const said = ready ? `, /ready said ${ready.status} while it lasted` : "";
  console.log(
    `${fault}: the next command was answered after ${Math.round(performance.now() - mended)} ms${said}`,
  );
}

type Parties = {
  /** The target of the next call: any process, or the proxy. */
  address: () => string;
  keys: readonly Headers[];
  next: () => Promise<Command>;
};

/** One call of the load, from its due time. */
async function call({ address, keys, next }: Parties, due = performance.now()): Promise<void> {
  if (Math.random() < READS) await read(address, anyReading(), keys[0]!, due);
  else await command(address, await next(), due);
}

async function withoutPause(parties: Parties, until: () => number): Promise<void> {
  const caller = async () => {
    while (Date.now() < until()) await call(parties);
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

/** Calls per second answered to callers without pauses. */
async function capacity(parties: Parties): Promise<number> {
  const before = counts.answered;
  const until = Date.now() + measure_ms;
  await withoutPause(parties, () => until);
  const rate = (counts.answered - before) / (measure_ms / 1_000);
  latencies.length = 0;
  slowest.length = 0;
  Object.assign(counts, { answered: 0, refused: 0, again: 0, broken: 0, worst_ms: 0 });
  console.log(`${rate.toFixed(0)} calls a second without a pause; ${(load * rate).toFixed(0)} are asked for`);
  return rate;
}

/** A rate of calls, each at its due time: waiting for another counts as latency. */
async function atRate(parties: Parties, rate: number, until: () => number): Promise<void> {
  const started = new Set<Promise<void>>();
  for (
    let due = performance.now();
    Date.now() < until();
    due += (-Math.log(1 - Math.random()) * 1_000) / rate
  ) {
    const early = due - performance.now();
    if (early > 0) await pause(early);
    while (started.size >= MOST_AT_ONCE) await Promise.race(started);
    const one: Promise<void> = call(parties, due).finally(() => started.delete(one));
    started.add(one);
  }
  await Promise.all(started);
}

async function read(address: Parties["address"], path: string, headers: Headers, at: number): Promise<void> {
  const answer = await answered(address() + path, { headers }, true);
  count(answer?.status, performance.now() - at);
  remember(path, at, []);
}

/** Repeats a command, to any running process, until it is answered. */
async function command(
  address: Parties["address"],
  { path, body, headers, type }: Command,
  at: number,
): Promise<void> {
  const init = {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json", "Idempotency-Key": randomUUID() },
    body: JSON.stringify(body),
  };
  for (const heard: string[] = []; ; ) {
    const answer = await answered(address() + path, init, true);
    if (answer && answer.status < 500) {
      count(answer.status, performance.now() - at);
      remember(path, at, heard);
      done_at = performance.now();
      const event = answer.headers.get("event-id");
      if (answer.ok && event) acknowledged.set(type, (acknowledged.get(type) ?? new Set()).add(event));
      return;
    }
    if (answer) counts.broken++;
    heard.push(`${answer?.status ?? "no answer"} after ${Math.round(performance.now() - at)} ms`);
    counts.again++;
    await pause(50);
  }
}

/** The complete answer with its body; undefined if the process ended before. `load`: its problems are recorded. */
async function answered(url: string, init: RequestInit, load = false): Promise<Response | undefined> {
  const { pathname } = new URL(url);
  // In an hour, one of a million AbortSignal.timeout was collected early, and its call waited forever.
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE_MS);
  try {
    const response = await fetch(url, { signal: patience.signal, ...init });
    const body = await response.text();
    if (load && !response.ok) problems.note(pathname, response, body);
    return response;
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    if (load) problems.unanswered(pathname, cause?.code ?? name);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function remember(path: string, due: number, heard: string[]): void {
  const ms = Math.round(performance.now() - due);
  if (slowest.length === SLOWEST && ms <= slowest.at(-1)!.ms) return;
  const at = new Date(performance.timeOrigin + due).toISOString();
  slowest.push({ path, ms, due: at, lines: heard });
  slowest.sort((a, b) => b.ms - a.ms).splice(SLOWEST);
}

function count(status: number | undefined, ms: number): void {
  if (status === undefined) return;
  if (status >= 500) counts.broken++;
  else if (status >= 400) counts.refused++;
  else counts.answered++;
  counts.worst_ms = Math.max(counts.worst_ms, ms);
  if (latencies.length < 2_000_000) latencies.push(ms);
}

async function tell(env: Environment): Promise<void> {
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  const rows = [];
  for (const [type, events] of acknowledged) {
    const sql = `select (select count(*)::int from eventstore.events where type = $1) as all,
      (select count(*)::int from eventstore.events where event_id = any($2)) as ours`;
    const { rows: found } = await client.query(sql, [type, [...events]]);
    rows.push({
      type,
      acknowledged: events.size,
      "in the log": found[0].ours,
      lost: events.size - found[0].ours,
      "done twice": found[0].all - events.size,
    });
  }
  await client.end();
  latencies.sort((a, b) => a - b);
  const { answered, refused, again, broken, worst_ms } = counts;
  const elapsed_s = (Date.now() - begun) / 1_000;
  console.log(
    `${Math.round(elapsed_s)} s, ${processes} processes, ${callers} callers, ${kills} kills: ${answered} answered (${Math.round(answered / elapsed_s)} a second), ${refused} refused, ${broken} answers of 500 or more, ${again} said again`,
  );
  console.log(
    `p50 ${median(latencies).toFixed(1)} ms, p99 ${latencies[Math.floor(latencies.length * 0.99)]!.toFixed(1)}, the longest ${Math.round(worst_ms)}`,
  );
  for (const { path, status, type, count, first } of problems.kinds())
    console.log(`${count} times ${status} ${type} of ${path}, first at ${first.at}: ${first.detail}`);
  await writeFile(join(keep, "problems.json"), `${JSON.stringify(problems.kinds(), null, 2)}\n`);
  await writeFile(join(keep, "slowest.json"), `${JSON.stringify(slowest, null, 2)}\n`);
  console.log(`problems, slowest calls and the logs of the processes are in ${keep}`);
  console.table(rows);
  const file = join(env.DATA_DIR!, "endurance.ndjson");
  const options = { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
  await run(process.execPath, [TALLYSTICK, "export", file], options);
  const { stdout } = await run(process.execPath, [TALLYSTICK, "verify", file], options).catch(
    (error) => error,
  );
  console.log(String(stdout).trim().split("\n").slice(-6).join("\n"));
  const books = await run(process.execPath, [TALLYSTICK, "payments", "books"], options).catch(
    (error) => error,
  );
  console.log(String(books.stdout).trim());
}
