/**
 * Runs the executions that no call has finished: each attempt under its lease, each step recorded before the next. A
 * killed process's execution is restarted, three attempts at most; a failed or late one is refunded.
 */
import type { App } from "../../core/app.ts";
import { type ReactorLog, reactor } from "../../core/background/reactor.ts";
import { pause } from "../../core/coordination/concurrency.ts";
import { digestOf } from "../../core/model/objects.ts";
import { Refusal } from "../../core/model/refusal.ts";
import { sealLocation } from "../../core/model/sealed.ts";
import * as subject from "../../core/model/subject.ts";
import type {
  Execution,
  ExecutionEvent,
  ExecutionState,
  ModelCall,
  Requested,
} from "../../domain/skills/execution.ts";
import * as executions from "../../domain/skills/execution.ts";
import {
  areExecutionsOpen,
  executionsProjection,
  type OpenExecution,
  openExecutions,
} from "../../projections/skills/executions.ts";
import { canonicalOf, type StoredObject, storeSealed, zip } from "./sealed-objects.ts";
import { type ExecutionId, stepExecution } from "./steps.ts";

export const AT_ONCE = 4;
/** One page is no more than the lanes take next, so that a later tenant gets its share. */
const A_PAGE = AT_ONCE;
const EVERY_MS = 500;
/** Takes nothing more after this time: the result of a tick is recorded at its end. */
const TURN_MS = 60_000;

/** A step's answer in its recorded form. */
export type RecordedAnswer = {
  step: string;
  operation: string;
  input: object;
  answer: object;
  answer_sha256: string;
  vintages: string;
  ms: number;
};

/** The record of a call to a model. */
export type ModelRecord = Omit<ModelCall, "attempt" | "asked_at">;

/**
 * Calls a skill's steps one after the other, announces each by `begins`, and passes each answer to `noted` before the
 * next; then a model's answer, if any, to `heard`.
 */
export type RunSteps = (run: {
  app: App;
  tenant: string;
  facts: Pick<Requested, "agent" | "slots">;
  signal: AbortSignal;
  begins: (step: string) => void;
  noted: (answered: RecordedAnswer) => Promise<void>;
  heard: (model: ModelRecord) => Promise<void>;
}) => Promise<RunText>;

/** The result's RFC 8785 form, and what it rests on. */
type RunText = { text: string; vintages: string };

const meta = (operation: string) => ({ meta: { actor: "reactor:skills", operation } });
const nowOf = ({ clock }: App) => clock.now().toISOString();

export const skillsReactor = (run: RunSteps) =>
  reactor({
    name: "skills",
    every_ms: EVERY_MS,
    memory: () => ({}),
    async take({ app, signal, log }) {
      const lanes = new Lanes(app);
      let failed = false;
      const until = performance.now() + TURN_MS;
      const lane = async (): Promise<void> => {
        while (!signal.aborted && !failed && performance.now() < until) {
          const one = await lanes.next();
          if (one) await runAttempt({ app, signal, log, run }, one).finally(() => lanes.over(one));
          else if (lanes.areIdle) return;
          // One slow run delays no later one.
          else await pause(EVERY_MS, signal);
        }
      };
      const each = Array.from({ length: AT_ONCE }, () =>
        lane().catch((error: unknown) => {
          failed = true;
          throw error;
        }),
      );
      // None is running when the tick ends.
      await Promise.allSettled(each);
      await Promise.all(each);
      return (await areExecutionsOpen(app.pool)) ? "done" : "idle";
    },
    failures: { failed: "executions of skills are not run; trying again" },
    resumed: "executions of skills are run again",
  });

/** The source of executions for lanes, while any of them is busy. */
class Lanes {
  readonly #app: App;
  readonly #under = new Set<string>();
  /** The time of each execution's last attempt here: one leased elsewhere is not retried without a pause. */
  readonly #tried = new Map<string, number>();
  #waiting: OpenExecution[] = [];
  #reading: Promise<void> | undefined;

  constructor(app: App) {
    this.#app = app;
  }

  get areIdle(): boolean {
    return this.#under.size === 0;
  }

  /** The next that no lane has; undefined where there is none now. */
  async next(): Promise<OpenExecution | undefined> {
    if (this.#waiting.length === 0) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
    const one = this.#waiting.shift();
    if (one) this.#under.add(one.execution_id);
    return one;
  }

  over({ execution_id }: OpenExecution): void {
    this.#under.delete(execution_id);
    this.#tried.set(execution_id, performance.now());
  }

  async #read(): Promise<void> {
    const { pool, presence, caughtUp } = this.#app;
    await caughtUp(executionsProjection);
    for (const [id, at] of this.#tried) if (performance.now() - at >= EVERY_MS) this.#tried.delete(id);
    const others = [...this.#under, ...this.#tried.keys()];
    const limit = A_PAGE + others.length;
    const open = await openExecutions(pool, { now: nowOf(this.#app), self: presence.name, limit });
    this.#waiting = open.filter(({ execution_id }) => !others.includes(execution_id));
  }
}

type WorkerParts = { app: App; signal: AbortSignal; log: ReactorLog; run: RunSteps };

/** One attempt. Another process's progress leaves nothing to do. */
async function runAttempt(parts: WorkerParts, { worker, ...named }: OpenExecution): Promise<void> {
  const { app } = parts;
  const is_dead =
    worker !== null && worker !== app.presence.name && (await app.presence.livesFor(worker)) === 0;
  try {
    const execution = await decide(app, named, (state) => beginning(state, app, is_dead));
    if (execution.status === "running" && execution.worker === app.presence.name)
      await attempt(parts, named, execution);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "conflict") throw error;
  }
}

/** Gives up an execution whose time is over, or else begins the next attempt. */
function beginning(state: ExecutionState, app: App, is_dead: boolean): ExecutionEvent[] {
  const at = nowOf(app);
  const over = executions.giveUp(at, { is_dead })(state);
  return over.length > 0 ? over : executions.start(app.presence.name, at, { is_dead })(state);
}

const decide = async (
  app: App,
  named: ExecutionId,
  decision: (state: ExecutionState) => ExecutionEvent[],
): Promise<Execution> =>
  (await app.commit((unit) => stepExecution(unit, named, decision), meta("skills.run"))).result;

async function attempt(
  { app, signal, log, run }: WorkerParts,
  named: ExecutionId,
  begun: Execution,
): Promise<void> {
  const { facts, attempt } = begun;
  let step: string | null = null;
  const fail = (code: "refused" | "erased") =>
    decide(app, named, (state) => executions.fail({ attempt, step, code }, nowOf(app))(state));
  const place = sealLocation(
    executions,
    executions.targetOf(named.tenant, named.execution_id),
    "SkillRunRequested",
  );
  const [task] = await app.subjects.open([{ sealed: facts.task, place }]);
  if (task!.erased) return void (await fail("erased"));
  try {
    const noted = async ({ input, answer, ...done }: RecordedAnswer) => {
      const { object_sha256 } = await storeOne(app, named, JSON.stringify(answer));
      const input_sha256 = digestOf(canonicalOf(input));
      await decide(app, named, (state) =>
        executions.doStep({ ...done, attempt, input_sha256, object_sha256, done_at: nowOf(app) })(state),
      );
    };
    const begins = (one: string) => {
      step = one;
    };
    const recordModel = async (model: ModelRecord) => {
      await decide(app, named, (state) =>
        executions.askModel({ attempt, ...model, asked_at: nowOf(app) })(state),
      );
    };
    const { tenant } = named;
    await conclude(
      app,
      named,
      begun,
      await run({ app, tenant, facts, signal, begins, noted, heard: recordModel }),
    );
  } catch (error) {
    if (!(error instanceof Refusal)) {
      if (signal.aborted) return;
      // The next attempt may have more luck, once this one's lease is over.
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ execution_id: named.execution_id, attempt, reason }, "an execution broke off");
      return;
    }
    if (error.code === "conflict") throw error;
    if (error.code !== "unavailable") await fail("refused");
  }
}

const storeOne = async (app: App, named: ExecutionId, text: string): Promise<StoredObject> =>
  (await storeSealed(app, named, [zip(text)]))[0]!;

/** Records the result, unless its subject was erased meanwhile. */
async function conclude(
  app: App,
  named: ExecutionId,
  { facts, attempt }: Execution,
  { text, vintages }: RunText,
): Promise<void> {
  const { object_sha256, subject_id: kept_of } = await storeOne(app, named, text);
  const { subject_id } = facts.task;
  await app.commit(async (unit) => {
    const leaving = await unit.watch(subject, { tenant: named.tenant, id: subject_id });
    const is_erased = leaving !== undefined || kept_of !== subject_id;
    const at = nowOf(app);
    const finished = {
      attempt,
      result_sha256: digestOf(text),
      object_sha256,
      bytes: Buffer.byteLength(text),
      vintages,
      finished_at: at,
    };
    return stepExecution(
      unit,
      named,
      is_erased ? executions.fail({ attempt, step: null, code: "erased" }, at) : executions.finish(finished),
    );
  }, meta("skills.run"));
}
