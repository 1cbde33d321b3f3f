/**
 * The next task to run: from the requester with the least recent run time, then the highest price, then the oldest.
 * Requesters without spending share one queue, because a new tenant costs nothing.
 */

/** A requester gets its own queue after this much spending (micro-USDC): a hundred checks at the least price. */
export const OWN_QUEUE_MICRO = 100_000;

/** `spent_micro`: total spending of its account. */
export type Requester = { tenant: string; spent_micro: number };

/** A task that waits for a run; `price_micro` in micro-USDC. */
export type WaitingTask = Requester & { price_micro: number; position: number };

/** The shared queue of new requesters; tenants' own names have another prefix. */
const NEW = "new";
const queueOf = ({ tenant, spent_micro }: Requester) =>
  spent_micro < OWN_QUEUE_MICRO ? NEW : ownQueueOf(tenant);
const ownQueueOf = (tenant: string) => `of ${tenant}`;

/** Half-life of recorded run time. */
const HALF_MS = 10 * 60_000;

export class FairQueue {
  readonly #spent = new Map<string, { ms: number; at: number }>();

  /** undefined = none waits. */
  next<Of extends WaitingTask>(waiting: readonly Of[], now: number): Of | undefined {
    const before = (a: Of, b: Of) =>
      this.#secondsOf(queueOf(a), now) - this.#secondsOf(queueOf(b), now) ||
      this.#secondsOf(ownQueueOf(a.tenant), now) - this.#secondsOf(ownQueueOf(b.tenant), now) ||
      b.price_micro - a.price_micro ||
      a.position - b.position;
    return [...waiting].sort(before)[0];
  }

  /** Counts the run's time at its start, so a second run of one queue does not precede others. */
  async run(of: Requester, most_ms: number, now: () => number, work: () => Promise<void>): Promise<void> {
    // A new requester's time counts for the shared queue and for its own later queue.
    const names = new Set([queueOf(of), ownQueueOf(of.tenant)]);
    const add = (ms: number, at: number) => {
      for (const name of names) this.#add(name, ms, at);
    };
    const began = now();
    add(most_ms, began);
    try {
      await work();
    } finally {
      const ended = now();
      add(ended - began - most_ms, ended);
    }
  }

  /** Whole seconds: smaller differences are ignored. */
  #secondsOf(name: string, now: number): number {
    return Math.floor(this.#msOf(name, now) / 1_000);
  }

  #msOf(name: string, now: number): number {
    const spent = this.#spent.get(name);
    return spent ? spent.ms * 0.5 ** (Math.max(0, now - spent.at) / HALF_MS) : 0;
  }

  #add(name: string, ms: number, now: number): void {
    const sum = this.#msOf(name, now) + ms;
    if (sum < 500) this.#spent.delete(name);
    else this.#spent.set(name, { ms: sum, at: now });
  }
}
