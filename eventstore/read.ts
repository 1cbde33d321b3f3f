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
};

export type StreamRead = {
  log_id: number;
  tenant: string;
  stream_id: string;
  after_version: number;
  limit: number;
};

type Row = Omit<RecordedEvent, "payload" | "meta"> & { payload: string; meta: string };

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
): Promise<RecordedEvent[]> {
  const answer = await pool.query<Row>({ name: `eventstore.${query}`, text: QUERIES[query], values });
  return answer.rows.map(eventOf);
}

export type CommitRead = { log_id: number; idem_key: string };

export type RecordedCommit = { request_hash: Uint8Array; events: RecordedEvent[] };

/** One query for all keys; undefined where no commit has the key. */
export async function readCommits(
  pool: pg.Pool,
  keys: readonly CommitRead[],
): Promise<(RecordedCommit | undefined)[]> {
  const answer = await pool.query<Row & { ordinal: number; request_hash: Buffer | null }>({
    name: "eventstore.read_commits",
    text: `select ordinal::int4 as ordinal, request_hash, ${COLUMNS}
        from unnest($1::int4[], $2::text[]) with ordinality as asked (of_log, key, ordinal)
        cross join lateral (
          select position as first_position, commit_size as size from eventstore.events
           where log_id = of_log and idem_key = key limit 1) as first
        cross join lateral (
          select * from eventstore.events
           where log_id = of_log and position >= first_position and position < first_position + size
           offset 0) as events
       order by ordinal, position`,
    values: [int4Array(keys.map(({ log_id }) => log_id)), textArray(keys.map(({ idem_key }) => idem_key))],
  });
  const commits: (RecordedCommit | undefined)[] = keys.map(() => undefined);
  for (const { ordinal, request_hash, ...row } of answer.rows) {
    const begun: RecordedCommit = { request_hash: request_hash!, events: [] };
    const commit = commits[ordinal - 1] ?? begun;
    commit.events.push(eventOf(row));
    commits[ordinal - 1] = commit;
  }
  return commits;
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
