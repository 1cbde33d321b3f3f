/**
 * Counts calls per address for all processes. Each process reserves calls in blocks and remembers exhausted
 * addresses; requests during a query are batched into the next.
 */
import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { AddressLimits, CallLimit, CallsLeft } from "../core/model/ports/address-limits.ts";
import type { Clock } from "../core/model/ports/clock.ts";

type CachedCount = { used: number; ahead: number; ends_at: number };

type PendingCount = {
  limit: CallLimit;
  address: string;
  points: number;
  waiting: ((left: CallsLeft) => void)[];
};

type CountRow = { granted: number; used: number; ends_at_ms: number };

const WINDOW_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** Windows of a minute or an hour begin with the first call, a day's is the UTC day. */
const endOf = ({ per }: CallLimit, now: number): number =>
  per === "day" ? (Math.floor(now / WINDOW_MS.day) + 1) * WINDOW_MS.day : now + WINDOW_MS[per];

const SWEEP_MS = 600_000;

const nameOf = (limit: CallLimit, address: string) => `${limit.name} ${address}`;

export function createAddressLimits(
  pool: pg.Pool,
  clock: Clock,
  onError: (error: Error) => void = () => {},
): AddressLimits {
  const counter = new AddressCounter(pool, clock, onError);
  return {
    take: (limit, address) => counter.take(limit, address),
    giveBack: (limit, address) => counter.giveBack(limit, address),
    add: (limit, address, points) => counter.add(limit, address, points),
    isSpent: (limit, address) => counter.isSpent(limit, address),
  };
}

class AddressCounter implements AddressLimits {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #onError: (error: Error) => void;
  // With `max`, all places would be allocated at the start.
  readonly #known = new LRUCache<string, CachedCount>({ maxSize: 100_000, sizeCalculation: () => 1 });
  #gathered = new Map<string, PendingCount>();
  #isInFlight = false;
  #swept_at: number;

  constructor(pool: pg.Pool, clock: Clock, onError: (error: Error) => void) {
    this.#pool = pool;
    this.#clock = clock;
    this.#onError = onError;
    this.#swept_at = this.#now();
  }

  take(limit: CallLimit, address: string): Promise<CallsLeft> {
    const facts = this.#current(limit, address);
    if (facts && facts.ahead > 0) {
      facts.ahead--;
      return Promise.resolve(this.#left(limit, facts, true));
    }
    if (facts && facts.used >= limit.calls) return Promise.resolve(this.#left(limit, facts, false));
    return new Promise((done) => this.#gather(limit, address).waiting.push(done));
  }

  /** The call goes to this process's reserve, so that no process grants it twice. */
  giveBack(limit: CallLimit, address: string): void {
    const facts = this.#current(limit, address);
    if (facts) facts.ahead++;
  }

  add(limit: CallLimit, address: string, points = 1): void {
    const facts = this.#current(limit, address) ?? this.#unused(limit);
    facts.used += points;
    this.#known.set(nameOf(limit, address), facts);
    this.#gather(limit, address).points += points;
  }

  isSpent(limit: CallLimit, address: string): boolean {
    return (this.#current(limit, address)?.used ?? 0) >= limit.calls;
  }

  #now(): number {
    return this.#clock.now().getTime();
  }

  #current(limit: CallLimit, address: string): CachedCount | undefined {
    const found = this.#known.get(nameOf(limit, address));
    return found && found.ends_at > this.#now() ? found : undefined;
  }

  #unused(limit: CallLimit): CachedCount {
    return { used: 0, ahead: 0, ends_at: endOf(limit, this.#now()) };
  }

  #left(limit: CallLimit, { used, ahead, ends_at }: CachedCount, granted: boolean): CallsLeft {
    return {
      granted,
      remaining: Math.max(0, limit.calls - used + ahead),
      reset_s: Math.max(1, Math.ceil((ends_at - this.#now()) / 1_000)),
    };
  }

  #gather(limit: CallLimit, address: string): PendingCount {
    const name = nameOf(limit, address);
    const group = this.#gathered.get(name) ?? { limit, address, points: 0, waiting: [] };
    this.#gathered.set(name, group);
    if (!this.#isInFlight) {
      this.#isInFlight = true;
      // Requests of one tick share a query.
      queueMicrotask(() => void this.#flush());
    }
    return group;
  }

  async #flush(): Promise<void> {
    while (this.#gathered.size > 0) {
      const batch = [...this.#gathered.values()];
      this.#gathered = new Map();
      await this.#count(batch).catch((error: Error) => {
        this.#onError(error);
        for (const group of batch) this.#countAlone(group);
      });
    }
    this.#isInFlight = false;
    if (this.#now() - this.#swept_at > SWEEP_MS) await this.#sweep();
  }

  async #count(batch: PendingCount[]): Promise<void> {
    const at = this.#now();
    const { rows } = await this.#pool.query<CountRow>({
      name: "take_calls",
      text: "select * from access.take_calls($1, $2, $3, $4, $5, $6)",
      values: [
        batch.map(({ limit }) => limit.name),
        batch.map(({ address }) => address),
        batch.map(({ points, waiting }) => points + waiting.length),
        batch.map(({ limit, waiting }) => (waiting.length > 0 ? limit.calls : null)),
        batch.map(({ limit }) => endOf(limit, at)),
        at,
      ],
    });
    for (const [place, group] of batch.entries()) this.#hand(group, rows[place]!);
  }

  #hand({ limit, address, waiting }: PendingCount, row: CountRow): void {
    const before = this.#current(limit, address);
    const ends_at = row.ends_at_ms;
    const ahead = waiting.length > 0 && before?.ends_at === ends_at ? before.ahead : 0;
    // Points added while Postgres counted are not in its count yet.
    const since = this.#gathered.get(nameOf(limit, address))?.points ?? 0;
    const facts = { used: row.used + since, ahead: ahead + row.granted, ends_at };
    if (waiting.length === 0) facts.ahead = 0;
    this.#known.set(nameOf(limit, address), facts);
    for (const done of waiting) {
      const granted = facts.ahead > 0;
      if (granted) facts.ahead--;
      done(this.#left(limit, facts, granted));
    }
  }

  /** Without Postgres each process counts alone, because free calls should not fail then. */
  #countAlone({ limit, address, waiting }: PendingCount): void {
    // The points added here are already part of `used`.
    const facts = this.#current(limit, address) ?? this.#unused(limit);
    this.#known.set(nameOf(limit, address), facts);
    for (const done of waiting) {
      const granted = facts.used < limit.calls;
      if (granted) facts.used++;
      done(this.#left(limit, facts, granted));
    }
  }

  async #sweep(): Promise<void> {
    this.#swept_at = this.#now();
    const sql = "delete from access.address_calls where ends_at_ms < $1";
    await this.#pool.query(sql, [this.#swept_at]).catch(this.#onError);
  }
}
