/** Events of the main log as their rows have them, for those who check hashes. */
import type pg from "pg";
import { MAIN_LOG } from "../../../eventstore/types.ts";
import type { Page } from "./heads.ts";

/** The public part of an event, and its stream. */
export type EventFacts = {
  position: number;
  tenant: string;
  stream_id: string;
  event_id: string;
  type: string;
  recorded_at_us: number;
  event_hash: Buffer;
  log_hash: Buffer;
};

/** `payload` and `meta` are the texts that were hashed. */
export type WholeEvent = EventFacts & {
  version: number;
  schema_version: number;
  payload: string;
  meta: string;
  payload_hash: Buffer;
  meta_hash: Buffer;
  prev_hash: Buffer;
};

/** Lists leave longer payloads out. */
const SHOWN_BYTES = 16_384;

const FACTS = "position, tenant, stream_id, event_id, type, recorded_at_us, event_hash, log_hash";

/** `event_id` is a UUID. */
export async function eventById(pool: pg.Pool, event_id: string): Promise<WholeEvent | undefined> {
  const text = `select ${FACTS}, version, schema_version, convert_from(payload, 'UTF8') as payload,
      convert_from(meta, 'UTF8') as meta, payload_hash, meta_hash, prev_hash
    from eventstore.events where log_id = $1 and event_id = $2`;
  return (await pool.query<WholeEvent>(text, [MAIN_LOG, event_id])).rows[0];
}

/** The event hash at a position. */
export async function eventHashAt(pool: pg.Pool, position: number): Promise<Buffer | undefined> {
  const text = "select event_hash from eventstore.events where log_id = $1 and position = $2";
  return (await pool.query<{ event_hash: Buffer }>(text, [MAIN_LOG, position])).rows[0]?.event_hash;
}

export type NamedPosition = { position: number; event_id: string; recorded_at_us: number };

/** The events at these positions, by position. */
export async function eventsAt(
  pool: pg.Pool,
  positions: readonly number[],
): Promise<Map<number, NamedPosition>> {
  const text = `select position, event_id, recorded_at_us from eventstore.events
    where log_id = $1 and position = any($2)`;
  const { rows } = await pool.query<NamedPosition>(text, [MAIN_LOG, positions]);
  return new Map(rows.map((row) => [row.position, row]));
}

/** The public part of the event at a position. */
export async function eventAt(pool: pg.Pool, position: number): Promise<EventFacts | undefined> {
  const text = `select ${FACTS} from eventstore.events where log_id = $1 and position = $2`;
  return (await pool.query<EventFacts>(text, [MAIN_LOG, position])).rows[0];
}

/** The newest event of a stream. */
export async function lastOf(
  pool: pg.Pool,
  { tenant, stream_id }: { tenant: string; stream_id: string },
): Promise<EventFacts | undefined> {
  const text = `select ${FACTS} from eventstore.events where log_id = $1 and tenant = $2 and stream_id = $3
    order by version desc limit 1`;
  return (await pool.query<EventFacts>(text, [MAIN_LOG, tenant, stream_id])).rows[0];
}

/** `only`: the types that the caller may know of the stream; undefined for its owner. */
export type EventFilter = {
  type?: string | undefined;
  tenant?: string | undefined;
  stream?: { tenant: string; stream_id: string; only?: readonly string[] } | undefined;
  /** Positions below it are not read. */
  floor: number;
};

/** `types` and the events of `tenant` have their payload. */
export type PayloadFilter = { types: readonly string[]; tenant?: string | undefined };

/** By position, newest first; a payload is its stored text, unless that is long. */
export async function eventsBefore(
  pool: pg.Pool,
  { before, limit }: Page,
  { type, tenant, stream, floor }: EventFilter,
  shown: PayloadFilter,
): Promise<(EventFacts & { payload: string | null })[]> {
  const values: unknown[] = [
    ...[MAIN_LOG, before ?? Number.MAX_SAFE_INTEGER, limit, floor, shown.types, shown.tenant ?? null],
  ];
  const when = (value: unknown, condition: (at: string) => string) =>
    value === undefined ? [] : [condition(`$${values.push(value)}`)];
  const conditions = [
    "log_id = $1 and position < $2 and position >= $4",
    ...when(type, (at) => `type = ${at}`),
    ...when(stream?.tenant ?? tenant, (at) => `tenant = ${at}`),
    ...when(stream?.stream_id, (at) => `stream_id = ${at}`),
    ...when(stream?.only, (at) => `type = any(${at})`),
  ];
  const text = `select ${FACTS}, case when (type = any($5) or tenant = $6) and length(payload) <= ${SHOWN_BYTES} then convert_from(payload, 'UTF8') end as payload
    from eventstore.events where ${conditions.join(" and ")} order by position desc limit $3`;
  return (await pool.query<EventFacts & { payload: string | null }>(text, values)).rows;
}
