/**
 * Whenever enough copies of a task have come to the same, that is its result: those copies are paid, others are rejected. The first copy
 * goes out alone: where its node is sure enough and a draw says so, it is enough; else the others follow once it is begun.
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
import { type NamedTask, tasksProjection, unjudgedTasks } from "../../projections/compute/tasks.ts";
import { spentBy } from "../../projections/payments/accounts.ts";
import { drawFor } from "./draw.ts";
import { FairTurns, OWN_TURN_MICRO, type Waiting } from "./fair-turns.ts";
import { isSame, mostMs, type Output, type Rerun, rerun } from "./rerun.ts";
import { stepTask } from "./steps.ts";

const command = { meta: { actor: "reactor:compute", operation: "compute.quorum" } };

export const quorumReactor = reactor({
  name: "compute.quorum",
  every_ms: 500,
  memory: () => ({ turns: new FairTurns() }),
  async take({ app, memory, signal }) {
    const current = await Promise.all([app.caughtUp(tasksProjection), app.caughtUp(nodesProjection)]);
    const unjudged = await unjudgedTasks(app.pool, OWN_TURN_MICRO);
    const differing: Differing[] = [];
    for (const named of unjudged) {
      if (signal.aborted) return "done";
      const found = await readAfresh(app, named);
      if (isToRun(found)) differing.push({ named, facts: found.task.facts, ...waitingOf(named, found) });
      else await unlessRefused(app.commit((unit) => judgeCopies(unit, app, named, null), command));
    }
    // What has to be run takes a while: one a turn, so that others are judged meanwhile.
    const next = memory.turns.next(await withSpent(app, differing), app.clock.now().getTime());
    if (next && !signal.aborted) await unlessRefused(judgeByRun(app, memory.turns, next));
    return unjudged.length === 0 && current.every(Boolean) ? "idle" : "done";
  },
  troubles: { failed: "copies of tasks are not held against each other; trying again" },
  resumed: "copies of tasks are held against each other again",
});

/** Where nothing is decided no commit would find that another process has moved on. */
async function readAfresh(app: App, { tenant, task_id }: NamedTask): Promise<Found> {
  const task = tasks.standing(await app.load(tasks, tasks.targetOf(tenant, task_id)));
  const copies = new Map<number, Task>();
  for (let number = 1; number <= task.copies; number++) {
    const target = tasks.targetOf(tenant, quorum.copyId(task_id, number));
    copies.set(number, tasks.standing(await app.load(tasks, target)));
  }
  return { task, copies };
}

/** Whether the service runs it before anybody is paid or loses anything: of a built-in kind each time that results are to be judged. */
function isToRun({ task, copies }: Found): boolean {
  if (!isBuiltIn(task.facts.kind)) return false;
  if (task.judged) return task.judged.verdict === "agreed" && quorum.differs(task, copies);
  return quorum.submittedAmong(copies).length > 0 && quorum.outcomeOf(task, copies) !== "waits";
}

type Differing = Omit<Waiting, "spent_micro"> & { named: NamedTask; facts: TaskFacts };

async function withSpent(app: App, differing: readonly Differing[]): Promise<(Differing & Waiting)[]> {
  if (differing.length === 0) return [];
  const spent = await spentBy(
    app.pool,
    differing.map(({ tenant }) => tenant),
  );
  return differing.map((one) => ({ ...one, spent_micro: spent.get(one.tenant) ?? 0 }));
}

const waitingOf = (
  { tenant }: NamedTask,
  { task: { facts }, copies }: Found,
): Omit<Waiting, "spent_micro"> => ({
  tenant,
  price_micro: Math.max(...[...copies.values()].map(({ lease }) => lease?.price_micro ?? 0)),
  position: Date.parse(facts.submitted_at),
});

async function judgeByRun(app: App, turns: FairTurns, next: Differing & Waiting): Promise<void> {
  const { named, facts } = next;
  const { copies } = await readAfresh(app, named);
  const results = [...copies.values()].flatMap(({ result }) => result ?? []);
  await turns.run(
    next,
    mostMs(facts),
    () => app.clock.now().getTime(),
    async () => {
      const own = await rerun(app, facts, results);
      await app.commit(async (unit) => {
        // A result that came meanwhile may differ, and a single run says nothing against it: the next turn runs it.
        const { copies: now } = await withCopies(unit, named);
        const isNew = ({ result }: Task) =>
          result !== undefined && result !== null && !results.some((one) => isSame(one, result));
        if (typeof own === "object" && own !== null && [...now.values()].some(isNew)) return;
        await judgeCopies(unit, app, named, own);
      }, command);
    },
  );
}

type Staging = Pick<InUnit, "decide" | "watch">;
type Found = { task: Task; copies: ReadonlyMap<number, Task> };

/** A task and its copies by number, as the commit finds them. */
export async function withCopies(
  { watch }: Pick<Staging, "watch">,
  { tenant, task_id }: NamedTask,
): Promise<{ task: Task; copies: Map<number, Task> }> {
  const task = tasks.standing(await watch(tasks, tasks.targetOf(tenant, task_id)));
  const copies = new Map<number, Task>();
  for (let number = 1; number <= task.copies; number++) {
    const target = tasks.targetOf(tenant, quorum.copyId(task_id, number));
    copies.set(number, tasks.standing(await watch(tasks, target)));
  }
  return { task, copies };
}

/** `own`: what the service came to itself; null where it did not run it. */
async function judgeCopies(unit: Staging, app: App, named: NamedTask, own: Rerun | null): Promise<void> {
  const at = app.clock.now().toISOString();
  const { task, copies } = await withCopies(unit, named);
  // Another result came in meanwhile: the next turn runs it.
  if (own === null && isToRun({ task, copies })) return;
  const judging: Judging = { at, own, engine_sha256: app.executor.engine_sha256 };
  if (task.judged) return endCopies(unit, named, { task, copies }, judging);
  if (own !== null && typeof own === "object") await rejectWrong(unit, named, copies, { own, at });
  const outcome = await outcomeBy(app, own, quorum.outcomeOf(task, copies), copies);
  if (outcome === "unchecked") return refund(unit, named, { task, copies }, at);
  if (outcome === "none" && copies.size > task.facts.terms.quorum!.copies)
    return refund(unit, named, { task, copies }, at);
  if (outcome === "none") return again(unit, named, { task, copies }, at);
  if (outcome !== "waits") return agree(unit, named, { task, copies }, { ...outcome, draw: null }, judging);
  const [first] = copies.values();
  if (copies.size > 1 || !first || first.status === "queued") return;
  const draw = await drawOnFirst(app, first);
  if (draw === "not yet") return;
  if (!draw) {
    await makeCopies(unit, named, at);
    return;
  }
  const { output_sha256, exit } = first.result!;
  const only = { number: 1, output_sha256, exit, agreed: 1, draw };
  return agree(unit, named, { task, copies }, only, judging);
}

type Judging = { at: string; own: Rerun | null; engine_sha256: string };

/** Results that differ from what the service came to are rejected at once; whoever works on a copy still may be right. */
async function rejectWrong(
  unit: Staging,
  named: NamedTask,
  copies: Map<number, Task>,
  { own, at }: { own: Output; at: string },
): Promise<void> {
  for (const [number, { output_sha256, exit }] of quorum.submittedAmong(copies))
    if (!isSame({ output_sha256, exit }, own)) {
      const { task } = await stepTask(unit, namedCopy(named, number), quorum.compare(own, null, at));
      copies.set(number, task);
    }
}

/**
 * Where the service has run the task, what it came to counts, however many came to something else. Where it could not, nodes agree on a
 * result only if one of them has ten valid audits in a row: others might have seen to it that no check can be made.
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

/** The draw by which the first copy is enough; null where the others are made: also where its node has nothing to lose by it. */
async function drawOnFirst(app: App, first: Task): Promise<Draw | null | "not yet"> {
  if (!isBuiltIn(first.facts.kind)) return null;
  if (first.status !== "leased" && first.status !== "submitted") return null;
  const node = await findNode(app.pool, first.lease!.sx);
  if ((node?.valid_audits ?? 0) < SURE_AFTER) return null;
  if (first.status === "leased") return "not yet";
  const draw = await drawFor(app, first);
  return draw && !draw.audits ? draw : null;
}

const namedCopy = ({ tenant, task_id }: NamedTask, number: number): NamedTask => ({
  ...{ tenant, task_id: quorum.copyId(task_id, number) },
});

/** Makes the copies that are next, each a task that others may begin. */
export async function makeCopies(unit: Staging, named: NamedTask, at: string): Promise<Task> {
  const { task, events } = await stepTask(unit, named, quorum.makeCopies(at));
  for (const { type, data } of events)
    if (type === "TaskCopied")
      for (let number = data.first; number <= data.last; number++)
        await stepTask(unit, namedCopy(named, number), tasks.submit(quorum.copyOf(task.facts, number, at)));
  return task;
}

/** Too little in common: as many are made again, once, as long as somebody may begin them. */
async function again(unit: Staging, named: NamedTask, found: Found, at: string): Promise<void> {
  if (at >= found.task.facts.terms.deadline_at) return refund(unit, named, found, at);
  await dropCopies(unit, named, found, DISAGREED, at);
  const { max_price_micro, quorum: wanted } = found.task.facts.terms;
  const { available } = await unit.watch(account, account.targetOf(named.tenant));
  // What came back of copies that were given up before may be spent on something else by now.
  if (available < max_price_micro * wanted!.copies) await judgeNone(unit, named, at);
  else await makeCopies(unit, named, at);
}

const DISAGREED = "its copies did not come to the same";

async function refund(unit: Staging, named: NamedTask, found: Found, at: string): Promise<void> {
  await dropCopies(unit, named, found, DISAGREED, at);
  await judgeNone(unit, named, at);
}

const judgeNone = (unit: Staging, named: NamedTask, at: string) =>
  stepTask(unit, named, quorum.judge({ verdict: "none", ...NOTHING, judged_at: at }));

const NOTHING = { canonical_sha256: null, copy: null, agreed: 0, draw: null };

async function dropCopies(unit: Staging, named: NamedTask, { copies }: Found, why: string, at: string) {
  for (const number of copies.keys())
    await stepTask(unit, namedCopy(named, number), quorum.dropCopy(why, at));
}

type Agreed = quorum.Canonical & { draw: Draw | null };

async function agree(
  unit: Staging,
  named: NamedTask,
  found: Found,
  { number: copy, output_sha256, agreed, draw }: Agreed,
  judging: Judging,
): Promise<void> {
  const judged = { canonical_sha256: output_sha256, copy, agreed, draw, judged_at: judging.at };
  const { task } = await stepTask(unit, named, quorum.judge({ verdict: "agreed", ...judged }));
  await endCopies(unit, named, { ...found, task }, judging);
}

/** Of a task that is over: results that came are held against its own, and copies that nobody works on are dropped. */
async function endCopies(unit: Staging, named: NamedTask, { task, copies }: Found, judging: Judging) {
  const { verdict, copy } = task.judged!;
  const canonical = copy === null ? undefined : copies.get(copy)?.result;
  for (const [number, one] of copies) {
    const decision =
      verdict === "agreed" && canonical && one.status === "submitted"
        ? endResult(one.result!, canonical, task.judged!.draw, judging)
        : quorum.dropCopy("it is not needed any more", judging.at);
    await stepTask(unit, namedCopy(named, number), decision);
  }
}

function endResult(
  result: Output,
  canonical: Output,
  draw: Draw | null,
  { at, own, engine_sha256 }: Judging,
): (state: tasks.TaskState) => tasks.TaskEvent[] {
  if (own === "void")
    return quorum.payVoid({
      verdict: "void",
      expected_sha256: null,
      engine_sha256,
      draw: null,
      audited_at: at,
    });
  if (own === "unknown" && !isSame(result, canonical)) return quorum.leaveOut(at);
  return quorum.compare(own === null || own === "unknown" ? canonical : own, draw, at);
}

/** Its requester gives it up before anybody has begun a copy. */
export async function cancelCopies(unit: Staging, named: NamedTask, at: string): Promise<Task> {
  const { task, copies } = await withCopies(unit, named);
  if (task.judged?.verdict === "cancelled") return task;
  quorum.refuseBegun(copies);
  for (const number of copies.keys()) await stepTask(unit, namedCopy(named, number), tasks.cancel(at));
  const decision = quorum.judge({ verdict: "cancelled", ...NOTHING, judged_at: at });
  return (await stepTask(unit, named, decision)).task;
}
