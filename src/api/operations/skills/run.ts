import { createHash } from "node:crypto";
import { z } from "zod";
import type { Data } from "../../../datasets/reading.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import { slotNames } from "../../../domain/plans/slots.ts";
import { type Match, matches } from "../../../domain/questions/match.ts";
import { refuseTwoPlans } from "../../../domain/questions/unclear.ts";
import * as executions from "../../../domain/skills/execution.ts";
import { type Skill, skillNamed, skills } from "../../../domain/skills/skills.ts";
import { type Context, json, key, operation, pay, type Usdc } from "../../declare/index.ts";
import {
  agentField,
  checkScope,
  checkTenant,
  executionShown,
  formatField,
  mayRun,
  PRICE_MICRO,
  publicExecution,
  slotsShown,
  taskField,
  tenantField,
} from "./fields.ts";
import { refuseTask } from "./run-skill.ts";
import {
  begin,
  checkedReading,
  checkTask,
  MOST_WAIT_S,
  missingOf,
  nowOf,
  request,
  reserveCapacity,
  slotsOf,
  taskReading,
} from "./start-execution.ts";

const priceOf = (micro: number) => decimalUsdc(micro) as Usdc;

const waitField = z
  .int(`wait_s is a whole number from 0 to ${MOST_WAIT_S}`)
  .min(0, "wait_s is at least 0")
  .max(MOST_WAIT_S, `wait_s is at most ${MOST_WAIT_S}`)
  .default(MOST_WAIT_S)
  .describe("Seconds the call may take; 0: return at once, then use poll");

const effect = { changes: "adds", repeatable: false, reaches_out: false } as const;
const aboutRun = z.object({ data: executionShown, meta: z.object({}) });

const runInput = z.object({
  agent: agentField.describe("The skill's name in skills_catalog"),
  task: taskField,
  tenant: tenantField,
  format: formatField,
  wait_s: waitField,
});

const run = operation({
  name: "skills_run",
  route: "POST /v1/agent/skills/run",
  effect,
  summary: "Run a skill on a task in words: a report of findings over facts",
  description:
    "No model reads the task. You get the result, or else a `poll` address. A task with missing slots is a 400 with an example, and free; a later failure is refunded.",
  access: [key("skill"), pay(priceOf(PRICE_MICRO))],
  secrets: ["task"],
  input: runInput,
  output: json(aboutRun),
  understood: ({ agent, task }: z.output<typeof runInput>, call) =>
    checkedReading(call, task, [skillNamed(agent)], "agent"),
  refuses: [403],
  example: { agent: "strategist", task: "How dependent is Latvia on imports of mineral fuels?" },
  refuseTo: ({ input, caller }) => checkScope(skillNamed(input.agent), caller),
  handle: async (context) => {
    const { input, caller, data } = context;
    checkTenant(input.tenant, caller);
    const skill = skillNamed(input.agent);
    const slots = slotsOf(data, input.task, [skill]);
    const { execution, result } = await begin(context as never, { ...input, skill, slots });
    return { data: await publicExecution(context, caller.tenant, execution, result), meta: {} };
  },
});

const batchInput = z.object({
  agents: z
    .array(agentField)
    .min(2, "name at least 2 agents")
    .max(5, "at most 5 agents run in one call")
    .refine((all) => new Set(all).size === all.length, "agents names an agent twice")
    .describe("2 to 5 different agents"),
  task: taskField,
  tenant: tenantField,
  format: formatField,
});

/** The id of one agent's execution in a call. */
const idOf = (fresh_id: string, agent: string) =>
  createHash("sha256").update(`${fresh_id}:${agent}`).digest("hex").slice(0, 32);

const batch = operation({
  name: "skills_batch",
  route: "POST /v1/agent/skills/batch",
  effect,
  summary: "Run two to five skills on one task, separately",
  description:
    "Each skill has its own execution and fails alone: when all are over, the share of the failed ones is refunded.",
  access: [
    key("skill"),
    pay(
      ({ agents }: z.output<typeof batchInput>) => priceOf(PRICE_MICRO * agents.length),
      priceOf(PRICE_MICRO),
      `${priceOf(PRICE_MICRO)} USDC an agent`,
    ),
  ],
  secrets: ["task"],
  input: batchInput,
  output: json(z.object({ data: z.array(executionShown), meta: z.object({ count: z.int() }) })),
  understood: ({ agents, task }: z.output<typeof batchInput>, call) =>
    checkedReading(call, task, agents.map(skillNamed), "agents"),
  refuses: [403],
  example: { agents: ["sniper", "strategist"], task: "How dependent is Latvia on imports of mineral fuels?" },
  refuseTo: ({ input, caller }) => {
    for (const agent of input.agents) checkScope(skillNamed(agent), caller);
  },
  handle: async (context) => {
    const { input, app, caller, unit } = context;
    const { task, format } = input;
    checkTenant(input.tenant, caller);
    const slots = slotsOf(context.data, task, input.agents.map(skillNamed));
    const all = input.agents.map((agent) => ({
      skill: skillNamed(agent),
      execution_id: idOf(unit.fresh_id, agent),
    }));
    const before = await Promise.all(
      all.map(({ execution_id }) => {
        const target = executions.targetOf(caller.tenant, execution_id);
        return unit.watch(executions, target, { is_new: true });
      }),
    );
    const isNew = before.every((one) => one === undefined);
    if (isNew) {
      for (const { skill } of all) await checkTask(skill, slots, context);
      await reserveCapacity(
        context as never,
        all.map(({ execution_id }) => execution_id),
      );
    }
    const begun = isNew
      ? await request(
          context as never,
          all.map((one) => ({ ...one, task, slots, format })),
          nowOf(app),
          { is_new: true },
        )
      : before.map(executions.existingExecution);
    const data = await Promise.all(begun.map((one) => publicExecution(context, caller.tenant, one)));
    return { data, meta: { count: data.length } };
  },
});

const routeInput = z.object({
  task: taskField,
  auto_run: z.boolean("auto_run is true or false").default(false).describe("Run the agent that fits best"),
  format: formatField,
  wait_s: waitField,
});

const MATCHING_MICRO = 1_000;

const autoRoute = operation({
  name: "skills_auto_route",
  route: "POST /v1/agent/skills/auto-route",
  effect,
  summary: "Find the skill for a task, and run it on request",
  description:
    "Ranked by words and filled slots. With auto_run it costs what a run does; if none fits, you get a free 400.",
  access: [
    key("skill"),
    pay(
      ({ auto_run }: z.output<typeof routeInput>) => priceOf(auto_run ? PRICE_MICRO : MATCHING_MICRO),
      priceOf(MATCHING_MICRO),
      `${priceOf(MATCHING_MICRO)} USDC, and ${priceOf(PRICE_MICRO)} in all with auto_run`,
    ),
  ],
  secrets: ["task"],
  input: routeInput,
  output: json(
    z.object({
      data: z.object({
        agent: agentField.nullable().describe("The best match with all slots; null: none"),
        slots: slotsShown,
        ranked: z.array(
          z.object({
            agent: agentField,
            score: z.number().describe("How well the skill fits the task"),
            keywords: z.array(z.string()).describe("Words of the task that match it"),
            missing: z.array(z.enum(slotNames)).describe("Slots the task lacks"),
            allowed: z.boolean().describe("true: your key may run it"),
          }),
        ),
        execution: executionShown.nullable(),
      }),
      meta: z.object({}),
    }),
  ),
  refuses: [403],
  understood: ({ task, auto_run }: z.output<typeof routeInput>, call) => {
    const fit = fittingTo(call.data, task);
    return auto_run
      ? checkedReading(call, task, [routed(fit)], "task")
      : taskReading(call.data, task, skills);
  },
  example: { task: "How dependent is Latvia on imports of mineral fuels?" },
  refuseTo: ({ input, caller, data }) => {
    const { best } = input.auto_run ? fittingTo(data, input.task) : {};
    if (best) checkScope(best, caller);
  },
  handle: async (context) => {
    const { input, caller } = context;
    const { slots, found, best } = fittingTo(context.data, input.task);
    const ranked = found.map(({ plan, score, keywords, missing }) => ({
      agent: plan.name,
      score: Math.round(1_000 * score) / 1_000,
      keywords,
      missing,
      allowed: mayRun(plan.scope, caller),
    }));
    const match = { agent: best?.name ?? null, slots, ranked };
    if (!input.auto_run) return { data: { ...match, execution: null }, meta: {} };
    const skill = routed({ found, best });
    const wanted = { ...input, skill, slots: slotsOf(context.data, input.task, [skill]) };
    const { execution, result } = await begin(context as Context<never>, wanted);
    return {
      data: { ...match, execution: await publicExecution(context, caller.tenant, execution, result) },
      meta: {},
    };
  },
});

/**
 * The skills ranked by how well they fit a task, and the best one that has all its slots. Refuses a task without a
 * word of any skill.
 */
function fittingTo(data: Data, task: string) {
  const slots = slotsOf(data, task, []);
  const found = matches(task, slots, skills);
  if (found.every(({ score }) => score === 0)) refuseTask(noFit(found));
  const best = found.find(({ plan, score }) => score > 0 && missingOf(plan, slots).length === 0)?.plan;
  return { slots, found, best };
}

/** The skill that will run a task. Refuses a task that fits no skill, or two equally. */
function routed({ found, best }: Pick<ReturnType<typeof fittingTo>, "found" | "best">): Skill {
  if (!best) return refuseTask(noFit(found));
  refuseTwoPlans(
    found.filter(({ missing }) => missing.length === 0),
    "task",
  );
  return best;
}

function noFit([first]: readonly Match<Skill>[]) {
  if (first && first.score > 0)
    return `${first.plan.name} is nearest, but needs ${first.missing.join(" and ")}, as in “${first.plan.example}”`;
  return `no skill fits; skills_catalog lists all, such as ${skills[0]!.name} (“${skills[0]!.example}”)`;
}

export const runOperations = [run, batch, autoRoute];
