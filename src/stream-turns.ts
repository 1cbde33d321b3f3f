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
/** A turn is waited for so long, and kept by a process that says nothing for so long. */
const WAITS_MS = 1_000;
const SILENT_MS = 3_000;
/** Since a commit came too late on a stream, turns are taken there for so long. */
const CONTESTED_MS = 10_000;
/** Each turn holds a connection, also while it is waited for. */
const MOST_TURNS = 3;

type Turn = { until: number; writers: number; ended: Promise<void>; end(): void };

export class StreamTurns {
  readonly #pool: pg.Pool;
  readonly #contested = new Map<string, number>();
  readonly #turns = new Map<string, Turn>();
  /** Turns had, and asked for. */
  #open = 0;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Says that another process writes the stream too. */
  contest(key: string): void {
    const now = performance.now();
    for (const [other, until] of this.#contested) if (until < now) this.#contested.delete(other);
    this.#contested.set(key, now + CONTESTED_MS);
  }

  /**
   * Waits for this process's turn on a stream, where another writes it too; the answer leaves it, once what was decided has come to an end.
   * Asked by one writer of a stream at a time. `isNew`: what is known of the stream may be old, others had their turns since.
   */
  async enter(key: string): Promise<{ leave: () => void; isNew: boolean } | undefined> {
    for (let turn = this.#turns.get(key); turn; turn = this.#turns.get(key)) {
      if (performance.now() < turn.until) return { leave: this.#join(turn), isNew: false };
      await turn.ended;
    }
    if ((this.#contested.get(key) ?? 0) < performance.now() || this.#open >= MOST_TURNS) return undefined;
    this.#open++;
    const turn = await this.#take(key);
    if (turn) return { leave: this.#join(turn), isNew: true };
    this.#open--;
    this.#contested.delete(key);
    return undefined;
  }

  #join(turn: Turn): () => void {
    turn.writers++;
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      if (--turn.writers === 0) turn.end();
    };
  }

  /** Undefined where it cannot be had, or not in time. */
  async #take(key: string): Promise<Turn | undefined> {
    const client = await this.#pool.connect().catch(() => undefined);
    if (!client) return undefined;
    const name = createHash("sha256").update(key).digest().readInt32BE();
    try {
      await client.query(
        `begin; set local lock_timeout = ${WAITS_MS}; set local idle_in_transaction_session_timeout = ${SILENT_MS};
         select pg_advisory_xact_lock(${LOCK}, ${name})`,
      );
    } catch {
      client.release(true);
      return undefined;
    }
    let tellEnd = () => {};
    const ended = new Promise<void>((tell) => {
      tellEnd = tell;
    });
    const end = () => {
      this.#turns.delete(key);
      this.#open--;
      tellEnd();
      // A connection that does not hear it any more has lost the lock, or loses it when it is closed.
      client.query("commit").then(
        () => client.release(),
        () => client.release(true),
      );
    };
    const turn = { until: performance.now() + TURN_MS, writers: 0, ended, end };
    this.#turns.set(key, turn);
    return turn;
  }
}
