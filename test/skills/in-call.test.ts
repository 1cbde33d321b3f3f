/** A run in the very call that asks for it: its steps side by side, all that it keeps at once, and nothing left of one that is refused. */
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { untilStopped } from "../../src/concurrency.ts";
import type { Lease, Vintages } from "../../src/datasets/vintage-store.ts";
import type { SkillResult } from "../../src/domain/skills/result.ts";
import { type Headers, openSkills, type SkillsSetup } from "./skills-setup.ts";

const TENANT = "acme";

let setup: SkillsSetup;
let headers: Headers;
beforeAll(async () => {
  setup = await openSkills();
  ({ headers } = await setup.service.issue({ tenant: TENANT, scopes: ["read", "skill"] }));
});
afterAll(() => setup.stop());

const DIPLOMAT = {
  agent: "diplomat",
  task: "How do trade figures between Germany and France differ?",
  format: "json",
};

/** Has every question to the data pass through `asked`, until the test is over. */
function throughData(
  asked: (sql: string, answer: () => Promise<unknown>, signal?: AbortSignal) => Promise<unknown>,
): void {
  const { vintages } = setup.app;
  const lease: Vintages["lease"] = vintages.lease.bind(vintages);
  vintages.lease = (dataset) => {
    const found = lease(dataset);
    const query: Lease["query"] = (sql, params, signal) =>
      asked(sql, () => found.query(sql, params, signal), signal) as Promise<never>;
    return { ...found, query };
  };
  onTestFinished(() => {
    vintages.lease = lease;
  });
}

test("asks steps that do not rest on each other side by side, and records them in the plan's order", async () => {
  const answered: string[] = [];
  let release = () => {};
  const isOther = new Promise<void>((done) => {
    release = done;
  });
  // The first step's question is answered after that of the second, which it never is where that waits for the first.
  throughData(async (sql, answer, signal) => {
    const step = sql.includes("with sums as") ? "rerouting" : "corridor";
    if (step === "corridor") await untilStopped(isOther, signal);
    const told = await answer();
    answered.push(step);
    if (step === "rerouting") release();
    return told;
  });
  const { status, data } = await setup.ask(headers, "run", DIPLOMAT);
  expect([status, data.status]).toEqual([200, "finished"]);
  expect(answered).toEqual(["rerouting", "corridor"]);
  expect(data.steps.map(({ step }) => step)).toEqual(["corridor", "rerouting"]);
  const { steps } = data.result as SkillResult;
  expect(steps.map(({ step, answer_sha256 }) => [step, answer_sha256])).toEqual(
    data.steps.map(({ step, answer_sha256 }) => [step, answer_sha256]),
  );
});

test("is sealed by one question to the vault, and kept by one statement", async () => {
  const { app } = setup;
  const { subjects } = app.unit;
  const { objects } = app;
  const asked: string[] = [];
  app.unit.subjects = {
    ...subjects,
    seal: (page) => {
      asked.push("seal");
      return subjects.seal(page);
    },
  };
  app.objects = {
    ...objects,
    putAll: (all) => {
      asked.push(`put ${all.length}`);
      return objects.putAll(all);
    },
  };
  onTestFinished(() => {
    app.unit.subjects = subjects;
    app.objects = objects;
  });
  const { data } = await setup.ask(headers, "run", DIPLOMAT);
  expect(data.status).toBe("finished");
  expect(asked).toEqual(["seal", "put 3"]);
});

test("that a step refuses leaves no key, no object and no place behind", async () => {
  const vault = new pg.Client({ connectionString: setup.vault_url });
  await vault.connect();
  onTestFinished(() => vault.end());
  const { pool } = setup.app;
  const left = async () => {
    const keys = await vault.query("select subject_id from subject_keys.subjects order by 1");
    const objects = await pool.query("select name from objects.small order by 1");
    const places = await pool.query("select execution_id from skills.places where tenant = 'refused'");
    return [keys.rows, objects.rows, places.rows];
  };
  const { headers } = await setup.service.issue({ tenant: "refused", scopes: ["skill"] });
  const before = await left();
  const task = "What is to be expected of the United States?";
  const { status, errors } = await setup.ask(headers, "run", { agent: "oracle", task });
  expect([status, errors?.map(({ path }) => path)]).toEqual([400, ["task"]]);
  expect(await left()).toEqual(before);
});
