/**
 * Continues the log's outside copy as the log grows. The copy is one stream with each event at its position: its last
 * event shows where to continue, and the store itself refuses gaps, duplicates and another history.
 */
import type { App } from "../../core/app.ts";
import { type Outcome, reactor } from "../../core/background/reactor.ts";
import {
  type OutsideLog,
  type OutsideStatus,
  OutsideUnavailable,
} from "../../core/model/ports/outside-log.ts";
import { batchesAfter, copyStatusOf } from "../../outside/copy.ts";

type FollowFailure = OutsideStatus | "diverged";

/** `at`: the position that is copied; undefined until the copy is read. `read_at`: when it was read last. */
type Memory = { at: number | undefined; read_at: number };

/** A deleted copy is noticed after this time while the log does not grow. */
const READ_AGAIN_MS = 30_000;

export const followReactor = reactor<Memory, FollowFailure>({
  name: "outside.follow",
  every_ms: 250,
  runs: ({ outside }) => outside !== undefined,
  memory: () => ({ at: undefined, read_at: 0 }),
  take: ({ app, memory, signal }) => follow(app, app.outside!, memory, signal),
  failures: {
    unreached: "the log's external copy is not continued: its store is unavailable",
    deleted: "the log's external copy is not continued: its stream was deleted",
    truncated: "the log's external copy is not continued: the beginning of its stream is hidden",
    oversized: "the log's external copy is not continued: its store refuses an event of this size",
    denied: "the log's external copy is not continued: its store denies access",
    projections_off: "the log's external copy is not linked: projections of its store are off",
    diverged: "the log's external copy is not continued: it is a copy of another log",
    failed: "the log's external copy cannot be continued; trying again",
  },
  grave: ["diverged", "deleted", "truncated"],
  disputes: ["diverged"],
  resumed: "the log's external copy is continued again",
});

async function follow(
  app: App,
  outside: OutsideLog,
  memory: Memory,
  signal: AbortSignal,
): Promise<Outcome<FollowFailure>> {
  try {
    if (memory.at === undefined || performance.now() - memory.read_at > READ_AGAIN_MS) {
      const standing = await copyStatusOf(app, outside);
      if ("reason" in standing) return { status: "diverged", reason: standing.reason };
      memory.at = standing.at;
      memory.read_at = performance.now();
    }
    const { position: to } = await app.store.head();
    for await (const batch of batchesAfter(app, memory.at, to)) {
      if (signal.aborted) return "done";
      if (!(await outside.append(memory.at, batch))) {
        // Another process may have copied it before this one got the lease.
        const before = memory.at;
        memory.at = undefined;
        const standing = await copyStatusOf(app, outside);
        if ("reason" in standing) return { status: "diverged", reason: standing.reason };
        if (standing.at !== before) return "done";
        return {
          status: "diverged",
          reason: `${outside.host} refuses revision ${before}, where the copy ends`,
        };
      }
      memory.at += batch.length;
      outside.copied = memory.at;
    }
    outside.copied = memory.at;
    return "idle";
  } catch (error) {
    // Only the store can tell whether the interrupted append succeeded.
    memory.at = undefined;
    if (!(error instanceof OutsideUnavailable)) throw error;
    return { status: error.status, reason: error.message };
  }
}
