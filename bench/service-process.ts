/** The operator's service in a separate process, for benchmarks over HTTP. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pino from "pino";
import { issueKey } from "../src/operator/keys.ts";
import { withRuntime } from "../src/runtime/assemble.ts";
import { readConfig } from "../src/runtime/config.ts";
import { cpuOf } from "./cpu.ts";
import type { Order, Report } from "./service-probe.ts";

/** From the first line of bin/tallystick. */
export const AS_STARTED = "--max-semi-space-size=64";
const TALLYSTICK = fileURLToPath(new URL("../bin/tallystick", import.meta.url));

export type Environment = Record<string, string>;

export type ServiceProcess = {
  url: string;
  pid: number;
  /** Resident memory in MB. */
  memory(): number;
  /** Milliseconds of CPU time so far. */
  cpu_ms(): number;
  stop(): Promise<void>;
};

/** A service with bench/service-probe.ts. */
export type ProbedService = ServiceProcess & {
  tell(order: Order): void;
  report(): Promise<Report>;
};

/**
 * Starts `tallystick serve` on a free port, unless `env` names one, and waits until it is ready; `node` are options
 * of Node itself. Its log is shown, unless LOG_LEVEL is more verbose, or `log` names the file of its warnings and
 * errors. `enter` precedes the command.
 */
export const startServiceProcess = async (
  env: Environment,
  node: string[] = [],
  enter: readonly string[] = [],
  log?: string,
): Promise<ServiceProcess> => (await start(env, node, enter, log)).service;

/** As startServiceProcess, with the probe. */
async function startProbedService(env: Environment): Promise<ProbedService> {
  const probe = new URL("service-probe.ts", import.meta.url).href;
  // The probe is an ES module, and after one bin/tallystick is too late to set this number itself.
  const { service, child } = await start({ UV_THREADPOOL_SIZE: "16", ...env }, [
    "--import",
    "tsx",
    "--import",
    probe,
  ]);
  return {
    ...service,
    tell: (order) => void child.send(order),
    report: async () => {
      const answered = once(child, "message");
      child.send({ report: true } satisfies Order);
      const [report] = (await answered) as [Report];
      return report;
    },
  };
}

/** Starts a probed service for some work, and always stops it. */
export async function withProbedService<T>(
  env: Environment,
  work: (service: ProbedService) => Promise<T>,
): Promise<T> {
  const service = await startProbedService(env);
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

async function start(
  env: Environment,
  node: string[],
  enter: readonly string[] = [],
  log?: string,
): Promise<{ service: ServiceProcess; child: ChildProcess }> {
  const child = spawnService(env, node, enter, log);
  let url = "";
  for await (const line of createInterface(child.stdout!)) {
    url = /listens at (\S+)/.exec(line)?.[1] ?? "";
    if (url) break;
  }
  if (!url) throw new Error("the service did not start");
  return { service: serviceOf(child, url), child };
}

/** Starts `tallystick serve` on the port of `env`, without waiting. */
export function launchServiceProcess(env: Environment & { PORT: string }, log: string): ServiceProcess {
  const child = spawnService(env, [], [], log);
  child.stdout!.resume();
  return serviceOf(child, `http://127.0.0.1:${env.PORT}`);
}

function spawnService(
  env: Environment,
  node: string[],
  enter: readonly string[],
  log: string | undefined,
): ChildProcess {
  const [command = "", ...args] = [...enter, process.execPath, AS_STARTED, ...node, TALLYSTICK, "serve"];
  const shown = env.LOG_LEVEL ? "ignore" : "inherit";
  const child = spawn(command, args, {
    env: {
      ...process.env,
      LOG_LEVEL: "warn",
      SANDBOX: "0",
      PORT: "0",
      ...env,
      ...(log && { LOG_LEVEL: "warn" }),
    },
    stdio: ["ignore", "pipe", log ? "pipe" : shown, "ipc"],
  });
  if (log) keepLog(child.stderr!, log);
  return child;
}

function serviceOf(child: ChildProcess, url: string): ServiceProcess {
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  return {
    url,
    pid: child.pid!,
    memory: () =>
      Number(execFileSync("ps", ["-o", "rss=", "-p", String(child.pid)], { encoding: "utf8" })) / 1024,
    cpu_ms: () => cpuOf(child.pid!),
    stop: () => {
      child.kill("SIGTERM");
      return exited;
    },
  };
}

/** A log is cut at this size. */
const LOG_BYTES = 4 * 1024 * 1024;

/** Appends output to the file, up to its limit; beyond it the output is still read, or the process would block. */
function keepLog(lines: Readable, file: string): void {
  const kept = createWriteStream(file, { flags: "a" });
  let bytes = 0;
  lines.on("data", (chunk: Buffer) => {
    if (bytes >= LOG_BYTES) return;
    bytes += chunk.length;
    kept.write(bytes < LOG_BYTES ? chunk : `${chunk}\n(no more of this log is kept)\n`);
  });
  lines.once("end", () => kept.end());
}

/** A key of `tenant` that may read; `quota` calls per day and month, null = no limit. */
export async function issueReadKey(
  env: Environment,
  tenant: string,
  quota: number | null = null,
): Promise<string> {
  const { secret } = await withRuntime(readConfig(env), pino({ level: "silent" }), ({ app }) =>
    issueKey(app, { tenant, space: "live", scopes: ["read"], daily: quota, monthly: quota, label: null }),
  );
  return secret;
}

export const median = (values: number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
};

/** CPU milliseconds per second of an idle service. */
const REST_MS = 100;

/** Waits until a service has done its start's work: the evaluation of signals alone takes seconds of CPU. */
export async function untilAtRest({ cpu_ms }: Pick<ServiceProcess, "cpu_ms">): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    const before = cpu_ms();
    await pause(1_000);
    quiet = cpu_ms() - before <= REST_MS ? quiet + 1 : 0;
  }
}
