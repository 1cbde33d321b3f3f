/** A commit made ready for the log: checked, its names measured, its payloads and metadata turned into the bytes that are hashed. */
import { canonicalBytes, isWellFormed } from "./canonical.ts";
import { InvalidEvent } from "./errors.ts";
import { commitHash, uuidBytes } from "./hash.ts";
import { type Commit, type ExpectedVersion, type JsonObject, MAIN_LOG, type StreamAppend } from "./types.ts";
import { uuidv7 } from "./uuid.ts";

/** Bytes, but for MAX_EVENTS: events in one commit. */
export const MAX_NAME = 255;
export const MAX_PAYLOAD = 1024 * 1024;
export const MAX_META = 64 * 1024;
export const MAX_EVENTS = 1_000;
export const MAX_COMMIT = 16 * 1024 * 1024;

/** What SQL is told: a version, or one of these. */
const ANY = -1;
const EXISTS = -2;

export type PreparedStream = { tenant: string; stream_id: string; expected: number; size: number };

export type PreparedEvent = {
  /** Index in `streams`. */
  stream: number;
  event_id: string;
  id_bytes: Buffer;
  type: string;
  schema_version: number;
  payload: Buffer;
  meta: Buffer;
};

export type PreparedCommit = {
  log_id: number;
  idem_key: string | null;
  request_hash: Uint8Array | null;
  streams: PreparedStream[];
  events: PreparedEvent[];
  /** Size of payloads and metadata. */
  bytes: number;
};

/** Throws InvalidEvent, naming the field, for whatever cannot stand in the log. */
export function prepareCommit(commit: Commit): PreparedCommit {
  const { idempotency } = commit;
  if (idempotency) {
    checkName(idempotency.idem_key, "idem_key");
    if (idempotency.request_hash.byteLength !== 32)
      throw new InvalidEvent("request_hash", "must be 32 bytes: a SHA-256");
  }
  const size = commit.appends.reduce((sum, append) => sum + append.events.length, 0);
  if (size === 0) throw new InvalidEvent("appends", "must hold at least one event");
  if (size > MAX_EVENTS) throw new InvalidEvent("appends", `holds more than ${MAX_EVENTS} events`);

  const metaOf = metaWriter(
    commit.meta ?? {},
    commitHash(idempotency?.idem_key, idempotency?.request_hash, size),
  );

  const prepared: PreparedCommit = {
    log_id: checkInteger(commit.log_id ?? MAIN_LOG, "log_id"),
    idem_key: idempotency?.idem_key ?? null,
    request_hash: idempotency?.request_hash ?? null,
    streams: [],
    events: [],
    bytes: 0,
  };
  commit.appends.forEach((append, index) => {
    // A stream without events would be checked for its version and not appear in the commit at all.
    if (append.events.length === 0)
      throw new InvalidEvent(`appends[${index}].events`, "must hold at least one event");
    prepared.streams.push(prepareStream(append, `appends[${index}]`));
    for (const event of append.events) {
      const field = `appends[${index}].events[${prepared.events.length}]`;
      const payload = canonicalBytes(event.payload, `${field}.payload`);
      if (payload.byteLength > MAX_PAYLOAD)
        throw new InvalidEvent(`${field}.payload`, `is longer than ${MAX_PAYLOAD} bytes`);
      const event_id = event.event_id ?? uuidv7();
      if (!UUID.test(event_id)) throw new InvalidEvent(`${field}.event_id`, "must be a UUID");
      checkName(event.type, `${field}.type`);
      const meta = metaOf(event.meta, prepared.events.length === 0, field);
      prepared.events.push({
        stream: index,
        event_id: event_id.toLowerCase(),
        id_bytes: uuidBytes(event_id),
        type: event.type,
        schema_version: checkInteger(event.schema_version ?? 1, `${field}.schema_version`),
        payload,
        meta,
      });
      prepared.bytes += payload.byteLength + meta.byteLength;
    }
  });
  if (prepared.bytes > MAX_COMMIT) throw new InvalidEvent("appends", `holds more than ${MAX_COMMIT} bytes`);
  refuseRepeatedStreams(prepared.streams);
  return prepared;
}

/** One key for a stream in maps: a tenant has no NUL, so nothing else can give the same. */
export const streamKey = (stream: { tenant: string; stream_id: string }): string =>
  `${stream.tenant}\0${stream.stream_id}`;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function prepareStream(append: StreamAppend, field: string): PreparedStream {
  checkName(append.tenant, `${field}.tenant`);
  checkName(append.stream_id, `${field}.stream_id`);
  return {
    tenant: append.tenant,
    stream_id: append.stream_id,
    expected: expectedVersion(append.expected_version, `${field}.expected_version`),
    size: append.events.length,
  };
}

function expectedVersion(expected: ExpectedVersion, field: string): number {
  if (expected === "any") return ANY;
  if (expected === "exists") return EXISTS;
  if (expected === "absent") return 0;
  if (Number.isSafeInteger(expected) && expected >= 0) return expected;
  throw new InvalidEvent(field, 'must be a version from 0 on, "any", "exists" or "absent"');
}

/** An event's metadata: the commit's, its own over it, and on the first event of the commit the commit's hash. */
function metaWriter(shared: JsonObject, commit: string) {
  let sharedBytes: Buffer | undefined;
  return (own: JsonObject | undefined, first: boolean, field: string): Buffer => {
    if (first)
      return metaBytes(
        { ...withoutCommit(shared, "meta"), ...withoutCommit(own, `${field}.meta`), commit },
        field,
      );
    if (own) return metaBytes({ ...shared, ...withoutCommit(own, `${field}.meta`) }, field);
    sharedBytes ??= metaBytes(shared, field);
    return sharedBytes;
  };
}

function withoutCommit(meta: JsonObject | undefined, field: string): JsonObject | undefined {
  if (meta && "commit" in meta) throw new InvalidEvent(`${field}.commit`, "is reserved: the log writes it");
  return meta;
}

function metaBytes(meta: JsonObject, field: string): Buffer {
  const bytes = canonicalBytes(meta, `${field}.meta`);
  if (bytes.byteLength > MAX_META)
    throw new InvalidEvent(`${field}.meta`, `is longer than ${MAX_META} bytes`);
  return bytes;
}

function checkName(name: string, field: string): void {
  if (typeof name !== "string" || name === "")
    throw new InvalidEvent(field, "must be a text of one byte or more");
  if (Buffer.byteLength(name) > MAX_NAME) throw new InvalidEvent(field, `is longer than ${MAX_NAME} bytes`);
  if (name.includes("\0")) throw new InvalidEvent(field, "holds a NUL, which Postgres' text cannot");
  if (!isWellFormed(name)) throw new InvalidEvent(field, "holds a lone surrogate, which UTF-8 cannot say");
}

/** From 1 to what int4 holds. */
function checkInteger(value: number, field: string): number {
  if (Number.isInteger(value) && value > 0 && value < 2 ** 31) return value;
  throw new InvalidEvent(field, "must be an integer from 1 to 2147483647");
}

function refuseRepeatedStreams(streams: PreparedStream[]): void {
  if (streams.length === 1) return;
  const seen = new Set<string>();
  streams.forEach((stream, index) => {
    const key = streamKey(stream);
    if (seen.has(key))
      throw new InvalidEvent(
        `appends[${index}]`,
        `names the stream ${JSON.stringify(stream.stream_id)} again`,
      );
    seen.add(key);
  });
}
