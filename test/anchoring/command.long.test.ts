/** `tallystick anchor …` with a service's embedded database, whose role is not the owner's, and its own chain. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { AnchorStatus } from "../../src/anchoring/status.ts";
import { ANCHOR_ADDRESS } from "../../src/domain/anchoring/contract.ts";
import { runWith } from "../cli/command.ts";
import { runHere } from "../cli/in-process.ts";
import { PATIENT } from "../support/patience.ts";
import { until } from "../support/until.ts";

const bin = new URL("../../bin/tallystick", import.meta.url).pathname;
let dir: string;
let env: Record<string, string | undefined>;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-anchor-"));
  await chmod(dir, 0o755);
  const given = { DATA_DIR: join(dir, "data"), PORT: "0", SANDBOX: "0", LOG_LEVEL: "warn" };
  env = {
    ...PATIENT,
    PATH: process.env.PATH,
    HOME: dir,
    ...given,
    ANCHORING: "1",
    CHECKPOINT_SECONDS: "1",
    ANCHOR_SECONDS: "1",
  };
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const run = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await runHere(env, ...args);
  expect(code, stderr).toBe(0);
  return stdout;
};

const status = async (): Promise<AnchorStatus> => JSON.parse(await run("anchor", "status", "--json"));

type RunningService = { child: ChildProcess; url: string };

async function serve(): Promise<RunningService> {
  const child = spawn(process.execPath, [bin, "serve"], { env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const line of createInterface(child.stdout!)) {
    const url = /listens at (\S+)/.exec(line)?.[1];
    if (url) return { child, url };
  }
  throw new Error("the service did not start");
}

/** Waits until more of the log is anchored than this. */
const anchoredBeyond = (size: number, { url }: RunningService) =>
  until(async () => {
    const answer = (await (await fetch(`${url}/log/status`)).json()) as { anchor: { size: number } | null };
    expect(answer.anchor?.size ?? 0).toBeGreaterThan(size);
  });

async function stop({ child }: RunningService, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

/** The first service's progress when it was killed. */
let reached: AnchorStatus;

test("before a service has run, the commands report that nothing is anchored", async () => {
  expect(await runWith(env, "anchor", "deploy")).toMatchObject({
    code: 0,
    stdout: `The contract is already at ${ANCHOR_ADDRESS}.\n`,
  });
  expect(await run("anchor", "status")).toContain("anchored  nothing yet");
  const text = await run("anchor", "status", "--chain");
  expect(text).toContain(`contract  ${ANCHOR_ADDRESS} has nothing of this log yet\n`);
  expect(text).toMatch(/^gas key {3}0x[0-9a-f]{40} has 10\d* ether$/m);
});

test("a service anchors its log until it is killed", async () => {
  const first = await serve();
  await anchoredBeyond(0, first);
  reached = await status();
  expect(reached.checkpoint!.size).toBeGreaterThanOrEqual(reached.anchor!.size);
  expect(reached.unproven_events).toBeGreaterThan(0);
  await stop(first, "SIGKILL");
});

test("the next service continues, and the commands report the progress", async () => {
  await run("keys", "issue", "--tenant", "acme");
  const second = await serve();
  await anchoredBeyond(reached.anchor!.size, second);
  await stop(second, "SIGTERM");

  const { anchor } = await status();
  const page = await run("anchor", "status");
  expect(page).toContain(`anchored  ${anchor!.size} events`);
  expect(page).toContain(anchor!.transaction);
  const { chain } = JSON.parse(await run("anchor", "status", "--chain", "--json"));
  expect(chain).toMatchObject({ network: anchor!.network, signer: anchor!.signer, placed: true });
  expect(chain.head.size).toBeGreaterThanOrEqual(anchor!.size);
});
