/** Runs work that only one process at a time may run. A process that lost the lease waits for it again. */
import { type HeldLease, type Leases, type Renewal, underLease, untilNextTake } from "./lease.ts";

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
    await underLease(leases, name, workUnder, renewal).catch((error) => stopping.aborted || failed(error));
    await untilNextTake(stopping);
  }
}
