/** Workers that wait for a task: woken by what the log's tail tells, one for each task, and never by asking the database again and again. */
import type { RecordedEvent } from "../../../../eventstore/types.ts";
import type { App } from "../../../core/app.ts";
import * as tasks from "../../../domain/compute/task.ts";
import { nextReadyMs, type Ready, readyAtOnce, tasksProjection } from "../../../projections/compute/tasks.ts";

/** A task that somebody may have now, or news that makes it worth while to look; whoever cannot take it lets it go by to the next. */
type Offer = { task?: Ready; seen: WeakSet<Waiter> };
type Waiter = { wake: ((offer: Offer) => void) | undefined };

/** For so long the read model may lag behind the tail before a waiter is woken all the same. */
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

  /** Wakes the first who waits and has not seen this one. */
  pass(offer: Offer): void {
    for (const waiter of this.#waiting) {
      if (!waiter.wake || offer.seen.has(waiter)) continue;
      offer.seen.add(waiter);
      waiter.wake(offer);
      return;
    }
  }

  /** When the next task is ready that somebody has failed at, by this process's clock: asked once for all, and again when that may have changed. */
  async nextReadyAt(): Promise<number> {
    this.#nextReadyAt ??= nextReadyMs(this.#app.pool).then(
      (ms = Number.POSITIVE_INFINITY) => performance.now() + ms + 1,
    );
    const asked = this.#nextReadyAt;
    const isOver = await asked.then(
      (at) => at <= performance.now(),
      () => true,
    );
    if (isOver && this.#nextReadyAt === asked) this.#nextReadyAt = undefined;
    return asked;
  }

  /** The read model has moved on, and with it the next task that is ready. */
  readModelMoved(): void {
    this.#nextReadyAt = undefined;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { tail, runner } = this.#app;
    for await (const batch of tail.subscribe({ after: tail.position, signal })) {
      // Who waits has found nothing better: what is new need not be in the read model to be taken.
      const { ready, others } = newIn(this.#app, batch);
      for (const task of ready) this.pass({ task, seen: new WeakSet() });
      if (others === 0) continue;
      await runner.reached(tasksProjection, batch.at(-1)!.position, FOLD_MS);
      this.readModelMoved();
      for (let n = 0; n < others; n++) this.pass({ seen: new WeakSet() });
    }
  }
}

/** Tasks that a batch of the log makes ready, and how many more it may make ready, now or from a time on that whoever looks learns. */
function newIn(app: App, batch: readonly RecordedEvent[]): { ready: Ready[]; others: number } {
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
    readyAtOnce({ tenant, state: tasks.standing(state) }),
  );
  // The best paid a second first, as the read model has them.
  const ready = all
    .filter((task) => task !== undefined)
    .sort((a, b) => b.max_price_micro / b.limit_s - a.max_price_micro / a.limit_s);
  return { ready, others: others + all.length - ready.length };
}

/**
 * Asks `look` until it answers something, the time is over or the caller is gone: at once, again when the read model has what was
 * submitted before, and whenever a task may have become ready, or the next one is that others have failed at. `look` is told the
 * task that is offered, where that is known; else it looks for one.
 */
export async function untilReady<Found>(
  app: App,
  look: (offered?: Ready) => Promise<Found | undefined>,
  { wait_ms, signal }: { wait_ms: number; signal: AbortSignal },
): Promise<Found | undefined> {
  if (wait_ms === 0) return (await look()) ?? lookAgain(app, look);
  const waiters = app.once("compute: waiters", () => new Waiters(app));
  const waiter: Waiter = { wake: undefined };
  const ends_at = performance.now() + wait_ms;
  // Before the first look: what becomes ready after it is told.
  waiters.enter(waiter);
  const missed: Offer[] = [];
  waiter.wake = (offer) => void missed.push(offer);
  /** What was told before this one waited has come into the read model: its own to look at. */
  const own: Offer = { seen: new WeakSet() };
  let offer: Offer | undefined;
  try {
    const told = app.tail.position;
    const isWhole = await app.runner.reached(tasksProjection, told, 0);
    const at_once = await look();
    if (at_once !== undefined) return at_once;
    if (!isWhole)
      void app.runner.reached(tasksProjection, told, wait_ms).then(
        () => {
          waiters.readModelMoved();
          waiter.wake?.(own);
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
      if (offer && offer !== own) waiters.pass(offer);
      offer = undefined;
    }
    return undefined;
  } finally {
    waiters.leave(waiter);
    for (const one of offer ? [offer, ...missed] : missed) if (one !== own) waiters.pass(one);
  }
}

/** Once the read model has all that was appended until now, by whichever process: who does not wait is told of it all the same. */
async function lookAgain<Found>(
  app: App,
  look: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
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
