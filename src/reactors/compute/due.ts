/**
 * Runs automatic steps when they are due: a silent worker's task goes back to the queue, tasks expire, silence accepts
 * results, accepted ones settle, rejected ones are refunded, stakes become free.
 */
import type { App } from "../../core/app.ts";
import { idleUntil, reactor, unlessRefused } from "../../core/background/reactor.ts";
import * as nodes from "../../domain/compute/node.ts";
import type { TaskEvent, TaskState } from "../../domain/compute/task.ts";
import * as tasks from "../../domain/compute/task.ts";
import { SILENT_S } from "../../domain/compute/work-lease.ts";
import { freeStakes, nextNodeStep, nodesProjection, silentNodes } from "../../projections/compute/nodes.ts";
import { dueTasks, nextTaskStep, silentLeases, tasksProjection } from "../../projections/compute/tasks.ts";
import { stepStake, stepTask } from "./steps.ts";

const meta = (operation: string) => ({ meta: { actor: "reactor:compute", operation } });

const nowOf = ({ clock }: App) => clock.now().toISOString();

export const computeReactor = reactor({
  name: "compute",
  every_ms: 1_000,
  memory: () => ({}),
  async take({ app, signal }) {
    // Decisions read the streams, so a lagging list only delays a step to the next tick.
    const current = await Promise.all([app.caughtUp(tasksProjection), app.caughtUp(nodesProjection)]);
    for (const { attempt, heard_at, is_limit, ...key } of await silentLeases(app.pool, SILENT_S)) {
      if (signal.aborted) return "done";
      const reason = is_limit ? ("limit" as const) : ("silence" as const);
      const lost = { attempt, reason, last_heartbeat_at: heard_at };
      const decision = tasks.loseLease(lost, nowOf(app));
      await unlessRefused(app.commit((unit) => stepTask(unit, key, decision), meta("compute.lease")));
    }
    for (const key of await dueTasks(app.pool, nowOf(app))) {
      if (signal.aborted) return "done";
      const decision = overdue(nowOf(app));
      await unlessRefused(app.commit((unit) => stepTask(unit, key, decision), meta("compute.due")));
    }
    for (const { sx, heard_at } of await silentNodes(app.pool, nodes.OFFLINE_S)) {
      if (signal.aborted) return "done";
      const decision = nodes.goOffline(heard_at, nowOf(app));
      await unlessRefused(app.decide(nodes, nodes.targetOf(sx), decision, meta("compute.offline")));
    }
    for (const sx of await freeStakes(app.pool, nowOf(app))) {
      if (signal.aborted) return "done";
      const decision = nodes.releaseStake(sx, nowOf(app));
      await unlessRefused(app.commit((unit) => stepStake(unit, sx, decision), meta("compute.stake")));
    }
    const [task, node] = await Promise.all([nextTaskStep(app.pool), nextNodeStep(app.pool)]);
    if (task.leases || node.online || !current.every(Boolean)) return "done";
    return idleUntil(task.due_at, node.free_at);
  },
  failures: { failed: "tasks are neither requeued nor settled automatically; trying again" },
  resumed: "tasks are requeued and settled automatically again",
});

/** Nobody ran it. */
const UNCHECKED = {
  ...{ verdict: "inconclusive" as const, expected_sha256: null, engine_sha256: null, draw: null },
};

/** The due step of a task whose status still needs it. */
const overdue =
  (at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = tasks.existing(state);
    switch (task.status) {
      case "queued":
        return tasks.expire(at)(state);
      case "submitted":
        if (tasks.silenceRefunds(task)) return tasks.refundUnchecked(at)(state);
        return tasks.awaitsAudit(task)
          ? tasks.audit({ ...UNCHECKED, audited_at: at }, "refunds")(state)
          : tasks.accept("window", at)(state);
      case "accepted":
        return tasks.settle(at)(state);
      case "rejected":
        return tasks.refundRejected(at)(state);
      case "disputed": {
        const decided_at = at;
        const facts = {
          by: "time" as const,
          verdict: "none" as const,
          reason: "nobody decided it",
          decided_at,
        };
        return tasks.decideDispute(facts)(state);
      }
      default:
        return [];
    }
  };
