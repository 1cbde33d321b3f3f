/** Input fields, and the shape of an execution, for all operations of skills. */

import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { idFrom, time } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import { slotNames } from "../../../domain/plans/slots.ts";
import { reportDoc } from "../../../domain/reports/pages.ts";
import type { Execution } from "../../../domain/skills/execution.ts";
import * as executions from "../../../domain/skills/execution.ts";
import { type SkillResult, skillResult } from "../../../domain/skills/result.ts";
import { agents, type Skill, type SkillScope } from "../../../domain/skills/skills.ts";
import { readSealed } from "../../../reactors/skills/sealed-objects.ts";
import type { Caller } from "../../declare/caller.ts";
import type { Context } from "../../declare/operation.ts";
import { canonical } from "../../serve/nested-calls.ts";

/** The price of a run by an agent, in micro-USDC. */
export const PRICE_MICRO = 500_000;

export const agentField = z.enum(agents, `agent is one of ${agents.join(", ")}`);

export const taskField = z
  .string("task is text of 3 to 2000 characters")
  .trim()
  .min(3, "task has at least 3 characters")
  .max(2_000, "task has at most 2000 characters")
  .describe("In English or Latvian: countries, products, years");

/** Old names of tenants, accepted as names of the key's own tenant. */
const OLD_TENANTS = ["woodpoint", "siltums"];

export const tenantField = z
  .string()
  .max(64, "tenant has at most 64 characters")
  .default("woodpoint")
  .describe("Omitted, or your own");

export const formatField = z
  .enum(executions.formats, `format is ${executions.formats.join(" or ")}`)
  .default("markdown")
  .describe("The form of the result");

export const executionId = idFrom("execution_id", "skills_run").describe("From skills_run");

/** Refuses the name of another tenant. */
export function checkTenant(tenant: string, caller: Caller): void {
  if (OLD_TENANTS.includes(tenant) || tenant === caller.tenant || `test:${tenant}` === caller.tenant) return;
  refuse("forbidden", "tenant is not yours: omit it");
}

/** Refuses a skill that reads the caller's money, unless the key has the scope for it. */
export function checkScope(skill: Skill, caller: Caller): void {
  if (!mayRun(skill.scope, caller)) refuse("forbidden", needsKey(skill));
}

export const needsKey = ({ name, scope }: Skill): string =>
  `${name} reads your money: send a key with the scope ${scope}, even if you pay`;

export const mayRun = (scope: SkillScope, caller: Caller): boolean =>
  scope === "skill" || (caller.kind === "key" && caller.scopes.includes(scope));

export const slotsShown = z
  .partialRecord(z.enum(slotNames), z.union([z.string(), z.number()]))
  .describe("The task as parsed");

export const executionShown = z
  .object({
    execution_id: z.string(),
    agent: agentField,
    version: z.int(),
    status: z.enum(executions.statuses),
    poll: z.string().nullable().describe("The address to poll; null once the execution is over"),
    slots: slotsShown,
    format: z.enum(executions.formats),
    result: z
      .union([z.string(), skillResult])
      .nullable()
      .describe("Markdown, or an object by format=json; null before it is finished, and once deleted"),
    result_sha256: z.string().nullable().describe("Digest of the object's RFC 8785 form"),
    vintages: z.string().nullable().describe("Comma-separated vintages of all steps"),
    failure: z
      .object({
        code: z.enum(executions.failures).describe("The reason as a code"),
        step: z.string().nullable().describe("Step with bad slots or missing data"),
      })
      .nullable(),
    attempt: z.int(),
    steps: z
      .array(
        z.object({
          step: z.string(),
          operation: z.string(),
          answer_sha256: z.string(),
          vintages: z.string(),
          ms: z.int(),
        }),
      )
      .describe("Steps that the newest attempt finished"),
    model: z
      .object({
        name: z.string(),
        host: z.string(),
        used: z.boolean(),
        why: z.string().nullable().describe("Why it was not used"),
      })
      .nullable()
      .describe("The summarizing model; null: none"),
    price_usdc: z.string().describe("0.00 by a key"),
    refund_usdc: z.string().describe("The refunded part"),
    requested_at: time,
    ended_at: time.nullable(),
    deadline_at: time.describe("It ends by then"),
  })
  .meta({ id: "SkillExecution" });

const pollOf = (execution_id: string) => `/v1/agent/skills/executions/${execution_id}`;

/** An execution as its owner sees it, with its `result` if there is one. */
export async function publicExecution(
  { app, subjects }: Pick<Context<never>, "app" | "subjects">,
  tenant: string,
  execution: Execution,
  result?: SkillResult,
): Promise<z.infer<typeof executionShown>> {
  const { facts, finished, failed, status, attempt, steps, model, ended_at } = execution;
  const { execution_id, agent, plan_version: version, format, price_micro } = facts;
  const sentence =
    result ??
    (finished &&
      ((await readSealed(
        { subjects, objects: app.objects },
        { tenant, execution_id },
        finished.object_sha256,
      )) as SkillResult | undefined));
  return {
    execution_id,
    agent,
    version,
    status,
    poll: executions.isOver(execution) ? null : pollOf(execution_id),
    slots: facts.slots,
    format,
    result: sentence ? await formed(app, sentence, format) : null,
    result_sha256: finished?.result_sha256 ?? null,
    vintages: finished?.vintages ?? null,
    failure: failed && { code: failed.code, step: failed.step },
    attempt,
    steps: steps.map(({ step, operation, answer_sha256, vintages, ms }) => ({
      step,
      operation,
      answer_sha256,
      vintages,
      ms,
    })),
    model: model && { name: model.model, host: model.host, used: model.used, why: model.why },
    price_usdc: decimalUsdc(price_micro),
    refund_usdc: decimalUsdc(executions.refundOf(execution)),
    requested_at: facts.requested_at,
    ended_at,
    deadline_at: facts.deadline_at,
  };
}

async function formed({ printer }: Pick<App, "printer">, result: SkillResult, format: executions.Format) {
  if (format === "json") return result;
  const doc = reportDoc(result.report, canonical);
  return (await printer.print({ form: "text/markdown", doc })).toString();
}
