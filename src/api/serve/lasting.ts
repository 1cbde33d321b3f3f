/**
 * A call that lasts: a stream, or one that waits for something. Its caller is checked again before each chunk of the stream, before
 * the answer of a wait, and every 15 seconds: a revoked key, an ended delegation or a suspended agent is served no more.
 */
import type { Clock } from "../../core/model/ports/clock.ts";

/** Between two checks of a call in which nothing happens. */
const CHECK_MS = 15_000;

/** An answer within this time rests on the call's admission: a process trusts what it knows of a key for as long. */
const TRUSTED_MS = 1_000;

export type LastingParts = {
  /** Refuses once the caller may not be served any more. */
  still: () => Promise<void>;
  /** Of the request: aborted when the caller goes away or the service stops. */
  request: () => AbortSignal;
  clock: Clock;
  check_ms?: number;
};

export class LastingCall {
  readonly #parts: LastingParts;
  readonly #began = performance.now();
  readonly #own = new AbortController();
  #signal: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ends_at: Date | undefined;
  #isOver = false;

  constructor(parts: LastingParts) {
    this.#parts = parts;
  }

  /** Aborted as the request is, when a check refuses, and when the call's time is over. A call that reads it may last: the checks begin. */
  get signal(): AbortSignal {
    if (this.#signal) return this.#signal;
    const request = this.#parts.request();
    this.#signal = AbortSignal.any([request, this.#own.signal]);
    if (request.aborted) return this.#signal;
    this.#checkIn(TRUSTED_MS);
    request.addEventListener("abort", () => this.end(), { once: true });
    return this.#signal;
  }

  /** Nothing is told after this time, by the service's clock. */
  endAt(time: Date): void {
    this.#ends_at = time;
  }

  /** Refuses once the caller may not be served any more; false when the call's time is over. */
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

  /** Checks the caller of an answer that took its time. */
  async checkAnswer(): Promise<void> {
    if (performance.now() - this.#began > TRUSTED_MS) await this.check();
  }

  /** Passes on a stream's chunks. Once its time is over one more may come: its last line. */
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

  /** The call is over: nothing is checked any more. */
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
