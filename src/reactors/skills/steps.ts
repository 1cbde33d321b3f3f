/** Steps of an execution, with the refund that follows from its end in the same commit. */

import type { InUnit } from "../../core/commands/unit.ts";
import * as payments from "../../domain/payments/payment.ts";
import type { Execution, ExecutionEvent, ExecutionState } from "../../domain/skills/execution.ts";
import * as executions from "../../domain/skills/execution.ts";

type Staging = Pick<InUnit, "decide" | "watch">;
export type ExecutionId = { tenant: string; execution_id: string };

const targetOf = ({ tenant, execution_id }: ExecutionId) => executions.targetOf(tenant, execution_id);

/** Decides on an execution. With the last that its call requested ends, the payment's refund is opened: there is one. */
export async function stepExecution(
  { decide, watch }: Staging,
  named: ExecutionId,
  decision: (state: ExecutionState) => ExecutionEvent[],
): Promise<Execution> {
  const { state, events } = await decide(executions, targetOf(named), decision);
  const execution = executions.existingExecution(state);
  const { payment_id, together, execution_id } = execution.facts;
  if (events.length === 0 || !executions.isOver(execution) || payment_id === null) return execution;
  const others = together.filter((id) => id !== execution_id);
  // Watched, so that of two that end at once one sees the other.
  const states = await Promise.all(
    others.map((id) => watch(executions, executions.targetOf(named.tenant, id))),
  );
  const all = [execution, ...states.map(executions.existingExecution)];
  if (!all.every(executions.isOver)) return execution;
  const back = all.reduce((sum, one) => sum + executions.refundOf(one), 0);
  if (back > 0) {
    const reason = "the paid work was not done in full";
    const decision = payments.refundAnswered(reason, execution.ended_at!, back);
    await decide(payments, payments.targetOf(payment_id), decision);
  }
  return execution;
}
