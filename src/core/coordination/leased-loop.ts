/** Only one process at a time runs the work; after losing the lease, it waits for it again. */
import { type HeldLease, type Leases, type Renewal, underLease, untilNextTake } from "./lease.ts";

export type LeasedWork = {
  leases: Leases;
  name: string;
  renewal: Renewal;
  /** Runs until the signal aborts. Work that renews its own lease ends when it finds it lost. */
  work(held: HeldLease, signal: AbortSignal): Promise<unknown>;
  /** Called when an acquisition or the work fails; both are retried. */
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
