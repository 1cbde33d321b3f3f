/** Steps of a bounty and its money, staged in one unit: neither changes without the other. */

import type { InUnit } from "../../core/commands/unit.ts";
import { soulTenant } from "../../domain/identity/soul-tenant.ts";
import type { Bounty, BountyEvent, BountyState } from "../../domain/marketplace/bounty.ts";
import * as bounties from "../../domain/marketplace/bounty.ts";
import * as account from "../../domain/payments/account.ts";

type Staging = Pick<InUnit, "decide">;

/** Decides on a bounty and moves its money; the funder's account holds the reward. */
export async function stepBounty(
  unit: Staging,
  bounty_id: string,
  decision: (state: BountyState) => BountyEvent[],
): Promise<Bounty> {
  const { state, events } = await unit.decide(bounties, bounties.targetOf(bounty_id), decision);
  const bounty = bounties.existingBounty(state);
  for (const event of events) await moveMoney(unit, bounty, event);
  return bounty;
}

async function moveMoney({ decide }: Staging, bounty: Bounty, event: BountyEvent): Promise<void> {
  const source = bounties.holdOf(bounty.facts.bounty_id);
  const release = (spent_micro: number, at: string) =>
    decide(account, account.targetOf(bounty.funded!.creator), account.release(source, spent_micro, at));
  const pay = (sx: number, amount_micro: number, at: string) =>
    decide(account, account.targetOf(soulTenant(sx)), account.credit({ source, amount_micro, at }));
  switch (event.type) {
    case "BountyAwarded": {
      const { sx, reward_micro, winner_micro, awarded_at } = event.data;
      await release(reward_micro, awarded_at);
      return void (await pay(sx, winner_micro, awarded_at));
    }
    case "BountyExpired":
      return void (await release(0, event.data.expired_at));
    case "BountyCancelled": {
      const { shared_micro, cancelled_at } = event.data;
      await release(shared_micro, cancelled_at);
      const submitters = bounties.submissionsOf(bounty);
      if (shared_micro === 0) return;
      for (const { sx } of submitters) await pay(sx, shared_micro / submitters.length, cancelled_at);
    }
  }
}
