/** One row per task: ready tasks, due steps, and the tasks of a tenant or a node. */

import type pg from "pg";
import { textArray } from "../../../eventstore/pg-arrays.ts";
import { batched } from "../../../eventstore/query-batch.ts";
import { objectName } from "../../core/model/objects.ts";
import { projection } from "../../core/read-models/projection.ts";
import { saveRows } from "../../core/read-models/rows.ts";
import { utc } from "../../core/read-models/times.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import { priceOf, sharesOf } from "../../domain/compute/pricing.ts";
import * as quorum from "../../domain/compute/quorum.ts";
import type { Task, TaskStatus } from "../../domain/compute/task.ts";
import * as task from "../../domain/compute/task.ts";
import { Sums, sumsDdl } from "./sums.ts";

/** `offer`: micro-USDC per second of its limit. `position`: of its first event. */
export type TaskRow = {
  task_id: string;
  tenant: string;
  sx: number | null;
  status: TaskStatus;
  kind: string;
  offer: number;
  max_price_micro: number;
  limit_s: number;
  assign: number | null;
  min_trust: number;
  ready_at: string;
  due_at: string | null;
  awaits_audit: boolean;
  /** null = no copy. */
  copy_of: string | null;
  lease_sha256: string | null;
  leased_at: string | null;
  limit_at: string | null;
  position: number;
  state: Task;
};

/** The result is neither paid nor refunded. */
const UNPAID = "'submitted', 'accepted', 'rejected', 'disputed'";

export const tasksProjection = projection({
  name: "compute_tasks",
  version: 4,
  ddl: `
    create table if not exists read.compute_tasks_v4 (
      task_id         text primary key,
      tenant          text not null,
      sx              bigint,
      status          text not null,
      kind            text not null,
      offer           double precision not null,
      max_price_micro bigint not null,
      limit_s         int not null,
      assign          bigint,
      min_trust       int not null,
      ready_at        timestamptz not null,
      due_at          timestamptz,
      awaits_audit    boolean not null,
      copy_of         text,
      lease_sha256    text,
      leased_at       timestamptz,
      limit_at        timestamptz,
      position        bigint not null,
      state           jsonb not null
    );
    create index if not exists compute_tasks_v4_ready on read.compute_tasks_v4 (offer desc, position)
      where status = 'queued';
    create index if not exists compute_tasks_v4_due on read.compute_tasks_v4 (due_at) where due_at is not null;
    create index if not exists compute_tasks_v4_leased on read.compute_tasks_v4 (leased_at) where status = 'leased';
    create index if not exists compute_tasks_v4_audits on read.compute_tasks_v4 (position) where awaits_audit;
    create index if not exists compute_tasks_v4_disputed on read.compute_tasks_v4 (position) where status = 'disputed';
    create index if not exists compute_tasks_v4_copied on read.compute_tasks_v4 (position) where status = 'copied';
    create index if not exists compute_tasks_v4_copies on read.compute_tasks_v4 (copy_of, status) where copy_of is not null;
    create index if not exists compute_tasks_v4_late on read.compute_tasks_v4 (status)
      where copy_of is not null and status in ('queued', 'submitted');
    create index if not exists compute_tasks_v4_own on read.compute_tasks_v4 (tenant, position desc);
    create index if not exists compute_tasks_v4_owed on read.compute_tasks_v4 (sx) where status in (${UNPAID});
    create index if not exists compute_tasks_v4_assigned on read.compute_tasks_v4 (sx, position desc);
    create table if not exists read.compute_leases_v4 (
      lease_sha256 text primary key,
      tenant       text not null,
      task_id      text not null,
      sx           bigint not null
    );
    ${sumsDdl}`,
  of: [task],
  async fold(events, tx) {
    const rows = await rowsOf(tx, [...new Set(events.map(({ id }) => id))]);
    const changed = new Map<string, TaskRow>();
    const kept = new Map<string, string | null>();
    const leases: Lease[] = [];
    const sums = new Sums();
    for (const event of events) {
      const { id, tenant } = event;
      const before = changed.get(id) ?? rows.get(id);
      const state = task.existing(task.evolve(before?.state, event));
      changed.set(id, rowOf(event, state, before?.position ?? event.position));
      sums.changed(before?.state, state);
      if (changesRetention(before?.state, state))
        for (const name of objectsOf(id, state)) kept.set(name, state.ended_at);
      if (event.type === "TaskLeased")
        leases.push({ lease_sha256: event.data.lease_sha256, tenant, task_id: id, sx: event.data.sx });
    }
    await saveRows(tx, "read.compute_tasks_v4", ["task_id"], changed.values());
    await setRetention(tx, kept);
    await saveLeases(tx, leases);
    await sums.save(tx);
  },
});

function rowOf({ tenant, id }: PositionedEvent<typeof task>, state: Task, position: number): TaskRow {
  const { terms, kind } = state.facts;
  const { lease } = state;
  return {
    task_id: id,
    tenant,
    sx: lease?.sx ?? null,
    status: state.status,
    kind,
    offer: terms.max_price_micro / terms.limit_s,
    max_price_micro: terms.max_price_micro,
    limit_s: terms.limit_s,
    assign: terms.assign,
    min_trust: terms.min_trust,
    ready_at: state.ready_at,
    due_at: task.dueAt(state),
    awaits_audit: task.awaitsAudit(state),
    copy_of: state.facts.copy_of,
    lease_sha256: lease?.lease_sha256 ?? null,
    leased_at: lease?.leased_at ?? null,
    limit_at: lease?.limit_at ?? null,
    position,
    state,
  };
}

/** True if the retention of the task's objects changes. */
const changesRetention = (before: Task | undefined, { result, ended_at }: Task): boolean =>
  !before || before.result?.output_sha256 !== result?.output_sha256 || before.ended_at !== ended_at;

function objectsOf(id: string, { facts: { input_sha256, copy_of }, result }: Task): string[] {
  // The original task retains the input for its copies.
  const digests = [...(copy_of ? [] : [input_sha256]), ...(result ? [result.output_sha256] : [])];
  return digests.map((digest) => objectName("task", quorum.ownerOf(id), digest));
}

/** Objects of a task are stored until this many days after its end. */
const KEEP_DAYS = 30;

/** `kept`: the end of each object's task; null = running. */
async function setRetention(tx: pg.ClientBase, kept: ReadonlyMap<string, string | null>): Promise<void> {
  if (kept.size === 0) return;
  const text = `update objects.small set keep_until = coalesce(k.ended_at + interval '${KEEP_DAYS} days', 'infinity')
    from unnest($1::text[], $2::timestamptz[]) k (name, ended_at) where small.name = k.name`;
  await tx.query({ name: "compute_keep", text, values: [[...kept.keys()], [...kept.values()]] });
}

type Lease = TaskKey & { lease_sha256: string; sx: number };

async function saveLeases(tx: pg.ClientBase, leases: readonly Lease[]): Promise<void> {
  if (leases.length === 0) return;
  const text = `insert into read.compute_leases_v4
    select lease_sha256, tenant, task_id, sx from jsonb_populate_recordset(null::read.compute_leases_v4, $1::jsonb)
    on conflict do nothing`;
  await tx.query({ name: "compute_leases_save", text, values: [JSON.stringify(leases)] });
}

async function rowsOf(
  tx: pg.ClientBase,
  ids: string[],
): Promise<Map<string, Pick<TaskRow, "state" | "position">>> {
  const sql = "select task_id, position, state from read.compute_tasks_v4 where task_id = any($1)";
  const { rows } = await tx.query<TaskRow>(sql, [ids]);
  return new Map(rows.map((row) => [row.task_id, row]));
}

/** Unpaid results of a node in micro-USDC, a moment old. */
export async function owedTo(pool: pg.Pool, sx: number): Promise<number> {
  const text = `select (state -> 'lease' -> 'price_micro')::float8 as price_micro from read.compute_tasks_v4
    where sx = $1 and status in (${UNPAID})`;
  const { rows } = await pool.query<{ price_micro: number }>({ name: "compute_owed", text, values: [sx] });
  return rows.reduce((sum, { price_micro }) => sum + sharesOf(price_micro).provider_micro, 0);
}

export type TaskKey = { tenant: string; task_id: string };

/** The tenant of each task, a moment old; concurrent queries are batched. */
export const requesterOf = batched(async (pool, ids: readonly string[]) => {
  const text = "select task_id, tenant from read.compute_tasks_v4 where task_id = any($1)";
  const { rows } = await pool.query<TaskKey>({ name: "compute_requesters", text, values: [ids] });
  const tenants = new Map(rows.map(({ task_id, tenant }) => [task_id, tenant]));
  return ids.map((id) => tenants.get(id));
});

/** The task of a lease, live or over. */
export async function taskOfLease(pool: pg.Pool, lease_sha256: string): Promise<TaskKey | undefined> {
  const text = "select tenant, task_id from read.compute_leases_v4 where lease_sha256 = $1";
  return (await pool.query<TaskKey>({ name: "compute_lent_under", text, values: [lease_sha256] })).rows[0];
}

/** A node that looks for work. `trust` in points; `bound`: tenants whose tasks it does not get. */
export type Taker = {
  sx: number;
  bound: readonly string[];
  kinds: readonly string[];
  hourly_rate_micro: number;
  trust: number;
};

/** A ready task; `done_by`: nodes with another copy of it; `failed_by`: nodes that failed it. */
export type ReadyTask = TaskKey &
  Pick<TaskRow, "kind" | "max_price_micro" | "limit_s" | "assign" | "min_trust"> & {
    done_by: number[];
    failed_by: number[];
  };

/** A new task from its first events, before the read model has it; undefined if these do not decide who may take it. */
export function readyFromEvents({ tenant, state }: { tenant: string; state: Task }): ReadyTask | undefined {
  const { task_id, kind, copy_of, terms } = state.facts;
  if (state.status !== "queued" || copy_of !== null) return undefined;
  const { max_price_micro, limit_s, assign, min_trust } = terms;
  return { tenant, task_id, kind, max_price_micro, limit_s, assign, min_trust, done_by: [], failed_by: [] };
}

/**
 * Tasks that at least one of these nodes may take: the best paid per second first, then the oldest. Excludes `but` and
 * requesters in debt, whose reservations have no money. The task's stream makes the final decision.
 */
export async function readyForAny(
  pool: pg.Pool,
  takers: readonly Taker[],
  limit: number,
  but: readonly string[] = [],
): Promise<ReadyTask[]> {
  // Sorted first and filtered row by row: the planner expects few matches and would otherwise compare all ready tasks
  // with the takers. An `exists` would be a join over all rows.
  const text = `select tenant, task_id, kind, max_price_micro::float8 as max_price_micro, limit_s, assign::float8 as assign, min_trust,
      (select coalesce(json_agg(other.sx), '[]') from read.compute_tasks_v4 other
        where other.copy_of = t.copy_of and other.task_id <> t.task_id and other.status <> 'queued' and other.sx = any($2::bigint[])) as done_by,
      failed_by
    from (select task_id, tenant, kind, max_price_micro, limit_s, assign, min_trust, copy_of, offer, position,
        coalesce(state->'failed_by', '[]') as failed_by from read.compute_tasks_v4
      where status = 'queued' and task_id not in (select unnest($3::text[])) and ready_at <= clock_timestamp() and due_at > clock_timestamp()
        and tenant not in (select tenant from read.accounts_v2 where debt > 0)
      order by offer desc, position offset 0) t
    where (select true from jsonb_to_recordset($1::jsonb) taker (sx bigint, bound text[], kinds text[], hourly_rate_micro numeric, trust numeric)
        where (assign is null or assign = taker.sx) and tenant <> all(taker.bound) and min_trust <= taker.trust
          and (cardinality(taker.kinds) = 0 or kind = any(taker.kinds))
          and max_price_micro >= greatest(1, ceil(taker.hourly_rate_micro * limit_s / 3600))
          and (assign is not null or not failed_by @> to_jsonb(taker.sx))
          and not exists (select from read.compute_tasks_v4 other where other.copy_of = t.copy_of and other.task_id <> t.task_id
            and other.sx = taker.sx and other.status <> 'queued')
        limit 1)
    order by offer desc, position limit $4`;
  const values = [JSON.stringify(takers), takers.map(({ sx }) => sx), textArray(but), limit];
  return (await pool.query<ReadyTask>({ name: "compute_ready", text, values })).rows;
}

/** True if a task that was found for several nodes suits this one. */
export const canTake = ({ sx, bound, kinds, hourly_rate_micro, trust }: Taker, task: ReadyTask): boolean =>
  (task.assign === null ? !task.failed_by.includes(sx) : task.assign === sx) &&
  !bound.includes(task.tenant) &&
  task.min_trust <= trust &&
  (kinds.length === 0 || kinds.includes(task.kind)) &&
  priceOf(hourly_rate_micro, task.limit_s) <= task.max_price_micro &&
  !task.done_by.includes(sx);

/** Milliseconds until the next failed task is ready again; undefined = none. */
export async function nextReadyMs(pool: pg.Pool): Promise<number | undefined> {
  const text = `select (extract(epoch from min(ready_at) - clock_timestamp()) * 1000)::float8 as ms
    from read.compute_tasks_v4 where status = 'queued' and ready_at > clock_timestamp()`;
  const { rows } = await pool.query<{ ms: number | null }>({ name: "compute_next_ready", text });
  return rows[0]?.ms ?? undefined;
}

const PAGE = 200;

/** Tasks with an automatic step that is due. */
export async function dueTasks(pool: pg.Pool, now: string): Promise<TaskKey[]> {
  const text = `select tenant, task_id from read.compute_tasks_v4 where due_at <= $1 order by due_at limit ${PAGE}`;
  return (await pool.query<TaskKey>({ name: "compute_due", text, values: [now] })).rows;
}

/**
 * The time of the next due step, null if there is none; `leases`: true while heartbeats decide about a task, which
 * the log does not show.
 */
export async function nextTaskStep(pool: pg.Pool): Promise<{ due_at: string | null; leases: boolean }> {
  const text = `select ${utc("(select min(due_at) from read.compute_tasks_v4)")} as due_at,
    exists(select from read.compute_tasks_v4 where status = 'leased') as leases`;
  return (await pool.query({ name: "compute_next_step", text })).rows[0]!;
}

export type SilentLease = TaskKey & { attempt: number; heard_at: string | null; is_limit: boolean };

/** Leases without a heartbeat for this long, or beyond their limit, by the database's clock. */
export async function silentLeases(pool: pg.Pool, silent_s: number): Promise<SilentLease[]> {
  const text = `select t.tenant, t.task_id, (t.state->>'attempts')::int as attempt, ${utc("h.heard_at")} as heard_at, t.limit_at <= clock_timestamp() as is_limit
    from read.compute_tasks_v4 t left join compute.leases_heard h using (lease_sha256)
    where t.status = 'leased' and (t.limit_at <= clock_timestamp()
      or greatest(t.leased_at, h.heard_at) <= clock_timestamp() - make_interval(secs => $1))
    order by t.leased_at limit ${PAGE}`;
  return (await pool.query<SilentLease>({ name: "compute_silent_leases", text, values: [silent_s] })).rows;
}

/** `spent_micro`: total spending of the requester's account. */
export type TaskToRun = TaskKey & {
  price_micro: number;
  spent_micro: number;
  position: number;
  limit_s: number;
  is_disputed: boolean;
};

/**
 * Results of these kinds that wait for an audit or are disputed: of each requester the best paid, then the oldest; none
 * of `but`.
 */
export async function tasksToRun(
  pool: pg.Pool,
  kinds: readonly string[],
  but: readonly string[],
): Promise<TaskToRun[]> {
  const columns = `tenant, task_id, coalesce((state->'lease'->>'price_micro')::float8, 0) as price_micro, position::float8 as position, limit_s`;
  const text = `select waiting.*, coalesce(account.spent, 0)::float8 as spent_micro from (select distinct on (tenant) * from (
      select ${columns}, false as is_disputed from read.compute_tasks_v4 where awaits_audit
      union all select ${columns}, true from read.compute_tasks_v4 where status = 'disputed' and kind = any($1)) waiting
    where task_id <> all($2) order by tenant, price_micro desc, position) waiting left join read.accounts_v2 account using (tenant)`;
  return (await pool.query<TaskToRun>({ name: "compute_to_run", text, values: [kinds, but] })).rows;
}

/** Results that wait for an audit; counts up to `most`. */
export async function countAwaiting(pool: pg.Pool, most: number): Promise<number> {
  const text =
    "select count(*)::int as n from (select from read.compute_tasks_v4 where awaits_audit limit $1) waiting";
  return (await pool.query<{ n: number }>({ name: "compute_audits_n", text, values: [most] })).rows[0]!.n;
}

/**
 * Quorum tasks to decide: enough copies agree, none is running, or the only one was begun; and judged tasks with open
 * copies. Round-robin over requesters, so one with many tasks blocks no other; those with less spending than
 * `own_turn_micro` share a slot.
 */
export async function unjudgedTasks(pool: pg.Pool, own_turn_micro: number): Promise<TaskKey[]> {
  const unjudged = `(select p.tenant, p.task_id, p.position from read.compute_tasks_v4 p
    where p.status = 'copied' and ((p.state->>'copies')::int = 1
        and not exists (select from read.compute_tasks_v4 c where c.copy_of = p.task_id and c.status = 'queued')
      or not exists (select from read.compute_tasks_v4 c where c.copy_of = p.task_id and c.status in ('queued', 'leased'))
      or (p.state->'facts'->'terms'->'quorum'->>'agree')::int <= (select count(*) as same from read.compute_tasks_v4 c
        where c.copy_of = p.task_id and c.status = 'submitted'
        group by c.state->'result'->>'output_sha256', c.state->'result'->>'exit' order by 1 desc limit 1))
    union select p.tenant, p.task_id, p.position from read.compute_tasks_v4 c join read.compute_tasks_v4 p on p.task_id = c.copy_of
    where c.copy_of is not null and c.status in ('queued', 'submitted') and p.status <> 'copied')`;
  const text = `select tenant, task_id from (
      select tenant, task_id, position, row_number() over (partition by tenant order by position) as nth from ${unjudged} unjudged) u
      left join read.accounts_v2 account using (tenant)
    order by row_number() over (
      partition by case when account.spent >= $1 then tenant end order by nth, position), position limit ${PAGE}`;
  return (await pool.query<TaskKey>({ name: "compute_unjudged", text, values: [own_turn_micro] })).rows;
}

export type TaskPage = { status: TaskStatus | null; limit: number; before: number | null };
export type TaskSummary = Pick<TaskRow, "task_id" | "position" | "state">;

/** A requester's tasks without copies, or a node's current and last ones; the newest first. */
export async function listTasks(
  pool: pg.Pool,
  of: { tenant: string } | { sx: number },
  { status, limit, before }: TaskPage,
): Promise<TaskSummary[]> {
  const [column, value] = "tenant" in of ? ["copy_of is null and tenant", of.tenant] : ["sx", of.sx];
  const sql = `select task_id, position::float8 as position, state from read.compute_tasks_v4
    where ${column} = $1 and ($2::text is null or status = $2) and ($3::bigint is null or position < $3)
    order by position desc limit $4`;
  return (await pool.query<TaskSummary>(sql, [value, status, before, limit])).rows;
}
