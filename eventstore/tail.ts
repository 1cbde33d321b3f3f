/**
 * The growing end of a log, followed once per process for any number of subscribers.
 *
 * New events are read once into a window of the latest ones. A reader stores only its position: within the window
 * it is served from memory, and a lagging one pages from the database. So memory does not depend on the number or
 * speed of readers; far lagging ones share pages (backlog.ts). News comes from this process's appends, from LISTEN
 * on a separate connection, and from a slow poll or its owner's reports in case both fail.
 */
import type pg from "pg";
import { Announcer } from "./announcer.ts";
import { Backlog } from "./backlog.ts";
import type { EventStore } from "./store.ts";
import { TailWindow } from "./tail-window.ts";
import { MAIN_LOG, type RecordedEvent } from "./types.ts";

export type TailOptions = {
  pool: pg.Pool;
  /** The address for LISTEN. Default: the pool's. */
  session_url?: string;
  log_id?: number;
  /** The poll interval without notices. Default: 1,000. */
  poll_ms?: number;
  /** True if the owner reports the log's head all the time: then only a tail that hears no notices polls. */
  has_reports?: boolean;
  /** False if there are no notices, as in a database in recovery: it is polled only while somebody waits. */
  listens?: boolean;
  /** Events cached for current subscribers. Default: 1,024. */
  window?: number;
  /** Called for failed reads and lost connections; the tail recovers by itself. */
  onError?: (error: Error) => void;
};

export type Subscription = { after: number; tenant?: string; signal?: AbortSignal };

export type Tail = {
  /** The last position seen. */
  readonly position: number;
  /** Reports that the log may have grown; this process's appends do so themselves. */
  wake(): void;
  /** Reports a position that the log has; the tail reads on if it has not seen it. */
  report(position: number): void;
  /** The next events after a position, at most some thousands; none at the known end. */
  since(position: number): Promise<RecordedEvent[]>;
  /** For a reader of the whole log, together with others. */
  follower(): Follower;
  /** Batches of events after a position, in order and exactly once, until `signal` aborts or the tail closes. */
  subscribe(subscription: Subscription): AsyncIterable<RecordedEvent[]>;
  /** Resolves to true once the tail has seen the position, to false after `timeout_ms` or when `signal` aborts. */
  reached(position: number, timeout_ms: number, signal?: AbortSignal): Promise<boolean>;
  /** As `reached`, but asks the database nothing: news comes by notices and the poll. */
  grown(position: number, timeout_ms: number, signal?: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
};

/** Followers of one tail read a long history together, so that it is read once. */
export type Follower = {
  /** As `since`; undefined if lagging followers take longer than `wait_ms`. */
  since(position: number, wait_ms: number): Promise<RecordedEvent[] | undefined>;
  /** Nobody waits for it any more, until it continues. */
  leave(): void;
};

/** Events per database read. */
const PAGE = 500;
/** The shortest pause between two reads, so that a growing log's events are read together. */
const GATHER_MS = 10;

/** Connects like the pool, or to another address if given. */
const sessionOf = ({ options }: pg.Pool, session_url?: string): pg.ClientConfig =>
  session_url === undefined ? options : { ...options, connectionString: session_url };

export const createTail = (store: EventStore, options: TailOptions): Tail => new LogTail(store, options);

class LogTail implements Tail {
  readonly #store: EventStore;
  readonly #log_id: number;
  readonly #onError: (error: Error) => void;
  readonly #window: TailWindow;
  readonly #backlog: Backlog;
  readonly #announcer: Announcer | undefined;
  readonly #poll: NodeJS.Timeout;
  readonly #endListening: () => void;
  readonly #waiters = new Set<() => void>();
  /** Until somebody requests events, only the head is followed. */
  #isRead = false;
  #isStarted = false;
  #isStale = true;
  #isClosed = false;
  #reading: Promise<void> | undefined;
  #nextReadAt = 0;

  constructor(store: EventStore, options: TailOptions) {
    const { pool, session_url, log_id = MAIN_LOG, poll_ms = 1_000, listens = true, window = 4_096 } = options;
    const { onError = () => {}, has_reports = false } = options;
    this.#store = store;
    this.#log_id = log_id;
    this.#onError = onError;
    this.#window = new TailWindow(window);
    this.#backlog = new Backlog((after, limit) => store.readLog({ log_id, after, limit }));
    const announcer = () =>
      new Announcer(sessionOf(pool, session_url), `eventstore_${log_id}`, () => this.wake(), onError);
    this.#announcer = listens ? announcer() : undefined;
    this.#poll = setInterval(() => {
      if (has_reports && this.#announcer?.isListening) return;
      if (listens || this.#waiters.size > 0) this.wake();
    }, poll_ms).unref();
    this.#endListening = store.onAppended((appendedTo, position) => {
      if (appendedTo === log_id) this.#appended(position);
    });
    this.wake();
  }

  get position(): number {
    return this.#window.position;
  }

  wake(): void {
    this.#isStale = true;
    if (this.#isClosed) return;
    this.#reading ??= this.#readNews().finally(() => {
      this.#reading = undefined;
      // News may have come since the last read.
      if (this.#isStale) this.wake();
    });
  }

  report(position: number): void {
    if (position > this.position) this.wake();
  }

  async since(position: number): Promise<RecordedEvent[]> {
    return (await this.#next(position)).events;
  }

  follower(): Follower {
    const reader = this.#backlog.reader();
    return {
      leave: reader.leave,
      since: async (after, wait_ms) => {
        if (this.#window.covers(after)) reader.leave();
        else if (!(await reader.turn(after, wait_ms))) return undefined;
        return this.since(after);
      },
    };
  }

  async *subscribe({ after, tenant, signal }: Subscription): AsyncGenerator<RecordedEvent[]> {
    let cursor = after;
    this.#isRead = true;
    this.wake();
    while (!this.#isClosed && !signal?.aborted) {
      if (cursor >= this.position) {
        await this.#moved(cursor, signal);
        continue;
      }
      const { events, upTo } = await this.#next(cursor, tenant);
      cursor = upTo;
      if (events.length > 0) yield events;
    }
  }

  async reached(position: number, timeout_ms: number, signal?: AbortSignal): Promise<boolean> {
    if (this.position < position) this.wake();
    return this.grown(position, timeout_ms, signal);
  }

  async grown(position: number, timeout_ms: number, signal?: AbortSignal): Promise<boolean> {
    await this.#moved(position - 1, signal, timeout_ms);
    return this.position >= position;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#poll);
    this.#endListening();
    this.#tellWaiters();
    await this.#announcer?.close();
    await this.#reading;
  }

  #appended(position: number): void {
    this.#announcer?.announce(position);
    this.wake();
  }

  async #readNews(): Promise<void> {
    try {
      while (this.#isStale && !this.#isClosed) {
        if (this.#isRead && this.#isStarted) await this.#extendWindow();
        else await this.#followHead();
      }
    } catch (error) {
      // The poll tries again.
      this.#onError(error as Error);
    }
  }

  async #extendWindow(): Promise<void> {
    const early_ms = this.#nextReadAt - performance.now();
    if (early_ms > 0) await new Promise((due) => setTimeout(due, early_ms));
    this.#isStale = false;
    const after = this.position;
    const events = await this.#store.readLog({ log_id: this.#log_id, after, limit: PAGE });
    if (events.length > 0) {
      this.#window.extend(events);
      this.#tellWaiters();
    }
    if (events.length === PAGE) this.#isStale = true;
    else this.#nextReadAt = performance.now() + GATHER_MS;
  }

  async #followHead(): Promise<void> {
    this.#isStale = false;
    const { position } = await this.#store.head(this.#log_id);
    this.#isStarted = true;
    if (position === this.position) return;
    this.#window.skipTo(position);
    this.#tellWaiters();
  }

  #tellWaiters(): void {
    for (const waiter of [...this.#waiters]) waiter();
  }

  /** Resolves when the tail moves beyond `after` or ends, `signal` aborts, or the time is up. */
  #moved(after: number, signal?: AbortSignal, timeout_ms?: number): Promise<void> {
    return new Promise((resolve) => {
      let isLate = false;
      let timer: NodeJS.Timeout | undefined;
      const check = () => {
        if (this.position <= after && !this.#isClosed && !isLate && !signal?.aborted) return;
        this.#waiters.delete(check);
        signal?.removeEventListener("abort", check);
        clearTimeout(timer);
        resolve();
      };
      // The timer and listener are removed: AbortSignal.any would leak on a long-lived signal.
      const expire = () => {
        isLate = true;
        check();
      };
      if (timeout_ms !== undefined) timer = setTimeout(expire, timeout_ms);
      this.#waiters.add(check);
      signal?.addEventListener("abort", check);
      check();
    });
  }

  /** The next events after a position, and the position up to which they are complete. */
  async #next(after: number, tenant?: string): Promise<{ events: RecordedEvent[]; upTo: number }> {
    this.#isRead = true;
    // Read before the query: the answer covers everything up to here, or is a full page.
    const seen = this.position;
    if (this.#window.covers(after))
      return { events: this.#window.after(after, tenant), upTo: Math.max(after, seen) };
    if (tenant === undefined) {
      const events = await this.#backlog.after(after, seen);
      return { events, upTo: events.at(-1)?.position ?? after };
    }
    const events = await this.#store.readLog({ log_id: this.#log_id, after, limit: PAGE, tenant });
    const last = events.at(-1)?.position ?? after;
    return { events, upTo: events.length === PAGE ? last : Math.max(seen, last) };
  }
}
