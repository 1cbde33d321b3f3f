import { canonicalBytes } from "./canonical.ts";
import { InvalidEvent } from "./errors.ts";
import { commitHash, uuidBytes } from "./hash.ts";
import {
  type Commit,
  type CommitInFlight,
  type ExpectedVersion,
  type Idempotency,
  type JsonObject,
  MAIN_LOG,
  type NewEvent,
  type StreamAppend,
} from "./types.ts";
import { uuidv7 } from "./uuid.ts";

/** Bytes, except MAX_EVENTS. */
const MAX_NAME = 255;
const MAX_PAYLOAD = 1024 * 1024;
const MAX_META = 64 * 1024;
const MAX_EVENTS = 1_000;
const MAX_COMMIT = 16 * 1024 * 1024;

/** SQL takes a version, or one of these. */
const ANY = -1;
const EXISTS = -2;

/** `length`: 0 for a guard. */
export type PreparedStream = {
  tenant: string;
  stream_id: string;
  expected: number;
  length: number;
  after: CommitInFlight | undefined;
};

export type PreparedEvent = {
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
  bytes: number;
};

/** Throws InvalidEvent, naming the field. */
export function prepareCommit(commit: Commit): PreparedCommit {
  const { appends, guards = [], idempotency, meta = {} } = commit;
  const size = appends.reduce((sum, append) => sum + append.events.length, 0);
  if (size === 0) throw new InvalidEvent("appends", "must have at least one event");
  if (size > MAX_EVENTS) throw new InvalidEvent("appends", `holds more than ${MAX_EVENTS} events`);
  if (idempotency) checkIdempotency(idempotency);
  const prepared: PreparedCommit = {
    log_id: checkInteger(commit.log_id ?? MAIN_LOG, "log_id"),
    idem_key: idempotency?.idem_key ?? null,
    request_hash: idempotency?.request_hash ?? null,
    streams: [],
    events: [],
    bytes: 0,
  };
  const commit_hash = commitHash(idempotency?.idem_key, idempotency?.request_hash, size);
  const sharedMeta = size > 1 ? metaBytes(meta) : undefined;
  let place = "";
  try {
    appends.forEach((append, stream) => {
      place = `appends[${stream}]`;
      // A stream without events would be a guard.
      if (append.events.length === 0) throw new InvalidEvent("events", "must have at least one event");
      prepared.streams.push(prepareStream(append, append.events.length));
      append.events.forEach((event, index) => {
        place = `appends[${stream}].events[${index}]`;
        const first = prepared.events.length === 0;
        const made = prepareEvent(
          event,
          stream,
          first || event.meta || !sharedMeta
            ? metaBytes({ ...meta, ...event.meta }, first ? commit_hash : undefined)
            : sharedMeta,
        );
        prepared.events.push(made);
        prepared.bytes += made.payload.byteLength + made.meta.byteLength;
      });
    });
    guards.forEach((guard, index) => {
      place = `guards[${index}]`;
      prepared.streams.push(prepareStream(guard, 0));
    });
  } catch (error) {
    throw error instanceof InvalidEvent ? error.within(place) : error;
  }
  if (prepared.bytes > MAX_COMMIT) throw new InvalidEvent("appends", `holds more than ${MAX_COMMIT} bytes`);
  refuseRepeatedStreams(prepared.streams);
  return prepared;
}

/** Unambiguous: a tenant has no NUL. */
export const streamKey = (stream: { tenant: string; stream_id: string }): string =>
  `${stream.tenant}\0${stream.stream_id}`;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function prepareStream(
  stream: Pick<StreamAppend, "tenant" | "stream_id" | "expected_version" | "after">,
  length: number,
): PreparedStream {
  return {
    tenant: checkName(stream.tenant, "tenant"),
    stream_id: checkName(stream.stream_id, "stream_id"),
    expected: expectedVersion(stream.expected_version),
    length,
    after: stream.after,
  };
}

function prepareEvent(event: NewEvent, stream: number, meta: Buffer): PreparedEvent {
  if (event.event_id !== undefined && !UUID.test(event.event_id))
    throw new InvalidEvent("event_id", "must be a UUID");
  const event_id = event.event_id?.toLowerCase() ?? uuidv7();
  const payload = canonicalBytes(event.payload, "payload");
  if (payload.byteLength > MAX_PAYLOAD)
    throw new InvalidEvent("payload", `is longer than ${MAX_PAYLOAD} bytes`);
  return {
    stream,
    event_id,
    id_bytes: uuidBytes(event_id),
    type: checkName(event.type, "type"),
    schema_version: checkInteger(event.schema_version ?? 1, "schema_version"),
    payload,
    meta,
  };
}

/** Only the log writes `commit`. */
function metaBytes(meta: JsonObject, commit?: string): Buffer {
  if ("commit" in meta) throw new InvalidEvent("meta.commit", "is reserved: the log writes it");
  const bytes = canonicalBytes(commit === undefined ? meta : { ...meta, commit }, "meta");
  if (bytes.byteLength > MAX_META) throw new InvalidEvent("meta", `is longer than ${MAX_META} bytes`);
  return bytes;
}

function expectedVersion(expected: ExpectedVersion): number {
  if (expected === "any") return ANY;
  if (expected === "exists") return EXISTS;
  if (expected === "absent") return 0;
  if (Number.isSafeInteger(expected) && expected >= 0) return expected;
  throw new InvalidEvent("expected_version", 'must be a version from 0 on, "any", "exists" or "absent"');
}

function checkIdempotency({ idem_key, request_hash }: Idempotency): void {
  checkName(idem_key, "idem_key");
  if (request_hash.byteLength !== 32) throw new InvalidEvent("request_hash", "must be 32 bytes: a SHA-256");
}

function checkName(name: string, field: string): string {
  if (typeof name !== "string" || name === "")
    throw new InvalidEvent(field, "must be a text of one byte or more");
  if (Buffer.byteLength(name) > MAX_NAME) throw new InvalidEvent(field, `is longer than ${MAX_NAME} bytes`);
  if (name.includes("\0")) throw new InvalidEvent(field, "holds a NUL, which Postgres' text cannot");
  if (!name.isWellFormed()) throw new InvalidEvent(field, "has a lone surrogate, which UTF-8 cannot encode");
  return name;
}

/** The range of int4. */
function checkInteger(value: number, field: string): number {
  if (Number.isInteger(value) && value > 0 && value < 2 ** 31) return value;
  throw new InvalidEvent(field, "must be an integer from 1 to 2147483647");
}

function refuseRepeatedStreams(streams: PreparedStream[]): void {
  if (streams.length === 1) return;
  const seen = new Set<string>();
  streams.forEach((stream, index) => {
    if (seen.has(streamKey(stream)))
      throw new InvalidEvent(placeOf(streams, index), "is in an earlier append of the commit, too");
    seen.add(streamKey(stream));
  });
}

function placeOf(streams: PreparedStream[], index: number): string {
  const appends = streams.filter(({ length }) => length > 0).length;
  return index >= appends ? `guards[${index - appends}].stream_id` : `appends[${index}].stream_id`;
}
