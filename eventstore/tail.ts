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

export function createTail(store: EventStore, options: TailOptions): Tail {
  const {
    pool,
    session_url,
    log_id = MAIN_LOG,
    poll_ms = 1_000,
    listens = true,
    window = 4_096,
    onError = () => {},
  } = options;
  let recent: RecordedEvent[] = [];
  /** The window holds every event from `windowStart` (exclusive) to `position`; positions have no gaps. */
  let windowStart = 0;
  let position = 0;
  /** Until somebody asks for events, the head alone is followed. */
  let isRead = false;
  let started = false;
  let stale = true;
  let reading: Promise<void> | undefined;
  let nextReadAt = 0;
  let closed = false;
  const waiters = new Set<() => void>();
  const backlog = new Backlog((after, limit) => store.readLog({ log_id, after, limit }));

  const announcer = listens
    ? new Announcer(sessionOf(pool, session_url), `eventstore_${log_id}`, wake, onError)
    : undefined;
  const timer = setInterval(() => {
    if (listens || waiters.size > 0) wake();
  }, poll_ms).unref();
  const endListening = store.onAppended((appendedTo, appendedPosition) => {
    if (appendedTo !== log_id) return;
    announcer?.announce(appendedPosition);
    wake();
  });

  function wake(): void {
    stale = true;
    if (closed) return;
    reading ??= readNews().finally(() => {
      reading = undefined;
      // News may have come after the last look and before this.
      if (stale) wake();
    });
  }

  async function readNews(): Promise<void> {
    try {
      while (stale && !closed) {
        const isFollowed = isRead && started;
        const early_ms = nextReadAt - performance.now();
        if (isFollowed && early_ms > 0) await new Promise((due) => setTimeout(due, early_ms));
        stale = false;
        if (isFollowed) {
          const events = await store.readLog({ log_id, after: position, limit: PAGE });
          if (events.length > 0) extendWindow(events);
          if (events.length === PAGE) stale = true;
          else nextReadAt = performance.now() + GATHER_MS;
        } else {
          skipTo((await store.head(log_id)).position);
          started = true;
        }
      }
    } catch (error) {
      // The poll tries again.
      onError(error as Error);
    }
  }

  function extendWindow(events: RecordedEvent[]): void {
    recent.push(...events);
    position = events.at(-1)!.position;
    if (recent.length > window) {
      recent = recent.slice(-window);
      windowStart = recent[0]!.position - 1;
    }
    tellWaiters();
  }

  function skipTo(head: number): void {
    if (head === position) return;
    recent = [];
    windowStart = head;
    position = head;
    tellWaiters();
  }

  function tellWaiters(): void {
    for (const waiter of [...waiters]) waiter();
  }

  /** Resolves when the tail moves beyond `after` or ends, `signal` aborts or the time is up, whichever is first. */
  function moved(after: number, signal?: AbortSignal, timeout_ms?: number): Promise<void> {
    return new Promise((resolve) => {
      let late = false;
      let timer: NodeJS.Timeout | undefined;
      const check = () => {
        if (position <= after && !closed && !late && !signal?.aborted) return;
        waiters.delete(check);
        signal?.removeEventListener("abort", check);
        clearTimeout(timer);
        resolve();
      };
      // A timer and a listener taken off again: AbortSignal.any would leave a trace on a signal that lives long.
      const expire = () => {
        late = true;
        check();
      };
      if (timeout_ms !== undefined) timer = setTimeout(expire, timeout_ms);
      waiters.add(check);
      signal?.addEventListener("abort", check);
      check();
    });
  }

  /** The next events after a position, and the position up to which these are all there are. */
  async function next(after: number, tenant?: string): Promise<{ events: RecordedEvent[]; upTo: number }> {
    isRead = true;
    // Taken before the read: whatever stands up to here is in the answer, or the answer is a full page.
    const seen = position;
    if (after >= windowStart) {
      const events = recent
        .slice(after - windowStart)
        .filter((event) => tenant === undefined || event.tenant === tenant);
      return { events, upTo: Math.max(after, seen) };
    }
    if (tenant === undefined) {
      const events = await backlog.after(after, seen);
      return { events, upTo: events.at(-1)?.position ?? after };
    }
    const events = await store.readLog({ log_id, after, limit: PAGE, tenant });
    const last = events.at(-1)?.position ?? after;
    return { events, upTo: events.length === PAGE ? last : Math.max(seen, last) };
  }

  async function* subscribe({ after, tenant, signal }: Subscription): AsyncGenerator<RecordedEvent[]> {
    let cursor = after;
    isRead = true;
    wake();
    while (!closed && !signal?.aborted) {
      if (cursor >= position) {
        await moved(cursor, signal);
        continue;
      }
      const { events, upTo } = await next(cursor, tenant);
      cursor = upTo;
      if (events.length > 0) yield events;
    }
  }

  wake();
  return {
    get position() {
      return position;
    },
    wake,
    since: async (after) => (await next(after)).events,
    follower() {
      const reader = backlog.reader();
      return {
        leave: reader.leave,
        async since(after, wait_ms) {
          if (after >= windowStart) reader.leave();
          else if (!(await reader.turn(after, wait_ms))) return undefined;
          return (await next(after)).events;
        },
      };
    },
    subscribe,
    async reached(wanted, timeout_ms, signal) {
      if (position < wanted) wake();
      await moved(wanted - 1, signal, timeout_ms);
      return position >= wanted;
    },
    async close() {
      closed = true;
      clearInterval(timer);
      endListening();
      tellWaiters();
      await announcer?.close();
      await reading;
    },
  };
}
