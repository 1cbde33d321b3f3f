import type { RecordedEvent } from "./types.ts";

/** Events of a page: of a long past, few reads are worth more than short ones. */
const PAGE = 1_000;
/** So many pages are kept, for those who read a little behind the first. */
const KEPT = 8;

/**
 * The past of a log for those who are far behind its end: pages that begin at fixed positions, so that all who read at about the
 * same place read once. The page after the one that is asked for is read ahead, while somebody works on this one.
 */
export class Backlog {
  readonly #read: (after: number, limit: number) => Promise<RecordedEvent[]>;
  readonly #pages = new Map<number, Promise<RecordedEvent[]>>();

  constructor(read: (after: number, limit: number) => Promise<RecordedEvent[]>) {
    this.#read = read;
  }

  /** The next events after a position, up to the end of its page; undefined where the log does not reach that end yet. */
  after(position: number, head: number): Promise<RecordedEvent[]> | undefined {
    const number = Math.floor(position / PAGE);
    if ((number + 1) * PAGE > head) return undefined;
    const page = this.#page(number);
    if ((number + 2) * PAGE <= head) this.#page(number + 1);
    return page.then((events) => events.slice(position - number * PAGE));
  }

  #page(number: number): Promise<RecordedEvent[]> {
    let page = this.#pages.get(number);
    if (!page) {
      page = this.#read(number * PAGE, PAGE);
      page.catch(() => this.#pages.delete(number));
    }
    // The one that was asked for last is the last to go.
    this.#pages.delete(number);
    this.#pages.set(number, page);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= KEPT) break;
      this.#pages.delete(oldest);
    }
    return page;
  }
}
