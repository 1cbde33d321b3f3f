/** What becomes of a task and of the money that pays for it, each step staged in one unit: neither moves without the other. */
import * as nodes from "../../domain/compute/node.ts";
import { bondHoldOf, sides as bothSides, type Side, slashMicro } from "../../domain/compute/pricing.ts";
import type { Task, TaskEvent, TaskState } from "../../domain/compute/task.ts";
import * as tasks from "../../domain/compute/task.ts";
import * as account from "../../domain/payments/account.ts";
import type { NamedTask } from "../../projections/compute/tasks.ts";
import type { InUnit } from "../../unit.ts";

type Staging = Pick<InUnit, "decide" | "watch">;

/** The tenant of what an agent's node earns. */
const earnerOf = (sx: number) => nodes.targetOf(sx).tenant;

/** Decides on a task, and moves what follows from that. */
export async function stepTask(
  unit: Staging,
  { tenant, task_id }: NamedTask,
  decision: (state: TaskState) => TaskEvent[],
): Promise<{ task: Task; events: TaskEvent[] }> {
  const { state, events } = await unit.decide(tasks, tasks.targetOf(tenant, task_id), decision);
  const task = tasks.standing(state);
  for (const event of events) await moveMoney(unit, { tenant, task }, event);
  return { task, events };
}

type Of = { tenant: string; task: Task };

async function moveMoney({ decide, watch }: Staging, { tenant, task }: Of, event: TaskEvent): Promise<void> {
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
    case "TaskRefunded":
      await decide(account, requester, account.release(tasks.holdOf(task_id), 0, event.data.refunded_at));
      return;
    case "TaskAudited":
      if (event.data.verdict === "mismatch") await slash({ decide, watch }, { tenant, task }, event.data);
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
      await endBonds({ decide, watch }, { tenant, task }, event.data);
      return;
  }
}

/** Takes from the node what it can lose, up to the price for the requester; the rest pays for the audit. */
async function slash(
  { decide, watch }: Staging,
  { tenant, task }: Of,
  { draw, audited_at: at }: NonNullable<Task["audit"]>,
): Promise<void> {
  const { sx, price_micro } = task.lease!;
  const { task_id } = task.facts;
  const worker = account.targetOf(earnerOf(sx));
  const node = await watch(nodes, nodes.targetOf(sx));
  const funds = await watch(account, worker);
  const wanted = slashMicro(price_micro, draw?.p_micro ?? 1_000_000, atStake(funds, node, at));
  const hold_id = `slash:${task_id}`;
  const earned = Math.min(wanted, account.maturingAt(funds, at));
  if (wanted > 0) {
    await decide(account, worker, account.take({ hold_id, amount_micro: earned, for: "a slash" }, at));
    await loseStake({ decide }, sx, { before: node?.stake_micro ?? 0, lost: wanted - earned }, at);
    const amount_micro = Math.min(wanted, price_micro);
    await decide(account, account.targetOf(tenant), account.credit({ source: hold_id, amount_micro, at }));
  }
  await decide(nodes, nodes.targetOf(sx), nodes.slash(task_id, wanted, at));
}

/** What a node can lose: its stake, and what it came to own within the last day. Micro-USDC. */
export const atStake = (funds: account.AccountState, node: nodes.NodeState, at: string): number =>
  account.maturingAt(funds, at) + (node?.stake_micro ?? 0);

async function loseStake(
  { decide }: Pick<Staging, "decide">,
  sx: number,
  { before, lost }: { before: number; lost: number },
  at: string,
): Promise<void> {
  if (lost === 0) return;
  const target = account.targetOf(earnerOf(sx));
  await decide(nodes, nodes.targetOf(sx), nodes.loseStake(sx, lost, at));
  await decide(account, target, account.release(nodes.stakeHoldOf(sx), lost, at));
  if (lost < before) await decide(account, target, account.hold(stakeHold(sx, before - lost), at));
}

const stakeHold = (sx: number, amount_micro: number): account.Hold => ({
  hold_id: nodes.stakeHoldOf(sx),
  amount_micro,
  for: "a stake",
});

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
    if (type === "StakeReleased" && before > 0)
      await decide(account, target, account.release(hold_id, 0, data.released_at));
    if (type !== "StakeHeld" || data.amount_micro === before) continue;
    if (before > 0) await decide(account, target, account.release(hold_id, 0, data.held_at));
    await decide(account, target, account.hold(stakeHold(sx, data.amount_micro), data.held_at));
  }
  return nodes.registered(state);
}

/** The loser's bond goes to whoever was right; where nobody is, both come back. */
async function endBonds(
  { decide }: Staging,
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
