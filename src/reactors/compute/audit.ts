/**
 * Re-runs results, or skips the re-run by a draw: the less a node has to lose and the fewer valid results it has, the
 * more often. The seed of the draw is secret when the result is recorded, so nobody can predict the draw, and nobody
 * can dispute it once the seed is revealed. Disputes over built-in kinds are decided by a run.
 */
import type { App } from "../../core/app.ts";
import { reactor, unlessRefused } from "../../core/background/reactor.ts";
import { forEach } from "../../core/coordination/concurrency.ts";
import { builtIns } from "../../domain/compute/kinds.ts";
import * as tasks from "../../domain/compute/task.ts";
import type { Draw } from "../../domain/compute/task-events.ts";
import { findNode, nodesProjection } from "../../projections/compute/nodes.ts";
import { type TaskKey, tasksProjection, tasksToRun } from "../../projections/compute/tasks.ts";
import { drawFor } from "./draw.ts";
import { FairQueue } from "./fair-queue.ts";
import { isSame, rerun } from "./rerun.ts";
import { stepTask } from "./steps.ts";

/** Each run takes a core. */
const AT_ONCE = 2;
const PAGE = 20;

const command = { meta: { actor: "reactor:compute", operation: "compute.audit" } };

const nowOf = ({ clock }: App) => clock.now().toISOString();

export const auditReactor = reactor({
  name: "compute.audit",
  every_ms: 500,
  memory: () => ({ queue: new FairQueue() }),
  async take({ app, memory, signal }) {
    const current = await Promise.all([app.caughtUp(tasksProjection), app.caughtUp(nodesProjection)]);
    const begun: string[] = [];
    const lane = async () => {
      while (!signal.aborted && begun.length < PAGE) if (!(await runNext(app, memory.queue, begun))) return;
    };
    await forEach(Array.from({ length: AT_ONCE }), lane);
    return begun.length === 0 && current.every(Boolean) ? "idle" : "done";
  },
  failures: { failed: "results are not checked; trying again" },
  resumed: "results are checked again",
});

/** Re-runs the next task, or skips it by a draw. False if none waits except those in `begun`. */
async function runNext(app: App, queue: FairQueue, begun: string[]): Promise<boolean> {
  const waiting = await tasksToRun(app.pool, builtIns, begun);
  // Another lane may have begun one of them.
  const free = waiting.filter(({ task_id }) => !begun.includes(task_id));
  const now = () => app.clock.now().getTime();
  const next = queue.next(free, now());
  if (!next) return waiting.length > 0;
  begun.push(next.task_id);
  const work = () => unlessRefused(next.is_disputed ? decide(app, next) : check(app, next));
  await queue.run(next, next.limit_s * 1_000, now, async () => void (await work()));
  return true;
}

/** The side that a run of a disputed result takes, and the reason. */
const DECIDED = {
  valid: ["worker", "a rerun gave the same result"],
  mismatch: ["requester", "a rerun gave another result"],
  void: ["worker", "reruns gave two results, so no result counts as wrong"],
  inconclusive: ["none", "the task could not be rerun within its time limit, so neither side wins"],
} as const;

async function check(app: App, key: TaskKey): Promise<void> {
  const { tenant, task_id } = key;
  const task = tasks.existing(await app.load(tasks, tasks.targetOf(tenant, task_id)));
  if (!tasks.awaitsAudit(task)) return;
  const draw = await drawFor(app, task);
  const decision =
    draw && !draw.audits
      ? tasks.passUnaudited(draw, nowOf(app))
      : tasks.audit(await auditOf(app, task, draw), await silenceFor(app, task));
  await app.commit((unit) => stepTask(unit, key, decision), command);
}

const silenceFor = async (app: App, { lease }: tasks.Task) =>
  tasks.silenceBy((await findNode(app.pool, lease!.sx))?.valid_audits ?? 0);

async function decide(app: App, key: TaskKey): Promise<void> {
  const task = tasks.existing(await app.load(tasks, tasks.targetOf(key.tenant, key.task_id)));
  if (task.status !== "disputed") return;
  const audited = await auditOf(app, task, null);
  const [verdict, reason] = DECIDED[audited.verdict];
  const facts = { by: "rerun" as const, verdict, reason, decided_at: audited.audited_at };
  const decision = tasks.decideDispute(facts, audited.verdict === "void" ? audited : undefined);
  await app.commit((unit) => stepTask(unit, key, decision), command);
}

/** A result that could not be run says nothing about the worker. */
async function auditOf(
  app: App,
  { facts, result }: tasks.Task,
  draw: Draw | null,
): Promise<tasks.AuditFacts> {
  const { output_sha256, exit } = result!;
  const ran = await rerun(app, facts, [{ output_sha256, exit }]);
  const about = { engine_sha256: app.executor.engine_sha256, draw, audited_at: nowOf(app) };
  if (ran === "unknown") return { verdict: "inconclusive", expected_sha256: null, ...about };
  if (ran === "void") return { verdict: "void", expected_sha256: null, ...about };
  const verdict = isSame(ran, { output_sha256, exit }) ? "valid" : "mismatch";
  return { verdict, expected_sha256: ran.output_sha256, ...about };
}
