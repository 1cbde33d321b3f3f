/** One row per node, for searches and audit records. */
import type pg from "pg";
import { batched } from "../../../eventstore/query-batch.ts";
import { projection } from "../../core/read-models/projection.ts";
import { saveRows } from "../../core/read-models/rows.ts";
import { utc } from "../../core/read-models/times.ts";
import type { EventPosition } from "../../core/read-models/typed-events.ts";
import type { Node } from "../../domain/compute/node.ts";
import * as node from "../../domain/compute/node.ts";
import type { TaskEvent } from "../../domain/compute/task.ts";
import * as task from "../../domain/compute/task.ts";
import { BOUND_TENANTS } from "./bound.ts";

/**
 * `valid_audits`: audited results in a row that were valid; 0 after another verdict. `settled`, `earned_micro`: number
 * and sum of its paid tasks.
 */
export type NodeRow = {
  sx: number;
  status: Node["status"];
  online: boolean;
  capabilities: string[];
  kinds: string[];
  hourly_rate_micro: number;
  max_concurrent: number;
  running: number;
  valid_audits: number;
  settled: number;
  earned_micro: number;
  slashes: number;
  /** Failures since its last paid task; those of one minute count once. */
  failures: number;
  failed_at: string | null;
  position: number;
  state: Node;
};

export const nodesProjection = projection({
  name: "compute_nodes",
  version: 3,
  ddl: `
    create table if not exists read.compute_nodes_v3 (
      sx                bigint primary key,
      status            text not null,
      online            boolean not null,
      capabilities      text[] not null,
      kinds             text[] not null,
      hourly_rate_micro bigint not null,
      max_concurrent    int not null,
      running           int not null default 0,
      valid_audits      int not null default 0,
      settled           bigint not null default 0,
      earned_micro      bigint not null default 0,
      slashes           int not null,
      failures          int not null default 0,
      failed_at         timestamptz,
      position          bigint not null,
      state             jsonb not null
    );
    create index if not exists compute_nodes_v3_open on read.compute_nodes_v3 (hourly_rate_micro)
      where online and status = 'available';
    create index if not exists compute_nodes_v3_stakes on read.compute_nodes_v3 ((state->>'stake_free_at'))
      where state->>'stake_free_at' is not null;
    create table if not exists read.compute_lent_v3 (
      tenant  text not null,
      task_id text not null,
      sx      bigint not null,
      primary key (tenant, task_id)
    );`,
  of: [node, task],
  async fold(events, tx) {
    const lent = await lastLeases(tx, events);
    const rows = await rowsOf(tx, [...events.flatMap(nodeNumbersOf), ...lent.values()]);
    const newlyLent = new Map<string, LastLease>();
    for (const event of events) {
      if (isOfNode(event)) {
        foldNode(rows, event);
        continue;
      }
      const key = keyOf(event);
      if (event.type === "TaskLeased") {
        const { sx } = event.data;
        lent.set(key, sx);
        newlyLent.set(key, { tenant: event.tenant, task_id: event.id, sx });
      }
      const row = rows.get(lent.get(key) ?? Number.NaN);
      if (row) Object.assign(row, afterTaskEvent(row, event));
    }
    await saveRows(tx, "read.compute_nodes_v3", ["sx"], rows.values());
    await saveRows(tx, "read.compute_lent_v3", ["tenant", "task_id"], newlyLent.values());
  },
});

type Event = (node.NodeEvent | TaskEvent) & EventPosition;
type LastLease = { tenant: string; task_id: string; sx: number };

const isOfNode = (event: Event): event is node.NodeEvent & EventPosition =>
  event.stream_id.startsWith(node.prefix);

const keyOf = ({ tenant, id }: Pick<EventPosition, "tenant"> & { id: string }) => `${tenant}\n${id}`;

function nodeNumbersOf(event: Event): number[] {
  if (isOfNode(event)) return [Number(event.id)];
  return event.type === "TaskLeased" ? [event.data.sx] : [];
}

/** The nodes with the last lease of each event's task. */
async function lastLeases(tx: pg.ClientBase, events: readonly Event[]): Promise<Map<string, number>> {
  const of = events.filter((event) => !isOfNode(event));
  const text = `select tenant, task_id, sx::float8 as sx from read.compute_lent_v3
    where (tenant, task_id) in (select * from unnest($1::text[], $2::text[]))`;
  const values = [of.map(({ tenant }) => tenant), of.map(({ id }) => id)];
  const { rows } = await tx.query<LastLease>({ name: "compute_lent_among", text, values });
  return new Map(rows.map(({ tenant, task_id, sx }) => [keyOf({ tenant, id: task_id }), sx]));
}

async function rowsOf(tx: pg.ClientBase, numbers: readonly number[]): Promise<Map<number, NodeRow>> {
  const text = `select ${COLUMNS} from read.compute_nodes_v3 where sx = any($1::bigint[])`;
  const { rows } = await tx.query<NodeRow>({ name: "compute_nodes_of", text, values: [numbers] });
  return new Map(rows.map((row) => [row.sx, row]));
}

function foldNode(rows: Map<number, NodeRow>, event: node.NodeEvent & EventPosition): void {
  const sx = Number(event.id);
  const before = rows.get(sx);
  const state = node.evolve(before?.state, event);
  if (!state) return;
  const { running = 0, valid_audits = 0, settled = 0, earned_micro = 0 } = before ?? {};
  const { failures = 0, failed_at = null } = before ?? {};
  rows.set(sx, {
    sx,
    status: state.status,
    online: state.online_since !== null,
    capabilities: state.facts.capabilities,
    kinds: state.facts.kinds,
    hourly_rate_micro: state.hourly_rate_micro,
    max_concurrent: state.max_concurrent,
    ...{ running, valid_audits, settled, earned_micro, failures, failed_at },
    slashes: state.slashes,
    position: event.position,
    state,
  });
}

function afterTaskEvent(row: NodeRow, { type, data }: TaskEvent): Partial<NodeRow> {
  switch (type) {
    case "TaskLeased":
      return { running: row.running + 1 };
    case "TaskLeaseExpired":
      return { running: Math.max(0, row.running - 1), ...failed(row, data.expired_at) };
    case "TaskResultSubmitted":
      return { running: Math.max(0, row.running - 1) };
    case "TaskAudited":
      if (data.verdict === "inconclusive" || data.verdict === "void") return {};
      return { valid_audits: data.verdict === "valid" ? row.valid_audits + 1 : 0 };
    case "TaskSettled":
      return {
        ...{ settled: row.settled + 1, earned_micro: row.earned_micro + data.provider_micro },
        ...{ failures: 0, failed_at: null },
      };
    default:
      return {};
  }
}

function failed({ failures, failed_at }: NodeRow, at: string): Partial<NodeRow> {
  const isApart = failed_at === null || Date.parse(at) >= Date.parse(failed_at) + node.FAILURE_S * 1_000;
  return isApart ? { failures: failures + 1, failed_at: at } : {};
}

const COLUMNS = `sx::float8 as sx, status, online, to_json(capabilities) as capabilities, to_json(kinds) as kinds, hourly_rate_micro::float8 as hourly_rate_micro, max_concurrent,
  running, valid_audits, settled::float8 as settled, earned_micro::float8 as earned_micro, slashes, failures, ${utc("failed_at")} as failed_at, position::float8 as position, state`;

export async function findNode(pool: pg.Pool, sx: number): Promise<NodeRow | undefined> {
  const text = `select ${COLUMNS} from read.compute_nodes_v3 where sx = $1`;
  return (await pool.query<NodeRow>({ name: "compute_node", text, values: [sx] })).rows[0];
}

/** Running tasks, failures in a row, the last failure, trust points 0 to 100, and bound tenants. */
export type NodeReading = {
  running: number;
  trust: number;
  failures: number;
  failed_at: string | null;
  bound: string[];
};

/** A moment old; concurrent queries are batched. */
export const callerStatusOf = batched(async (pool, numbers: readonly number[]) => {
  const text = `select coalesce(n.running, 0) as running, coalesce(n.failures, 0) as failures, ${utc("n.failed_at")} as failed_at, coalesce(s.score, 0)::float8 / 1e6 as trust,
      ${BOUND_TENANTS} as bound
    from unnest($1::bigint[]) with ordinality a (sx, place)
      left join read.compute_nodes_v3 n on n.sx = a.sx
      left join read.trust_scores_v3 s on s.sx = a.sx
        and s.day = (select day from read.trust_computed_v3 where kept order by position desc limit 1)
    order by place`;
  return (await pool.query<NodeReading>({ name: "compute_standing", text, values: [numbers] })).rows;
});

export type NodeSearch = {
  need: string;
  kind: string | null;
  max_hourly_micro: number | null;
  min_trust: number;
  day: number | null;
  limit: number;
};

/** An available node with trust points 1 to 100 and its free slots. */
export type NodeMatch = Pick<
  NodeRow,
  "sx" | "capabilities" | "kinds" | "hourly_rate_micro" | "max_concurrent" | "settled"
> & { trust: number; free: number };

/** Sorted by trust per dollar. */
export async function matchNodes(pool: pg.Pool, search: NodeSearch): Promise<NodeMatch[]> {
  const { need, kind, max_hourly_micro, min_trust, day, limit } = search;
  const text = `select n.sx::float8 as sx, to_json(n.capabilities) as capabilities, to_json(n.kinds) as kinds, n.hourly_rate_micro::float8 as hourly_rate_micro, n.max_concurrent,
      n.settled::float8 as settled, coalesce(s.score, 0)::float8 / 1e6 as trust, greatest(0, n.max_concurrent - n.running) as free
    from read.compute_nodes_v3 n left join read.trust_scores_v3 s on s.sx = n.sx and s.day = $5
    where n.online and n.status = 'available' and $1 = any(n.capabilities)
      and ($2::text is null or cardinality(n.kinds) = 0 or $2 = any(n.kinds))
      and ($3::bigint is null or n.hourly_rate_micro <= $3) and coalesce(s.score, 0) >= $4::bigint
    order by coalesce(s.score, 0) / (1e-6 + n.hourly_rate_micro) desc, n.hourly_rate_micro, n.sx limit $6`;
  const values = [need, kind, max_hourly_micro, Math.round(min_trust * 1e6), day, limit];
  return (await pool.query<NodeMatch>({ name: "compute_match", text, values })).rows;
}

/** Online nodes without a heartbeat for this long. */
export async function silentNodes(
  pool: pg.Pool,
  silent_s: number,
): Promise<{ sx: number; heard_at: string }[]> {
  const text = `select n.sx::float8 as sx, ${utc("h.heard_at")} as heard_at from read.compute_nodes_v3 n join compute.nodes_heard h using (sx)
    where n.online and h.heard_at < clock_timestamp() - make_interval(secs => $1) limit 200`;
  return (
    await pool.query<{ sx: number; heard_at: string }>({ name: "compute_silent", text, values: [silent_s] })
  ).rows;
}

/** The time at which the next stake is free, null if none; `online`: true while heartbeats decide about a node. */
export async function nextNodeStep(pool: pg.Pool): Promise<{ free_at: string | null; online: boolean }> {
  const text = `select (select min(state->>'stake_free_at') from read.compute_nodes_v3) as free_at,
    exists(select from read.compute_nodes_v3 where online) as online`;
  return (await pool.query({ name: "compute_next_node_step", text })).rows[0]!;
}

/** Nodes with a withdrawn stake that is free now. */
export async function freeStakes(pool: pg.Pool, now: string): Promise<number[]> {
  const text =
    "select sx::float8 as sx from read.compute_nodes_v3 where state->>'stake_free_at' <= $1 limit 200";
  const { rows } = await pool.query<{ sx: number }>({ name: "compute_stakes", text, values: [now] });
  return rows.map(({ sx }) => sx);
}
