import { hash } from "node:crypto";
import { ByteField, sha256, TAG } from "./bytes.ts";
import type { EventRow } from "./event-row.ts";

/** The hashes of docs/event-log.md for one log; each a string of 32 characters, one a byte, unless it says otherwise. */
export class LogHashes {
  /** log_hash_0, and what every event of the log begins with. */
  readonly genesis: string;
  readonly #stream: ByteField;
  readonly #event: ByteField;
  readonly #log = new ByteField(TAG.log);
  readonly #commit = new ByteField(TAG.commit);

  constructor(origin: string) {
    const field = new ByteField().set(origin);
    const prefix = new ByteField().lengthPrefixed(field).view();
    this.#stream = prefixed(TAG.stream, prefix);
    this.#event = prefixed(TAG.event, prefix);
    this.genesis = sha256(prefixed(TAG.log, prefix).view());
  }

  /** What stands before an event where it is hashed. */
  get eventTag(): Uint8Array {
    return this.#event.bytes.subarray(0, this.#event.start);
  }

  /** prev_hash of a stream's first event. */
  streamGenesis(tenant: ByteField, stream: ByteField): string {
    this.#stream.clear();
    return sha256(this.#stream.lengthPrefixed(tenant).lengthPrefixed(stream).view());
  }

  /** Over the hashes stated in the row: whether they fit the payload and the metadata is a check of its own. */
  event(row: EventRow): string {
    const field = this.#event;
    field.clear();
    field.lengthPrefixed(row.tenant).lengthPrefixed(row.stream_id).u64(row.version).append(row.event_id);
    field.lengthPrefixed(row.type).u32(row.schema_version).u64(row.recorded_at_us);
    return sha256(field.append(row.hashed_last).view());
  }

  log(previous: Uint8Array, position: number, event_hash: Uint8Array): string {
    this.#log.clear();
    return sha256(this.#log.append(previous).u64(position).append(event_hash).view());
  }

  /** What a commit's first event carries as `commit`, in hex; without an idempotency key, over the empty string and 32 zero bytes. */
  commit(row: EventRow, size: number): string {
    const field = this.#commit;
    field.clear();
    field.lengthPrefixed(row.has_idem_key ? row.idem_key : NO_KEY);
    field.append(row.has_request_hash ? row.request_hash : NO_REQUEST).u32(size);
    return hash("sha256", field.view(), "hex");
  }
}

const NO_KEY = new ByteField();
const NO_REQUEST = Buffer.alloc(32);

/** A field whose prefix is the tag and the length-prefixed origin. */
function prefixed(tag: string, origin: Uint8Array): ByteField {
  return new ByteField(tag + Buffer.from(origin).toString("latin1"));
}
