import { refuse } from "../../core/model/refusal.ts";
import { withoutAct } from "../identity/act.ts";
import type {
  AcceptanceData,
  AuditData,
  ComparisonData,
  DecisionData,
  DisputeData,
  JudgmentData,
  LeaseData,
  RejectionData,
  Result,
  SettlementData,
  TaskEvent,
  TaskFacts,
} from "./task-events.ts";

export const statuses = [
  "queued",
  "leased",
  "copied",
  "submitted",
  "accepted",
  "settled",
  "rejected",
  "disputed",
  "refunded",
  "cancelled",
  "expired",
  "dead_lettered",
] as const;
export type TaskStatus = (typeof statuses)[number];

const DISAGREED = "its copies had different results";

export type Task = {
  facts: TaskFacts;
  status: TaskStatus;
  /** Leases so far. */
  attempts: number;
  /** Passports of nodes that failed it. */
  failed_by: readonly number[];
  ready_at: string;
  /** The newest lease, live or over. */
  lease: LeaseData | null;
  result: Result | null;
  audit: AuditData | null;
  /** 0 for a task without copies, and for a copy. */
  copies: number;
  /** The verdict over its copies. */
  judged: JudgmentData | null;
  /** A copy's comparison with the canonical result. */
  compared: ComparisonData | null;
  accepted: AcceptanceData | null;
  rejected: RejectionData | null;
  dispute: (DisputeData & { decided: DecisionData | null }) | null;
  settled: SettlementData | null;
  refunded: { back_micro: number; why: string } | null;
  ended_at: string | null;
};
export type TaskState = Task | undefined;

export const initialState = (): TaskState => undefined;

export function evolve(state: TaskState, event: TaskEvent): TaskState {
  if (event.type === "TaskSubmitted")
    return {
      facts: event.data,
      status: "queued",
      attempts: 0,
      failed_by: [],
      ready_at: event.data.submitted_at,
      lease: null,
      result: null,
      audit: null,
      copies: 0,
      judged: null,
      compared: null,
      accepted: null,
      rejected: null,
      dispute: null,
      settled: null,
      refunded: null,
      ended_at: null,
    };
  return state && changed(state, event);
}

function changed(task: Task, event: Exclude<TaskEvent, { type: "TaskSubmitted" }>): Task {
  switch (event.type) {
    case "TaskLeased":
      return { ...task, status: "leased", attempts: event.data.attempt, lease: event.data };
    case "TaskLeaseExpired":
      return {
        ...task,
        status: "queued",
        ready_at: event.data.ready_at,
        failed_by: [...new Set([...task.failed_by, task.lease!.sx])],
      };
    case "TaskResultSubmitted":
      return { ...task, status: "submitted", result: event.data };
    case "TaskAudited":
      return { ...task, audit: event.data };
    case "TaskCopied":
      return { ...task, status: "copied", copies: event.data.last };
    case "TaskJudged": {
      const { verdict, judged_at: ended_at } = event.data;
      const judged = { ...task, judged: event.data, ended_at };
      if (verdict === "agreed") return { ...judged, status: "settled" };
      const { max_price_micro, quorum } = task.facts.terms;
      const refunded = { back_micro: max_price_micro * (quorum?.copies ?? 1), why: DISAGREED };
      return verdict === "none"
        ? { ...judged, status: "refunded", refunded }
        : { ...judged, status: "cancelled", refunded: { ...refunded, why: "it was cancelled" } };
    }
    case "TaskCompared":
      return { ...task, compared: event.data };
    case "TaskAccepted":
      return { ...task, status: "accepted", accepted: withoutAct(event.data) };
    case "TaskRejected":
      return { ...task, status: "rejected", rejected: withoutAct(event.data) };
    case "TaskDisputed":
      return { ...task, status: "disputed", dispute: { ...event.data, decided: null } };
    case "TaskDisputeDecided":
      return { ...task, dispute: task.dispute && { ...task.dispute, decided: event.data } };
    case "TaskSettled":
      return { ...task, status: "settled", settled: event.data, ended_at: event.data.settled_at };
    case "TaskRefunded": {
      const { back_micro, why, refunded_at } = event.data;
      const isOver = ["cancelled", "expired", "dead_lettered"].includes(task.status);
      const status = isOver ? task.status : "refunded";
      return { ...task, status, refunded: { back_micro, why }, ended_at: refunded_at };
    }
    case "TaskCancelled":
      return { ...task, status: "cancelled" };
    case "TaskExpired":
      return { ...task, status: "expired" };
    case "TaskDeadLettered":
      return { ...task, status: "dead_lettered" };
  }
}

/** Refuses with `not_found` if there is none. */
export const existing = (state: TaskState): Task => state ?? refuse("not_found", "there is no such task");
