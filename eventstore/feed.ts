/**
 * The change feed: one tenant's events as lines of JSON, each with the cursor that resumes after it.
 *
 * Postgres writes the lines itself, a page at a time, because stored payloads are JSON already: nothing is parsed or
 * serialised on the way, so a page costs this process one buffer.
 */
import type pg from "pg";
import { encodeCursor } from "./cursor.ts";
import type { EventStore } from "./store.ts";
import type { Tail } from "./tail.ts";
import { type LogHead, MAIN_LOG } from "./types.ts";

export type FeedOptions = {
  log_id?: number;
  tenant: string;
  /** Lines follow this position. */
  after: LogHead;
  /** Payload and meta as the stored text that was hashed, instead of as JSON. */
  proof: boolean;
  /** Go on past the head as it stood at the start, until the signal is aborted. */
  follow: boolean;
  /** How a line stands on the wire: `id` is its cursor. */
  framing: "ndjson" | "sse";
  signal: AbortSignal;
  page?: number;
  heartbeat_ms?: number;
};

const PAGE = 1_000;
/** Silence never lasts longer than this: a consumer can tell it from a dead connection. */
const HEARTBEAT_MS = 15_000;

/** Yields framed lines, many a chunk; a slow reader holds one page in memory and no connection. */
export async function* feed(
  parts: { pool: pg.Pool; store: EventStore; tail: Tail },
  options: FeedOptions,
): AsyncGenerator<string> {
  const { log_id = MAIN_LOG, tenant, follow, framing, proof, signal, page = PAGE } = options;
  const { epoch } = await parts.store.identity(log_id);
  let { position, log_hash } = options.after;
  let head = await parts.store.head(log_id);
  for (;;) {
    while (position < head.position && !signal.aborted) {
      const limits = { log_id, tenant, after: position, upto: head.position, page };
      const read = await readPage(parts.pool, { ...limits, epoch, proof, framing });
      if (read.lines !== null) yield read.lines;
      // A page that is not full has seen everything up to the head.
      const done = read.count < page;
      position = done ? head.position : read.last!;
      log_hash = done ? head.log_hash : read.last_hash!;
    }
    const up_to_date = position >= head.position;
    const cursor = encodeCursor({ epoch, position, log_hash });
    if (!follow || signal.aborted) {
      yield mark(framing, cursor, up_to_date);
      return;
    }
    const news = await parts.tail.reached(position + 1, options.heartbeat_ms ?? HEARTBEAT_MS, signal);
    if (!news && !signal.aborted) yield mark(framing, cursor, true);
    head = await parts.store.head(log_id);
  }
}

const mark = (framing: FeedOptions["framing"], cursor: string, up_to_date: boolean): string => {
  const json = JSON.stringify({ cursor, up_to_date });
  return framing === "ndjson" ? `${json}\n` : `id: ${cursor}\ndata: ${json}\n\n`;
};

type Page = { lines: string | null; count: number; last: number | null; last_hash: Uint8Array | null };

type PageQuery = {
  log_id: number;
  tenant: string;
  after: number;
  upto: number;
  page: number;
  epoch: string;
  proof: boolean;
  framing: FeedOptions["framing"];
};

async function readPage(pool: pg.Pool, query: PageQuery): Promise<Page> {
  const answer = await pool.query<Page>({
    name: `eventstore.feed.${query.framing}${query.proof ? ".proof" : ""}`,
    text: pageSql(query.framing, query.proof),
    values: [query.log_id, query.tenant, query.after, query.upto, query.page, query.epoch],
  });
  return answer.rows[0]!;
}

/** The cursor's form is that of cursor.ts; test/eventstore/feed.test.ts holds the two together. */
const CURSOR = `'v1.' || $6 || '.' || position || '.' || left(encode(log_hash, 'hex'), 16)`;

function pageSql(framing: FeedOptions["framing"], proof: boolean): string {
  const stored = (column: string) =>
    proof ? `to_json(convert_from(${column}, 'UTF8'))::text` : `convert_from(${column}, 'UTF8')`;
  const line = `'{"op":"INSERT","cursor":"' || cursor || '","position":' || position
      || ',"stream_id":' || to_json(stream_id)::text || ',"version":' || version
      || ',"event_id":"' || event_id || '","type":' || to_json(type)::text
      || ',"schema_version":' || schema_version
      || ',"recorded_at":"' || to_char(timestamp 'epoch' + recorded_at_us * interval '1 microsecond',
                                      'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
      || '","payload":' || ${stored("payload")} || ',"meta":' || ${stored("meta")}
      || ',"event_hash":"' || encode(event_hash, 'hex') || '","prev_hash":"' || encode(prev_hash, 'hex') || '"}'`;
  const framed =
    framing === "ndjson" ? `${line} || E'\\n'` : `'id: ' || cursor || E'\\ndata: ' || ${line} || E'\\n\\n'`;
  return `
    with page as (
      select *, ${CURSOR} as cursor from eventstore.events
       where log_id = $1 and tenant = $2 and position > $3 and position <= $4
       order by log_id, tenant, position limit $5
    )
    select string_agg(${framed}, '' order by position) as lines,
           count(*)::int as count,
           max(position) as last,
           (array_agg(log_hash order by position desc))[1] as last_hash
      from page`;
}
