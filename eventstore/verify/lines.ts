import { isUtf8 } from "node:buffer";

/** Takes a line's bytes from `start` up to `end`, without its newline; valid only during the call. */
export type LineSink = {
  line(bytes: Buffer, start: number, end: number): void;
  /** A line that is not UTF-8 or longer than the limit; its bytes are gone. */
  badLine(reason: string): void;
};

/** Cuts chunks of bytes into lines, holding no more than one line of at most `limit` bytes. */
export class LineCutter {
  readonly #sink: LineSink;
  readonly #limit: number;
  #pieces: Buffer[] = [];
  #held = 0;
  #tooLong = false;

  constructor(sink: LineSink, limit: number) {
    this.#sink = sink;
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    const last = chunk.lastIndexOf(10);
    if (last < 0) {
      this.#hold(chunk);
      return;
    }
    let from = chunk.indexOf(10) + 1;
    this.#finish(chunk.subarray(0, from - 1));
    // Checked for all lines of a chunk at once, and one by one only if that fails.
    const allUtf8 = isUtf8(chunk.subarray(from, last + 1));
    while (from <= last) {
      const end = chunk.indexOf(10, from);
      this.#emit(chunk, from, end, allUtf8);
      from = end + 1;
    }
    this.#hold(chunk.subarray(from));
  }

  /** Takes what follows the last newline for a line too; false where there is such, since every line has to end. */
  end(): boolean {
    if (this.#held === 0 && !this.#tooLong) return true;
    this.#finish(Buffer.alloc(0));
    return false;
  }

  #hold(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#held += piece.length;
    if (this.#held > this.#limit) {
      this.#tooLong = true;
      this.#pieces = [];
    } else {
      this.#pieces.push(Buffer.from(piece));
    }
  }

  #finish(rest: Buffer): void {
    const tooLong = this.#tooLong || this.#held + rest.length > this.#limit;
    const line = tooLong ? rest : Buffer.concat([...this.#pieces, rest]);
    this.#pieces = [];
    this.#held = 0;
    this.#tooLong = false;
    if (tooLong) this.#sink.badLine(`is longer than ${this.#limit} bytes`);
    else this.#emit(line, 0, line.length, false);
  }

  #emit(bytes: Buffer, start: number, end: number, knownUtf8: boolean): void {
    if (end - start > this.#limit) this.#sink.badLine(`is longer than ${this.#limit} bytes`);
    else if (!knownUtf8 && !isUtf8(bytes.subarray(start, end))) this.#sink.badLine("is not valid UTF-8");
    else this.#sink.line(bytes, start, end);
  }
}
