import { ByteField, TAG, viewOf } from "./bytes.ts";

const HASH_BYTES = 32;

/** One event as the verifier sees it: one reused value, filled by a line of an export or a row of the database. */
export class EventRow {
  /** 0 in the export of a single stream, which has no log order. */
  position = 0;
  version = 0;
  schema_version = 0;
  recorded_at_us = 0;
  readonly tenant = new ByteField();
  readonly stream_id = new ByteField();
  readonly type = new ByteField();
  readonly payload = new ByteField(TAG.payload);
  readonly meta = new ByteField(TAG.meta);
  readonly event_id = Buffer.alloc(16);
  /** All five, one behind the other, since some are hashed or handed on together. */
  readonly #hashes = Buffer.alloc(5 * HASH_BYTES);
  readonly payload_hash = this.#hash(0);
  readonly meta_hash = this.#hash(1);
  readonly prev_hash = this.#hash(2);
  readonly event_hash = this.#hash(3);
  /** All zero in the export of a single stream. */
  readonly log_hash = this.#hash(4);
  /** What an event hash ends with: of payload, metadata and the event before. */
  readonly hashed_last = this.#hashes.subarray(0, 3 * HASH_BYTES);
  /** What holds it to the events around it: `prev_hash`, `event_hash`, `log_hash`. */
  readonly links = this.#hashes.subarray(2 * HASH_BYTES);
  readonly linkWords = viewOf(this.links);
  has_idem_key = false;
  readonly idem_key = new ByteField();
  has_request_hash = false;
  readonly request_hash = Buffer.alloc(32);
  commit_size: number | null = null;

  #hash(index: number): Buffer {
    return this.#hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
  }
}

/** Why a line or row cannot be read as an event. */
export class UnreadableEvent extends Error {}
