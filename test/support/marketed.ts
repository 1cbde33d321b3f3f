/**
 * Bounties and items in the state that examples need, of an agent by its own key and of a tenant with an empty
 * account.
 */
import * as items from "../../src/domain/marketplace/item.ts";
import * as account from "../../src/domain/payments/account.ts";
import { caller } from "../identity/agents.ts";
import type { Service } from "./service.ts";

type Inputs = Record<string, Record<string, unknown>>;

export async function marketExamples(
  { app, url }: Service,
  { creator, agent }: Record<"creator" | "agent", Record<string, string>>,
): Promise<Inputs> {
  const api = caller(url);
  const made = async (path: string, body: object, headers: Record<string, string>) => {
    const { status, body: answer } = await api.post(path, body, headers);
    if (status >= 300) throw new Error(JSON.stringify(answer));
    return answer;
  };
  /** Its escrow is credited first, because the examples of paying must pay. */
  const opened = async () => {
    const at = new Date().toISOString();
    const credit = account.credit({ source: "bounty:examples", amount_micro: 100_000, at });
    await app.decide(account, account.targetOf("acme"), credit, { meta: { actor: "test" } });
    const { bounty_id } = await made("/soul/bounties", { title: "An example", reward_usd: 0.1 }, creator);
    return String(bounty_id);
  };
  const claimed = async () => {
    const bounty_id = await opened();
    await made(`/soul/bounties/${bounty_id}/claim`, {}, agent);
    return bounty_id;
  };
  const submitted = async () => {
    const bounty_id = await opened();
    const { claim_id } = await made(`/soul/bounties/${bounty_id}/claim`, {}, agent);
    await made(`/soul/bounties/${bounty_id}/submit`, { content: "Done." }, agent);
    return { bounty_id, claim_id };
  };
  const published = async () => {
    const item = { kind: "note", title: "An example", price_usd: 0.05, content: "What it holds." };
    return String((await made("/soul/stack", item, agent)).item_id);
  };
  const bought = await published();
  const sale = { to: "acme", price_micro: 50_000, payment_id: "of-an-example", own: [] };
  const decision = items.sell(sale, new Date().toISOString());
  await app.decide(items, items.targetOf(bought), decision, { meta: { actor: "test" } });
  return {
    soul_bounty: { bounty_id: await opened() },
    soul_bounty_fund: await unfundedExample({ url }),
    soul_bounty_claim: { bounty_id: await opened(), note: "By Friday." },
    soul_bounty_submit: { bounty_id: await claimed(), content: "Done." },
    soul_bounty_submission: await submitted(),
    soul_bounty_award: await submitted(),
    soul_bounty_cancel: { bounty_id: await opened() },
    soul_stack_item: { item_id: await published() },
    soul_stack_buy: { item_id: await published(), price_usd: 0.05 },
    soul_stack_validate: { item_id: bought, verdict: "works", note: "Saved me 40 a ton." },
    soul_stack_withdraw: { item_id: await published() },
  };
}

/** An unfunded bounty, for the example of funding. */
export async function unfundedExample({ url }: Pick<Service, "url">): Promise<Record<string, unknown>> {
  const request = { title: "An example", reward_usd: 0.1 };
  const { body } = await caller(url).post("/soul/bounties", request);
  return { bounty_id: body.bounty_id, reward_usd: request.reward_usd };
}

/** Removes refunds from the account of the examples' tenant, because the examples of paying must pay. */
export async function emptyAccount({ decide, clock }: Service["app"]): Promise<void> {
  const at = clock.now().toISOString();
  const all = { hold_id: `emptied:${at}`, amount_micro: Number.MAX_SAFE_INTEGER, for: "an example" };
  await decide(account, account.targetOf("acme"), account.take(all, at), { meta: { actor: "test" } });
}
