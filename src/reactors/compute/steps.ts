/** What becomes of a task and of the money that pays for it, each step staged in one unit: neither moves without the other. */

import type { InUnit } from "../../core/commands/unit.ts";
import { isBuiltIn } from "../../domain/compute/kinds.ts";
import * as nodes from "../../domain/compute/node.ts";
import { bondHoldOf, sides as bothSides, type Side, slashMicro } from "../../domain/compute/pricing.ts";
import * as quorum from "../../domain/compute/quorum.ts";
import type { Task, TaskEvent, TaskState } from "../../domain/compute/task.ts";
import * as tasks from "../../domain/compute/task.ts";
import * as account from "../../domain/payments/account.ts";
import type { NamedTask } from "../../projections/compute/tasks.ts";
import { giveBack, setAside, setAsideFor, takeAside } from "./set-aside.ts";

type Staging = Pick<InUnit, "decide" | "watch">;

/** The tenant of what an agent's node earns. */
const earnerOf = (sx: number) => nodes.targetOf(sx).tenant;

/** Decides on a task, and moves what follows from that. `valid_audits`: in a row, of the node whose result is taken. */
export async function stepTask(
  unit: Staging,
  { tenant, task_id }: NamedTask,
  decision: (state: TaskState) => TaskEvent[],
  { valid_audits = 0 } = {},
): Promise<{ task: Task; events: TaskEvent[] }> {
  const { state, events } = await unit.decide(tasks, tasks.targetOf(tenant, task_id), decision);
  const task = tasks.standing(state);
  for (const event of events) {
    await moveMoney(unit, { tenant, task }, event);
    await moveSetAside(unit, { tenant, task }, event, valid_audits);
  }
  return { task, events };
}

type Of = { tenant: string; task: Task };

/** What becomes of the money that answers for a result. */
async function moveSetAside(unit: Staging, of: Of, event: TaskEvent, valid_audits: number): Promise<void> {
  const { task } = of;
  switch (event.type) {
    case "TaskResultSubmitted":
      return setAside(unit, task, valid_audits, event.data.submitted_at);
    case "TaskAudited": {
      const { verdict, on_silence, audited_at } = event.data;
      if (verdict === "mismatch") return slash(unit, of, event.data);
      return on_silence === "accepts" ? giveBack(unit, task, audited_at) : undefined;
    }
    case "TaskRejected":
      // What lies aside of a copy that differs is lost unless its node disputes that, and wins.
      return task.compared ? undefined : giveBack(unit, task, event.data.rejected_at);
    case "TaskAccepted":
      return giveBack(unit, task, event.data.accepted_at);
    case "TaskRefunded":
      return task.lease ? endSetAside(unit, of, event.data.refunded_at) : undefined;
  }
}

async function moveMoney({ decide }: Staging, { tenant, task }: Of, event: TaskEvent): Promise<void> {
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
      for (const number of quorum.neverMade(task)) {
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

/** What a copy of a task holds of its requester's account. */
export const copyHold = ({ facts }: Task, number: number): account.Hold => ({
  hold_id: tasks.holdOf(quorum.copyId(facts.task_id, number)),
  amount_micro: facts.terms.max_price_micro,
  for: "a task",
});

/** What lay aside of a copy that differed from the service's own run is lost; where nobody decided a dispute, it comes back. */
async function endSetAside(unit: Staging, of: Of, at: string): Promise<void> {
  const { task } = of;
  const { compared, dispute, facts } = task;
  const isLost =
    isBuiltIn(facts.kind) && compared?.verdict === "differed" && dispute?.decided?.verdict !== "none";
  if (!isLost) return giveBack(unit, task, at);
  const lies = setAsideFor(
    await unit.watch(account, account.targetOf(earnerOf(task.lease!.sx))),
    facts.task_id,
  );
  await lose(unit, of, lies, at);
}

/** Takes what lies aside, up to the price for the requester; the rest pays for the audit. */
async function slash(unit: Staging, of: Of, { draw, audited_at: at }: Audit): Promise<void> {
  const { task } = of;
  const { sx, price_micro } = task.lease!;
  const { task_id } = task.facts;
  const lies = setAsideFor(await unit.watch(account, account.targetOf(earnerOf(sx))), task_id);
  await lose(unit, of, slashMicro(price_micro, draw?.p_micro ?? 1_000_000, lies), at);
}

/** Takes so much of what lies aside, up to the price of it for the requester. */
async function lose(unit: Staging, of: Of, lost: number, at: string): Promise<void> {
  const { task } = of;
  const { task_id } = task.facts;
  const { sx, price_micro } = task.lease!;
  await takeAside(unit, task, lost, at);
  await creditRequester(unit, of, Math.min(lost, price_micro), at);
  await unit.decide(nodes, nodes.targetOf(sx), nodes.slash(task_id, lost, at));
}

type Audit = Pick<NonNullable<Task["audit"]>, "draw" | "audited_at">;

async function creditRequester({ decide }: Staging, { tenant, task }: Of, amount_micro: number, at: string) {
  const source = `slash:${task.facts.task_id}`;
  if (amount_micro > 0)
    await decide(account, account.targetOf(tenant), account.credit({ source, amount_micro, at }));
}

/** Decides on a node, and holds or gives back what that says of its stake. */
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
    // What of the stake answers for a result lies aside, and comes back with the verdict.
    const held = (await watch(account, target)).holds.get(hold_id)?.amount_micro ?? 0;
    if (type === "StakeReleased" && held > 0)
      await decide(account, target, account.release(hold_id, 0, data.released_at));
    if (type !== "StakeHeld" || data.amount_micro === before) continue;
    if (held > 0) await decide(account, target, account.release(hold_id, 0, data.held_at));
    const amount_micro = held + data.amount_micro - before;
    await decide(account, target, account.hold({ hold_id, amount_micro, for: "a stake" }, data.held_at));
  }
  return nodes.registered(state);
}

/** The loser's bond goes to whoever was right; where nobody is, both come back. */
async function endBonds(
  { decide }: Pick<Staging, "decide">,
  { tenant, task }: Of,
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
