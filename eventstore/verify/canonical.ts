const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** The escapes RFC 8785 writes: two-character ones where they exist, else \u00xx in lowercase. */
const CONTROL_ESCAPE = /^u00(?:0[0-7bef]|1[0-9a-f])$/;
const SHORT_ESCAPES = new Set(Buffer.from('"\\bfnrt'));
/** Up to this many digits an integer is its own shortest form, so it needs no conversion. */
const SURE_DIGITS = 15;

class NotCanonical extends Error {}

/**
 * Tells whether bytes are the RFC 8785 form of a JSON object by reading them once, without building a value:
 * parsing, serialising again and comparing would give the same answer. Nesting is bounded by memory, not by the call stack.
 */
export class CanonicalReader {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;
  /** For each open container: 1 + where the latest key began, 0 before the first one; −1 for an array. */
  #keys: number[] = [];
  #commitFrom = -1;
  #commitTo = -1;

  /** Undefined when canonical, else what differs and where. The bytes must be valid UTF-8. */
  fault(bytes: Buffer, from: number, to: number): string | undefined {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = to;
    this.#keys.length = 0;
    this.#commitFrom = -1;
    try {
      if (from >= to || bytes[from] !== OPEN_BRACE) this.#refuse("it is not an object");
      this.#object();
      return undefined;
    } catch (error) {
      if (!(error instanceof NotCanonical)) throw error;
      return `${error.message} at byte ${this.#at - from + 1}`;
    }
  }

  /** The text of the outermost member `commit` (quotes included) of the bytes read last, if there was one. */
  commitMember(): string | undefined {
    if (this.#commitFrom < 0) return undefined;
    return this.#bytes.toString("utf8", this.#commitFrom, this.#commitTo);
  }

  #refuse(why: string): never {
    throw new NotCanonical(why);
  }

  #byte(): number {
    return this.#at < this.#end ? this.#bytes[this.#at]! : 0;
  }

  #object(): void {
    const keys = this.#keys;
    for (;;) {
      let closed = this.#value();
      while (closed) {
        if (keys.length === 0) {
          if (this.#at !== this.#end) this.#refuse("something follows the object");
          return;
        }
        const inObject = keys[keys.length - 1]! >= 0;
        const byte = this.#byte();
        if (keys.length === 1 && this.#commitFrom >= 0 && this.#commitTo < 0) this.#commitTo = this.#at;
        if (byte === COMMA) {
          this.#at++;
          if (inObject) this.#key();
          closed = false;
        } else if (byte === (inObject ? CLOSE_BRACE : CLOSE_BRACKET)) {
          this.#at++;
          keys.pop();
        } else {
          this.#refuse(inObject ? "expected , or }" : "expected , or ]");
        }
      }
    }
  }

  /** Reads a scalar or an empty container and answers true, or opens a container up to its first value. */
  #value(): boolean {
    const byte = this.#byte();
    if (byte === QUOTE) {
      this.#string();
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      this.#at++;
      if (this.#byte() === byte + 2) {
        this.#at++;
        return true;
      }
      this.#keys.push(byte === OPEN_BRACE ? 0 : -1);
      if (byte === OPEN_BRACE) this.#key();
      return false;
    } else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      this.#number();
    } else if (!this.#word("true") && !this.#word("false") && !this.#word("null")) {
      this.#refuse("expected a value");
    }
    return true;
  }

  #word(word: string): boolean {
    for (let i = 0; i < word.length; i++) {
      if (this.#at + i >= this.#end || this.#bytes[this.#at + i] !== word.charCodeAt(i)) return false;
    }
    this.#at += word.length;
    return true;
  }

  #key(): void {
    const from = this.#at;
    if (this.#byte() !== QUOTE) this.#refuse("expected a key");
    const plain = this.#string();
    const depth = this.#keys.length - 1;
    const before = this.#keys[depth]!;
    if (before > 0 && !this.#ascends(before - 1, from)) {
      this.#at = from;
      this.#refuse("a key is repeated or out of order");
    }
    this.#keys[depth] = from + 1;
    if (this.#byte() !== COLON) this.#refuse("expected :");
    this.#at++;
    if (depth === 0 && plain && this.#isCommit(from)) {
      this.#commitFrom = this.#at;
      this.#commitTo = -1;
    }
  }

  #isCommit(from: number): boolean {
    return this.#bytes[from + 1] === 0x63 && this.#bytes.toString("latin1", from, this.#at) === '"commit":';
  }

  /** Whether the key at `left` sorts before the one at `right` by UTF-16 code units, as RFC 8785 has it. */
  #ascends(left: number, right: number): boolean {
    const bytes = this.#bytes;
    for (let i = 1; ; i++) {
      const a = bytes[left + i]!;
      const b = bytes[right + i]!;
      // Bytes sort like UTF-16 but for escapes and for surrogate pairs beside U+E000 to U+FFFF.
      if (a === BACKSLASH || b === BACKSLASH || (a !== b && a >= 0xee && b >= 0xee)) break;
      if (a === QUOTE) return b !== QUOTE;
      if (b === QUOTE) return false;
      if (a !== b) return a < b;
    }
    return this.#keyText(left) < this.#keyText(right);
  }

  #keyText(from: number): string {
    const at = this.#at;
    this.#at = from;
    this.#string();
    const text = this.#bytes.toString("utf8", from, this.#at);
    this.#at = at;
    return JSON.parse(text);
  }

  /** Reads a string; true when it holds no escape. */
  #string(): boolean {
    const bytes = this.#bytes;
    const end = this.#end;
    let plain = true;
    let at = this.#at + 1;
    for (;;) {
      const byte = at < end ? bytes[at]! : 0;
      if (byte === QUOTE) break;
      if (byte < 0x20) {
        this.#at = at;
        this.#refuse("a string is not closed or holds a bare control character");
      }
      at++;
      if (byte !== BACKSLASH) continue;
      plain = false;
      const length = SHORT_ESCAPES.has(at < end ? bytes[at]! : 0) ? 1 : 5;
      if (length === 5 && (at + 5 > end || !CONTROL_ESCAPE.test(bytes.toString("latin1", at, at + 5)))) {
        this.#at = at - 1;
        this.#refuse("an escape is not the one RFC 8785 writes");
      }
      at += length;
    }
    this.#at = at + 1;
    return plain;
  }

  #number(): void {
    const bytes = this.#bytes;
    const from = this.#at;
    let at = from;
    while (at < this.#end && bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at++;
    const digits = at - from;
    const byte = at < this.#end ? bytes[at]! : 0;
    const isInteger = byte !== 0x2e && byte !== 0x45 && byte !== 0x65;
    if (isInteger && digits > 0 && digits <= SURE_DIGITS && (digits === 1 || bytes[from] !== 0x30)) {
      this.#at = at;
      return;
    }
    while (at < this.#end && NUMBER_BYTES.has(bytes[at]!)) at++;
    const text = bytes.toString("latin1", from, at);
    if (at - from > 32 || String(Number(text)) !== text) this.#refuse("a number is not in its shortest form");
    this.#at = at;
  }
}

const NUMBER_BYTES = new Set(Buffer.from("0123456789+-.eE"));
