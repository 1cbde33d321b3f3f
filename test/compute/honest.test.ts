/** Attacks that cost honest nodes their stake, their price or their points: each is tried, and the honest node keeps what is its own. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { App } from "../../src/app.ts";
import type { Ran } from "../../src/domain/ports.ts";
import { auditReactor } from "../../src/reactors/compute/audit.ts";
import { turn } from "../support/turns.ts";
import { type ComputeSetup, openComputeSetup, sha256, type TestNode } from "./compute-setup.ts";

let setup: ComputeSetup;
let node: TestNode;
beforeAll(async () => {
  setup = await openComputeSetup();
  node = await setup.node("honest");
  await setup.requester(`soul:${node.sx}`, 50_000);
});
afterAll(() => setup.service.stop());

const input_data = { seed: sha256("seed"), n: 5 };

/** A task of a built-in kind for this node alone, lent to it. */
async function lent(tenant: string, by = node, more: object = {}) {
  const headers = await setup.requester(tenant);
  await by.beat();
  const task = { task_type: "sha256-chain", input_data, max_price_usd: 0.02 };
  const { status, body } = await setup.submit(headers, {
    ...{ ...task, assign: `agent:${by.agent_id}` },
    ...more,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  await setup.folded();
  return { headers, task: await by.pull("?wait_s=10") };
}

/** The service as it would be with another sandbox: each run comes to the next of these. */
const withRuns = (...runs: (Ran | "failed")[]): App => ({
  ...setup.app,
  executor: {
    engine_sha256: sha256("engine"),
    run: async () => {
      const ran = runs.shift()!;
      return ran === "failed" ? { exit: "failed", reason: "it took too long" } : ran;
    },
  },
});

const came = (hash: string): Ran => ({ exit: "ok", output: { hash } });

const checks = async (app = setup.app) => {
  await setup.folded();
  expect(await turn(app, auditReactor)).toEqual({ status: "done" });
  await setup.folded();
};

test("a task that does not agree with itself is void: its worker is paid, gets no points and loses nothing", async () => {
  const tenant = `soul:${node.sx}`;
  const before = await setup.account(tenant);
  const { task } = await lent("void");
  const { task_id } = task;
  await node.gives(task, { hash: "of a moment" });
  await checks(withRuns(came("of a later moment"), came("of one later still")));
  expect(await setup.task("void", task_id)).toMatchObject({
    status: "accepted",
    audit: { verdict: "void", expected_sha256: null, on_silence: null },
  });
  await node.post("/soul/compute/settle", { task_id });
  const after = await setup.account(tenant);
  expect(after).toMatchObject({ available: before.available + 900, spent: before.spent });
  await setup.folded();
  const { body } = await node.get(`/soul/node/status/${node.agent_id}`);
  expect(body).toMatchObject({ slashes: 0, valid_audits: 0 });
});

test("a result is wrong only by two runs that agree", async () => {
  const { task } = await lent("refuted");
  await node.gives(task, { hash: "wrong" });
  await checks(withRuns(came("right"), came("right")));
  expect(await setup.task("refuted", task.task_id)).toMatchObject({
    status: "refunded",
    audit: { verdict: "mismatch" },
  });
  const unsure = await lent("unsure");
  await node.gives(unsure.task, { hash: "whatever" });
  await checks(withRuns(came("right"), "failed"));
  expect(await setup.task("unsure", unsure.task.task_id)).toMatchObject({
    audit: { verdict: "inconclusive" },
  });
});
