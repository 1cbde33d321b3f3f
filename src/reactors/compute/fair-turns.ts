/** Whose task the service runs next: the requester whose tasks took it the least time lately, then the higher price, then the older one. */

/** A task that waits to be run. `price_micro`: what it costs, micro-USDC. */
export type Waiting = { tenant: string; price_micro: number; position: number };

/** Time that was spent counts half after so long. */
const HALF_MS = 10 * 60_000;

export class FairTurns {
  readonly #spent = new Map<string, { ms: number; at: number }>();

  /** The best of these; undefined where there is none. */
  next<Of extends Waiting>(waiting: readonly Of[], now: number): Of | undefined {
    const before = (a: Of, b: Of) =>
      this.#spentBy(a, now) - this.#spentBy(b, now) ||
      b.price_micro - a.price_micro ||
      a.position - b.position;
    return [...waiting].sort(before)[0];
  }

  /** Runs a task of a requester, which counts as begun at once: two of one requester do not run before those of others. */
  async run(tenant: string, most_ms: number, now: () => number, work: () => Promise<void>): Promise<void> {
    const began = now();
    this.#add(tenant, most_ms, began);
    try {
      await work();
    } finally {
      const ended = now();
      this.#add(tenant, ended - began - most_ms, ended);
    }
  }

  /** In whole seconds: less makes no difference between two requesters. */
  #spentBy({ tenant }: Waiting, now: number): number {
    return Math.floor(this.#msOf(tenant, now) / 1_000);
  }

  #msOf(tenant: string, now: number): number {
    const spent = this.#spent.get(tenant);
    return spent ? spent.ms * 0.5 ** (Math.max(0, now - spent.at) / HALF_MS) : 0;
  }

  #add(tenant: string, ms: number, now: number): void {
    const sum = this.#msOf(tenant, now) + ms;
    if (sum < 500) this.#spent.delete(tenant);
    else this.#spent.set(tenant, { ms: sum, at: now });
  }
}
