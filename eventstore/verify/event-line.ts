import type { ByteField } from "./bytes.ts";
import { type EventRow, UnreadableEvent } from "./event-row.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_N = 0x6e;
const DASH = 0x2d;
const INT4_MAX = 2 ** 31 - 1;
const HEX_DIGITS = new Int8Array(256).fill(-1);
for (const [value, digit] of [..."0123456789abcdef"].entries()) HEX_DIGITS[digit.charCodeAt(0)] = value;
/** The byte that a letter behind a backslash stands for; 0 for none. */
const SHORT_ESCAPES = new Uint8Array(256);
for (const [i, letter] of [...'"\\/bfnrt'].entries()) {
  SHORT_ESCAPES[letter.charCodeAt(0)] = '"\\/\b\f\n\r\t'.charCodeAt(i);
}
const HALF_PAIR = /\p{Surrogate}/u;

function literal(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}

function members<Name extends string>(...names: Name[]): Record<Name, Uint8Array> {
  return Object.fromEntries(names.map((name) => [name, literal(`,"${name}":`)])) as Record<Name, Uint8Array>;
}

const OPEN = literal("{");
const POSITION = literal('"position":');
const TENANT = literal('"tenant":');
const COMMA = literal(",");
const NULL = literal("null");
const CLOSE = literal("}");
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
 * Reads one event line of an export: the members of docs/event-log.md in their order, nothing between them, so
 * a repeated, missing or unknown member cannot pass. The bytes must be valid UTF-8. Throws UnreadableEvent.
 */
export class EventLineReader {
  #bytes: Uint8Array = OPEN;
  #start = 0;
  #at = 0;
  readonly #withLogOrder: boolean;

  constructor(withLogOrder: boolean) {
    this.#withLogOrder = withLogOrder;
  }

  read(bytes: Uint8Array, start: number, end: number, row: EventRow): void {
    this.#bytes = bytes;
    this.#start = start;
    this.#at = start;
    this.#literal(OPEN);
    if (this.#withLogOrder) {
      this.#literal(POSITION);
      row.position = this.#integer(1, Number.MAX_SAFE_INTEGER);
      this.#literal(COMMA);
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
    this.#literal(CLOSE);
    if (this.#at !== end) this.#fault("the end of the line");
  }

  #fault(expected: string): never {
    throw new UnreadableEvent(`expected ${expected} at byte ${this.#at - this.#start + 1}`);
  }

  /** A line ends in a byte that stands in no literal, so comparing cannot run into the next line. */
  #literal(expected: Uint8Array): void {
    const bytes = this.#bytes;
    const at = this.#at;
    for (let i = 0; i < expected.length; i++) {
      if (bytes[at + i] !== expected[i]) this.#fault(Buffer.from(expected).toString("latin1"));
    }
    this.#at = at + expected.length;
  }

  #null(): boolean {
    if (this.#bytes[this.#at] !== LOWER_N) return false;
    this.#literal(NULL);
    return true;
  }

  #integer(least: number, most: number): number {
    const first = this.#at;
    let value = 0;
    for (;;) {
      const digit = (this.#bytes[this.#at] ?? 0) - 0x30;
      if (digit < 0 || digit > 9 || this.#at - first > 16) break;
      value = value * 10 + digit;
      this.#at++;
    }
    const digits = this.#at - first;
    if (digits === 0 || value < least || value > most || (digits > 1 && this.#bytes[first] === 0x30)) {
      this.#at = first;
      this.#fault(`an integer from ${least} to ${most}`);
    }
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
    const bytes = this.#bytes;
    let at = this.#at;
    for (let i = from; i < to; i++, at += 2) {
      const value = (HEX_DIGITS[bytes[at]!]! << 4) | HEX_DIGITS[bytes[at + 1]!]!;
      // Negative for anything but two digits; a line cut short ends in a newline, so nothing is read beyond it.
      if (value < 0) {
        this.#at = at;
        this.#fault("a lowercase hex digit");
      }
      into[i] = value;
    }
    this.#at = at;
  }

  /** Unescapes a JSON string; any escape JSON allows is read, but none may stand for half a character. */
  #string(into: ByteField): void {
    const bytes = this.#bytes;
    if (bytes[this.#at] !== QUOTE) this.#fault("a string");
    into.clear();
    let at = this.#at + 1;
    let target = into.bytes;
    let length = into.length;
    for (;;) {
      const byte = bytes[at++]!;
      if (byte === QUOTE) break;
      if (length === target.length) {
        into.length = length;
        into.reserve(length);
        target = into.bytes;
      }
      if (byte !== BACKSLASH && byte >= 0x20) {
        target[length++] = byte;
      } else if (byte === BACKSLASH && bytes[at] === QUOTE) {
        target[length++] = QUOTE;
        at++;
      } else {
        this.#at = at;
        into.length = length;
        this.#escape(byte, into);
        at = this.#at;
        length = into.length;
        target = into.bytes;
      }
    }
    into.length = length;
    this.#at = at;
  }

  /** Appends the character behind a backslash; `byte` is what stands where only a backslash may. */
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
