/**
 * Whenever a result waits for it, the service runs the task again, or draws that it need not: the less a node has to lose, and the
 * fewer valid results it has given, the more often. The draw is made after the result from a seed that nobody knows yet, so it can
 * neither be foreseen nor be disputed once the seed is revealed. A dispute over what the service can run is decided by running it.
 */
import { canonicalText } from "../../../eventstore/canonical.ts";
import type { JsonObject } from "../../../eventstore/types.ts";
import type { App } from "../../app.ts";
import { forEach } from "../../concurrency.ts";
import { builtIns, isBuiltIn, readKind } from "../../domain/compute/kinds.ts";
import * as tasks from "../../domain/compute/task.ts";
import type { Audited, Draw } from "../../domain/compute/task-events.ts";
import { digestOf, objectName } from "../../domain/objects.ts";
import { nodesProjection } from "../../projections/compute/nodes.ts";
import {
  awaitingAudit,
  disputedTasks,
  type NamedTask,
  tasksProjection,
} from "../../projections/compute/tasks.ts";
import { reactor, unlessRefused } from "../../reactor.ts";
import { drawFor } from "./draw.ts";
import { stepTask } from "./steps.ts";

/** Tasks that are run at once: each takes a core. */
const AT_ONCE = 2;
const PAGE = 20;

/** Disputes that running it again did not decide: they are the operator's. */
type Memory = { undecided: Set<string> };

const command = { meta: { actor: "reactor:compute", operation: "compute.audit" } };

const nowOf = ({ clock }: App) => clock.now().toISOString();

export const auditReactor = reactor({
  name: "compute.audit",
  every_ms: 500,
  memory: (): Memory => ({ undecided: new Set() }),
  async take({ app, memory, signal }) {
    const current = await Promise.all([app.caughtUp(tasksProjection), app.caughtUp(nodesProjection)]);
    const waiting = await awaitingAudit(app.pool, PAGE);
    for (let at = 0; at < waiting.length && !signal.aborted; at += AT_ONCE)
      await forEach(waiting.slice(at, at + AT_ONCE), (named) => unlessRefused(check(app, named)));
    const disputed = await disputedTasks(app.pool, builtIns, PAGE);
    const open = disputed.filter(({ task_id }) => !memory.undecided.has(task_id));
    for (const named of open) if (!signal.aborted) await unlessRefused(decide(app, memory, named));
    return waiting.length + open.length === 0 && current.every(Boolean) ? "idle" : "done";
  },
  troubles: { failed: "results are not checked; trying again" },
  resumed: "results are checked again",
});

async function check(app: App, named: NamedTask): Promise<void> {
  const { tenant, task_id } = named;
  const task = tasks.standing(await app.load(tasks, tasks.targetOf(tenant, task_id)));
  if (!tasks.awaitsAudit(task)) return;
  const draw = await drawFor(app, task, nowOf(app));
  const decision =
    draw && !draw.audits ? tasks.passUnaudited(draw, nowOf(app)) : tasks.audit(await rerun(app, task, draw));
  await app.commit((unit) => stepTask(unit, named, decision), command);
}

async function decide(app: App, { undecided }: Memory, named: NamedTask): Promise<void> {
  const task = tasks.standing(await app.load(tasks, tasks.targetOf(named.tenant, named.task_id)));
  if (task.status !== "disputed") return;
  const { verdict: found, audited_at: decided_at } = await rerun(app, task, null);
  if (found === "inconclusive") {
    undecided.add(named.task_id);
    return;
  }
  const [verdict, reason] =
    found === "valid"
      ? (["worker", "run again it came to the same"] as const)
      : (["requester", "run again it came to another result"] as const);
  const decision = tasks.decideDispute({ by: "rerun", verdict, reason, decided_at });
  await app.commit((unit) => stepTask(unit, named, decision), command);
}

/** Runs it, and compares what it comes to by digest; what could not be run says nothing of the worker. */
async function rerun(app: App, { facts, result }: tasks.Task, draw: Draw | null): Promise<Audited> {
  const { kind, task_id, input_sha256, terms } = facts;
  const { engine_sha256 } = app.executor;
  const inconclusive = { verdict: "inconclusive" as const, expected_sha256: null, engine_sha256, draw };
  const bytes = await app.objects.get(objectName("task", task_id, input_sha256));
  if (!bytes || !isBuiltIn(kind)) return { ...inconclusive, audited_at: nowOf(app) };
  const input = readKind(kind, JSON.parse(bytes.toString()));
  const ran = await app.executor.run({ kind, input, limit_s: terms.limit_s });
  if (ran.exit === "failed") return { ...inconclusive, audited_at: nowOf(app) };
  const expected_sha256 = digestOf(canonicalText(ran.output as JsonObject, "output"));
  const isSame = expected_sha256 === result!.output_sha256 && ran.exit === result!.exit;
  const verdict = isSame ? "valid" : "mismatch";
  return { verdict, expected_sha256, engine_sha256, draw, audited_at: nowOf(app) };
}
