/** How far each stream of the log has come. */
import type pg from "pg";
import { type PublicFacts, projection } from "../projection.ts";

export const streamsProjection = projection({
  name: "log_streams",
  version: 1,
  ddl: `
  create table if not exists read.log_streams_v1 (
    tenant        text not null,
    stream_id     text not null,
    events        bigint not null,
    last_position bigint not null,
    last_type     text not null,
    last_at_us    bigint not null,
    primary key (tenant, stream_id)
  );
  create index if not exists log_streams_v1_last on read.log_streams_v1 (last_position);`,
  of: "every event",
  fold: countEvents,
});

/**
 * One statement for all events of a batch: of each stream only the last one counts. A row that is further already stays:
 * it was written when another projection kept this table.
 */
async function countEvents(events: readonly PublicFacts[], tx: pg.ClientBase): Promise<void> {
  const byStream = new Map(events.map((event) => [JSON.stringify([event.tenant, event.stream_id]), event]));
  const last = [...byStream.values()];
  await tx.query(
    `insert into read.log_streams_v1 as known (tenant, stream_id, events, last_position, last_type, last_at_us)
     select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[])
     on conflict (tenant, stream_id) do update set events = excluded.events,
       last_position = excluded.last_position, last_type = excluded.last_type, last_at_us = excluded.last_at_us
       where known.last_position < excluded.last_position`,
    [
      last.map(({ tenant }) => tenant),
      last.map(({ stream_id }) => stream_id),
      last.map(({ version }) => version),
      last.map(({ position }) => position),
      last.map(({ type }) => type),
      last.map(({ recorded_at_us }) => recorded_at_us),
    ],
  );
}

export type StreamRow = {
  tenant: string;
  stream_id: string;
  events: number;
  last_position: number;
  last_type: string;
  last_at_us: number;
};

/** The streams that changed last, the newest change first. */
export async function recentStreams(pool: pg.Pool, limit: number): Promise<StreamRow[]> {
  const text = "select * from read.log_streams_v1 order by last_position desc limit $1";
  return (await pool.query<StreamRow>(text, [limit])).rows;
}

/** The streams of these names that a tenant has, and all of another tenant. */
export async function streamsNamed(
  pool: pg.Pool,
  { tenant, names, all_of }: { tenant: string; names: readonly string[]; all_of: string },
): Promise<StreamRow[]> {
  const text = `select * from read.log_streams_v1
    where (tenant = $1 and stream_id = any($2)) or tenant = $3 order by tenant, stream_id`;
  return (await pool.query<StreamRow>(text, [tenant, names, all_of])).rows;
}
