/** One virtual clock and one seed: every delay and every choice of a run comes from here. */
import { createRequire, syncBuiltinESMExports } from "node:module";

const timers = createRequire(import.meta.url)("node:timers/promises") as { setTimeout: unknown };

/** Real ones, for the driver alone. */
const nextTurn = setImmediate;

/** mulberry32: the same numbers on every machine. */
export function numbersOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Due = { at: number; order: number; run: () => void };

export const BEGIN_MS = Date.parse("2026-06-01T00:00:00Z");

export class VirtualClock {
  now = 0;
  readonly random: () => number;
  #order = 0;
  readonly #due: Due[] = [];

  constructor(seed: number) {
    this.random = numbersOf(seed);
  }

  at(ms: number, run: () => void): Due {
    const due = { at: Math.max(ms, this.now), order: this.#order++, run };
    let low = 0;
    for (let high = this.#due.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (isBefore(this.#due[middle]!, due)) high = middle;
      else low = middle + 1;
    }
    this.#due.splice(low, 0, due);
    return due;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => this.at(this.now + ms, wake));
  }

  between(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1));
  }

  cancel(due: unknown): void {
    const place = this.#due.indexOf(due as Due);
    if (place >= 0) this.#due.splice(place, 1);
  }

  /** Runs what is due, each after all consequences of the one before, until a time. */
  async runUntil(end_ms: number): Promise<void> {
    for (;;) {
      await new Promise<void>((done) => nextTurn(() => done()));
      const due = this.#due.at(-1);
      if (!due || due.at > end_ms) break;
      this.#due.pop();
      this.now = due.at;
      due.run();
    }
    this.now = end_ms;
  }

  #repeat(run: () => void, ms: number): { stop: () => void; unref: () => void } {
    let isOver = false;
    const beat = () => {
      if (isOver) return;
      run();
      this.at(this.now + ms, beat);
    };
    this.at(this.now + ms, beat);
    const stop = () => {
      isOver = true;
    };
    return { stop, unref() {} };
  }

  /** Replaces the clocks, timers and chance of this process while `work` runs. */
  async governing<T>(work: () => Promise<T>): Promise<T> {
    const real = {
      setTimeout: globalThis.setTimeout,
      clearTimeout: globalThis.clearTimeout,
      setInterval: globalThis.setInterval,
      clearInterval: globalThis.clearInterval,
      dateNow: Date.now,
      perfNow: performance.now,
      random: Math.random,
      pause: timers.setTimeout,
    };
    globalThis.setTimeout = ((run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
      const timer = this.at(this.now + ms, () => run(...args));
      return Object.assign(timer, { unref: () => timer, ref: () => timer });
    }) as never;
    globalThis.clearTimeout = ((due: unknown) => this.cancel(due)) as never;
    globalThis.setInterval = ((run: () => void, ms: number) => this.#repeat(run, ms)) as never;
    globalThis.clearInterval = ((beat: { stop: () => void } | undefined) => beat?.stop()) as never;
    Date.now = () => BEGIN_MS + this.now;
    performance.now = () => this.now;
    Math.random = this.random;
    timers.setTimeout = (ms: number, value: unknown) => this.sleep(ms).then(() => value);
    syncBuiltinESMExports();
    try {
      return await work();
    } finally {
      globalThis.setTimeout = real.setTimeout;
      globalThis.clearTimeout = real.clearTimeout;
      globalThis.setInterval = real.setInterval;
      globalThis.clearInterval = real.clearInterval;
      Date.now = real.dateNow;
      performance.now = real.perfNow;
      Math.random = real.random;
      timers.setTimeout = real.pause;
      syncBuiltinESMExports();
    }
  }
}

/** The queue's end is next. */
const isBefore = (one: Due, other: Due) =>
  one.at < other.at || (one.at === other.at && one.order < other.order);
