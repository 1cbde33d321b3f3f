/**
 * Turns that processes take on a stream which several of them write at once. Without them each undoes what the other has decided ahead:
 * asked for more than they can do so, they do less and less. Nothing rests upon a turn, a commit checks what it was decided upon whether
 * there was one or not; so whoever cannot have one, or has waited for too long, goes on without.
 */
import { createHash } from "node:crypto";
import type pg from "pg";

/** The first number of the advisory locks of turns; the second is a hash of the stream's name. */
const LOCK = 1_413_565_520;
/** A turn takes no more writers after so long: then it is the next process's. */
const TURN_MS = 25;
/** Since a commit came too late on a stream, turns are taken there for so long. */
const CONTESTED_MS = 10_000;
/** Each turn holds a connection, also while it is waited for: so many at most, and this share of the pool. */
const MOST_TURNS = 3;
const SHARE_OF_POOL = 1 / 4;
/** What Postgres answers when a lock was waited for too long. */
const LOCK_TIMEOUT = "55P03";

export type TurnTimes = {
  /** For how long a turn is waited for. */
  waits_ms: number;
  /** Whoever has had a turn for so long has it no more, as a process that was stopped or whose commits hang. */
  keeps_ms: number;
};

type Turn = { until: number; writers: number; ended: Promise<void>; end(): void };

export class StreamTurns {
  readonly #pool: pg.Pool;
  readonly #times: TurnTimes;
  readonly #most: number;
  readonly #contested = new Map<string, number>();
  readonly #turns = new Map<string, Turn>();
  /** Connections that are held for turns. */
  #held = 0;

  constructor(pool: pg.Pool, times: TurnTimes = { waits_ms: 3_000, keeps_ms: 3_000 }) {
    this.#pool = pool;
    this.#times = times;
    this.#most = Math.min(MOST_TURNS, Math.floor(SHARE_OF_POOL * pool.options.max));
  }

  /** Says that another process writes the stream too. */
  contest(key: string): void {
    const now = performance.now();
    for (const [other, until] of this.#contested) if (until < now) this.#contested.delete(other);
    this.#contested.set(key, now + CONTESTED_MS);
  }

  /**
   * Waits for this process's turn on a stream, where another writes it too; the answer leaves it, once what was decided has come to an end.
   * Asked by one writer of a stream at a time. `isNew`: what is known of the stream may be old, others had their turns since. Undefined
   * where no turn is needed, or none is to be had: nobody waits for a connection for it.
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
    // Its line goes on without, until it loses again: it shall not wait so long for each.
    this.#contested.delete(key);
    return undefined;
  }

  #isPoolBusy(): boolean {
    const { waitingCount, idleCount, totalCount, options } = this.#pool;
    return totalCount >= options.max && waitingCount >= idleCount;
  }

  /** Undefined where it is not to be had in time. */
  async #take(key: string): Promise<Turn | undefined> {
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
      // A connection that does not hear it any more has lost the lock, or loses it when it is closed.
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

  /** A connection in whose transaction the stream is locked. */
  async #locked(key: string): Promise<pg.PoolClient | undefined> {
    const client = await this.#pool.connect().catch(() => undefined);
    if (!client) return undefined;
    const { waits_ms, keeps_ms } = this.#times;
    const name = createHash("sha256").update(key).digest().readInt32BE();
    const text = `begin; set local lock_timeout = ${waits_ms}; set local idle_in_transaction_session_timeout = ${keeps_ms};
      select pg_advisory_xact_lock(${LOCK}, ${name})`;
    try {
      // A network that is lost, or a pooler that has no connection, does not tell when the lock's time is over.
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

/** Answers how to leave. */
function join(turn: Turn): () => void {
  turn.writers++;
  let hasLeft = false;
  return () => {
    if (hasLeft) return;
    hasLeft = true;
    if (--turn.writers === 0) turn.end();
  };
}
