/**
 * A task is paid work, leased to one node at a time.
 *
 *     queued ──lease──> leased ──result──> submitted ──audit│requester│window──> accepted ──settle──> settled
 *       │ ^               │ silence, at most 3 times            ├─mismatch──> refunded
 *       │ └───────────────┴──> dead_lettered                     └─reject──> rejected ──dispute──> disputed ──> accepted│refunded
 *       └─cancel│deadline──> cancelled│expired                               └─ no dispute ──> refunded
 *
 * Every end except settled frees the reserved money. The stream's version is the fence: of two concurrent decisions one
 * wins. A quorum task is `copied`: quorum.ts.
 */

import { refuse } from "../../core/model/refusal.ts";
import type { Act } from "../identity/act.ts";
import { isBuiltIn, LEAST_PRICE_MICRO } from "./kinds.ts";
import { priceOf, SURE_AFTER, sharesOf } from "./pricing.ts";
import { computeProblems } from "./problems.ts";
import type {
  AcceptanceData,
  AuditData,
  DecisionData,
  DisputeData,
  LeaseData,
  RejectionData,
  Result,
  TaskEvent,
  TaskFacts,
} from "./task-events.ts";
import { existing, type Task, type TaskState, type TaskStatus } from "./task-state.ts";
import type { WorkLease } from "./work-lease.ts";
import { isCurrent } from "./work-lease.ts";

export type { TaskEvent, TaskFacts } from "./task-events.ts";
export { events } from "./task-events.ts";
export type { Task, TaskState, TaskStatus } from "./task-state.ts";
export { evolve, existing, initialState, statuses } from "./task-state.ts";

/** The most leases of a task. */
export const MOST_ATTEMPTS = 3;
/** Seconds to dispute a rejection; SETTLE_S: until an accepted result settles by itself. */
export const DISPUTE_S = 86_400;
export const SETTLE_S = 86_400;
/** Seconds until a check that has not begun is late; CHECK_S: for how long it stays due. */
export const AUDIT_S = 600;
export const CHECK_S = 7 * 86_400;
/** Seconds for the operator to decide a dispute; after them nobody wins. */
export const DECIDE_S = 14 * 86_400;

export const prefix = "task-";
export const streamOf = (id: string) => prefix + id;
/** A task's stream belongs to its requester's tenant. */
export const targetOf = (tenant: string, task_id: string) => ({ tenant, id: task_id });

/** The requester's account reserves the price under this id. */
export const holdOf = (task_id: string) => `task:${task_id}`;

/** The lease of the result is over. */
export const refuseStale = () =>
  refuse(computeProblems["stale-lease"], "this lease is over: stop working on the task, and pull another");

export const submit =
  (facts: TaskFacts) =>
  (state: TaskState): TaskEvent[] =>
    state ? refuse("conflict", "this task exists already") : [{ type: "TaskSubmitted", data: facts }];

/** The price at a node's hourly rate; a built-in kind costs at least its re-run. */
export const priceFor = ({ kind, terms }: Pick<TaskFacts, "kind" | "terms">, hourly_rate_micro: number) =>
  Math.max(isBuiltIn(kind) ? LEAST_PRICE_MICRO : 1, priceOf(hourly_rate_micro, terms.limit_s));

/** `bound`: tenants on the node's own side, including itself. */
export type LeaseRequest = {
  sx: number;
  hourly_rate_micro: number;
  lease_sha256: string;
  bound: readonly string[];
};

/** Leases the task to a node at the node's rate; refuses a task that is not ready, or not for this node. */
export const lease =
  ({ sx, hourly_rate_micro, lease_sha256, bound }: LeaseRequest, requester: string, leased_at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = existing(state);
    const { terms } = task.facts;
    requireStatus(task, ["queued"], "lent");
    const isReady = task.ready_at <= leased_at && leased_at < terms.deadline_at;
    // A node that failed the task gets it again only if the requester chose that node.
    const isEligible = terms.assign === null ? !task.failed_by.includes(sx) : terms.assign === sx;
    const isFor = isEligible && !bound.includes(requester);
    const price_micro = priceFor(task.facts, hourly_rate_micro);
    if (!isReady || !isFor || price_micro > terms.max_price_micro)
      refuse(computeProblems["task-state"], "this node cannot lease this task; pull another");
    const limit_at = later(leased_at, terms.limit_s);
    const attempt = task.attempts + 1;
    return [{ type: "TaskLeased", data: { attempt, sx, lease_sha256, price_micro, leased_at, limit_at } }];
  };

const later = (at: string, seconds: number) => new Date(Date.parse(at) + seconds * 1_000).toISOString();

/** The pause after the nth failed lease: 5, 20, 80 seconds. */
export const backoffS = (attempt: number): number => 5 * 4 ** (attempt - 1);

type LeaseLoss = {
  attempt: number;
  reason: "silence" | "limit" | "failed";
  last_heartbeat_at: string | null;
};

/** Puts the task back after a failed lease; the third failure ends it. A lease that is over changes nothing. */
export const loseLease =
  ({ attempt, reason, last_heartbeat_at }: LeaseLoss, expired_at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = existing(state);
    if (task.status !== "leased" || task.lease?.attempt !== attempt) return [];
    const ready_at = later(expired_at, backoffS(attempt));
    const data = { attempt, reason, last_heartbeat_at, ready_at, expired_at };
    const lost: TaskEvent[] = [{ type: "TaskLeaseExpired", data }];
    if (attempt < MOST_ATTEMPTS) return lost;
    return [
      ...lost,
      { type: "TaskDeadLettered", data: { attempts: attempt, at: expired_at } },
      refunding(task, `${attempt} workers returned no result`, expired_at),
    ];
  };

/** Frees the reserved money. */
export const refunding = ({ facts }: Task, why: string, refunded_at: string): TaskEvent => ({
  type: "TaskRefunded",
  data: { back_micro: facts.terms.max_price_micro, why, refunded_at },
});

/** The worker's current lease; refuses with `stale-lease` if the digest names another. */
export function currentLease(state: TaskState, lease_sha256: string): LeaseData {
  const task = existing(state);
  return task.status === "leased" && isCurrent(task.lease, lease_sha256) ? task.lease! : refuseStale();
}

/** Repeatable with the same result; refuses another result, and callers without the lease. */
export const takeResult =
  (lease_sha256: string, result: Omit<Result, "attempt">) =>
  (state: TaskState): TaskEvent[] => {
    const task = existing(state);
    const isOwn = isCurrent(task.lease, lease_sha256);
    if (task.result && isOwn) {
      if (task.result.output_sha256 === result.output_sha256) return [];
      refuse(computeProblems["result-differs"], "this lease already has another result, which counts");
    }
    const { attempt } = currentLease(state, lease_sha256);
    return [{ type: "TaskResultSubmitted", data: { attempt, ...result } }];
  };

/** The effect of silence after an inconclusive check depends on the node's valid audits in a row. */
export const silenceBy = (valid_audits: number): "accepts" | "refunds" =>
  valid_audits >= SURE_AFTER ? "accepts" : "refunds";

export type AuditFacts = Omit<AuditData, "on_silence">;

/**
 * Records the service's re-run: a valid or void result is accepted, another refunded. After an inconclusive audit the
 * requester decides; its silence accepts or refunds. A check that never began stays due.
 */
export const audit =
  (facts: AuditFacts, on_silence: NonNullable<AuditData["on_silence"]> = "accepts") =>
  (state: TaskState): TaskEvent[] => {
    const task = existing(state);
    if (!awaitsAudit(task)) return [];
    const { verdict, audited_at: at, draw } = facts;
    const data = { ...facts, on_silence: verdict === "inconclusive" ? on_silence : null };
    const audited: TaskEvent = { type: "TaskAudited", data };
    if (verdict === "valid" || verdict === "void")
      return [audited, { type: "TaskAccepted", data: { by: "audit", draw, accepted_at: at } }];
    return verdict === "mismatch" ? [audited, refunding(task, "an audit got another result", at)] : [audited];
  };

/** The result waits for a re-run, or for a draw that skips it. */
export const awaitsAudit = ({ status, facts, audit }: Task): boolean =>
  status === "submitted" && facts.terms.verify === "rerun" && (audit === null || isLate(audit));

/** The check did not begin in time. */
const isLate = ({ verdict, engine_sha256 }: AuditData): boolean =>
  verdict === "inconclusive" && engine_sha256 === null;

/** True if no check found the result right, and none was made or its node has too little history. */
export const silenceRefunds = ({ audit }: Task): boolean =>
  audit !== null && (audit.on_silence === "refunds" || isLate(audit));

/** The deadline of an unchecked result that its requester has not accepted. */
function waitsUntil(task: Task): string {
  const ends = [task.facts.terms.deadline_at, windowEndsAt(task)];
  if (awaitsAudit(task)) ends.push(later(task.result!.submitted_at, CHECK_S));
  return ends.sort().at(-1)!;
}

/** No check could decide, and silence does not accept: the money is freed at the deadline. */
export const refundUnchecked =
  (at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = existing(state);
    if (task.status !== "submitted" || !silenceRefunds(task) || at < waitsUntil(task)) return [];
    return [refunding(task, "no check could say whether its result is right", at)];
  };

/** The draw skips the re-run. */
export const passUnaudited =
  (draw: AcceptanceData["draw"], accepted_at: string) =>
  (state: TaskState): TaskEvent[] =>
    awaitsAudit(existing(state)) ? [{ type: "TaskAccepted", data: { by: "draw", draw, accepted_at } }] : [];

/** The requester's silence accepts the result then. */
export const windowEndsAt = ({ facts, result, audit }: Task): string =>
  later(audit?.audited_at ?? result!.submitted_at, facts.terms.window_s);

/** The result waits for those of other copies. */
const awaitsOthers = ({ status, facts }: Task): boolean => status === "submitted" && facts.copy_of !== null;

function refuseUnjudged(task: Task): void {
  if (awaitsAudit(task) && task.audit === null)
    refuse(computeProblems["not-due"], "the service is about to check this result; retry in a few minutes");
  if (awaitsOthers(task))
    refuse(
      computeProblems["not-due"],
      "this result counts once enough copies of the task agree; retry later",
    );
}

/** The requester accepts, or was silent for window_s. */
export const accept =
  (by: "requester" | "window", accepted_at: string, act?: Act) =>
  (state: TaskState): TaskEvent[] => {
    const task = existing(state);
    if (task.accepted) return [];
    requireStatus(task, ["submitted"], "accepted");
    refuseUnjudged(task);
    const ends_at = windowEndsAt(task);
    if (by === "window" && silenceRefunds(task))
      refuse(
        computeProblems["not-due"],
        `no check could judge this result yet: unless the requester accepts the result before ${waitsUntil(task)}, the price is refunded`,
      );
    if (by === "window" && accepted_at < ends_at)
      refuse(
        computeProblems["not-due"],
        `the requester has until ${ends_at} to accept or reject this result`,
      );
    return [{ type: "TaskAccepted", data: { by, draw: null, accepted_at, ...(act && { act }) } }];
  };

/** The requester rejects in time; the worker can dispute that for a day. */
export const reject =
  (facts: RejectionData) =>
  (state: TaskState): TaskEvent[] => {
    const task = existing(state);
    if (task.status === "rejected") return [];
    requireStatus(task, ["submitted"], "rejected");
    refuseUnjudged(task);
    if (awaitsAudit(task))
      refuse(
        computeProblems["not-due"],
        "the service has not checked this result yet: accept it unchecked, or wait",
      );
    if (facts.rejected_at >= (silenceRefunds(task) ? waitsUntil(task) : windowEndsAt(task)))
      refuse(computeProblems["task-state"], `this result could be rejected until ${windowEndsAt(task)}`);
    return [{ type: "TaskRejected", data: facts }];
  };

export const disputableUntil = ({ rejected }: Task): string => later(rejected!.rejected_at, DISPUTE_S);

/** The worker disputes a rejection; both sides post a bond. */
export const dispute =
  (bonds: Pick<DisputeData, "bond_micro" | "requester_bond_micro">, disputed_at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = existing(state);
    if (task.status === "disputed") return [];
    requireStatus(task, ["rejected"], "disputed");
    if (disputed_at >= disputableUntil(task))
      refuse(
        computeProblems["task-state"],
        `this rejection could be disputed until ${disputableUntil(task)}`,
      );
    return [{ type: "TaskDisputed", data: { ...bonds, disputed_at } }];
  };

/** Pays the worker, or refunds the requester. `void_audit`: the re-run that shows the task to be void. */
export const decideDispute =
  (facts: DecisionData, void_audit?: AuditFacts) =>
  (state: TaskState): TaskEvent[] => {
    const task = existing(state);
    if (task.dispute?.decided) return [];
    requireStatus(task, ["disputed"], "decided");
    const { decided_at: at, verdict } = facts;
    const audited: TaskEvent[] = void_audit
      ? [{ type: "TaskAudited", data: { ...void_audit, on_silence: null } }]
      : [];
    const decided: TaskEvent[] = [...audited, { type: "TaskDisputeDecided", data: facts }];
    return verdict === "worker"
      ? [...decided, { type: "TaskAccepted", data: { by: "dispute", draw: null, accepted_at: at } }]
      : [...decided, refunding(task, "the dispute was decided that way", at)];
  };

/** Pays the worker of an accepted result; repeatable. */
export const settle =
  (settled_at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = existing(state);
    if (task.status === "settled") return [];
    requireStatus(task, ["accepted"], "settled");
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
    const task = existing(state);
    if (task.status !== "rejected") return [];
    if (at < disputableUntil(task))
      refuse(computeProblems["not-due"], `the rejection can be disputed until ${disputableUntil(task)}`);
    return [refunding(task, "it was rejected, and nobody disputed that", at)];
  };

/** Only before a lease. */
export const cancel =
  (cancelled_at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = existing(state);
    if (task.status === "cancelled") return [];
    requireStatus(task, ["queued"], "cancelled");
    return [
      { type: "TaskCancelled", data: { cancelled_at } },
      refunding(task, "it was cancelled", cancelled_at),
    ];
  };

/** No lease began before the deadline. */
export const expire =
  (expired_at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = existing(state);
    if (task.status !== "queued" || expired_at < task.facts.terms.deadline_at) return [];
    return [
      { type: "TaskExpired", data: { expired_at } },
      refunding(task, "nobody did it in time", expired_at),
    ];
  };

export const workLease = ({ status, lease }: Task): (WorkLease & { sx: number }) | null =>
  status === "leased" ? lease : null;

/** The time of the next automatic step; null if the task is over, or its worker's silence decides. */
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

function requireStatus({ status }: Task, allowed: readonly TaskStatus[], done: string): void {
  if (!allowed.includes(status))
    refuse(
      computeProblems["task-state"],
      `this task is ${status}; only one that is ${allowed.join(" or ")} can be ${done}`,
    );
}
