/**
 * A task: work that somebody has paid for, lent to one node at a time.
 *
 *     queued ──lease──> leased ──result──> submitted ──audit│requester│window──> accepted ──settle──> settled
 *       │ ^               │ no sign of life, at most 3 times     ├─mismatch──> refunded
 *       │ └───────────────┴──> dead_lettered                     └─reject──> rejected ──dispute──> disputed ──> accepted│refunded
 *       └─cancel│deadline──> cancelled│expired                               └─ nobody disputes ──> refunded
 *
 * Each end but settled gives back what was held. The stream's version is the fence: of two that decide, one does. A task that several nodes
 * do is `copied`: quorum.ts.
 */

import { refuse } from "../../core/model/refusal.ts";
import type { WorkLease } from "../../core/model/work-lease.ts";
import { isCurrent } from "../../core/model/work-lease.ts";
import { isBuiltIn, LEAST_PRICE_MICRO } from "./kinds.ts";
import { priceOf, SURE_AFTER, sharesOf } from "./pricing.ts";
import { computeProblems } from "./problems.ts";
import type {
  Accepted,
  Audited,
  DisputeDecided,
  Disputed,
  Leased,
  Rejected,
  Result,
  TaskEvent,
  TaskFacts,
} from "./task-events.ts";
import { standing, type Task, type TaskState, type TaskStatus } from "./task-state.ts";

export type { TaskEvent, TaskFacts } from "./task-events.ts";
export { events } from "./task-events.ts";
export type { Task, TaskState, TaskStatus } from "./task-state.ts";
export { evolve, initialState, standing, statuses } from "./task-state.ts";

/** Times that a task is lent before it is given up. */
export const MOST_ATTEMPTS = 3;
/** Seconds in which a rejected result can be disputed, and after which an accepted one is settled by itself. */
export const DISPUTE_S = 86_400;
export const SETTLE_S = 86_400;
/** Seconds after which a check that nobody began is late, and seconds for which it stays due. */
export const AUDIT_S = 600;
export const CHECK_S = 7 * 86_400;
/** Seconds in which the operator decides a dispute, or nobody is right. */
export const DECIDE_S = 14 * 86_400;

export const prefix = "task-";
export const streamOf = (id: string) => prefix + id;
/** Where a task lies: in its requester's tenant. */
export const targetOf = (tenant: string, task_id: string) => ({ tenant, id: task_id });

/** The hold of the requester's account that pays for it. */
export const holdOf = (task_id: string) => `task:${task_id}`;

/** What a worker is told of a result that does not count any more. */
export const refuseStale = () =>
  refuse(computeProblems["stale-lease"], "this lease is over: stop working on the task, and pull another");

export const submit =
  (facts: TaskFacts) =>
  (state: TaskState): TaskEvent[] =>
    state ? refuse("conflict", "this task was submitted before") : [{ type: "TaskSubmitted", data: facts }];

/** What a node that asks so much an hour is paid for a task; of a built-in kind enough that running it again is paid for. */
export const priceFor = ({ kind, terms }: Pick<TaskFacts, "kind" | "terms">, hourly_rate_micro: number) =>
  Math.max(isBuiltIn(kind) ? LEAST_PRICE_MICRO : 1, priceOf(hourly_rate_micro, terms.limit_s));

/** `bound`: tenants that are one hand with the node, its own among them. */
export type Wanted = {
  sx: number;
  hourly_rate_micro: number;
  lease_sha256: string;
  bound: readonly string[];
};

/** Lends it to a node, for what the node asks. Refuses where it is not to be had, or not by this one. */
export const lease =
  ({ sx, hourly_rate_micro, lease_sha256, bound }: Wanted, requester: string, leased_at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = standing(state);
    const { terms } = task.facts;
    inState(task, ["queued"], "lent");
    const isReady = task.ready_at <= leased_at && leased_at < terms.deadline_at;
    // A node that failed it does not get it again, unless its requester wants that one alone.
    const isWanted = terms.assign === null ? !task.failed_by.includes(sx) : terms.assign === sx;
    const isFor = isWanted && !bound.includes(requester);
    const price_micro = priceFor(task.facts, hourly_rate_micro);
    if (!isReady || !isFor || price_micro > terms.max_price_micro)
      refuse(computeProblems["task-state"], "this task is not for this node, or not now");
    const limit_at = later(leased_at, terms.limit_s);
    const attempt = task.attempts + 1;
    return [{ type: "TaskLeased", data: { attempt, sx, lease_sha256, price_micro, leased_at, limit_at } }];
  };

const later = (at: string, seconds: number) => new Date(Date.parse(at) + seconds * 1_000).toISOString();

/** Seconds that a task waits after its nth lease came to nothing: 5, 20, 80. */
export const backoffS = (attempt: number): number => 5 * 4 ** (attempt - 1);

type Lost = { attempt: number; reason: "silence" | "limit" | "failed"; last_heartbeat_at: string | null };

/** A lease came to nothing: the task is lent again, or is given up with the third. Of a lease that is over already, nothing. */
export const loseLease =
  ({ attempt, reason, last_heartbeat_at }: Lost, expired_at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = standing(state);
    if (task.status !== "leased" || task.lease?.attempt !== attempt) return [];
    const ready_at = later(expired_at, backoffS(attempt));
    const data = { attempt, reason, last_heartbeat_at, ready_at, expired_at };
    const lost: TaskEvent[] = [{ type: "TaskLeaseExpired", data }];
    if (attempt < MOST_ATTEMPTS) return lost;
    return [
      ...lost,
      { type: "TaskDeadLettered", data: { attempts: attempt, at: expired_at } },
      refunding(task, `${attempt} workers came to nothing`, expired_at),
    ];
  };

/** What was held for it goes back. */
export const refunding = ({ facts }: Task, why: string, refunded_at: string): TaskEvent => ({
  type: "TaskRefunded",
  data: { back_micro: facts.terms.max_price_micro, why, refunded_at },
});

/** The lease that a worker holds now; `stale-lease` where its digest names another one. */
export function currentLease(state: TaskState, lease_sha256: string): Leased {
  const task = standing(state);
  return task.status === "leased" && isCurrent(task.lease, lease_sha256) ? task.lease! : refuseStale();
}

/** What came of it. The same again is no news, another result is refused, and so is whoever does not hold the lease. */
export const takeResult =
  (lease_sha256: string, result: Omit<Result, "attempt">) =>
  (state: TaskState): TaskEvent[] => {
    const task = standing(state);
    const isOwn = isCurrent(task.lease, lease_sha256);
    if (task.result && isOwn) {
      if (task.result.output_sha256 === result.output_sha256) return [];
      refuse(computeProblems["result-differs"], "another result of this lease was recorded, and stands");
    }
    const { attempt } = currentLease(state, lease_sha256);
    return [{ type: "TaskResultSubmitted", data: { attempt, ...result } }];
  };

/** What the requester's silence does after an inconclusive check, by how many valid audits in a row the node has. */
export const silenceBy = (valid_audits: number): "accepts" | "refunds" =>
  valid_audits >= SURE_AFTER ? "accepts" : "refunds";

export type AuditFacts = Omit<Audited, "on_silence">;

/**
 * The service ran it again. A valid result is accepted, and so is each of a task that does not agree with itself; another one is refunded.
 * An inconclusive audit leaves it to the requester, whose silence accepts or refunds. A check that nobody began stays due.
 */
export const audit =
  (facts: AuditFacts, on_silence: NonNullable<Audited["on_silence"]> = "accepts") =>
  (state: TaskState): TaskEvent[] => {
    const task = standing(state);
    if (!awaitsAudit(task)) return [];
    const { verdict, audited_at: at, draw } = facts;
    const data = { ...facts, on_silence: verdict === "inconclusive" ? on_silence : null };
    const audited: TaskEvent = { type: "TaskAudited", data };
    if (verdict === "valid" || verdict === "void")
      return [audited, { type: "TaskAccepted", data: { by: "audit", draw, accepted_at: at } }];
    return verdict === "mismatch"
      ? [audited, refunding(task, "an audit came to another result", at)]
      : [audited];
  };

/** Whether a result waits for the service to run it again, or to draw that it need not. */
export const awaitsAudit = ({ status, facts, audit }: Task): boolean =>
  status === "submitted" && facts.terms.verify === "rerun" && (audit === null || isLate(audit));

/** The check was not begun in its time. */
const isLate = ({ verdict, engine_sha256 }: Audited): boolean =>
  verdict === "inconclusive" && engine_sha256 === null;

/** Whether the requester's silence refunds: no check has found the result right, and none was made or its node has too little history. */
export const silenceRefunds = ({ audit }: Task): boolean =>
  audit !== null && (audit.on_silence === "refunds" || isLate(audit));

/** When a result is refunded that no check has found right and its requester has not accepted. */
function waitsUntil(task: Task): string {
  const ends = [task.facts.terms.deadline_at, windowEndsAt(task)];
  if (awaitsAudit(task)) ends.push(later(task.result!.submitted_at, CHECK_S));
  return ends.sort().at(-1)!;
}

/** No check could say whether the result is right, and silence does not accept it: what was held goes back at the deadline. */
export const refundUnchecked =
  (at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = standing(state);
    if (task.status !== "submitted" || !silenceRefunds(task) || at < waitsUntil(task)) return [];
    return [refunding(task, "no check could say whether its result is right", at)];
  };

/** The draw says that it need not be run again. */
export const passUnaudited =
  (draw: Accepted["draw"], accepted_at: string) =>
  (state: TaskState): TaskEvent[] =>
    awaitsAudit(standing(state)) ? [{ type: "TaskAccepted", data: { by: "draw", draw, accepted_at } }] : [];

/** When a result is accepted because its requester has said nothing. */
export const windowEndsAt = ({ facts, result, audit }: Task): string =>
  later(audit?.audited_at ?? result!.submitted_at, facts.terms.window_s);

/** Whether a result waits for those of other copies. */
const awaitsOthers = ({ status, facts }: Task): boolean => status === "submitted" && facts.copy_of !== null;

function refuseUnjudged(task: Task): void {
  if (awaitsAudit(task) && task.audit === null)
    refuse(
      computeProblems["not-due"],
      "the service is about to check this result; ask again in some minutes",
    );
  if (awaitsOthers(task))
    refuse(
      computeProblems["not-due"],
      "this result counts once enough copies of the task have come to the same; ask again later",
    );
}

/** The requester says yes, or says nothing for as long as it had. */
export const accept =
  (by: "requester" | "window", accepted_at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = standing(state);
    if (task.accepted) return [];
    inState(task, ["submitted"], "accepted");
    refuseUnjudged(task);
    const ends_at = windowEndsAt(task);
    if (by === "window" && silenceRefunds(task))
      refuse(
        computeProblems["not-due"],
        `no check could say yet whether this result is right: its requester accepts it before ${waitsUntil(task)}, or it is refunded`,
      );
    if (by === "window" && accepted_at < ends_at)
      refuse(
        computeProblems["not-due"],
        `the requester has until ${ends_at} to accept or reject this result`,
      );
    return [{ type: "TaskAccepted", data: { by, draw: null, accepted_at } }];
  };

/** The requester says no, in time. What was rejected can be disputed for a day. */
export const reject =
  (facts: Rejected) =>
  (state: TaskState): TaskEvent[] => {
    const task = standing(state);
    if (task.status === "rejected") return [];
    inState(task, ["submitted"], "rejected");
    refuseUnjudged(task);
    if (awaitsAudit(task))
      refuse(
        computeProblems["not-due"],
        "the service has yet to check this result: accept it without, or wait for the check",
      );
    if (facts.rejected_at >= (silenceRefunds(task) ? waitsUntil(task) : windowEndsAt(task)))
      refuse(
        computeProblems["task-state"],
        `the time to reject this result was over at ${windowEndsAt(task)}`,
      );
    return [{ type: "TaskRejected", data: facts }];
  };

/** Until when a rejected result can be disputed. */
export const disputableUntil = ({ rejected }: Task): string => later(rejected!.rejected_at, DISPUTE_S);

/** The worker contradicts a rejection: both sides put up a bond. */
export const dispute =
  (bonds: Pick<Disputed, "bond_micro" | "requester_bond_micro">, disputed_at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = standing(state);
    if (task.status === "disputed") return [];
    inState(task, ["rejected"], "disputed");
    if (disputed_at >= disputableUntil(task))
      refuse(computeProblems["task-state"], `the time to dispute was over at ${disputableUntil(task)}`);
    return [{ type: "TaskDisputed", data: { ...bonds, disputed_at } }];
  };

/** Who was right: the worker is paid, or the requester gets back what was held. `void_audit`: the run that shows the task to be void. */
export const decideDispute =
  (facts: DisputeDecided, void_audit?: AuditFacts) =>
  (state: TaskState): TaskEvent[] => {
    const task = standing(state);
    if (task.dispute?.decided) return [];
    inState(task, ["disputed"], "decided");
    const { decided_at: at, verdict } = facts;
    const audited: TaskEvent[] = void_audit
      ? [{ type: "TaskAudited", data: { ...void_audit, on_silence: null } }]
      : [];
    const decided: TaskEvent[] = [...audited, { type: "TaskDisputeDecided", data: facts }];
    return verdict === "worker"
      ? [...decided, { type: "TaskAccepted", data: { by: "dispute", draw: null, accepted_at: at } }]
      : [...decided, refunding(task, "the dispute was decided so", at)];
  };

/** Pays the worker of an accepted result. Settled before, it is the same. */
export const settle =
  (settled_at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = standing(state);
    if (task.status === "settled") return [];
    inState(task, ["accepted"], "settled");
    const { sx, price_micro } = task.lease!;
    const back_micro = task.facts.terms.max_price_micro - price_micro;
    return [
      { type: "TaskSettled", data: { sx, price_micro, ...sharesOf(price_micro), back_micro, settled_at } },
    ];
  };

/** Nobody disputed the rejection in time. */
export const refundRejected =
  (at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = standing(state);
    if (task.status !== "rejected") return [];
    if (at < disputableUntil(task))
      refuse(computeProblems["not-due"], `the rejection can be disputed until ${disputableUntil(task)}`);
    return [refunding(task, "it was rejected, and nobody disputed that", at)];
  };

/** Its requester gives it up before anybody has begun it. */
export const cancel =
  (cancelled_at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = standing(state);
    if (task.status === "cancelled") return [];
    inState(task, ["queued"], "cancelled");
    return [
      { type: "TaskCancelled", data: { cancelled_at } },
      refunding(task, "it was cancelled", cancelled_at),
    ];
  };

/** Nobody has begun it in time. */
export const expire =
  (expired_at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = standing(state);
    if (task.status !== "queued" || expired_at < task.facts.terms.deadline_at) return [];
    return [
      { type: "TaskExpired", data: { expired_at } },
      refunding(task, "nobody did it in time", expired_at),
    ];
  };

/** The lease of a task that is worked on. */
export const workLease = ({ status, lease }: Task): (WorkLease & { sx: number }) | null =>
  status === "leased" ? lease : null;

/** When something happens by itself where nobody does anything; null of what is over, or waits for a worker's sign of life. */
export function dueAt(task: Task): string | null {
  switch (task.status) {
    case "queued":
      return task.facts.terms.deadline_at;
    case "submitted":
      if (awaitsOthers(task)) return null;
      if (silenceRefunds(task)) return waitsUntil(task);
      return awaitsAudit(task) ? later(task.result!.submitted_at, AUDIT_S) : windowEndsAt(task);
    case "accepted":
      return later(task.accepted!.accepted_at, SETTLE_S);
    case "rejected":
      return disputableUntil(task);
    case "disputed":
      return later(task.dispute!.disputed_at, DECIDE_S);
    default:
      return null;
  }
}

function inState({ status }: Task, allowed: readonly TaskStatus[], wanted: string): void {
  if (!allowed.includes(status))
    refuse(
      computeProblems["task-state"],
      `this task is ${status}; only one that is ${allowed.join(" or ")} can be ${wanted}`,
    );
}
