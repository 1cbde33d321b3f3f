/** The service as a stranger starts it, with a small dataset and its own chain. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { PATIENT } from "../support/patience.ts";
import { fundBuyers } from "./wallets.ts";

const bin = new URL("../../bin/tallystick", import.meta.url).pathname;

/** Its address, its chain, the headers of the first start's key, and the environment of its operator's commands. */
export type Sandbox = {
  url: string;
  rpc_url: string;
  keyed: { Authorization: string };
  env: Record<string, string>;
};

declare module "vitest" {
  export interface ProvidedContext {
    sandbox: Sandbox;
  }
}

/** One for all files of a run; each pays from its own wallet. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { sandbox, close } = await openSandbox();
  provide("sandbox", sandbox);
  return close;
}

export async function openSandbox(): Promise<{ sandbox: Sandbox; close(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-clients-"));
  const env = {
    ...PATIENT,
    PATH: process.env.PATH ?? "",
    HOME: dir,
    DATA_DIR: join(dir, "data"),
    PORT: "0",
    LOG_LEVEL: "warn",
  };
  // A small dataset; a service that finds one creates no other.
  await promisify(execFile)(process.execPath, [bin, "sandbox", "--scale", "0.01"], { env });
  const { url, child, ended } = await serve(env);
  while ((await fetch(`${url}/ready`)).status !== 200) await new Promise((wake) => setTimeout(wake, 50));
  const node = JSON.parse(await readFile(join(dir, "data", "chain", "node.json"), "utf8")) as {
    port: number;
  };
  const rpc_url = `http://127.0.0.1:${node.port}`;
  await fundBuyers(rpc_url);
  const key = (await readFile(join(dir, "data", "sandbox.key"), "utf8")).trim();
  return {
    sandbox: { url, rpc_url, keyed: { Authorization: `Bearer ${key}` }, env },
    close: async () => {
      child.kill("SIGTERM");
      await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

type Served = { url: string; child: ChildProcess; ended: Promise<unknown> };

function serve(env: NodeJS.ProcessEnv): Promise<Served> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [bin, "serve"], { env });
    const ended = new Promise((end) => child.once("exit", (code, signal) => end(code ?? signal)));
    let output = "";
    const read = (chunk: Buffer) => {
      output += chunk;
      const url = /listens at (\S+)/.exec(output)?.[1];
      if (url) done({ url, child, ended });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    void ended.then((code) => fail(new Error(`serve ended with ${code}: ${output}`)));
  });
}
