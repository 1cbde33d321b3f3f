/** A first start of `tallystick serve` in a folder of its own, as a stranger makes it. */
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { PATIENT } from "./patience.ts";
import { until } from "./until.ts";

const bin = new URL("../../bin/tallystick", import.meta.url).pathname;

export type FirstStart = {
  url: string;
  /** The sandbox's key, which a start prints. */
  key: string;
  /** Runs a command of the operator; its output. */
  command: (...args: string[]) => Promise<string>;
  stop: () => Promise<void>;
};

/** Resolves once every operation answers. */
export async function firstStart(more: Record<string, string> = {}): Promise<FirstStart> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-first-"));
  const data = join(dir, "data");
  const env = {
    ...PATIENT,
    ...{ PATH: process.env.PATH ?? "", HOME: dir, DATA_DIR: data, PORT: "0", LOG_LEVEL: "warn" },
    ...more,
  };
  const child = spawn(process.execPath, [bin, "serve"], { env });
  const ended = new Promise((end) => child.once("exit", end));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await until(() => {
      if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}: ${output}`);
      return output.includes("\nReady: ");
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: /listens at (\S+)/.exec(output)![1]!,
    key: (await readFile(join(data, "sandbox.key"), "utf8")).trim(),
    command: async (...args) => (await promisify(execFile)(process.execPath, [bin, ...args], { env })).stdout,
    stop,
  };
}
