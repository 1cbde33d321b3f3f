/**
 * Calls of an address, counted once for all processes, and cheap: a process takes calls ahead in blocks, asks again when
 * a block is used up, and remembers who has none left. While a question is under way, further ones gather for the next.
 */
import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { AddressLimits, CallLimit, CallsLeft } from "../core/model/ports/address-limits.ts";
import type { Clock } from "../core/model/ports/clock.ts";

/** What a process knows of an address under a limit, until the window ends (ms of Unix time). */
type Known = { used: number; ahead: number; ends_at: number };

type Gathered = {
  limit: CallLimit;
  address: string;
  points: number;
  waiting: ((left: CallsLeft) => void)[];
};

const WINDOW_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** Windows of a minute or an hour begin with the first call, a day's is the UTC day. */
const endOf = ({ per }: CallLimit, now: number): number =>
  per === "day" ? (Math.floor(now / WINDOW_MS.day) + 1) * WINDOW_MS.day : now + WINDOW_MS[per];

/** Windows that are over are swept out this often. */
const SWEEP_MS = 600_000;

export function createAddressLimits(
  pool: pg.Pool,
  clock: Clock,
  onError: (error: Error) => void = () => {},
): AddressLimits {
  const known = new LRUCache<string, Known>({ max: 100_000 });
  let gathered = new Map<string, Gathered>();
  let inFlight = false;
  let swept_at = clock.now().getTime();

  const now = () => clock.now().getTime();
  const nameOf = (limit: CallLimit, address: string) => `${limit.name} ${address}`;
  const current = (limit: CallLimit, address: string): Known | undefined => {
    const found = known.get(nameOf(limit, address));
    return found && found.ends_at > now() ? found : undefined;
  };
  const leftOf = (limit: CallLimit, { used, ahead, ends_at }: Known, granted: boolean): CallsLeft => ({
    granted,
    remaining: Math.max(0, limit.calls - used + ahead),
    reset_s: Math.max(1, Math.ceil((ends_at - now()) / 1_000)),
  });

  const gather = (limit: CallLimit, address: string): Gathered => {
    const name = nameOf(limit, address);
    const group = gathered.get(name) ?? { limit, address, points: 0, waiting: [] };
    gathered.set(name, group);
    if (!inFlight) {
      inFlight = true;
      // What is asked in the same breath travels together.
      queueMicrotask(() => void flush());
    }
    return group;
  };

  async function flush(): Promise<void> {
    while (gathered.size > 0) {
      const batch = [...gathered.values()];
      gathered = new Map();
      await count(batch).catch((error: Error) => {
        onError(error);
        for (const group of batch) countAlone(group);
      });
    }
    inFlight = false;
    if (now() - swept_at > SWEEP_MS) await sweep();
  }

  async function count(batch: Gathered[]): Promise<void> {
    const at = now();
    const { rows } = await pool.query<{ granted: number; used: number; ends_at_ms: number }>({
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
    for (const [place, group] of batch.entries()) hand(group, rows[place]!);
  }

  function hand(group: Gathered, row: { granted: number; used: number; ends_at_ms: number }): void {
    const { limit, address, waiting } = group;
    const before = current(limit, address);
    const ends_at = row.ends_at_ms;
    const ahead = waiting.length > 0 && before?.ends_at === ends_at ? before.ahead : 0;
    // What was added while Postgres counted is not among its count yet.
    const since = gathered.get(nameOf(limit, address))?.points ?? 0;
    const facts = { used: row.used + since, ahead: ahead + row.granted, ends_at };
    if (waiting.length === 0) facts.ahead = 0;
    known.set(nameOf(limit, address), facts);
    for (const done of waiting) {
      const granted = facts.ahead > 0;
      if (granted) facts.ahead--;
      done(leftOf(limit, facts, granted));
    }
  }

  /** While Postgres is away each process counts by itself: free calls are not what should fail then. */
  function countAlone({ limit, address, waiting }: Gathered): void {
    // What was added is among what is used: it was counted here first.
    const facts = current(limit, address) ?? { used: 0, ahead: 0, ends_at: endOf(limit, now()) };
    known.set(nameOf(limit, address), facts);
    for (const done of waiting) {
      const granted = facts.used < limit.calls;
      if (granted) facts.used++;
      done(leftOf(limit, facts, granted));
    }
  }

  async function sweep(): Promise<void> {
    swept_at = now();
    await pool.query("delete from access.address_calls where ends_at_ms < $1", [swept_at]).catch(onError);
  }

  return {
    take(limit, address) {
      const facts = current(limit, address);
      if (facts && facts.ahead > 0) {
        facts.ahead--;
        return Promise.resolve(leftOf(limit, facts, true));
      }
      if (facts && facts.used >= limit.calls) return Promise.resolve(leftOf(limit, facts, false));
      return new Promise((done) => gather(limit, address).waiting.push(done));
    },
    add(limit, address, points = 1) {
      const facts = current(limit, address) ?? { used: 0, ahead: 0, ends_at: endOf(limit, now()) };
      facts.used += points;
      known.set(nameOf(limit, address), facts);
      gather(limit, address).points += points;
    },
    isSpent: (limit, address) => (current(limit, address)?.used ?? 0) >= limit.calls,
  };
}
