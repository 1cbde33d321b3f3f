import type pg from "pg";
import type { EventStore } from "../../../eventstore/store.ts";
import type { Projection } from "./projection.ts";
import { nameOf } from "./runner.ts";

/** `behind`: the number of events not folded yet. `trouble`: the error that blocks the projection, or null. */
export type ProjectionHealth = { name: string; behind: number; trouble: string | null };

/**
 * `last_good_s`: seconds since the last good tick, exact to thirty seconds; null before the first tick. An idle
 * reactor ticks every five minutes. `trouble`: the failure that blocks the reactor, or null.
 */
export type ReactorHealth = {
  name: string;
  last_good_s: number | null;
  trouble: { status: string; since: string; reason: string | null } | null;
};

export type Health = { projections: ProjectionHealth[]; reactors: ReactorHealth[] };

export async function healthOf(
  { pool, store }: { pool: pg.Pool; store: EventStore },
  projections: readonly Projection[],
  reactors: readonly { name: string }[],
): Promise<Health> {
  const { position } = await store.head();
  const [checkpoints, leases] = await Promise.all([
    pool.query<{ projection: string; position: number; trouble: string | null }>(
      "select projection, position, trouble from read.checkpoints",
    ),
    pool.query<{
      reactor: string;
      status: string;
      reason: string | null;
      since: string;
      last_good_s: number;
    }>(
      `select reactor, status, reason, to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since,
              greatest(extract(epoch from clock_timestamp() - good_at), 0)::int as last_good_s
         from reactors.leases`,
    ),
  ]);
  const folded = new Map(checkpoints.rows.map((row) => [row.projection, row]));
  const leaseRows = new Map(leases.rows.map((row) => [row.reactor, row]));
  return {
    projections: projections.map((projection) => {
      const row = folded.get(nameOf(projection));
      const behind = Math.max(0, position - (row?.position ?? 0));
      return { name: nameOf(projection), behind, trouble: row?.trouble ?? null };
    }),
    reactors: reactors.map(({ name }) => {
      const row = leaseRows.get(name);
      const isWell = row === undefined || row.status === "done";
      const trouble = isWell ? null : { status: row.status, since: row.since, reason: row.reason };
      return { name, last_good_s: row?.last_good_s ?? null, trouble };
    }),
  };
}

/** One sentence for each dispute. Disputes without proof stop no sale. */
export async function disputesIn(
  pool: pg.Pool,
  reactors: readonly { name: string; disputes?: readonly string[] }[],
): Promise<string[]> {
  const disputing = reactors.filter(({ disputes = [] }) => disputes.length > 0);
  if (disputing.length === 0) return [];
  const { rows } = await pool.query<{ reactor: string; status: string; reason: string | null }>(
    "select reactor, status, reason from reactors.leases where reactor = any($1) order by reactor",
    [disputing.map(({ name }) => name)],
  );
  return rows
    .filter(({ reactor, status }) =>
      disputing.find(({ name }) => name === reactor)?.disputes?.includes(status),
    )
    .map(({ reactor, reason }) => `${reactor}: ${reason ?? "the log is not the one that it knows"}`);
}
