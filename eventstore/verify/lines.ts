import { isUtf8 } from "node:buffer";

/** Takes a line's bytes from `start` up to `end`, without its newline; valid only during the call. False: no further line is wanted. */
export type LineSink = {
  line(bytes: Buffer, start: number, end: number): boolean;
  /** Given the beginning of a line among lines that are UTF-8, answers the place behind it where that line was taken already, else its beginning. */
  taken?(start: number): number;
  /** A line that is not UTF-8 or longer than the limit. */
  badLine(reason: string): boolean;
};

/** Whole lines, each with its newline; where `isCut` the first one was too long, and is no more than its newline. */
export type LineBatch = { bytes: Buffer; isCut: boolean };

/** Gathers chunks of bytes into batches of whole lines, holding no more than one line of at most `limit` bytes, and nothing of the chunks themselves. */
export class LineGatherer {
  readonly #limit: number;
  readonly #room: (length: number) => Buffer;
  #pieces: Buffer[] = [];
  #held = 0;
  #tooLong = false;

  /** `room` answers memory for a batch. */
  constructor(limit: number, room: (length: number) => Buffer = Buffer.allocUnsafe) {
    this.#limit = limit;
    this.#room = room;
  }

  /** The lines that end in this chunk; undefined where none does. */
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

  /** What follows the last newline, as a line; undefined where there is no such, since every line has to end. */
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

/** Hands the lines of a batch on one by one, as long as they are wanted. */
export function cutLines({ bytes, isCut }: LineBatch, sink: LineSink, limit: number): void {
  let from = 0;
  const tooLong = `is longer than ${limit} bytes`;
  if (isCut) {
    if (!sink.badLine(tooLong)) return;
    from = 1;
  }
  // Checked for all lines at once, and one by one only if that fails.
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
