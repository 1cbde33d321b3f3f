import { hash } from "node:crypto";
import { ByteField, sha256, TAG } from "./bytes.ts";
import type { EventRow } from "./event-row.ts";

/** docs/event-log.md has the formulas. Strings of 32 characters, one a byte, unless stated otherwise. */
export class LogHashes {
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

  get eventTag(): Uint8Array {
    return this.#event.bytes.subarray(0, this.#event.start);
  }

  streamGenesis(tenant: ByteField, stream: ByteField): string {
    this.#stream.clear();
    return sha256(this.#stream.lengthPrefixed(tenant).lengthPrefixed(stream).view());
  }

  /** Uses the stated hashes; another check compares those with the content. */
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

  /** In hex; without an idempotency key, over the empty string and 32 zero bytes. */
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

function prefixed(tag: string, origin: Uint8Array): ByteField {
  return new ByteField(tag + Buffer.from(origin).toString("latin1"));
}
