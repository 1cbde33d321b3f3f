/** In bytes. */
export const CHUNK = 1024 * 1024;
/** A chunk and an unfinished line before it. */
const BATCH = CHUNK + CHUNK / 16;

/** Reuses memory: first use costs more than reading. Threads may share it. */
export class BatchMemory {
  readonly #free: SharedArrayBuffer[] = [];

  /** The content is arbitrary. */
  take(length: number): Buffer {
    const free = length <= BATCH ? this.#free.pop() : undefined;
    return Buffer.from(free ?? new SharedArrayBuffer(Math.max(length, BATCH)), 0, length);
  }

  /** The caller must not read it afterwards. */
  give({ buffer }: Buffer): void {
    // A long line's buffer is not reused.
    if (buffer instanceof SharedArrayBuffer && buffer.byteLength === BATCH) this.#free.push(buffer);
  }
}
