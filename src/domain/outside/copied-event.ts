/** An event in its outside copy: its bytes, with all inputs of its hashes. */

import { z } from "zod";
import type { StoredRow } from "../../../eventstore/verify/stored-rows.ts";
import { sha256 } from "../../core/model/fields.ts";
import type { CopiedEvent, CopiedMetadata } from "../../core/model/ports/outside-log.ts";

const count = z.int().positive();
const metadata: z.ZodType<CopiedMetadata> = z.object({
  origin: z.string(),
  tenant: z.string(),
  stream_id: z.string(),
  version: count,
  position: count,
  schema_version: count,
  recorded_at_us: z.int().nonnegative(),
  meta_b64: z.base64(),
  payload_hash: sha256,
  meta_hash: sha256,
  prev_hash: sha256,
  event_hash: sha256,
  log_hash: sha256,
  idem_key: z.string().exactOptional(),
  request_hash: sha256.exactOptional(),
  commit_size: count.exactOptional(),
  /** KurrentDB's own tools find the events of one call by it. */
  $correlationId: z.string().exactOptional(),
});

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** The copy of an event. */
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

/** The reason why an outside event cannot be the copy of any log's event; undefined where it can. */
export function unreadableIn(event: CopiedEvent): string | undefined {
  const read = metadata.safeParse(event.metadata);
  if (read.success) return undefined;
  const { path, message } = read.error.issues[0]!;
  return `${path.join(".") || "its metadata"}: ${message}`;
}

/** The epoch in a log's origin: its last part. */
export const epochOf = (origin: string): string => origin.slice(origin.lastIndexOf("/") + 1);

/** The event in the form of a log's export (docs/event-log.md, section 7); it must be readable. */
export function exportLineOf({ event_id, type, payload, metadata: about }: CopiedEvent) {
  return {
    position: about.position,
    tenant: about.tenant,
    stream_id: about.stream_id,
    version: about.version,
    event_id,
    type,
    schema_version: about.schema_version,
    recorded_at_us: about.recorded_at_us,
    payload: Buffer.from(payload).toString("utf8"),
    meta: Buffer.from(about.meta_b64, "base64").toString("utf8"),
    payload_hash: about.payload_hash,
    meta_hash: about.meta_hash,
    prev_hash: about.prev_hash,
    event_hash: about.event_hash,
    log_hash: about.log_hash,
    idem_key: about.idem_key ?? null,
    request_hash: about.request_hash ?? null,
    commit_size: about.commit_size ?? null,
  };
}

/** The first member in which an outside event differs from the copy of an event; undefined where none does. */
export function differenceOf(found: CopiedEvent, wanted: CopiedEvent): string | undefined {
  if (found.event_id !== wanted.event_id) return "event_id";
  if (found.type !== wanted.type) return "type";
  if (!Buffer.from(found.payload).equals(Buffer.from(wanted.payload))) return "payload";
  const names = new Set([...Object.keys(wanted.metadata), ...Object.keys(found.metadata)]);
  for (const name of names as Set<keyof CopiedMetadata>)
    if (found.metadata[name] !== wanted.metadata[name]) return name;
  return undefined;
}
