import { readFileSync } from "node:fs";
import { sameHash, sha256, TAG } from "./bytes.ts";

/** Node's types lack it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  validate(bytes: Uint8Array): boolean;
  Instance: new (module: object) => { exports: unknown };
};

/** fast-path/reader.ts documents them. */
type Exports = {
  memory: { buffer: ArrayBuffer };
  begin(tag: number): void;
  read(from: number, record: number): number;
} & Record<
  "LINES" | "RECORDS" | "PAYLOAD" | "META" | "EVENT" | "COMMIT" | "STATED" | "TOLD",
  { value: number }
>;

/** A longer prefix would leave too little room for names. */
const LONGEST_EVENT_TAG = 4096;
const CACHED_VIEWS = 4096;
const EVENT_HASH = 60;
const HASH_BYTES = 32;

const SLACK = 64;

let code: Uint8Array | undefined;
let compiled: object | undefined;

function moduleCode(): Uint8Array {
  code ??= readFileSync(new URL("./fast-path/reader.wasm", import.meta.url));
  return code;
}

/**
 * Reads usual lines with a WebAssembly module, 16 bytes at a time. It never reports a fault: unsure lines go to EventLineReader
 * and EventReading. node:crypto hashes.
 */
export class FastReader {
  readonly #read: Exports["read"];
  readonly #bytes: Uint8Array;
  readonly #told: Int32Array;
  readonly #payload: Views;
  readonly #meta: Views;
  readonly #event: Views;
  readonly #commit: Views;
  readonly #stated: number;
  readonly #lines: number;
  readonly #records: number;
  readonly #room: number;
  readonly #limit: number;
  /** Bytes of unread records. */
  #kept = 0;

  /** `limit`: the bytes of a line. */
  constructor(eventTag: Uint8Array, limit: number) {
    compiled ??= new WebAssembly.Module(moduleCode());
    const wasm = new WebAssembly.Instance(compiled).exports as Exports;
    const bytes = Buffer.from(wasm.memory.buffer);
    this.#bytes = bytes;
    this.#read = wasm.read;
    this.#told = new Int32Array(wasm.memory.buffer, wasm.TOLD.value, 5);
    const field = ({ value }: { value: number }, tag: string) => {
      bytes.write(tag, value, "latin1");
      return new Views(bytes, value);
    };
    this.#payload = field(wasm.PAYLOAD, TAG.payload);
    this.#meta = field(wasm.META, TAG.meta);
    this.#commit = field(wasm.COMMIT, TAG.commit);
    this.#event = new Views(bytes, wasm.EVENT.value);
    bytes.set(eventTag, wasm.EVENT.value);
    wasm.begin(eventTag.length);
    this.#stated = wasm.STATED.value;
    this.#lines = wasm.LINES.value;
    this.#records = wasm.RECORDS.value;
    this.#room = wasm.RECORDS.value - wasm.LINES.value - SLACK;
    this.#limit = limit;
  }

  /** False for a very long origin, or a processor without vectors. */
  static takes(eventTag: Uint8Array): boolean {
    return eventTag.length <= LONGEST_EVENT_TAG && WebAssembly.validate(moduleCode());
  }

  /** The lines must be UTF-8 and end in a newline; false: too long. */
  take(lines: Uint8Array): boolean {
    if (lines.length > this.#room) return false;
    this.#bytes.set(lines, this.#lines);
    this.#kept = 0;
    return true;
  }

  /** Returns the line's end and stores its record, or returns `from`. */
  read(from: number): number {
    const record = this.#records + this.#kept;
    const behind = this.#read(this.#lines + from, record) - this.#lines;
    if (behind - from - 1 > this.#limit || behind <= from) return from;
    const bytes = this.#bytes;
    const memory = this.#told;
    const stated = this.#stated;
    if (
      !sameHash(sha256(this.#payload.of(memory[0]!)), bytes, stated) ||
      !sameHash(sha256(this.#meta.of(memory[1]!)), bytes, stated + HASH_BYTES) ||
      !sameHash(sha256(this.#event.of(memory[2]!)), bytes, record + EVENT_HASH) ||
      (memory[3] !== 0 && !sameHash(sha256(this.#commit.of(memory[3]!)), bytes, stated + 2 * HASH_BYTES))
    )
      return from;
    this.#kept += memory[4]!;
    return behind;
  }

  records(): Uint8Array {
    const kept = this.#bytes.subarray(this.#records, this.#records + this.#kept);
    this.#kept = 0;
    return kept;
  }
}

/** Short views are cached: making one costs a third of hashing it. */
class Views {
  readonly #bytes: Uint8Array;
  readonly #from: number;
  readonly #kept = new Array<Uint8Array | undefined>(CACHED_VIEWS);

  constructor(bytes: Uint8Array, from: number) {
    this.#bytes = bytes;
    this.#from = from;
  }

  of(length: number): Uint8Array {
    if (length >= CACHED_VIEWS) return this.#bytes.subarray(this.#from, this.#from + length);
    this.#kept[length] ??= this.#bytes.subarray(this.#from, this.#from + length);
    return this.#kept[length]!;
  }
}
