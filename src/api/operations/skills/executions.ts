import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { examples } from "../../../domain/sandbox/examples.ts";
import type { Execution } from "../../../domain/skills/execution.ts";
import * as executions from "../../../domain/skills/execution.ts";
import { skillNamed } from "../../../domain/skills/skills.ts";
import { stepExecution } from "../../../reactors/skills/steps.ts";
import type { Caller } from "../../declare/caller.ts";
import { json, operation, owner } from "../../declare/index.ts";
import { checkScope, executionId, executionShown, publicExecution } from "./fields.ts";
import { nowOf } from "./start-execution.ts";

const MOST_WAIT_S = 30;

const output = json(z.object({ data: executionShown, meta: z.object({}) }));

const status = operation({
  name: "skills_execution",
  route: "GET /v1/agent/skills/executions/{execution_id}",
  summary: "Status and result of your execution",
  description: `Free to its owner. Results stay ${executions.KEEP_DAYS} days.`,
  access: [owner("skill")],
  input: z.object({
    execution_id: executionId,
    wait_s: z
      .int(`wait_s is a whole number from 0 to ${MOST_WAIT_S}`)
      .min(0, "wait_s is at least 0")
      .max(MOST_WAIT_S, `wait_s is at most ${MOST_WAIT_S}`)
      .default(0)
      .describe("Seconds to wait for its end"),
  }),
  output,
  refuses: [403, 404],
  example: { execution_id: "00".repeat(16) },
  example_from: { execution_id: ["skills_run"] },
  handle: async ({ input: { execution_id, wait_s }, app, subjects, caller, signal }) => {
    const execution = await untilOver(app, { caller, execution_id }, wait_s, signal);
    return { data: await publicExecution({ app, subjects }, caller.tenant, execution), meta: {} };
  },
});

/**
 * A result is shown only to keys that may run the skill: otherwise any key of the tenant could read the tenant's
 * money.
 */
const checkMayRun = ({ facts }: Execution, caller: Caller) => checkScope(skillNamed(facts.agent), caller);

/** Waits until the execution has ended, or until the timeout. Returns its state then. */
async function untilOver(
  app: App,
  { caller, execution_id }: { caller: Caller; execution_id: string },
  wait_s: number,
  signal: AbortSignal,
): Promise<Execution> {
  const { tenant } = caller;
  const target = executions.targetOf(tenant, execution_id);
  const look = async () => {
    const execution = executions.existingExecution(await app.load(executions, target));
    checkMayRun(execution, caller);
    return execution;
  };
  // Read before the execution, so that no event after that read is missed.
  const after = app.tail.position;
  let execution = await look();
  if (executions.isOver(execution) || wait_s === 0) return execution;
  const stop = AbortSignal.any([signal, AbortSignal.timeout(1_000 * wait_s)]);
  for await (const batch of app.tail.subscribe({ after, tenant, signal: stop })) {
    if (!batch.some(({ stream_id }) => stream_id === executions.streamOf(execution_id))) continue;
    execution = await look();
    if (executions.isOver(execution)) return execution;
  }
  return look();
}

const cancel = operation({
  name: "skills_cancel",
  route: "DELETE /v1/agent/skills/executions/{execution_id}",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Cancel a running execution",
  description:
    "The payment is refunded if no step was done; for a batch, once all its executions are over. A repeat returns the same.",
  access: [owner("skill")],
  input: z.object({ execution_id: executionId }),
  output,
  refuses: [403, 404, 409],
  example: { execution_id: examples.execution.ended },
  handle: async ({ input: { execution_id }, app, subjects, caller, unit }) => {
    const named = { tenant: caller.tenant, execution_id };
    checkMayRun(
      executions.existingExecution(
        await unit.watch(executions, executions.targetOf(named.tenant, execution_id)),
      ),
      caller,
    );
    const decision = executions.cancel(nowOf(app));
    const execution = await stepExecution(unit, named, decision);
    return { data: await publicExecution({ app, subjects }, caller.tenant, execution), meta: {} };
  },
});

export const executionOperations = [status, cancel];
