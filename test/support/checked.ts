/** A check in the log without a call, and the signature that redeems one. */
import type { App } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import * as checks from "../../src/domain/checks/check.ts";
import type { TypedData } from "../../src/domain/checks/typed-data.ts";
import { USDC } from "../../src/domain/payments/usdc.ts";
import { addressOf, wallet } from "./wallets.ts";

const meta = { actor: "test", operation: "test" };

/** A wallet signs whatever JSON it is shown. */
export const signShown = (payer: number, shown: TypedData): Promise<Hex> =>
  wallet(payer).signTypedData(shown);

/** A check of one USDC from the first demo wallet to the second, in the log without a call. */
export async function writeCheck(
  app: App,
  more: Partial<checks.CheckFacts> & Pick<checks.CheckFacts, "check_id">,
  tenant = "acme",
): Promise<checks.CheckFacts> {
  const facts: checks.CheckFacts = {
    network: `eip155:${app.chain.chain_id}`,
    asset: USDC.address.toLowerCase() as Hex,
    from: addressOf(wallet(0)),
    to: addressOf(wallet(1)),
    amount_micro: 1_000_000,
    mode: "transfer",
    valid_before: Math.floor(app.clock.now().getTime() / 1_000) + 86_400,
    nonce: `0x${more.check_id.repeat(2)}`,
    passphrase: null,
    created_at: app.clock.now().toISOString(),
    ...more,
  };
  await app.decide(checks, { tenant, id: facts.check_id }, checks.create(facts), { meta });
  return facts;
}
