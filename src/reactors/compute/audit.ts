/**
 * Whenever a result waits for it, the service runs the task again, or draws that it need not: the less a node has to lose, and the
 * fewer valid results it has given, the more often. The draw is made after the result from a seed that nobody knows yet, so it can
 * neither be foreseen nor be disputed once the seed is revealed. A dispute over what the service can run is decided by running it.
 */
import type { App } from "../../core/app.ts";
import { reactor, unlessRefused } from "../../core/background/reactor.ts";
import { forEach } from "../../core/coordination/concurrency.ts";
import { builtIns } from "../../domain/compute/kinds.ts";
import * as tasks from "../../domain/compute/task.ts";
import type { Draw } from "../../domain/compute/task-events.ts";
import { findNode, nodesProjection } from "../../projections/compute/nodes.ts";
import { type NamedTask, tasksProjection, tasksToRun } from "../../projections/compute/tasks.ts";
import { drawFor } from "./draw.ts";
import { FairTurns } from "./fair-turns.ts";
import { isSame, rerun } from "./rerun.ts";
import { stepTask } from "./steps.ts";

/** Tasks that are run at once: each takes a core. */
const AT_ONCE = 2;
const PAGE = 20;

const command = { meta: { actor: "reactor:compute", operation: "compute.audit" } };

const nowOf = ({ clock }: App) => clock.now().toISOString();

export const auditReactor = reactor({
  name: "compute.audit",
  every_ms: 500,
  memory: () => ({ turns: new FairTurns() }),
  async take({ app, memory, signal }) {
    const current = await Promise.all([app.caughtUp(tasksProjection), app.caughtUp(nodesProjection)]);
    const begun: string[] = [];
    const lane = async () => {
      while (!signal.aborted && begun.length < PAGE) if (!(await runNext(app, memory.turns, begun))) return;
    };
    await forEach(Array.from({ length: AT_ONCE }), lane);
    return begun.length === 0 && current.every(Boolean) ? "idle" : "done";
  },
  troubles: { failed: "results are not checked; trying again" },
  resumed: "results are checked again",
});

/** Runs the task whose turn it is, or draws that it need not be run. False where none waits beside those that were begun. */
async function runNext(app: App, turns: FairTurns, begun: string[]): Promise<boolean> {
  const waiting = await tasksToRun(app.pool, builtIns, begun);
  // Another lane may have begun one of them meanwhile.
  const free = waiting.filter(({ task_id }) => !begun.includes(task_id));
  const now = () => app.clock.now().getTime();
  const next = turns.next(free, now());
  if (!next) return waiting.length > 0;
  begun.push(next.task_id);
  const work = () => unlessRefused(next.is_disputed ? decide(app, next) : check(app, next));
  await turns.run(next, next.limit_s * 1_000, now, async () => void (await work()));
  return true;
}

/** Whose side a run of a disputed result takes, and why. */
const DECIDED = {
  valid: ["worker", "run again it came to the same"],
  mismatch: ["requester", "run again it came to another result"],
  void: ["worker", "run again it came to two results: no result of it is wrong"],
  inconclusive: ["none", "it could not be run again in its time: nobody is right"],
} as const;

async function check(app: App, named: NamedTask): Promise<void> {
  const { tenant, task_id } = named;
  const task = tasks.standing(await app.load(tasks, tasks.targetOf(tenant, task_id)));
  if (!tasks.awaitsAudit(task)) return;
  const draw = await drawFor(app, task);
  const decision =
    draw && !draw.audits
      ? tasks.passUnaudited(draw, nowOf(app))
      : tasks.audit(await auditOf(app, task, draw), await silenceFor(app, task));
  await app.commit((unit) => stepTask(unit, named, decision), command);
}

const silenceFor = async (app: App, { lease }: tasks.Task) =>
  tasks.silenceBy((await findNode(app.pool, lease!.sx))?.valid_audits ?? 0);

async function decide(app: App, named: NamedTask): Promise<void> {
  const task = tasks.standing(await app.load(tasks, tasks.targetOf(named.tenant, named.task_id)));
  if (task.status !== "disputed") return;
  const audited = await auditOf(app, task, null);
  const [verdict, reason] = DECIDED[audited.verdict];
  const facts = { by: "rerun" as const, verdict, reason, decided_at: audited.audited_at };
  const decision = tasks.decideDispute(facts, audited.verdict === "void" ? audited : undefined);
  await app.commit((unit) => stepTask(unit, named, decision), command);
}

/** What running it again says of its result; what could not be run says nothing of the worker. */
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
