/** Lets workers wait for a task. The log's tail wakes one worker for each new task, without polling the database. */
import type { RecordedEvent } from "../../../../eventstore/types.ts";
import type { App } from "../../../core/app.ts";
import * as tasks from "../../../domain/compute/task.ts";
import {
  nextReadyMs,
  type ReadyTask,
  readyFromEvents,
  tasksProjection,
} from "../../../projections/compute/tasks.ts";

/** A ready task, or a reason to search for one. A worker that cannot take it passes it to the next. */
type Offer = { task?: ReadyTask; seen: WeakSet<Waiter> };
type Waiter = { wake: ((offer: Offer) => void) | undefined };

/** A waiter wakes after this time even if the read model still lags behind the log. */
const FOLD_MS = 5_000;
class Waiters {
  readonly #app: App;
  readonly #waiting = new Set<Waiter>();
  #following: AbortController | undefined;
  #nextReadyAt: Promise<number> | undefined;

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
    this.#nextReadyAt = undefined;
  }

  /** Wakes the first waiter that has not seen this offer. */
  pass(offer: Offer): void {
    for (const waiter of this.#waiting) {
      if (!waiter.wake || offer.seen.has(waiter)) continue;
      offer.seen.add(waiter);
      waiter.wake(offer);
      return;
    }
  }

  /**
   * The time when the next failed task becomes ready again, by this process's clock. Waiters share one query, which
   * is repeated when its result may have changed.
   */
  async nextReadyAt(): Promise<number> {
    this.#nextReadyAt ??= nextReadyMs(this.#app.pool).then(
      (ms = Number.POSITIVE_INFINITY) => performance.now() + ms + 1,
    );
    const query = this.#nextReadyAt;
    const isOver = await query.then(
      (at) => at <= performance.now(),
      () => true,
    );
    if (isOver && this.#nextReadyAt === query) this.#nextReadyAt = undefined;
    return query;
  }

  readModelMoved(): void {
    this.#nextReadyAt = undefined;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { tail, runner } = this.#app;
    for await (const batch of tail.subscribe({ after: tail.position, signal })) {
      // The waiters' own searches found nothing better, so a waiter can take a new task before the read model shows
      // it.
      const { ready, others } = newIn(this.#app, batch);
      for (const task of ready) this.pass({ task, seen: new WeakSet() });
      if (others === 0) continue;
      await runner.reached(tasksProjection, batch.at(-1)!.position, FOLD_MS);
      this.readModelMoved();
      for (let n = 0; n < others; n++) this.pass({ seen: new WeakSet() });
    }
  }
}

/** The tasks that a batch of events makes ready, and the number of others that a search may find now or later. */
function newIn(app: App, batch: readonly RecordedEvent[]): { ready: ReadyTask[]; others: number } {
  const submitted = new Map<string, { tenant: string; state: tasks.TaskState }>();
  let others = 0;
  for (const event of app.eventsOf(tasks, batch)) {
    const { id, tenant, type } = event;
    if (type === "TaskLeaseExpired") others++;
    const before = submitted.get(id);
    if (before || type === "TaskSubmitted")
      submitted.set(id, { tenant, state: tasks.evolve(before?.state, event) });
  }
  const all = [...submitted.values()].map(({ tenant, state }) =>
    readyFromEvents({ tenant, state: tasks.existing(state) }),
  );
  // Sorted by pay per second, the best first, as in the read model.
  const ready = all
    .filter((task) => task !== undefined)
    .sort((a, b) => b.max_price_micro / b.limit_s - a.max_price_micro / a.limit_s);
  return { ready, others: others + all.length - ready.length };
}

/**
 * Calls `look` until it returns something, the time is over, or the caller leaves. It calls `look` at once, after the
 * read model has caught up, and whenever a task may be ready. `look` gets the offered task if it is known; otherwise
 * it searches.
 */
export async function untilReady<Result>(
  app: App,
  look: (offered?: ReadyTask) => Promise<Result | undefined>,
  { wait_ms, signal }: { wait_ms: number; signal: AbortSignal },
): Promise<Result | undefined> {
  if (wait_ms === 0) return (await look()) ?? lookAgain(app, look);
  const waiters = app.once("compute: waiters", () => new Waiters(app));
  const waiter: Waiter = { wake: undefined };
  const ends_at = performance.now() + wait_ms;
  // Enters before the first search, so that it misses no later task.
  waiters.enter(waiter);
  const missed: Offer[] = [];
  waiter.wake = (offer) => void missed.push(offer);
  /** Older tasks appear in the read model only when it catches up. This waiter alone searches for them then. */
  const catchUp: Offer = { seen: new WeakSet() };
  let offer: Offer | undefined;
  try {
    const position = app.tail.position;
    const isWhole = await app.runner.reached(tasksProjection, position, 0);
    const at_once = await look();
    if (at_once !== undefined) return at_once;
    if (!isWhole)
      void app.runner.reached(tasksProjection, position, wait_ms).then(
        () => {
          waiters.readModelMoved();
          waiter.wake?.(catchUp);
        },
        () => undefined,
      );
    while (performance.now() < ends_at && !signal.aborted) {
      const until = Math.min(ends_at, await waiters.nextReadyAt());
      offer = missed.shift() ?? (await nextOffer(waiter, missed, until - performance.now(), signal));
      if (signal.aborted || (!offer && until === ends_at)) return undefined;
      const found = await look(offer?.task);
      if (found !== undefined) {
        offer = undefined;
        return found;
      }
      if (offer && offer !== catchUp) waiters.pass(offer);
      offer = undefined;
    }
    return undefined;
  } finally {
    waiters.leave(waiter);
    for (const one of offer ? [offer, ...missed] : missed) if (one !== catchUp) waiters.pass(one);
  }
}

/** Searches again after the read model has caught up with the appends of all processes. */
async function lookAgain<Result>(
  app: App,
  look: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  await app.caughtUp(tasksProjection);
  return look();
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
