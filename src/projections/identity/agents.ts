/** One row per agent, and one per key that was ever proven. */
import type pg from "pg";
import { queriedOnce } from "../../../eventstore/query-batch.ts";
import { projection } from "../../core/read-models/projection.ts";
import { readRows, saveRows } from "../../core/read-models/rows.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import type { Agent, AgentStatus, KeyKind } from "../../domain/identity/agent.ts";
import * as agent from "../../domain/identity/agent.ts";
import { type AgentRef, lowerId } from "../../domain/identity/fields.ts";

/** `position`: of the registration; `changed_position`: of the newest event. */
export type AgentRow = {
  sx_number: number;
  agent_id: string;
  lower_id: string;
  status: AgentStatus;
  registered_at: string;
  position: number;
  changed_position: number;
  state: Agent;
};

type AgentKeyRow = {
  kid: string;
  sx_number: number;
  kind: KeyKind;
  public: string;
  live: boolean;
  proven_at: string;
  revoked_at: string | null;
};

export const agentsProjection = projection({
  name: "agents",
  version: 2,
  ddl: `
    create table if not exists read.agents_v2 (
      sx_number        bigint primary key,
      agent_id         text not null,
      lower_id         text not null unique,
      status           text not null,
      registered_at    text not null,
      position         bigint not null,
      changed_position bigint not null,
      state            jsonb not null
    );
    create index if not exists agents_v2_status on read.agents_v2 (status, sx_number);
    create index if not exists agents_v2_api_key on read.agents_v2 ((state->>'api_key_id'));
    create table if not exists read.agent_counts_v2 (
      status text primary key,
      agents bigint not null
    );
    create table if not exists read.agent_keys_v2 (
      kid        text not null,
      sx_number  bigint not null,
      kind       text not null,
      public     text not null,
      live       boolean not null,
      proven_at  text not null,
      revoked_at text,
      primary key (kid, sx_number)
    );
    create unique index if not exists agent_keys_v2_live on read.agent_keys_v2 (kind, public) where live;
    create index if not exists agent_keys_v2_agent on read.agent_keys_v2 (sx_number);`,
  of: [agent],
  async fold(events, tx) {
    const before = await readRows<AgentRow, "lower_id">(
      tx,
      "read.agents_v2",
      "lower_id",
      events.map(({ id }) => id),
    );
    const rows = new Map(before);
    const ofKeys: KeyEvent[] = [];
    for (const event of events) {
      const row = folded(rows.get(event.id), event);
      if (!row) continue;
      rows.set(event.id, row);
      if (KEY_EVENTS.has(event.type)) ofKeys.push({ event, sx_number: row.sx_number });
    }
    await saveRows(tx, "read.agents_v2", ["sx_number"], rows.values());
    await count(tx, before, rows);
    if (ofKeys.length > 0) await foldKeys(tx, ofKeys);
  },
});

function folded(row: AgentRow | undefined, event: PositionedEvent<typeof agent>): AgentRow | undefined {
  const state = agent.evolve(row?.state, event);
  // A foreign writer's stream may begin with any event.
  if (!state) return undefined;
  const { facts } = state;
  return {
    sx_number: facts.sx_number,
    agent_id: facts.agent_id,
    lower_id: lowerId(facts.agent_id),
    status: agent.statusOf(state),
    registered_at: facts.registered_at,
    position: row?.position ?? event.position,
    changed_position: event.position,
    state,
  };
}

/** Stores the number of agents by status: queries are frequent, and counting a million rows is slow. */
async function count(
  tx: pg.ClientBase,
  before: ReadonlyMap<string, AgentRow>,
  after: ReadonlyMap<string, AgentRow>,
): Promise<void> {
  const moved = new Map<AgentStatus, number>();
  const move = (row: AgentRow | undefined, by: number) =>
    row && moved.set(row.status, (moved.get(row.status) ?? 0) + by);
  for (const [id, row] of after) {
    move(before.get(id), -1);
    move(row, 1);
  }
  const changes = [...moved].filter(([, by]) => by !== 0);
  if (changes.length === 0) return;
  await tx.query(
    `insert into read.agent_counts_v2 as known (status, agents) select * from unnest($1::text[], $2::bigint[])
     on conflict (status) do update set agents = known.agents + excluded.agents`,
    [changes.map(([status]) => status), changes.map(([, by]) => by)],
  );
  // Removes a status that gained and lost its last agent within the batch.
  await tx.query("delete from read.agent_counts_v2 where agents = 0");
}

const KEY_EVENTS = new Set<string>(["AgentKeyProven", "AgentKeyRevoked", "PassportRevoked"]);

type KeyEvent = { event: PositionedEvent<typeof agent>; sx_number: number };

async function foldKeys(tx: pg.ClientBase, events: readonly KeyEvent[]): Promise<void> {
  const sql = "select * from read.agent_keys_v2 where sx_number = any($1::bigint[])";
  const numbers = [...new Set(events.map(({ sx_number }) => sx_number))];
  const { rows } = await tx.query<AgentKeyRow>(sql, [numbers]);
  const keys = new Map(rows.map((row) => [`${row.kid} ${row.sx_number}`, row]));
  const changed = new Set<AgentKeyRow>();
  for (const { event, sx_number } of events)
    for (const row of foldKey(keys, event, sx_number)) changed.add(row);
  // A key that is live again may have been another agent's, so that row ends first.
  for (const live of [false, true])
    await saveRows(
      tx,
      "read.agent_keys_v2",
      ["kid", "sx_number"],
      [...changed].filter((row) => row.live === live),
    );
}

/** Returns the changed rows. The same passport may prove a freed key again. */
function foldKey(
  keys: Map<string, AgentKeyRow>,
  { type, data }: PositionedEvent<typeof agent>,
  sx_number: number,
): AgentKeyRow[] {
  if (type === "AgentKeyProven") {
    const { kid, kind, public: shown, proven_at } = data;
    const name = `${kid} ${sx_number}`;
    const row = keys.get(name) ?? {
      kid,
      sx_number,
      kind,
      public: shown,
      live: true,
      proven_at,
      revoked_at: null,
    };
    keys.set(name, row);
    return [Object.assign(row, { live: true, proven_at, revoked_at: null })];
  }
  if (type !== "AgentKeyRevoked" && type !== "PassportRevoked") return [];
  const { revoked_at } = data;
  const ended =
    type === "AgentKeyRevoked"
      ? [keys.get(`${data.kid} ${sx_number}`)].flatMap((row) => row ?? [])
      : [...keys.values()].filter((row) => row.sx_number === sx_number && row.live);
  return ended.map((row) => Object.assign(row, { live: false, revoked_at }));
}

/** A moment old. */
export async function findAgent(pool: pg.Pool, ref: AgentRef): Promise<AgentRow | undefined> {
  const [name, column, value] =
    ref.by === "id" ? ["agent_by_id", "lower_id", ref.id] : ["agent_by_number", "sx_number", ref.sx_number];
  const text = `select * from read.agents_v2 where ${column} = $1`;
  return (await pool.query<AgentRow>({ name: `${name}`, text, values: [value] })).rows[0];
}

/** A page after a number, newest first; concurrent queries share one result. */
export const newestAgents = queriedOnce(
  async (pool, { before, limit }: { before: number | null; limit: number }): Promise<readonly AgentRow[]> => {
    const text = `select * from read.agents_v2 where ($1::int is null or sx_number < $1) and status <> 'revoked' order by sx_number desc limit $2`;
    return (await pool.query<AgentRow>({ name: "newest_agents", text, values: [before, limit] })).rows;
  },
);

export async function countAgents(pool: pg.Pool, status: AgentStatus): Promise<number> {
  const text = "select agents from read.agent_counts_v2 where status = $1";
  const { rows } = await pool.query<{ agents: number }>({ name: "agent_count", text, values: [status] });
  return rows[0]?.agents ?? 0;
}

/** Agents with activity since a day, by their API key or a live key. */
export async function countActive(pool: pg.Pool, since: string): Promise<number> {
  const text = `with seen as (select distinct actor from read.agent_activity_v1 where day >= $1)
    select count(*)::int as active from (
      select a.sx_number from seen join read.agents_v2 a on a.state->>'api_key_id' = substr(actor, 5) where actor like 'key:%'
      union
      select k.sx_number from seen join read.agent_keys_v2 k on k.kind = 'evm' and k.public = substr(actor, 8) and k.live
        where actor like 'wallet:%'
      union
      select k.sx_number from seen join read.agent_keys_v2 k on k.kind = 'ed25519' and k.kid = substr(actor, 5) and k.live
        where actor like 'key:%') agents`;
  return (await pool.query<{ active: number }>({ name: "active_agents", text, values: [since] })).rows[0]!
    .active;
}

export async function numbersOfStatus(
  pool: pg.Pool,
  { status, from, to }: { status: AgentStatus; from: number; to: number },
): Promise<number[]> {
  const text = `select sx_number::float8 as sx_number from read.agents_v2 where status = $1 and sx_number between $2 and $3`;
  const { rows } = await pool.query<{ sx_number: number }>(text, [status, from, to]);
  return rows.map(({ sx_number }) => sx_number);
}
