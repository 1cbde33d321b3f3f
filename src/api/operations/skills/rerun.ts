/** Reruns an execution on its own data vintages and stored log answers, and compares the results with the original. */
import type { App } from "../../../core/app.ts";
import { refuse } from "../../../core/model/refusal.ts";
import type { Slots } from "../../../domain/plans/slots.ts";
import type { Execution, RunFinished } from "../../../domain/skills/execution.ts";
import * as executions from "../../../domain/skills/execution.ts";
import { OF_THE_LOG, type SkillResult } from "../../../domain/skills/result.ts";
import { skillNamed } from "../../../domain/skills/skills.ts";
import type { ReportContent } from "../../../projections/reports/writing.ts";
import { readSealed } from "../../../reactors/skills/sealed-objects.ts";
import type { ExecutionId } from "../../../reactors/skills/steps.ts";
import { dataNamed } from "../../declare/named-vintages.ts";
import { sha256 } from "../../serve/call.ts";
import { canonical } from "../../serve/nested-calls.ts";
import { isOfLog, runSkill } from "./run-skill.ts";

/**
 * `asked`: the step's operation was called again. `kept`: the stored answer was used, because the step reads the log.
 */
export type RerunStep = { step: string; operation: string; how: "asked" | "kept"; same: boolean };

export type RerunResult = {
  execution_id: string;
  agent: string;
  same: boolean;
  result_sha256: string;
  again_sha256: string;
  steps: RerunStep[];
  /** The model whose summary was reused, since a new answer may differ; null if no model was called. */
  model: string | null;
};

/** Runs an execution again. `now` uses current data, to show what changed. Refuses an execution without a result. */
export async function rerun(
  app: App,
  named: ExecutionId,
  { now = false, signal }: { now?: boolean; signal: AbortSignal },
): Promise<RerunResult> {
  const target = executions.targetOf(named.tenant, named.execution_id);
  const execution = executions.existingExecution(await app.load(executions, target));
  const { facts, finished } = execution;
  if (!finished)
    return refuse(
      "unprocessable",
      `this execution is ${execution.status}: only a finished one can run again`,
    );
  const skill = skillNamed(facts.agent);
  if (skill.version !== facts.plan_version)
    refuse(
      "unprocessable",
      `it ran version ${facts.plan_version} of ${facts.agent}, which is now version ${skill.version}`,
    );
  const wanted = finished.vintages.split(",").filter((name) => name !== OF_THE_LOG);
  const vintage = now || wanted.length === 0 ? undefined : wanted.join(",");
  const held = await dataNamed(app, { vintage: true }, { vintage });
  const answers: AnsweredStep[] = [];
  const before = execution.model && (await storedReport(app, named, finished));
  try {
    const { text } = await runSkill({
      app,
      ...(held && { data: held.data }),
      tenant: named.tenant,
      skill,
      slots: facts.slots as Slots,
      signal,
      noted: async ({ step, result }) => void answers.push({ step, ...result.origin }),
      sum: async (written) => (before ? withEarlierSummary(written, before) : written),
      stored: (operation, input_sha256) => storedAnswer(app, named, execution, { operation, input_sha256 }),
    });
    const again_sha256 = sha256(text);
    const { result_sha256 } = finished;
    return {
      execution_id: named.execution_id,
      agent: facts.agent,
      same: again_sha256 === result_sha256,
      result_sha256,
      again_sha256,
      steps: compareSteps(execution, answers),
      model: execution.model?.model ?? null,
    };
  } finally {
    held?.release();
  }
}

/** The report of a finished execution. */
async function storedReport(
  app: App,
  named: ExecutionId,
  { object_sha256, result_sha256 }: RunFinished,
): Promise<SkillResult["report"]> {
  const stored = await readSealed(app, named, object_sha256);
  if (stored && sha256(canonical(stored)) === result_sha256) return (stored as SkillResult).report;
  return refuse("not_found", "the model's summary of it was deleted or erased");
}

/** Adds the model's earlier summary in front, if it was used. */
const withEarlierSummary = (
  written: ReportContent,
  { model, sections }: SkillResult["report"],
): ReportContent => ({
  ...written,
  sections: [...(model?.used ? sections.slice(0, 1) : []), ...written.sections],
  model,
});

/** The stored answer of a step that reads the log. */
async function storedAnswer(
  app: App,
  named: ExecutionId,
  { steps }: Execution,
  request: { operation: string; input_sha256: string },
): Promise<object> {
  const step = steps.find(
    (one) => one.operation === request.operation && one.input_sha256 === request.input_sha256,
  );
  const answer = step && (await readSealed(app, named, step.object_sha256));
  if (step && answer && sha256(canonical(answer)) === step.answer_sha256) return answer;
  return refuse(
    "not_found",
    `the answer of ${request.operation} was deleted or erased: only its digests remain in the log`,
  );
}

type AnsweredStep = { step: string; operation: string; answer_sha256: string };

/** Compares the steps of both runs, in order. */
function compareSteps({ steps }: Execution, answers: readonly AnsweredStep[]): RerunStep[] {
  const again = new Map(answers.map(({ step, answer_sha256 }) => [step, answer_sha256]));
  const known = steps.map(({ step, operation, answer_sha256 }) => ({
    step,
    operation,
    how: isOfLog(operation) ? ("kept" as const) : ("asked" as const),
    same: again.get(step) === answer_sha256,
  }));
  const added = answers.filter(({ step }) => !steps.some((one) => one.step === step));
  return [
    ...known,
    ...added.map(({ step, operation }) => ({ step, operation, how: "asked" as const, same: false })),
  ];
}
