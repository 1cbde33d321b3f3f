import type pg from "pg";
import { LEASE_SECONDS, type Lease } from "../coordination/lease.ts";

/** The interval for storing checkpoints that passed events without a fold. */
export const KEEP_MS = 50;

/**
 * Stores the checkpoints of projections that pass irrelevant events, all in one statement an interval. A delay only
 * costs some reads after a crash, so a locked row waits for the next interval.
 */
export class Checkpoints {
  readonly #pool: pg.Pool;
  readonly #moved = new Map<Lease, number>();
  readonly #lost = new WeakSet<Lease>();
  #next: NodeJS.Timeout | undefined;
  #keeping: Promise<void> = Promise.resolve();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  advance(lease: Lease, position: number): void {
    this.#moved.set(lease, Math.max(position, this.#moved.get(lease) ?? 0));
    this.#keepSoon();
  }

  /** True once this process has seen that another process owns this lease. */
  hasLost(lease: Lease): boolean {
    return this.#lost.has(lease);
  }

  keep(): Promise<void> {
    this.#keeping = this.#keeping.then(() => this.#keepFree());
    return this.#keeping;
  }

  #keepSoon(): void {
    this.#next ??= setTimeout(() => {
      this.#next = undefined;
      void this.keep();
    }, KEEP_MS);
  }

  async #keepFree(): Promise<void> {
    const moved = [...this.#moved].map(([lease, position]) => ({ lease, position }));
    this.#moved.clear();
    if (moved.length === 0) return;
    // If the database is unavailable, the next fold or renewal reports the error.
    const found = await inTransaction(this.#pool, (tx) => moveFreeCheckpoints(tx, moved)).catch(
      () => undefined,
    );
    for (const [n, { lease, position }] of moved.entries()) {
      const isHeld = found?.get(n + 1);
      if (isHeld === undefined) this.#moved.set(lease, Math.max(position, this.#moved.get(lease) ?? 0));
      else if (!isHeld) this.#lost.add(lease);
    }
    if (found && this.#moved.size > 0) this.#keepSoon();
  }
}

/**
 * Moves the checkpoints whose rows are unlocked, and renews their leases. Returns by number (from 1) whether this
 * process still has the lease; locked rows are absent.
 */
async function moveFreeCheckpoints(
  tx: pg.ClientBase,
  moved: { lease: Lease; position: number }[],
): Promise<Map<number, boolean>> {
  const answer = await tx.query<{ number: number; held: boolean }>({
    name: "projections.move_free_checkpoints",
    text: `with moved as (
        select * from unnest($1::text[], $2::uuid[], $3::bigint[], $4::bigint[]) with ordinality as one (name, holder, token, position, number)),
      free as (
        select moved.number, moved.name, moved.position from read.checkpoints c
          join moved on c.projection = moved.name and c.holder = moved.holder and c.token = moved.token
          for no key update of c skip locked),
      kept as (
        update read.checkpoints c
           set position = greatest(c.position, free.position), held_until = clock_timestamp() + make_interval(secs => $5)
          from free where c.projection = free.name
        returning free.number)
      select moved.number::int, kept.number is not null as held
        from moved left join kept using (number)
        left join read.checkpoints c on c.projection = moved.name and c.holder = moved.holder and c.token = moved.token
       where kept.number is not null or c.projection is null`,
    values: [
      moved.map(({ lease }) => lease.name),
      moved.map(({ lease }) => lease.holder),
      moved.map(({ lease }) => lease.token),
      moved.map(({ position }) => position),
      LEASE_SECONDS,
    ],
  });
  return new Map(answer.rows.map(({ number, held }) => [number, held]));
}

/** Moves a checkpoint and renews its lease; false if the lease is lost. */
export async function moveCheckpoint(tx: pg.ClientBase, lease: Lease, position: number): Promise<boolean> {
  const answer = await tx.query({
    name: "projections.move_checkpoint",
    text: `update read.checkpoints
        set position = greatest(position, $4), held_until = clock_timestamp() + make_interval(secs => $5)
      where projection = $1 and holder = $2 and token = $3`,
    values: [lease.name, lease.holder, lease.token, position, LEASE_SECONDS],
  });
  return answer.rowCount === 1;
}

/**
 * A transaction that does not wait for the disk. If Postgres crashes and loses it, the events are folded again from
 * the log.
 */
export async function inTransaction<T>(pool: pg.Pool, work: (tx: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("begin; set local synchronous_commit = off");
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}
