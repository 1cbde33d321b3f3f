import type { RecordedEvent } from "./types.ts";
import { Waiters } from "./waiters.ts";

/** Long reads are cheaper than many short ones. */
export const PAGE = 2_000;
/** Readers within so many pages read each page once. */
const APART = 4;
const KEPT = 16;

export type BacklogReader = {
  /** Resolves to true when it may read on, to false after `wait_ms`. */
  turn(position: number, wait_ms: number): Promise<boolean>;
  leave(): void;
};
type Reader = { page: number | undefined };

/**
 * For readers far from the log's end. Pages begin at fixed positions, so that readers near each other share one read; the next
 * page is read ahead. Registered readers wait for one that is exactly APART pages behind: otherwise the fastest would run ahead, and
 * each would read alone. Nobody waits for a reader further behind.
 */
export class Backlog {
  readonly #read: (after: number, limit: number) => Promise<RecordedEvent[]>;
  readonly #pages = new Map<number, { events: Promise<RecordedEvent[]>; up_to: number }>();
  readonly #readers = new Set<Reader>();
  readonly #moves = new Waiters();

  constructor(read: (after: number, limit: number) => Promise<RecordedEvent[]>) {
    this.#read = read;
  }

  /** `head`: the log's known end. Returns at most the rest of a page. */
  async after(position: number, head: number): Promise<RecordedEvent[]> {
    if (position >= head) return [];
    const number = Math.floor(position / PAGE);
    const isWhole = (number + 1) * PAGE <= head;
    if ((number + 2) * PAGE <= head) this.#page(number + 1, head).catch(() => undefined);
    const begun = number * PAGE;
    const events = await this.#page(number, isWhole ? begun + PAGE : head);
    return events.slice(position - begun);
  }

  reader(): BacklogReader {
    const reader: Reader = { page: undefined };
    return {
      turn: (position, wait_ms) => this.#turn(reader, Math.floor(position / PAGE), wait_ms),
      leave: () => this.#stand(reader, undefined),
    };
  }

  async #turn(reader: Reader, number: number, wait_ms: number): Promise<boolean> {
    this.#stand(reader, number);
    const deadline = performance.now() + wait_ms;
    for (;;) {
      const isEarly = [...this.#readers].some(({ page }) => page === number - APART);
      if (!isEarly) return true;
      const left_ms = deadline - performance.now();
      if (left_ms <= 0) return false;
      await this.#moves.within(left_ms);
    }
  }

  #stand(reader: Reader, page: number | undefined): void {
    if (reader.page === page) return;
    reader.page = page;
    if (page === undefined) this.#readers.delete(reader);
    else this.#readers.add(reader);
    this.#moves.wake();
  }

  /** The log's last page grows. */
  #page(number: number, up_to: number): Promise<RecordedEvent[]> {
    let page = this.#pages.get(number);
    if (!page || page.up_to < Math.min(up_to, (number + 1) * PAGE)) {
      const events = this.#read(number * PAGE, PAGE);
      page = { events, up_to };
      const read = page;
      events.catch(() => this.#pages.get(number) === read && this.#pages.delete(number));
    }
    // Keeps the order of last use.
    this.#pages.delete(number);
    this.#pages.set(number, page);
    this.#forget();
    return page.events;
  }

  /** Evicts pages that no reader approaches first. */
  #forget(): void {
    const isAwaited = (number: number) =>
      [...this.#readers].some(({ page }) => page! <= number && number <= page! + APART + 1);
    for (const number of [...this.#pages.keys()]) if (!isAwaited(number)) this.#drop(number, APART);
    for (const number of [...this.#pages.keys()]) this.#drop(number, KEPT);
  }

  #drop(number: number, kept: number): void {
    if (this.#pages.size > kept) this.#pages.delete(number);
  }
}
