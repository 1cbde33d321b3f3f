/**
 * Keeps every projection at the head of the log. One process runs a projection at a time: it holds a lease, and its
 * fencing token is checked in the same transaction that writes the read model, so a paused holder cannot write late.
 */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { EventStore } from "../../eventstore/store.ts";
import type { Tail } from "../../eventstore/tail.ts";
import type { Projection } from "./projection.ts";

export const runnerDdl = `
  create schema if not exists read;
  create table if not exists read.checkpoints (
    projection text primary key,
    position   bigint not null default 0,
    holder     uuid,
    token      bigint not null default 0,
    held_until timestamptz not null default '-infinity'
  );`;

const LEASE_SECONDS = 5;
const RENEW_MS = 1_500;
const BATCH = 1_000;
const RETRY_MS = 500;

export type RunnerLog = { warn(facts: object, message: string): void };

export type Runner = {
  /** Resolves once `projection` has folded the log up to `position`; false when `timeout_ms` passed first. */
  reached(projection: Projection, position: number, timeout_ms: number): Promise<boolean>;
  stop(): Promise<void>;
};

export const nameOf = (projection: Projection) => `${projection.name}_v${projection.version}`;

export function startRunner(options: {
  pool: pg.Pool;
  store: EventStore;
  tail: Tail;
  projections: Projection[];
  log: RunnerLog;
}): Runner {
  // One for each: a signal warns of more than ten listeners.
  const loops = options.projections.map((projection) => {
    const stopping = new AbortController();
    return { stopping, ended: keep(options, projection, stopping.signal) };
  });

  const positionOf = async (projection: Projection): Promise<number> => {
    const sql = "select position from read.checkpoints where projection = $1";
    const answer = await options.pool.query<{ position: number }>(sql, [nameOf(projection)]);
    return answer.rows[0]?.position ?? 0;
  };

  return {
    async reached(projection, position, timeout_ms) {
      const deadline = Date.now() + timeout_ms;
      for (let wait = 2; ; wait = Math.min(wait * 2, 25)) {
        if ((await positionOf(projection)) >= position) return true;
        if (Date.now() + wait > deadline) return false;
        await new Promise((wake) => setTimeout(wake, wait));
      }
    },
    async stop() {
      for (const { stopping } of loops) stopping.abort();
      await Promise.all(loops.map(({ ended }) => ended));
    },
  };
}

type Lease = { position: number; token: number };

async function keep(
  options: { pool: pg.Pool; store: EventStore; tail: Tail; log: RunnerLog },
  projection: Projection,
  signal: AbortSignal,
): Promise<void> {
  const holder = randomUUID();
  const name = nameOf(projection);
  while (!signal.aborted) {
    try {
      const lease = await takeLease(options.pool, name, holder);
      if (!lease) {
        await pause(RENEW_MS, signal);
        continue;
      }
      await runUnderLease(options, projection, holder, lease, signal);
    } catch (error) {
      if (signal.aborted) break;
      options.log.warn({ projection: name, error: String(error) }, "projection paused; trying again");
      await pause(RETRY_MS, signal);
    }
  }
  await options.pool
    .query(
      "update read.checkpoints set holder = null, held_until = '-infinity' where projection = $1 and holder = $2",
      [name, holder],
    )
    // A lease that cannot be handed back runs out by itself.
    .catch(() => undefined);
}

async function takeLease(pool: pg.Pool, name: string, holder: string): Promise<Lease | undefined> {
  await pool.query("insert into read.checkpoints (projection) values ($1) on conflict do nothing", [name]);
  const answer = await pool.query<Lease>(
    `update read.checkpoints
        set holder = $2, token = token + 1, held_until = clock_timestamp() + make_interval(secs => $3)
      where projection = $1 and (held_until < clock_timestamp() or holder = $2)
      returning position, token`,
    [name, holder, LEASE_SECONDS],
  );
  return answer.rows[0];
}

async function runUnderLease(
  options: { pool: pg.Pool; store: EventStore; tail: Tail },
  projection: Projection,
  holder: string,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  const name = nameOf(projection);
  let { position } = lease;
  while (!signal.aborted) {
    const events = await options.store.readLog({ after: position, limit: BATCH });
    if (events.length === 0) {
      if (!(await renew(options.pool, name, lease.token))) return;
      await options.tail.reached(position + 1, RENEW_MS, signal);
      continue;
    }
    const last = events[events.length - 1]!.position;
    const client = await options.pool.connect();
    try {
      await client.query("begin");
      const fenced = await client.query(
        `update read.checkpoints
            set position = $4, held_until = clock_timestamp() + make_interval(secs => $5)
          where projection = $1 and holder = $2 and token = $3`,
        [name, holder, lease.token, last, LEASE_SECONDS],
      );
      if (fenced.rowCount === 0) {
        await client.query("rollback");
        return;
      }
      await projection.fold(events, client);
      await client.query("commit");
      position = last;
    } catch (error) {
      await client.query("rollback").catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }
}

async function renew(pool: pg.Pool, name: string, token: number): Promise<boolean> {
  const answer = await pool.query(
    `update read.checkpoints set held_until = clock_timestamp() + make_interval(secs => $3)
      where projection = $1 and token = $2`,
    [name, token, LEASE_SECONDS],
  );
  return answer.rowCount === 1;
}

/** Waits, no longer than until the service stops. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) return done();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      done();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
  });
}
