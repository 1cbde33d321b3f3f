/** Executions of the worker: done once, cancelled, given up, erased, and refunded without a result. */

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { runFor } from "../../src/api/operations/skills/run-skill.ts";
import { refuse } from "../../src/core/model/refusal.ts";
import { walletTenant } from "../../src/domain/payments/payment.ts";
import * as executions from "../../src/domain/skills/execution.ts";
import type { SkillResult } from "../../src/domain/skills/result.ts";
import { skillsReactor } from "../../src/reactors/skills/run.ts";
import { subjectOf } from "../../src/reactors/skills/sealed-objects.ts";
import { stepExecution } from "../../src/reactors/skills/steps.ts";
import { eraseSubject } from "../../src/reactors/subjects/erasure.ts";
import { replace } from "../support/replace.ts";
import { openSandbox } from "../support/sandbox.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { EXAMPLE, type Headers, openSkills, type Shown, type SkillsSetup } from "./skills-setup.ts";

let setup: SkillsSetup;
let headers: Headers;
const TENANT = "acme";

beforeAll(async () => {
  setup = await openSkills("embedded");
  ({ headers } = await setup.service.issue({ tenant: TENANT, scopes: ["read", "skill"] }));
});
afterAll(() => setup.stop());

const meta = { meta: { actor: "test" } };
const DEFERRED = { ...EXAMPLE, wait_s: 0, format: "json" } as const;
const PAYER = walletTenant(addressOf(wallet(1)));
const paid = (path: string, body: object) => setup.pays(wallet(1), path, body);
const started = async (body: object = DEFERRED): Promise<Shown> => {
  const { status, data } = await setup.ask(headers, "run", body);
  expect([status, data.status]).toEqual([200, "requested"]);
  return data;
};
const statusOf = (execution_id: string, query = "") =>
  setup.ask(headers, `executions/${execution_id}${query}`);

test("the worker runs a deferred execution with the same result as a call, and notifies waiting calls", async () => {
  const { data: at_once } = await setup.ask(headers, "run", { ...EXAMPLE, format: "json" });
  const left = await started();
  expect(left.poll).toBe(`/v1/agent/skills/executions/${left.execution_id}`);
  const waiting = statusOf(left.execution_id, "?wait_s=30");
  await setup.works();
  const { data } = await waiting;
  expect(data).toMatchObject({ status: "finished", attempt: 1, result_sha256: at_once.result_sha256 });
  expect(data.result).toEqual(at_once.result);
  expect(await setup.storyOf(TENANT, left.execution_id)).toEqual([
    "SkillRunRequested",
    "SkillRunStarted",
    ...(data.result as SkillResult).steps.map(() => "SkillStepDone"),
    "SkillRunFinished",
  ]);
  await setup.works();
  expect((await setup.executionOf(TENANT, left.execution_id)).attempt).toBe(1);
});

test("a slow execution delays no later one", async () => {
  const slow = await started();
  let release = () => {};
  const isReleased = new Promise<void>((done) => {
    release = done;
  });
  let begun = () => {};
  const isBegun = new Promise<void>((done) => {
    begun = done;
  });
  let first = true;
  const works = setup.works(
    skillsReactor(async (run) => {
      if (first) {
        first = false;
        begun();
        await isReleased;
      }
      return runFor(run);
    }),
  );
  await isBegun;
  const { execution_id } = await started();
  await until(async () => (await statusOf(execution_id)).data.status === "finished");
  expect((await statusOf(slow.execution_id)).data.status).toBe("running");
  release();
  await works;
  expect((await statusOf(slow.execution_id)).data.status).toBe("finished");
});

test("only keys that may run the skill see or cancel a run on the tenant's money", async () => {
  const { headers: sensitive } = await setup.service.issue({
    tenant: TENANT,
    scopes: ["skill", "skill_sensitive"],
  });
  const body = { agent: "finansist", task: "What have I spent, by operation?", format: "json", wait_s: 0 };
  const { data } = await setup.ask(sensitive, "run", body);
  const path = `executions/${data.execution_id}`;
  for (const method of ["GET", "DELETE"])
    expect(await setup.ask(headers, path, undefined, method)).toMatchObject({
      status: 403,
      detail: expect.stringContaining("skill_sensitive"),
    });
  await setup.works();
  expect((await setup.ask(sensitive, path)).data).toMatchObject({ status: "finished" });
  // Nor by repeating another key's request.
  const again = { "Idempotency-Key": "weekly" };
  const request = { ...body, wait_s: 20 };
  expect((await setup.ask({ ...sensitive, ...again }, "run", request)).status).toBe(200);
  expect((await setup.ask({ ...headers, ...again }, "run", request)).status).toBe(403);
});

test("another tenant's request for an execution is not found", async () => {
  const { execution_id } = await started();
  const { headers: others } = await setup.service.issue({ tenant: "other", scopes: ["skill"] });
  for (const method of ["GET", "DELETE"])
    expect((await setup.ask(others, `executions/${execution_id}`, undefined, method)).status).toBe(404);
  expect((await setup.ask(headers, `executions/${execution_id}`, undefined, "DELETE")).status).toBe(200);
});

describe("a payment", () => {
  test("buys a run in the call, and nothing is refunded", async () => {
    const { status, data } = await paid("run", { ...EXAMPLE, format: "json" });
    expect([status, data.status, data.price_usdc]).toEqual([200, "finished", "0.50"]);
    const execution = await setup.executionOf(PAYER, data.execution_id);
    expect(await setup.moneyOf(execution)).toEqual({ status: "settled", paid: 500_000, back: 0 });
  });

  test("is refunded on cancellation before a step is done; a repeated cancellation changes nothing", async () => {
    const { data } = await paid("run", DEFERRED);
    for (const _ of [1, 2]) {
      const { data: cancelled } = await setup.owns(wallet(1), "DELETE", data.execution_id);
      expect(cancelled).toMatchObject({ status: "cancelled", refund_usdc: "0.50" });
    }
    const execution = await setup.executionOf(PAYER, data.execution_id);
    expect(await setup.moneyOf(execution)).toMatchObject({ paid: 500_000, back: 500_000 });
    await setup.works();
    expect(await setup.storyOf(PAYER, data.execution_id)).toEqual(["SkillRunRequested", "SkillRunCancelled"]);
    const { data: over } = await paid("run", { ...EXAMPLE, format: "json" });
    expect((await setup.owns(wallet(1), "DELETE", over.execution_id)).status).toBe(409);
    expect((await setup.owns(wallet(2), "GET", over.execution_id)).status).toBe(404);
  });

  test("for a batch is refunded for the failed share, once the whole batch has ended", async () => {
    const body = { agents: ["spider", "oracle"], task: EXAMPLE.task };
    const answer = await setup.pays<Shown[]>(wallet(1), "batch", body);
    expect([answer.status, answer.data?.map(({ price_usdc }) => price_usdc)]).toEqual([
      200,
      ["0.50", "0.50"],
    ]);
    const ids = answer.data.map(({ execution_id }) => execution_id);
    await setup.works(
      skillsReactor((run) => {
        if (run.facts.agent !== "oracle") return runFor(run);
        run.begins("timeline");
        return refuse("unprocessable", "the series is too short");
      }),
    );
    const ended = await Promise.all(ids.map((id) => setup.executionOf(PAYER, id)));
    expect(ended.map(({ status }) => status)).toEqual(["finished", "failed"]);
    expect(ended[1]!.failed).toMatchObject({ code: "refused", step: "timeline" });
    expect(await setup.moneyOf(ended[0]!)).toMatchObject({ paid: 1_000_000, back: 500_000 });
  });

  test("for a batch whose executions end at the same moment is refunded once, for both", async () => {
    const body = { agents: ["sniper", "strategist"], task: EXAMPLE.task };
    const { data } = await setup.pays<Shown[]>(wallet(1), "batch", body);
    const cancelled = await Promise.all(
      data.map(({ execution_id }) => setup.owns(wallet(1), "DELETE", execution_id)),
    );
    expect(cancelled.map(({ status }) => status)).toEqual([200, 200]);
    const first = await setup.executionOf(PAYER, data[0]!.execution_id);
    expect(await setup.moneyOf(first)).toMatchObject({ paid: 1_000_000, back: 1_000_000 });
  });

  test("is not accepted for a task that cannot be done", async () => {
    for (const [path, body] of [
      ["run", { agent: "oracle", task: "What is to be expected of the United States?" }],
      ["run", { agent: "oracle", task: "What is to be expected?" }],
      ["auto-route", { task: "Sing me a song", auto_run: true }],
    ] as const) {
      const answer = await paid(path, body);
      expect([answer.status, answer.errors?.[0]?.path]).toEqual([400, "task"]);
    }
    const money = { agent: "finansist", task: "What have I spent?" };
    expect((await paid("run", money)).status).toBe(403);
    expect((await setup.ask(headers, "run", money)).status).toBe(403);
  });
});

test("a worker that sleeps past its lease writes nothing more, and the other attempt counts", async () => {
  const { execution_id } = await started();
  const { app } = setup;
  const { clock } = app;
  const named = { tenant: TENANT, execution_id };
  const slept = skillsReactor((run) =>
    runFor({
      ...run,
      noted: async (answered) => {
        // It wakes after a minute, and another worker has begun.
        replace(app, { clock: { now: () => new Date(clock.now().getTime() + 61_000) } });
        const at = app.clock.now().toISOString();
        const start = executions.start("another", at);
        await app.commit((unit) => stepExecution(unit, named, start), meta);
        await run.noted(answered);
      },
    }),
  );
  try {
    await setup.works(slept);
  } finally {
    replace(app, { clock });
  }
  expect(await setup.storyOf(TENANT, execution_id)).toEqual([
    "SkillRunRequested",
    "SkillRunStarted",
    "SkillRunStarted",
  ]);
  // That worker was never seen alive: the next tick takes over at once.
  await setup.works();
  expect(await setup.executionOf(TENANT, execution_id)).toMatchObject({ status: "finished", attempt: 3 });
});

test("an execution that breaks off three times is given up, and so is one past its deadline", async () => {
  const { app } = setup;
  const { clock } = app;
  const { data: broken } = await paid("run", DEFERRED);
  const breaks = skillsReactor(async () => {
    throw new Error("a fault of ours");
  });
  try {
    for (let minutes = 0; minutes < 4; minutes++) {
      replace(app, { clock: { now: () => new Date(clock.now().getTime() + 61_000 * minutes) } });
      await setup.works(breaks);
    }
    const { data: late } = await paid("run", DEFERRED);
    replace(app, { clock: { now: () => new Date(clock.now().getTime() + 900_000) } });
    await setup.works(breaks);
    const [first, second] = await Promise.all(
      [broken, late].map(({ execution_id }) => setup.executionOf(PAYER, execution_id)),
    );
    expect(first).toMatchObject({ status: "failed", attempt: 3, failed: { code: "attempts" } });
    expect(second).toMatchObject({ status: "failed", failed: { code: "deadline" } });
    expect(await setup.moneyOf(first!)).toMatchObject({ paid: 500_000, back: 500_000 });
    expect(await setup.moneyOf(second!)).toMatchObject({ paid: 500_000, back: 500_000 });
  } finally {
    replace(app, { clock });
  }
});

test("an erased run shows no result, and one that has not run yet fails", async () => {
  const { data } = await setup.ask(headers, "run", { ...EXAMPLE, format: "json" });
  const left = await started();
  for (const execution_id of [data.execution_id, left.execution_id])
    await eraseSubject(setup.app, subjectOf({ tenant: TENANT, execution_id }), { by: "owner", ...meta });
  await setup.works();
  const [ran, failed] = [await statusOf(data.execution_id), await statusOf(left.execution_id)];
  expect(ran.data).toMatchObject({ status: "finished", result: null, result_sha256: data.result_sha256 });
  expect(failed.data).toMatchObject({ status: "failed", failure: { code: "erased", step: null } });
});

test("a tenant has at most twenty waiting executions, also with concurrent requests at two processes", async () => {
  const { service, vault_url } = setup;
  const second = await startService({ beside: service, vault: vault_url });
  onTestFinished(() => second.stop());
  await openSandbox(second);
  const { headers: own } = await service.issue({ tenant: "eager", scopes: ["skill"] });
  const runAt = async (n: number) => {
    const url = `${[service, second][n % 2]!.url}/v1/agent/skills/run`;
    const init = { method: "POST", headers: { ...own, "Content-Type": "application/json" } };
    return (await fetch(url, { ...init, body: JSON.stringify(DEFERRED) })).status;
  };
  // A refusal for missing slots reserves no capacity.
  expect((await setup.ask(own, "run", { ...DEFERRED, task: "How dependent is Latvia?" })).status).toBe(400);
  const most = executions.MOST_WAITING;
  const statuses = await Promise.all(Array.from({ length: 2 * most }, (_, n) => runAt(n)));
  expect(statuses.filter((status) => status === 200)).toHaveLength(most);
  expect(statuses.filter((status) => status === 429)).toHaveLength(most);
  await setup.folded();
  const batch = { agents: ["sniper", "oracle"], task: EXAMPLE.task };
  expect((await setup.ask(own, "batch", batch)).status).toBe(429);
  const { rows } = await setup.app.pool.query(
    "select status from read.skill_executions_v1 where tenant = $1",
    ["eager"],
  );
  expect(rows).toHaveLength(most);
  await until(async () => {
    await setup.works();
    await setup.folded();
    return (await setup.ask(own, "run", DEFERRED)).status === 200;
  });
  const kept = await setup.app.pool.query("select from skills.places where tenant = $1", ["eager"]);
  expect(kept.rowCount).toBe(1);
});
