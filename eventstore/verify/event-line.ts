import { type ByteField, viewOf } from "./bytes.ts";
import { type EventRow, UnreadableEvent } from "./event-row.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_N = 0x6e;
const DASH = 0x2d;
const INT4_MAX = 2 ** 31 - 1;
/** Indexed by two hex digits as a DataView reads them; −1 for others. */
const HEX_PAIRS = new Int16Array(65_536).fill(-1);
for (let byte = 0; byte < 256; byte++) {
  HEX_PAIRS[Buffer.from(byte.toString(16).padStart(2, "0")).readUInt16BE()] = byte;
}
/** 0 for none. */
const SHORT_ESCAPES = new Uint8Array(256);
for (const [i, letter] of [...'"\\/bfnrt'].entries()) {
  SHORT_ESCAPES[letter.charCodeAt(0)] = '"\\/\b\f\n\r\t'.charCodeAt(i);
}
const HALF_PAIR = /\p{Surrogate}/u;

/** Compares four bytes at a time; the last word may overlap. */
class Literal {
  readonly text: string;
  readonly length: number;
  readonly words: Int32Array;
  readonly last: number;

  constructor(text: string) {
    const bytes = Buffer.from(text, "latin1");
    this.text = text;
    this.length = bytes.length;
    this.words = Int32Array.from({ length: this.length >> 2 }, (_, i) => bytes.readInt32LE(i * 4));
    this.last = bytes.readInt32LE(this.length - 4);
  }
}

function members<Name extends string>(...names: Name[]): Record<Name, Literal> {
  return Object.fromEntries(names.map((name) => [name, new Literal(`,"${name}":`)])) as Record<Name, Literal>;
}

const OPEN = 0x7b;
const POSITION = new Literal('"position":');
const TENANT = new Literal('"tenant":');
const COMMA = 0x2c;
const NULL = new Literal("null");
const CLOSE = 0x7d;
const MEMBER = members(
  "stream_id",
  "version",
  "event_id",
  "type",
  "schema_version",
  "recorded_at_us",
  "payload",
  "meta",
  "payload_hash",
  "meta_hash",
  "prev_hash",
  "event_hash",
  "log_hash",
  "idem_key",
  "request_hash",
  "commit_size",
);

/**
 * The members of docs/event-log.md in their order without spaces, so a repeated, missing or unknown member cannot pass. The bytes
 * must be valid UTF-8. Throws UnreadableEvent.
 */
export class EventLineReader {
  #bytes: Uint8Array = Buffer.alloc(0);
  #view = new DataView(this.#bytes.buffer);
  #start = 0;
  #end = 0;
  #at = 0;
  readonly #withLogOrder: boolean;

  constructor(withLogOrder: boolean) {
    this.#withLogOrder = withLogOrder;
  }

  read(bytes: Uint8Array, start: number, end: number, row: EventRow): void {
    if (bytes !== this.#bytes) this.#view = viewOf(bytes);
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
    this.#at = start;
    this.#symbol(OPEN);
    if (this.#withLogOrder) {
      this.#literal(POSITION);
      row.position = this.#integer(1, Number.MAX_SAFE_INTEGER);
      this.#symbol(COMMA);
    }
    this.#literal(TENANT);
    this.#string(row.tenant);
    this.#literal(MEMBER.stream_id);
    this.#string(row.stream_id);
    this.#literal(MEMBER.version);
    row.version = this.#integer(1, Number.MAX_SAFE_INTEGER);
    this.#literal(MEMBER.event_id);
    this.#uuid(row.event_id);
    this.#literal(MEMBER.type);
    this.#string(row.type);
    this.#literal(MEMBER.schema_version);
    row.schema_version = this.#integer(1, INT4_MAX);
    this.#literal(MEMBER.recorded_at_us);
    row.recorded_at_us = this.#integer(0, Number.MAX_SAFE_INTEGER);
    this.#literal(MEMBER.payload);
    this.#string(row.payload);
    this.#literal(MEMBER.meta);
    this.#string(row.meta);
    this.#literal(MEMBER.payload_hash);
    this.#hash(row.payload_hash);
    this.#literal(MEMBER.meta_hash);
    this.#hash(row.meta_hash);
    this.#literal(MEMBER.prev_hash);
    this.#hash(row.prev_hash);
    this.#literal(MEMBER.event_hash);
    this.#hash(row.event_hash);
    if (this.#withLogOrder) {
      this.#literal(MEMBER.log_hash);
      this.#hash(row.log_hash);
    }
    this.#literal(MEMBER.idem_key);
    row.has_idem_key = !this.#null();
    if (row.has_idem_key) this.#string(row.idem_key);
    this.#literal(MEMBER.request_hash);
    row.has_request_hash = !this.#null();
    if (row.has_request_hash) this.#hash(row.request_hash);
    this.#literal(MEMBER.commit_size);
    row.commit_size = this.#null() ? null : this.#integer(1, INT4_MAX);
    this.#symbol(CLOSE);
    if (this.#at !== end) this.#fault("the end of the line");
  }

  #fault(expected: string): never {
    throw new UnreadableEvent(`expected ${expected} at byte ${this.#at - this.#start + 1}`);
  }

  #symbol(expected: number): void {
    if (this.#bytes[this.#at] !== expected) this.#fault(String.fromCharCode(expected));
    this.#at++;
  }

  #literal(expected: Literal): void {
    const view = this.#view;
    const at = this.#at;
    const { words, length } = expected;
    if (at + length > this.#end || view.getInt32(at + length - 4, true) !== expected.last)
      this.#fault(expected.text);
    for (let i = 0; i < words.length; i++) {
      if (view.getInt32(at + i * 4, true) !== words[i]) this.#fault(expected.text);
    }
    this.#at = at + length;
  }

  #null(): boolean {
    if (this.#bytes[this.#at] !== LOWER_N) return false;
    this.#literal(NULL);
    return true;
  }

  #integer(least: number, most: number): number {
    const bytes = this.#bytes;
    const first = this.#at;
    let at = first;
    let value = 0;
    for (;;) {
      const digit = bytes[at]! - 0x30;
      if (!(digit >= 0 && digit <= 9) || at - first > 16) break;
      value = value * 10 + digit;
      at++;
    }
    const digits = at - first;
    if (digits === 0 || value < least || value > most || (digits > 1 && bytes[first] === 0x30))
      this.#fault(`an integer from ${least} to ${most}`);
    this.#at = at;
    return value;
  }

  #hash(into: Uint8Array): void {
    if (this.#bytes[this.#at] !== QUOTE) this.#fault("a string of 64 lowercase hex digits");
    this.#at++;
    this.#hexBytes(into, 0, 32);
    if (this.#bytes[this.#at] !== QUOTE) this.#fault("the end of a string of 64 lowercase hex digits");
    this.#at++;
  }

  #uuid(into: Uint8Array): void {
    if (this.#bytes[this.#at] !== QUOTE) this.#fault("a lowercase UUID");
    this.#at++;
    this.#hexBytes(into, 0, 4);
    for (let from = 4; from < 10; from += 2) {
      this.#dash();
      this.#hexBytes(into, from, from + 2);
    }
    this.#dash();
    this.#hexBytes(into, 10, 16);
    if (this.#bytes[this.#at] !== QUOTE) this.#fault("the end of a lowercase UUID");
    this.#at++;
  }

  #dash(): void {
    if (this.#bytes[this.#at] !== DASH) this.#fault("a dash of a UUID");
    this.#at++;
  }

  #hexBytes(into: Uint8Array, from: number, to: number): void {
    const view = this.#view;
    const end = this.#end;
    let at = this.#at;
    for (let i = from; i < to; i++, at += 2) {
      const value = at + 2 <= end ? HEX_PAIRS[view.getUint16(at)]! : -1;
      if (value < 0) {
        this.#at = at;
        this.#fault("a lowercase hex digit");
      }
      into[i] = value;
    }
    this.#at = at;
  }

  /** Rejects escapes of half a character. */
  #string(into: ByteField): void {
    const bytes = this.#bytes;
    if (bytes[this.#at] !== QUOTE) this.#fault("a string");
    into.clear();
    let at = this.#at + 1;
    let target = into.bytes;
    let length = into.length;
    for (;;) {
      let byte = bytes[at++]!;
      if (byte === QUOTE) break;
      if (length === target.length) {
        into.length = length;
        into.reserve(length);
        target = into.bytes;
      }
      // The usual escape of JSON within JSON.
      if (byte === BACKSLASH && bytes[at] === QUOTE) {
        byte = QUOTE;
        at++;
      } else if (byte === BACKSLASH || byte < 0x20) {
        this.#at = at;
        into.length = length;
        this.#escape(byte, into);
        at = this.#at;
        length = into.length;
        target = into.bytes;
        continue;
      }
      target[length++] = byte;
    }
    into.length = length;
    this.#at = at;
  }

  #escape(byte: number, into: ByteField): void {
    if (byte !== BACKSLASH) {
      this.#at--;
      this.#fault("the end of a string or an escape for a control character");
    }
    const short = SHORT_ESCAPES[this.#bytes[this.#at]!] ?? 0;
    if (short > 0) {
      this.#at++;
      into.byte(short);
      return;
    }
    const unit = this.#unicodeEscape();
    const followed = unit >= 0xd800 && unit <= 0xdbff && this.#bytes[this.#at] === BACKSLASH;
    if (followed) this.#at++;
    const text = String.fromCharCode(...(followed ? [unit, this.#unicodeEscape()] : [unit]));
    if (HALF_PAIR.test(text)) this.#fault("a whole character, not half a surrogate pair, before this place");
    into.append(Buffer.from(text, "utf8"));
  }

  #unicodeEscape(): number {
    const digits = Buffer.from(this.#bytes.subarray(this.#at, this.#at + 5)).toString("latin1");
    if (!/^u[0-9a-fA-F]{4}$/.test(digits)) this.#fault("a JSON escape");
    this.#at += 5;
    return Number.parseInt(digits.slice(1), 16);
  }
}
