/** In bytes: what of a file is read at once. */
export const CHUNK = 1024 * 1024;
/** A chunk and the beginning of a line before it, unless that is long. */
const BATCH = CHUNK + CHUNK / 16;

/** Memory that batches of lines stand in one after another: memory never used before costs more than reading what is put there. Threads may share it. */
export class BatchMemory {
  readonly #free: SharedArrayBuffer[] = [];

  /** Some bytes, whatever was left in them. */
  take(length: number): Buffer {
    const free = length <= BATCH ? this.#free.pop() : undefined;
    return Buffer.from(free ?? new SharedArrayBuffer(Math.max(length, BATCH)), 0, length);
  }

  /** Nobody reads what was taken any more, nor the part of it given here. */
  give({ buffer }: Buffer): void {
    // What one long line needed is not kept for all those after it.
    if (buffer instanceof SharedArrayBuffer && buffer.byteLength === BATCH) this.#free.push(buffer);
  }
}
