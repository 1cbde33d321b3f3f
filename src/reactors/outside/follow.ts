/**
 * Whenever the log has grown, its copy outside is continued. The copy is one stream in which an event stands at its position: what stands
 * there last tells where to go on, and the store itself refuses a gap, a double and another history.
 */
import type { App } from "../../app.ts";
import { type OutsideLog, OutsideUnavailable } from "../../domain/ports.ts";
import { batchesAfter, standingOf } from "../../outside/copy.ts";
import { type Outcome, reactor } from "../../reactor.ts";

type Trouble = "unreached" | "diverged";

/** `at`: the position that is copied; undefined until the copy was looked at. */
type Memory = { at: number | undefined };

export const followReactor = reactor<Memory, Trouble>({
  name: "outside.follow",
  every_ms: 250,
  runs: ({ outside }) => outside !== undefined,
  memory: () => ({ at: undefined }),
  take: ({ app, memory, signal }) => follow(app, app.outside!, memory, signal),
  troubles: {
    unreached: "the log's copy outside is not continued: its store is away",
    diverged: "the log's copy outside is not continued: what stands there is not this log",
    failed: "the log's copy outside cannot be continued; trying again",
  },
  grave: ["diverged"],
  disputes: ["diverged"],
  resumed: "the log's copy outside is continued again",
});

async function follow(
  app: App,
  outside: OutsideLog,
  memory: Memory,
  signal: AbortSignal,
): Promise<Outcome<Trouble>> {
  try {
    if (memory.at === undefined) {
      const standing = await standingOf(app, outside);
      if ("reason" in standing) return { status: "diverged", reason: standing.reason };
      memory.at = standing.at;
    }
    const { position: to } = await app.store.head();
    for await (const batch of batchesAfter(app, memory.at, to)) {
      if (signal.aborted) return "done";
      if (!(await outside.append(memory.at, batch))) {
        // Another process may have copied it before this one held the lease.
        memory.at = undefined;
        const standing = await standingOf(app, outside);
        return "reason" in standing ? { status: "diverged", reason: standing.reason } : "done";
      }
      memory.at += batch.length;
      outside.copied = memory.at;
    }
    outside.copied = memory.at;
    return "idle";
  } catch (error) {
    // Whether what was under way stands there, only the store knows.
    memory.at = undefined;
    if (!(error instanceof OutsideUnavailable)) throw error;
    return { status: "unreached", reason: error.message };
  }
}
