/**
 * The money that answers for a result. The commit that takes the result sets it aside, from what came in lately and from the stake, so that
 * no two results answer with the same money; the verdict gives it back or takes it.
 */

import type { InUnit } from "../../core/commands/unit.ts";
import { isBuiltIn } from "../../domain/compute/kinds.ts";
import * as nodes from "../../domain/compute/node.ts";
import { auditMicro, slashMicro } from "../../domain/compute/pricing.ts";
import type { Task } from "../../domain/compute/task.ts";
import * as account from "../../domain/payments/account.ts";

type Staging = Pick<InUnit, "decide" | "watch">;

/** The hold of what is set aside of the stake; what came in lately has `account.checkHoldOf`. */
const STAKE = "check-stake:";
const stakeShareOf = (task_id: string) => STAKE + task_id;

const amountOf = ({ holds }: account.AccountState, hold_id: string): number =>
  holds.get(hold_id)?.amount_micro ?? 0;

/** What of a stake is not set aside. Where there is a debt, a stake that is moved would pay it. */
const stakeIn = (funds: account.AccountState, sx: number): number =>
  funds.debt > 0 ? 0 : amountOf(funds, nodes.stakeHoldOf(sx));

/** All that is held as a stake, also what of it is set aside. */
const stakedIn = (funds: account.AccountState, sx: number): number =>
  [...funds.holds].reduce(
    (sum, [id, one]) => sum + (id.startsWith(STAKE) ? one.amount_micro : 0),
    amountOf(funds, nodes.stakeHoldOf(sx)),
  );

/** What is set aside for a task, by where it is from. Micro-USDC. */
type Share = { earned: number; staked: number };

const shareOf = (funds: account.AccountState, task_id: string): Share => ({
  earned: amountOf(funds, account.checkHoldOf(task_id)),
  staked: amountOf(funds, stakeShareOf(task_id)),
});

/** What a node loses at most where the result of this task is wrong: so much is set aside for it. Micro-USDC. */
export function setAsideFor(funds: account.AccountState, task_id: string): number {
  const { earned, staked } = shareOf(funds, task_id);
  return earned + staked;
}

/** A node's side of a task: its account, and what follows for a task of it. */
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

  /** Sets so much aside, first of what came in lately, then of the stake. */
  async hold(wanted_micro: number, at: string): Promise<void> {
    const funds = await this.read();
    const earned = Math.min(wanted_micro, account.maturingAt(funds, at));
    const staked = Math.min(wanted_micro - earned, stakeIn(funds, this.#sx));
    const hold = (hold_id: string, amount_micro: number) =>
      this.#decide(account.hold({ hold_id, amount_micro, for: "a check" }, at));
    if (earned > 0) await hold(account.checkHoldOf(this.#task_id), earned);
    if (staked === 0) return;
    await this.#moveStake(-staked, at, () => hold(stakeShareOf(this.#task_id), staked));
  }

  /** Takes so much of what is set aside, first of what came in lately, and gives the rest back. Answers how much of the stake is lost. */
  async end(taken_micro: number, at: string): Promise<number> {
    const { earned, staked } = await this.share();
    const ofEarned = Math.min(taken_micro, earned);
    const ofStake = Math.min(taken_micro - ofEarned, staked);
    if (earned > 0) await this.#decide(account.release(account.checkHoldOf(this.#task_id), ofEarned, at));
    if (staked === 0) return 0;
    await this.#decide(account.release(stakeShareOf(this.#task_id), ofStake, at));
    const { stake_micro } = nodes.registered(await this.#unit.watch(nodes, nodes.targetOf(this.#sx)));
    const funds = await this.read();
    // A stake that was given back meanwhile takes nothing back.
    const room = Math.max(0, stake_micro - ofStake - stakedIn(funds, this.#sx));
    const back = Math.min(staked - ofStake, room, funds.available);
    if (back > 0) await this.#moveStake(back, at);
    // The stake is what there is of it: neither what was lost, nor what had been given back before.
    const gone = Math.max(0, stake_micro - stakedIn(await this.read(), this.#sx));
    if (gone > 0)
      await this.#unit.decide(nodes, nodes.targetOf(this.#sx), nodes.loseStake(this.#sx, gone, at));
    return ofStake;
  }

  /** The hold of the stake becomes another one: a hold has one amount as long as it lasts. */
  async #moveStake(by_micro: number, at: string, between: () => Promise<unknown> = async () => undefined) {
    const hold_id = nodes.stakeHoldOf(this.#sx);
    const before = amountOf(await this.read(), hold_id);
    if (before > 0) await this.#decide(account.release(hold_id, 0, at));
    await between();
    const amount_micro = before + by_micro;
    if (amount_micro > 0) await this.#decide(account.hold({ hold_id, amount_micro, for: "a stake" }, at));
  }
}

/** Sets aside what a slash may take for this result. `valid_audits`: of the node, in a row. */
export async function setAside(unit: Staging, task: Task, valid_audits: number, at: string): Promise<void> {
  // Where the service cannot run the task, nobody can prove a result wrong: nothing answers for it.
  if (task.facts.terms.verify === "requester" || !isBuiltIn(task.facts.kind)) return;
  const { sx, price_micro } = task.lease!;
  const node = new NodeFunds(unit, task);
  const funds = await node.read();
  const free = account.maturingAt(funds, at) + stakeIn(funds, sx);
  const wanted = slashMicro(price_micro, auditMicro(valid_audits, price_micro, free), free);
  if (wanted > 0) await node.hold(wanted, at);
}

/** Gives back what is set aside, where something is. */
export const giveBack = async (unit: Staging, task: Task, at: string): Promise<void> =>
  void (await new NodeFunds(unit, task).end(0, at));

/** Takes so much at most of what is set aside; answers how much it was. */
export async function takeAside(unit: Staging, task: Task, most_micro: number, at: string): Promise<number> {
  const node = new NodeFunds(unit, task);
  const { earned, staked } = await node.share();
  const taken = Math.min(most_micro, earned + staked);
  await node.end(taken, at);
  return taken;
}
