/**
 * mppx's own check of a service. It sends more bad payments than an address may in a minute, so it has a service of its
 * own.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSandbox, type Sandbox } from "./sandbox.ts";

let service: Sandbox;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ sandbox: service, close } = await openSandbox());
});
afterAll(() => close?.());

test("mppx validates every priced operation without a failure or a warning", async () => {
  // Ten verifications a day are free; the next one is priced as all others are.
  const { agents } = (await (await fetch(`${service.url}/soul/directory?limit=1`)).json()) as {
    agents: { agent_id: string }[];
  };
  for (let call = 0; call < 10; call++)
    expect((await fetch(`${service.url}/v1/agent/soul/verify/${agents[0]!.agent_id}`)).status).toBe(200);
  const bin = new URL("node_modules/.bin/mppx", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(bin, ["validate", service.url, "--output-json"], {
    maxBuffer: 2 ** 26,
    // Without a wallet it pays nothing; found.test.ts pays.
    env: { PATH: process.env.PATH, HOME: service.env.HOME },
  });
  const { summary, endpoints } = JSON.parse(stdout);
  expect(endpoints.length).toBeGreaterThan(100);
  expect(summary).toMatchObject({ failed: 0, warnings: 0 });
});
