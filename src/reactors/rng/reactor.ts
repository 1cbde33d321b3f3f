/** The reactor of random numbers' seeds. Seeds are used and revealed also while the chain is unavailable or another one. */

import { idleUntil, reactor } from "../../core/background/reactor.ts";
import { spaces } from "../../domain/rng/seeds.ts";
import { followCommitments } from "./commit-seeds.ts";
import { refundVoided, secretFault } from "./lost-seeds.ts";
import { maintainSeeds, nextSeedStep } from "./maintain-seeds.ts";

/** The shortest interval of the checks for reorged commitments; an idle reactor makes them when it ticks. */
const LOOK_BACK_MS = 60_000;

export const seedsReactor = reactor({
  name: "seeds",
  every_ms: 1_000,
  fault: secretFault,
  /** `look_back_at` in milliseconds of Unix time. */
  memory: () => ({ look_back_at: 0 }),
  take: async ({ app, memory, signal }) => {
    const refunded = await refundVoided(app);
    for (const space of spaces) await maintainSeeds(app, space);
    const now = app.clock.now().getTime();
    const look_back = now >= memory.look_back_at;
    const before = await app.store.head();
    const followed = await followCommitments(app, { look_back, signal });
    if (look_back) memory.look_back_at = now + LOOK_BACK_MS;
    // The same tick uses what was just committed.
    if ((await app.store.head()).position > before.position)
      for (const space of spaces) await maintainSeeds(app, space);
    if (followed !== "done" || refunded > 0) return followed;
    const next = await nextSeedStep(app);
    return next === "soon" ? "done" : idleUntil(next);
  },
  failures: {
    away: "the chain is unavailable: seeds are not committed meanwhile",
    behind: "seeds are not committed: the chain lags behind its earlier head",
    foreign: "seeds are not committed: this is another chain than the log's",
    failed: "seeds cannot be maintained; trying again",
  },
  resumed: "seeds are committed to the chain again",
});
