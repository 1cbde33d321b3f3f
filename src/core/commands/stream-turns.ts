/**
 * A lock that processes take in turn on a stream that several of them write. Without it they invalidate each other's decisions,
 * and throughput collapses under load. Correctness never depends on it, so a writer that cannot get it continues without.
 */
import { createHash } from "node:crypto";
import type pg from "pg";

const LOCK = 1_413_565_520;
const TURN_MS = 25;
/** A conflict makes a stream contested for this long. */
const CONTESTED_MS = 10_000;
/** Each lock uses a connection, even while it is queued for. */
const MOST_TURNS = 3;
const SHARE_OF_POOL = 1 / 4;
const LOCK_TIMEOUT = "55P03";

export type StreamLockTimes = {
  waits_ms: number;
  /** Limits a process that was paused or whose commits hang. */
  keeps_ms: number;
};

type StreamLock = { until: number; writers: number; ended: Promise<void>; end(): void };

export class StreamTurns {
  readonly #pool: pg.Pool;
  readonly #times: StreamLockTimes;
  readonly #most: number;
  readonly #contested = new Map<string, number>();
  readonly #turns = new Map<string, StreamLock>();
  #held = 0;

  constructor(pool: pg.Pool, times: StreamLockTimes = { waits_ms: 3_000, keeps_ms: 3_000 }) {
    this.#pool = pool;
    this.#times = times;
    this.#most = Math.min(MOST_TURNS, Math.floor(SHARE_OF_POOL * pool.options.max));
  }

  contest(key: string): void {
    const now = performance.now();
    for (const [other, until] of this.#contested) if (until < now) this.#contested.delete(other);
    this.#contested.set(key, now + CONTESTED_MS);
  }

  /**
   * Called by one writer of a stream at a time. `isNew`: other processes may have written since. Undefined where no lock is
   * needed, or none is available.
   */
  async enter(key: string): Promise<{ leave: () => void; isNew: boolean } | undefined> {
    for (let turn = this.#turns.get(key); turn; turn = this.#turns.get(key)) {
      if (performance.now() < turn.until) return { leave: join(turn), isNew: false };
      await turn.ended;
    }
    if ((this.#contested.get(key) ?? 0) < performance.now()) return undefined;
    if (this.#held >= this.#most || this.#isPoolBusy()) return undefined;
    const turn = await this.#take(key);
    if (turn) return { leave: join(turn), isNew: true };
    // The queue continues without a lock: not every writer should wait that long.
    this.#contested.delete(key);
    return undefined;
  }

  #isPoolBusy(): boolean {
    const { waitingCount, idleCount, totalCount, options } = this.#pool;
    return totalCount >= options.max && waitingCount >= idleCount;
  }

  async #take(key: string): Promise<StreamLock | undefined> {
    this.#held++;
    const client = await this.#locked(key);
    if (!client) {
      this.#held--;
      return undefined;
    }
    let tellEnd = () => {};
    const ended = new Promise<void>((tell) => {
      tellEnd = tell;
    });
    let hasEnded = false;
    const end = () => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      this.#turns.delete(key);
      tellEnd();
      // A connection that misses the commit has lost the lock, or loses it on close.
      void client
        .query("commit")
        .then(
          () => client.release(),
          () => client.release(true),
        )
        .finally(() => {
          this.#held--;
        });
    };
    const timer = setTimeout(end, this.#times.keeps_ms);
    timer.unref();
    const turn = { until: performance.now() + TURN_MS, writers: 0, ended, end };
    this.#turns.set(key, turn);
    return turn;
  }

  async #locked(key: string): Promise<pg.PoolClient | undefined> {
    const client = await this.#pool.connect().catch(() => undefined);
    if (!client) return undefined;
    const { waits_ms, keeps_ms } = this.#times;
    const name = createHash("sha256").update(key).digest().readInt32BE();
    const text = `begin; set local lock_timeout = ${waits_ms}; set local idle_in_transaction_session_timeout = ${keeps_ms};
      select pg_advisory_xact_lock(${LOCK}, ${name})`;
    try {
      // A lost network or an exhausted pooler does not report the lock timeout.
      const asked: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: 2 * waits_ms };
      await client.query(asked);
      return client;
    } catch (error) {
      const isLate = (error as pg.DatabaseError).code === LOCK_TIMEOUT;
      const isUsable = isLate && (await client.query("rollback").catch(() => undefined)) !== undefined;
      client.release(!isUsable);
      return undefined;
    }
  }
}

function join(turn: StreamLock): () => void {
  turn.writers++;
  let hasLeft = false;
  return () => {
    if (hasLeft) return;
    hasLeft = true;
    if (--turn.writers === 0) turn.end();
  };
}
