/** Pays the airdrops of the examples in advance: their later calls append nothing. */
import { walletAirdropOperations } from "../../src/api/operations/wallet/airdrop.ts";
import type { App } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import * as airdrops from "../../src/domain/wallet/airdrop.ts";
import { unitsOf } from "../../src/domain/wallet/amount.ts";
import { until } from "./until.ts";

const exampleOf = (wanted: string) =>
  walletAirdropOperations.find(({ name }) => name === wanted)!.example as Record<string, string> & {
    recipients: Hex[];
  };

export async function airdropExamples(app: App, tenant = "acme"): Promise<void> {
  const { recipients, amount_each } = exampleOf("wallet_airdrop");
  const terms = {
    tenant,
    network: `eip155:${app.chain.chain_id}`,
    token: app.platform_token!,
    amount_each: String(unitsOf(amount_each!, 18)),
    recipients,
  };
  const meta = { actor: "test", operation: "test" };
  for (const airdrop_id of [
    airdrops.airdropId(terms, undefined),
    exampleOf("wallet_airdrop_status").airdrop_id!,
  ]) {
    const asked_at = app.clock.now().toISOString();
    const facts = { ...terms, airdrop_id, symbol: "TALLY", decimals: 18, asked_at };
    const target = airdrops.targetOf(facts);
    await app.decide(airdrops, target, airdrops.request(facts, airdrops.totalOf(facts)), { meta });
    await until(async () => (await app.load(airdrops, target))?.status === "paid");
  }
}
