/** docs/event-log.md has the formulas. SQL computes the stored hashes; a test compares both. */
import { hash } from "node:crypto";

const tag = (name: string) => Buffer.from(`TS/${name}/1\0`);
const PAYLOAD = tag("PAYLOAD");
const META = tag("META");
const STREAM = tag("STREAM");
const EVENT = tag("EVENT");
const LOG = tag("LOG");
const COMMIT = tag("COMMIT");
const NO_REQUEST = Buffer.alloc(32);

const sha256 = (...parts: Uint8Array[]): Buffer => hash("sha256", Buffer.concat(parts), "buffer");

function u32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

/** u32 big-endian length in bytes, then the UTF-8 bytes. */
export function lengthPrefixed(text: string): Buffer {
  return Buffer.concat([u32(Buffer.byteLength(text)), Buffer.from(text)]);
}

export function uuidBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll("-", ""), "hex");
}

export const payloadHash = (payload: Uint8Array): Buffer => sha256(PAYLOAD, payload);
export const metaHash = (meta: Uint8Array): Buffer => sha256(META, meta);

/** prev_hash of a stream's first event. */
export function streamGenesis(origin: string, tenant: string, stream_id: string): Buffer {
  return sha256(STREAM, lengthPrefixed(origin), lengthPrefixed(tenant), lengthPrefixed(stream_id));
}

export type EventHeader = {
  origin: string;
  tenant: string;
  stream_id: string;
  version: number;
  event_id: string;
  type: string;
  schema_version: number;
  recorded_at_us: number;
  payload_hash: Uint8Array;
  meta_hash: Uint8Array;
  prev_hash: Uint8Array;
};

/** Without the position. */
export function eventHash(event: EventHeader): Buffer {
  return sha256(
    EVENT,
    lengthPrefixed(event.origin),
    lengthPrefixed(event.tenant),
    lengthPrefixed(event.stream_id),
    u64(event.version),
    uuidBytes(event.event_id),
    lengthPrefixed(event.type),
    u32(event.schema_version),
    u64(event.recorded_at_us),
    event.payload_hash,
    event.meta_hash,
    event.prev_hash,
  );
}

/** log_hash of position 0. */
export const logGenesis = (origin: string): Buffer => sha256(LOG, lengthPrefixed(origin));

export function logHash(previous: Uint8Array, position: number, event_hash: Uint8Array): Buffer {
  return sha256(LOG, previous, u64(position), event_hash);
}

/** `commit` in the meta of a commit's first event, in hex. */
export function commitHash(idem_key: string | undefined, request_hash: Uint8Array | undefined, size: number) {
  return sha256(COMMIT, lengthPrefixed(idem_key ?? ""), request_hash ?? NO_REQUEST, u32(size)).toString(
    "hex",
  );
}
