/**
 * One row per actor, UTC day and operation, with hourly counts. A call's commit counts once, whatever it appended. Rows
 * belong to actors, so an agent also gets what its wallet did before the proof.
 */
import type pg from "pg";
import { type PublicFacts, projection } from "../../core/read-models/projection.ts";

/** A wallet, or an agent's own key; keys of other tenants have other names. */
const ACTOR = /^(?:wallet:0x[0-9a-f]{40}|key:[0-9a-f]{32})$/;

/** Not counted: a claim precedes the commit of its paid call, and a failed payment bought nothing. */
const UNCOUNTED = new Set(["PaymentClaimed", "PaymentFailed"]);

export const activityProjection = projection({
  name: "agent_activity",
  version: 1,
  ddl: `create table if not exists read.agent_activity_v1 (
      actor     text not null,
      day       date not null,
      operation text not null,
      hours     int[] not null,
      last_us   bigint not null,
      primary key (actor, day, operation)
    );
    create index if not exists agent_activity_v1_day on read.agent_activity_v1 (day, actor);`,
  of: "every event",
  async fold(events, tx) {
    const rows = new Map<string, Row>();
    for (const event of events) count(rows, event);
    if (rows.size === 0) return;
    await tx.query(
      `insert into read.agent_activity_v1 as known (actor, day, operation, hours, last_us)
       select actor, day, operation, hours, last_us
         from jsonb_to_recordset($1::jsonb) as r(actor text, day date, operation text, hours int[], last_us bigint)
       on conflict (actor, day, operation) do update set last_us = greatest(known.last_us, excluded.last_us),
         hours = array(select known.hours[h] + excluded.hours[h] from generate_series(1, 24) h order by h)`,
      [JSON.stringify([...rows.values()])],
    );
  },
});

type Row = { actor: string; day: string; operation: string; hours: number[]; last_us: number };

function count(rows: Map<string, Row>, { meta, type, recorded_at_us }: PublicFacts): void {
  const { actor, operation, commit } = meta;
  // The first event of a commit has its binding and represents it.
  if (commit === undefined || typeof actor !== "string" || typeof operation !== "string") return;
  if (!ACTOR.test(actor) || UNCOUNTED.has(type)) return;
  const at = new Date(recorded_at_us / 1_000);
  const day = at.toISOString().slice(0, 10);
  const name = `${actor} ${day} ${operation}`;
  const row = rows.get(name) ?? { actor, day, operation, hours: new Array<number>(24).fill(0), last_us: 0 };
  row.hours[at.getUTCHours()]! += 1;
  row.last_us = Math.max(row.last_us, recorded_at_us);
  rows.set(name, row);
}

/** By operation and day, since a given day. */
export type Activity = { day: string; operation: string; hours: number[]; events: number; last_us: number };

export async function activityOf(
  pool: pg.Pool,
  actors: readonly string[],
  from: string,
  to: string,
): Promise<Activity[]> {
  const text = `select to_char(day, 'YYYY-MM-DD') as day, operation, hours, last_us::float8 as last_us,
      (select sum(h) from unnest(hours) h)::int as events
    from read.agent_activity_v1 where actor = any($1) and day between $2 and $3 order by day, operation`;
  return (await pool.query<Activity>({ name: "agent_activity", text, values: [actors, from, to] })).rows;
}

/** The last activity of any of these actors, in microseconds; null = never. */
export async function lastActive(pool: pg.Pool, actors: readonly string[]): Promise<number | null> {
  const text = "select max(last_us)::float8 as last_us from read.agent_activity_v1 where actor = any($1)";
  return (await pool.query<{ last_us: number | null }>({ text, values: [actors] })).rows[0]!.last_us;
}
