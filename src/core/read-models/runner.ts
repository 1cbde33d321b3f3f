/**
 * Folds every projection up to the head of the log. Each projection is folded by one process at a time, under a
 * lease. The transaction that writes the read model checks the lease's fencing token, so a paused process cannot
 * write late.
 */
import pLimit, { type LimitFunction } from "p-limit";
import type pg from "pg";
import type { EventSchemas } from "../../../eventstore/schemas.ts";
import type { Follower, Tail } from "../../../eventstore/tail.ts";
import { Waiters } from "../../../eventstore/waiters.ts";
import { pause } from "../coordination/concurrency.ts";
import { type Lease, Leases, RENEW_MS, untilRenewal_ms } from "../coordination/lease.ts";
import { type LeasedLoop, startLeasedLoop } from "../coordination/leased-loop.ts";
import { Checkpoints, inTransaction, KEEP_MS, moveCheckpoint } from "./checkpoints.ts";
import { Folding } from "./folding.ts";
import type { Projection } from "./projection.ts";

/** Events gather for at least this time, unless a caller waits for them, because every batch costs a transaction. */
const GATHER_MS = 20;
/**
 * Events gather for this multiple of the last transaction's duration, so that slow folds leave capacity to commands.
 */
const GATHER_TIMES = 4;
const MOST_GATHER_MS = 250;
/** Position queries within this time share one result. */
const SHARED_MS = 5;
/** With this many waiting events, a transaction starts at once, so that a lagging projection does not wait. */
const FULL = 256;
const RETRY_MS = 500;
/** Folds use this share of the pool's connections, so that they do not block calls. */
const FOLDS_SHARE = 4;

export type RunnerLog = { warn(facts: object, message: string): void };

export type Runner = {
  /** Resolves once `projection` has folded the log up to `position`; false when `timeout_ms` passed first. */
  reached(projection: Projection, position: number, timeout_ms: number): Promise<boolean>;
  /** The position up to which the projection is folded, by any process. */
  positionOf(projection: Projection): Promise<number>;
  /** The position up to which this process has folded the projection; needs no query. */
  knownPosition(projection: Projection): number;
  stop(): Promise<void>;
};

export const nameOf = (projection: Projection) => `${projection.name}_v${projection.version}`;

export type RunnerOptions = {
  pool: pg.Pool;
  tail: Tail;
  schemas: EventSchemas;
  projections: Projection[];
  log: RunnerLog;
  /** `requested`, for short commands: folds a read model only once a caller requests its position. */
  folds?: "all" | "requested";
};

export function startRunner(options: RunnerOptions): Runner {
  const { pool, schemas, projections, folds } = options;
  const folding = new Folding(schemas);
  const leases = new Leases(pool, { table: "read.checkpoints", name: "projection" });
  const atOnce = pLimit(Math.max(1, Math.floor((pool.options.max ?? 0) / FOLDS_SHARE)));
  const parts = { ...options, folding, leases, atOnce, checkpoints: new Checkpoints(pool) };
  const loops = new Map<string, ProjectionLoop>();
  let isStopped = false;
  const start = (projection: Projection) => {
    if (!isStopped && !loops.has(nameOf(projection))) loops.set(nameOf(projection), keep(parts, projection));
  };
  if (folds !== "requested") projections.forEach(start);
  const positionOf = (projection: Projection) => storedPosition(pool, nameOf(projection));
  const sharedPosition = shared(positionOf);

  return {
    positionOf,
    knownPosition: (projection) => loops.get(nameOf(projection))?.progress.position ?? 0,
    async reached(projection, position, timeout_ms) {
      start(projection);
      const own = loops.get(nameOf(projection));
      const deadline = performance.now() + timeout_ms;
      for (let wait = 2; ; wait = Math.min(wait * 2, 25)) {
        if (own && own.progress.position >= position) return true;
        // Another process may have folded it further, and stored the position.
        if (!own?.progress.isKept && (await sharedPosition(projection)) >= position) return true;
        if (!own || performance.now() + wait > deadline) return false;
        own.gathering.end();
        await own.progress.moved(wait);
      }
    },
    async stop() {
      isStopped = true;
      await Promise.all([...loops.values()].map(stopKeeping));
    },
  };
}

async function storedPosition(pool: pg.Pool, name: string): Promise<number> {
  const sql = "select position from read.checkpoints where projection = $1";
  const { rows } = await pool.query<{ position: number }>(sql, [name]);
  return rows[0]?.position ?? 0;
}

/** Simultaneous queries share one result. Later calls do not wait for a query that hangs. */
function shared(positionOf: (projection: Projection) => Promise<number>): typeof positionOf {
  const latest = new Map<string, { at: number; position: Promise<number> }>();
  return (projection) => {
    const name = nameOf(projection);
    const at = performance.now();
    const last = latest.get(name);
    if (last && at - last.at < SHARED_MS) return last.position;
    const position = positionOf(projection);
    latest.set(name, { at, position });
    return position;
  };
}

type Parts = {
  pool: pg.Pool;
  tail: Tail;
  folding: Folding;
  log: RunnerLog;
  leases: Leases;
  /** The number of folds that run at once, over all projections. */
  atOnce: LimitFunction;
  checkpoints: Checkpoints;
};

/** A projection that this process folds while it has the lease. */
type ProjectionLoop = { loop: LeasedLoop; gathering: Gathering; progress: Progress };

function keep(parts: Parts, projection: Projection): ProjectionLoop {
  const [gathering, progress] = [new Gathering(), new Progress()];
  const loop = startLeasedLoop({
    leases: parts.leases,
    name: nameOf(projection),
    renewal: "work",
    work: ({ lease }, signal) => foldUnderLease({ ...parts, projection, gathering, progress, lease, signal }),
    failed: (error) => notePaused(parts, nameOf(projection), error),
  });
  return { loop, gathering, progress };
}

function stopKeeping({ loop, gathering }: ProjectionLoop): Promise<void> {
  const stopped = loop.stop();
  gathering.end();
  return stopped;
}

/** The position up to which this process has folded a projection; other processes may have folded it further. */
class Progress {
  position = 0;
  /** True while this process folds under its lease: then no other process has folded further. */
  isKept = false;
  readonly #moves = new Waiters();

  at(position: number): void {
    this.position = Math.max(this.position, position);
    this.#moves.wake();
  }

  /** Resolves when the projection has moved on, or after `ms`. While another process folds it, only the time counts. */
  moved(ms: number): Promise<void> {
    return this.#moves.within(ms);
  }
}

/** The pause in which events gather. It ends when somebody waits for the projection. */
class Gathering {
  #waiting: AbortController | undefined;

  end(): void {
    this.#waiting?.abort();
  }

  /** Resolves after `ms`, or earlier when `end` is called. */
  within(ms: number): Promise<void> {
    this.#waiting = new AbortController();
    return pause(ms, this.#waiting.signal);
  }
}

/** A projection under its lease; each renewal is written with the fold. */
type Tenure = Parts &
  Omit<ProjectionLoop, "loop"> & { projection: Projection; lease: Lease; signal: AbortSignal };

/** Folds until stopped or until the lease is lost. After a failure, it continues from the stored position. */
async function foldUnderLease(tenure: Tenure): Promise<void> {
  const { leases, checkpoints, lease, signal } = tenure;
  let isHeld = true;
  while (isHeld && !signal.aborted) {
    try {
      await fold(tenure);
      isHeld = false;
    } catch (error) {
      if (signal.aborted) break;
      await notePaused(tenure, lease.name, error);
      await pause(RETRY_MS, signal);
      // If the database is unavailable, the next fold reports the error.
      isHeld = signal.aborted || (await leases.renew(lease).catch(() => true));
    }
  }
  await checkpoints.keep();
}

async function notePaused({ log, pool }: Parts, projection: string, error: unknown): Promise<void> {
  log.warn({ projection, error: String(error) }, "projection paused; trying again");
  await noteTrouble(pool, projection, String(error)).catch(() => undefined);
}

/** Stores the error that blocks a projection, so that all processes see it; null once the projection continues. */
const noteTrouble = (pool: pg.Pool, name: string, trouble: string | null) =>
  pool.query(
    "update read.checkpoints set trouble = $2 where projection = $1 and trouble is distinct from $2",
    [name, trouble],
  );

/** Follows the log from the stored position. */
async function fold(tenure: Tenure): Promise<void> {
  const { pool, tail, progress, lease } = tenure;
  const follower = tail.follower();
  try {
    const position = await storedPosition(pool, lease.name);
    progress.at(position);
    progress.isKept = true;
    await follow({ ...tenure, follower }, position);
  } finally {
    progress.isKept = false;
    follower.leave();
  }
}

async function follow(tenure: Tenure & { follower: Follower }, from: number): Promise<void> {
  const { pool, tail, folding, leases, checkpoints, projection, progress, lease, signal } = tenure;
  let position = from;
  let isNoted = false;
  while (!signal.aborted && !checkpoints.hasLost(lease)) {
    const events = await nextEvents(tenure, position);
    if (!events?.length) {
      if (!(await leases.renew(lease))) return;
      // Retries checkpoints that could not be stored while the database was unavailable, even if no new events come.
      await checkpoints.keep();
      continue;
    }
    position = events.at(-1)!.position;
    const work = folding.of(projection, events);
    const took_ms = work ? await foldInTurn(tenure, position, work) : 0;
    if (took_ms === undefined) return;
    if (!work) checkpoints.advance(lease, position);
    progress.at(position);
    // The lease's previous holder may have stored a failure, which ends with the first fold here.
    if (!isNoted) await noteTrouble(pool, lease.name, null);
    isNoted = true;
    if (tail.position - position < FULL && !signal.aborted)
      await tenure.gathering.within(work ? gatherFor(took_ms) : KEEP_MS);
  }
}

async function nextEvents({ tail, follower, signal }: Tenure & { follower: Follower }, position: number) {
  const isThere = await tail.grown(position + 1, untilRenewal_ms(), signal);
  return isThere ? follower.since(position, RENEW_MS) : undefined;
}

const gatherFor = (took_ms: number) => Math.min(Math.max(GATHER_TIMES * took_ms, GATHER_MS), MOST_GATHER_MS);

/**
 * Folds and moves the checkpoint in one transaction, once the limit on simultaneous folds permits. Returns the
 * duration, or undefined if the lease is lost.
 */
async function foldInTurn(
  { pool, leases, atOnce, progress, lease }: Tenure,
  position: number,
  work: (tx: pg.ClientBase) => Promise<void>,
): Promise<number | undefined> {
  const renew = async () => {
    const isHeld = await leases.renew(lease).catch(() => undefined);
    // Another process may fold the projection from now on.
    if (isHeld === false) progress.isKept = false;
  };
  // Renews the lease while the fold waits for other folds to end.
  const renewing = setInterval(() => void renew(), RENEW_MS);
  return atOnce(() => {
    clearInterval(renewing);
    return inTransaction(pool, async (tx) => {
      const began = performance.now();
      if (!(await moveCheckpoint(tx, lease, position))) return undefined;
      await work(tx);
      return performance.now() - began;
    });
  });
}
