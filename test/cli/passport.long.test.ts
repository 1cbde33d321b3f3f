/** The demo of a passport for a newcomer: the real command, a new folder, the embedded database and chain. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "./command.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-passport-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test("an agent registers, proves a key, is attested, sees its score change, and shows a credential that jose verifies", async () => {
  const { code, stdout, stderr } = await runCommand(dir, "demo", "--story", "passport");
  expect(code, stderr).toBe(0);
  expect(stderr).toBe("");
  const steps = [...stdout.matchAll(/^(\d) {2}(.+?) {2}/gm)].map(([, n, title]) => `${n} ${title}`);
  expect(steps).toEqual([
    "1 Who is here",
    "2 Registering",
    "3 Proving a key",
    "4 The score before",
    "5 SX#1 vouches for it",
    "6 The score moves",
    "7 A credential, verified by jose",
  ]);
  // The sandbox's agents came first.
  expect(stdout).toMatch(/passport +SX#37 demo-agent-[0-9a-f]{8}\n/);
  expect(stdout).toMatch(/proven +did:pkh:eip155:8453:0x[0-9a-fA-F]{40}\n/);
  expect(stdout).toContain("0.00 points, none");
  expect(stdout).toMatch(/paid +0\.50 USDC in 0x[0-9a-f]{64}\n/);
  const [, given, score] =
    /SX#1 +gives (\d+\.\d\d) points of its own[\s\S]*score +(\d+\.\d\d) points, \w+\n +computed/.exec(
      stdout,
    )!;
  expect(Number(score)).toBeGreaterThan(0);
  expect(given).toBe(score);
  expect(stdout).toContain("ok   jose verifies it");
  expect(stdout).toContain("ok   it names the key proven here");
  expect(stdout).not.toContain("FAIL");
});

test("the demo pays with demo wallets alone", async () => {
  const { code, stderr } = await runCommand(
    dir,
    "demo",
    "--story",
    "passport",
    "--key",
    `0x${"11".repeat(32)}`,
  );
  expect([code, stderr]).toEqual([1, expect.stringContaining("omit --key")]);
});
