/** Ends bounties whose time is over: they expire, or the creator's silence awards the reward. */
import type { App } from "../../core/app.ts";
import { idleUntil, reactor, unlessRefused } from "../../core/background/reactor.ts";
import * as bounties from "../../domain/marketplace/bounty.ts";
import { bountiesProjection, dueBounties, nextDueBounty } from "../../projections/marketplace/bounties.ts";
import { scoresOf } from "../../projections/trust/ranks.ts";
import { storedAt } from "../../projections/trust/scores.ts";
import { stepBounty } from "./steps.ts";

const command = { meta: { actor: "reactor:marketplace", operation: "marketplace.due" } };

export const marketplaceReactor = reactor({
  name: "marketplace",
  every_ms: 5_000,
  memory: () => ({}),
  async take({ app, signal }) {
    // The streams decide: a lagging list only defers a bounty to the next tick.
    const isCurrent = await app.caughtUp(bountiesProjection);
    for (const bounty_id of await dueBounties(app.pool, app.clock.now().toISOString())) {
      if (signal.aborted) return "done";
      await unlessRefused(fallDue(app, bounty_id));
    }
    return isCurrent ? idleUntil(await nextDueBounty(app.pool)) : "done";
  },
  failures: { failed: "bounties neither expire nor are awarded automatically; trying again" },
  resumed: "bounties expire and are awarded automatically again",
});

async function fallDue(app: App, bounty_id: string): Promise<void> {
  const bounty = bounties.existingBounty(await app.load(bounties, bounties.targetOf(bounty_id)));
  const points = await pointsOf(app, bounty);
  const decision = bounties.fallDue(points, app.clock.now().toISOString());
  await app.commit((unit) => stepBounty(unit, bounty_id, decision), command);
}

/** The submitters' points by the newest computation. */
async function pointsOf({ pool }: App, bounty: bounties.Bounty): Promise<bounties.Points> {
  const computed = await storedAt(pool);
  if (!computed) return { of: new Map(), as_of: null };
  const submitters = bounties.submissionsOf(bounty).map(({ sx }) => sx);
  return { of: await scoresOf(pool, computed.position, submitters), as_of: computed.as_of_position };
}
