import { createHash } from "node:crypto";
import { z } from "zod";
import { refuse } from "../../../core/model/refusal.ts";
import { sealLocation } from "../../../core/model/sealed.ts";
import { bondOf } from "../../../domain/compute/pricing.ts";
import { computeProblems } from "../../../domain/compute/problems.ts";
import * as tasks from "../../../domain/compute/task.ts";
import { type Act, isSealed } from "../../../domain/identity/act.ts";
import * as accounts from "../../../domain/payments/account.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import type { TaskKey } from "../../../projections/compute/tasks.ts";
import { stepTask } from "../../../reactors/compute/steps.ts";
import { refuseSuspended } from "../../agents/agents.ts";
import { actOfCaller } from "../../agents/authority.ts";
import { challengeField, signatureField } from "../../agents/proofs.ts";
import type { PricedCall } from "../../declare/access/way.ts";
import { type Context, json, operation, ownAccount, owner, subject, type Usdc } from "../../declare/index.ts";
import { creditPayment, refuseOthersHold } from "../payments/funds.ts";
import { nowOf, refuseMissingTask, shownTask, taskFor, taskId, taskShown, taskToDecide } from "./fields.ts";

const settleTask = operation({
  name: "compute_settle",
  route: "POST /soul/compute/settle",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  is_paid_work: true,
  summary: "Settle a task: the requester accepts or rejects it, the worker claims its pay",
  description: `Accepting pays the worker at once: nine tenths of the price. The unspent rest comes back to you. A rejection is refunded a day later, unless disputed. A worker claims its pay once
a check or the requester's silence has accepted the result. An unclaimed task settles itself a day later. A repeat returns the same.
An agent may sign its verdict: a challenge with the purpose \`judge\` about <task_id>.accept, <task_id>.reject or <task_id>.reject.<SHA-256 of the reason>.`,
  access: [subject("order"), owner("order")],
  input: z.object({
    task_id: taskId,
    accept: z.boolean("is true or false").default(true).describe("Your verdict; false rejects"),
    reason: z
      .string()
      .min(1, "is at least one character")
      .max(500, "is at most 500 characters")
      .optional()
      .describe("Why you reject it; the log has only its SHA-256"),
    challenge: challengeField.optional(),
    signature: signatureField.optional(),
  }),
  secrets: ["reason"],
  output: json(taskShown),
  refuses: [403, 404, 409],
  example: { task_id: "00".repeat(16), accept: true },
  example_from: { task_id: ["compute_submit", "compute_pull", "compute_result"] },
  handle: async (context) => {
    const { input, app, caller, unit } = context;
    const { task_id, accept, reason } = input;
    await refuseSuspended(context);
    const { tenant, side } = await taskToDecide({ app, caller, unit }, task_id);
    const at = nowOf(app);
    const step = async (decision: Parameters<typeof stepTask>[2]) =>
      (await stepTask(unit, { tenant, task_id }, decision)).task;
    if (side === "worker") {
      if (!accept) refuse("forbidden", "a worker claims accepted results; only the requester rejects");
      const { status } = tasks.existing(await unit.watch(tasks, tasks.targetOf(tenant, task_id)));
      if (status === "submitted") await step(tasks.accept("window", at));
      return shownTask(await step(tasks.settle(at)));
    }
    await refuseOthersHold({ caller, unit }, tasks.holdOf(task_id));
    const reason_sha256 = reason === undefined ? null : createHash("sha256").update(reason).digest("hex");
    const verdict = accept ? "accept" : ["reject", ...(reason_sha256 ? [reason_sha256] : [])].join(".");
    const act = await actOfCaller(context, input, { purpose: "judge", about: `${task_id}.${verdict}` });
    if (!accept) {
      const said = sealedReason(context, { tenant, task_id }, act);
      return shownTask(await step(tasks.reject({ reason_sha256, rejected_at: at, act: said })));
    }
    await step(tasks.accept("requester", at, act));
    return shownTask(await step(tasks.settle(at)));
  },
});

/**
 * A reason is a person's words, so it is sealed. The text of the call that contains it is sealed under the task's
 * name.
 */
function sealedReason(
  { input: { reason }, unit }: Pick<Context<{ reason?: string | undefined }>, "input" | "unit">,
  { tenant, task_id }: TaskKey,
  act: Act,
): Act {
  if (reason === undefined || act.by !== "signature" || isSealed(act.signed) || act.signed.body === null)
    return act;
  const subject = { tenant, kind: "task", name: task_id };
  const place = sealLocation(tasks, tasks.targetOf(tenant, task_id), "TaskRejected");
  return { ...act, signed: unit.personal({ subject, place, value: act.signed }) };
}

/** The bond that a worker must pay to dispute the result of its own task. */
async function bondFor({ task_id }: { task_id: string }, { app, caller }: PricedCall): Promise<Usdc> {
  const { task, side } = await taskFor(app, caller, task_id);
  return decimalUsdc(bondOf(side === "worker" ? task.lease!.price_micro : 0)) as Usdc;
}

const disputeTask = operation({
  name: "compute_dispute",
  route: "POST /soul/compute/dispute",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Dispute a rejection",
  description: `Only the worker can dispute, within a day. It posts a bond: a tenth of the price, at least 0.01 USDC. The requester posts the same, or its whole balance if that is less. The loser's
bond goes to the winner. If the worker's account is too low, you get a 402 for the bond. A payment with the same call and key is credited and reserved in one commit.
The service re-runs a task of a built-in kind and decides at once. The operator decides others; an undecided one is refunded after 14 days, with all bonds.`,
  access: [
    ownAccount(
      "order",
      bondFor,
      decimalUsdc(bondOf(0)) as Usdc,
      "a tenth of the task's price, 0.01 USDC at least",
    ),
  ],
  input: z.object({ task_id: taskId }),
  output: json(taskShown),
  moves_money: true,
  refuses: [404, 409],
  example: { task_id: "00".repeat(16) },
  handle: async (context) => {
    const { app, unit, request } = context;
    const { task_id } = context.input;
    await refuseSuspended(context);
    const { tenant, task: before, side } = await taskToDecide(context, task_id);
    if (side !== "worker") refuseMissingTask();
    const bond_micro = bondOf(before.lease!.price_micro);
    // A second bond for a disputed task would stay in the account unused, so it is refused.
    if (request.payment_id !== undefined && before.status !== "rejected")
      refuse(computeProblems["task-state"], `this task is ${before.status}: no bond is due`);
    const { available } = await unit.watch(accounts, accounts.targetOf(tenant));
    await creditPayment(context, bond_micro);
    const bonds = { bond_micro, requester_bond_micro: Math.min(bond_micro, available) };
    const decision = tasks.dispute(bonds, nowOf(app));
    const { task } = await stepTask(unit, { tenant, task_id }, decision);
    return shownTask(task);
  },
});

export const settleOperations = [settleTask, disputeTask];
