import { isUtf8 } from "node:buffer";

/** `start` to `end`, without the newline; valid only during the call. False: stop. */
export type LineSink = {
  line(bytes: Buffer, start: number, end: number): boolean;
  /** From a line's start: returns its end if the line was handled, else the start. */
  taken?(start: number): number;
  /** A line that is not UTF-8 or longer than the limit. */
  badLine(reason: string): boolean;
};

/** `isCut`: the first line was too long, and only its newline is left. */
export type LineBatch = { bytes: Buffer; isCut: boolean };

/** Holds at most one line of `limit` bytes, and no chunk. */
export class LineGatherer {
  readonly #limit: number;
  readonly #room: (length: number) => Buffer;
  #pieces: Buffer[] = [];
  #held = 0;
  #tooLong = false;

  constructor(limit: number, room: (length: number) => Buffer = Buffer.allocUnsafe) {
    this.#limit = limit;
    this.#room = room;
  }

  /** Undefined where no line ends. */
  push(chunk: Buffer): LineBatch | undefined {
    const last = chunk.lastIndexOf(10) + 1;
    if (last === 0) {
      this.#hold(chunk);
      return undefined;
    }
    const batch = this.#batch(chunk, last);
    this.#hold(chunk.subarray(last));
    return batch;
  }

  /** An unfinished last line; undefined without one. */
  end(): LineBatch | undefined {
    return this.#held === 0 ? undefined : this.#batch(Buffer.from("\n"), 1);
  }

  #batch(chunk: Buffer, last: number): LineBatch {
    const isCut = this.#tooLong || this.#held + chunk.indexOf(10) > this.#limit;
    const from = isCut ? chunk.indexOf(10) : 0;
    const bytes = this.#room((isCut ? 0 : this.#held) + last - from);
    let at = 0;
    for (const piece of isCut ? [] : this.#pieces) at += piece.copy(bytes, at);
    chunk.copy(bytes, at, from, last);
    this.#pieces = [];
    this.#held = 0;
    this.#tooLong = false;
    return { bytes, isCut };
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
}

export function cutLines({ bytes, isCut }: LineBatch, sink: LineSink, limit: number): void {
  let from = 0;
  const tooLong = `is longer than ${limit} bytes`;
  if (isCut) {
    if (!sink.badLine(tooLong)) return;
    from = 1;
  }
  // Validates all lines at once, and one by one only after a failure.
  const allUtf8 = isUtf8(bytes);
  const taken = allUtf8 ? sink.taken : undefined;
  for (let isWanted = true; isWanted && from < bytes.length; ) {
    const behind = taken ? taken(from) : from;
    if (behind > from) {
      from = behind;
      continue;
    }
    const end = bytes.indexOf(10, from);
    if (end - from > limit) isWanted = sink.badLine(tooLong);
    else if (!allUtf8 && !isUtf8(bytes.subarray(from, end))) isWanted = sink.badLine("is not valid UTF-8");
    else isWanted = sink.line(bytes, from, end);
    from = end + 1;
  }
}
