/**
 * `tallystick rerun` as operators run it, on executions of every skill. RERUNS=100 is the size that the service must
 * withstand.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { forEach } from "../../src/core/coordination/concurrency.ts";
import { skills } from "../../src/domain/skills/skills.ts";
import { runWith } from "../cli/command.ts";
import { runHere } from "../cli/in-process.ts";
import { releaseVintage } from "../support/cube.ts";
import { LARGER, opened, sandboxIn } from "../support/sandbox.ts";
import { scaled } from "../support/scale.ts";
import { type Headers, openSkills, type SkillsSetup } from "./skills-setup.ts";

const RERUNS = scaled(2);

let setup: SkillsSetup;
let headers: Headers;
beforeAll(async () => {
  setup = await openSkills();
  ({ headers } = await setup.service.issue({ scopes: ["read", "skill", "skill_sensitive"] }));
});
afterAll(() => setup.stop());

async function rerun(run: typeof runWith, execution_id: string, ...options: string[]) {
  const { service, vault_url } = setup;
  const settings = {
    DATABASE_URL: service.database_url,
    DATA_DIR: service.data_dir,
    SUBJECT_KEYS_URL: vault_url,
    ANCHORING: "0",
  };
  const { code, stdout } = await run(settings, "rerun", execution_id, "--json", ...options);
  const { agent, same, steps } = JSON.parse(stdout) as {
    agent: string;
    same: boolean;
    steps: { same: boolean }[];
  };
  return { code, agent, same, differing: steps.filter((step) => !step.same).length };
}

async function ran(agent: string, task: string): Promise<string> {
  const { status, data } = await setup.ask(headers, "run", { agent, task });
  expect([agent, status, data.status]).toEqual([agent, 200, "finished"]);
  return data.execution_id;
}

test(`${RERUNS} executions rerun to the same bytes in a separate process, and changed data are named`, async () => {
  const ids: [string, string][] = [];
  for (let n = 0; n < RERUNS; n++) {
    const { name, example } = skills[n % skills.length]!;
    ids.push([name, await ran(name, example)]);
  }
  const found = await forEach(ids, async ([agent, id]) => [agent, await rerun(runWith, id)]);
  expect(found).toEqual(ids.map(([agent]) => [agent, { code: 0, agent, same: true, differing: 0 }]));

  const { app, data_dir } = setup.service;
  const vintage = await sandboxIn(data_dir, LARGER);
  await releaseVintage(app, data_dir, vintage);
  await opened(setup.service, [vintage]);
  const [agent, id] = ids[0]!;
  expect(await rerun(runHere, id)).toMatchObject({ code: 0, agent, same: true });
  const now = await rerun(runHere, id, "--now");
  expect(now).toMatchObject({ code: 1, agent, same: false });
  expect(now.differing).toBeGreaterThan(0);
});
