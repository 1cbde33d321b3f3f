/**
 * A worker in Python's standard library, written from docs/compute.md: it registers, works and earns. Skips without
 * python3.
 */
import { execFile, spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ComputeSetup, chainOf, openComputeSetup, sha256 } from "./compute-setup.ts";

const program = new URL("../clients/worker.py", import.meta.url).pathname;

const python = spawnSync("python3", ["--version"]).status === 0;

let setup: ComputeSetup;
beforeAll(async () => {
  setup = await openComputeSetup({ reactors: true });
});
afterAll(() => setup.service.stop());

type Line = { task_id: string; provider_usd: string };

function runWorker(...args: string[]): Promise<Line[]> {
  return new Promise((done, fail) => {
    execFile("python3", [program, setup.service.url, ...args], (error, stdout, stderr) => {
      if (error) fail(new Error(stderr || error.message));
      else
        done(
          stdout
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line)),
        );
    });
  });
}

test.skipIf(!python)(
  `a worker in another language earns nine tenths of two tasks${python ? "" : " (skipped: no python3 here)"}`,
  async () => {
    const headers = await setup.requester("python-buyer");
    const ids = [];
    for (const n of [1, 1_000]) {
      const task = {
        task_type: "sha256-chain",
        input_data: { seed: sha256("python"), n },
        max_price_usd: 0.02,
      };
      ids.push((await setup.submit(headers, task)).body.task_id);
    }
    expect(await runWorker("python-worker", "2")).toEqual(
      ids.map((task_id) => ({ task_id, provider_usd: "0.0009" })),
    );
    for (const [at, task_id] of ids.entries())
      expect((await setup.ask(headers, `/soul/compute/status/${task_id}`)).body).toMatchObject({
        status: "settled",
        audit: "valid",
        result: chainOf({ seed: sha256("python"), n: [1, 1_000][at]! }),
      });
    expect(await setup.account("soul:1")).toMatchObject({ available: 1_800 });
  },
);
