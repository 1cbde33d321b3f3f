import type { RecordedEvent } from "./types.ts";

/**
 * The latest events of a log as far as it was read: every event from `start` (exclusive) to `position`, without
 * gaps.
 */
export class TailWindow {
  readonly #most: number;
  #events: RecordedEvent[] = [];
  #start = 0;
  #position = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get position(): number {
    return this.#position;
  }

  extend(events: readonly RecordedEvent[]): void {
    this.#events.push(...events);
    this.#position = events.at(-1)!.position;
    if (this.#events.length <= this.#most) return;
    this.#events = this.#events.slice(-this.#most);
    this.#start = this.#events[0]!.position - 1;
  }

  /** Restarts, empty, at another position. */
  skipTo(position: number): void {
    this.#events = [];
    this.#start = position;
    this.#position = position;
  }

  /** True if it has every event after a position. */
  covers(after: number): boolean {
    return after >= this.#start;
  }

  after(position: number, tenant?: string): RecordedEvent[] {
    return this.#events
      .slice(position - this.#start)
      .filter((event) => tenant === undefined || event.tenant === tenant);
  }
}
