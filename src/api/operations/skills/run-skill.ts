/**
 * Runs a skill: executes its plan step by step, makes a section of each answer, and writes one report. It charges
 * nothing and decides nothing.
 */

import type { App } from "../../../core/app.ts";
import { decidesNothing } from "../../../core/commands/unit.ts";
import { inTime } from "../../../core/coordination/concurrency.ts";
import { QueryTimeout, refuseWith } from "../../../core/model/refusal.ts";
import type { Data } from "../../../datasets/reading.ts";
import { byKey } from "../../../domain/identity/act.ts";
import type { Slots } from "../../../domain/plans/slots.ts";
import { citing } from "../../../domain/reports/cited-text.ts";
import { type AnswerWithOrigin, isAnswerFact, valueAt } from "../../../domain/reports/fact.ts";
import { MODEL_S } from "../../../domain/skills/execution.ts";
import { methodsOfPlans } from "../../../domain/skills/methods.ts";
import { OF_THE_LOG, type SkillResult } from "../../../domain/skills/result.ts";
import { type Skill, skillNamed } from "../../../domain/skills/skills.ts";
import { ownName } from "../../../domain/trade/product-names.ts";
import { partnerName } from "../../../domain/trade/reporters.ts";
import { runPlanSections } from "../../../projections/reports/answers/query.ts";
import { type CallOperation, type ReportContent, reportDraft } from "../../../projections/reports/writing.ts";
import { ownReadings } from "../../../projections/skills/own-readings.ts";
import { skillSections } from "../../../projections/skills/section-writers.ts";
import type { RunSteps } from "../../../reactors/skills/run.ts";
import { anonymous } from "../../declare/caller.ts";
import type { Context } from "../../declare/index.ts";
import { sha256 } from "../../serve/call.ts";
import { canonical, type NestedCalls, STEP_MS, withNestedCalls } from "../../serve/nested-calls.ts";
import { withModelSummary } from "../reports/model-summary.ts";
import { complete } from "../reports/write-report.ts";
import { offered } from "./callable.ts";

/** The answer to a step. */
export type StepAnswer = { step: string; result: AnswerWithOrigin; ms: number };

export type Run = {
  app: App;
  /** The data that the steps read. Default: current data; a rerun passes older data. */
  data?: Data;
  /** The tenant whose money and news the skill may read. */
  tenant: string;
  skill: Skill;
  slots: Slots;
  signal: AbortSignal;
  /** Runs independent steps at the same time. */
  at_once?: boolean;
  /** Called when a step is requested. */
  begins?: (step: string) => void;
  /** Called with each answer before dependent steps are requested. */
  noted?: (noted: StepAnswer) => Promise<void>;
  /** Finds the answer that the earlier run stored, so that a rerun does not read the log again. */
  stored?: (operation: string, input_sha256: string) => Promise<object | undefined>;
  /** Adds a model's summary of the findings to the report. */
  sum?: (written: ReportContent) => Promise<ReportContent>;
};

/**
 * `text`: the result in canonical form (RFC 8785). `vintages`: the vintages of all steps, separated by commas; `log`
 * if the steps read only the log.
 */
export type RunOutput = { result: SkillResult; text: string; vintages: string };

/** Runs a skill. Rejects with the refusal of a required step. */
export const runSkill = (run: Run): Promise<RunOutput> =>
  withNestedCalls(contextOf(run), (calls) => runToReport(run, calls), { step_ms: STEP_MS });

async function runToReport(run: Run, calls: NestedCalls): Promise<RunOutput> {
  const { skill, slots, at_once = false, noted } = run;
  const begun = new Map<string, number>();
  const ask = ((operation: string, input: Record<string, unknown>) =>
    answerTo(run, calls, operation, input)) as unknown as CallOperation;
  const written = reportDraft(ask);
  const ran = await runPlanSections(written, skill, slots, {
    field: "task",
    teller: skillSections,
    at_once,
    begins: (step) => {
      begun.set(step, performance.now());
      run.begins?.(step);
    },
    noted: async (step, result) =>
      noted?.({ step, result, ms: Math.round(performance.now() - begun.get(step)!) }),
  });
  for (const { of, why } of skill.absent ?? []) written.limit(citing`No ${of}: ${why}.`);
  const dated = ran.answers.find(({ answer }) => valueAt(answer, "/meta/coverage/months/to") !== undefined);
  if (!dated) throw new Error(`no step of ${skill.name} names its months`);
  const { name: agent, version, summary } = skill;
  // Sorted by name, as the input of a report is.
  const named = Object.entries({ ...slots, version }).sort(([a], [b]) => (a < b ? -1 : 1));
  const input = { agent, ...Object.fromEntries(named) };
  const finished = written.finish({
    title: `${agent[0]!.toUpperCase()}${agent.slice(1)}`,
    question: `${summary}. For: ${named.map(([name, value]) => wordsOf(name, value)).join(", ")}`,
    of: dated,
    sections: ran.sections,
  });
  const summed = (await run.sum?.(finished)) ?? finished;
  const drawn = finished.facts.flatMap((fact) => (isAnswerFact(fact) ? fact.from.vintage.split(",") : []));
  const vintages = [...new Set(drawn)].sort().join(",");
  const report = complete({ operation: "skills_run", input, vintages }, summed);
  const text = canonical({ agent, version, report, steps: ran.steps, passed: ran.passed });
  return {
    result: JSON.parse(text) as SkillResult,
    text,
    vintages: calls.restsOn() || OF_THE_LOG,
  };
}

/** The value of a slot in words. The question of a report has the numbers of its input in the same order. */
function wordsOf(name: string, value: string | number): string {
  if (name === "country" || name === "partner") return partnerName(String(value));
  if (name === "flow") return value === "IMPORT" ? "imports" : "exports";
  if (name === "version") return `version ${value} of the skill`;
  if (name !== "hs") return `${name} ${value}`;
  const product = ownName(String(value));
  return product === null ? `HS ${value}` : `HS ${value} (${product})`;
}

/** Answers a step: by a method over earlier answers, by a reading of the caller's log, or by an operation. */
async function answerTo(
  run: Run,
  calls: NestedCalls,
  name: string,
  input: Record<string, unknown>,
): Promise<AnswerWithOrigin> {
  if (Object.hasOwn(methodsOfPlans, name)) return computed(name as keyof typeof methodsOfPlans, input);
  if (!isOfLog(name)) return calls.ask(name, input);
  const stored = await run.stored?.(name, sha256(canonical(input)));
  const answer = stored ?? (await inTime(STEP_MS, readOfLog(run, name, input), () => new QueryTimeout(name)));
  const synthetic = valueAt(answer, "/meta/synthetic") === true;
  return {
    answer,
    origin: {
      operation: name,
      input,
      answer_sha256: sha256(canonical(answer)),
      dataset: OF_THE_LOG,
      vintage: OF_THE_LOG,
      synthetic,
    },
  };
}

function computed(name: keyof typeof methodsOfPlans, given: Record<string, unknown>): AnswerWithOrigin {
  const { input, compute } = methodsOfPlans[name];
  const answer = compute(input.parse(given));
  const { dataset, rests_on: vintage, synthetic } = answer.meta;
  return {
    answer,
    origin: {
      operation: name,
      // The input of a method is the whole answer of another step.
      input: { input_sha256: sha256(canonical(given)) },
      answer_sha256: sha256(canonical(answer)),
      dataset,
      vintage,
      synthetic,
    },
  };
}

/** True for a step that reads the log; a rerun does not repeat it. */
export function isOfLog(name: string): boolean {
  if (Object.hasOwn(ownReadings, name)) return true;
  const operation = offered.operations.find((one) => one.name === name);
  return operation !== undefined && operation.vintage === undefined;
}

/**
 * Reads the log for a step. The answer has no position: the log grows constantly, while the answer may stay the same.
 */
async function readOfLog(run: Run, name: string, given: Record<string, unknown>): Promise<object> {
  const { app, tenant } = run;
  if (Object.hasOwn(ownReadings, name)) {
    const { of, ask } = ownReadings[name as keyof typeof ownReadings];
    await app.caughtUp(of);
    return ask(app, { tenant, now: app.clock.now() }, given);
  }
  const operation = offered.operations.find((one) => one.name === name)!;
  const { lists } = operation;
  if (lists !== undefined && lists !== "none") await app.caughtUp(lists);
  const input = operation.input.parse(given) as never;
  const { data, meta } = (await operation.handle({ ...contextOf(run), input })) as {
    data: { synthetic?: boolean }[];
    meta: object;
  };
  const synthetic = data.some((one) => one.synthetic === true);
  const about = { dataset: OF_THE_LOG, synthetic, source: "the log of this service" };
  return JSON.parse(JSON.stringify({ data, meta: { ...meta, ...about } })) as object;
}

/** The context of an operation in a plan, which only reads and does not depend on the caller. */
function contextOf({ app, data = app.data, signal }: Pick<Run, "app" | "data" | "signal">): Context<never> {
  const none = () => {
    throw new Error("a skill decides nothing while it runs");
  };
  return {
    input: undefined as never,
    caller: anonymous,
    app,
    data,
    subjects: app.subjects,
    unit: { ...decidesNothing(none), fresh_id: "", names: none },
    request: { id: "", idempotency_key: undefined, payment_id: undefined, act: byKey },
    stream: { still: async () => true, bought: undefined, wire: "ndjson", last_event_id: undefined },
    signal,
    catalogue: offered,
  };
}

/** Runs a skill within the time of a call; undefined if it takes longer. */
export async function runWithin(run: Run, ms: number): Promise<RunOutput | undefined> {
  const late = AbortSignal.timeout(ms);
  try {
    const ran = await runSkill({ ...run, signal: AbortSignal.any([run.signal, late]) });
    return late.aborted ? undefined : ran;
  } catch (error) {
    if (late.aborted && !run.signal.aborted) return undefined;
    throw error;
  }
}

/** Refuses a task that fits no skill, as an invalid field `task`. */
export const refuseTask = (message: string): never => refuseWith("task", message);

/** The model that summarizes the skill's findings, if any. Findings about the caller's money are sent to no model. */
export const modelFor = ({ model }: Pick<App, "model">, { scope }: Pick<Skill, "scope">) =>
  scope === "skill" ? model : undefined;

/** Runs an execution for the worker. */
export const runFor: RunSteps = ({ app, tenant, facts, signal, begins, noted, heard }) => {
  const skill = skillNamed(facts.agent);
  const sum = async (plain: ReportContent): Promise<ReportContent> => {
    const within_ms = 1_000 * MODEL_S;
    const { written, tokens } = await withModelSummary(plain, modelFor(app, skill), { signal, within_ms });
    if (written.model) {
      const { name: model, ...calls } = written.model;
      await heard({ model, ...calls, tokens });
    }
    return written;
  };
  return runSkill({
    ...{ begins, sum },
    ...{ app, tenant, skill, slots: facts.slots as Slots, signal },
    noted: ({ step, result: { answer, origin }, ms }) =>
      noted({
        step,
        operation: origin.operation,
        input: origin.input,
        answer,
        answer_sha256: origin.answer_sha256,
        vintages: origin.vintage,
        ms,
      }),
  });
};
