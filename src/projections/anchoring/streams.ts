/** The streams of the log that changed last. */
import type pg from "pg";
import { type PublicFacts, projection } from "../../core/read-models/projection.ts";

/** The most streams stored, and the most in an answer. */
export const MOST_RECENT = 200;

/** Stores only the newest streams, because a row for each would be a quarter of all writes of read models. */
export const streamsProjection = projection({
  name: "log_streams",
  version: 2,
  ddl: `
  create table if not exists read.log_streams_v2 (
    tenant        text not null,
    stream_id     text not null,
    events        bigint not null,
    last_position bigint not null,
    last_type     text not null,
    last_at_us    bigint not null,
    primary key (tenant, stream_id)
  );
  create index if not exists log_streams_v2_last on read.log_streams_v2 (last_position);`,
  of: "every event",
  fold: keepNewest,
});

async function keepNewest(events: readonly PublicFacts[], tx: pg.ClientBase): Promise<void> {
  const newest = newestOf(events);
  await tx.query(
    `insert into read.log_streams_v2 as known (tenant, stream_id, events, last_position, last_type, last_at_us)
     select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[])
     on conflict (tenant, stream_id) do update set events = excluded.events,
       last_position = excluded.last_position, last_type = excluded.last_type, last_at_us = excluded.last_at_us`,
    [
      newest.map(({ tenant }) => tenant),
      newest.map(({ stream_id }) => stream_id),
      newest.map(({ version }) => version),
      newest.map(({ position }) => position),
      newest.map(({ type }) => type),
      newest.map(({ recorded_at_us }) => recorded_at_us),
    ],
  );
  await tx.query(
    `delete from read.log_streams_v2 where last_position <=
       (select last_position from read.log_streams_v2 order by last_position desc offset $1 limit 1)`,
    [MOST_RECENT],
  );
}

/** The last event of each stream of a batch, the newest first, up to the limit. */
function newestOf(events: readonly PublicFacts[]): PublicFacts[] {
  const newest = new Map<string, PublicFacts>();
  for (let n = events.length - 1; n >= 0 && newest.size < MOST_RECENT; n--) {
    const event = events[n]!;
    const name = JSON.stringify([event.tenant, event.stream_id]);
    if (!newest.has(name)) newest.set(name, event);
  }
  return [...newest.values()];
}

export type StreamRow = {
  tenant: string;
  stream_id: string;
  events: number;
  last_position: number;
  last_type: string;
  last_at_us: number;
};

/** The streams that changed last, the newest change first; `limit`: at most MOST_RECENT. */
export async function recentStreams(pool: pg.Pool, limit: number): Promise<StreamRow[]> {
  const text = "select * from read.log_streams_v2 order by last_position desc limit $1";
  return (await pool.query<StreamRow>(text, [limit])).rows;
}
