/**
 * Checks the caller of a long call again: before each chunk, before a delayed answer, and every 15 seconds. So a
 * revoked key, an ended delegation or a suspended agent loses access.
 */
import type { Clock } from "../../core/model/ports/clock.ts";

const CHECK_MS = 15_000;

/** Faster answers need no second check, because admission trusts a cached key for this long. */
const TRUSTED_MS = 1_000;

export type LongCallParts = {
  still: () => Promise<void>;
  request: () => AbortSignal;
  clock: Clock;
  check_ms?: number;
};

export class LongCall {
  readonly #parts: LongCallParts;
  readonly #began = performance.now();
  readonly #own = new AbortController();
  #signal: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ends_at: Date | undefined;
  #isOver = false;

  constructor(parts: LongCallParts) {
    this.#parts = parts;
  }

  /** Aborts with the call, after a failed check, and at the call's end. Reading this property starts the checks. */
  get signal(): AbortSignal {
    if (this.#signal) return this.#signal;
    const request = this.#parts.request();
    this.#signal = AbortSignal.any([request, this.#own.signal]);
    if (request.aborted) return this.#signal;
    this.#checkIn(TRUSTED_MS);
    request.addEventListener("abort", () => this.end(), { once: true });
    return this.#signal;
  }

  endAt(time: Date): void {
    this.#ends_at = time;
  }

  /** Refuses once the caller has lost access; false after the end of the call. */
  async check(): Promise<boolean> {
    try {
      await this.#parts.still();
    } catch (error) {
      this.#own.abort(error);
      this.end();
      throw error;
    }
    if (!this.#ends_at || this.#parts.clock.now() < this.#ends_at) return true;
    this.#own.abort();
    return false;
  }

  async checkAnswer(): Promise<void> {
    if (performance.now() - this.#began > TRUSTED_MS) await this.check();
  }

  /** After the end of the call, one more chunk passes: the last line. */
  async *checked<T>(chunks: AsyncIterable<T>): AsyncGenerator<T> {
    void this.signal;
    try {
      let isOver = false;
      for await (const chunk of chunks) {
        if (isOver) return;
        isOver = !(await this.check());
        yield chunk;
      }
    } finally {
      this.end();
    }
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #checkIn(ms: number): void {
    const { check_ms = CHECK_MS } = this.#parts;
    const check = async () => {
      await this.check().catch(() => undefined);
      if (!this.#isOver) this.#checkIn(check_ms);
    };
    this.#timer = setTimeout(check, Math.min(ms, check_ms)).unref();
  }
}
