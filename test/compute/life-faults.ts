/** Faults at the end of a life, a sentence each; none if every honest actor has its money and no thief has more. */

import { isBuiltIn } from "../../src/domain/compute/kinds.ts";
import * as nodes from "../../src/domain/compute/node.ts";
import { sharesOf } from "../../src/domain/compute/pricing.ts";
import type { Task } from "../../src/domain/compute/task.ts";
import * as account from "../../src/domain/payments/account.ts";
import { HONEST_NODES, THIEVES } from "./life-plan.ts";
import { isHonest, type Life, type SubmittedTask } from "./life-world.ts";

type EndedTask = { of: SubmittedTask; task: Task };

export async function faultsOf(life: Life): Promise<string[]> {
  const all = await life.allTasks();
  const funds = new Map<string, account.AccountState>();
  for (const [who, { tenant }] of life.actors) funds.set(who, await life.accountOf(tenant));
  const slashes = await slashesIn(life);
  const has = (who: string) => {
    const { available, held, withdrawn, debt } = funds.get(who)!;
    return available + held + withdrawn - debt;
  };
  const faults = [...life.faults];
  const fault = (text: string) => void faults.push(text);

  for (const { of, task } of all)
    if (task.ended_at === null)
      fault(`${of.work} task ${task.facts.task_id} of ${of.by} has not ended: ${task.status}`);
  for (const [who, state] of funds) {
    for (const [hold_id, { amount_micro }] of state.holds)
      fault(`${who} has ${amount_micro} set aside for ${hold_id} though everything has ended`);
    const { credited, reversed, available, held, spent, withdrawn, debt } = state;
    if (credited - reversed !== available + held + spent + withdrawn - debt)
      fault(`the account of ${who} does not add up`);
    if (Math.min(available, held, spent, withdrawn) < 0) fault(`the account of ${who} is below zero`);
  }

  for (const who of HONEST_NODES) {
    const { sent } = life.actor(who);
    const earned = earnedBy(life, all, (by) => by === who);
    if (has(who) < sent + earned)
      fault(`the honest node ${who} was sent ${sent}, earned ${earned} and has ${has(who)}`);
  }
  const thieves = THIEVES.reduce((sum, who) => sum + has(who), 0);
  const sent = THIEVES.reduce((sum, who) => sum + life.actor(who).sent, 0);
  const fair = earnedBy(life, all, (by, { of }) => !isHonest(by) && of.by === "honest-requester");
  if (thieves > sent + fair)
    fault(`the thieves were sent ${sent}, earned ${fair} by right work and have ${thieves}`);
  const paid = all.reduce(
    (sum, one) =>
      one.of.by === "honest-requester" && isRight(life, one)
        ? sum + (one.task.settled?.price_micro ?? 0)
        : sum,
    0,
  );
  const requested = life.actor("honest-requester").sent + life.actor("history").sent;
  const left = has("honest-requester") + has("history");
  if (left < requested - paid)
    fault(`the honest requester was sent ${requested}, got right work for ${paid} and has ${left}`);

  const kept = all.reduce((sum, { task }) => sum + (task.settled?.fee_micro ?? 0), 0) + slashes.kept_micro;
  const total = [...life.actors.values()].reduce((sum, actor) => sum + actor.sent, 0);
  const now = [...funds.keys()].reduce((sum, who) => sum + has(who), 0);
  if (now + kept !== total) fault(`${total} were sent, accounts have ${now} and the service has ${kept}`);

  faults.push(...all.flatMap((one) => lendingFaults(one, all)), ...resultFaults(life, all, slashes.by_task));
  return faults;
}

const givenFor = (life: Life, { task }: EndedTask) =>
  life.given.find(({ task_id }) => task_id === task.facts.task_id);

const isRight = (life: Life, one: EndedTask) => givenFor(life, one)?.is_right === true;

/** Expected pay of these nodes for right, settled work. */
const earnedBy = (
  life: Life,
  all: readonly EndedTask[],
  who: (by: never, one: EndedTask) => boolean,
): number =>
  all.reduce((sum, one) => {
    const given = givenFor(life, one);
    const isPaid = given?.is_right && one.task.settled && who(given.by as never, one);
    return isPaid ? sum + sharesOf(one.task.lease!.price_micro).provider_micro : sum;
  }, 0);

/** A task goes once to each node, its copies to different ones, and a built-in kind costs at least its re-run. */
function lendingFaults({ of, task }: EndedTask, all: readonly EndedTask[]): string[] {
  const faults = [];
  const { task_id, terms, copy_of } = task.facts;
  if (task.lease && of.tenant === nodes.targetOf(task.lease.sx).tenant)
    faults.push(`a node got the ${of.work} task ${task_id} that its own agent had submitted`);
  if (terms.assign === null && task.failed_by.length < task.attempts - (task.status === "queued" ? 0 : 1))
    faults.push(`a node that failed the ${of.work} task ${task_id} got it again`);
  if (task.lease && isBuiltIn(task.facts.kind) && task.lease.price_micro < 1_000)
    faults.push(`the ${of.work} task ${task_id} cost ${task.lease.price_micro}, less than running it again`);
  const siblings = all.filter(
    (one) => copy_of !== null && one.task.facts.copy_of === copy_of && one.task.result,
  );
  const doers = siblings.map((one) => one.task.lease!.sx);
  if (new Set(doers).size < doers.length)
    faults.push(`one node did two copies of the ${of.work} task ${copy_of}`);
  return faults;
}

/** Right, checkable work is paid, and wrong work costs the collateral. */
function resultFaults(life: Life, all: readonly EndedTask[], slashed: ReadonlyMap<string, number>): string[] {
  return all.flatMap((one) => {
    const given = givenFor(life, one);
    const { task, of } = one;
    if (!given) return [];
    const about = `the ${of.work} task ${task.facts.task_id} of ${of.by}, done by ${given.by}`;
    const { verify } = task.facts.terms;
    const lost = slashed.get(task.facts.task_id);
    if (isHonest(given.by)) {
      if (lost !== undefined) return [`${about}: an honest node was slashed by ${lost}`];
      const isDecided = verify === "rerun" && task.audit?.verdict !== "inconclusive";
      const isJudged = verify === "requester" && of.by === "honest-requester";
      return (isDecided || isJudged) && task.status !== "settled"
        ? [`${about}: right work is ${task.status}`]
        : [];
    }
    if (!given.is_right && task.settled && of.by === "honest-requester" && isBuiltIn(task.facts.kind))
      return [`${about}: wrong work was paid`];
    const isWrong = !given.is_right && (task.audit?.verdict === "mismatch" || isLostCopy(task));
    if (!isWrong || !isBuiltIn(task.facts.kind)) return [];
    return (lost ?? 0) < given.at_stake
      ? [`${about}: ${given.at_stake} were at stake, and ${lost ?? 0} were lost`]
      : [];
  });
}

const isLostCopy = ({ compared, status, dispute }: Task) =>
  compared?.verdict === "differed" && status === "refunded" && dispute?.decided?.verdict !== "none";

/** Slashed amounts by task, and the part that no requester got. */
async function slashesIn(life: Life): Promise<{ by_task: Map<string, number>; kept_micro: number }> {
  const by_task = new Map<string, number>();
  let kept_micro = 0;
  for (const { node } of life.actors.values()) {
    if (!node) continue;
    const { tenant, id } = nodes.targetOf(node.sx);
    const recorded = await life.app.store.readStream({ tenant, stream_id: nodes.streamOf(id) });
    for (const { type, data } of life.app.eventsOf(nodes, recorded)) {
      if (type !== "NodeSlashed") continue;
      by_task.set(data.task_id, data.amount_micro);
      kept_micro += data.amount_micro;
    }
  }
  for (const { tenant } of life.actors.values()) {
    const recorded = await life.app.store.readStream({ tenant, stream_id: account.streamOf(tenant) });
    for (const { type, data } of life.app.eventsOf(account, recorded))
      if (type === "AccountCredited" && data.source.startsWith("slash:")) kept_micro -= data.amount_micro;
  }
  return { by_task, kept_micro };
}
