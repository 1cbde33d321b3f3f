import { hash } from "node:crypto";

/** Hash prefixes of docs/event-log.md. */
export const TAG = {
  payload: "TS/PAYLOAD/1\0",
  meta: "TS/META/1\0",
  stream: "TS/STREAM/1\0",
  event: "TS/EVENT/1\0",
  log: "TS/LOG/1\0",
  commit: "TS/COMMIT/1\0",
} as const;

const CACHED_VIEWS = 4096;

/** Reused for each event, so that a million events allocate nothing; `prefix` (a hash's domain tag) stays first. */
export class ByteField {
  bytes: Buffer;
  words: DataView;
  length: number;
  readonly start: number;
  #views = new Array<Uint8Array | undefined>(CACHED_VIEWS);

  constructor(prefix = "") {
    this.bytes = Buffer.alloc(Math.max(1024, prefix.length * 2));
    this.words = viewOf(this.bytes);
    this.start = this.bytes.write(prefix, "latin1");
    this.length = this.start;
  }

  clear(): void {
    this.length = this.start;
  }

  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const grown = Buffer.alloc(Math.max(this.bytes.length * 2, this.length + more));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
    this.words = viewOf(grown);
    this.#views.fill(undefined);
  }

  /** Short views are cached: making one costs a third of hashing it. */
  view(): Uint8Array {
    if (this.length >= CACHED_VIEWS) return this.bytes.subarray(0, this.length);
    this.#views[this.length] ??= this.bytes.subarray(0, this.length);
    return this.#views[this.length]!;
  }

  text(): string {
    return this.bytes.toString("utf8", this.start, this.length);
  }

  append(source: Uint8Array, from = 0, to = source.length): this {
    this.reserve(to - from);
    const target = this.bytes;
    let at = this.length;
    for (let i = from; i < to; i++) target[at++] = source[i]!;
    this.length = at;
    return this;
  }

  byte(value: number): this {
    this.reserve(1);
    this.bytes[this.length++] = value;
    return this;
  }

  u32(value: number): this {
    this.reserve(4);
    this.words.setUint32(this.length, value);
    this.length += 4;
    return this;
  }

  /** Below 2^53; u64 and i64 agree there. */
  u64(value: number): this {
    return this.u32(Math.floor(value / 0x1_0000_0000)).u32(value % 0x1_0000_0000);
  }

  lengthPrefixed(field: ByteField): this {
    return this.u32(field.length - field.start).append(field.bytes, field.start, field.length);
  }

  set(content: string | Uint8Array): this {
    this.clear();
    return this.append(typeof content === "string" ? Buffer.from(content, "utf8") : content);
  }
}

export function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** 32 characters, one a byte: the cheapest form of node:crypto. */
export function sha256(bytes: Uint8Array): string {
  return hash("sha256", bytes, "binary");
}

export function sameHash(digest: string, stated: Uint8Array, offset = 0): boolean {
  for (let i = 0; i < 32; i++) if (digest.charCodeAt(i) !== stated[offset + i]) return false;
  return true;
}

export function sameBytes(left: Uint8Array, right: Uint8Array, offset = 0): boolean {
  for (let i = 0; i < left.length; i++) if (left[i] !== right[offset + i]) return false;
  return true;
}

/** For 32 bytes cheaper than the built-in methods. */
export function copyHash(from: Uint8Array, into: Uint8Array, at = 0): void {
  for (let i = 0; i < 32; i++) into[at + i] = from[i]!;
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
}

export function hexOfDigest(digest: string): string {
  return Buffer.from(digest, "latin1").toString("hex");
}
