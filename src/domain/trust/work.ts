/**
 * Evidence of a task: its worker was paid, our re-run refuted its result, or a side lost a dispute. Each counts once
 * the accounts have moved its money, in whichever order the events come.
 */
import type { NodeEvent } from "../compute/node.ts";
import * as node from "../compute/node.ts";
import { bondHoldOf, type Side, sides } from "../compute/pricing.ts";
import type { TaskEvent } from "../compute/task.ts";
import * as task from "../compute/task.ts";
import type { AccountEvent } from "../payments/account.ts";

/** An event, with its UTC day since 1970-01-01. */
export type At = { event_id: string; day: number };

export type Work = {
  /** The tenant that pays. */
  requester: string;
  limit_ms: number;
  /** The passport of the node with the last lease; null before the first. */
  sx: number | null;
  leased_at: string | null;
  /** At that lease, both sides were one tenant, wallet or delegation. */
  linked: boolean;
  settled: (At & { price_micro: number; provider_micro: number; fee_micro: number }) | null;
  /** Taken from the requester's account; null while reserved. */
  spent_micro: number | null;
  /** Paid into the worker's account. */
  earned_micro: number | null;
  /** Our own re-run had another result. */
  refuted: boolean;
  /** The task is not deterministic, so its payment is not evidence. */
  is_void: boolean;
  slashed: At | null;
  decided: (At & { lost: Side }) | null;
  /** Sides that lost their bond. */
  bonds_lost: Side[];
};

/** An event of a task or of its money. `tenant`: the owner of its stream. */
export type WorkEvent = (TaskEvent | AccountEvent | NodeEvent) & { tenant: string } & At;

export const begun = (requester: string, limit_s: number): Work => ({
  requester,
  limit_ms: limit_s * 1_000,
  sx: null,
  leased_at: null,
  linked: false,
  settled: null,
  spent_micro: null,
  earned_micro: null,
  refuted: false,
  is_void: false,
  slashed: null,
  decided: null,
  bonds_lost: [],
});

const TASK = task.holdOf("");

/** The task that an account's or a node's event is about, if any. */
export function taskOfEvent(event: AccountEvent | NodeEvent): string | undefined {
  switch (event.type) {
    case "AccountCredited":
      return after(TASK, event.data.source);
    case "AccountHoldReleased":
      return [TASK, ...sides.map((side) => bondHoldOf("", side))].flatMap(
        (prefix) => after(prefix, event.data.hold_id) ?? [],
      )[0];
    case "NodeSlashed":
      return event.data.task_id;
    default:
      return undefined;
  }
}

const after = (prefix: string, text: string): string | undefined =>
  text.startsWith(prefix) ? text.slice(prefix.length) : undefined;

/** `linked`: for a lease, both sides are bound to each other then. */
export function evolve(work: Work, event: WorkEvent, task_id: string, linked: boolean): Work {
  const { event_id, day, tenant } = event;
  switch (event.type) {
    case "TaskLeased":
      return { ...work, sx: event.data.sx, leased_at: event.data.leased_at, linked };
    case "TaskAudited":
      return {
        ...work,
        refuted: event.data.verdict === "mismatch",
        is_void: event.data.verdict === "void",
      };
    case "TaskDisputeDecided": {
      const { verdict } = event.data;
      if (verdict === "none") return work;
      return {
        ...work,
        decided: { event_id, day, lost: verdict === "worker" ? "requester" : "worker" },
      };
    }
    case "TaskSettled": {
      const { price_micro, provider_micro, fee_micro } = event.data;
      return { ...work, settled: { event_id, day, price_micro, provider_micro, fee_micro } };
    }
    case "NodeSlashed":
      return isWorker(work, tenant) ? { ...work, slashed: { event_id, day } } : work;
    case "AccountCredited":
      return isWorker(work, tenant) ? { ...work, earned_micro: event.data.amount_micro } : work;
    case "AccountHoldReleased": {
      const { hold_id, spent_micro } = event.data;
      if (hold_id === task.holdOf(task_id))
        return tenant === work.requester ? { ...work, spent_micro } : work;
      const lost = sides.filter((side) => {
        const isOwn = side === "worker" ? isWorker(work, tenant) : tenant === work.requester;
        return isOwn && spent_micro > 0 && hold_id === bondHoldOf(task_id, side);
      });
      return { ...work, bonds_lost: [...work.bonds_lost, ...lost] };
    }
    default:
      return work;
  }
}

const isWorker = ({ sx }: Work, tenant: string) => sx !== null && node.targetOf(sx).tenant === tenant;

/** Its worker was paid from the requester's reserved money, for a deterministic task. */
export const isPaid = ({ settled, is_void, spent_micro, earned_micro }: Work): boolean =>
  settled !== null &&
  !is_void &&
  spent_micro === settled.price_micro &&
  earned_micro === settled.provider_micro;

/** The event that costs points, and whose; undefined = none. */
export function faultOf(work: Work): (At & { of: Side }) | undefined {
  if (work.refuted && work.slashed && work.spent_micro === 0) return { ...work.slashed, of: "worker" };
  const { decided } = work;
  return decided && work.bonds_lost.includes(decided.lost) ? { ...decided, of: decided.lost } : undefined;
}
