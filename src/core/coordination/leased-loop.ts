/** Work that one process at a time does: it waits for the lease, works for as long as it holds it, and begins again. */
import { type HeldLease, type Leases, type Renewal, underLease, untilNextTake } from "./lease.ts";

export type LeasedWork = {
  leases: Leases;
  name: string;
  renewal: Renewal;
  /** Goes on until the signal aborts: the process stops, or the lease is lost. Work that renews its lease itself ends when it finds it lost. */
  work(held: HeldLease, signal: AbortSignal): Promise<unknown>;
  /** Told of what kept it from taking the lease or ended the work; both are tried again. */
  failed(error: unknown): unknown;
};

export type LeasedLoop = {
  /** Resolves when the work has ended and the lease is handed back. */
  stop(): Promise<void>;
};

export function startLeasedLoop(leased: LeasedWork): LeasedLoop {
  // One for each: a signal warns of more than ten listeners.
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
