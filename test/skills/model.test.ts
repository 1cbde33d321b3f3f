/** Skills with a model: it summarizes six of them without changing their findings, and gets nothing about money. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openModel } from "../../src/adapters/model.ts";
import { createModelTokens } from "../../src/adapters/model-tokens.ts";
import { rerun } from "../../src/api/operations/skills/rerun.ts";
import { canonical } from "../../src/api/serve/nested-calls.ts";
import { digestOf } from "../../src/core/model/objects.ts";
import { reportFaults } from "../../src/domain/reports/check.ts";
import { IN_BRIEF } from "../../src/domain/reports/report.ts";
import type { SkillResult } from "../../src/domain/skills/result.ts";
import { type Skill, skills } from "../../src/domain/skills/skills.ts";
import {
  completion,
  type ModelEndpoint,
  modelEndpoint,
  paragraphs,
  type Reply,
  sent,
} from "../support/model-endpoint.ts";
import { replace } from "../support/replace.ts";
import { EXAMPLE, type Headers, openSkills, type Shown, type SkillsSetup } from "./skills-setup.ts";

let model: ModelEndpoint;
let setup: SkillsSetup;
let headers: Headers;
beforeAll(async () => {
  model = await modelEndpoint();
  setup = await openSkills(undefined, { MODEL_BASE_URL: model.base_url, MODEL_NAME: "teller-7b" });
  ({ headers } = await setup.service.issue({ scopes: ["read", "skill", "skill_sensitive"] }));
});
afterAll(async () => {
  await setup.stop();
  await model.close();
});
beforeEach(() => {
  model.requests.length = 0;
});

const honest: Reply = (response, { findings }) => sent(response, completion(paragraphs(findings[0]!.text)));
const { signal } = new AbortController();

/** A run as its owner sees it when it is over, and what it came to. */
async function ran(input: object): Promise<{ data: Shown; result: SkillResult }> {
  const begun = await setup.ask(headers, "run", { format: "json", ...input });
  expect(begun.status).toBe(200);
  await setup.folded();
  await setup.works();
  const { data } = await setup.ask(headers, `executions/${begun.data.execution_id}`);
  return { data, result: data.result as SkillResult };
}

/** The same without a model, in the call. */
async function plain(input: object): Promise<SkillResult> {
  const { app } = setup;
  const set = app.model;
  replace(app, { model: undefined });
  try {
    const { data } = await setup.ask(headers, "run", { format: "json", ...input });
    return data.result as SkillResult;
  } finally {
    replace(app, { model: set });
  }
}

/** A result without the model's words and their consequences. */
const findingsOf = ({ report, ...rest }: SkillResult) => {
  const {
    model: _model,
    report_id: _id,
    sha256: _sha256,
    facts_sha256: _facts,
    sections,
    ...answer
  } = report;
  return { ...rest, ...answer, sections: sections.filter(({ title }) => title !== IN_BRIEF) };
};

const isSentToModel = ({ scope }: Skill) => scope === "skill";
const named = (all: readonly Skill[]) => all.map((skill) => [skill.name, skill] as const);

describe.each(named(skills.filter(isSentToModel)))("%s", (agent, skill) => {
  test("is summarized by a model with the same bytes twice, next to its findings without a model", async () => {
    model.reply = honest;
    const input = { agent, task: skill.example };
    const [first, second] = [await ran(input), await ran(input)];
    expect(first.data).toMatchObject({
      status: "finished",
      model: { name: "teller-7b", used: true, why: null },
    });
    expect(canonical(second.result)).toBe(canonical(first.result));
    expect(digestOf(canonical(first.result))).toBe(first.data.result_sha256);
    expect(first.result.report.sections[0]!.title).toBe(IN_BRIEF);
    expect(reportFaults(first.result.report, canonical)).toEqual([]);
    expect(findingsOf(first.result)).toEqual(findingsOf(await plain(input)));
    const again = await rerun(
      setup.app,
      { tenant: "acme", execution_id: first.data.execution_id },
      { signal },
    );
    expect(again).toMatchObject({ same: true, model: "teller-7b" });
    // Two runs were summarized; the third made no call to the model.
    expect(model.requests).toHaveLength(2);
  });
});

test.each(named(skills.filter((skill) => !isSentToModel(skill))))(
  "%s sends no model anything of the caller's money",
  async (agent, skill) => {
    model.reply = honest;
    const { data } = await setup.ask(headers, "run", { agent, task: skill.example });
    expect(data).toMatchObject({ status: "finished", model: null });
    // The worker sends it nothing either.
    const left = await ran({ agent, task: skill.example, wait_s: 0 });
    expect(left.data).toMatchObject({ status: "finished", model: null });
    expect(model.requests).toEqual([]);
  },
);

const raw =
  (status: number, body: string): Reply =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(body);

const LIES: [string, string, Reply][] = [
  [
    "another figure",
    "other_figures",
    (response, { findings }) =>
      sent(
        response,
        completion(
          paragraphs(findings[0]!.text.replace(/\d(?=[^\d[\]]*\[F)/, (digit) => `${9 - Number(digit)}`)),
        ),
      ),
  ],
  [
    "a statement of its own",
    "other_words",
    (response, { findings }) => sent(response, completion(paragraphs(`${findings[0]!.text} Buy now.`))),
  ],
  ["500", "refused", raw(500, "{}")],
  ["garbage", "unreadable", raw(200, "\u0000{]garbage".repeat(100))],
  [
    "a stream of tokens",
    "unreadable",
    raw(200, 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n'.repeat(20)),
  ],
  ["nothing, for ever", "late", () => undefined],
];

test.each(LIES)(
  "a model that answers with %s: the text equals the one without a model, and the event has the reason (%s)",
  async (_, why, reply) => {
    const { app } = setup;
    const set = app.model;
    const tokens = createModelTokens(app.pool, app.clock, 1e9);
    const deadline_ms = why === "late" ? 300 : 60_000;
    replace(app, { model: openModel({ base_url: model.base_url, name: "liar-7b", tokens, deadline_ms }) });
    model.reply = reply;
    const { data, result } = await ran(EXAMPLE);
    replace(app, { model: set });
    expect(data).toMatchObject({ status: "finished", model: { name: "liar-7b", used: false, why } });
    expect(findingsOf(result)).toEqual(findingsOf(await plain(EXAMPLE)));
    const story = await setup.storyOf("acme", data.execution_id);
    expect(story.slice(-2)).toEqual(["SkillModelAsked", "SkillRunFinished"]);
    const { model: request } = await setup.executionOf("acme", data.execution_id);
    expect(request).toMatchObject({ attempt: 1, model: "liar-7b", used: false, why });
  },
);
