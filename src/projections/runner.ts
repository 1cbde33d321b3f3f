/**
 * Keeps every projection at the head of the log. One process runs a projection at a time: it holds a lease, and its
 * fencing token is checked in the same transaction that writes the read model, so a paused holder cannot write late.
 */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { EventSchemas } from "../../eventstore/schemas.ts";
import type { Follower, Tail } from "../../eventstore/tail.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { Waiters } from "../../eventstore/waiters.ts";
import { pause } from "../concurrency.ts";
import { type Lease as HeldLease, LEASE_SECONDS, Leases, RENEW_MS } from "../lease.ts";
import { Folding } from "./folding.ts";
import type { Projection } from "./projection.ts";

/** Events are gathered for so long at least, unless somebody waits for them: a batch costs a transaction, whatever it holds. */
const GATHER_MS = 20;
/** Where transactions take long, for so many times as long as the last one took: what decides has the machine before what is read. */
const GATHER_TIMES = 4;
const MOST_GATHER_MS = 100;
/** Checkpoints that move without a fold are kept so often. */
const KEEP_MS = 50;
/** So many are worth a transaction at once: whoever is far behind does not wait. */
const FULL = 256;
const RETRY_MS = 500;

export type RunnerLog = { warn(facts: object, message: string): void };

export type Runner = {
  /** Resolves once `projection` has folded the log up to `position`; false when `timeout_ms` passed first. */
  reached(projection: Projection, position: number, timeout_ms: number): Promise<boolean>;
  /** How far it has folded the log. */
  positionOf(projection: Projection): Promise<number>;
  stop(): Promise<void>;
};

export const nameOf = (projection: Projection) => `${projection.name}_v${projection.version}`;

export type RunnerOptions = {
  pool: pg.Pool;
  tail: Tail;
  schemas: EventSchemas;
  projections: Projection[];
  log: RunnerLog;
  /** `asked`: for who ends soon. What stands at the head of the log is kept there only once somebody asks whether it has reached a position. */
  keeps?: "all" | "asked";
};

export function startRunner(options: RunnerOptions): Runner {
  const folding = new Folding(options.schemas);
  const leases = new Leases(options.pool, { table: "read.checkpoints", name: "projection" });
  const parts = { ...options, folding, leases, checkpoints: new Checkpoints(options.pool) };
  const loops = new Map<
    string,
    { stopping: AbortController; asked: Asked; progress: Progress; ended: Promise<void> }
  >();
  let isStopped = false;
  const start = (projection: Projection) => {
    if (isStopped || loops.has(nameOf(projection))) return;
    // One for each: a signal warns of more than ten listeners.
    const stopping = new AbortController();
    const [asked, progress] = [new Asked(), new Progress()];
    const ended = keep({ ...parts, asked, progress }, projection, stopping.signal);
    loops.set(nameOf(projection), { stopping, asked, progress, ended });
  };
  const startThose = (projections: readonly Projection[]) => projections.forEach(start);
  const started =
    options.keeps === "asked"
      ? lagging(options).then(startThose, () => startThose(options.projections))
      : startThose(options.projections);

  const positionOf = async (projection: Projection): Promise<number> => {
    const sql = "select position from read.checkpoints where projection = $1";
    const answer = await options.pool.query<{ position: number }>(sql, [nameOf(projection)]);
    return answer.rows[0]?.position ?? 0;
  };

  return {
    positionOf,
    async reached(projection, position, timeout_ms) {
      start(projection);
      const loop = loops.get(nameOf(projection));
      const deadline = Date.now() + timeout_ms;
      for (let wait = 2; ; wait = Math.min(wait * 2, 25)) {
        if (loop && loop.progress.position >= position) return true;
        // Another process may keep it.
        if ((await positionOf(projection)) >= position) return true;
        if (!loop || Date.now() + wait > deadline) return false;
        loop.asked.now();
        await loop.progress.moved(wait);
      }
    },
    async stop() {
      isStopped = true;
      await started;
      for (const { stopping, asked } of loops.values()) {
        stopping.abort();
        asked.now();
      }
      await Promise.all([...loops.values()].map(({ ended }) => ended));
    },
  };
}

/** Those that have not folded the log to its end. */
async function lagging({ pool, projections }: RunnerOptions): Promise<Projection[]> {
  const sql = `select projection from read.checkpoints
    where position >= (select coalesce(max(position), 0) from eventstore.events where log_id = $1)`;
  const { rows } = await pool.query<{ projection: string }>(sql, [MAIN_LOG]);
  const current = new Set(rows.map(({ projection }) => projection));
  return projections.filter((projection) => !current.has(nameOf(projection)));
}

type Lease = HeldLease & { position: number };

type KeepParts = {
  pool: pg.Pool;
  tail: Tail;
  folding: Folding;
  log: RunnerLog;
  leases: Leases;
  checkpoints: Checkpoints;
  asked: Asked;
  progress: Progress;
};

/** How far this process has folded a projection: the read model has at least that. */
class Progress {
  position = 0;
  readonly #moves = new Waiters();

  at(position: number): void {
    this.position = Math.max(this.position, position);
    this.#moves.wake();
  }

  /** Resolves when it has moved on, which it may never do here, or after so long. */
  moved(ms: number): Promise<void> {
    return this.#moves.within(ms);
  }
}

/** Ends the gathering of a projection that somebody waits for. */
class Asked {
  #waiting: AbortController | undefined;

  now(): void {
    this.#waiting?.abort();
  }

  /** Resolves when somebody asks, or after so long. */
  within(ms: number): Promise<void> {
    this.#waiting = new AbortController();
    return pause(ms, this.#waiting.signal);
  }
}

async function keep(options: KeepParts, projection: Projection, signal: AbortSignal): Promise<void> {
  const holder = randomUUID();
  const name = nameOf(projection);
  while (!signal.aborted) {
    try {
      const lease = await takeLease(options, name, holder);
      if (!lease) {
        await pause(RENEW_MS, signal);
        continue;
      }
      await runUnderLease(options, projection, lease, signal);
    } catch (error) {
      if (signal.aborted) break;
      options.log.warn({ projection: name, error: String(error) }, "projection paused; trying again");
      await noteTrouble(options.pool, name, String(error)).catch(() => undefined);
      await pause(RETRY_MS, signal);
    }
  }
  await options.checkpoints.keep();
  await options.leases.handBack({ name, holder });
}

async function takeLease(
  { leases, pool }: KeepParts,
  name: string,
  holder: string,
): Promise<Lease | undefined> {
  const lease = await leases.take(name, holder);
  if (!lease) return undefined;
  const sql = "select position from read.checkpoints where projection = $1";
  const { rows } = await pool.query<{ position: number }>(sql, [name]);
  return { ...lease, position: rows[0]!.position };
}

/** What keeps a projection from folding, for all processes to see; null once it goes on. */
const noteTrouble = (pool: pg.Pool, name: string, trouble: string | null) =>
  pool.query(
    "update read.checkpoints set trouble = $2 where projection = $1 and trouble is distinct from $2",
    [name, trouble],
  );

async function runUnderLease(
  options: KeepParts,
  projection: Projection,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  const follower = options.tail.follower();
  try {
    await followUnderLease({ ...options, follower }, projection, lease, signal);
  } finally {
    follower.leave();
  }
}

async function followUnderLease(
  { pool, tail, follower, folding, leases, checkpoints, asked, progress }: KeepParts & { follower: Follower },
  projection: Projection,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  let { position } = lease;
  let isNoted = false;
  progress.at(position);
  while (!signal.aborted && !checkpoints.hasLost(lease)) {
    const isThere = await tail.reached(position + 1, RENEW_MS, signal);
    const events = isThere ? await follower.since(position, RENEW_MS) : undefined;
    if (!events?.length) {
      if (!(await leases.renew(lease))) return;
      // What could not be kept while the database was away is kept although nothing new comes.
      await checkpoints.keep();
      continue;
    }
    position = events.at(-1)!.position;
    const fold = folding.of(projection, events);
    const began = performance.now();
    if (fold) {
      const isHeld = await inTransaction(pool, async (tx) => {
        const held = await moveCheckpoints(tx, [{ lease, position }]);
        if (held.size === 1) await fold(tx);
        return held.size === 1;
      });
      if (!isHeld) return;
    } else checkpoints.advance(lease, position);
    progress.at(position);
    const gather_ms = fold ? GATHER_TIMES * (performance.now() - began) : GATHER_MS;
    // Whoever held the lease before may have left a trouble that is over with the first fold.
    if (!isNoted) await noteTrouble(pool, lease.name, null);
    isNoted = true;
    if (events.length < FULL && !signal.aborted)
      await asked.within(Math.min(Math.max(gather_ms, GATHER_MS), MOST_GATHER_MS));
  }
}

/**
 * Checkpoints that move past what does not concern their projections: those of a while in one statement. That they lie behind for
 * so long costs whoever comes after a crash some events to read, and nothing else.
 */
class Checkpoints {
  readonly #pool: pg.Pool;
  readonly #moved = new Map<Lease, number>();
  readonly #lost = new WeakSet<Lease>();
  #next: Promise<void> | undefined;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  advance(lease: Lease, position: number): void {
    this.#moved.set(lease, position);
    this.#next ??= new Promise((wake) => setTimeout(wake, KEEP_MS)).then(() => this.keep());
  }

  /** Whether somebody else was found to hold it by now. */
  hasLost(lease: Lease): boolean {
    return this.#lost.has(lease);
  }

  async keep(): Promise<void> {
    this.#next = undefined;
    const moved = [...this.#moved].map(([lease, position]) => ({ lease, position }));
    this.#moved.clear();
    if (moved.length === 0) return;
    // Where the database is away, it is the next fold or renewal that tells.
    const held = await inTransaction(this.#pool, (tx) => moveCheckpoints(tx, moved)).catch(() => undefined);
    for (const { lease, position } of moved) {
      if (!held) this.#moved.set(lease, Math.max(position, this.#moved.get(lease) ?? 0));
      else if (!held.has(lease.name)) this.#lost.add(lease);
    }
  }
}

/** Moves checkpoints and prolongs their leases; answers the names of those that are still held. */
async function moveCheckpoints(
  tx: pg.ClientBase,
  moved: { lease: Lease; position: number }[],
): Promise<Set<string>> {
  const answer = await tx.query<{ projection: string }>({
    name: "projections.move_checkpoints",
    text: `update read.checkpoints c
        set position = greatest(c.position, moved.position), held_until = clock_timestamp() + make_interval(secs => $5)
      from unnest($1::text[], $2::uuid[], $3::bigint[], $4::bigint[]) as moved (name, holder, token, position)
      where c.projection = moved.name and c.holder = moved.holder and c.token = moved.token
      returning c.projection`,
    values: [
      moved.map(({ lease }) => lease.name),
      moved.map(({ lease }) => lease.holder),
      moved.map(({ lease }) => lease.token),
      moved.map(({ position }) => position),
      LEASE_SECONDS,
    ],
  });
  return new Set(answer.rows.map(({ projection }) => projection));
}

/** A transaction that does not wait for the disk: what a crash of Postgres takes of the last moment is folded again from the log. */
async function inTransaction<T>(pool: pg.Pool, work: (tx: pg.ClientBase) => Promise<T>): Promise<T> {
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
