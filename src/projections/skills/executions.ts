/** Current executions, one a row: those to run, those of a tenant that wait, and the retention of their objects. */
import type pg from "pg";
import { objectName } from "../../core/model/objects.ts";
import { projection } from "../../core/read-models/projection.ts";
import { readRows, saveRows } from "../../core/read-models/rows.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import type { Execution, ExecutionStatus } from "../../domain/skills/execution.ts";
import * as executions from "../../domain/skills/execution.ts";

type Row = {
  execution_id: string;
  tenant: string;
  status: ExecutionStatus;
  worker: string | null;
  lease_until: string | null;
  deadline_at: string;
  position: number;
  state: Execution;
};

export const executionsProjection = projection({
  name: "skill_executions",
  version: 1,
  ddl: `
    create table if not exists read.skill_executions_v1 (
      execution_id text primary key,
      tenant       text not null,
      status       text not null,
      worker       text,
      lease_until  timestamptz,
      deadline_at  timestamptz not null,
      position     bigint not null,
      state        jsonb not null
    );
    create index if not exists skill_executions_v1_open on read.skill_executions_v1 (position)
      where status in ('requested', 'running');
    create index if not exists skill_executions_v1_waiting on read.skill_executions_v1 (tenant)
      where status in ('requested', 'running');`,
  of: [executions],
  async fold(events, tx) {
    const rows = await readRows<Row, "execution_id">(
      tx,
      "read.skill_executions_v1",
      "execution_id",
      events.map(({ id }) => id),
    );
    for (const event of events) {
      const before = rows.get(event.id);
      const state = executions.existingExecution(executions.evolve(before?.state, event));
      rows.set(event.id, {
        execution_id: event.id,
        tenant: event.tenant,
        status: state.status,
        worker: state.worker,
        lease_until: state.lease_until,
        deadline_at: state.facts.deadline_at,
        position: before?.position ?? event.position,
        state,
      });
      await keepObject(tx, event);
    }
    await saveRows(tx, "read.skill_executions_v1", ["execution_id"], rows.values());
  },
});

async function keepObject(tx: pg.ClientBase, event: PositionedEvent<typeof executions>): Promise<void> {
  if (event.type !== "SkillStepDone" && event.type !== "SkillRunFinished") return;
  const text = `update objects.small set keep_until = greatest(keep_until,
      to_timestamp($2::bigint / 1000000) + interval '${executions.KEEP_DAYS} days') where name = $1`;
  const name = objectName("execution", event.id, event.data.object_sha256);
  await tx.query({ name: "skills_keep", text, values: [name, String(event.recorded_at_us)] });
}

export type OpenExecution = { tenant: string; execution_id: string; worker: string | null };

/**
 * Executions without a lease at that time, past their deadline, or whose worker may be dead. Tenants alternate: the
 * one with the fewest older open executions comes first, running ones included.
 */
export async function openExecutions(
  pool: pg.Pool,
  { now, self, limit }: { now: string; self: string; limit: number },
): Promise<OpenExecution[]> {
  const sql = `select tenant, execution_id, worker from (
      select *, row_number() over (partition by tenant order by position) as place from read.skill_executions_v1
      where status in ('requested', 'running')) one
    where status = 'requested' or lease_until <= $1 or deadline_at <= $1 or worker <> $2
    order by place, position limit $3`;
  return (await pool.query<OpenExecution>(sql, [now, self, limit])).rows;
}

/** True while an execution has no result, also one that another process runs. */
export async function areExecutionsOpen(pool: pg.Pool): Promise<boolean> {
  const sql =
    "select exists(select from read.skill_executions_v1 where status in ('requested', 'running')) as is_open";
  return (await pool.query<{ is_open: boolean }>(sql)).rows[0]!.is_open;
}

/** Reserves places for a tenant's new executions; false if too many would wait. */
export async function reserveExecutions(
  pool: pg.Pool,
  tenant: string,
  { ids, most }: { ids: readonly string[]; most: number },
): Promise<boolean> {
  const text = "select skills.take_places($1, $2, $3, 'read.skill_executions_v1') as taken";
  const values = [tenant, ids, most];
  return (await pool.query<{ taken: boolean }>({ name: "skills_take_places", text, values })).rows[0]!.taken;
}

/** Gives back the places of executions that were not requested after all. */
export async function releaseExecutions(pool: pg.Pool, ids: readonly string[]): Promise<void> {
  await pool.query("delete from skills.places where execution_id = any($1)", [ids]);
}

/** The tenant of an execution; undefined where there is none. */
export async function tenantOf(pool: pg.Pool, execution_id: string): Promise<string | undefined> {
  const sql = "select tenant from read.skill_executions_v1 where execution_id = $1";
  return (await pool.query<{ tenant: string }>(sql, [execution_id])).rows[0]?.tenant;
}
