/**
 * A worker pulls tasks from a market, runs them in sandboxes, signs the results, and is paid. It uses the service
 * by HTTP alone.
 */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { canonicalText } from "../../eventstore/canonical.ts";
import type { JsonObject } from "../../eventstore/types.ts";
import { pause } from "../core/coordination/concurrency.ts";
import { digestOf } from "../core/model/objects.ts";
import type { ExecutionResult, Executor } from "../core/model/ports/executor.ts";
import { Refusal } from "../core/model/refusal.ts";
import { type BuiltIn, isBuiltIn, readKind } from "../domain/compute/kinds.ts";
import { receiptText } from "../domain/compute/receipt.ts";
import { AUDIT_S } from "../domain/compute/task.ts";
import { compactJws, type WorkingAgent } from "./agent.ts";
import { CallRefused, type Calls } from "./calls.ts";

export type NodeOffer = { hourly_rate_usd: number; max_concurrent: number; kinds: readonly BuiltIn[] };

/** A task's outcome at this worker. `status`: its status at the service; `lost` if another worker has it. */
export type TaskOutcome = {
  task_id: string;
  task_type: string;
  attempt: number;
  exit: "ok" | "limit" | "failed" | "lost";
  used_ms: number;
  price_usd: string;
  status: string;
};

export type WorkerReport =
  | { event: "online"; agent_id: string; sx_id: string; offer: NodeOffer }
  | { event: "away"; reason: string }
  | ({ event: "task" } & TaskOutcome)
  | { event: "paid"; task_id: string; provider_usd: string }
  | { event: "draining"; running: number };

const nodeShown = z.looseObject({ sx_id: z.string() });
const lent = z.looseObject({
  task_id: z.string(),
  task_type: z.string(),
  input_data: z.record(z.string(), z.unknown()),
  lease_id: z.string(),
  lease_sha256: z.string(),
  attempt: z.int(),
  price_usd: z.string(),
  limit_at: z.string(),
  limit_s: z.number(),
  input_sha256: z.string(),
  origin: z.string(),
});
type Lent = z.infer<typeof lent>;
const pulled = z.looseObject({ task: lent.nullable() });
const heard = z.looseObject({
  next_in_s: z.number(),
  leases: z.array(z.looseObject({ lease_id: z.string(), lost: z.boolean() })),
});
const taskShown = z.looseObject({ status: z.string(), provider_usd: z.string().nullable() });
const listed = z.looseObject({ tasks: z.array(z.looseObject({ task_id: z.string() })) });

const WAIT_S = 25;
/** The pause before the next pull of a node with all its leases in use, or that its owner paused. */
const BUSY_MS = 250;
const PAUSED_MS = 5_000;
/** The interval of claims for accepted results while results wait for their check. */
const CLAIM_MS = 2_000;
/** A stopping worker waits no longer for an unavailable service. */
const LEAVING_MS = 10_000;

export type WorkerParts = {
  calls: Calls;
  agent: WorkingAgent;
  executor: Executor;
  offer: NodeOffer;
  tell: (report: WorkerReport) => void;
  now?: () => Date;
};

/** Works until `stopping` aborts. Then it pulls no more tasks and sends the results of those it has. */
export async function work(parts: WorkerParts, stopping: AbortSignal): Promise<void> {
  const { calls, agent, offer, tell } = parts;
  const { agent_id } = agent;
  const { hourly_rate_usd, max_concurrent, kinds } = offer;
  const registration = { agent_id, capabilities: ["cpu"], hourly_rate_usd, max_concurrent, kinds };
  const { sx_id } = await calls.ask("/soul/node/register", nodeShown, { body: registration });
  const { next_in_s } = await calls.ask("/soul/node/heartbeat", heard, { body: { agent_id, leases: [] } });
  await calls.ask("/soul/node/availability", z.unknown(), { body: { agent_id, status: "available" } });
  tell({ event: "online", agent_id, sx_id, offer });

  const hand = new CurrentWork(parts);
  await hand.recall();
  const ending = new AbortController();
  const beside = [
    every(() => hand.beat(ending.signal), next_in_s * 1_000, ending.signal),
    every(() => hand.claim(), CLAIM_MS, ending.signal),
  ].map((one) => one.catch(hand.fail));
  try {
    const stop = AbortSignal.any([stopping, hand.failed]);
    const unheard = await keepPulling(parts, hand, stop);
    hand.failed.throwIfAborted();
    tell({ event: "draining", running: hand.size });
    await drain(parts, hand, unheard);
    hand.failed.throwIfAborted();
  } finally {
    ending.abort();
    await Promise.all(beside);
  }
}

async function every(turn: () => Promise<void>, ms: number, ending: AbortSignal): Promise<void> {
  for (;;) {
    await pause(ms, ending);
    if (ending.aborted) return;
    await turn();
  }
}

const pullPath = ({ offer }: WorkerParts) =>
  `/soul/compute/pull?wait_s=${WAIT_S}&kinds=${offer.kinds.join(",")}`;

/** Pulls tasks until stopped; returns the key of a pull without a received answer. */
async function keepPulling(
  parts: WorkerParts,
  hand: CurrentWork,
  stop: AbortSignal,
): Promise<string | undefined> {
  while (!stop.aborted) {
    if (hand.size >= parts.offer.max_concurrent) {
      await hand.oneDone();
      continue;
    }
    const key = randomUUID();
    try {
      const { task } = await parts.calls.ask(pullPath(parts), pulled, { key, signal: stop });
      if (task) hand.begin(task);
    } catch (error) {
      if (stop.aborted) return key;
      if (!isBusy(error)) throw error;
      await pause(/\bis (?:paused|draining)\b/.test(error.message) ? PAUSED_MS : BUSY_MS, stop);
    }
  }
  return undefined;
}

const isBusy = (error: unknown): error is CallRefused =>
  error instanceof CallRefused && error.kind === "node-busy";

/** Stops pulling and finishes current tasks. A task leased while stopping is received again by its pull's key. */
async function drain(parts: WorkerParts, hand: CurrentWork, unheard: string | undefined): Promise<void> {
  const { calls, agent } = parts;
  const until = performance.now() + LEAVING_MS;
  try {
    const body = { agent_id: agent.agent_id, status: "draining" };
    await calls.ask("/soul/node/availability", z.unknown(), { body, until });
    if (unheard !== undefined) {
      const { task } = await calls.ask(pullPath(parts), pulled, { key: unheard, until });
      if (task) hand.begin(task);
    }
  } catch (error) {
    // A service that is unavailable at the end is not waited for: its leases expire.
    if (!isBusy(error) && !isAway(error)) throw error;
  }
  while (hand.size > 0) await hand.oneDone();
  if (!hand.failed.aborted) await hand.claim();
}

const isAway = (error: unknown) => error instanceof Refusal && error.code === "unavailable";

/** A worker's current work: active leases, and results waiting for acceptance. */
class CurrentWork {
  readonly #parts: WorkerParts;
  readonly #leases = new Map<string, AbortController>();
  readonly #doing = new Set<Promise<void>>();
  /** Tasks by the performance.now() time until which a check may accept them. */
  readonly #given = new Map<string, number>();
  readonly #failing = new AbortController();

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#doing.size;
  }

  /** Aborts with the reason when the worker cannot continue. */
  get failed(): AbortSignal {
    return this.#failing.signal;
  }

  readonly fail = (error: unknown): void => this.#failing.abort(error);

  begin(task: Lent): void {
    const lost = new AbortController();
    this.#leases.set(task.lease_id, lost);
    const doing = runTask(this.#parts, task, lost.signal)
      .then((done) => {
        this.#parts.tell({ event: "task", ...done });
        if (done.status === "submitted") this.#gave(done.task_id);
      }, this.fail)
      .finally(() => {
        this.#leases.delete(task.lease_id);
        this.#doing.delete(doing);
      });
    this.#doing.add(doing);
  }

  async oneDone(): Promise<void> {
    await Promise.race(this.#doing);
  }

  /** Sends a heartbeat with the active leases; lost ones are stopped. */
  async beat(signal: AbortSignal): Promise<void> {
    const { calls, agent } = this.#parts;
    const body = { agent_id: agent.agent_id, leases: [...this.#leases.keys()] };
    const answer = await calls
      .ask("/soul/node/heartbeat", heard, { body, signal })
      .catch((error: unknown) => {
        if (signal.aborted) return undefined;
        throw error;
      });
    for (const { lease_id, lost } of answer?.leases ?? []) if (lost) this.#leases.get(lease_id)?.abort();
  }

  /** Adds the results that this agent's worker sent before it was killed, to claim them too. */
  async recall(): Promise<void> {
    const until = performance.now() + LEAVING_MS;
    try {
      for (const status of ["submitted", "accepted"] as const)
        for (const task_id of await this.#assigned(status, until)) this.#gave(task_id);
    } catch (error) {
      if (!isAway(error)) throw error;
    }
  }

  /** Settles accepted results now instead of a day later; the rest settles by itself. */
  async claim(): Promise<void> {
    for (const [task_id, until] of this.#given) if (until < performance.now()) this.#given.delete(task_id);
    if (this.#given.size === 0) return;
    const { calls, tell } = this.#parts;
    const until = performance.now() + LEAVING_MS;
    try {
      for (const task_id of await this.#assigned("accepted", until)) {
        const body = { task_id };
        const { provider_usd } = await calls.ask("/soul/compute/settle", taskShown, { body, until });
        this.#given.delete(task_id);
        if (provider_usd !== null) tell({ event: "paid", task_id, provider_usd });
      }
    } catch (error) {
      if (!isAway(error) && !(error instanceof CallRefused && error.status === 409)) throw error;
    }
  }

  #gave(task_id: string): void {
    this.#given.set(task_id, performance.now() + AUDIT_S * 1_000);
  }

  async #assigned(status: "submitted" | "accepted", until: number): Promise<string[]> {
    const path = `/soul/compute/tasks?role=assigned&status=${status}&limit=100`;
    const { tasks } = await this.#parts.calls.ask(path, listed, { until });
    return tasks.map(({ task_id }) => task_id);
  }
}

/** Runs a task and sends the result. Rejects if the service refuses this worker for good. */
async function runTask(
  { calls, agent, executor, now = () => new Date() }: WorkerParts,
  task: Lent,
  lost: AbortSignal,
): Promise<TaskOutcome> {
  const { task_id, task_type, attempt, price_usd, lease_id } = task;
  const started = now();
  const ran = await run(executor, task, lost);
  const ended = now();
  const used_ms = Math.max(0, ended.getTime() - started.getTime());
  const done = { task_id, task_type, attempt, used_ms, price_usd };
  if (lost.aborted) return { ...done, exit: "lost", status: "lost" };
  const times = { started_at: started.toISOString(), ended_at: ended.toISOString() };
  const said =
    ran.exit === "failed"
      ? { error: ran.reason.slice(0, 500) }
      : { result: ran.output, exit: ran.exit, receipt: receiptFor(agent, executor, task, ran, times) };
  const body = { task_id, lease_id, used_ms, ...said };
  // A result counts only during its lease; until then it is retried under one key.
  const until = performance.now() + Date.parse(task.limit_at) - Date.now();
  const asking = { until, signal: lost };
  const send = (body: object) => calls.ask("/soul/compute/result", taskShown, { body, ...asking });
  try {
    const { status } = await send(body).catch((error: unknown) => {
      if (!isOfResult(error)) throw error;
      return send({ task_id, lease_id, error: error.message });
    });
    return { ...done, exit: ran.exit, status };
  } catch (error) {
    if (!lost.aborted && !isStale(error) && !isAway(error)) throw error;
    return { ...done, exit: "lost", status: "lost" };
  }
}

const isStale = (error: unknown) => error instanceof CallRefused && error.kind === "stale-lease";

/** Refused for the result itself, such as its size; another worker may succeed. */
const isOfResult = (error: unknown): error is CallRefused =>
  error instanceof CallRefused && [400, 413, 422].includes(error.status) && error.kind !== "receipt-refused";

type Outcome = ExecutionResult | { exit: "failed"; reason: string };

async function run(
  executor: Executor,
  { task_type, input_data, limit_s }: Lent,
  lost: AbortSignal,
): Promise<Outcome> {
  if (!isBuiltIn(task_type)) return { exit: "failed", reason: `this worker runs no ${task_type}` };
  try {
    const input = readKind(task_type, input_data);
    return await executor.run({ kind: task_type, input, limit_s, signal: lost });
  } catch (error) {
    return { exit: "failed", reason: (error as Error).message };
  }
}

/** The worker's signed receipt, defined in docs/compute.md. */
function receiptFor(
  { signer }: WorkingAgent,
  { engine_sha256 }: Executor,
  task: Lent,
  { output, exit }: ExecutionResult,
  times: { started_at: string; ended_at: string },
) {
  const said = { engine_sha256, ...times };
  const text = receiptText({
    origin: task.origin,
    task_id: task.task_id,
    attempt: task.attempt,
    lease_sha256: task.lease_sha256,
    kind: task.task_type,
    input_sha256: task.input_sha256,
    output_sha256: digestOf(canonicalText(output as JsonObject, "result")),
    exit,
    ...said,
  });
  return { kid: signer.kid, ...said, signature: compactJws(signer, text) };
}
