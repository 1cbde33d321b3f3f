/**
 * The demo of the compute market for a newcomer: the real command, a separate worker, the embedded database and
 * chain.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "./command.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-compute-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test("a task is paid by x402, run by a worker's process, checked, settled, and its receipt verified offline", async () => {
  const { code, stdout, stderr } = await runCommand(dir, "demo", "--story", "compute");
  expect(code, stderr).toBe(0);
  expect(stderr).toBe("");
  const steps = [...stdout.matchAll(/^(\d) {2}(.+?) {2}/gm)].map(([, n, title]) => `${n} ${title}`);
  expect(steps).toEqual([
    "1 The market",
    "2 A worker",
    "3 A task, and its payment",
    "4 The worker does it",
    "5 The service runs it again, and pays",
    "6 The receipt, verified offline",
  ]);
  expect(stdout).toMatch(/online +SX#1 demo-worker-[0-9a-f]{8}:/);
  expect(stdout).toMatch(/paid +0\.02 USDC in 0x[0-9a-f]{64}\n/);
  // There are 2262 primes below 20,000.
  expect(stdout).toMatch(/result +2262, audit valid, settled\n/);
  expect(stdout).toContain("0.001 USDC, of which the worker gets 0.0009");
  expect(stdout.match(/ok {3}/g)).toHaveLength(4);
  expect(stdout).not.toContain("FAIL");
});
