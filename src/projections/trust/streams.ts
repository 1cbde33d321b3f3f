/** Heads of the streams with an agent's history: truncating one would have to truncate this row, too. */

import type pg from "pg";
import { type PublicFacts, projection } from "../../core/read-models/projection.ts";
import * as agent from "../../domain/identity/agent.ts";
import { SOUL } from "../../domain/identity/soul-tenant.ts";
import * as attestation from "../../domain/trust/attestation.ts";

export const agentStreamsProjection = projection({
  name: "agent_streams",
  version: 1,
  ddl: `
  create table if not exists read.agent_streams_v1 (
    tenant        text not null,
    stream_id     text not null,
    events        bigint not null,
    last_position bigint not null,
    primary key (tenant, stream_id)
  );`,
  of: "every event",
  async fold(events, tx) {
    const last = [...lastOf(events.filter(isOfAgent)).values()];
    if (last.length === 0) return;
    await tx.query(
      `insert into read.agent_streams_v1 (tenant, stream_id, events, last_position)
       select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
       on conflict (tenant, stream_id) do update set events = excluded.events, last_position = excluded.last_position`,
      [
        last.map(({ tenant }) => tenant),
        last.map(({ stream_id }) => stream_id),
        last.map(({ version }) => version),
        last.map(({ position }) => position),
      ],
    );
  },
});

const isOfAgent = ({ tenant, stream_id }: PublicFacts): boolean =>
  tenant.startsWith(SOUL) ||
  (tenant === "operator" && (stream_id.startsWith(agent.prefix) || stream_id.startsWith(attestation.prefix)));

const lastOf = (events: readonly PublicFacts[]): Map<string, PublicFacts> =>
  new Map(events.map((event) => [JSON.stringify([event.tenant, event.stream_id]), event]));

export type StreamRow = { tenant: string; stream_id: string; events: number; last_position: number };

/** The operator's streams of these names, and all streams of the tenant of the agent's key, by tenant and name. */
export async function streamsOfAgent(
  pool: pg.Pool,
  { tenant, names }: { tenant: string; names: readonly string[] },
): Promise<StreamRow[]> {
  const text = `select * from read.agent_streams_v1
    where (tenant = 'operator' and stream_id = any($1)) or tenant = $2 order by tenant, stream_id`;
  return (await pool.query<StreamRow>(text, [names, tenant])).rows;
}
