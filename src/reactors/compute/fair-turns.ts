/**
 * The task that the service runs next: of the turn that took it the least time lately, then the higher price, then the older one. A
 * requester has a turn of its own once it has spent something here; new ones share one turn, because a new tenant costs nothing.
 */

/** Micro-USDC that a requester has spent here before it has a turn of its own: a hundred checks at their least price. */
export const OWN_TURN_MICRO = 100_000;

/** Who asks for a run. `spent_micro`: what its account has spent in all. */
export type Requester = { tenant: string; spent_micro: number };

/** A task that waits to be run. `price_micro`: what it costs, micro-USDC. */
export type Waiting = Requester & { price_micro: number; position: number };

/** The turn of all new requesters together. A tenant's own begins otherwise. */
const NEW = "new";
const turnOf = ({ tenant, spent_micro }: Requester) =>
  spent_micro < OWN_TURN_MICRO ? NEW : ownTurnOf(tenant);
const ownTurnOf = (tenant: string) => `of ${tenant}`;

/** Time that was spent counts half after so long. */
const HALF_MS = 10 * 60_000;

export class FairTurns {
  readonly #spent = new Map<string, { ms: number; at: number }>();

  /** The best of these; undefined where there is none. */
  next<Of extends Waiting>(waiting: readonly Of[], now: number): Of | undefined {
    const before = (a: Of, b: Of) =>
      this.#secondsOf(turnOf(a), now) - this.#secondsOf(turnOf(b), now) ||
      this.#secondsOf(ownTurnOf(a.tenant), now) - this.#secondsOf(ownTurnOf(b.tenant), now) ||
      b.price_micro - a.price_micro ||
      a.position - b.position;
    return [...waiting].sort(before)[0];
  }

  /** Runs a task, which counts as begun at once: two of one turn do not run before those of others. */
  async run(of: Requester, most_ms: number, now: () => number, work: () => Promise<void>): Promise<void> {
    // What a new requester spends counts for itself as well, once it has a turn of its own and among the new ones.
    const names = new Set([turnOf(of), ownTurnOf(of.tenant)]);
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

  /** In whole seconds: less makes no difference between two turns. */
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
