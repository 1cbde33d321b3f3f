/**
 * Keeps every projection at the head of the log. One process runs a projection at a time: it holds a lease, and its
 * fencing token is checked in the same transaction that writes the read model, so a paused holder cannot write late.
 */
import { randomUUID } from "node:crypto";
import pLimit, { type LimitFunction } from "p-limit";
import type pg from "pg";
import type { EventSchemas } from "../../../eventstore/schemas.ts";
import type { Follower, Tail } from "../../../eventstore/tail.ts";
import { MAIN_LOG } from "../../../eventstore/types.ts";
import { Waiters } from "../../../eventstore/waiters.ts";
import { pause } from "../coordination/concurrency.ts";
import {
  type Lease as HeldLease,
  LEASE_SECONDS,
  Leases,
  RENEW_MS,
  untilNextTake,
} from "../coordination/lease.ts";
import { Folding } from "./folding.ts";
import type { Projection } from "./projection.ts";

/** Events are gathered for so long at least, unless somebody waits for them: a batch costs a transaction, whatever it holds. */
const GATHER_MS = 20;
/** Where transactions take long, for so many times as long as the last one took: what decides has the machine before what is read. */
const GATHER_TIMES = 4;
const MOST_GATHER_MS = 250;
/** Checkpoints that move without a fold are kept so often. */
const KEEP_MS = 50;
/** Who asks how far a read model is within so long is told the same. */
const SHARED_MS = 5;
/** So many are worth a transaction at once: whoever is far behind does not wait. */
const FULL = 256;
const RETRY_MS = 500;
/** Folds have this share of the pool's connections; the others, calls before all, are not kept waiting by them. */
const FOLDS_SHARE = 4;

export type RunnerLog = { warn(facts: object, message: string): void };

export type Runner = {
  /** Resolves once `projection` has folded the log up to `position`; false when `timeout_ms` passed first. */
  reached(projection: Projection, position: number, timeout_ms: number): Promise<boolean>;
  /** How far it has folded the log. */
  positionOf(projection: Projection): Promise<number>;
  /** How far it is known to have come without asking: as far as this process has folded it. */
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
  /** `asked`: for who ends soon. What stands at the head of the log is kept there only once somebody asks whether it has reached a position. */
  keeps?: "all" | "asked";
};

export function startRunner(options: RunnerOptions): Runner {
  const folding = new Folding(options.schemas);
  const leases = new Leases(options.pool, { table: "read.checkpoints", name: "projection" });
  const atOnce = pLimit(Math.max(1, Math.floor((options.pool.options.max ?? 0) / FOLDS_SHARE)));
  const parts = { ...options, folding, leases, atOnce, checkpoints: new Checkpoints(options.pool) };
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
  const asked = new Map<string, { at: number; position: Promise<number> }>();
  /** The same for all who ask at one moment; a question that hangs is not waited for by who comes later. */
  const toldPosition = (projection: Projection): Promise<number> => {
    const name = nameOf(projection);
    const at = performance.now();
    const last = asked.get(name);
    if (last && at - last.at < SHARED_MS) return last.position;
    const position = positionOf(projection);
    asked.set(name, { at, position });
    return position;
  };

  return {
    positionOf,
    knownPosition: (projection) => loops.get(nameOf(projection))?.progress.position ?? 0,
    async reached(projection, position, timeout_ms) {
      start(projection);
      const loop = loops.get(nameOf(projection));
      const deadline = performance.now() + timeout_ms;
      for (let wait = 2; ; wait = Math.min(wait * 2, 25)) {
        if (loop && loop.progress.position >= position) return true;
        // Another process may keep it.
        if (!loop?.progress.isKept && (await toldPosition(projection)) >= position) return true;
        if (!loop || performance.now() + wait > deadline) return false;
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
  /** So many folds of all projections are under way at once. */
  atOnce: LimitFunction;
  checkpoints: Checkpoints;
  asked: Asked;
  progress: Progress;
};

/** How far this process has folded a projection: the read model has at least that. */
class Progress {
  position = 0;
  /** What this process has not folded nobody has. */
  isKept = false;
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
        await untilNextTake(signal);
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
    options.progress.at(lease.position);
    options.progress.isKept = true;
    await followUnderLease({ ...options, follower }, projection, lease, signal);
  } finally {
    options.progress.isKept = false;
    follower.leave();
  }
}

async function followUnderLease(
  {
    pool,
    tail,
    follower,
    folding,
    leases,
    atOnce,
    checkpoints,
    asked,
    progress,
  }: KeepParts & { follower: Follower },
  projection: Projection,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  let { position } = lease;
  let isNoted = false;
  const renewed = async () => {
    const isHeld = await leases.renew(lease).catch(() => undefined);
    // Another may go on with it meanwhile.
    if (isHeld === false) progress.isKept = false;
  };
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
    let gather_ms = KEEP_MS;
    if (fold) {
      // While it waits for its turn nothing else keeps the lease.
      const renewing = setInterval(() => void renewed(), RENEW_MS);
      const took_ms = await atOnce(() => {
        clearInterval(renewing);
        return inTransaction(pool, async (tx) => {
          const began = performance.now();
          if (!(await moveCheckpoint(tx, lease, position))) return undefined;
          await fold(tx);
          return performance.now() - began;
        });
      });
      if (took_ms === undefined) return;
      gather_ms = GATHER_TIMES * took_ms;
    } else checkpoints.advance(lease, position);
    progress.at(position);
    // Whoever held the lease before may have left a trouble that is over with the first fold.
    if (!isNoted) await noteTrouble(pool, lease.name, null);
    isNoted = true;
    if (tail.position - position < FULL && !signal.aborted)
      await asked.within(Math.min(Math.max(gather_ms, GATHER_MS), MOST_GATHER_MS));
  }
}

/**
 * Checkpoints that move past what does not concern their projections: those of a while in one statement, and one such statement at a
 * time. That they lie behind for so long costs whoever comes after a crash some events to read, and nothing else; so a row that
 * somebody has locked is left for the next time.
 */
class Checkpoints {
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

  /** Whether somebody else was found to hold it by now. */
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
    // Where the database is away, it is the next fold or renewal that tells.
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

/** Moves those checkpoints whose rows nobody has locked, and prolongs their leases; answers by number which are held and which are another's. */
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

/** Moves a checkpoint and prolongs its lease; false where somebody else holds it. */
async function moveCheckpoint(tx: pg.ClientBase, lease: Lease, position: number): Promise<boolean> {
  const answer = await tx.query({
    name: "projections.move_checkpoint",
    text: `update read.checkpoints
        set position = greatest(position, $4), held_until = clock_timestamp() + make_interval(secs => $5)
      where projection = $1 and holder = $2 and token = $3`,
    values: [lease.name, lease.holder, lease.token, position, LEASE_SECONDS],
  });
  return answer.rowCount === 1;
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
