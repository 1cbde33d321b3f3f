/** The demo of a channel for a newcomer: the real command, the embedded database and chain. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "./command.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-channel-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test("twenty calls are paid by one deposit, a receipt is verified, and the rest returns", async () => {
  const { code, stdout, stderr } = await runCommand(dir, "demo", "--story", "channel");
  expect(code, stderr).toBe(0);
  const steps = [...stdout.matchAll(/^(\d) {2}(.+?) {2}/gm)].map(([, n, title]) => `${n} ${title}`);
  expect(steps).toEqual([
    "1 The terms of a channel",
    "2 The first call, with the deposit",
    "3 19 calls, each with a voucher",
    "4 The receipt of the last call, verified",
    "5 The channel's status",
    "6 Leaving through the service",
  ]);
  expect(stdout).toMatch(/charged +0\.02 USDC in all\n/);
  expect(stdout).toMatch(/deposit +1\.00 USDC, of which 0\.02 charged and 0\.98 left\n/);
  expect(stdout).toMatch(/returned +0\.98 USDC in 0x[0-9a-f]{64}\n/);
  expect(stdout).not.toContain("FAIL");
});
