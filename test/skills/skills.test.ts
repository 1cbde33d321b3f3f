/** The eight skills over HTTP: each done without a model, the same bytes twice, every figure where it says; and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { canonical } from "../../src/api/asking.ts";
import { skillFaults } from "../../src/api/operations/skills/asked.ts";
import type { executionShown } from "../../src/api/operations/skills/fields.ts";
import { askAt } from "../../src/cli/report.ts";
import { digestOf } from "../../src/domain/objects.ts";
import { askedAgain } from "../../src/domain/reports/asked-again.ts";
import { reportFaults } from "../../src/domain/reports/check.ts";
import { isAsked } from "../../src/domain/reports/fact.ts";
import type { SkillResult } from "../../src/domain/skills/result.ts";
import { skills } from "../../src/domain/skills/skills.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

type Shown = z.infer<typeof executionShown>;

let service: Service;
let headers: Record<string, string>;
let secret: string;

beforeAll(async () => {
  service = await startService({ vault: true });
  ({ headers, secret } = await service.issue({ scopes: ["read", "skill", "skill_sensitive"] }));
  await openSandbox(service);
});
afterAll(() => service.stop());

const post = (path: string, input: object, given = headers) =>
  fetch(`${service.url}/v1/agent/skills/${path}`, {
    method: "POST",
    headers: { ...given, "Content-Type": "application/json" },
    body: JSON.stringify(input),
  });
const ran = async (input: object): Promise<Shown> => {
  const answer = await post("run", input);
  const text = await answer.text();
  expect([answer.status, text.slice(0, 600)]).toEqual([200, expect.anything()]);
  return (JSON.parse(text) as { data: Shown }).data;
};

test("plans name what can be asked and is told", () => {
  expect(skillFaults(skills)).toEqual([]);
  const [first] = skills;
  const broken = { ...first!, steps: [{ id: "a", operation: "orders_create", input: {} }] };
  expect(skillFaults([broken]).length).toBeGreaterThan(0);
});

describe.each(skills.map((skill) => [skill.name, skill] as const))("%s", (agent, skill) => {
  test("is done in the call, is the same bytes twice, and every figure is where it says", async () => {
    const input = { agent, task: skill.example, format: "json" };
    const [first, second] = [await ran(input), await ran(input)];
    expect(first).toMatchObject({ status: "finished", attempt: 1, poll: null, price_usdc: "0.00" });
    const result = first.result as SkillResult;
    expect(canonical(second.result as SkillResult)).toBe(canonical(result));
    expect(digestOf(canonical(result))).toBe(first.result_sha256);
    expect(first.execution_id).not.toBe(second.execution_id);
    expect(result.report.facts.length).toBeGreaterThan(0);
    expect(reportFaults(result.report, canonical)).toEqual([]);
    expect(result.steps.map(({ step }) => step)).toEqual(first.steps.map(({ step }) => step));
    const asked = {
      facts: result.report.facts.filter(
        (fact) =>
          isAsked(fact) && fact.from.dataset !== "log" && fact.from.operation !== "forecast_of_months",
      ),
    };
    expect((await askedAgain(asked, canonical, askAt(service.url, secret))).faults).toEqual([]);
    const markdown = await ran({ agent, task: skill.example });
    expect(markdown.result).toContain(result.report.title);
    expect(markdown.result_sha256).toBe(first.result_sha256);
  });
});
