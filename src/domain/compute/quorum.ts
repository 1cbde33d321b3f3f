/**
 * Several nodes do a quorum task. Each copy is a task with its own lease and its own share of the reserved money. The
 * result is what enough copies agree on, and those copies are paid.
 */
import { refuse } from "../../core/model/refusal.ts";
import { computeProblems } from "./problems.ts";
import {
  type AuditFacts,
  evolve,
  existing,
  refunding,
  settle,
  type Task,
  type TaskEvent,
  type TaskFacts,
  type TaskState,
} from "./task.ts";
import type { ComparisonData, JudgmentData, Result } from "./task-events.ts";

export const copyId = (task_id: string, number: number): string => `${task_id}.${number}`;

/** The original of a copy, or the task itself: its id names the stored bytes of all copies. */
export const ownerOf = (task_id: string): string => task_id.split(".")[0]!;

export const isQuorumTask = ({ terms, copy_of }: TaskFacts): boolean =>
  terms.quorum !== null && copy_of === null;

export const copyOf = (facts: TaskFacts, number: number, submitted_at: string): TaskFacts => ({
  ...facts,
  task_id: copyId(facts.task_id, number),
  copy_of: facts.task_id,
  submitted_at,
});

/** Copies made at once; the requester's account reserves money for each. */
const copiesOf = ({ facts }: Task): number => facts.terms.quorum!.copies;

/** The next copies to make: in the first round one, then the others; in the second all. undefined = no more. */
export function nextCopies(task: Task): { first: number; last: number } | undefined {
  const copies = copiesOf(task);
  if (task.copies === 0) return { first: 1, last: 1 };
  if (task.copies < copies) return { first: task.copies + 1, last: copies };
  return task.copies === copies ? { first: copies + 1, last: 2 * copies } : undefined;
}

/** Money of first-round copies is free again by the second round, which reserves anew. */
export const isSecondTime = (task: Task, first: number): boolean => first > copiesOf(task);

/** Copies with reserved money that were never made. */
export const unmadeCopies = (task: Task): number[] =>
  Array.from({ length: copiesOf(task) }, (_, at) => at + 1).filter((number) => number > task.copies);

export const makeCopies =
  (copied_at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = existing(state);
    const next = task.judged ? undefined : nextCopies(task);
    return next ? [{ type: "TaskCopied", data: { ...next, copied_at } }] : [];
  };

/** The result that enough copies agree on. */
export type Canonical = { number: number; output_sha256: string; exit: string; agreed: number };

/** The newest round's outcome: agreement, none possible, or still open. */
export function outcomeOf(task: Task, copies: ReadonlyMap<number, Task>): Canonical | "none" | "waits" {
  const { copies: at_once, agree } = task.facts.terms.quorum!;
  const newest = [...copies].filter(([number]) => task.copies <= at_once || number > at_once);
  const same = new Map<string, Canonical>();
  for (const [number, { status, result }] of newest) {
    if (status !== "submitted" || !result) continue;
    const { output_sha256, exit } = result;
    const entry = same.get(`${output_sha256} ${exit}`) ?? { number, output_sha256, exit, agreed: 0 };
    same.set(`${output_sha256} ${exit}`, { ...entry, agreed: entry.agreed + 1 });
  }
  const most = [...same.values()].find(({ agreed }) => agreed >= agree);
  if (most) return most;
  const isOpen = newest.some(([, { status }]) => status === "queued" || status === "leased");
  return isOpen || task.copies < at_once ? "waits" : "none";
}

/** Repeatable: a judged task is unchanged. */
export const judge =
  (judged: JudgmentData) =>
  (state: TaskState): TaskEvent[] => {
    const task = existing(state);
    return task.judged ? [] : [{ type: "TaskJudged", data: judged }];
  };

/** Copies with a result. */
export const submittedAmong = (copies: ReadonlyMap<number, Task>): [number, Result][] =>
  [...copies].flatMap(([number, { status, result }]) =>
    status === "submitted" && result ? [[number, result]] : [],
  );

/** The service's own result of a copy. */
export type OwnRun = Pick<Canonical, "output_sha256" | "exit">;

const isSame = (a: OwnRun, b: OwnRun) => a.output_sha256 === b.output_sha256 && a.exit === b.exit;

/** If results differ, one node may lose money, so the service runs the task itself where it can. */
export const differs = (task: Task, copies: ReadonlyMap<number, Task>): boolean => {
  const canonical = task.judged?.copy == null ? undefined : copies.get(task.judged.copy)?.result;
  const results = [...submittedAmong(copies).map(([, result]) => result), ...(canonical ? [canonical] : [])];
  return results.some((result) => !isSame(result, results[0]!));
};

/** Copies with the service's own result; undefined = none. */
export function rightBy(own: OwnRun, copies: ReadonlyMap<number, Task>): Canonical | undefined {
  const right = submittedAmong(copies).filter(([, result]) => isSame(result, own));
  const [first] = right;
  return first && { ...own, number: first[0], agreed: right.length };
}

/** The task is not deterministic: no result is wrong, and each is paid. */
export const payVoid =
  (facts: AuditFacts) =>
  (state: TaskState): TaskEvent[] => {
    if (existing(state).status !== "submitted") return [];
    const at = facts.audited_at;
    return paid(
      state,
      [
        { type: "TaskAudited", data: { ...facts, on_silence: null } },
        { type: "TaskAccepted", data: { by: "audit", draw: null, accepted_at: at } },
      ],
      at,
    );
  };

/** No check can decide: this result is not paid, costs its node nothing, and can be disputed. */
export const rejectUndecided =
  (rejected_at: string) =>
  (state: TaskState): TaskEvent[] =>
    existing(state).status === "submitted"
      ? [{ type: "TaskRejected", data: { reason_sha256: null, rejected_at } }]
      : [];

/**
 * Accepts and pays a result that equals the canonical one; rejects another, which can be disputed. `draw` accepts the
 * only copy.
 */
export const compare =
  (canonical: Pick<Canonical, "output_sha256" | "exit">, draw: JudgmentData["draw"], at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = existing(state);
    if (task.status !== "submitted") return [];
    if (draw) return paid(state, [{ type: "TaskAccepted", data: { by: "draw", draw, accepted_at: at } }], at);
    const { output_sha256: canonical_sha256 } = canonical;
    const agrees = isSame(task.result!, canonical);
    const data: ComparisonData = {
      verdict: agrees ? "agreed" : "differed",
      canonical_sha256,
      compared_at: at,
    };
    const compared: TaskEvent = { type: "TaskCompared", data };
    if (!agrees) return [compared, { type: "TaskRejected", data: { reason_sha256: null, rejected_at: at } }];
    return paid(
      state,
      [compared, { type: "TaskAccepted", data: { by: "quorum", draw: null, accepted_at: at } }],
      at,
    );
  };

const paid = (state: TaskState, accepted: TaskEvent[], at: string): TaskEvent[] => [
  ...accepted,
  ...settle(at)(accepted.reduce(evolve, state)),
];

/** Frees the money of a copy that is not needed; its worker may finish. */
export const dropCopy =
  (why: string, at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = existing(state);
    if (task.status === "submitted") return [refunding(task, why, at)];
    if (task.status !== "queued") return [];
    return [{ type: "TaskCancelled", data: { cancelled_at: at } }, refunding(task, why, at)];
  };

/** Only a task without a begun copy can be cancelled. */
export function refuseBegun(copies: ReadonlyMap<number, Task>): void {
  if ([...copies.values()].some(({ status, attempts }) => status !== "queued" || attempts > 0))
    refuse(
      computeProblems["task-state"],
      "a node has begun a copy of this task, so it can no longer be cancelled",
    );
}
