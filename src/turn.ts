/** What runs in turns shares: one process acts at a time, and none waits longer than the service runs. */
import type { App } from "./app.ts";
import { ChainUnavailable, NotSettled, TransactionPending } from "./domain/ports.ts";
import { Refusal } from "./domain/refusal.ts";
import { pause } from "./projections/runner.ts";

/** What became of a turn: another process had it, the chain was away, behind, or another one than the log knows. */
export type Turn = "done" | "taken" | "away" | "behind" | "foreign";

export type ReactorLog = Record<"info" | "warn" | "error", (facts: object, message: string) => void>;

/** The first number of the advisory locks is this service's, the second that of whatever takes turns. */
const SERVICE = 1380270404;
const LOCKS = {
  payments: 2,
  anchoring: 3,
  signing: 4,
  cosigning: 5,
  alerts: 6,
  seeds: 7,
  wallet: 8,
  checks: 9,
  deposits: 10,
} as const;

/** Does the work unless another process is at it. Should the lock's connection break, two may act at once: the decider and the chain's nonces allow that. */
export async function alone<T>(
  app: App,
  what: keyof typeof LOCKS,
  work: () => Promise<T>,
): Promise<T | "taken"> {
  const lock = [SERVICE, LOCKS[what]];
  const client = await app.pool.connect();
  let broken: Error | undefined;
  try {
    const sql = "select pg_try_advisory_lock($1, $2) as taken";
    const { rows } = await client.query<{ taken: boolean }>(sql, lock);
    if (!rows[0]!.taken) return "taken";
    try {
      return await work();
    } finally {
      await client.query("select pg_advisory_unlock($1, $2)", lock).catch((error: Error) => {
        broken = error;
      });
    }
  } finally {
    // A connection that may still hold the lock is not used again.
    client.release(broken);
  }
}

const AT_ONCE = 50;

/** Does the work for each, so many at a time that neither the node nor the log is overrun; answers in their order. */
export async function forEach<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  return results;
}

/** Appends what a decision comes to; one that a faster writer made needless is left for the next turn to see. */
export async function unlessRefused(work: Promise<unknown>): Promise<void> {
  await work.catch((error) => {
    if (!(error instanceof Refusal) || error.code !== "conflict") throw error;
  });
}

/** What leaves a payment to the next turn: it did not go through, or nobody knows yet. */
export function unlessUndone(error: unknown): void {
  const isUndone = [NotSettled, ChainUnavailable, TransactionPending].some((kind) => error instanceof kind);
  if (!isUndone) throw error;
}

/** The answer, or undefined once the service stops. */
export async function untilStopped<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  if (!signal) return work;
  let stop = () => {};
  const stopped = new Promise<undefined>((done) => {
    stop = () => done(undefined);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Takes one turn after the other until it is stopped, and waits then for the one under way; `onFailure` is told why one failed. */
export function inTurns(
  every_ms: number,
  take: (signal: AbortSignal) => Promise<void>,
  onFailure: (reason: string) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    while (!signal.aborted) {
      await take(signal).catch((error) => onFailure(error instanceof Error ? error.message : String(error)));
      await pause(every_ms, signal);
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
