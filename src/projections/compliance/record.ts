/** What the log itself has of an agent up to a position, so that the same position gives the same record whenever it is asked. */
import type pg from "pg";
import { MAIN_LOG } from "../../../eventstore/types.ts";
import { MOST_EVENTS } from "../../domain/compliance/document.ts";
import type { Activity, Evidence } from "../../domain/compliance/record.ts";

/** Events of an agent that are counted at most. */
export const MOST_COUNTED = 20_000;

const timeOf = (recorded_at_us: number) => new Date(recorded_at_us / 1_000).toISOString();

type Row = Evidence & { recorded_at_us: number };

/** What the keys and wallets of these tenants caused up to a position, by type. */
export async function activityOf(
  pool: pg.Pool,
  tenants: readonly string[],
  position: number,
): Promise<{ activity: Activity[]; is_cut: boolean }> {
  const text = `select e.position::float8 as position, e.event_id, e.type, e.recorded_at_us::float8 as recorded_at_us
    from unnest($1::text[]) t(tenant) cross join lateral (
      select position, event_id, type, recorded_at_us from eventstore.events
      where log_id = ${MAIN_LOG} and tenant = t.tenant and position <= $2 order by position limit $3) e
    order by e.position`;
  const { rows } = await pool.query<Row>(text, [tenants, position, MOST_COUNTED + 1]);
  const byType = new Map<string, Row[]>();
  for (const row of rows.slice(0, MOST_COUNTED)) {
    const known = byType.get(row.type);
    if (known) known.push(row);
    else byType.set(row.type, [row]);
  }
  const activity = [...byType].map(
    ([type, of]): Activity => ({
      type,
      count: of.length,
      first_at: timeOf(of[0]!.recorded_at_us),
      last_at: timeOf(of.at(-1)!.recorded_at_us),
      newest: of.slice(-MOST_EVENTS).map(({ event_id, position }) => ({ event_id, position, type })),
    }),
  );
  activity.sort((a, b) => (a.type < b.type ? -1 : 1));
  return { activity, is_cut: rows.length > MOST_COUNTED };
}

/** Checkpoints follow within seconds, anchors within hours: further on nobody looks for one. */
const MOST_BEHIND = 200_000;

export type Told = Evidence & { payload: Record<string, unknown> };

/** The first event of a type behind a position, up to another, whose tree has as many events at least. */
export async function headOver(
  pool: pg.Pool,
  type: "CheckpointSigned" | "Anchored",
  { over, until }: { over: number; until: number },
): Promise<Told | undefined> {
  const text = `select position::float8 as position, event_id, type, convert_from(payload, 'UTF8')::jsonb as payload
    from eventstore.events where log_id = ${MAIN_LOG} and type = $1 and position > $2 and position <= least($3::bigint, $2::bigint + ${MOST_BEHIND})
      and (convert_from(payload, 'UTF8')::jsonb ->> 'size')::bigint >= $2 order by position limit 1`;
  return (await pool.query<Told>(text, [type, over, until])).rows[0];
}

/** The newest event of a stream and type up to a position. */
export async function newestOf(
  pool: pg.Pool,
  { tenant, stream_id, type }: { tenant: string; stream_id: string; type: string },
  position: number,
): Promise<Told | undefined> {
  const text = `select position::float8 as position, event_id, type, convert_from(payload, 'UTF8')::jsonb as payload
    from eventstore.events where log_id = ${MAIN_LOG} and tenant = $1 and stream_id = $2 and type = $3 and position <= $4
    order by version desc limit 1`;
  return (await pool.query<Told>(text, [tenant, stream_id, type, position])).rows[0];
}

/** Attestations of an agent that were live at a position. */
export async function attestedAt(
  pool: pg.Pool,
  sx: number,
  position: number,
): Promise<{ by: number; skill: string; event: Evidence }[]> {
  const text = `select from_sx::float8 as by, skill, event_id, valid_from::float8 as position from read.trust_edges_v2
    where to_sx = $1 and valid_from <= $2 and (valid_to is null or valid_to > $2) order by valid_from`;
  const { rows } = await pool.query<{ by: number; skill: string; event_id: string; position: number }>(text, [
    sx,
    position,
  ]);
  return rows.map(({ by, skill, event_id, position: at }) => ({
    by,
    skill,
    event: { event_id, position: at, type: "AttestationMade" },
  }));
}

/** When the event at a position was recorded; undefined where the log does not reach so far. */
export async function recordedAt(pool: pg.Pool, position: number): Promise<string | undefined> {
  const text = `select recorded_at_us::float8 as recorded_at_us from eventstore.events where log_id = ${MAIN_LOG} and position = $1`;
  const { rows } = await pool.query<{ recorded_at_us: number }>(text, [position]);
  return rows[0] && timeOf(rows[0].recorded_at_us);
}
