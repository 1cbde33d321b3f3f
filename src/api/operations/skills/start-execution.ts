/** Starts an execution: reads its slots, decides if it runs within the call, and records it. */

import type { App } from "../../../core/app.ts";
import { QueryTimeout, refuse, refuseWith } from "../../../core/model/refusal.ts";
import { sealLocation } from "../../../core/model/sealed.ts";
import type { Data } from "../../../datasets/reading.ts";
import { refuseUntaken } from "../../../domain/plans/check-inputs.ts";
import type { SlotName, Slots } from "../../../domain/plans/slots.ts";
import { readQuestion, slotsOf as slotsRead } from "../../../domain/questions/read.ts";
import type { ReadingSummary } from "../../../domain/questions/summary.ts";
import { refuseUnclear, refuseUnread } from "../../../domain/questions/unclear.ts";
import type { Execution, Format, Requested, StepDone } from "../../../domain/skills/execution.ts";
import * as executions from "../../../domain/skills/execution.ts";
import { skillProblems } from "../../../domain/skills/problems.ts";
import type { SkillResult } from "../../../domain/skills/result.ts";
import { type Skill, skills } from "../../../domain/skills/skills.ts";
import { productNames, readingOf, refuseSlots } from "../../../projections/reports/answers/query.ts";
import { releaseExecutions, reserveExecutions } from "../../../projections/skills/executions.ts";
import { lastYearOf } from "../../../projections/trade/answers/question.ts";
import { AT_ONCE } from "../../../reactors/skills/run.ts";
import { storeSealed, subjectOf, zip } from "../../../reactors/skills/sealed-objects.ts";
import type { ExecutionId } from "../../../reactors/skills/steps.ts";
import type { PricedCall } from "../../declare/access/way.ts";
import type { Context } from "../../declare/index.ts";
import { stepCover } from "../../declare/uncovered.ts";
import { sha256 } from "../../serve/call.ts";
import { canonical } from "../../serve/nested-calls.ts";
import { fieldsOf, offered } from "./callable.ts";
import { checkScope, mayRun, needsKey, PRICE_MICRO } from "./fields.ts";
import { modelFor, type RunOutput, refuseTask, runWithin, type StepAnswer } from "./run-skill.ts";

/** The longest time for a run within a call, in seconds. */
export const MOST_WAIT_S = 20;

type SkillSlots = Pick<Skill, "slots">;

const isTaken = (skills: readonly SkillSlots[], ...names: SlotName[]): boolean =>
  skills.some(({ slots }) => names.some((name) => [...slots.required, ...slots.optional].includes(name)));

/** The words that the skills understand. In a task without a product, any other word is refused as not understood. */
const wordsOfSkills = {
  keywords: skills.flatMap(({ name, keywords, summary }) => [
    name,
    ...keywords.en,
    ...keywords.lv,
    ...summary.toLowerCase().split(/[^a-z]+/),
  ]),
  is_clear: false,
};

/** The slots of a task, read without a model. Refuses an unclear name in a slot that one of these skills takes. */
export function slotsOf(data: Data, task: string, skills: readonly SkillSlots[]): Slots {
  const understood = readQuestion(task, { nomenclature: productNames(data.reference) });
  const read = { product: isTaken(skills, "hs", "chapter"), country: isTaken(skills, "country", "partner") };
  refuseUnclear(understood, read, "task");
  if (read.product && understood.product === undefined) refuseUnread(understood, wordsOfSkills, "task");
  return slotsRead(understood, lastYearOf(data));
}

/** The reading of a task for these skills. Slots that none of them takes are left out. */
export function taskReading(
  { reference }: Pick<Data, "reference">,
  task: string,
  skills: readonly SkillSlots[],
): ReadingSummary {
  const takes = (...names: SlotName[]) => isTaken(skills, ...names);
  const read = readingOf(reference, task);
  return {
    ...read,
    product: takes("hs", "chapter") ? read.product : null,
    country: takes("country") ? read.country : null,
    partner: takes("partner") ? read.partner : null,
    flow: takes("flow") ? read.flow : null,
    years: takes("year", "years") ? read.years : null,
    month: takes("month") ? read.month : null,
  };
}

/**
 * Like `taskReading`, but refuses a task that every one of these skills would refuse after the payment. `field`: the
 * input field that names the skills.
 */
export async function checkedReading(
  call: PricedCall,
  task: string,
  all: readonly Skill[],
  field: string,
): Promise<ReadingSummary> {
  const { data, caller } = call;
  const keyed = all.find(({ scope }) => !mayRun(scope, caller));
  if (keyed) refuseWith(field, needsKey(keyed));
  const slots = slotsOf(data, task, all);
  // In a batch each skill takes its part of the task.
  if (all.length === 1) refuseUnanswered(all[0]!, slots);
  for (const skill of all) await checkTask(skill, slots, call);
  return taskReading(data, task, all);
}

/** The slots that a skill takes. Other slots of the task do not change the execution. */
const slotsFor = ({ slots }: Skill, given: Slots): Slots =>
  Object.fromEntries(
    [...slots.required, ...slots.optional].flatMap((slot) =>
      given[slot] === undefined ? [] : [[slot, given[slot]]],
    ),
  );

export const missingOf = ({ slots }: Skill, given: Slots) =>
  slots.required.filter((slot) => given[slot] === undefined);

/** Refuses a task that lacks a required input of the skill, or has an input that its steps refuse. */
export function checkSlots(skill: Skill, given: Slots): void {
  const slots = slotsFor(skill, given);
  const missing = missingOf(skill, slots);
  if (missing.length > 0)
    refuseTask(`${skill.name} needs ${missing.join(" and ")}, as in \u201c${skill.example}\u201d`);
  refuseUntaken(skill, slots, fieldsOf, "task");
}

/** Refuses what the task names and the skill would leave out: the answer would be about something else. */
export function refuseUnanswered(skill: Skill, given: Slots): void {
  const takes = (...names: SlotName[]) => isTaken([skill], ...names);
  const { name, scope, flow, example } = skill;
  const refuse = (why: string) => refuseTask(`${name} ${why}, as in “${example}”`);
  const isYears = given.month === undefined && given.years !== undefined;
  if (scope === "skill_sensitive") {
    if (isYears) refuse("takes a month instead of years: name one");
    return;
  }
  if (given.hs !== undefined && !takes("hs")) refuse(`takes no product: leave out ${given.hs}`);
  if (given.partner !== undefined && !takes("partner") && !skill.lists_partners)
    refuse(`takes one country: leave out ${given.partner}`);
  if (isYears && !takes("year", "years")) refuse(`answers for the last months: leave out ${given.years}`);
  if (flow !== undefined && given.flow !== undefined && given.flow !== flow)
    refuse(`answers for ${flow === "IMPORT" ? "imports" : "exports"} alone: ask about them`);
}

/** Like `checkSlots`. Also refuses input that the data do not cover, without reading a figure. */
export async function checkTask(skill: Skill, given: Slots, call: PricedCall): Promise<void> {
  checkSlots(skill, given);
  const covers = stepCover(offered.operations, call);
  await refuseSlots(skill, slotsFor(skill, given), { fieldsOf, covers }, "task");
}

type RunRequest = { skill: Skill; task: string; slots: Slots; format: Format; wait_s: number };

/** A step's answer, and its stored text, which is compressed while other steps run. */
type CompressedAnswer = StepAnswer & { zipped: Promise<Buffer> };

/**
 * Runs a skill within the call if time permits; otherwise leaves it to the worker. A repeat gets the recorded
 * execution.
 */
export async function begin(
  context: Context<never>,
  wanted: RunRequest,
): Promise<{ execution: Execution; result?: SkillResult }> {
  const { app, caller, unit } = context;
  const target = executions.targetOf(caller.tenant, unit.fresh_id);
  const before = await unit.watch(executions, target, { is_new: true });
  if (before) return { execution: before };
  const { skill } = wanted;
  checkScope(skill, caller);
  refuseUnanswered(skill, wanted.slots);
  const slots = slotsFor(skill, wanted.slots);
  await checkTask(skill, slots, context);
  await reserveCapacity(context, [unit.fresh_id]);
  const begun = { ...wanted, execution_id: unit.fresh_id };
  const answers = new Map<string, CompressedAnswer>();
  const requested_at = nowOf(app);
  // Summaries by a model take longer than a call may, so such a run is left to the worker.
  const wait_s = modelFor(app, skill) ? 0 : wanted.wait_s;
  const ran = await withCapacity(app, wait_s, () =>
    runWithin(
      {
        ...{ app, tenant: caller.tenant, skill, slots, signal: context.signal },
        at_once: true,
        noted: async (one) => {
          const zipped = zip(JSON.stringify(one.result.answer));
          // If the run is refused or late, nothing awaits these promises, so their rejections are ignored.
          zipped.catch(() => undefined);
          answers.set(one.step, { ...one, zipped });
        },
      },
      1_000 * wait_s,
    ).catch((error: unknown) => {
      // The worker retries a slow step.
      if (error instanceof QueryTimeout) return undefined;
      throw error;
    }),
  );
  if (ran)
    return {
      execution: await recordRun(context, begun, requested_at, { ...ran, answers }),
      result: ran.result,
    };
  const [requested] = await request(context, [begun], requested_at, { is_new: true });
  return { execution: requested! };
}

/** Runs the work if this process has capacity and time for it; undefined leaves it to the worker. */
async function withCapacity<T>(
  { once }: App,
  wait_s: number,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const runs = once("skills: runs of calls", () => ({ count: 0 }));
  if (wait_s === 0 || runs.count >= AT_ONCE) return undefined;
  runs.count++;
  try {
    return await work();
  } finally {
    runs.count--;
  }
}

/** Reserves capacity for executions. Refuses if the tenant would exceed its limit of waiting and running ones. */
export async function reserveCapacity(
  { app: { pool }, caller: { tenant }, unit }: Context<never>,
  ids: readonly string[],
): Promise<void> {
  const isTaken = await unit.reserve("places of executions", {
    take: () => reserveExecutions(pool, tenant, { ids, most: executions.MOST_WAITING }),
    release: () => releaseExecutions(pool, ids),
  });
  if (isTaken) return;
  refuse(
    skillProblems["executions-waiting"],
    `at most ${executions.MOST_WAITING} of your executions may wait: retry when some are over`,
    { retry_after_s: 10 },
  );
}

type ExecutionRequest = Pick<RunRequest, "skill" | "task" | "slots" | "format"> & { execution_id: string };

/** Records the executions of one call in its commit. `is_new`: they have no subject keys yet. */
export async function request(
  { caller, request, unit }: Context<never>,
  all: readonly ExecutionRequest[],
  requested_at: string,
  { is_new }: { is_new: boolean },
): Promise<Execution[]> {
  const { tenant } = caller;
  const deadline_at = new Date(Date.parse(requested_at) + 1_000 * executions.DEADLINE_S).toISOString();
  const together = all.map(({ execution_id }) => execution_id);
  const begun: Execution[] = [];
  const tasks = all.map(({ execution_id, task }) =>
    unit.personal({
      subject: subjectOf({ tenant, execution_id }),
      place: sealLocation(executions, executions.targetOf(tenant, execution_id), "SkillRunRequested"),
      value: { task },
      is_new,
    }),
  );
  for (const [at, { execution_id, skill, slots, format }] of all.entries()) {
    const facts: Requested = {
      execution_id,
      agent: skill.name,
      plan_version: skill.version,
      format,
      slots: slotsFor(skill, slots),
      task: tasks[at]!,
      together,
      payment_id: request.payment_id ?? null,
      price_micro: request.payment_id === undefined ? 0 : PRICE_MICRO,
      deadline_at,
      requested_at,
    };
    const target = executions.targetOf(tenant, execution_id);
    const { state } = await unit.decide(executions, target, executions.request(facts));
    begun.push(executions.existingExecution(state));
  }
  return begun;
}

/**
 * Records a run that finished within the call, as attempt 1. Everything is sealed and stored at the end, so a refused
 * run leaves no subject and no object.
 */
async function recordRun(
  context: Context<never>,
  begun: ExecutionRequest,
  requested_at: string,
  { result, text, vintages, answers }: RunOutput & { answers: ReadonlyMap<string, CompressedAnswer> },
): Promise<Execution> {
  const { app, caller, unit } = context;
  const { execution_id } = begun;
  const named: ExecutionId = { tenant: caller.tenant, execution_id };
  // In the plan's order, and not in that of the answers' arrival.
  const steps = result.steps.map(({ step }) => answers.get(step)!);
  const texts = [...steps.map(({ zipped }) => zipped), zip(text)];
  const stored = await storeSealed(app, named, texts, { is_new: true });
  await request(context, [begun], requested_at, { is_new: false });
  const target = executions.targetOf(caller.tenant, execution_id);
  await unit.decide(executions, target, executions.start(app.presence.name, requested_at));
  const attempt = 1;
  const at = nowOf(app);
  for (const [n, one] of steps.entries())
    await unit.decide(
      executions,
      target,
      executions.doStep({ ...stepOf(one), attempt, object_sha256: stored[n]!.object_sha256, done_at: at }),
    );
  const { state } = await unit.decide(
    executions,
    target,
    executions.finish({
      attempt,
      result_sha256: sha256(text),
      object_sha256: stored.at(-1)!.object_sha256,
      bytes: Buffer.byteLength(text),
      vintages,
      finished_at: at,
    }),
  );
  return executions.existingExecution(state);
}

/** An answer as an event records it. */
const stepOf = ({
  step,
  result: { origin },
  ms,
}: StepAnswer): Omit<StepDone, "attempt" | "object_sha256" | "done_at"> => ({
  step,
  operation: origin.operation,
  input_sha256: sha256(canonical(origin.input)),
  answer_sha256: origin.answer_sha256,
  vintages: origin.vintage,
  ms,
});

export const nowOf = ({ clock }: App): string => clock.now().toISOString();
