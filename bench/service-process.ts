/** The service as operators run it, in a process of its own, for benchmarks that call it over HTTP. */
import { execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pino from "pino";
import { withHouse } from "../src/compose.ts";
import { readConfig } from "../src/config.ts";
import { issueKey } from "../src/operator/keys.ts";

const TALLYSTICK = fileURLToPath(new URL("../bin/tallystick", import.meta.url));

export type Environment = Record<string, string>;

export type ServiceProcess = {
  url: string;
  /** Resident memory in MB. */
  memory(): number;
  stop(): Promise<void>;
};

/**
 * Starts `tallystick serve` on a free port and waits until it is ready; `node` are options of Node itself. Its log is shown,
 * unless LOG_LEVEL asks for more of it than one wants to read.
 */
export async function startServiceProcess(env: Environment, node: string[] = []): Promise<ServiceProcess> {
  const service = spawn(process.execPath, [...node, TALLYSTICK, "serve"], {
    env: { ...process.env, LOG_LEVEL: "warn", SANDBOX: "0", ...env, PORT: "0" },
    stdio: ["ignore", "pipe", env.LOG_LEVEL ? "ignore" : "inherit"],
  });
  const exited = new Promise<void>((done) => service.once("exit", () => done()));
  let url = "";
  for await (const line of createInterface(service.stdout)) {
    url = /listens at (\S+)/.exec(line)?.[1] ?? "";
    if (url) break;
  }
  if (!url) throw new Error("the service did not start");
  return {
    url,
    memory: () =>
      Number(execFileSync("ps", ["-o", "rss=", "-p", String(service.pid)], { encoding: "utf8" })) / 1024,
    stop: () => {
      service.kill("SIGTERM");
      return exited;
    },
  };
}

/** A key of `tenant` that may read; `quota` calls a day and a month, null = no limit. */
export async function issueReadKey(
  env: Environment,
  tenant: string,
  quota: number | null = null,
): Promise<string> {
  const { secret } = await withHouse(readConfig(env), pino({ level: "silent" }), ({ app }) =>
    issueKey(app, { tenant, space: "live", scopes: ["read"], daily: quota, monthly: quota, label: null }),
  );
  return secret;
}

export const median = (values: number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
};
