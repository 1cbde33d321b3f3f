/**
 * A lock on a stream that several processes write. Without it, the processes invalidate each other's decisions, and
 * throughput collapses under load. Correctness never depends on the lock: a writer that cannot get it continues
 * without.
 */
import { createHash } from "node:crypto";
import type pg from "pg";

const LOCK_SPACE = 1_413_565_520;
const LOCK_MS = 25;
/** After a conflict, a stream counts as contested for this long. */
const CONTESTED_MS = 10_000;
/** Each lock uses a connection, even while it waits. */
const MOST_LOCKS = 3;
const SHARE_OF_POOL = 1 / 4;
const LOCK_TIMEOUT = "55P03";

export type StreamLockTimes = {
  waits_ms: number;
  /** The longest time that a paused process, or one whose commits hang, may have a lock. */
  most_ms: number;
};

type StreamLock = { until: number; writers: number; ended: Promise<void>; end(): void };

export class StreamLocks {
  readonly #pool: pg.Pool;
  readonly #times: StreamLockTimes;
  readonly #most: number;
  readonly #contested = new Map<string, number>();
  readonly #locks = new Map<string, StreamLock>();
  #connections = 0;

  constructor(pool: pg.Pool, times: StreamLockTimes = { waits_ms: 3_000, most_ms: 3_000 }) {
    this.#pool = pool;
    this.#times = times;
    this.#most = Math.min(MOST_LOCKS, Math.floor(SHARE_OF_POOL * pool.options.max));
  }

  contest(key: string): void {
    const now = performance.now();
    for (const [other, until] of this.#contested) if (until < now) this.#contested.delete(other);
    this.#contested.set(key, now + CONTESTED_MS);
  }

  /**
   * Takes or joins the lock on a stream. Only one writer of a stream may call it at a time. `isNew`: other processes
   * may have written since. Undefined if no lock is needed, or none is available.
   */
  async enter(key: string): Promise<{ leave: () => void; isNew: boolean } | undefined> {
    for (let lock = this.#locks.get(key); lock; lock = this.#locks.get(key)) {
      if (performance.now() < lock.until) return { leave: join(lock), isNew: false };
      await lock.ended;
    }
    if ((this.#contested.get(key) ?? 0) < performance.now()) return undefined;
    if (this.#connections >= this.#most || this.#isPoolBusy()) return undefined;
    const lock = await this.#take(key);
    if (lock) return { leave: join(lock), isNew: true };
    // A lock that took too long to get is not tried again, so that later writers in the queue do not wait as long.
    this.#contested.delete(key);
    return undefined;
  }

  #isPoolBusy(): boolean {
    const { waitingCount, idleCount, totalCount, options } = this.#pool;
    return totalCount >= options.max && waitingCount >= idleCount;
  }

  async #take(key: string): Promise<StreamLock | undefined> {
    this.#connections++;
    const client = await this.#locked(key);
    if (!client) {
      this.#connections--;
      return undefined;
    }
    let resolveEnd = () => {};
    const ended = new Promise<void>((tell) => {
      resolveEnd = tell;
    });
    let hasEnded = false;
    const end = () => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      this.#locks.delete(key);
      resolveEnd();
      // If this commit fails, the connection is closed, which releases the lock.
      void client
        .query("commit")
        .then(
          () => client.release(),
          () => client.release(true),
        )
        .finally(() => {
          this.#connections--;
        });
    };
    const timer = setTimeout(end, this.#times.most_ms);
    timer.unref();
    const lock = { until: performance.now() + LOCK_MS, writers: 0, ended, end };
    this.#locks.set(key, lock);
    return lock;
  }

  async #locked(key: string): Promise<pg.PoolClient | undefined> {
    const client = await this.#pool.connect().catch(() => undefined);
    if (!client) return undefined;
    const { waits_ms, most_ms } = this.#times;
    const name = createHash("sha256").update(key).digest().readInt32BE();
    const text = `begin; set local lock_timeout = ${waits_ms}; set local idle_in_transaction_session_timeout = ${most_ms};
      select pg_advisory_xact_lock(${LOCK_SPACE}, ${name})`;
    try {
      // If the network is lost or the pooler has no connection, Postgres reports no lock timeout, so the query has its
      // own.
      const query: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: 2 * waits_ms };
      await client.query(query);
      return client;
    } catch (error) {
      const isLate = (error as pg.DatabaseError).code === LOCK_TIMEOUT;
      const isUsable = isLate && (await client.query("rollback").catch(() => undefined)) !== undefined;
      client.release(!isUsable);
      return undefined;
    }
  }
}

function join(lock: StreamLock): () => void {
  lock.writers++;
  let hasLeft = false;
  return () => {
    if (hasLeft) return;
    hasLeft = true;
    if (--lock.writers === 0) lock.end();
  };
}
