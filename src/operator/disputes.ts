/** The operator's decisions on disputed tasks. */
import { type App, operatorMeta } from "../core/app.ts";
import { refuse } from "../core/model/refusal.ts";
import type { Task } from "../domain/compute/task.ts";
import * as tasks from "../domain/compute/task.ts";
import { requesterOf, tasksProjection } from "../projections/compute/tasks.ts";
import { stepTask } from "../reactors/compute/steps.ts";

/** A killed process's lease expires within this. */
const FOLDED_MS = 8_000;

/** Decides a dispute: the worker is paid, or the requester gets its escrow back, plus the other side's bond. */
export async function decideDispute(
  app: App,
  task_id: string,
  { verdict, reason }: { verdict: "worker" | "requester"; reason: string },
): Promise<Task> {
  const { position } = await app.store.head();
  if (!(await app.runner.reached(tasksProjection, position, FOLDED_MS)))
    refuse("unavailable", "the list of tasks lags behind the log; try again in a few seconds");
  const tenant = (await requesterOf(app.pool, task_id)) ?? refuse("not_found", `there is no task ${task_id}`);
  const decided_at = app.clock.now().toISOString();
  const decision = tasks.decideDispute({ by: "operator", verdict, reason, decided_at });
  const meta = operatorMeta("compute.decide");
  const { result } = await app.commit((unit) => stepTask(unit, { tenant, task_id }, decision), { meta });
  return result.task;
}
