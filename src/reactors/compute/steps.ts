/** Each step stages a task's event and its money in one unit, so neither moves alone. */

import type { InUnit } from "../../core/commands/unit.ts";
import { isBuiltIn } from "../../domain/compute/kinds.ts";
import * as nodes from "../../domain/compute/node.ts";
import { bondHoldOf, sides as bothSides, type Side, slashMicro } from "../../domain/compute/pricing.ts";
import * as quorum from "../../domain/compute/quorum.ts";
import type { Task, TaskEvent, TaskState } from "../../domain/compute/task.ts";
import * as tasks from "../../domain/compute/task.ts";
import * as account from "../../domain/payments/account.ts";
import type { TaskKey } from "../../projections/compute/tasks.ts";
import { collateralOf, freeCollateral, reserveCollateral, takeCollateral } from "./collateral.ts";

type Staging = Pick<InUnit, "decide" | "watch">;

/** The tenant of a node's earnings. */
const earnerOf = (sx: number) => nodes.targetOf(sx).tenant;

/** Decides on a task and moves its money. `valid_audits`: of the result's node, in a row. */
export async function stepTask(
  unit: Staging,
  { tenant, task_id }: TaskKey,
  decision: (state: TaskState) => TaskEvent[],
  { valid_audits = 0 } = {},
): Promise<{ task: Task; events: TaskEvent[] }> {
  const { state, events } = await unit.decide(tasks, tasks.targetOf(tenant, task_id), decision);
  const task = tasks.existing(state);
  for (const event of events) {
    await moveMoney(unit, { tenant, task }, event);
    await moveCollateral(unit, { tenant, task }, event, valid_audits);
  }
  return { task, events };
}

type TaskOwner = { tenant: string; task: Task };

/** Moves the collateral of a result. */
async function moveCollateral(
  unit: Staging,
  of: TaskOwner,
  event: TaskEvent,
  valid_audits: number,
): Promise<void> {
  const { task } = of;
  switch (event.type) {
    case "TaskResultSubmitted":
      return reserveCollateral(unit, task, valid_audits, event.data.submitted_at);
    case "TaskAudited": {
      const { verdict, on_silence, audited_at } = event.data;
      if (verdict === "mismatch") return slash(unit, of, event.data);
      return on_silence === "accepts" ? freeCollateral(unit, task, audited_at) : undefined;
    }
    case "TaskRejected":
      // A differing copy loses its collateral unless its node disputes and wins.
      return task.compared ? undefined : freeCollateral(unit, task, event.data.rejected_at);
    case "TaskAccepted":
      return freeCollateral(unit, task, event.data.accepted_at);
    case "TaskRefunded":
      return task.lease ? endCollateral(unit, of, event.data.refunded_at) : undefined;
  }
}

async function moveMoney({ decide }: Staging, { tenant, task }: TaskOwner, event: TaskEvent): Promise<void> {
  const { task_id } = task.facts;
  const requester = account.targetOf(tenant);
  switch (event.type) {
    case "TaskSettled": {
      const { sx, price_micro, provider_micro, settled_at } = event.data;
      await decide(account, requester, account.release(tasks.holdOf(task_id), price_micro, settled_at));
      const earned = { source: tasks.holdOf(task_id), amount_micro: provider_micro, at: settled_at };
      await decide(account, account.targetOf(earnerOf(sx)), account.credit(earned));
      return;
    }
    case "TaskRefunded": {
      const { refunded_at } = event.data;
      await decide(account, requester, account.release(tasks.holdOf(task_id), 0, refunded_at));
      return;
    }
    case "TaskCopied": {
      const { first, last, copied_at } = event.data;
      if (!quorum.isSecondTime(task, first)) return;
      for (let number = first; number <= last; number++)
        await decide(account, requester, account.hold(copyHold(task, number), copied_at));
      return;
    }
    case "TaskJudged":
      for (const number of quorum.unmadeCopies(task)) {
        const { hold_id } = copyHold(task, number);
        await decide(account, requester, account.release(hold_id, 0, event.data.judged_at));
      }
      return;
    case "TaskDisputed": {
      const { bond_micro, requester_bond_micro, disputed_at: at } = event.data;
      const worker = account.targetOf(earnerOf(task.lease!.sx));
      const bond = (side: Side, amount_micro: number) =>
        account.hold({ hold_id: bondHoldOf(task_id, side), amount_micro, for: "a dispute" }, at);
      await decide(account, worker, bond("worker", bond_micro));
      if (requester_bond_micro > 0) await decide(account, requester, bond("requester", requester_bond_micro));
      return;
    }
    case "TaskDisputeDecided":
      await endBonds({ decide }, { tenant, task }, event.data);
      return;
  }
}

/** The reservation of a copy in its requester's account. */
const copyHold = ({ facts }: Task, number: number): account.Hold => ({
  hold_id: tasks.holdOf(quorum.copyId(facts.task_id, number)),
  amount_micro: facts.terms.max_price_micro,
  for: "a task",
});

/** A copy that differed from the service's own run loses its collateral; an undecided dispute frees it. */
async function endCollateral(unit: Staging, of: TaskOwner, at: string): Promise<void> {
  const { task } = of;
  const { compared, dispute, facts } = task;
  const isLost =
    isBuiltIn(facts.kind) && compared?.verdict === "differed" && dispute?.decided?.verdict !== "none";
  if (!isLost) return freeCollateral(unit, task, at);
  const collateral = collateralOf(
    await unit.watch(account, account.targetOf(earnerOf(task.lease!.sx))),
    facts.task_id,
  );
  await loseCollateral(unit, of, collateral, at);
}

/** Takes collateral: up to the price for the requester, the rest pays for the audit. */
async function slash(unit: Staging, of: TaskOwner, { draw, audited_at: at }: Audit): Promise<void> {
  const { task } = of;
  const { sx, price_micro } = task.lease!;
  const { task_id } = task.facts;
  const collateral = collateralOf(await unit.watch(account, account.targetOf(earnerOf(sx))), task_id);
  await loseCollateral(unit, of, slashMicro(price_micro, draw?.p_micro ?? 1_000_000, collateral), at);
}

/** Takes this much collateral, up to the task's price for the requester. */
async function loseCollateral(unit: Staging, of: TaskOwner, lost: number, at: string): Promise<void> {
  const { task } = of;
  const { task_id } = task.facts;
  const { sx, price_micro } = task.lease!;
  await takeCollateral(unit, task, lost, at);
  await creditRequester(unit, of, Math.min(lost, price_micro), at);
  await unit.decide(nodes, nodes.targetOf(sx), nodes.slash(task_id, lost, at));
}

type Audit = Pick<NonNullable<Task["audit"]>, "draw" | "audited_at">;

async function creditRequester(
  { decide }: Staging,
  { tenant, task }: TaskOwner,
  amount_micro: number,
  at: string,
) {
  const source = `slash:${task.facts.task_id}`;
  if (amount_micro > 0)
    await decide(account, account.targetOf(tenant), account.credit({ source, amount_micro, at }));
}

/** Decides on a node, and reserves or frees its stake. */
export async function stepStake(
  { decide, watch }: Staging,
  sx: number,
  decision: (state: nodes.NodeState) => nodes.NodeEvent[],
): Promise<nodes.Node> {
  const before = (await watch(nodes, nodes.targetOf(sx)))?.stake_micro ?? 0;
  const { state, events } = await decide(nodes, nodes.targetOf(sx), decision);
  const target = account.targetOf(earnerOf(sx));
  const hold_id = nodes.stakeHoldOf(sx);
  for (const { type, data } of events) {
    // The stake's part in collateral stays reserved until the verdict.
    const staked = (await watch(account, target)).holds.get(hold_id)?.amount_micro ?? 0;
    if (type === "StakeReleased" && staked > 0)
      await decide(account, target, account.release(hold_id, 0, data.released_at));
    if (type !== "StakeHeld" || data.amount_micro === before) continue;
    if (staked > 0) await decide(account, target, account.release(hold_id, 0, data.held_at));
    const amount_micro = staked + data.amount_micro - before;
    await decide(account, target, account.hold({ hold_id, amount_micro, for: "a stake" }, data.held_at));
  }
  return nodes.registered(state);
}

/** The loser's bond goes to the winner; without a winner both are freed. */
async function endBonds(
  { decide }: Pick<Staging, "decide">,
  { tenant, task }: TaskOwner,
  { verdict, decided_at: at }: NonNullable<NonNullable<Task["dispute"]>["decided"]>,
): Promise<void> {
  const { task_id } = task.facts;
  const { bond_micro, requester_bond_micro } = task.dispute!;
  const sides = {
    worker: { target: account.targetOf(earnerOf(task.lease!.sx)), bond: bond_micro },
    requester: { target: account.targetOf(tenant), bond: requester_bond_micro },
  };
  for (const side of bothSides) {
    const { target, bond } = sides[side];
    if (bond === 0) continue;
    const isLost = verdict !== "none" && verdict !== side;
    await decide(account, target, account.release(bondHoldOf(task_id, side), isLost ? bond : 0, at));
    if (isLost) {
      const won = { source: bondHoldOf(task_id, side), amount_micro: bond, at };
      await decide(account, sides[verdict].target, account.credit(won));
    }
  }
}
