import { ByteField, TAG, viewOf } from "./bytes.ts";

const HASH_BYTES = 32;

/** One reused value for all lines and rows. */
export class EventRow {
  /** 0 in a stream export. */
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
  /** Contiguous, since some are hashed together. */
  readonly #hashes = Buffer.alloc(5 * HASH_BYTES);
  readonly payload_hash = this.#hash(0);
  readonly meta_hash = this.#hash(1);
  readonly prev_hash = this.#hash(2);
  readonly event_hash = this.#hash(3);
  /** All zero in a stream export. */
  readonly log_hash = this.#hash(4);
  /** The end of an event hash's input. */
  readonly hashed_last = this.#hashes.subarray(0, 3 * HASH_BYTES);
  /** Links to the events around it. */
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

export class UnreadableEvent extends Error {}
