import { ByteField, sha256 } from "./bytes.ts";

const LONGEST_PLAIN_KEY = 128;

/**
 * The newest version and event hash of each stream seen, in flat arrays: about 180 bytes a stream, whatever its name.
 * It holds `limit` streams and no more, so a hostile export cannot take the machine's memory.
 */
export class StreamHeads {
  readonly limit: number;
  readonly #slots = new Map<string, number>();
  #versions = new Float64Array(1024);
  #hashes: Uint8Array = Buffer.alloc(1024 * 32);
  readonly #key = new ByteField();

  constructor(limit: number) {
    this.limit = limit;
  }

  get size(): number {
    return this.#slots.size;
  }

  /** The stream's slot; a stream not seen before gets a new one with version 0, or −1 when the limit is reached. */
  slot(tenant: ByteField, stream: ByteField): number {
    const field = this.#key;
    field.clear();
    field.lengthPrefixed(tenant).append(stream.bytes, stream.start, stream.length);
    const long = field.length > LONGEST_PLAIN_KEY;
    // A plain key begins with a zero byte (its length prefix), so it never equals one made from a digest.
    const key = long ? `#${sha256(field.view())}` : field.bytes.toString("latin1", 0, field.length);
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const slot = this.#slots.size;
    if (slot >= this.limit) return -1;
    this.#slots.set(key, slot);
    if (slot === this.#versions.length) this.#grow();
    return slot;
  }

  version(slot: number): number {
    return this.#versions[slot] ?? 0;
  }

  /** All hashes; a stream's stands at slot × 32. */
  get hashes(): Uint8Array {
    return this.#hashes;
  }

  set(slot: number, version: number, event_hash: Uint8Array): void {
    this.#versions[slot] = version;
    this.#hashes.set(event_hash, slot * 32);
  }

  #grow(): void {
    const versions = new Float64Array(this.#versions.length * 2);
    versions.set(this.#versions);
    this.#versions = versions;
    const hashes = Buffer.alloc(this.#hashes.length * 2);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
  }
}
