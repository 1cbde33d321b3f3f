/** Runs work that only one process at a time may run. A process that lost the lease waits for it again. */
import { pause } from "./concurrency.ts";
import {
  type HeldLease,
  type Leases,
  type Renewal,
  type TenureResult,
  together,
  tryUnderLease,
  untilRenewal_ms,
} from "./lease.ts";

export type LeasedWork = {
  leases: Leases;
  name: string;
  renewal: Renewal;
  /** Runs until the signal aborts. With renewal by the work, it also ends when it finds the lease lost. */
  work(held: HeldLease, signal: AbortSignal): Promise<unknown>;
  /** Called when the acquisition of the lease or the work fails. Both are retried. */
  failed(error: unknown): unknown;
};

export type LeasedLoop = {
  /** Resolves after the work has ended and the lease is released. */
  stop(): Promise<void>;
};

export function startLeasedLoop(leased: LeasedWork): LeasedLoop {
  // Each loop has its own signal: Node warns when a signal has more than ten listeners.
  const stopping = new AbortController();
  const ended = run(leased, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

async function run(
  { leases, name, renewal, work, failed }: LeasedWork,
  stopping: AbortSignal,
): Promise<void> {
  const workUnder = (held: HeldLease) => work(held, AbortSignal.any([stopping, held.lost]));
  while (!stopping.aborted) {
    const outcome = await tryUnderLease(leases, name, workUnder, renewal).catch((error) => {
      if (!stopping.aborted) failed(error);
      return undefined;
    });
    await pause(untilNextTake(outcome), stopping);
    if (!stopping.aborted) await together();
  }
}

/** The shortest pause between two attempts to take a lease that has ended, because its row may be locked. */
const LEAST_MS = 100;

/** A lease that its holder no longer renews is taken at its end, which may be before the next renewal. */
function untilNextTake(outcome: TenureResult<unknown> | undefined): number {
  const held_ms = outcome && "held_ms" in outcome ? outcome.held_ms : undefined;
  return Math.min(
    untilRenewal_ms(),
    held_ms === undefined ? Number.POSITIVE_INFINITY : Math.max(held_ms, LEAST_MS),
  );
}
