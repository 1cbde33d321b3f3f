/** An event as its copy outside has it: its bytes, and beside them everything that its hashes are made of. */

import type { StoredRow } from "../../../eventstore/verify/stored-rows.ts";

/** What stands beside the payload: all but `payload`, `type` and `event_id`, bytes as hex and `meta` as base64. */
export type CopiedMetadata = {
  origin: string;
  tenant: string;
  stream_id: string;
  version: number;
  position: number;
  schema_version: number;
  recorded_at_us: number;
  meta_b64: string;
  payload_hash: string;
  meta_hash: string;
  prev_hash: string;
  event_hash: string;
  log_hash: string;
  idem_key?: string;
  request_hash?: string;
  commit_size?: number;
  /** By which KurrentDB's own tools find what belongs to one call. */
  $correlationId?: string;
};

/** `is_json`: the payload may go as JSON, since whoever parses and prints it again has the same bytes. */
export type CopiedEvent = {
  event_id: string;
  type: string;
  payload: Uint8Array;
  is_json: boolean;
  metadata: CopiedMetadata;
};

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** What the copy of an event is. */
export function copyOf(event: StoredRow, origin: string): CopiedEvent {
  const { idem_key, request_hash, commit_size } = event;
  const request_id = requestIdIn(event.meta);
  return {
    event_id: event.event_id,
    type: event.type,
    payload: event.payload,
    is_json: isPrintedAlike(event.payload),
    metadata: {
      origin,
      tenant: event.tenant,
      stream_id: event.stream_id,
      version: Number(event.version),
      position: Number(event.position),
      schema_version: Number(event.schema_version),
      recorded_at_us: Number(event.recorded_at_us),
      meta_b64: Buffer.from(event.meta).toString("base64"),
      payload_hash: hex(event.payload_hash),
      meta_hash: hex(event.meta_hash),
      prev_hash: hex(event.prev_hash),
      event_hash: hex(event.event_hash),
      log_hash: hex(event.log_hash),
      ...(idem_key !== null && { idem_key }),
      ...(request_hash !== null && { request_hash: hex(request_hash) }),
      ...(commit_size !== null && { commit_size: Number(commit_size) }),
      ...(request_id !== undefined && { $correlationId: request_id }),
    },
  };
}

/** JavaScript moves keys that look like whole numbers, and prints numbers in its own way. */
function isPrintedAlike(payload: Uint8Array): boolean {
  const text = Buffer.from(payload).toString("utf8");
  return JSON.stringify(JSON.parse(text)) === text;
}

function requestIdIn(meta: Uint8Array): string | undefined {
  const { request_id } = JSON.parse(Buffer.from(meta).toString("utf8")) as { request_id?: unknown };
  return typeof request_id === "string" ? request_id : undefined;
}

/** The first member by which what stands outside is not the copy of an event; undefined where it is. */
export function differenceOf(found: CopiedEvent, wanted: CopiedEvent): string | undefined {
  if (found.event_id !== wanted.event_id) return "event_id";
  if (found.type !== wanted.type) return "type";
  if (!Buffer.from(found.payload).equals(Buffer.from(wanted.payload))) return "payload";
  const names = new Set([...Object.keys(wanted.metadata), ...Object.keys(found.metadata)]);
  for (const name of names as Set<keyof CopiedMetadata>)
    if (found.metadata[name] !== wanted.metadata[name]) return name;
  return undefined;
}
