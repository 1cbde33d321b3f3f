/** Reads an agent's record from the log up to a position, so that the same position always has the same record. */
import type pg from "pg";
import { MAIN_LOG } from "../../../eventstore/types.ts";
import { MOST_EVENTS } from "../../domain/compliance/document.ts";
import type {
  Activity,
  Evidence,
  MonthlyCalls,
  MonthlyScore,
  VintageUse,
} from "../../domain/compliance/record.ts";
import * as tasks from "../../domain/compute/task.ts";
import { computeTrust } from "../../domain/trust/score.ts";
import { inputAt } from "../trust/evidence.ts";

/** At most so many events of an agent are counted. */
const MOST_COUNTED = 20_000;

const timeOf = (recorded_at_us: number) => new Date(recorded_at_us / 1_000).toISOString();

type EventRow = Evidence & { recorded_at_us: number; operation: string | null; vintage: string | null };

/** The newest events, as evidence. */
const newestEvidence = (rows: readonly Evidence[]): Evidence[] =>
  rows.slice(-MOST_EVENTS).map(({ event_id, position, type }) => ({ event_id, position, type }));

const grouped = <Key>(
  rows: readonly EventRow[],
  keyOf: (row: EventRow) => Key | null,
): Map<Key, EventRow[]> => {
  const groups = new Map<Key, EventRow[]>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === null) continue;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
};

/** Counts the events of each type, sorted by type. */
function byType(rows: readonly EventRow[]): Activity[] {
  const counted = [...grouped(rows, ({ type }) => type)].map(
    ([type, of]): Activity => ({
      type,
      count: of.length,
      first_at: timeOf(of[0]!.recorded_at_us),
      last_at: timeOf(of.at(-1)!.recorded_at_us),
      newest: newestEvidence(of),
    }),
  );
  return counted.sort((a, b) => (a.type < b.type ? -1 : 1));
}

export type OwnActivity = {
  activity: Activity[];
  calls: MonthlyCalls[];
  vintageUses: VintageUse[];
  is_cut: boolean;
};

/** The events that the keys and wallets of these tenants caused up to a position. */
export async function ownOf(
  pool: pg.Pool,
  tenants: readonly string[],
  position: number,
): Promise<OwnActivity> {
  // json instead of jsonb: the other values of a payload may hold text that jsonb refuses, such as \u0000.
  const text = `select e.position::float8 as position, e.event_id, e.type, e.recorded_at_us::float8 as recorded_at_us,
      convert_from(e.meta, 'UTF8')::json ->> 'operation' as operation,
      case when e.type in ('PaymentSettled', 'PaymentAnswered') then convert_from(e.payload, 'UTF8')::json #>> '{answer,vintage}'
           when e.type = 'ReportMade' then convert_from(e.payload, 'UTF8')::json ->> 'vintages' end as vintage
    from unnest($1::text[]) t(tenant) cross join lateral (
      select position, event_id, type, recorded_at_us, meta, payload from eventstore.events
      where log_id = ${MAIN_LOG} and tenant = t.tenant and position <= $2 order by position limit $3) e
    order by e.position`;
  const { rows } = await pool.query<EventRow>(text, [tenants, position, MOST_COUNTED + 1]);
  const counted = rows.slice(0, MOST_COUNTED);
  const monthOf = ({ recorded_at_us }: EventRow) => timeOf(recorded_at_us).slice(0, 7);
  const calls = [...grouped(counted, (row) => row.operation && `${monthOf(row)} ${row.operation}`)].map(
    ([key, of]): MonthlyCalls => {
      const [month = "", operation = ""] = key.split(" ");
      return { month, operation, count: of.length, newest: newestEvidence(of) };
    },
  );
  const nameOf = ({ month, operation }: MonthlyCalls) => `${month} ${operation}`;
  calls.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const vintageUses = [...grouped(counted, ({ vintage }) => vintage)].map(
    ([vintage, of]): VintageUse => ({ vintage, count: of.length, newest: newestEvidence(of) }),
  );
  return { activity: byType(counted), calls, vintageUses, is_cut: rows.length > MOST_COUNTED };
}

/** Rejections, disputes and decisions on tasks of other tenants that an agent's nodes worked on. */
export async function workedOf(
  pool: pg.Pool,
  { sx, tenants }: { sx: number; tenants: readonly string[] },
  position: number,
): Promise<Activity[]> {
  const text = `select e.position::float8 as position, e.event_id, e.type, e.recorded_at_us::float8 as recorded_at_us
    from read.compute_tasks_v4 t join eventstore.events e
      on e.log_id = ${MAIN_LOG} and e.tenant = t.tenant and e.stream_id = '${tasks.prefix}' || t.task_id
    where t.sx = $1 and t.tenant <> all($4) and e.position <= $2 and e.type in ('TaskRejected', 'TaskDisputed', 'TaskDisputeDecided')
    order by e.position limit $3`;
  const { rows } = await pool.query<EventRow>(text, [sx, position, MOST_COUNTED, tenants]);
  return byType(rows);
}

/** At most so many months have a score. */
const MOST_MONTHS = 12;

/**
 * An agent's score by the last computation of each month up to a position. A score that is no longer stored is computed again from the
 * evidence at the computation's own position, with the same result.
 */
export async function scoresByMonth(pool: pg.Pool, sx: number, position: number): Promise<MonthlyScore[]> {
  const text = `select distinct on (to_char(date '1970-01-01' + day::int, 'YYYY-MM')) position::float8 as position, event_id,
      to_char(date '1970-01-01' + day::int, 'YYYY-MM-DD') as on_day, as_of_position::float8 as as_of_position, day::float8 as day, kept,
      (select score::float8 from read.trust_scores_v3 s where s.day = c.day and s.sx = $1) as score
    from read.trust_computed_v3 c where position <= $2
    order by to_char(date '1970-01-01' + day::int, 'YYYY-MM') desc, position desc limit ${MOST_MONTHS}`;
  const { rows } = await pool.query<Computation>(text, [sx, position]);
  const monthly: MonthlyScore[] = [];
  for (const row of rows.reverse()) {
    const score = row.kept ? (row.score ?? 0) : await scoreOf(pool, sx, row);
    const event = { event_id: row.event_id, position: row.position, type: "TrustComputed" };
    monthly.push({ day: row.on_day, points_micro: score, event });
  }
  return monthly;
}

type Computation = {
  position: number;
  event_id: string;
  on_day: string;
  as_of_position: number;
  day: number;
  kept: boolean;
  score: number | null;
};

async function scoreOf(pool: pg.Pool, sx: number, { as_of_position, day }: Computation): Promise<number> {
  const { scores } = computeTrust(await inputAt(pool, as_of_position, day));
  return scores.find((one) => one.sx === sx)?.score ?? 0;
}

/** Checkpoints follow within seconds and anchors within hours, so later positions are not searched. */
const SEARCHED_POSITIONS = 200_000;

export type LoggedEvent = Evidence & { payload: Record<string, unknown> };

/** The first event of a type after `over`, up to `until`, whose tree covers the position `over`. */
export async function headOver(
  pool: pg.Pool,
  type: "CheckpointSigned" | "Anchored",
  { over, until }: { over: number; until: number },
): Promise<LoggedEvent | undefined> {
  const text = `select position::float8 as position, event_id, type, convert_from(payload, 'UTF8')::jsonb as payload
    from eventstore.events where log_id = ${MAIN_LOG} and type = $1 and position > $2 and position <= least($3::bigint, $2::bigint + ${SEARCHED_POSITIONS})
      and (convert_from(payload, 'UTF8')::jsonb ->> 'size')::bigint >= $2 order by position limit 1`;
  return (await pool.query<LoggedEvent>(text, [type, over, until])).rows[0];
}

/** The newest event of a stream and type up to a position. */
export async function newestOf(
  pool: pg.Pool,
  { tenant, stream_id, type }: { tenant: string; stream_id: string; type: string },
  position: number,
): Promise<LoggedEvent | undefined> {
  const text = `select position::float8 as position, event_id, type, convert_from(payload, 'UTF8')::jsonb as payload
    from eventstore.events where log_id = ${MAIN_LOG} and tenant = $1 and stream_id = $2 and type = $3 and position <= $4
    order by version desc limit 1`;
  return (await pool.query<LoggedEvent>(text, [tenant, stream_id, type, position])).rows[0];
}

/** Attestations of an agent that were live at a position. */
export async function attestedAt(
  pool: pg.Pool,
  sx: number,
  position: number,
): Promise<{ by: number; skill: string; event: Evidence }[]> {
  const text = `select from_sx::float8 as by, skill, event_id, valid_from::float8 as position from read.trust_edges_v3
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

/** When the event at a position was recorded; undefined: the log ends before it. */
export async function recordedAt(pool: pg.Pool, position: number): Promise<string | undefined> {
  const text = `select recorded_at_us::float8 as recorded_at_us from eventstore.events where log_id = ${MAIN_LOG} and position = $1`;
  const { rows } = await pool.query<{ recorded_at_us: number }>(text, [position]);
  return rows[0] && timeOf(rows[0].recorded_at_us);
}
