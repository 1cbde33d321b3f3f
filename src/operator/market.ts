/** Removes strangers' texts from the marketplace. Their hashes stay. */
import { type App, operatorMeta } from "../core/app.ts";
import * as bounties from "../domain/marketplace/bounty.ts";
import * as items from "../domain/marketplace/item.ts";
import { stepBounty } from "../reactors/marketplace/steps.ts";

const meta = operatorMeta("market.hide");

/** Removes a bounty's texts; a bounty with a reward in escrow is cancelled. */
export async function hideBounty(app: App, bounty_id: string, reason: string): Promise<bounties.Bounty> {
  const decision = bounties.hide(reason, app.clock.now().toISOString());
  const { result } = await app.commit((unit) => stepBounty(unit, bounty_id, decision), { meta });
  return result;
}

/** Removes an item's texts and content, for its buyers too. */
export async function hideItem(app: App, item_id: string, reason: string): Promise<items.Item> {
  const facts = { by: "operator" as const, reason, withdrawn_at: app.clock.now().toISOString() };
  const { result } = await app.decide(items, items.targetOf(item_id), items.withdraw(facts), { meta });
  return items.existingItem(result.state);
}
