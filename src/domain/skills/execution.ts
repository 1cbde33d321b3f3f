/**
 * An execution: a skill's run for a caller, in the call itself or by a worker.
 *
 *     requested ─> running ─> finished        running ─lease over─> the next attempt, three at most; then, or at the deadline ─> failed
 *         └────────────┴─cancel─> cancelled
 *
 * The payment is refunded where it failed, or was cancelled before a step was done. An event names its attempt, and
 * events of an ended attempt are refused: a worker that slept writes nothing.
 */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { madeId, sha256, time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
import { sealed } from "../../core/model/sealed.ts";
import { leaseEndsAt } from "../compute/work-lease.ts";
import { paymentId } from "../payments/payment.ts";
import { slotNames } from "../plans/slots.ts";
import { skillProblems } from "./problems.ts";
import { agents } from "./skills.ts";

/** Times that it is begun before it is given up. */
export const MOST_ATTEMPTS = 3;
/** Seconds of an attempt's lease after its last step. */
export const LEASE_S = 60;
/** Seconds that a call to a model may take, within the lease. */
export const MODEL_S = 45;
/** Seconds from the request to the deadline. */
export const DEADLINE_S = 600;
/** Executions of a tenant that may wait. */
export const MOST_WAITING = 20;
/** Days that answers of steps and results are stored. */
export const KEEP_DAYS = 180;

export const formats = ["markdown", "json"] as const;
export type Format = (typeof formats)[number];

const attempt = z.int().min(1).max(MOST_ATTEMPTS);
const rests_on = z.string().describe("Comma-separated vintages; `log`: the step read the log.");
const object = sha256.describe("SHA-256 of the sealed bytes, which names its object.");

export const failures = ["refused", "attempts", "deadline", "erased"] as const;

export const events = {
  SkillRunRequested: {
    means: "A caller requested a task of a skill.",
    1: z.strictObject({
      execution_id: madeId,
      agent: z.enum(agents),
      plan_version: z.int().min(1),
      format: z.enum(formats),
      slots: z
        .partialRecord(z.enum(slotNames), z.union([z.string(), z.int()]))
        .describe("The slots read from the task: codes, years, a flow."),
      task: sealed.describe("The task in the caller's words."),
      together: z.array(madeId).min(1).describe("All executions that the call requested, with this one."),
      payment_id: paymentId.nullable().describe("The call's payment; null: the call had a key."),
      price_micro: z
        .int()
        .min(0)
        .describe("Price of this execution, in micro-USDC; 0 if the call had a key."),
      deadline_at: time,
      requested_at: time,
    }),
  },
  SkillRunStarted: {
    means: "A process began to work on the task of a skill.",
    1: z.strictObject({
      attempt,
      worker: z.string().describe("The process that works on it."),
      lease_until: time,
      started_at: time,
    }),
  },
  SkillStepDone: {
    means: "One step of a skill's plan was answered, and the answer is fixed by its digest.",
    1: z.strictObject({
      attempt,
      step: z.string(),
      operation: z.string(),
      input_sha256: sha256.describe("SHA-256 of the RFC 8785 form of the input."),
      answer_sha256: sha256.describe("SHA-256 of the RFC 8785 form of the answer's `{ data, meta }`."),
      object_sha256: object,
      vintages: rests_on,
      ms: z.int().min(0),
      done_at: time,
    }),
  },
  SkillModelAsked: {
    means: "A model was called to summarize a skill's findings, and its answer is used or not.",
    1: z.strictObject({
      attempt,
      model: z.string(),
      host: z.string(),
      prompt_sha256: sha256.describe("SHA-256 of the request's body."),
      answer_sha256: sha256.nullable().describe("SHA-256 of the last text read; null: there was none."),
      tokens: z.int().min(0).describe("Tokens that counted against the day's budget."),
      used: z.boolean(),
      why: z.string().nullable().describe("Why it is not used; null: it is."),
      asked_at: time,
    }),
  },
  SkillRunFinished: {
    means: "A skill finished its task, and the result is fixed by its digest.",
    1: z.strictObject({
      attempt,
      result_sha256: sha256.describe("SHA-256 of the RFC 8785 form of the result."),
      object_sha256: object,
      bytes: z.int().positive().describe("Length of the result's RFC 8785 form."),
      vintages: rests_on.describe("All vintages that the steps used, comma-separated."),
      finished_at: time,
    }),
  },
  SkillRunFailed: {
    means: "A skill's task ended without a result.",
    1: z.strictObject({
      attempt: z.int().min(0).max(MOST_ATTEMPTS),
      step: z.string().nullable().describe("The refusal; null: it ended for another reason."),
      code: z.enum(failures),
      failed_at: time,
    }),
  },
  SkillRunCancelled: {
    means: "The caller cancelled a skill's task.",
    1: z.strictObject({ by: z.enum(["owner"]), cancelled_at: time }),
  },
};

export type Requested = DataOf<typeof events, "SkillRunRequested">;
export type StepDone = DataOf<typeof events, "SkillStepDone">;
export type ModelCall = DataOf<typeof events, "SkillModelAsked">;
export type RunFinished = DataOf<typeof events, "SkillRunFinished">;
export type RunFailed = DataOf<typeof events, "SkillRunFailed">;
export type ExecutionEvent = EventOf<typeof events>;

export const statuses = ["requested", "running", "finished", "failed", "cancelled"] as const;
export type ExecutionStatus = (typeof statuses)[number];

export type Execution = {
  status: ExecutionStatus;
  facts: Requested;
  /** The number of the newest attempt; 0: none was begun. */
  attempt: number;
  worker: string | null;
  started_at: string | null;
  lease_until: string | null;
  steps: StepDone[];
  /** The newest attempt's call to a model. */
  model: ModelCall | null;
  /** True once any attempt has done a step. */
  is_begun: boolean;
  finished: RunFinished | null;
  failed: RunFailed | null;
  ended_at: string | null;
};
export type ExecutionState = Execution | undefined;

export const prefix = "execution-";
export const streamOf = (id: string) => prefix + id;
export const targetOf = (tenant: string, execution_id: string) => ({ tenant, id: execution_id });
export const initialState = (): ExecutionState => undefined;

export function evolve(state: ExecutionState, { type, data }: ExecutionEvent): ExecutionState {
  if (type === "SkillRunRequested")
    return {
      status: "requested",
      facts: data,
      attempt: 0,
      worker: null,
      started_at: null,
      lease_until: null,
      steps: [],
      model: null,
      is_begun: false,
      finished: null,
      failed: null,
      ended_at: null,
    };
  if (!state) return state;
  const end = { worker: null, lease_until: null } as const;
  switch (type) {
    case "SkillRunStarted": {
      const { attempt, worker, lease_until, started_at } = data;
      return {
        ...state,
        status: "running",
        attempt,
        worker,
        lease_until,
        started_at,
        steps: [],
        model: null,
      };
    }
    case "SkillStepDone":
      return {
        ...state,
        steps: [...state.steps, data],
        is_begun: true,
        lease_until: leaseUntil(state.facts, data.done_at),
      };
    case "SkillModelAsked":
      return { ...state, model: data, lease_until: leaseUntil(state.facts, data.asked_at) };
    case "SkillRunFinished":
      return { ...state, ...end, status: "finished", finished: data, ended_at: data.finished_at };
    case "SkillRunFailed":
      return { ...state, ...end, status: "failed", failed: data, ended_at: data.failed_at };
    case "SkillRunCancelled":
      return { ...state, ...end, status: "cancelled", ended_at: data.cancelled_at };
  }
}

/** Refuses where there is none. */
export const existingExecution = (state: ExecutionState): Execution =>
  state ?? refuse("not_found", "there is no such execution of yours");

/** The end of the lease of an attempt whose worker was last active at `heard_at`. */
const leaseUntil = ({ deadline_at }: Pick<Requested, "deadline_at">, heard_at: string): string =>
  leaseEndsAt({ leased_at: heard_at, limit_at: deadline_at }, null, LEASE_S);

export const request =
  (facts: Requested) =>
  (state: ExecutionState): ExecutionEvent[] =>
    state
      ? refuse("conflict", "this execution was requested before")
      : [{ type: "SkillRunRequested", data: facts }];

export const isOver = ({ status }: Execution): boolean => status !== "requested" && status !== "running";

/** True if no worker has it leased; `is_dead` reports that its worker died. */
export const isFree = (execution: Execution, at: string, is_dead = false): boolean =>
  execution.status === "requested" ||
  (execution.status === "running" && (is_dead || execution.lease_until! <= at));

/** Begins the next attempt. Refused while another is leased, after the end, and once it is to be given up. */
export const start =
  (worker: string, started_at: string, { is_dead = false } = {}) =>
  (state: ExecutionState): ExecutionEvent[] => {
    const execution = existingExecution(state);
    const { attempt, facts } = execution;
    if (!isFree(execution, started_at, is_dead) || dueFailure(execution, started_at, is_dead)) refuseOver();
    const lease_until = leaseUntil(facts, started_at);
    return [{ type: "SkillRunStarted", data: { attempt: attempt + 1, worker, lease_until, started_at } }];
  };

const refuseOver = () =>
  refuse(
    skillProblems["execution-over"],
    "this attempt is over: another attempt runs, or the execution has ended",
  );

/** The execution, if this attempt still has the lease at that time. */
function leasedAttempt(state: ExecutionState, attempt: number, at: string): Execution {
  const execution = existingExecution(state);
  const isHeld =
    execution.status === "running" && execution.attempt === attempt && at < execution.lease_until!;
  return isHeld ? execution : refuseOver();
}

/** Records a step's answer and renews the lease. */
export const doStep =
  (data: StepDone) =>
  (state: ExecutionState): ExecutionEvent[] => {
    leasedAttempt(state, data.attempt, data.done_at);
    return [{ type: "SkillStepDone", data }];
  };

/** Records a call to a model and renews the lease. */
export const askModel =
  (data: ModelCall) =>
  (state: ExecutionState): ExecutionEvent[] => {
    leasedAttempt(state, data.attempt, data.asked_at);
    return [{ type: "SkillModelAsked", data }];
  };

export const finish =
  (data: RunFinished) =>
  (state: ExecutionState): ExecutionEvent[] => {
    leasedAttempt(state, data.attempt, data.finished_at);
    return [{ type: "SkillRunFinished", data }];
  };

/** This attempt found that the execution cannot succeed. */
export const fail =
  (found: { attempt: number; step: string | null; code: "refused" | "erased" }, failed_at: string) =>
  (state: ExecutionState): ExecutionEvent[] => {
    leasedAttempt(state, found.attempt, failed_at);
    return [{ type: "SkillRunFailed", data: { ...found, failed_at } }];
  };

/** The reason to give it up by now; undefined without one. */
export function dueFailure(
  execution: Execution,
  at: string,
  is_dead = false,
): "attempts" | "deadline" | undefined {
  if (isOver(execution)) return undefined;
  if (at >= execution.facts.deadline_at) return "deadline";
  const isLast = execution.attempt === MOST_ATTEMPTS;
  return isLast && isFree(execution, at, is_dead) ? "attempts" : undefined;
}

/** Gives up what is past its deadline, or has failed three times; of any other, nothing. */
export const giveUp =
  (failed_at: string, { is_dead = false } = {}) =>
  (state: ExecutionState): ExecutionEvent[] => {
    const execution = existingExecution(state);
    const code = dueFailure(execution, failed_at, is_dead);
    if (!code) return [];
    const { attempt } = execution;
    return [{ type: "SkillRunFailed", data: { attempt, step: null, code, failed_at } }];
  };

/** The owner cancels it. A repeat changes nothing. */
export const cancel =
  (cancelled_at: string) =>
  (state: ExecutionState): ExecutionEvent[] => {
    const execution = existingExecution(state);
    if (execution.status === "cancelled") return [];
    if (isOver(execution))
      refuse(
        skillProblems["execution-over"],
        `this execution has ${execution.status}; only one that runs or waits can be cancelled`,
      );
    return [{ type: "SkillRunCancelled", data: { by: "owner", cancelled_at } }];
  };

/** The refund in micro-USDC: the whole price of one that failed, or was cancelled before a step was done. */
export const refundOf = ({ status, facts, is_begun }: Execution): number =>
  status === "failed" || (status === "cancelled" && !is_begun) ? facts.price_micro : 0;
