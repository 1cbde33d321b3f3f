/**
 * Runs queries on copies of the database: standbys or managed readers. A query may use a copy only if the copy has
 * reached the position. Decisions, keys, quotas and payments use the primary.
 */
import { setMaxListeners } from "node:events";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { batched } from "../../../eventstore/query-batch.ts";
import type { EventStore } from "../../../eventstore/store.ts";
import { createTail, type Tail } from "../../../eventstore/tail.ts";
import { type LogIdentity, MAIN_LOG } from "../../../eventstore/types.ts";
import { inTime } from "../coordination/concurrency.ts";
import type { Projection } from "./projection.ts";
import { nameOf } from "./runner.ts";

export type ReadSource = Projection | "log";

export type CaughtUp = { position?: number; wait_ms?: number };

export type ReadingApp = {
  pool: pg.Pool;
  store: EventStore;
  tail: Tail;
  caughtUp(projection: Projection, until?: CaughtUp): Promise<boolean>;
  asOf(projection: Projection): Promise<number>;
};

/** `left_out`: why the copy is not used, or null. `lag_s`: for how long it has been behind the primary. */
export type ReaderHealth = { name: string; position: number; lag_s: number; left_out: string | null };

export type FreshReader = {
  parts: ReadingApp;
  /** Rejects as soon as the copy is left out, even while the work runs. */
  whileServing<T>(work: Promise<T>): Promise<T>;
};

export type Readers = {
  /** Waits at most 250 ms for a copy that has reached the position. If undefined, use the primary. */
  fresh(reads: ReadSource, position: number): Promise<FreshReader | undefined>;
  /** Notes an append, so that a tenant reads its own writes even if its call names no position. */
  appended(tenant: string, position: number): void;
  newestOf(tenant: string): number;
  look(): Promise<void>;
  health(): ReaderHealth[];
  close(): Promise<void>;
};

export type ReaderDatabase = { name: string; pool: pg.Pool; store: EventStore };

export type ReadersLog = {
  warn(facts: object, message: string): void;
  info(facts: object, message: string): void;
};

const WAIT_MS = 250;
const ASK_AGAIN_MS = 10;
const LOOK_MS = 1_000;
const SILENT_MS = 2_000;
const MOST_LAG_S = 5;
/** A database in recovery sends no notifications, so its tail polls. */
const POLL_MS = 50;
/** After this time every copy in use has the append; a slower copy would have been left out. */
const REMEMBER_MS = 2 * (MOST_LAG_S * 1_000 + LOOK_MS + SILENT_MS);
const TENANTS = 10_000;

export function createReaders(
  databases: readonly ReaderDatabase[],
  primary: EventStore,
  log: ReadersLog,
): Readers {
  const heads = new PastHeads();
  const readers = databases.map((database) => new Reader(database, log));
  const newest = new LRUCache<string, number>({ max: TENANTS, ttl: REMEMBER_MS });
  let turn = 0;
  let looking: Promise<void> | undefined;

  const lookAtAll = async () => {
    const head = await inTime(SILENT_MS, primary.head(), silent).catch(() => undefined);
    if (head) heads.add(head.position);
    await Promise.all(readers.map((reader) => reader.look(primary, heads)));
  };
  const look = () =>
    (looking ??= lookAtAll().finally(() => {
      looking = undefined;
    }));
  const timer = readers.length > 0 ? setInterval(look, LOOK_MS).unref() : undefined;

  return {
    async fresh(reads, position) {
      const first = turn++;
      const deadline = performance.now() + WAIT_MS;
      for (;;) {
        const serving = readers.filter((reader) => reader.serves);
        for (let n = 0; n < serving.length; n++) {
          const reader = serving[(first + n) % serving.length]!;
          if ((await reader.positionOf(reads)) >= position) return reader.over(position);
        }
        if (serving.length === 0 || performance.now() + ASK_AGAIN_MS > deadline) return undefined;
        await new Promise((wake) => setTimeout(wake, ASK_AGAIN_MS));
      }
    },
    appended(tenant, position) {
      if (readers.length > 0) newest.set(tenant, Math.max(position, newest.get(tenant) ?? 0));
    },
    newestOf: (tenant) => newest.get(tenant) ?? 0,
    look,
    health: () => readers.map((reader) => reader.health(heads)),
    async close() {
      clearInterval(timer);
      await looking;
      await Promise.all(readers.map((reader) => reader.close()));
    },
  };
}

/** One sample a second of the primary's head, for measuring the lag of copies. */
class PastHeads {
  #heads: { at: number; position: number }[] = [];

  add(position: number): void {
    const at = performance.now();
    if (this.#heads.at(-1)?.position !== position) this.#heads.push({ at, position });
    // Samples older than a minute are far beyond the lag limit.
    while (this.#heads.length > 2 && at - this.#heads[1]!.at > 60_000) this.#heads.shift();
  }

  lagOf(position: number): number {
    const lacked = this.#heads.find((head) => head.position > position);
    return lacked ? (performance.now() - lacked.at) / 1_000 : 0;
  }
}

/** `epoch` is null without a log; `in_recovery`: it follows another database. */
type ReaderStatus = {
  epoch: string | null;
  in_recovery: boolean;
  head: number;
  log_hash: Buffer | null;
  checkpoints: Record<string, number> | null;
};

/** Simultaneous calls share one query, sent after the last of these calls. */
const readerStatus = batched<ReadSource, ReaderStatus>(async (pool, reads) => {
  const names = new Set(reads.flatMap((read) => (read === "log" ? [] : [nameOf(read)])));
  const { rows } = await pool.query<ReaderStatus>({
    name: "readers.standing",
    text: `select (select epoch from eventstore.logs where log_id = $1) as epoch, pg_is_in_recovery() as in_recovery,
        coalesce(last.position, 0) as head, last.log_hash,
        (select json_object_agg(projection, position) from read.checkpoints where projection = any($2)) as checkpoints
      from (select) as always left join lateral (
        select position, log_hash from eventstore.events where log_id = $1 order by position desc limit 1
      ) as last on true`,
    values: [MAIN_LOG, [...names]],
  });
  return reads.map(() => rows[0]!);
});

const NOTHING = -1;

class Reader {
  readonly #database: ReaderDatabase;
  readonly #log: ReadersLog;
  readonly #tail: Tail;
  #position = 0;
  #matched: Pick<ReaderStatus, "epoch" | "in_recovery"> | undefined;
  /** Aborted when the copy is left out; replaced when it serves again. */
  #serving = new AbortController();
  #left_out: string | null = "it has not been checked yet";

  constructor(database: ReaderDatabase, log: ReadersLog) {
    this.#database = database;
    this.#log = log;
    this.#tail = createTail(database.store, {
      pool: database.pool,
      listens: false,
      poll_ms: POLL_MS,
      onError: (error) => this.#leaveOut(unreadable(error)),
    });
  }

  get serves(): boolean {
    return this.#left_out === null;
  }

  /** The position of the log or the projection in this copy; -1 if the copy is left out or lacks the projection. */
  async positionOf(reads: ReadSource): Promise<number> {
    try {
      const now = await inTime(WAIT_MS, readerStatus(this.#database.pool, reads), silent);
      const fault = this.#changedSince(now);
      if (fault) this.#leaveOut(fault);
      if (!this.serves) return NOTHING;
      return reads === "log" ? now.head : (now.checkpoints?.[nameOf(reads)] ?? NOTHING);
    } catch (error) {
      this.#leaveOut(unreadable(error as Error));
      return NOTHING;
    }
  }

  /** Between two checks, the copy's server may have been replaced or promoted. */
  #changedSince({ epoch, in_recovery }: ReaderStatus): string | undefined {
    if (!this.#matched) return undefined;
    if (epoch !== this.#matched.epoch) return anotherLog(epoch);
    return this.#matched.in_recovery && !in_recovery ? PROMOTED : undefined;
  }

  over(position: number): FreshReader {
    const { pool, store } = this.#database;
    const { signal } = this.#serving;
    const caughtUp = async (projection: Projection, { wait_ms = WAIT_MS }: CaughtUp = {}) => {
      const deadline = performance.now() + wait_ms;
      for (;;) {
        if ((await this.positionOf(projection)) >= position) return true;
        if (performance.now() + ASK_AGAIN_MS > deadline) return false;
        await new Promise((wake) => setTimeout(wake, ASK_AGAIN_MS));
      }
    };
    const asOf = async (projection: Projection) => {
      const at = await this.positionOf(projection);
      if (at < position) throw new Error("it does not have the position any more");
      return at;
    };
    return {
      parts: { pool, store, tail: this.#tail, caughtUp, asOf },
      whileServing: (work) => unlessAborted(work, signal),
    };
  }

  health(heads: PastHeads): ReaderHealth {
    const { name } = this.#database;
    return { name, position: this.#position, lag_s: heads.lagOf(this.#position), left_out: this.#left_out };
  }

  /** Compares the copy's log with the primary's. Keeps the last result while the primary is unavailable. */
  async look(primary: EventStore, heads: PastHeads): Promise<void> {
    let now: ReaderStatus;
    try {
      now = await inTime(SILENT_MS, readerStatus(this.#database.pool, "log"), silent);
    } catch (error) {
      return this.#leaveOut(unreadable(error as Error));
    }
    try {
      const of = await inTime(SILENT_MS, primary.identity(), silent);
      const fault = await inTime(SILENT_MS, this.#faultOf(now, of, primary, heads), silent);
      if (fault !== undefined) return this.#leaveOut(fault);
    } catch {
      return;
    }
    this.#matched = { epoch: now.epoch, in_recovery: now.in_recovery };
    if (this.serves) return;
    this.#serving = new AbortController();
    // Each running call adds a listener, so Node's warning about many listeners would be wrong.
    setMaxListeners(0, this.#serving.signal);
    this.#left_out = null;
    this.#log.info({ reader: this.#database.name, position: now.head }, "a reader of the database serves");
  }

  async #faultOf(
    now: ReaderStatus,
    of: LogIdentity,
    primary: EventStore,
    heads: PastHeads,
  ): Promise<string | undefined> {
    if (now.epoch !== of.epoch) return anotherLog(now.epoch);
    if (this.#matched?.in_recovery && !now.in_recovery) return PROMOTED;
    const furthest = this.#position;
    this.#position = Math.max(now.head, furthest);
    if (now.head > 0) {
      const same = await committedAt(primary, now.head);
      if (same === undefined) return `it has position ${now.head}, which the primary lacks`;
      if (!now.log_hash?.equals(same.log_hash)) return `it has another history at position ${now.head}`;
    }
    if (now.head < furthest) {
      if ((await primary.headAt(furthest)) !== undefined)
        return `it went back from position ${furthest} to ${now.head}`;
      // The primary was reset, and this copy follows the primary's new log.
      this.#position = now.head;
    }
    const lag_s = heads.lagOf(now.head);
    return lag_s > MOST_LAG_S ? `it lags ${Math.round(lag_s)} s behind` : undefined;
  }

  #leaveOut(reason: string): void {
    if (this.serves)
      this.#log.warn({ reader: this.#database.name, reason }, "a reader of the database is left out");
    this.#left_out = reason;
    this.#serving.abort(new Error(`a reader of the database is left out: ${reason}`));
  }

  async close(): Promise<void> {
    await this.#tail.close();
    await this.#database.store.close();
    await this.#database.pool.end();
  }
}

const PROMOTED = "it was promoted, and follows the primary no more";
const anotherLog = (epoch: string | null) =>
  epoch === null ? "it has no log" : `it has another log, of epoch ${epoch}`;
const silent = () => new Error("it does not answer");
const unreadable = (error: Error & { code?: string }) => `it cannot be read: ${error.message || error.code}`;

/** A standby may show a commit before its primary does, so a position that the primary lacks is queried again. */
async function committedAt(primary: EventStore, position: number) {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const found = await primary.headAt(position);
    if (found || performance.now() > deadline) return found;
    await new Promise((wake) => setTimeout(wake, ASK_AGAIN_MS));
  }
}

/** Unlike Promise.race, this leaves no listener on a signal that lives long. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  });
}
