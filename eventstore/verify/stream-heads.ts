import { randomFillSync } from "node:crypto";
import { ByteField, copyHash, sha256 } from "./bytes.ts";

const LONGEST_PLAIN_KEY = 128;
/** Pages, so that growing copies no key. */
const PAGE_BYTES = 1024 * 1024;
const LEAST_SLOTS = 1024;

/**
 * Flat arrays: about 60 bytes a stream, plus its name, or 33 bytes for a long one. At most `limit` streams, so that a hostile
 * export cannot exhaust memory.
 */
export class StreamHeads {
  readonly limit: number;
  #size = 0;
  /** Open addressing: 1 + a key's slot; 0 where empty. At most half full. */
  #table = new Int32Array(LEAST_SLOTS * 2);
  /** Starts are counted through all pages. */
  #keyHashes = new Int32Array(LEAST_SLOTS);
  #keyStarts = new Float64Array(LEAST_SLOTS);
  readonly #pages: Buffer[] = [];
  #pageUsed = PAGE_BYTES;
  #versions = new Float64Array(LEAST_SLOTS);
  #hashes: Uint8Array = new Uint8Array(LEAST_SLOTS * 32);
  readonly #key = new ByteField();

  constructor(limit: number) {
    this.limit = limit;
  }

  get size(): number {
    return this.#size;
  }

  /** A new stream gets version 0; −1 beyond the limit. */
  slot(tenant: ByteField, stream: ByteField): number {
    const key = this.#key;
    key.clear();
    key.lengthPrefixed(tenant).append(stream.bytes, stream.start, stream.length);
    // A plain key begins with a zero byte, so it never equals a digest's.
    if (key.length > LONGEST_PLAIN_KEY) key.set(Buffer.from(`#${sha256(key.view())}`, "latin1"));
    const keyHash = hashOf(key);
    const last = this.#table.length - 1;
    let place = keyHash & last;
    for (let found = this.#table[place]!; found !== 0; found = this.#table[place]!) {
      if (this.#keyHashes[found - 1] === keyHash && this.#isKeyOf(found - 1)) return found - 1;
      place = (place + 1) & last;
    }
    return this.#size < this.limit ? this.#add(keyHash, place) : -1;
  }

  version(slot: number): number {
    return this.#versions[slot] ?? 0;
  }

  /** A stream's hash is at slot × 32. */
  get hashes(): Uint8Array {
    return this.#hashes;
  }

  set(slot: number, version: number, event_hash: Uint8Array): void {
    this.#versions[slot] = version;
    copyHash(event_hash, this.#hashes, slot * 32);
  }

  #isKeyOf(slot: number): boolean {
    const { bytes, length } = this.#key;
    const start = this.#keyStarts[slot]!;
    const page = this.#pages[Math.floor(start / PAGE_BYTES)]!;
    const from = start % PAGE_BYTES;
    if (page[from] !== length) return false;
    for (let i = 0; i < length; i++) if (page[from + 1 + i] !== bytes[i]) return false;
    return true;
  }

  #add(keyHash: number, place: number): number {
    const slot = this.#size++;
    const { bytes, length } = this.#key;
    // One byte before each key is its length.
    if (this.#pageUsed + 1 + length > PAGE_BYTES) {
      this.#pages.push(Buffer.alloc(PAGE_BYTES));
      this.#pageUsed = 0;
    }
    const page = this.#pages.at(-1)!;
    this.#table[place] = slot + 1;
    this.#keyHashes[slot] = keyHash;
    this.#keyStarts[slot] = (this.#pages.length - 1) * PAGE_BYTES + this.#pageUsed;
    page[this.#pageUsed++] = length;
    for (let i = 0; i < length; i++) page[this.#pageUsed++] = bytes[i]!;
    if (this.#size === this.#versions.length) this.#grow();
    return slot;
  }

  #grow(): void {
    const slots = this.#versions.length * 2;
    this.#versions = copied(this.#versions, new Float64Array(slots));
    this.#hashes = copied(this.#hashes, new Uint8Array(slots * 32));
    this.#keyHashes = copied(this.#keyHashes, new Int32Array(slots));
    this.#keyStarts = copied(this.#keyStarts, new Float64Array(slots));
    const before = this.#table;
    const table = new Int32Array(slots * 2);
    const last = table.length - 1;
    for (const filled of before) {
      if (filled === 0) continue;
      let place = this.#keyHashes[filled - 1]! & last;
      while (table[place] !== 0) place = (place + 1) & last;
      table[place] = filled;
    }
    this.#table = table;
  }
}

function copied<Numbers extends Float64Array | Int32Array | Uint8Array>(
  from: Numbers,
  into: Numbers,
): Numbers {
  into.set(from);
  return into;
}

/**
 * Tabulation hashing (Zobrist 1970): a random number for each byte at each offset, new in every process. So nobody can choose
 * colliding names, and it suffices for linear probing (Pătraşcu and Thorup, "The Power of Simple Tabulation Hashing", 2012).
 */
const RANDOM = randomFillSync(new Int32Array(LONGEST_PLAIN_KEY * 256));

function hashOf({ bytes, length }: ByteField): number {
  let hash = 0;
  for (let i = 0; i < length; i++) hash ^= RANDOM[i * 256 + bytes[i]!]!;
  return hash;
}
