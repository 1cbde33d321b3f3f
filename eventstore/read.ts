/** Rows of eventstore.events as RecordedEvents. Payloads come as text: pg would send the bytes in hex, twice as long. */
import type pg from "pg";
import type { JsonObject, RecordedEvent } from "./types.ts";

const COLUMNS = `log_id, position, tenant, stream_id, version, event_id, type, schema_version, recorded_at_us,
  convert_from(payload, 'UTF8') as payload, convert_from(meta, 'UTF8') as meta, prev_hash, event_hash, log_hash`;

const QUERIES = {
  stream: `select ${COLUMNS} from eventstore.events
    where log_id = $1 and tenant = $2 and stream_id = $3 and version > $4 order by version limit $5`,
  log: `select ${COLUMNS} from eventstore.events
    where log_id = $1 and position > $2 order by position limit $3`,
  tenant: `select ${COLUMNS} from eventstore.events
    where log_id = $1 and position > $2 and tenant = $4 order by tenant, position limit $3`,
  commit: `select ${COLUMNS}, request_hash
    from (select position as first_position, commit_size as size from eventstore.events
          where log_id = $1 and idem_key = $2) as first
    join eventstore.events on log_id = $1 and position >= first_position and position < first_position + size
    order by position`,
};

type Row = Omit<RecordedEvent, "payload" | "meta"> & {
  payload: string;
  meta: string;
  request_hash?: Buffer | null;
};

/** Runs one of the queries above, as a prepared statement. */
export async function readEvents(
  pool: pg.Pool,
  query: keyof typeof QUERIES,
  values: unknown[],
): Promise<{ events: RecordedEvent[]; request_hash: Buffer | undefined }> {
  const answer = await pool.query<Row>({ name: `eventstore.${query}`, text: QUERIES[query], values });
  const request_hash = answer.rows[0]?.request_hash ?? undefined;
  const events = answer.rows.map(({ request_hash: _, ...row }) => ({
    ...row,
    payload: JSON.parse(row.payload) as JsonObject,
    meta: JSON.parse(row.meta) as JsonObject,
  }));
  return { events, request_hash };
}
