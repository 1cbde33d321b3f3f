/**
 * Collateral of a result. The commit that takes the result reserves it, from recent income and from the stake, so two
 * results never share the same money. The verdict frees it or takes it.
 */

import type { InUnit } from "../../core/commands/unit.ts";
import { isBuiltIn } from "../../domain/compute/kinds.ts";
import * as nodes from "../../domain/compute/node.ts";
import { auditMicro, slashMicro } from "../../domain/compute/pricing.ts";
import type { Task } from "../../domain/compute/task.ts";
import * as account from "../../domain/payments/account.ts";

type Staging = Pick<InUnit, "decide" | "watch">;

/** The reservation from the stake; recent income uses `account.checkHoldOf`. */
const STAKE = "check-stake:";
const stakeShareOf = (task_id: string) => STAKE + task_id;

const amountOf = ({ holds }: account.AccountState, hold_id: string): number =>
  holds.get(hold_id)?.amount_micro ?? 0;

/** The free part of a stake; 0 in debt, because a released stake would pay the debt. */
const freeStake = (funds: account.AccountState, sx: number): number =>
  funds.debt > 0 ? 0 : amountOf(funds, nodes.stakeHoldOf(sx));

/** The whole stake, including reserved collateral. */
const wholeStake = (funds: account.AccountState, sx: number): number =>
  [...funds.holds].reduce(
    (sum, [id, one]) => sum + (id.startsWith(STAKE) ? one.amount_micro : 0),
    amountOf(funds, nodes.stakeHoldOf(sx)),
  );

/** Collateral of a task by source; micro-USDC. */
type Share = { earned: number; staked: number };

const shareOf = (funds: account.AccountState, task_id: string): Share => ({
  earned: amountOf(funds, account.checkHoldOf(task_id)),
  staked: amountOf(funds, stakeShareOf(task_id)),
});

/** The most that a node loses if the result is wrong; micro-USDC. */
export function collateralOf(funds: account.AccountState, task_id: string): number {
  const { earned, staked } = shareOf(funds, task_id);
  return earned + staked;
}

/** The account of a task's node. */
class NodeFunds {
  readonly #unit: Staging;
  readonly #sx: number;
  readonly #task_id: string;

  constructor(unit: Staging, { lease, facts }: Task) {
    this.#unit = unit;
    this.#sx = lease!.sx;
    this.#task_id = facts.task_id;
  }

  get #target() {
    return account.targetOf(nodes.targetOf(this.#sx).tenant);
  }

  #decide(decision: (state: account.AccountState) => account.AccountEvent[]) {
    return this.#unit.decide(account, this.#target, decision);
  }

  read = () => this.#unit.watch(account, this.#target);

  share = async (): Promise<Share> => shareOf(await this.read(), this.#task_id);

  /** Reserves collateral, first from recent income, then from the stake. */
  async hold(amount_micro: number, at: string): Promise<void> {
    const funds = await this.read();
    const earned = Math.min(amount_micro, account.maturingAt(funds, at));
    const staked = Math.min(amount_micro - earned, freeStake(funds, this.#sx));
    const hold = (hold_id: string, amount_micro: number) =>
      this.#decide(account.hold({ hold_id, amount_micro, for: "a check" }, at));
    if (earned > 0) await hold(account.checkHoldOf(this.#task_id), earned);
    if (staked === 0) return;
    await this.#moveStake(-staked, at, () => hold(stakeShareOf(this.#task_id), staked));
  }

  /** Takes this much, first from recent income, and frees the rest. Returns the lost part of the stake. */
  async end(taken_micro: number, at: string): Promise<number> {
    const { earned, staked } = await this.share();
    const ofEarned = Math.min(taken_micro, earned);
    const ofStake = Math.min(taken_micro - ofEarned, staked);
    if (earned > 0) await this.#decide(account.release(account.checkHoldOf(this.#task_id), ofEarned, at));
    if (staked === 0) return 0;
    await this.#decide(account.release(stakeShareOf(this.#task_id), ofStake, at));
    const { stake_micro } = nodes.registered(await this.#unit.watch(nodes, nodes.targetOf(this.#sx)));
    const funds = await this.read();
    // A stake that was withdrawn meanwhile gets nothing back.
    const room = Math.max(0, stake_micro - ofStake - wholeStake(funds, this.#sx));
    const back = Math.min(staked - ofStake, room, funds.available);
    if (back > 0) await this.#moveStake(back, at);
    // The recorded stake shrinks to what is left of it.
    const lost = Math.max(0, stake_micro - wholeStake(await this.read(), this.#sx));
    if (lost > 0)
      await this.#unit.decide(nodes, nodes.targetOf(this.#sx), nodes.loseStake(this.#sx, lost, at));
    return ofStake;
  }

  /** A reservation has a fixed amount, so a changed stake needs a new one. */
  async #moveStake(by_micro: number, at: string, between: () => Promise<unknown> = async () => undefined) {
    const hold_id = nodes.stakeHoldOf(this.#sx);
    const before = amountOf(await this.read(), hold_id);
    if (before > 0) await this.#decide(account.release(hold_id, 0, at));
    await between();
    const amount_micro = before + by_micro;
    if (amount_micro > 0) await this.#decide(account.hold({ hold_id, amount_micro, for: "a stake" }, at));
  }
}

/** Reserves the possible slash of this result. `valid_audits`: the node's, in a row. */
export async function reserveCollateral(
  unit: Staging,
  task: Task,
  valid_audits: number,
  at: string,
): Promise<void> {
  // Without a re-run nobody can prove the result wrong, so it needs no collateral.
  if (task.facts.terms.verify === "requester" || !isBuiltIn(task.facts.kind)) return;
  const { sx, price_micro } = task.lease!;
  const node = new NodeFunds(unit, task);
  const funds = await node.read();
  const free = account.maturingAt(funds, at) + freeStake(funds, sx);
  const slash = slashMicro(price_micro, auditMicro(valid_audits, price_micro, free), free);
  if (slash > 0) await node.hold(slash, at);
}

export const freeCollateral = async (unit: Staging, task: Task, at: string): Promise<void> =>
  void (await new NodeFunds(unit, task).end(0, at));

/** Takes at most this much of the collateral; returns the taken amount. */
export async function takeCollateral(
  unit: Staging,
  task: Task,
  most_micro: number,
  at: string,
): Promise<number> {
  const node = new NodeFunds(unit, task);
  const { earned, staked } = await node.share();
  const taken = Math.min(most_micro, earned + staked);
  await node.end(taken, at);
  return taken;
}
