/**
 * Reading elsewhere: copies of the database that follow it, standbys or managed readers. What only reads may be given one that has the
 * position asked for; decisions, keys, quotas, payments and what was said before are the primary's alone.
 */
import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { EventStore } from "../eventstore/store.ts";
import { createTail, type Tail } from "../eventstore/tail.ts";
import type { LogHead } from "../eventstore/types.ts";
import type { App } from "./app.ts";
import type { Projection } from "./projections/projection.ts";
import { nameOf } from "./projections/runner.ts";

/** What an operation reads: a read model, or the log itself. */
export type Reads = Projection | "log";

/** The parts of an app that read, over a copy of the database. */
export type ReadingApp = Pick<App, "pool" | "store" | "tail" | "caughtUp" | "asOf">;

/** `left_out`: why it serves nobody; null while it serves. `lag_s`: for how long it has lacked something that the primary has. */
export type ReaderHealth = { name: string; position: number; lag_s: number; left_out: string | null };

/** A copy that has what was asked for. */
export type FreshReader = {
  parts: ReadingApp;
  /** Says that it could not be read from: it serves nobody until it is looked at again. */
  failed(error: Error): void;
};

export type Readers = {
  /** A copy whose read model, or log, has reached the position, waited for at most 250 ms; undefined where the primary has to answer. */
  fresh(reads: Reads, position: number): Promise<FreshReader | undefined>;
  /** Remembers what was appended for a tenant, so that it sees its own where it names no position. */
  appended(tenant: string, position: number): void;
  /** The newest position appended for a tenant by this process lately, 0 where none was. */
  newestOf(tenant: string): number;
  health(): ReaderHealth[];
  close(): Promise<void>;
};

/** A copy by the name that operators know it by: its address without secrets. */
export type ReaderDatabase = { name: string; pool: pg.Pool; store: EventStore };

export type ReadersLog = {
  warn(facts: object, message: string): void;
  info(facts: object, message: string): void;
};

const WAIT_MS = 250;
const LOOK_MS = 10;
const CHECK_MS = 1_000;
/** A copy that lacks something for so long serves nobody. */
const MOST_LAG_S = 5;
/** In recovery nothing is announced: who follows the log there has it looked at. */
const POLL_MS = 50;
/** What was appended longer ago every copy that serves has. */
const REMEMBER_MS = 2 * MOST_LAG_S * 1_000;
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
  let checking: Promise<void> | undefined;

  const check = async () => {
    const head = await primary.head().catch(() => undefined);
    if (head) heads.add(head.position);
    await Promise.all(readers.map((reader) => reader.check(primary, heads)));
  };
  const checkOnce = () =>
    (checking ??= check().finally(() => {
      checking = undefined;
    }));
  const timer = readers.length > 0 ? setInterval(checkOnce, CHECK_MS).unref() : undefined;
  if (readers.length > 0) void checkOnce();

  return {
    async fresh(reads, position) {
      const first = turn++;
      const deadline = Date.now() + WAIT_MS;
      for (;;) {
        const serving = readers.filter(({ left_out }) => left_out === null);
        for (let n = 0; n < serving.length; n++) {
          const reader = serving[(first + n) % serving.length]!;
          if ((await reader.positionOf(reads)) >= position) return reader.over(position);
        }
        if (serving.length === 0 || Date.now() + LOOK_MS > deadline) return undefined;
        await new Promise((wake) => setTimeout(wake, LOOK_MS));
      }
    },
    appended(tenant, position) {
      if (readers.length > 0) newest.set(tenant, Math.max(position, newest.get(tenant) ?? 0));
    },
    newestOf: (tenant) => newest.get(tenant) ?? 0,
    health: () => readers.map((reader) => reader.health(heads)),
    async close() {
      clearInterval(timer);
      await checking;
      await Promise.all(readers.map((reader) => reader.close()));
    },
  };
}

/** Where the primary's log ended, a second apart, to tell since when a copy lacks something. */
class PastHeads {
  #heads: { at: number; position: number }[] = [];

  add(position: number): void {
    const at = performance.now();
    if (this.#heads.at(-1)?.position !== position) this.#heads.push({ at, position });
    // One from before is kept: what it had is lacked for longer than all that is told apart.
    while (this.#heads.length > 2 && at - this.#heads[1]!.at > 60_000) this.#heads.shift();
  }

  /** For how many seconds a copy that ends there has lacked something. */
  lagOf(position: number): number {
    const lacked = this.#heads.find((head) => head.position > position);
    return lacked ? (performance.now() - lacked.at) / 1_000 : 0;
  }
}

class Reader {
  readonly #database: ReaderDatabase;
  readonly #log: ReadersLog;
  readonly #tail: Tail;
  #position = 0;
  /** Why it serves nobody; null while it does. */
  left_out: string | null = "it has not been looked at yet";

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

  /** How far it has what is read; -1 where it cannot be asked. */
  async positionOf(reads: Reads): Promise<number> {
    try {
      if (reads === "log") return (await this.#database.store.head()).position;
      const sql = "select position from read.checkpoints where projection = $1";
      const { rows } = await this.#database.pool.query<{ position: number }>(sql, [nameOf(reads)]);
      return rows[0]?.position ?? -1;
    } catch (error) {
      this.#leaveOut(unreadable(error as Error));
      return -1;
    }
  }

  over(position: number): FreshReader {
    const { pool, store } = this.#database;
    const reached = async (projection: Projection, wait_ms = WAIT_MS) => {
      const deadline = Date.now() + wait_ms;
      for (;;) {
        if ((await this.positionOf(projection)) >= position) return true;
        if (Date.now() + LOOK_MS > deadline) return false;
        await new Promise((wake) => setTimeout(wake, LOOK_MS));
      }
    };
    const parts: ReadingApp = {
      ...{ pool, store, tail: this.#tail, caughtUp: reached },
      asOf: async (projection) => Math.max(0, await this.positionOf(projection)),
    };
    return { parts, failed: (error) => this.#leaveOut(unreadable(error)) };
  }

  health(heads: PastHeads): ReaderHealth {
    const { name } = this.#database;
    return { name, position: this.#position, lag_s: heads.lagOf(this.#position), left_out: this.left_out };
  }

  /** Looks whether it has the primary's log, and how much of it. */
  async check(primary: EventStore, heads: PastHeads): Promise<void> {
    try {
      const head = await this.#database.store.head();
      const trouble = await this.#troubleAt(head, primary, heads);
      this.#position = Math.max(head.position, this.#position);
      if (trouble !== undefined) return this.#leaveOut(trouble);
      if (this.left_out !== null)
        this.#log.info({ reader: this.#database.name }, "a reader of the database serves");
      this.left_out = null;
    } catch (error) {
      this.#leaveOut(unreadable(error as Error));
    }
  }

  async #troubleAt(head: LogHead, primary: EventStore, heads: PastHeads): Promise<string | undefined> {
    const [own, of] = await Promise.all([this.#database.store.identity(), primary.identity()]);
    if (own.epoch !== of.epoch) return `it has another log, ${own.origin} of epoch ${own.epoch}`;
    if (head.position < this.#position)
      return `it went back from position ${this.#position} to ${head.position}`;
    const same = await primary.headAt(head.position);
    if (same === undefined) return `it has position ${head.position}, which the primary lacks`;
    if (!Buffer.from(same.log_hash).equals(head.log_hash))
      return `it has another history at position ${head.position}`;
    const lag_s = heads.lagOf(head.position);
    return lag_s > MOST_LAG_S ? `it lags ${Math.round(lag_s)} s behind` : undefined;
  }

  #leaveOut(reason: string): void {
    if (this.left_out === null)
      this.#log.warn({ reader: this.#database.name, reason }, "a reader of the database is left out");
    this.left_out = reason;
  }

  async close(): Promise<void> {
    await this.#tail.close();
    await this.#database.store.close();
    await this.#database.pool.end();
  }
}

const unreadable = (error: Error & { code?: string }) => `it cannot be read: ${error.message || error.code}`;
