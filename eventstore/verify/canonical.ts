const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** RFC 8785: two-character escapes where they exist, else \u00xx in lower case. */
const CONTROL_ESCAPE = /^u00(?:0[0-7bef]|1[0-9a-f])$/;
const SHORT_ESCAPES = new Set(Buffer.from('"\\bfnrt'));
const NUMBER_BYTES = new Set(Buffer.from("0123456789+-.eE"));
const WORDS = ["true", "false", "null"].map((word) => Buffer.from(word));
const COMMIT = Buffer.from('"commit"');
const SEAL_ID = Buffer.from('"seal_id"');
/** Such an integer is its own shortest form. */
const SURE_DIGITS = 15;

class NotCanonical extends Error {
  readonly at: number;

  constructor(why: string, at: number) {
    super(why);
    this.at = at;
  }
}

function refuse(why: string, at: number): never {
  throw new NotCanonical(why, at);
}

/**
 * Checks for the RFC 8785 form in one pass, without building a value; parsing and serialising again would give the same answer.
 * Memory bounds the nesting, not the call stack.
 */
export class CanonicalReader {
  #bytes: Buffer = Buffer.alloc(0);
  #end = 0;
  /** For each open container: 1 + the latest key's start, 0 before the first; −1 for an array. */
  readonly #keys: number[] = [];
  #commitFrom = -1;
  #commitTo = -1;
  #holdsSealId = false;

  /** Undefined when canonical. The bytes must be valid UTF-8. */
  fault(bytes: Buffer, from: number, to: number): string | undefined {
    this.#bytes = bytes;
    this.#end = to;
    this.#keys.length = 0;
    this.#commitFrom = -1;
    this.#holdsSealId = false;
    try {
      if (from >= to || bytes[from] !== OPEN_BRACE) refuse("it is not an object", from);
      this.#object(from);
      return undefined;
    } catch (error) {
      if (!(error instanceof NotCanonical)) throw error;
      return `${error.message} at byte ${error.at - from + 1}`;
    }
  }

  get hasCommit(): boolean {
    return this.#commitFrom >= 0;
  }

  commitMember(): string | undefined {
    if (this.#commitFrom < 0) return undefined;
    return this.#bytes.toString("utf8", this.#commitFrom, this.#commitTo);
  }

  /** The text is ASCII without escapes. */
  commitIs(text: string): boolean {
    const bytes = this.#bytes;
    const from = this.#commitFrom + 1;
    if (this.#commitTo - from !== text.length + 1 || bytes[from - 1] !== QUOTE) return false;
    for (let i = 0; i < text.length; i++) if (bytes[from + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  /** At any depth; only after canonical bytes. */
  get holdsSealId(): boolean {
    return this.#holdsSealId;
  }

  #byte(at: number): number {
    return at < this.#end ? this.#bytes[at]! : 0;
  }

  /** Methods that read a part take its start and return its end. */
  #object(from: number): void {
    const keys = this.#keys;
    let at = from;
    for (;;) {
      const byte = this.#byte(at);
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        at++;
        if (this.#byte(at) !== byte + 2) {
          keys.push(byte === OPEN_BRACE ? 0 : -1);
          if (byte === OPEN_BRACE) at = this.#key(at);
          continue;
        }
        at++;
      } else {
        at = this.#scalar(at, byte);
      }
      at = this.#closed(at);
      if (keys.length === 0) break;
    }
    if (at !== this.#end) refuse("something follows the object", at);
  }

  /** Closes finished containers. */
  #closed(from: number): number {
    const keys = this.#keys;
    let at = from;
    while (keys.length > 0) {
      const inObject = keys[keys.length - 1]! >= 0;
      const byte = this.#byte(at);
      if (keys.length === 1 && this.#commitFrom >= 0 && this.#commitTo < 0) this.#commitTo = at;
      if (byte === COMMA) return inObject ? this.#key(at + 1) : at + 1;
      if (byte !== (inObject ? CLOSE_BRACE : CLOSE_BRACKET))
        refuse(inObject ? "expected , or }" : "expected , or ]", at);
      at++;
      keys.pop();
    }
    return at;
  }

  #scalar(at: number, byte: number): number {
    if (byte === QUOTE) return this.#string(at);
    if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return this.#number(at);
    for (const word of WORDS)
      if (byte === word[0] && this.#end - at >= word.length && this.#isAt(at, word)) return at + word.length;
    return refuse("expected a value", at);
  }

  #key(from: number): number {
    if (this.#byte(from) !== QUOTE) refuse("expected a key", from);
    const to = this.#string(from);
    const depth = this.#keys.length - 1;
    const before = this.#keys[depth]!;
    if (before > 0 && !this.#ascends(before - 1, from)) refuse("a key is repeated or out of order", from);
    this.#keys[depth] = from + 1;
    if (this.#byte(to) !== COLON) refuse("expected :", to);
    if (to - from === COMMIT.length && depth === 0 && this.#isAt(from, COMMIT)) {
      this.#commitFrom = to + 1;
      this.#commitTo = -1;
    } else if (to - from === SEAL_ID.length && this.#isAt(from, SEAL_ID)) {
      this.#holdsSealId = true;
    }
    return to + 1;
  }

  #isAt(from: number, text: Buffer): boolean {
    for (let i = 0; i < text.length; i++) if (this.#bytes[from + i] !== text[i]) return false;
    return true;
  }

  /** By UTF-16 code units, as in RFC 8785. */
  #ascends(left: number, right: number): boolean {
    const bytes = this.#bytes;
    for (let i = 1; ; i++) {
      const a = bytes[left + i]!;
      const b = bytes[right + i]!;
      // Bytes sort like UTF-16 except for escapes, and surrogate pairs against U+E000 to U+FFFF.
      if (a === BACKSLASH || b === BACKSLASH || (a !== b && a >= 0xee && b >= 0xee)) break;
      if (a === QUOTE) return b !== QUOTE;
      if (b === QUOTE) return false;
      if (a !== b) return a < b;
    }
    return this.#keyText(left) < this.#keyText(right);
  }

  #keyText(from: number): string {
    return JSON.parse(this.#bytes.toString("utf8", from, this.#string(from)));
  }

  #string(from: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    for (let at = from + 1; ; at++) {
      const byte = at < end ? bytes[at]! : 0;
      if (byte === QUOTE) return at + 1;
      if (byte < 0x20) refuse("a string is not closed or holds a bare control character", at);
      if (byte === BACKSLASH) at = this.#escape(at);
    }
  }

  #escape(at: number): number {
    if (SHORT_ESCAPES.has(this.#byte(at + 1))) return at + 1;
    const last = at + 5;
    if (last >= this.#end || !CONTROL_ESCAPE.test(this.#bytes.toString("latin1", at + 1, last + 1)))
      refuse("an escape is not the one RFC 8785 writes", at);
    return last;
  }

  #number(from: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = from;
    while (at < end && bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at++;
    const digits = at - from;
    const byte = at < end ? bytes[at]! : 0;
    const isInteger = byte !== 0x2e && byte !== 0x45 && byte !== 0x65;
    if (isInteger && digits > 0 && digits <= SURE_DIGITS && (digits === 1 || bytes[from] !== 0x30)) return at;
    while (at < end && NUMBER_BYTES.has(bytes[at]!)) at++;
    const text = bytes.toString("latin1", from, at);
    if (at - from > 32 || String(Number(text)) !== text) refuse("a number is not in its shortest form", from);
    return at;
  }
}
