/**
 * Workers killed with -9 around each event: every execution ends once, and charges equal finished runs plus refunds.
 * SCALE=100 is the size that the service must withstand.
 */
import { once } from "node:events";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { forEach } from "../../src/core/coordination/concurrency.ts";
import { walletTenant } from "../../src/domain/payments/payment.ts";
import { MOST_WAITING } from "../../src/domain/skills/execution.ts";
import { skillsReactor } from "../../src/reactors/skills/run.ts";
import { startProgram } from "../support/compiled.ts";
import { scaled } from "../support/scale.ts";
import { until } from "../support/until.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { REFUSED_SKILL, refusingRun } from "./refusing-run.ts";
import { EXAMPLE, openSkills, type Shown, type SkillsSetup } from "./skills-setup.ts";

const KILLS = [
  "after SkillStepDone",
  "before SkillRunFinished",
  "before SkillRunStarted",
  "after SkillRunStarted",
  "before SkillStepDone",
  "after SkillRunFinished",
  "before SkillRunFailed",
  "after SkillRunFailed",
].slice(0, scaled(2, 2));
const RUNS = scaled(4, 2);

const PAYER = walletTenant(addressOf(wallet(1)));

let setup: SkillsSetup;
beforeAll(async () => {
  setup = await openSkills("embedded");
});
afterAll(() => setup.stop());

/** A worker in another process, which has ended when this resolves. */
async function killed(DIES_AT: string): Promise<void> {
  const child = startProgram("test/skills/killed-worker.ts", [], {
    env: {
      PATH: process.env.PATH,
      TMPDIR: inject("runDir"),
      DATABASE: setup.service.database_url,
      DATA: setup.service.data_dir,
      VAULT: setup.vault_url,
      DIES_AT,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [, signal] = await once(child, "exit");
  expect([DIES_AT, signal]).toEqual([DIES_AT, "SIGKILL"]);
}

/** Runs of a round: with the two of its batch no more than a tenant may have waiting. */
const A_ROUND = Math.min(Math.ceil(RUNS / KILLS.length), MOST_WAITING - 2);
const ROUNDS = Math.ceil(RUNS / A_ROUND);

const openOf = async (ids: readonly string[]) => {
  const all = await forEach(ids, (id) => setup.executionOf(PAYER, id));
  return all.filter(({ ended_at }) => ended_at === null).length;
};

/** Works until no more than so many are open. */
const worked = (ids: readonly string[], most: number) =>
  until(async () => {
    await setup.folded();
    if ((await openOf(ids)) <= most) return true;
    await setup.works(skillsReactor(refusingRun));
    return false;
  });

test(`${RUNS} paid executions, ${ROUNDS} workers killed: each ends once, and charges equal finished runs plus refunds`, async () => {
  const ids: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await worked(ids, MOST_WAITING - A_ROUND - 2);
    // Each worker finds some executions that it can begin, one of which is bound to fail.
    const can = { ...EXAMPLE, wait_s: 0 };
    const cannot = { agents: [REFUSED_SKILL, EXAMPLE.agent], task: EXAMPLE.task };
    for (let n = 0; n < A_ROUND; n++) {
      const { data } = await setup.pays(wallet(1), "run", can);
      ids.push(data.execution_id);
    }
    const { data } = await setup.pays<Shown[]>(wallet(1), "batch", cannot);
    ids.push(...data.map(({ execution_id }) => execution_id));
    await killed(KILLS[round % KILLS.length]!);
  }
  await worked(ids, 0);
  const stories = await forEach(ids, (id) => setup.storyOf(PAYER, id));
  for (const story of stories) {
    const ends = story.filter((type) => type === "SkillRunFinished" || type === "SkillRunFailed");
    expect([ends.length, story.at(-1)]).toEqual([1, ends[0]]);
    const starts = story.filter((type) => type === "SkillRunStarted").length;
    expect(starts).toBeLessThanOrEqual(3);
  }
  // At least one was restarted after a kill.
  expect(stories.some((story) => story.filter((type) => type === "SkillRunStarted").length > 1)).toBe(true);
  const ended = await forEach(ids, (id) => setup.executionOf(PAYER, id));
  const finished = ended.filter(({ status }) => status === "finished").length;
  const payments = new Map(ended.map((one) => [one.facts.payment_id, one]));
  const money = await forEach([...payments.values()], setup.moneyOf);
  const sum = (name: "paid" | "back") => money.reduce((total, one) => total + one[name], 0);
  expect(sum("paid")).toBe(500_000 * ids.length);
  expect(sum("paid") - sum("back")).toBe(500_000 * finished);
  expect(finished).toBeLessThan(ids.length);
});
