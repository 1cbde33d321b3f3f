/** Payloads come as text: pg would send bytes in hex, twice as long. */
import type pg from "pg";
import { int4Array, int8Array, textArray } from "./pg-arrays.ts";
import type { JsonObject, RecordedEvent } from "./types.ts";

const COLUMNS = `log_id, position, tenant, stream_id, version, event_id, type, schema_version, recorded_at_us,
  convert_from(payload, 'UTF8') as payload, convert_from(meta, 'UTF8') as meta, prev_hash, event_hash, log_hash`;

const QUERIES = {
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

export type StreamRead = {
  log_id: number;
  tenant: string;
  stream_id: string;
  after_version: number;
  limit: number;
};

type Row = Omit<RecordedEvent, "payload" | "meta"> & {
  payload: string;
  meta: string;
  request_hash?: Buffer | null;
};

/** Listed one by one: a spread is several times slower, and every event passes here. */
const eventOf = (row: Row): RecordedEvent => ({
  log_id: row.log_id,
  position: row.position,
  tenant: row.tenant,
  stream_id: row.stream_id,
  version: row.version,
  event_id: row.event_id,
  type: row.type,
  schema_version: row.schema_version,
  recorded_at_us: row.recorded_at_us,
  payload: JSON.parse(row.payload) as JsonObject,
  meta: JSON.parse(row.meta) as JsonObject,
  prev_hash: row.prev_hash,
  event_hash: row.event_hash,
  log_hash: row.log_hash,
});

export async function readEvents(
  pool: pg.Pool,
  query: keyof typeof QUERIES,
  values: unknown[],
): Promise<{ events: RecordedEvent[]; request_hash: Buffer | undefined }> {
  const answer = await pool.query<Row>({ name: `eventstore.${query}`, text: QUERIES[query], values });
  const request_hash = answer.rows[0]?.request_hash ?? undefined;
  return { events: answer.rows.map(eventOf), request_hash };
}

/** One query for all streams. */
export async function readStreams(pool: pg.Pool, reads: readonly StreamRead[]): Promise<RecordedEvent[][]> {
  const answer = await pool.query<Row & { ordinal: number }>({
    name: "eventstore.read_streams",
    text: `select ordinal, ${COLUMNS} from (
        select ordinal, (event).* from eventstore.read_streams($1, $2, $3, $4, $5)) as events`,
    values: [
      int4Array(reads.map(({ log_id }) => log_id)),
      textArray(reads.map(({ tenant }) => tenant)),
      textArray(reads.map(({ stream_id }) => stream_id)),
      int8Array(reads.map(({ after_version }) => after_version)),
      int4Array(reads.map(({ limit }) => limit)),
    ],
  });
  const streams: RecordedEvent[][] = reads.map(() => []);
  for (const row of answer.rows) streams[row.ordinal - 1]!.push(eventOf(row));
  return streams;
}
