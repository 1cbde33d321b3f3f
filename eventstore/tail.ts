/**
 * The end of a log as it grows, followed once a process for any number of subscribers.
 *
 * What is new is read once into a window of the latest events. A reader keeps nothing but its position: while that
 * lies in the window it is served from there, and when it has fallen behind it pages from the database. So memory
 * does not depend on how many read or how slowly; those far behind share pages (backlog.ts). News comes from appends of
 * this process, from LISTEN on a connection of its own, and from a slow poll in case both fail.
 */
import type pg from "pg";
import { Announcer } from "./announcer.ts";
import { Backlog } from "./backlog.ts";
import type { EventStore } from "./store.ts";
import { TailWindow } from "./tail-window.ts";
import { MAIN_LOG, type RecordedEvent } from "./types.ts";

export type TailOptions = {
  pool: pg.Pool;
  /** Where LISTEN is asked; where the pool connects when absent. */
  session_url?: string;
  log_id?: number;
  /** Between looks at the database when nothing is announced; 1,000 when absent. */
  poll_ms?: number;
  /** False where nothing is announced, as in a database in recovery: it is looked at while somebody waits, and then alone. */
  listens?: boolean;
  /** Events kept for subscribers that are up to date; 1,024 when absent. */
  window?: number;
  /** Told of failed reads and lost connections; the tail goes on by itself. */
  onError?: (error: Error) => void;
};

export type Subscription = { after: number; tenant?: string; signal?: AbortSignal };

export type Tail = {
  /** The last position seen. */
  readonly position: number;
  /** Says that the log may have grown; appends of this process say it by themselves. */
  wake(): void;
  /** The next events after a position, some thousands at most; none at the end of what was seen. */
  since(position: number): Promise<RecordedEvent[]>;
  /** For one who reads all of the log, with others who do. */
  follower(): Follower;
  /** Batches of events after a position, in order, none missed and none twice, until `signal` aborts or the tail closes. */
  subscribe(subscription: Subscription): AsyncIterable<RecordedEvent[]>;
  /** Resolves to true once the tail has seen the position, to false when `timeout_ms` pass or `signal` aborts before. */
  reached(position: number, timeout_ms: number, signal?: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
};

/** Those who follow one tail go through a long past side by side, so that it is read once. */
export type Follower = {
  /** As `since`; undefined where others, who are behind, take longer than so many milliseconds. */
  since(position: number, wait_ms: number): Promise<RecordedEvent[] | undefined>;
  /** Nobody waits for it any more, until it reads on. */
  leave(): void;
};

/** Events a read of the database asks for. */
const PAGE = 500;
/** From one read to the next, at least: of a log that grows all the time what comes meanwhile is read together. */
const GATHER_MS = 10;

/** Connects like the pool, elsewhere where an address is given. */
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
  /** Until somebody asks for events, the head alone is followed. */
  #isRead = false;
  #isStarted = false;
  #isStale = true;
  #isClosed = false;
  #reading: Promise<void> | undefined;
  #nextReadAt = 0;

  constructor(store: EventStore, options: TailOptions) {
    const { pool, session_url, log_id = MAIN_LOG, poll_ms = 1_000, listens = true, window = 4_096 } = options;
    const { onError = () => {} } = options;
    this.#store = store;
    this.#log_id = log_id;
    this.#onError = onError;
    this.#window = new TailWindow(window);
    this.#backlog = new Backlog((after, limit) => store.readLog({ log_id, after, limit }));
    const announcer = () =>
      new Announcer(sessionOf(pool, session_url), `eventstore_${log_id}`, () => this.wake(), onError);
    this.#announcer = listens ? announcer() : undefined;
    this.#poll = setInterval(() => {
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
      // News may have come after the last look and before this.
      if (this.#isStale) this.wake();
    });
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

  /** Resolves when the tail moves beyond `after` or ends, `signal` aborts or the time is up, whichever is first. */
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
      // A timer and a listener taken off again: AbortSignal.any would leave a trace on a signal that lives long.
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

  /** The next events after a position, and the position up to which these are all there are. */
  async #next(after: number, tenant?: string): Promise<{ events: RecordedEvent[]; upTo: number }> {
    this.#isRead = true;
    // Taken before the read: whatever stands up to here is in the answer, or the answer is a full page.
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
