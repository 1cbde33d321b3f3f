/**
 * The change feed: one tenant's events as lines of JSON, each with its cursor. Postgres writes the lines, because stored payloads
 * are JSON already: nothing is parsed or serialised. Each page first checks that the log still has the history that was sent.
 */
import pg from "pg";
import { type CopyToStreamQuery, to } from "pg-copy-streams";
import { encodeCursor } from "./cursor.ts";
import type { EventStore } from "./store.ts";
import type { Tail } from "./tail.ts";
import { type LogHead, MAIN_LOG } from "./types.ts";

export type FeedOptions = {
  log_id?: number;
  tenant: string;
  after: LogHead;
  /** Payload and meta as the stored text that was hashed. */
  proof: boolean;
  /**
   * A pattern of the actors whose meta is shown, read at each wake. Other actors' events have `meta_hash` instead.
   * Default: all are shown.
   */
  shownActors?: () => Promise<string>;
  /** Continues past the head of the start, until the signal is aborted. */
  follow: boolean;
  /** An SSE event's `id` is its cursor. */
  framing: "ndjson" | "sse";
  up_to?: number;
  /** The feed still sends its last line. */
  signal: AbortSignal;
  /** Called before each read of a live feed: false ends it, an error cuts it. */
  still?: () => Promise<boolean>;
  /** The longest silence of a live feed; default 15,000. */
  heartbeat_ms?: number;
};

export type FeedParts = { pool: pg.Pool; store: EventStore; tail: Tail };

/** Whichever comes first; a single event may be larger. */
const PAGE_EVENTS = 2_000;
const PAGE_BYTES = 1024 * 1024;
const HEARTBEAT_MS = 15_000;

/**
 * Yields framed lines in chunks that may end anywhere. The mark `{ cursor, up_to_date }` comes at the end, and in a live feed
 * also when it is current or idle. A slow reader occupies three pages of memory and no connection. Throws the driver's errors,
 * and when the log was replaced.
 */
export async function* feed(parts: FeedParts, options: FeedOptions): AsyncGenerator<string | Buffer> {
  const { log_id = MAIN_LOG, tenant, framing, signal, heartbeat_ms = HEARTBEAT_MS } = options;
  const { epoch } = await parts.store.identity(log_id);
  const mark = (up_to_date: boolean) => {
    const cursor = encodeCursor({ epoch, ...place });
    const json = JSON.stringify({ cursor, up_to_date });
    return framing === "ndjson" ? `${json}\n` : `id: ${cursor}\ndata: ${json}\n\n`;
  };

  let place: FeedPosition = options.after;
  for (let news = false; ; ) {
    const newest = await parts.store.head(log_id);
    const head = await endOf(parts.store, newest, options);
    const actors = await options.shownActors?.();
    for await (const page of pages(parts.pool, { ...options, log_id, epoch, head, actors }, place)) {
      yield* page.lines;
      place = page.end;
      if (signal.aborted) break;
    }
    const up_to_date = place.position >= newest.position;
    if (!options.follow || signal.aborted) return yield mark(up_to_date);
    if (!news) yield mark(up_to_date);
    news = await hasNews(parts.tail, { tenant, after: place.position, signal }, heartbeat_ms);
    if (options.still && !(await options.still())) return yield mark(!news);
  }
}

async function endOf(
  store: EventStore,
  newest: LogHead,
  { log_id = MAIN_LOG, after, up_to }: FeedOptions,
): Promise<LogHead> {
  if (up_to === undefined || up_to >= newest.position) return newest;
  return (await store.headAt(Math.max(up_to, after.position), log_id))!;
}

/** Other tenants' events wake nobody. */
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

type FeedPosition = Omit<LogHead, "log_id">;
type Page = { lines: Buffer[]; end: FeedPosition };
type FeedRead = Pick<FeedOptions, "tenant" | "proof" | "framing"> & {
  log_id: number;
  epoch: string;
  actors: string | undefined;
  /** Where to stop. */
  head: LogHead;
};

/** Prepares two pages while a third is sent. */
async function* pages(pool: pg.Pool, reading: FeedRead, after: FeedPosition): AsyncGenerator<Page> {
  const begin = async (start: FeedPosition) => {
    const cut = await cutPage(pool, reading, start);
    const lines = readLines(pool, reading, start.position, cut.last);
    // Never awaited if the reader leaves.
    lines.catch(() => undefined);
    return { ...cut, lines };
  };
  let page = await begin(after);
  while (!page.whole) {
    const next = await begin(page.end);
    yield { lines: await page.lines, end: page.end };
    page = next;
  }
  yield { lines: await page.lines, end: page.end };
}

type CutRow = { same_history: boolean; whole: boolean; last: number | null; last_hash: Buffer | null };

/** `last` is null for an empty page; `end` starts the next one. */
async function cutPage(pool: pg.Pool, { log_id, tenant, head }: FeedRead, after: FeedPosition) {
  const answer = await pool.query<CutRow>({
    name: "eventstore.feed_page",
    text: `
      with sizes as (
        select position, octet_length(payload) + octet_length(meta) as size from eventstore.events
         where log_id = $1 and tenant = $2 and position > $3 and position <= $4
         order by log_id, tenant, position limit ${PAGE_EVENTS}
      ), fitting as (
        select position, sum(size) over (order by position rows unbounded preceding) - size < ${PAGE_BYTES} as fits
          from sizes
      ), page as materialized (
        select max(position) filter (where fits) as last,
               count(*) < ${PAGE_EVENTS} and coalesce(bool_and(fits), true) as whole from fitting
      )
      select whole, last,
             (select log_hash from eventstore.events where log_id = $1 and position = last) as last_hash,
             $3 = 0 or exists (select from eventstore.events
                                where log_id = $1 and position = $3 and log_hash = $5) as same_history
        from page`,
    values: [log_id, tenant, after.position, head.position, after.log_hash],
  });
  const { same_history, whole, last, last_hash } = answer.rows[0]!;
  if (!same_history) throw new Error(`log ${log_id} no longer holds position ${after.position} as it was`);
  return { whole, last, end: whole ? head : { position: last!, log_hash: last_hash! } };
}

/**
 * The tenant's lines up to `last`, in chunks that may end anywhere. By COPY, because a query's answer would be decoded to a
 * string and encoded again; COPY takes no parameters.
 */
async function readLines(
  pool: pg.Pool,
  reading: FeedRead,
  after: number,
  last: number | null,
): Promise<Buffer[]> {
  if (last === null) return [];
  const { log_id, tenant } = reading;
  const lines = `
    select string_agg(${framedLine(reading)}, '' order by position) from eventstore.events
     where log_id = ${log_id} and tenant = ${pg.escapeLiteral(tenant)} and position > ${after} and position <= ${last}`;
  const chunks: Buffer[] = [];
  const copy: CopyToStreamQuery & { callback?: () => void } = to(`copy (${lines}) to stdout (format binary)`);
  const client = await pool.connect();
  try {
    for await (const chunk of client.query(copy)) chunks.push(chunk);
    // pg ends the query's time limit by this callback, which the stream does not call.
    copy.callback?.();
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
  // A 19-byte header, the field count and its length; then 2 bytes (PostgreSQL manual, COPY).
  return within(chunks, 19 + 2 + 4, 2);
}

function within(chunks: Buffer[], head: number, tail: number): Buffer[] {
  let skip = head;
  let left = chunks.reduce((sum, { length }) => sum + length, 0) - head - tail;
  return chunks.map((chunk) => {
    const part = chunk.subarray(skip, skip + left);
    skip = Math.max(0, skip - chunk.length);
    left -= part.length;
    return part;
  });
}

function framedLine({ framing, proof, epoch, actors }: FeedRead): string {
  const stored = (column: string) =>
    proof ? `to_json(convert_from(${column}, 'UTF8'))::text` : `convert_from(${column}, 'UTF8')`;
  const meta = `',"meta":' || ${stored("meta")}`;
  const shownMeta =
    actors === undefined
      ? meta
      : `case when coalesce(convert_from(meta, 'UTF8')::json->>'actor', '') ~ ${pg.escapeLiteral(actors)}
         then ${meta} else ',"meta_hash":"' || encode(meta_hash, 'hex') || '"' end`;
  // cursor.ts has the same format; a test compares them.
  const cursor = `'v1.${epoch}.' || position || '.' || encode(substr(log_hash, 1, 8), 'hex')`;
  // Grouped, because every || copies all that precedes it.
  const line = `('{"op":"INSERT","cursor":"' || ${cursor} || '","position":' || position)
    || (',"stream_id":' || to_json(stream_id)::text || ',"version":' || version || ',"event_id":"' || event_id)
    || ('","type":' || to_json(type)::text || ',"schema_version":' || schema_version || ',"recorded_at":"'
        || to_char(timestamp 'epoch' + recorded_at_us * interval '1 microsecond', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
    || ('","payload":' || ${stored("payload")}) || (${shownMeta})
    || (',"event_hash":"' || encode(event_hash, 'hex') || '","prev_hash":"' || encode(prev_hash, 'hex') || '"}')`;
  return framing === "ndjson"
    ? `${line} || E'\\n'`
    : `('id: ' || ${cursor} || E'\\ndata: ') || ${line} || E'\\n\\n'`;
}
