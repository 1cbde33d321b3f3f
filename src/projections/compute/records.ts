/** Online times of nodes in the last 30 days. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import * as node from "../../domain/compute/node.ts";

/**
 * `compute_known`: registration of each node. `compute_online`: online times of the last days; an end of null = online
 * now.
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
    );`,
  of: [node],
  async fold(events, tx) {
    for (const event of events) await foldNode(tx, event);
  },
});

/** Node events are rare, so each has its own statement. */
async function foldNode(tx: pg.ClientBase, { id, type, data }: PositionedEvent<typeof node>): Promise<void> {
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

/** `n`: seconds since registration, at most 30 days; `online_s`: online seconds of these. */
export type NodeRecord = { n: number; online_s: number };

/** A moment old. */
export async function recordOf(pool: pg.Pool, sx: number, now: string): Promise<NodeRecord> {
  const text = `select coalesce(extract(epoch from $2::timestamptz - w.from_at), 0)::float8 as n,
      (select coalesce(sum(extract(epoch from least(coalesce(o.until, $2), $2) - greatest(o.since, w.from_at))), 0)::float8
        from read.compute_online_v1 o where o.sx = $1 and o.since < $2 and coalesce(o.until, $2) > w.from_at) as online_s
    from (select (select greatest(since, $2::timestamptz - make_interval(secs => $3)) from read.compute_known_v1
      where sx = $1 and since < $2) as from_at) w`;
  const values = [sx, now, node.UPTIME_S];
  return (await pool.query<NodeRecord>({ name: "compute_record", text, values })).rows[0]!;
}
