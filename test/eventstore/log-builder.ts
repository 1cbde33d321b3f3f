import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "../../eventstore/types.ts";

/**
 * An in-memory log, written from docs/event-log.md with plain strings and createHash, independent of the verifier
 * and the append path. Rows are the event lines of an export, with their members in order.
 */
export type LogRow = {
  position: number;
  tenant: string;
  stream_id: string;
  version: number;
  event_id: string;
  type: string;
  schema_version: number;
  recorded_at_us: number;
  payload: string;
  meta: string;
  payload_hash: string;
  meta_hash: string;
  prev_hash: string;
  event_hash: string;
  log_hash: string;
  idem_key: string | null;
  request_hash: string | null;
  commit_size: number | null;
};

export type PlannedEvent = {
  tenant: string;
  stream_id: string;
  event_id: string;
  type: string;
  schema_version?: number;
  payload: JsonObject;
};

export type PlannedCommit = {
  events: PlannedEvent[];
  recorded_at_us: number;
  meta?: JsonObject;
  idempotency?: { idem_key: string; request_hash: string };
};

/** RFC 8785: JavaScript's own number and string forms, keys sorted by UTF-16 code units (which is how sort() compares). */
export function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key]!)}`).join(",")}}`;
}

export const NO_REQUEST_HASH = "00".repeat(32);

export function sha256(...parts: (string | Uint8Array)[]): Buffer {
  const digest = createHash("sha256");
  for (const part of parts) digest.update(part);
  return digest.digest();
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function u64(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

/** Length-prefixed UTF-8. */
export function lp(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  return Buffer.concat([u32(bytes.length), bytes]);
}

function unhex(text: string): Buffer {
  return Buffer.from(text, "hex");
}

export const payloadHash = (payload: string) => sha256("TS/PAYLOAD/1\0", payload);
export const metaHash = (meta: string) => sha256("TS/META/1\0", meta);
export const logGenesis = (origin: string) => sha256("TS/LOG/1\0", lp(origin));
export const streamGenesis = (origin: string, tenant: string, stream_id: string) =>
  sha256("TS/STREAM/1\0", lp(origin), lp(tenant), lp(stream_id));
export const commitHash = (idem_key: string, request_hash: string, size: number) =>
  sha256("TS/COMMIT/1\0", lp(idem_key), unhex(request_hash), u32(size));
export const logHash = (previous: Uint8Array, position: number, event_hash: string) =>
  sha256("TS/LOG/1\0", previous, u64(position), unhex(event_hash));

type HashedEvent = Omit<
  LogRow,
  "position" | "event_hash" | "log_hash" | "idem_key" | "request_hash" | "commit_size"
>;

export function eventHash(origin: string, row: HashedEvent): Buffer {
  return sha256(
    "TS/EVENT/1\0",
    lp(origin),
    lp(row.tenant),
    lp(row.stream_id),
    u64(row.version),
    unhex(row.event_id.replaceAll("-", "")),
    lp(row.type),
    u32(row.schema_version),
    u64(row.recorded_at_us),
    unhex(row.payload_hash),
    unhex(row.meta_hash),
    unhex(row.prev_hash),
  );
}

/** Appends commits in order; stores only the stream heads. */
export class LogBuilder {
  readonly origin: string;
  position = 0;
  log_hash: Buffer;
  readonly #heads = new Map<string, { version: number; event_hash: string }>();

  constructor(origin: string) {
    this.origin = origin;
    this.log_hash = logGenesis(origin);
  }

  append(commit: PlannedCommit): LogRow[] {
    const size = commit.events.length;
    const { idem_key, request_hash } = commit.idempotency ?? { idem_key: null, request_hash: null };
    const binding = commitHash(idem_key ?? "", request_hash ?? NO_REQUEST_HASH, size).toString("hex");
    return commit.events.map((event, i) => {
      const first = i === 0;
      const meta = first ? { ...commit.meta, commit: binding } : { ...commit.meta };
      return this.#add({
        position: 0,
        tenant: event.tenant,
        stream_id: event.stream_id,
        version: 0,
        event_id: event.event_id,
        type: event.type,
        schema_version: event.schema_version ?? 1,
        recorded_at_us: commit.recorded_at_us,
        payload: canonical(event.payload),
        meta: canonical(meta),
        payload_hash: "",
        meta_hash: "",
        prev_hash: "",
        event_hash: "",
        log_hash: "",
        idem_key: first ? idem_key : null,
        request_hash: first ? request_hash : null,
        commit_size: first ? size : null,
      });
    });
  }

  #add(row: LogRow): LogRow {
    const key = JSON.stringify([row.tenant, row.stream_id]);
    const head = this.#heads.get(key);
    row.version = (head?.version ?? 0) + 1;
    row.prev_hash = head?.event_hash ?? streamGenesis(this.origin, row.tenant, row.stream_id).toString("hex");
    row.position = this.position + 1;
    sealRow(this.origin, row, this.log_hash);
    this.#heads.set(key, { version: row.version, event_hash: row.event_hash });
    this.position = row.position;
    this.log_hash = unhex(row.log_hash);
    return row;
  }
}

/** Computes every hash of a row except `prev_hash`, from its fields. */
export function sealRow(origin: string, row: LogRow, previousLogHash: Uint8Array): void {
  row.payload_hash = payloadHash(row.payload).toString("hex");
  row.meta_hash = metaHash(row.meta).toString("hex");
  row.event_hash = eventHash(origin, row).toString("hex");
  row.log_hash = logHash(previousLogHash, row.position, row.event_hash).toString("hex");
}

/** A forger's work after changing rows: all hashes and links recomputed, positions and versions unchanged. */
export function rehash(origin: string, rows: LogRow[]): LogRow[] {
  const heads = new Map<string, string>();
  let log_hash: Buffer = logGenesis(origin);
  for (const row of rows) {
    const key = JSON.stringify([row.tenant, row.stream_id]);
    row.prev_hash = heads.get(key) ?? streamGenesis(origin, row.tenant, row.stream_id).toString("hex");
    sealRow(origin, row, log_hash);
    heads.set(key, row.event_hash);
    log_hash = unhex(row.log_hash);
  }
  return rows;
}

/** The lines of an export that begins with the first of these rows. */
export function exportLines(origin: string, rows: LogRow[], previousLogHash?: string): string[] {
  const last = rows.at(-1);
  const previous_log_hash = previousLogHash ?? logGenesis(origin).toString("hex");
  const header = {
    format: "tallystick-log/1",
    log_id: 1,
    origin,
    exported_at: "2026-01-02T03:04:05.678Z",
    first_position: rows[0]?.position ?? 1,
    previous_log_hash,
  };
  const head = { position: last?.position ?? 0, log_hash: last?.log_hash ?? previous_log_hash };
  const trailer = { end: true, events: rows.length, head };
  return [header, ...rows, trailer].map((line) => JSON.stringify(line));
}

/** The lines of the export of one stream. */
export function streamExportLines(
  origin: string,
  rows: LogRow[],
  tenant: string,
  stream_id: string,
): string[] {
  const own = rows.filter((row) => row.tenant === tenant && row.stream_id === stream_id);
  const last = own.at(-1);
  const lines = own.map(({ position: _position, log_hash: _log_hash, ...line }) => line);
  const exported_at = "2026-01-02T03:04:05.678Z";
  const header = { format: "tallystick-stream/1", log_id: 1, origin, exported_at, tenant, stream_id };
  const head = {
    version: last?.version ?? 0,
    event_hash: last?.event_hash ?? logGenesis(origin).toString("hex"),
  };
  return [header, ...lines, { end: true, events: own.length, head }].map((line) => JSON.stringify(line));
}
