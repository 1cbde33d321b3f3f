import { createHash, createHmac } from "node:crypto";
import { z } from "zod";
import type { JsonObject } from "../../../../eventstore/types.ts";
import type { App } from "../../../core/app.ts";
import { sha256, time } from "../../../core/model/fields.ts";
import { MOST_OBJECT_BYTES, objectName } from "../../../core/model/objects.ts";
import { Refusal, refuse, refuseField } from "../../../core/model/refusal.ts";
import * as nodes from "../../../domain/compute/node.ts";
import { computeProblems } from "../../../domain/compute/problems.ts";
import { ownerOf } from "../../../domain/compute/quorum.ts";
import { receiptFault } from "../../../domain/compute/receipt.ts";
import * as tasks from "../../../domain/compute/task.ts";
import { exits, type LeaseData, type Receipt } from "../../../domain/compute/task-events.ts";
import { leaseDigest, leaseEndsAt } from "../../../domain/compute/work-lease.ts";
import type { Agent } from "../../../domain/identity/agent.ts";
import { sxId } from "../../../domain/identity/fields.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import * as seeds from "../../../domain/rng/seeds.ts";
import {
  callerStatusOf,
  findNode,
  type NodeReading,
  nodesProjection,
} from "../../../projections/compute/nodes.ts";
import {
  type ReadyTask,
  type TaskKey,
  taskOfLease,
  tasksProjection,
} from "../../../projections/compute/tasks.ts";
import { withCopies } from "../../../reactors/compute/quorum.ts";
import { stepTask } from "../../../reactors/compute/steps.ts";
import { agentNamed } from "../../agents/agents.ts";
import { type Context, json, operation, subject } from "../../declare/index.ts";
import { dispenserOf } from "./dispenser.ts";
import {
  actingAgent,
  noteRequester,
  nowOf,
  refuseMissingTask,
  shownTask,
  taskId,
  taskShown,
  tenantOf,
} from "./fields.ts";
import { bytesOf, readObject } from "./tasks.ts";
import { untilReady } from "./waiting.ts";

/** The secret lease id of a call. A repeat derives the same id, so it is never stored. */
const leaseIdOf = ({ link_secret }: App, fresh_id: string): string =>
  createHmac("sha256", link_secret).update(`lease:${fresh_id}`).digest("hex").slice(0, 32);

const leasedTask = z.object({
  task_id: z.string(),
  task_type: z.string(),
  input_data: z.record(z.string(), z.unknown()),
  lease_id: z.string().describe("Secret: anyone with it can complete the task"),
  attempt: z.int().describe("Number of leases, including this one"),
  price_usd: z.string().describe("Its price; nine tenths are the worker's"),
  expires_at: time.describe("The lease expires then, unless a heartbeat renews it"),
  limit_at: time.describe("The lease ends at this time even if it is renewed"),
  limit_s: z.int(),
  lease_sha256: sha256.describe("SHA-256 of the lease_id, which a receipt names"),
  input_sha256: sha256,
  origin: z.string().describe("The log that has the task, which a receipt names"),
});

const pull = operation({
  name: "compute_pull",
  route: "GET /soul/compute/pull",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  is_paid_work: true,
  summary: "Get the next task of your node, under a lease",
  description: `Waits up to wait_s seconds for a task. The task with the best pay per second comes first, then the oldest; a node never gets its own task. Heartbeats that name the lease renew it, for at most limit_s.
The price is the node's rate for the whole limit, fixed now. Send an Idempotency-Key: a repeat returns a lost answer.`,
  access: [subject("node")],
  stores_answer: false,
  input: z.object({
    wait_s: z
      .int("is a whole number of seconds from 0 to 30")
      .min(0, "is at least 0")
      .max(30, "is at most 30")
      .default(0)
      .describe("Seconds to wait for a task"),
    kinds: z
      .array(nodes.kindName)
      .max(nodes.MOST_KINDS, `has at most ${nodes.MOST_KINDS}`)
      .default([])
      .describe("Only these task_types, separated by commas; default: the node's registered types"),
  }),
  output: json(z.object({ task: leasedTask.nullable().describe("Null if there was none") })),
  refuses: [409],
  example: { wait_s: 0 },
  handle: async (context) => {
    const { input, app, unit, signal } = context;
    const { facts } = await actingAgent(context);
    const sx = facts.sx_number;
    const own = nodes.targetOf(sx);
    const node = nodes.registered(await unit.watch(nodes, own));
    const { hourly_rate_micro, facts: offer } = node;
    const lease_id = leaseIdOf(app, unit.fresh_id);
    const lease_sha256 = leaseDigest(lease_id);
    const take = async (key: TaskKey, { bound }: NodeReading) => {
      const at = nowOf(app);
      await refuseSibling({ app, unit }, key, facts.sx_number, at);
      const decision = tasks.lease({ sx, hourly_rate_micro, lease_sha256, bound }, key.tenant, at);
      const { task, events } = await stepTask(unit, key, decision);
      noteRequester(app, key);
      return events.length > 0 ? task : undefined;
    };
    const before =
      context.request.idempotency_key === undefined ? undefined : await earlierLease(app, lease_sha256);
    if (before) {
      const again = await take(before, await callerStatusOf(app.pool, sx));
      return { task: await leasedAnswer(app, before, again, lease_id) };
    }
    refuseUnavailable(node);
    const reading = await nodeUnlessBusy(app, sx, node);
    const { trust, bound } = reading;
    refusePaused(reading, nowOf(app));
    const kinds = input.kinds.length > 0 ? input.kinds : offer.kinds;
    const taker = { sx, bound, kinds, hourly_rate_micro, trust };
    const dispenser = dispenserOf(app);
    const attempt = async (key: TaskKey) => {
      const task = await unlessLostRace(take(key, reading)).catch((error) => {
        dispenser.release(key);
        throw error;
      });
      return task && { key, task };
    };
    const look = async (offered?: ReadyTask) => {
      const request = { taker, by: lease_sha256, passed: [] as string[] };
      if (offered) return dispenser.tryReserve(offered, request) ? attempt(offered) : undefined;
      // Another process may have leased the task, so this tries further tasks until there is none.
      for (;;) {
        const key = await dispenser.next(request);
        if (!key) return undefined;
        const leased = await attempt(key);
        if (leased) return leased;
        request.passed.push(key.task_id);
        // This node may not take the copy, but another node may.
        if (ownerOf(key.task_id) !== key.task_id) dispenser.release(key);
      }
    };
    const found = await untilReady(app, look, { wait_ms: input.wait_s * 1_000, signal });
    return { task: found ? await leasedAnswer(app, found.key, found.task, lease_id) : null };
  },
});

/** The task that an earlier call with this key leased. */
async function earlierLease(app: App, lease_sha256: string): Promise<TaskKey | undefined> {
  if (!(await app.caughtUp(tasksProjection)))
    refuse("unavailable", "leases are still loading; retry", { retry_after_s: 1 });
  return taskOfLease(app.pool, lease_sha256);
}

/** Refuses a second copy of a task to the same node, or to a node bound to it by a delegation. */
async function refuseSibling(
  { app, unit }: Pick<Context<never>, "app" | "unit">,
  { tenant, task_id }: TaskKey,
  sx: number,
  at: string,
): Promise<void> {
  const owner = ownerOf(task_id);
  if (owner === task_id) return;
  const { copies } = await withCopies(unit, { tenant, task_id: owner });
  const others = [...copies.values()].flatMap(({ facts, status, lease }) =>
    facts.task_id !== task_id && status !== "queued" && lease ? lease.sx : [],
  );
  const own = await agentNamed(app, sxId(sx));
  for (const other of others) {
    const agent = await agentNamed(app, sxId(other));
    const isBound = [
      [own, other],
      [agent, sx],
    ] as const;
    if (other === sx || isBound.some(([of, to]) => delegatesOf(of, at).includes(to)))
      refuse(computeProblems["task-state"], "this node, or one bound to it, has another copy of this task");
  }
}

const delegatesOf = ({ delegations }: Agent, at: string) =>
  delegations.flatMap(({ to, expires_at }) => (expires_at > at ? to : []));

/** Returns undefined if another process took the task first. */
const unlessLostRace = (taking: Promise<tasks.Task | undefined>) =>
  taking.catch((error) => {
    if (error instanceof Refusal && error.code === "conflict") return undefined;
    throw error;
  });

function refuseUnavailable({ status }: nodes.Node): void {
  if (status !== "available")
    refuse(computeProblems["node-busy"], `the node is ${status}: first set its availability to available`);
}

function refusePaused({ failures, failed_at }: NodeReading, now: string): void {
  const until = nodes.pausedUntil(failures, failed_at);
  if (until !== undefined && now < until)
    refuse(
      computeProblems["node-busy"],
      `the node failed ${failures} tasks in a row, and gets no more before ${until}`,
    );
}

async function nodeUnlessBusy(app: App, sx: number, { max_concurrent }: nodes.Node): Promise<NodeReading> {
  const reading = await callerStatusOf(app.pool, sx);
  if (reading.running < max_concurrent) return reading;
  // The read model may still count a task whose result was just submitted, so wait for it.
  await app.caughtUp(nodesProjection);
  const now = await callerStatusOf(app.pool, sx);
  if (now.running < max_concurrent) return now;
  return refuse(
    computeProblems["node-busy"],
    `the node runs ${now.running} tasks already, and its max_concurrent is ${max_concurrent}`,
  );
}

async function leasedAnswer(
  app: App,
  { task_id }: TaskKey,
  task: tasks.Task | undefined,
  lease_id: string,
): Promise<z.infer<typeof leasedTask> | null> {
  if (!task?.lease) return null;
  const { facts, lease } = task;
  const input_data = await readObject(app, task_id, facts.input_sha256);
  if (!input_data) throw new Error(`task ${task_id} has lost its input`);
  const { origin } = await app.store.identity();
  return {
    task_id,
    task_type: facts.kind,
    input_data,
    lease_id,
    attempt: lease.attempt,
    price_usd: decimalUsdc(lease.price_micro),
    expires_at: leaseEndsAt(lease, null),
    limit_at: lease.limit_at,
    limit_s: facts.terms.limit_s,
    lease_sha256: lease.lease_sha256,
    input_sha256: facts.input_sha256,
    origin,
  };
}

const receiptInput = z.strictObject({
  kid: z.string().max(128, "is at most 128 characters").describe("A live key of the agent"),
  engine_sha256: sha256.describe("SHA-256 of the program"),
  started_at: time,
  ended_at: time,
  signature: z
    .string()
    .regex(
      /^(?:0x(?:[0-9a-fA-F]{2})+|[\w-]+\.[\w-]+\.[\w-]+)$/,
      "is a compact JWS of EdDSA, or 0x and an EIP-712 signature",
    )
    .max(8_192, "is at most 8192 characters"),
});

const giveResult = operation({
  name: "compute_result",
  route: "POST /soul/compute/result",
  effect: { changes: "adds", repeatable: true, reaches_out: false },
  is_paid_work: true,
  summary: "Return a task's result",
  description: `Send the lease_id from compute_pull: an older lease is refused (409 \`stale-lease\`), and its result is ignored. A repeat of the same result returns the same answer.
A result that may be audited needs a receipt, signed by a proven key of the agent. If you send \`error\` instead of a result, the task goes to another node.`,
  access: [subject("node")],
  input: z.object({
    task_id: taskId,
    result: z
      .record(z.string(), z.unknown(), "is a JSON object")
      .optional()
      .describe("The result: a JSON object of at most 1 MiB"),
    error: z
      .string()
      .min(1, "is at least one character")
      .max(500, "is at most 500 characters")
      .optional()
      .describe("In place of a result: the reason why there is none; it is not stored"),
    lease_id: z
      .string()
      .min(1, "is at least one character")
      .max(128, "is at most 128 characters")
      .optional()
      .describe("The lease_id from compute_pull; optional in a task's first lease"),
    exit: z
      .enum(exits, "is ok or limit")
      .default("ok")
      .describe("limit: the program met a limit of the task"),
    used_ms: z
      .int("is a whole number")
      .min(0, "is at least 0")
      .max(86_400_000, "is at most a day")
      .optional()
      .describe("Run time in milliseconds"),
    receipt: receiptInput.optional().describe("The signed receipt (docs/compute.md)"),
  }),
  output: json(taskShown),
  secrets: ["lease_id"],
  body_bytes: MOST_OBJECT_BYTES + 16 * 1024,
  refuses: [404, 409],
  example: { task_id: "00".repeat(16), result: { output: "Buy pellets in March." } },
  example_from: {
    task_id: ["compute_node_register", "compute_node_heartbeat", "compute_submit", "compute_pull"],
  },
  handle: async ({ input, app, unit, caller }) => {
    const agent = await actingAgent({ app, caller, unit });
    const { task_id, result, error } = input;
    if ((result === undefined) === (error === undefined)) {
      const path = result === undefined ? "result" : "error";
      refuseField(path, "is required: give either result or error");
    }
    const { tenant, task: before } = await taskOfWorker({ app, caller, unit }, agent.facts.sx_number, input);
    const lease_sha256 = leaseDigestOf(input.lease_id, before.lease!);
    const at = nowOf(app);
    const step = (decision: Parameters<typeof stepTask>[2], of = {}) =>
      stepTask(unit, { tenant, task_id }, decision, of);
    if (result === undefined) {
      const lost = { reason: "failed" as const, last_heartbeat_at: null };
      const { task } = await step((state) =>
        tasks.loseLease({ ...lost, attempt: tasks.currentLease(state, lease_sha256).attempt }, at)(state),
      );
      return shownTask(task);
    }
    const bytes = bytesOf(result as JsonObject, "result");
    const output_sha256 = createHash("sha256").update(bytes).digest("hex");
    const { exit, used_ms = null, receipt = null } = input;
    const seed = await seedInUse({ unit }, before);
    const content = {
      output_sha256,
      output_bytes: bytes.length,
      exit,
      used_ms,
      receipt,
      seed,
      submitted_at: at,
    };
    if (before.status === "leased") await refuseReceipt(app, agent, before, content);
    unit.store(objectName("task", ownerOf(task_id), output_sha256), bytes);
    const { valid_audits = 0 } = (await findNode(app.pool, agent.facts.sx_number)) ?? {};
    const { task } = await step(tasks.takeResult(lease_sha256, content), { valid_audits });
    return shownTask(task);
  },
});

/**
 * The active seed, which decides the audit. The commit depends on its status: the seed is secret when the result is
 * recorded, and no later seed can be chosen.
 */
async function seedInUse(
  { unit }: Pick<Context<never>, "unit">,
  { facts }: tasks.Task,
): Promise<seeds.SeedLocation | null> {
  if (facts.terms.verify === "requester") return null;
  const { active } = await unit.watch(seeds, seeds.targetOf("live"));
  if (!active) return null;
  const { space, chain, index, seed_hash } = active;
  return { space, chain, index, seed_hash };
}

/** The task that a node leases or leased last. A lost lease is refused with `stale-lease`. */
async function taskOfWorker(
  { app, caller, unit }: Pick<Context<never>, "app" | "caller" | "unit">,
  sx: number,
  { task_id, lease_id }: { task_id: string; lease_id?: string | undefined },
): Promise<{ tenant: string; task: tasks.Task }> {
  const tenant = await tenantOf(app, caller, task_id);
  const target = tasks.targetOf(tenant, task_id);
  const ifLeased = (task: tasks.TaskState) => (task?.lease?.sx === sx ? task : undefined);
  // Reads a fresh state only before a refusal.
  const task = ifLeased(await unit.watch(tasks, target)) ?? ifLeased(await app.load(tasks, target));
  if (task) return { tenant, task };
  const lost = lease_id === undefined ? undefined : await taskOfLease(app.pool, leaseDigest(lease_id));
  return lost?.task_id === task_id ? tasks.refuseStale() : refuseMissingTask();
}

function leaseDigestOf(lease_id: string | undefined, { attempt, lease_sha256 }: LeaseData): string {
  if (lease_id !== undefined) return leaseDigest(lease_id);
  if (attempt === 1) return lease_sha256;
  return refuseField("lease_id", "is required: this task had several leases");
}

type ResultContent = { output_sha256: string; exit: string; receipt: Receipt | null };

/** Refuses an invalid receipt, and a result that may be audited without one. */
async function refuseReceipt(
  app: App,
  agent: Agent,
  task: tasks.Task,
  { output_sha256, exit, receipt }: ResultContent,
) {
  const fault = (message: string) =>
    refuse(computeProblems["receipt-refused"], `the receipt is invalid: ${message}`, {
      errors: [{ path: "receipt", message }],
    });
  if (!receipt)
    return task.facts.terms.verify === "requester"
      ? undefined
      : fault("is required: this result may be audited");
  const { origin } = await app.store.identity();
  const { task_id, kind, input_sha256 } = task.facts;
  const { attempt, lease_sha256 } = task.lease!;
  const { engine_sha256, started_at, ended_at } = receipt;
  const of = { origin, task_id, attempt, lease_sha256, kind, input_sha256, output_sha256, exit };
  const reason = receiptFault(agent, { ...of, engine_sha256, started_at, ended_at }, receipt, app.recover);
  if (reason) fault(reason);
}

export const workOperations = [pull, giveResult];
