/** The marketplace from the operator's side: taking down what strangers wrote. Every hash of it stays. */
import { type App, operatorMeta } from "../core/app.ts";
import * as bounties from "../domain/marketplace/bounty.ts";
import * as items from "../domain/marketplace/item.ts";
import { stepBounty } from "../reactors/marketplace/steps.ts";

const meta = operatorMeta("market.hide");

/** Takes a bounty's texts down; where its reward is held it is cancelled. */
export async function hideBounty(app: App, bounty_id: string, reason: string): Promise<bounties.Bounty> {
  const decision = bounties.hide(reason, app.clock.now().toISOString());
  const { result } = await app.commit((unit) => stepBounty(unit, bounty_id, decision), { meta });
  return result;
}

/** Takes an item's texts and content down, for its buyers too. */
export async function hideItem(app: App, item_id: string, reason: string): Promise<items.Item> {
  const facts = { by: "operator" as const, reason, withdrawn_at: app.clock.now().toISOString() };
  const { result } = await app.decide(items, items.targetOf(item_id), items.withdraw(facts), { meta });
  return items.existingItem(result.state);
}
