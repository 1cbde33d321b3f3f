/** The backing of a piece of evidence: a signature of the act in its event, or less. */
import type pg from "pg";
import { MAIN_LOG } from "../../../eventstore/types.ts";
import type { Act } from "../../domain/identity/act.ts";

/** `service`: a check, a draw, the requester's silence or a dispute decided. `unrecorded`: the event does not say. */
export const backings = ["signature", "key", "payment", "service", "unrecorded"] as const;
export type Backing = (typeof backings)[number];

type EvidenceRow = { event_id: string; type: string; payload: string; accepted: string | null };

/** The backing of each event of evidence. */
export async function backingsOf(
  pool: pg.Pool | pg.ClientBase,
  event_ids: readonly string[],
): Promise<Map<string, Backing>> {
  const { rows } = await pool.query<EvidenceRow>({
    name: "trust_standings",
    text: `select e.event_id::text, e.type, convert_from(e.payload, 'UTF8') as payload,
        (select convert_from(a.payload, 'UTF8') from eventstore.events a
          where a.log_id = e.log_id and a.tenant = e.tenant and a.stream_id = e.stream_id and a.type = 'TaskAccepted'
          order by a.version desc limit 1) as accepted
      from eventstore.events e where e.log_id = $1 and e.event_id = any($2::uuid[])`,
    values: [MAIN_LOG, event_ids],
  });
  return new Map(rows.map((row) => [row.event_id, standingOf(row)]));
}

type Acted = { act?: Act; by?: string };

function standingOf({ type, payload, accepted }: EvidenceRow): Backing {
  if (type === "AttestationMade") return (JSON.parse(payload) as Acted).act?.by ?? "unrecorded";
  // A settled payment has its payer's signature in the event of the claim.
  if (type.startsWith("Payment")) return "payment";
  const { act, by } = JSON.parse(accepted ?? "{}") as Acted;
  return by === "requester" ? (act?.by ?? "unrecorded") : "service";
}
