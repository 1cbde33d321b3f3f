/**
 * Runs within the requesting call: steps in parallel, one commit for all objects, and nothing left of a refused run.
 */

import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { untilStopped } from "../../src/core/coordination/concurrency.ts";
import { digestOf } from "../../src/core/model/objects.ts";
import { QueryTimeout } from "../../src/core/model/refusal.ts";
import { sealLocation } from "../../src/core/model/sealed.ts";
import type { Lease, Vintages } from "../../src/datasets/vintage-store.ts";
import * as executions from "../../src/domain/skills/execution.ts";
import type { SkillResult } from "../../src/domain/skills/result.ts";
import {
  objectOf,
  readSealed,
  storeSealed,
  subjectOf,
  zip,
} from "../../src/reactors/skills/sealed-objects.ts";
import { replace } from "../support/replace.ts";
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

/** Passes every query to the data through `asked`, until the end of the test. */
function throughData(
  intercept: (sql: string, answer: () => Promise<unknown>, signal?: AbortSignal) => Promise<unknown>,
): void {
  const { vintages } = setup.app.data;
  const lease: Vintages["lease"] = vintages.lease.bind(vintages);
  vintages.lease = (dataset) => {
    const found = lease(dataset);
    const query: Lease["query"] = (sql, params, signal) =>
      intercept(sql, () => found.query(sql, params, signal), signal) as Promise<never>;
    return { ...found, query };
  };
  onTestFinished(() => {
    vintages.lease = lease;
  });
}

test("a run within a call executes independent steps in parallel, and records them in the plan's order", async () => {
  const answered: string[] = [];
  let release = () => {};
  const isOther = new Promise<void>((done) => {
    release = done;
  });
  // The first step's query is answered after the second's, which would deadlock if the steps were sequential.
  throughData(async (sql, answer, signal) => {
    const step = sql.includes("with sums as") ? "rerouting" : "corridor";
    if (step === "corridor") await untilStopped(isOther, signal);
    const result = await answer();
    answered.push(step);
    if (step === "rerouting") release();
    return result;
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

test("a run within a call seals its answers by one request, stores them by one statement, and seals its task with the record", async () => {
  const { app } = setup;
  const { subjects } = app;
  const { objects } = app;
  const requests: string[] = [];
  const counted = {
    ...app.subjects,
    seal: (page: Parameters<typeof subjects.seal>[0]) => {
      requests.push("seal");
      return subjects.seal(page);
    },
  };
  app.unit.subjects = counted;
  replace(app, {
    subjects: counted,
    objects: {
      ...objects,
      putAll: (all) => {
        requests.push(`put ${all.length}`);
        return objects.putAll(all);
      },
    },
  });
  onTestFinished(() => {
    app.unit.subjects = subjects;
    replace(app, { objects, subjects });
  });
  const { data } = await setup.ask(headers, "run", DIPLOMAT);
  expect(data.status).toBe("finished");
  expect(requests).toEqual(["seal", "put 3", "seal"]);
});

test("stored answers are compressed, and older uncompressed ones are read", async () => {
  const { app } = setup;
  const named = { tenant: TENANT, execution_id: "e".repeat(32) };
  const answer = { data: Array.from({ length: 2_000 }, (_, n) => ({ period: "2024-01", imports_eur: n })) };
  const text = JSON.stringify(answer);
  const kept = await storeSealed(app, named, [zip(text)]);
  const { object_sha256 } = kept[0]!;
  expect(await readSealed(app, named, object_sha256)).toEqual(answer);
  const bytes = await app.objects.get(objectOf(named.execution_id, object_sha256));
  expect(bytes!.length).toBeLessThan(text.length / 4);

  const place = sealLocation(executions, executions.targetOf(TENANT, named.execution_id), "SkillStepDone");
  const parts = Buffer.from(text)
    .toString("base64url")
    .match(/.{1,40000}/g)!;
  const page = parts.map((part) => ({ subject: subjectOf(named), place, value: { part } }));
  const before = Buffer.from(JSON.stringify(await app.subjects.seal(page)));
  await app.objects.put(objectOf(named.execution_id, digestOf(before)), before);
  expect(await readSealed(app, named, digestOf(before))).toEqual(answer);
});

test("a run with a slow step, even an optional one, is left to the worker, whose retry is complete", async () => {
  throughData(async (sql, answer) => {
    if (sql.includes("with sums as")) throw new QueryTimeout("trade_reroute_watch");
    return answer();
  });
  const task = "How do trade figures between Spain and Italy differ?";
  const { status, data } = await setup.ask(headers, "run", { ...DIPLOMAT, task });
  expect([status, data.status, data.result]).toEqual([200, "requested", null]);
});

test("a run that a step refuses leaves no key, no object and no reserved capacity", async () => {
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
