/** The airdrop that the example of wallet_airdrop_status names. */
import { walletAirdropOperations } from "../../src/api/operations/wallet-airdrop.ts";
import type { App } from "../../src/app.ts";
import * as airdrops from "../../src/domain/wallet/airdrop.ts";

export async function airdropExample(app: App, tenant = "acme"): Promise<void> {
  const { example } = walletAirdropOperations.find(({ name }) => name === "wallet_airdrop_status")!;
  const facts: airdrops.AirdropFacts = {
    airdrop_id: example.airdrop_id as string,
    tenant,
    network: `eip155:${app.chain.chain_id}`,
    token: app.platform_token!,
    symbol: "TALLY",
    decimals: 18,
    amount_each: "1000000000000000000",
    recipients: ["0x70997970c51812dc3a010c7d01b50e0d17dc79c8"],
    asked_at: app.clock.now().toISOString(),
  };
  const asked = airdrops.ask(facts, airdrops.totalOf(facts));
  await app.decide(airdrops, airdrops.targetOf(facts), asked, { meta: { actor: "test", operation: "test" } });
}
