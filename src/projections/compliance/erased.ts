/** The erasures of a tenant, or of an agent's subjects, with their events. */
import type pg from "pg";
import { MAIN_LOG } from "../../../eventstore/types.ts";

export type ErasureRow = {
  subject_id: string;
  requested_event: string;
  requested_position: number;
  erased_event: string | null;
  erased_at: string | null;
  sealed_events: number | null;
  final_after: string | null;
};

/** The newest first. `subjects`: erasures of these are included with the tenant's own. */
export async function erasuresOf(
  pool: pg.Pool,
  { tenant, subjects, limit }: { tenant: string; subjects: readonly string[]; limit: number },
): Promise<ErasureRow[]> {
  const text = `select e.subject_id, r.event_id as requested_event, r.position::float8 as requested_position, d.event_id as erased_event,
      d.payload ->> 'erased_at' as erased_at, (d.payload ->> 'sealed_events')::int as sealed_events, d.payload ->> 'final_after' as final_after
    from read.erasures_v1 e
    join lateral (select event_id, position from eventstore.events where log_id = ${MAIN_LOG} and tenant = e.tenant
      and stream_id = 'subject-' || e.subject_id and type = 'SubjectErasureRequested' order by version limit 1) r on true
    left join lateral (select event_id, convert_from(payload, 'UTF8')::jsonb as payload from eventstore.events
      where log_id = ${MAIN_LOG} and tenant = e.tenant and stream_id = 'subject-' || e.subject_id and type = 'SubjectErased' order by version limit 1) d on true
    where e.tenant = $1 or e.subject_id = any($2) order by r.position desc limit $3`;
  return (await pool.query<ErasureRow>(text, [tenant, subjects, limit])).rows;
}
