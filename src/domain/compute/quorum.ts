/**
 * A task that several nodes do. Each of its copies is a task of its own, with its own lease and its own part of the hold; what enough of
 * them come to is the result, and those that came to it are paid.
 */
import { refuse } from "../../core/model/refusal.ts";
import { computeProblems } from "./problems.ts";
import {
  type AuditFacts,
  evolve,
  refunding,
  settle,
  standing,
  type Task,
  type TaskEvent,
  type TaskFacts,
  type TaskState,
} from "./task.ts";
import type { Compared, Judged, Result } from "./task-events.ts";

export const copyId = (task_id: string, number: number): string => `${task_id}.${number}`;

/** The task that a copy is of, or the task itself: under it lie the bytes of all. */
export const ownerOf = (task_id: string): string => task_id.split(".")[0]!;

/** Whether it is done by several nodes, each a copy. */
export const isForSeveral = ({ terms, copy_of }: TaskFacts): boolean =>
  terms.quorum !== null && copy_of === null;

export const copyOf = (facts: TaskFacts, number: number, submitted_at: string): TaskFacts => ({
  ...facts,
  task_id: copyId(facts.task_id, number),
  copy_of: facts.task_id,
  submitted_at,
});

/** How many copies are made at once: so many are held for. */
const copiesOf = ({ facts }: Task): number => facts.terms.quorum!.copies;

/** The copies that are to be made next: of the first time one, and then the others; of the second time all. Undefined after that. */
export function nextCopies(task: Task): { first: number; last: number } | undefined {
  const copies = copiesOf(task);
  if (task.copies === 0) return { first: 1, last: 1 };
  if (task.copies < copies) return { first: task.copies + 1, last: copies };
  return task.copies === copies ? { first: copies + 1, last: 2 * copies } : undefined;
}

/** Copies of the second time: what was held for those of the first is back by then, and is held again. */
export const isSecondTime = (task: Task, first: number): boolean => first > copiesOf(task);

/** Copies that were held for and never made. */
export const neverMade = (task: Task): number[] =>
  Array.from({ length: copiesOf(task) }, (_, at) => at + 1).filter((number) => number > task.copies);

export const makeCopies =
  (copied_at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = standing(state);
    const next = task.judged ? undefined : nextCopies(task);
    return next ? [{ type: "TaskCopied", data: { ...next, copied_at } }] : [];
  };

/** A copy that came to what enough others did. */
export type Canonical = { number: number; output_sha256: string; exit: string; agreed: number };

/** What the copies that were made last have come to so far: enough the same, too little in common, or not known yet. */
export function outcomeOf(task: Task, copies: ReadonlyMap<number, Task>): Canonical | "none" | "waits" {
  const { copies: at_once, agree } = task.facts.terms.quorum!;
  const newest = [...copies].filter(([number]) => task.copies <= at_once || number > at_once);
  const same = new Map<string, Canonical>();
  for (const [number, { status, result }] of newest) {
    if (status !== "submitted" || !result) continue;
    const { output_sha256, exit } = result;
    const known = same.get(`${output_sha256} ${exit}`) ?? { number, output_sha256, exit, agreed: 0 };
    same.set(`${output_sha256} ${exit}`, { ...known, agreed: known.agreed + 1 });
  }
  const most = [...same.values()].find(({ agreed }) => agreed >= agree);
  if (most) return most;
  const isOpen = newest.some(([, { status }]) => status === "queued" || status === "leased");
  return isOpen || task.copies < at_once ? "waits" : "none";
}

/** What became of the task by its copies. Said once. */
export const judge =
  (judged: Judged) =>
  (state: TaskState): TaskEvent[] => {
    const task = standing(state);
    return task.judged ? [] : [{ type: "TaskJudged", data: judged }];
  };

/** Copies of which a result is in. */
export const submittedAmong = (copies: ReadonlyMap<number, Task>): [number, Result][] =>
  [...copies].flatMap(([number, { status, result }]) =>
    status === "submitted" && result ? [[number, result]] : [],
  );

/** A result of a copy that the service has run as well. */
export type OwnRun = Pick<Canonical, "output_sha256" | "exit">;

const isSame = (a: OwnRun, b: OwnRun) => a.output_sha256 === b.output_sha256 && a.exit === b.exit;

/** Whether results differ, of which one may lose money: the service looks itself where it can. */
export const differs = (task: Task, copies: ReadonlyMap<number, Task>): boolean => {
  const canonical = task.judged?.copy == null ? undefined : copies.get(task.judged.copy)?.result;
  const results = [...submittedAmong(copies).map(([, result]) => result), ...(canonical ? [canonical] : [])];
  return results.some((result) => !isSame(result, results[0]!));
};

/** The copies that came to what the service came to; undefined where none did. */
export function rightBy(own: OwnRun, copies: ReadonlyMap<number, Task>): Canonical | undefined {
  const right = submittedAmong(copies).filter(([, result]) => isSame(result, own));
  const [first] = right;
  return first && { ...own, number: first[0], agreed: right.length };
}

/** The task does not agree with itself: no result of it is wrong, and each is paid. */
export const payVoid =
  (facts: AuditFacts) =>
  (state: TaskState): TaskEvent[] => {
    if (standing(state).status !== "submitted") return [];
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

/** Nobody knows which result is right: this one is not paid, costs its node nothing, and can be disputed. */
export const leaveOut =
  (rejected_at: string) =>
  (state: TaskState): TaskEvent[] =>
    standing(state).status === "submitted"
      ? [{ type: "TaskRejected", data: { reason_sha256: null, rejected_at } }]
      : [];

/**
 * A copy's result is held against what the others came to: the same is accepted and paid, another one rejected, which can be disputed.
 * `draw`: by which it is the only one, and right.
 */
export const compare =
  (canonical: Pick<Canonical, "output_sha256" | "exit">, draw: Judged["draw"], at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = standing(state);
    if (task.status !== "submitted") return [];
    if (draw) return paid(state, [{ type: "TaskAccepted", data: { by: "draw", draw, accepted_at: at } }], at);
    const { output_sha256: canonical_sha256 } = canonical;
    const agrees = isSame(task.result!, canonical);
    const data: Compared = { verdict: agrees ? "agreed" : "differed", canonical_sha256, compared_at: at };
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

/** Nothing came of the copies, or this one is not needed any more: what was held for it goes back. Whoever works on it may end. */
export const dropCopy =
  (why: string, at: string) =>
  (state: TaskState): TaskEvent[] => {
    const task = standing(state);
    if (task.status === "submitted") return [refunding(task, why, at)];
    if (task.status !== "queued") return [];
    return [{ type: "TaskCancelled", data: { cancelled_at: at } }, refunding(task, why, at)];
  };

/** Its requester gives it up before anybody has begun a copy. */
export function refuseBegun(copies: ReadonlyMap<number, Task>): void {
  if ([...copies.values()].some(({ status, attempts }) => status !== "queued" || attempts > 0))
    refuse(
      computeProblems["task-state"],
      "a copy of this task was begun; only one that nobody has begun can be cancelled",
    );
}
