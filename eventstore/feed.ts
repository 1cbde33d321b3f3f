/**
 * The change feed: one tenant's events as lines of JSON, each with the cursor that resumes after it.
 *
 * Postgres writes the lines itself, a page at a time, because stored payloads are JSON already: nothing is parsed or
 * serialised on the way. Every page also checks that the history it continues is still the one that was sent.
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
  /** How a line stands on the wire: an SSE event's `id` is its cursor. */
  framing: "ndjson" | "sse";
  /** Ends the feed in good order, its last line included. */
  signal: AbortSignal;
  /** Silence while following never lasts longer; 15,000 when absent. */
  heartbeat_ms?: number;
};

export type FeedParts = { pool: pg.Pool; store: EventStore; tail: Tail };

/** A page ends at whichever it meets first; a single event may be larger. */
const PAGE_EVENTS = 1_000;
const PAGE_BYTES = 512 * 1024;
const HEARTBEAT_MS = 15_000;

/**
 * Yields framed lines, many a chunk: events, a mark `{ cursor, up_to_date }` at the end and, while following, when all
 * that was there has been sent and in every silence. A slow reader holds two pages in memory and no connection. Throws the
 * driver's errors, and when the log is no longer the one that was being read.
 */
export async function* feed(parts: FeedParts, options: FeedOptions): AsyncGenerator<string> {
  const { log_id = MAIN_LOG, tenant, framing, signal, heartbeat_ms = HEARTBEAT_MS } = options;
  const { epoch } = await parts.store.identity(log_id);
  const mark = (up_to_date: boolean) => {
    const cursor = encodeCursor({ epoch, ...place });
    const json = JSON.stringify({ cursor, up_to_date });
    return framing === "ndjson" ? `${json}\n` : `id: ${cursor}\ndata: ${json}\n\n`;
  };

  let place: Place = options.after;
  for (let news = false; ; ) {
    const head = await parts.store.head(log_id);
    for await (const page of pages(parts.pool, { ...options, log_id, epoch, head }, place)) {
      if (page.lines !== null) yield page.lines;
      place = page.end;
      if (signal.aborted) break;
    }
    const up_to_date = place.position >= head.position;
    if (!options.follow || signal.aborted) return yield mark(up_to_date);
    if (!news) yield mark(up_to_date);
    news = await hasNews(parts.tail, { tenant, after: place.position, signal }, heartbeat_ms);
  }
}

/** Resolves to true once the tenant has an event after a position; other tenants' events wake nobody. */
async function hasNews(
  tail: Tail,
  { tenant, after, signal }: { tenant: string; after: number; signal: AbortSignal },
  timeout_ms: number,
): Promise<boolean> {
  const enough = new AbortController();
  const stop = () => enough.abort();
  const timer = setTimeout(stop, timeout_ms);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    for await (const _ of tail.subscribe({ tenant, after, signal: enough.signal })) return true;
    return false;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

type Place = Omit<LogHead, "log_id">;
type Page = { lines: string | null; end: Place; whole: boolean };
type Reading = Pick<FeedOptions, "tenant" | "proof" | "framing"> & {
  log_id: number;
  epoch: string;
  /** Where to stop. */
  head: LogHead;
};

/** Each page is read while the one before it is sent. */
async function* pages(pool: pg.Pool, reading: Reading, after: Place): AsyncGenerator<Page> {
  let next = readPage(pool, reading, after);
  for (;;) {
    const page = await next;
    if (page.whole) return yield page;
    next = readPage(pool, reading, page.end);
    // Awaited in the next round, or never if the reader leaves meanwhile.
    next.catch(() => undefined);
    yield page;
  }
}

type PageRow = {
  same_history: boolean;
  lines: string | null;
  last: number | null;
  last_hash: Buffer | null;
  whole: boolean;
};

async function readPage(pool: pg.Pool, reading: Reading, after: Place): Promise<Page> {
  const { log_id, tenant, proof, framing, epoch, head } = reading;
  const answer = await pool.query<PageRow>({
    name: `eventstore.feed.${framing}${proof ? ".proof" : ""}`,
    text: pageSql(framing, proof),
    values: [log_id, tenant, after.position, head.position, PAGE_EVENTS, PAGE_BYTES, epoch, after.log_hash],
  });
  const { same_history, lines, last, last_hash, whole } = answer.rows[0]!;
  if (!same_history) {
    throw new Error(`log ${log_id} no longer holds position ${after.position} as it was: history diverged`);
  }
  const end = whole ? head : { position: last!, log_hash: last_hash! };
  return { lines, end, whole };
}

function pageSql(framing: FeedOptions["framing"], proof: boolean): string {
  const stored = (column: string) =>
    proof ? `to_json(convert_from(${column}, 'UTF8'))::text` : `convert_from(${column}, 'UTF8')`;
  // The form is that of cursor.ts; a test holds the two together.
  const cursor = `'v1.' || $7 || '.' || position || '.' || encode(substr(log_hash, 1, 8), 'hex')`;
  const line = `'{"op":"INSERT","cursor":"' || ${cursor} || '","position":' || position
      || ',"stream_id":' || to_json(stream_id)::text || ',"version":' || version
      || ',"event_id":"' || event_id || '","type":' || to_json(type)::text
      || ',"schema_version":' || schema_version
      || ',"recorded_at":"' || to_char(timestamp 'epoch' + recorded_at_us * interval '1 microsecond',
                                      'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
      || '","payload":' || ${stored("payload")} || ',"meta":' || ${stored("meta")}
      || ',"event_hash":"' || encode(event_hash, 'hex') || '","prev_hash":"' || encode(prev_hash, 'hex') || '"}'`;
  const framed =
    framing === "ndjson"
      ? `${line} || E'\\n'`
      : `'id: ' || ${cursor} || E'\\ndata: ' || ${line} || E'\\n\\n'`;
  return `
    with found as (
      select *, sum(octet_length(payload) + octet_length(meta)) over (order by position rows unbounded preceding)
                - octet_length(payload) - octet_length(meta) < $6 as fits
        from (select * from eventstore.events
               where log_id = $1 and tenant = $2 and position > $3 and position <= $4
               order by log_id, tenant, position limit $5) as limited
    )
    select $3::int8 = 0 or exists (select from eventstore.events
                              where log_id = $1 and position = $3 and log_hash = $8) as same_history,
           string_agg(${framed}, '' order by position) filter (where fits) as lines,
           max(position) filter (where fits) as last,
           (array_agg(log_hash order by position desc) filter (where fits))[1] as last_hash,
           count(*) < $5 and coalesce(bool_and(fits), true) as whole
      from found`;
}
