import type pg from "pg";

/** Integers and UUID as text, so that no type parser of the pool applies. */
export type StoredRow = Record<
  "position" | "tenant" | "stream_id" | "version" | "event_id" | "type" | "schema_version" | "recorded_at_us",
  string
> &
  Record<
    "payload" | "meta" | "payload_hash" | "meta_hash" | "prev_hash" | "event_hash" | "log_hash",
    Buffer
  > & {
    idem_key: string | null;
    request_hash: Buffer | null;
    commit_size: string | null;
  };

/** Positions of a log, or versions of a stream. */
export type RowRange = {
  log_id: number;
  after: number | bigint;
  to: number | bigint;
  stream?: { tenant: string; stream_id: string };
};

const MAX_PAGE_ROWS = 500;
const PAGE_BYTES = 8 * 1024 * 1024;
const COLUMNS = `position::text, tenant, stream_id, version::text, event_id::text, type, schema_version::text,
  recorded_at_us::text, payload, meta, payload_hash, meta_hash, prev_hash, event_hash, log_hash,
  idem_key, request_hash, commit_size::text`;

/** A page has fewer rows where they are large. */
export async function* storedPages(pool: pg.Pool, range: RowRange): AsyncGenerator<StoredRow[], void, void> {
  const { log_id, to, stream } = range;
  const key = stream ? "version" : "position";
  const sql = `select ${COLUMNS} from eventstore.events
     where log_id = $1 and ${key} > $2 and ${key} <= $3 ${stream ? "and tenant = $5 and stream_id = $6" : ""}
     order by events.${key} limit $4`;
  const names = stream ? [stream.tenant, stream.stream_id] : [];
  let after = String(range.after);
  let limit = 64;
  for (;;) {
    const { rows } = await pool.query<StoredRow>(sql, [log_id, after, String(to), limit, ...names]);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    if (rows.length < limit) return;
    after = last[key];
    const bytes = rows.reduce((sum, row) => sum + (row.payload?.length ?? 0) + (row.meta?.length ?? 0), 0);
    limit = Math.max(1, Math.min(MAX_PAGE_ROWS, Math.floor((PAGE_BYTES * rows.length) / (bytes + 1))));
  }
}
