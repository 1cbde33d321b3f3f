/** What is told of a node beside how it stands: how long it was online lately, and what it is still to be paid. */
import type pg from "pg";
import * as node from "../../domain/compute/node.ts";
import { sharesOf } from "../../domain/compute/pricing.ts";
import type { TaskEvent } from "../../domain/compute/task.ts";
import * as task from "../../domain/compute/task.ts";
import { projection } from "../projection.ts";
import type { Place } from "../typed.ts";

/**
 * `compute_known`: since when a node is registered. `compute_online`: from when until when it was online, of the last days alone; null: it is.
 * `compute_owed`: its share of each task that it has and that has not ended, and whether its result is in.
 */
export const recordsProjection = projection({
  name: "compute_records",
  version: 1,
  ddl: `
    create table if not exists read.compute_known_v1 (
      sx    bigint primary key,
      since timestamptz not null
    );
    create table if not exists read.compute_online_v1 (
      sx    bigint not null,
      since timestamptz not null,
      until timestamptz,
      primary key (sx, since)
    );
    create table if not exists read.compute_owed_v1 (
      tenant      text not null,
      task_id     text not null,
      sx          bigint not null,
      share_micro bigint not null,
      is_in       boolean not null,
      primary key (tenant, task_id)
    );
    create index if not exists compute_owed_v1_in on read.compute_owed_v1 (sx) where is_in;`,
  of: [node, task],
  async fold(events, tx) {
    const of = events.filter(isOfTask);
    const owed = await owedAmong(tx, of);
    for (const event of of) owed.set(keyOf(event), after(owed.get(keyOf(event)), event));
    for (const event of events) if (!isOfTask(event)) await foldNode(tx, event);
    await saveOwed(tx, of, owed);
  },
});

type NodePlaced = node.NodeEvent & Place;
type TaskPlaced = TaskEvent & Place;

const isOfTask = (event: NodePlaced | TaskPlaced): event is TaskPlaced =>
  event.stream_id.startsWith(task.prefix);

type Owed = { tenant: string; task_id: string; sx: number; share_micro: number; is_in: boolean };

const keyOf = ({ tenant, id }: Pick<Place, "tenant" | "id">) => `${tenant}\n${id}`;

/** What a node is to be paid for a task once this has happened; undefined where nothing is. */
function after(before: Owed | undefined, { tenant, id, type, data }: TaskPlaced): Owed | undefined {
  switch (type) {
    case "TaskLeased": {
      const { provider_micro: share_micro } = sharesOf(data.price_micro);
      return { tenant, task_id: id, sx: data.sx, share_micro, is_in: false };
    }
    case "TaskResultSubmitted":
      return before && { ...before, is_in: true };
    case "TaskLeaseExpired":
    case "TaskSettled":
    case "TaskRefunded":
      return undefined;
    default:
      return before;
  }
}

async function owedAmong(
  tx: pg.ClientBase,
  events: readonly TaskPlaced[],
): Promise<Map<string, Owed | undefined>> {
  const text = `select tenant, task_id, sx::float8 as sx, share_micro::float8 as share_micro, is_in from read.compute_owed_v1
    where (tenant, task_id) in (select * from unnest($1::text[], $2::text[]))`;
  const values = [events.map(({ tenant }) => tenant), events.map(({ id }) => id)];
  const { rows } = await tx.query<Owed>({ name: "compute_owed_among", text, values });
  return new Map(rows.map((row) => [keyOf({ tenant: row.tenant, id: row.task_id }), row]));
}

async function saveOwed(
  tx: pg.ClientBase,
  events: readonly TaskPlaced[],
  owed: ReadonlyMap<string, Owed | undefined>,
): Promise<void> {
  const over = events.filter((event) => owed.get(keyOf(event)) === undefined);
  if (over.length > 0) {
    const text = `delete from read.compute_owed_v1
      where (tenant, task_id) in (select * from unnest($1::text[], $2::text[]))`;
    const values = [over.map(({ tenant }) => tenant), over.map(({ id }) => id)];
    await tx.query({ name: "compute_owed_over", text, values });
  }
  const open = [...owed.values()].filter((one) => one !== undefined);
  if (open.length > 0) {
    const text = `insert into read.compute_owed_v1
      select tenant, task_id, sx, share_micro, is_in from jsonb_populate_recordset(null::read.compute_owed_v1, $1::jsonb)
      on conflict (tenant, task_id) do update set (sx, share_micro, is_in) = row (excluded.sx, excluded.share_micro, excluded.is_in)`;
    await tx.query({ name: "compute_owed_save", text, values: [JSON.stringify(open)] });
  }
}

/** Nodes come and go rarely: each time a statement of its own. */
async function foldNode(tx: pg.ClientBase, { id, type, data }: NodePlaced): Promise<void> {
  const sx = Number(id);
  if (type === "NodeRegistered")
    await tx.query("insert into read.compute_known_v1 values ($1, $2) on conflict do nothing", [
      sx,
      data.registered_at,
    ]);
  if (type === "NodeWentOnline")
    await tx.query("insert into read.compute_online_v1 values ($1, $2) on conflict do nothing", [
      sx,
      data.at,
    ]);
  if (type !== "NodeWentOffline") return;
  const { last_heartbeat_at } = data;
  await tx.query(
    "update read.compute_online_v1 set until = greatest(since, $2) where sx = $1 and until is null",
    [sx, last_heartbeat_at],
  );
  await tx.query(
    "delete from read.compute_online_v1 where sx = $1 and until < $2::timestamptz - make_interval(secs => $3)",
    [sx, last_heartbeat_at, node.UPTIME_S],
  );
}

/**
 * `n`: seconds that a node is registered for, of the last 30 days; `online_s`: how many of them it was online. `pending_micro`: its share of
 * results whose tasks have not ended.
 */
export type NodeRecord = { n: number; online_s: number; pending_micro: number };

/** As of a moment ago. */
export async function recordOf(pool: pg.Pool, sx: number, now: string): Promise<NodeRecord> {
  const text = `select coalesce(extract(epoch from $2::timestamptz - w.from_at), 0)::float8 as n,
      (select coalesce(sum(extract(epoch from least(coalesce(o.until, $2), $2) - greatest(o.since, w.from_at))), 0)::float8
        from read.compute_online_v1 o where o.sx = $1 and o.since < $2 and coalesce(o.until, $2) > w.from_at) as online_s,
      (select coalesce(sum(share_micro), 0)::float8 from read.compute_owed_v1 where sx = $1 and is_in) as pending_micro
    from (select (select greatest(since, $2::timestamptz - make_interval(secs => $3)) from read.compute_known_v1
      where sx = $1 and since < $2) as from_at) w`;
  const values = [sx, now, node.UPTIME_S];
  return (await pool.query<NodeRecord>({ name: "compute_record", text, values })).rows[0]!;
}
