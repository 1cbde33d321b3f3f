/**
 * Judges quorum tasks: once enough copies agree, they are paid and others are rejected. The first copy runs alone. If
 * its node has enough valid audits and a draw allows it, that copy suffices; otherwise the others follow.
 */
import type { App } from "../../core/app.ts";
import { reactor, unlessRefused } from "../../core/background/reactor.ts";
import type { InUnit } from "../../core/commands/unit.ts";
import { isBuiltIn } from "../../domain/compute/kinds.ts";
import { SURE_AFTER } from "../../domain/compute/pricing.ts";
import * as quorum from "../../domain/compute/quorum.ts";
import type { Task } from "../../domain/compute/task.ts";
import * as tasks from "../../domain/compute/task.ts";
import type { Draw, TaskFacts } from "../../domain/compute/task-events.ts";
import * as account from "../../domain/payments/account.ts";
import { findNode, nodesProjection } from "../../projections/compute/nodes.ts";
import { type TaskKey, tasksProjection, unjudgedTasks } from "../../projections/compute/tasks.ts";
import { spentBy } from "../../projections/payments/accounts.ts";
import { drawFor } from "./draw.ts";
import { FairQueue, OWN_QUEUE_MICRO, type WaitingTask } from "./fair-queue.ts";
import { isSame, mostMs, type Output, type Rerun, rerun } from "./rerun.ts";
import { stepTask } from "./steps.ts";

const command = { meta: { actor: "reactor:compute", operation: "compute.quorum" } };

export const quorumReactor = reactor({
  name: "compute.quorum",
  every_ms: 500,
  memory: () => ({ queue: new FairQueue() }),
  async take({ app, memory, signal }) {
    const current = await Promise.all([app.caughtUp(tasksProjection), app.caughtUp(nodesProjection)]);
    const unjudged = await unjudgedTasks(app.pool, OWN_QUEUE_MICRO);
    const differing: DifferingTask[] = [];
    for (const key of unjudged) {
      if (signal.aborted) return "done";
      const both = await readLatest(app, key);
      if (isToRun(both)) differing.push({ key, facts: both.task.facts, ...waitingOf(key, both) });
      else await unlessRefused(app.commit((unit) => judgeCopies(unit, app, key, null), command));
    }
    // A run takes a while, so only one per tick: other tasks are judged meanwhile.
    const next = memory.queue.next(await withSpent(app, differing), app.clock.now().getTime());
    if (next && !signal.aborted) await unlessRefused(judgeByRun(app, memory.queue, next));
    return unjudged.length === 0 && current.every(Boolean) ? "idle" : "done";
  },
  failures: { failed: "copies of tasks are not compared; trying again" },
  resumed: "copies of tasks are compared again",
});

/** Without a decision no commit detects another process's writes, so read the streams again. */
async function readLatest(app: App, { tenant, task_id }: TaskKey): Promise<TaskWithCopies> {
  const task = tasks.existing(await app.load(tasks, tasks.targetOf(tenant, task_id)));
  const copies = new Map<number, Task>();
  for (let number = 1; number <= task.copies; number++) {
    const target = tasks.targetOf(tenant, quorum.copyId(task_id, number));
    copies.set(number, tasks.existing(await app.load(tasks, target)));
  }
  return { task, copies };
}

/** The service runs a built-in task whenever its results are about to be judged. */
function isToRun({ task, copies }: TaskWithCopies): boolean {
  if (!isBuiltIn(task.facts.kind)) return false;
  if (task.judged) return task.judged.verdict === "agreed" && quorum.differs(task, copies);
  return quorum.submittedAmong(copies).length > 0 && quorum.outcomeOf(task, copies) !== "waits";
}

type DifferingTask = Omit<WaitingTask, "spent_micro"> & { key: TaskKey; facts: TaskFacts };

async function withSpent(
  app: App,
  differing: readonly DifferingTask[],
): Promise<(DifferingTask & WaitingTask)[]> {
  if (differing.length === 0) return [];
  const spent = await spentBy(
    app.pool,
    differing.map(({ tenant }) => tenant),
  );
  return differing.map((one) => ({ ...one, spent_micro: spent.get(one.tenant) ?? 0 }));
}

const waitingOf = (
  { tenant }: TaskKey,
  { task: { facts }, copies }: TaskWithCopies,
): Omit<WaitingTask, "spent_micro"> => ({
  tenant,
  price_micro: Math.max(...[...copies.values()].map(({ lease }) => lease?.price_micro ?? 0)),
  position: Date.parse(facts.submitted_at),
});

async function judgeByRun(app: App, queue: FairQueue, next: DifferingTask & WaitingTask): Promise<void> {
  const { key, facts } = next;
  const { copies } = await readLatest(app, key);
  const results = [...copies.values()].flatMap(({ result }) => result ?? []);
  await queue.run(
    next,
    mostMs(facts),
    () => app.clock.now().getTime(),
    async () => {
      const own = await rerun(app, facts, results);
      await app.commit(async (unit) => {
        // A new result may differ, and one run proves nothing against it: the next tick runs the task again.
        const { copies: now } = await withCopies(unit, key);
        const isNew = ({ result }: Task) =>
          result !== undefined && result !== null && !results.some((one) => isSame(one, result));
        if (typeof own === "object" && own !== null && [...now.values()].some(isNew)) return;
        await judgeCopies(unit, app, key, own);
      }, command);
    },
  );
}

type Staging = Pick<InUnit, "decide" | "watch">;
type TaskWithCopies = { task: Task; copies: ReadonlyMap<number, Task> };

/** Reads the task and its copies as part of the commit. */
export async function withCopies(
  { watch }: Pick<Staging, "watch">,
  { tenant, task_id }: TaskKey,
): Promise<{ task: Task; copies: Map<number, Task> }> {
  const task = tasks.existing(await watch(tasks, tasks.targetOf(tenant, task_id)));
  const copies = new Map<number, Task>();
  for (let number = 1; number <= task.copies; number++) {
    const target = tasks.targetOf(tenant, quorum.copyId(task_id, number));
    copies.set(number, tasks.existing(await watch(tasks, target)));
  }
  return { task, copies };
}

/** `own`: the service's own result; null = not run. */
async function judgeCopies(unit: Staging, app: App, key: TaskKey, own: Rerun | null): Promise<void> {
  const at = app.clock.now().toISOString();
  const { task, copies } = await withCopies(unit, key);
  // Another result arrived: the next tick runs the task.
  if (own === null && isToRun({ task, copies })) return;
  const judgment: Judgment = { at, own, engine_sha256: app.executor.engine_sha256 };
  if (task.judged) return endCopies(unit, key, { task, copies }, judgment);
  if (own !== null && typeof own === "object") await rejectWrong(unit, key, copies, { own, at });
  const outcome = await outcomeBy(app, own, quorum.outcomeOf(task, copies), copies);
  if (outcome === "unchecked") return refund(unit, key, { task, copies }, at);
  if (outcome === "none" && copies.size > task.facts.terms.quorum!.copies)
    return refund(unit, key, { task, copies }, at);
  if (outcome === "none") return startSecondRound(unit, key, { task, copies }, at);
  if (outcome !== "waits") return agree(unit, key, { task, copies }, { ...outcome, draw: null }, judgment);
  const [first] = copies.values();
  if (copies.size > 1 || !first || first.status === "queued") return;
  const draw = await drawOnFirst(app, first);
  if (draw === "not yet") return;
  if (!draw) {
    await makeCopies(unit, key, at);
    return;
  }
  const { output_sha256, exit } = first.result!;
  const only = { number: 1, output_sha256, exit, agreed: 1, draw };
  return agree(unit, key, { task, copies }, only, judgment);
}

type Judgment = { at: string; own: Rerun | null; engine_sha256: string };

/** Rejects results that differ from the service's own at once; running copies may still be right. */
async function rejectWrong(
  unit: Staging,
  key: TaskKey,
  copies: Map<number, Task>,
  { own, at }: { own: Output; at: string },
): Promise<void> {
  for (const [number, { output_sha256, exit }] of quorum.submittedAmong(copies))
    if (!isSame({ output_sha256, exit }, own)) {
      const { task } = await stepTask(unit, copyKey(key, number), quorum.compare(own, null, at));
      copies.set(number, task);
    }
}

/**
 * The service's own result counts, whatever the copies say. If it could not run the task, an agreement needs a node
 * with ten valid audits in a row: others might have prevented the check on purpose.
 */
async function outcomeBy(
  app: App,
  own: Rerun | null,
  outcome: ReturnType<typeof quorum.outcomeOf>,
  copies: ReadonlyMap<number, Task>,
): Promise<quorum.Canonical | "none" | "waits" | "unchecked"> {
  if (own === null || outcome === "waits") return outcome;
  if (own === "unknown")
    return outcome === "none" || (await isVouched(app, outcome, copies)) ? outcome : "unchecked";
  if (own !== "void") return quorum.rightBy(own, copies) ?? outcome;
  const [first] = quorum.submittedAmong(copies);
  if (outcome !== "none" || !first) return outcome;
  const [number, { output_sha256, exit }] = first;
  return { number, output_sha256, exit, agreed: 1 };
}

async function isVouched(app: App, canonical: Output, copies: ReadonlyMap<number, Task>): Promise<boolean> {
  for (const { status, result, lease } of copies.values())
    if (status === "submitted" && result && isSame(result, canonical)) {
      const node = await findNode(app.pool, lease!.sx);
      if ((node?.valid_audits ?? 0) >= SURE_AFTER) return true;
    }
  return false;
}

/** The draw that accepts the only copy; null = make the others, also if its node has nothing to lose. */
async function drawOnFirst(app: App, first: Task): Promise<Draw | null | "not yet"> {
  if (!isBuiltIn(first.facts.kind)) return null;
  if (first.status !== "leased" && first.status !== "submitted") return null;
  const node = await findNode(app.pool, first.lease!.sx);
  if ((node?.valid_audits ?? 0) < SURE_AFTER) return null;
  if (first.status === "leased") return "not yet";
  const draw = await drawFor(app, first);
  return draw && !draw.audits ? draw : null;
}

const copyKey = ({ tenant, task_id }: TaskKey, number: number): TaskKey => ({
  ...{ tenant, task_id: quorum.copyId(task_id, number) },
});

export async function makeCopies(unit: Staging, key: TaskKey, at: string): Promise<Task> {
  const { task, events } = await stepTask(unit, key, quorum.makeCopies(at));
  for (const { type, data } of events)
    if (type === "TaskCopied")
      for (let number = data.first; number <= data.last; number++)
        await stepTask(unit, copyKey(key, number), tasks.submit(quorum.copyOf(task.facts, number, at)));
  return task;
}

/** Too little agreement: makes a second round of copies before the deadline, once. */
async function startSecondRound(
  unit: Staging,
  key: TaskKey,
  both: TaskWithCopies,
  at: string,
): Promise<void> {
  if (at >= both.task.facts.terms.deadline_at) return refund(unit, key, both, at);
  await dropCopies(unit, key, both, DISAGREED, at);
  const { max_price_micro, quorum: quorumTerms } = both.task.facts.terms;
  const { available } = await unit.watch(account, account.targetOf(key.tenant));
  // The requester may have spent the freed money meanwhile.
  if (available < max_price_micro * quorumTerms!.copies) await judgeNone(unit, key, at);
  else await makeCopies(unit, key, at);
}

const DISAGREED = "its copies had different results";

async function refund(unit: Staging, key: TaskKey, both: TaskWithCopies, at: string): Promise<void> {
  await dropCopies(unit, key, both, DISAGREED, at);
  await judgeNone(unit, key, at);
}

const judgeNone = (unit: Staging, key: TaskKey, at: string) =>
  stepTask(unit, key, quorum.judge({ verdict: "none", ...NOTHING, judged_at: at }));

const NOTHING = { canonical_sha256: null, copy: null, agreed: 0, draw: null };

async function dropCopies(unit: Staging, key: TaskKey, { copies }: TaskWithCopies, why: string, at: string) {
  for (const number of copies.keys()) await stepTask(unit, copyKey(key, number), quorum.dropCopy(why, at));
}

type Agreement = quorum.Canonical & { draw: Draw | null };

async function agree(
  unit: Staging,
  key: TaskKey,
  both: TaskWithCopies,
  { number: copy, output_sha256, agreed, draw }: Agreement,
  judgment: Judgment,
): Promise<void> {
  const judged = { canonical_sha256: output_sha256, copy, agreed, draw, judged_at: judgment.at };
  const { task } = await stepTask(unit, key, quorum.judge({ verdict: "agreed", ...judged }));
  await endCopies(unit, key, { ...both, task }, judgment);
}

/** Compares the results of a judged task with its canonical one, and drops copies without a worker. */
async function endCopies(unit: Staging, key: TaskKey, { task, copies }: TaskWithCopies, judgment: Judgment) {
  const { verdict, copy } = task.judged!;
  const canonical = copy === null ? undefined : copies.get(copy)?.result;
  for (const [number, one] of copies) {
    const decision =
      verdict === "agreed" && canonical && one.status === "submitted"
        ? endResult(one.result!, canonical, task.judged!.draw, judgment)
        : quorum.dropCopy("the copy is no longer needed", judgment.at);
    await stepTask(unit, copyKey(key, number), decision);
  }
}

function endResult(
  result: Output,
  canonical: Output,
  draw: Draw | null,
  { at, own, engine_sha256 }: Judgment,
): (state: tasks.TaskState) => tasks.TaskEvent[] {
  if (own === "void")
    return quorum.payVoid({
      verdict: "void",
      expected_sha256: null,
      engine_sha256,
      draw: null,
      audited_at: at,
    });
  if (own === "unknown" && !isSame(result, canonical)) return quorum.rejectUndecided(at);
  return quorum.compare(own === null || own === "unknown" ? canonical : own, draw, at);
}

/** Only before a copy has begun. */
export async function cancelCopies(unit: Staging, key: TaskKey, at: string): Promise<Task> {
  const { task, copies } = await withCopies(unit, key);
  if (task.judged?.verdict === "cancelled") return task;
  quorum.refuseBegun(copies);
  for (const number of copies.keys()) await stepTask(unit, copyKey(key, number), tasks.cancel(at));
  const decision = quorum.judge({ verdict: "cancelled", ...NOTHING, judged_at: at });
  return (await stepTask(unit, key, decision)).task;
}
