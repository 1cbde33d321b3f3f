/** A node's stake: held in its account, lost by cheating, free a week after its withdrawal. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditReactor } from "../../src/reactors/compute/audit.ts";
import { computeReactor } from "../../src/reactors/compute/due.ts";
import { turn } from "../support/turns.ts";
import { type ComputeSetup, openComputeSetup, sha256, type TestNode } from "./compute-setup.ts";

let setup: ComputeSetup;
let node: TestNode;
let tenant: string;
beforeAll(async () => {
  setup = await openComputeSetup();
  node = await setup.node("staker");
  tenant = `soul:${node.sx}`;
  await setup.requester(tenant, 50_000);
});
afterAll(() => setup.service.stop());

const WEEK_S = 7 * 86_400;
const stake = (stake_usdc: number) =>
  node.post("/soul/node/register", {
    agent_id: node.agent_id,
    capabilities: ["cpu"],
    hourly_rate_usd: 0.06,
    max_concurrent: 8,
    stake_usdc,
  });
const has = () => setup.account(tenant);

async function cheat(requester: string): Promise<void> {
  const headers = await setup.requester(requester);
  const input_data = { seed: sha256("seed"), n: 5 };
  await setup.submit(headers, { task_type: "sha256-chain", input_data, max_price_usd: 0.02 });
  await setup.folded();
  await node.gives(await node.pull("?wait_s=30"), { hash: "00".repeat(32) });
  await setup.folded();
  expect(await turn(setup.app, auditReactor)).toEqual({ status: "done" });
}

test("a stake is held, can grow, and cannot exceed the balance", async () => {
  expect((await stake(0.01)).body).toMatchObject({ stake_usdc: "0.01", stake_free_at: null });
  expect(await has()).toMatchObject({ available: 40_000, held: 10_000 });
  expect((await stake(0.05)).body).toMatchObject({ stake_usdc: "0.05" });
  expect(await has()).toMatchObject({ available: 0, held: 50_000 });
  expect(await stake(0.06)).toMatchObject({
    status: 409,
    body: { type: expect.stringContaining("#funds-missing") },
  });
  expect(await stake(0.02)).toMatchObject({ status: 400, body: { errors: [{ path: "stake_usdc" }] } });
  expect((await stake(0.05)).body).toMatchObject({ stake_usdc: "0.05" });
  expect(await has()).toMatchObject({ available: 0, held: 50_000 });
});

test("a wrong result's price is taken from the stake for the requester", async () => {
  await cheat("deceived");
  expect(await has()).toMatchObject({ available: 0, held: 49_000, spent: 1_000 });
  expect(await setup.account("deceived")).toMatchObject({ available: 1_001_000, held: 0 });
  const { body } = await node.get(`/soul/node/status/${node.agent_id}`);
  expect(body).toMatchObject({ node: { stake_usdc: "0.049" }, slashes: 1 });
});

test("a withdrawn stake can be lost for a week, and is then available", async () => {
  const { body } = await stake(0);
  expect(Date.parse(body.stake_free_at) - Date.now()).toBeGreaterThan((WEEK_S - 60) * 1_000);
  await cheat("deceived-again");
  expect((await node.get(`/soul/node/status/${node.agent_id}`)).body.node).toMatchObject({
    stake_usdc: "0.048",
    stake_free_at: body.stake_free_at,
  });
  await setup.folded();
  await turn(setup.app, computeReactor);
  expect(await has()).toMatchObject({ available: 0, held: 48_000 });
  await setup.later(WEEK_S, () => turn(setup.app, computeReactor));
  expect(await has()).toMatchObject({ available: 48_000, held: 0, spent: 2_000 });
  expect((await stake(0.01)).body).toMatchObject({ stake_usdc: "0.01", stake_free_at: null });
});
