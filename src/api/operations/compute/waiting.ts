/** Workers that wait for a task: woken by what the log's tail tells, one for each task, and never by asking the database again and again. */
import type { RecordedEvent } from "../../../../eventstore/types.ts";
import type { App } from "../../../app.ts";
import * as tasks from "../../../domain/compute/task.ts";
import { nextReadyMs, tasksProjection } from "../../../projections/compute/tasks.ts";

/** A task that somebody may have now; whoever cannot take it lets it go by to the next. */
type Offer = { seen: WeakSet<Waiter> };
type Waiter = { wake: ((offer: Offer) => void) | undefined };

/** For so long the read model may lag behind the tail before a waiter is woken all the same. */
const FOLD_MS = 5_000;
/** The same before the second look. */
const READ_MS = 250;

class Waiters {
  readonly #app: App;
  readonly #waiting = new Set<Waiter>();
  #following: AbortController | undefined;

  constructor(app: App) {
    this.#app = app;
  }

  enter(waiter: Waiter): void {
    this.#waiting.add(waiter);
    if (this.#following) return;
    this.#following = new AbortController();
    void this.#follow(this.#following.signal).catch(() => {
      this.#following = undefined;
    });
  }

  leave(waiter: Waiter): void {
    this.#waiting.delete(waiter);
    if (this.#waiting.size > 0) return;
    this.#following?.abort();
    this.#following = undefined;
  }

  /** Wakes the first who waits and has not seen this one. */
  pass(offer: Offer): void {
    for (const waiter of this.#waiting) {
      if (!waiter.wake || offer.seen.has(waiter)) continue;
      offer.seen.add(waiter);
      waiter.wake(offer);
      return;
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { tail, runner } = this.#app;
    for await (const batch of tail.subscribe({ after: tail.position, signal })) {
      if (!batch.some(mayBeReady)) continue;
      await runner.reached(tasksProjection, batch.at(-1)!.position, FOLD_MS);
      for (const _ of batch.filter(mayBeReady)) this.pass({ seen: new WeakSet() });
    }
  }
}

/** Whether an event makes a task ready, now or from a time on that whoever looks learns. */
const mayBeReady = ({ stream_id, type }: RecordedEvent): boolean =>
  stream_id.startsWith(tasks.prefix) && (type === "TaskSubmitted" || type === "TaskLeaseExpired");

/** Those of a service: its tail is one a process. */
const waitersOf = new WeakMap<App["tail"], Waiters>();

/**
 * Asks `look` until it answers something, the time is over or the caller is gone: at once, again when the read model has what was
 * submitted before, and then whenever a task may have become ready, or the next one is that others have failed at.
 */
export async function untilReady<Found>(
  app: App,
  look: () => Promise<Found | undefined>,
  { wait_ms, signal }: { wait_ms: number; signal: AbortSignal },
): Promise<Found | undefined> {
  const waiters = waitersOf.get(app.tail) ?? new Waiters(app);
  waitersOf.set(app.tail, waiters);
  const waiter: Waiter = { wake: undefined };
  const ends_at = performance.now() + wait_ms;
  // Before the first look: what becomes ready after it is told.
  waiters.enter(waiter);
  const missed: Offer[] = [];
  waiter.wake = (offer) => void missed.push(offer);
  let offer: Offer | undefined;
  try {
    // Where there is something, nobody waits for the read model; where there is nothing, what the tail has told before may not be in it yet.
    const at_once = await look();
    if (at_once !== undefined) return at_once;
    const { position } = await app.store.head();
    await app.runner.reached(tasksProjection, position, Math.max(READ_MS, wait_ms));
    for (;;) {
      const found = await look();
      const left_ms = ends_at - performance.now();
      if (found !== undefined) {
        offer = undefined;
        return found;
      }
      if (left_ms <= 0 || signal.aborted) return undefined;
      if (offer) waiters.pass(offer);
      const ready_ms = (await nextReadyMs(app.pool)) ?? Number.POSITIVE_INFINITY;
      const patience_ms = Math.min(left_ms, ready_ms + 1);
      offer = missed.shift() ?? (await nextOffer(waiter, missed, patience_ms, signal));
    }
  } finally {
    waiters.leave(waiter);
    for (const one of offer ? [offer, ...missed] : missed) waiters.pass(one);
  }
}

function nextOffer(
  waiter: Waiter,
  missed: Offer[],
  ms: number,
  signal: AbortSignal,
): Promise<Offer | undefined> {
  return new Promise((resolve) => {
    const end = (offer: Offer | undefined) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      waiter.wake = (next) => void missed.push(next);
      resolve(offer);
    };
    const stop = () => end(undefined);
    const timer = setTimeout(stop, ms);
    signal.addEventListener("abort", stop, { once: true });
    waiter.wake = end;
  });
}
