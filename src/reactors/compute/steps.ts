/** What becomes of a task and of the money that pays for it, each step staged in one unit: neither moves without the other. */
import * as nodes from "../../domain/compute/node.ts";
import { bondHoldOf, sides as bothSides, type Side, slashMicro } from "../../domain/compute/pricing.ts";
import * as quorum from "../../domain/compute/quorum.ts";
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
    case "TaskRefunded": {
      const { refunded_at } = event.data;
      await decide(account, requester, account.release(tasks.holdOf(task_id), 0, refunded_at));
      if (task.compared?.verdict === "differed")
        await endSlash({ decide, watch }, { tenant, task }, refunded_at);
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
    case "TaskCompared":
      if (event.data.verdict === "differed")
        await setAsideSlash({ decide, watch }, { tenant, task }, event.data.compared_at);
      return;
    case "TaskAccepted":
      if (event.data.by === "dispute" && task.compared)
        await returnSlash({ decide, watch }, { tenant, task }, event.data.accepted_at);
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

/** What a copy of a task holds of its requester's account. */
export const copyHold = ({ facts }: Task, number: number): account.Hold => ({
  hold_id: tasks.holdOf(quorum.copyId(facts.task_id, number)),
  amount_micro: facts.terms.max_price_micro,
  for: "a task",
});

const slashHoldOf = (task_id: string) => `slash:${task_id}`;

/** A copy that came to something else: its price is set aside of what its node came to own lately, until nobody can dispute it any more. */
async function setAsideSlash({ decide, watch }: Staging, { task }: Of, at: string): Promise<void> {
  const { sx, price_micro } = task.lease!;
  const worker = account.targetOf(earnerOf(sx));
  const amount_micro = Math.min(price_micro, account.maturingAt(await watch(account, worker), at));
  const hold_id = slashHoldOf(task.facts.task_id);
  if (amount_micro > 0)
    await decide(account, worker, account.hold({ hold_id, amount_micro, for: "a slash" }, at));
}

/** Nobody was right to say otherwise: what was set aside, and of the stake what is missing, goes to the requester; where nobody decided, it comes back. */
async function endSlash(unit: Staging, of: Of, at: string): Promise<void> {
  const { task, tenant } = of;
  if (task.dispute?.decided?.verdict === "none") return returnSlash(unit, of, at);
  const { decide, watch } = unit;
  const { sx, price_micro } = task.lease!;
  const { task_id } = task.facts;
  const worker = account.targetOf(earnerOf(sx));
  const hold_id = slashHoldOf(task_id);
  const held = (await watch(account, worker)).holds.get(hold_id)?.amount_micro ?? 0;
  const stake = (await watch(nodes, nodes.targetOf(sx)))?.stake_micro ?? 0;
  const lost = Math.min(stake, price_micro - held);
  if (held > 0) await decide(account, worker, account.release(hold_id, held, at));
  await loseStake({ decide }, sx, { before: stake, lost }, at);
  const amount_micro = held + lost;
  if (amount_micro > 0)
    await decide(account, account.targetOf(tenant), account.credit({ source: hold_id, amount_micro, at }));
  await decide(nodes, nodes.targetOf(sx), nodes.slash(task_id, amount_micro, at));
}

async function returnSlash({ decide, watch }: Staging, { task }: Of, at: string): Promise<void> {
  const worker = account.targetOf(earnerOf(task.lease!.sx));
  const hold_id = slashHoldOf(task.facts.task_id);
  if ((await watch(account, worker)).holds.has(hold_id))
    await decide(account, worker, account.release(hold_id, 0, at));
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
  const hold_id = slashHoldOf(task_id);
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
