/** Payments in a log, for tests that need one there and no chain. */
import type { App } from "../../src/app.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import type { Hex } from "../../src/domain/ports.ts";

/** Claims the payment of this name, as a call for it would right before it is settled. */
export async function claimPayment(app: App, id: string): Promise<void> {
  const [namespace, chain, asset, payer, nonce] = id.split(":");
  const claim: payments.Claim = {
    network: `${namespace}:${chain}`,
    asset: asset as Hex,
    payer: payer as Hex,
    pay_to: app.pay_to,
    amount_micro: 50_000,
    valid_after: "0",
    valid_before: String(Math.floor(Date.now() / 1000) + 300),
    nonce: nonce as Hex,
    signature: `0x${"00".repeat(65)}`,
    operation: "trade_balance",
    request_sha256: "00".repeat(32),
    tenant: payments.walletTenant(payer as Hex),
    seen_block: 0,
    claimed_at: new Date().toISOString(),
  };
  const meta = { actor: "test", operation: "test" };
  await app.decide(payments, payments.targetOf(id), payments.claim(claim), { meta });
}
