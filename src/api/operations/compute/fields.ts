import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { sha256, time } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import * as nodes from "../../../domain/compute/node.ts";
import type { Task } from "../../../domain/compute/task.ts";
import * as tasks from "../../../domain/compute/task.ts";
import { acceptors, auditVerdicts, exits, verifications } from "../../../domain/compute/task-events.ts";
import type { Agent } from "../../../domain/identity/agent.ts";
import * as agents from "../../../domain/identity/agent.ts";
import { lowerId, sxId } from "../../../domain/identity/fields.ts";
import { identityProblems } from "../../../domain/identity/problems.ts";
import { sxOfTenant } from "../../../domain/identity/soul-tenant.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import { requesterOf, type TaskKey, tasksProjection } from "../../../projections/compute/tasks.ts";
import { agentNamed, idOfNumber } from "../../agents/agents.ts";
import type { Caller } from "../../declare/caller.ts";
import type { Context } from "../../declare/index.ts";

export const taskId = z
  .string()
  .regex(
    /^[0-9a-f]{32}(?:\.[1-9]\d?)?$/,
    "is a task_id from compute_submit: 32 hex digits in lower case, and for a copy its number",
  )
  .describe("The task_id from compute_submit");

export const nowOf = ({ clock }: App): string => clock.now().toISOString();

/** Converts dollars to micro-USDC, rounded. */
export const microOf = (usd: number): number => Math.round(usd * 1e6);

export const usd = (least: number, most: number) =>
  z
    .number(`is a number of dollars from ${least} to ${most}`)
    .min(least, `is at least ${least}`)
    .max(most, `is at most ${most}`)
    .refine((value) => Math.abs(value * 1e6 - Math.round(value * 1e6)) < 1e-3, "has at most six decimals");

/** The passport of the agent's own key; undefined for other credentials. */
export const sxOf = (caller: Caller): number | undefined =>
  caller.kind === "subject" ? sxOfTenant(caller.tenant) : undefined;

/** The agent of the call's key, if it may act. `agent_id`: the agent that the call names. */
export async function actingAgent(
  { app, caller, unit }: Pick<Context<never>, "app" | "caller" | "unit">,
  agent_id?: string,
): Promise<Agent> {
  const sx = sxOf(caller);
  if (sx === undefined)
    return refuse(identityProblems["not-yours"], "this needs an agent's own key: sk_soul_…");
  const own = (await idOfNumber(app, sx)) ?? (await agentNamed(app, sxId(sx))).facts.agent_id;
  if (agent_id !== undefined && ![own, sxId(sx), String(sx)].map(lowerId).includes(lowerId(agent_id)))
    refuse(identityProblems["not-yours"], `this key belongs to ${own}, and acts only for it`);
  return agents.acting(await unit.watch(agents, agents.targetOf(own)));
}

/** A task's requester never changes, so it can be cached. */
const MOST_REQUESTERS = 50_000;

const requesterCache = ({ once }: Pick<App, "once">) =>
  once("compute: requesters", () => new LRUCache<string, string>({ max: MOST_REQUESTERS }));

/** Caches a task's requester. */
export const noteRequester = (app: Pick<App, "once">, { tenant, task_id }: TaskKey): void =>
  void requesterCache(app).set(task_id, tenant);

/** How long a search waits for the list of tasks to include earlier appends. */
const FOLD_MS = 5_000;

/** The task's tenant. The answer does not distinguish a missing task from another tenant's. */
export async function tenantOf(app: App, caller: Caller, task_id: string): Promise<string> {
  const cached = requesterCache(app).get(task_id);
  if (cached !== undefined) return cached;
  const tenant = await findTenant(app, caller, task_id);
  noteRequester(app, { tenant, task_id });
  return tenant;
}

async function findTenant(app: App, { tenant }: Caller, task_id: string): Promise<string> {
  const of = await requesterOf(app.pool, task_id);
  if (of !== undefined) return of;
  // The read model may lag behind a task that was just submitted or leased.
  if (await app.load(tasks, tasks.targetOf(tenant, task_id))) return tenant;
  if (!(await app.caughtUp(tasksProjection, { wait_ms: FOLD_MS })))
    refuse("unavailable", "the list of tasks is lagging: retry shortly");
  return (await requesterOf(app.pool, task_id)) ?? refuseMissingTask();
}

export const refuseMissingTask = (): never =>
  refuse("not_found", "you have no such task; compute_tasks lists yours");

type Side = "requester" | "worker";
type Party = { tenant: string; task: Task; side: Side };

/** Reads a task for one of its parties. */
export async function taskFor(app: App, caller: Caller, task_id: string): Promise<Party> {
  const tenant = await tenantOf(app, caller, task_id);
  const state = await app.load(tasks, tasks.targetOf(tenant, task_id));
  return partOf(caller, tenant, state) ?? refuseMissingTask();
}

/** Like taskFor, inside a decision: before a refusal, a stale state is read again. */
export async function taskToDecide(
  { app, caller, unit }: Pick<Context<never>, "app" | "caller" | "unit">,
  task_id: string,
): Promise<Party> {
  const tenant = await tenantOf(app, caller, task_id);
  const seen = await unit.watch(tasks, tasks.targetOf(tenant, task_id));
  return partOf(caller, tenant, seen) ?? taskFor(app, caller, task_id);
}

function partOf(caller: Caller, tenant: string, state: tasks.TaskState): Party | undefined {
  if (state && tenant === caller.tenant) return { tenant, task: state, side: "requester" };
  const sx = sxOf(caller);
  if (state && sx !== undefined && state.lease?.sx === sx) return { tenant, task: state, side: "worker" };
  return undefined;
}

const receiptShown = z.object({
  kid: z.string(),
  engine_sha256: sha256,
  started_at: time,
  ended_at: time,
  signature: z.string().describe("Signature of the receipt (docs/compute.md)"),
});

export const taskShown = z.object({
  task_id: z.string(),
  task_type: z.string(),
  status: z.enum(tasks.statuses).describe("Its status; docs/compute.md explains each"),
  attempts: z.int().describe("Leases so far"),
  worker: z.string().nullable().describe("SX#<number> of the current or last node"),
  max_price_usd: z.string(),
  price_usd: z.string().nullable().describe("Its price, fixed by the lease"),
  provider_usd: z.string().nullable().describe("The worker's share of the price"),
  verify: z.enum(verifications),
  copies: z
    .object({ wanted: z.int(), agree: z.int(), made: z.int(), agreed: z.int() })
    .nullable()
    .describe("For a quorum: number of nodes, needed agreement, results so far and agreement so far"),
  input_sha256: sha256,
  output_sha256: sha256.nullable(),
  exit: z.enum(exits).nullable(),
  audit: z
    .enum(auditVerdicts)
    .nullable()
    .describe("void: two runs by the service gave two results; the worker is paid, and not slashed"),
  accepted_by: z.enum(acceptors).nullable(),
  receipt: receiptShown.nullable(),
  submitted_at: time,
  due_at: time.nullable().describe("When the next automatic step happens, unless somebody acts before"),
  ended_at: time.nullable(),
  refunded: z.string().nullable().describe("Why it was refunded"),
});

export function shownTask(task: Task): z.infer<typeof taskShown> {
  const { facts, lease, result, audit, accepted, settled, refunded } = task;
  const { terms } = facts;
  const { quorum } = terms;
  const { judged } = task;
  return {
    task_id: facts.task_id,
    task_type: facts.kind,
    status: task.status,
    attempts: task.attempts,
    worker: lease ? sxId(lease.sx) : null,
    max_price_usd: decimalUsdc(terms.max_price_micro),
    price_usd: lease ? decimalUsdc(lease.price_micro) : null,
    provider_usd: settled ? decimalUsdc(settled.provider_micro) : null,
    verify: terms.verify,
    copies:
      quorum && !facts.copy_of
        ? { wanted: quorum.copies, agree: quorum.agree, made: task.copies, agreed: judged?.agreed ?? 0 }
        : null,
    input_sha256: facts.input_sha256,
    output_sha256: result?.output_sha256 ?? judged?.canonical_sha256 ?? null,
    exit: result?.exit ?? null,
    audit: audit?.verdict ?? null,
    accepted_by: accepted?.by ?? (judged?.verdict === "agreed" ? "quorum" : null),
    receipt: result?.receipt ?? null,
    submitted_at: facts.submitted_at,
    due_at: tasks.dueAt(task),
    ended_at: task.ended_at,
    refunded: refunded?.why ?? null,
  };
}

export const nodeShown = z.object({
  agent_id: z.string(),
  sx_id: z.string(),
  status: z.enum(nodes.availabilities),
  online: z.boolean(),
  capabilities: z.array(z.enum(nodes.capabilities)),
  kinds: z.array(z.string()).describe("Accepted task types; an empty list accepts every type"),
  hourly_rate_usd: z.string(),
  max_concurrent: z.int(),
  stake_usdc: z.string().describe("Its stake, apart from its earnings"),
  stake_free_at: time.nullable().describe("When the withdrawn stake is free; null: it is not withdrawn"),
});

export const shownNode = (agent_id: string, sx: number, node: nodes.Node): z.infer<typeof nodeShown> => ({
  agent_id,
  sx_id: sxId(sx),
  status: node.status,
  online: node.online_since !== null,
  capabilities: node.facts.capabilities,
  kinds: node.facts.kinds,
  hourly_rate_usd: decimalUsdc(node.hourly_rate_micro),
  max_concurrent: node.max_concurrent,
  stake_usdc: decimalUsdc(node.stake_micro),
  stake_free_at: node.stake_free_at,
});
