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

/** By position; events of the given types include their payload's text, unless that is long. */
export async function eventsBefore(
  pool: pg.Pool,
  { before, limit }: Page,
  with_payload: readonly string[],
): Promise<(EventFacts & { payload: string | null })[]> {
  const text = `select ${FACTS}, case when type = any($4) and length(payload) <= ${SHOWN_BYTES} then convert_from(payload, 'UTF8') end as payload
    from eventstore.events where log_id = $1 and position < $2 order by position desc limit $3`;
  const values = [MAIN_LOG, before ?? Number.MAX_SAFE_INTEGER, limit, with_payload];
  return (await pool.query<EventFacts & { payload: string | null }>(text, values)).rows;
}
