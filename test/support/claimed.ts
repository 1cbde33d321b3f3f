/** A payment in the log without a chain, for the example of payment_status. */
import { paymentStatus } from "../../src/api/operations/payments/ledger.ts";
import type { App } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import * as payments from "../../src/domain/payments/payment.ts";

export async function claimExample(app: App): Promise<void> {
  const { id } = paymentStatus.example as { id: string };
  const [namespace, chain, asset, payer, nonce] = id.split(":") as [string, string, Hex, Hex, Hex];
  const claim: payments.Claim = {
    network: `${namespace}:${chain}`,
    asset,
    payer,
    pay_to: app.pay_to,
    amount_micro: 50_000,
    valid_after: "0",
    valid_before: "1800000000",
    nonce,
    signature: `0x${"00".repeat(65)}`,
    operation: "trade_balance",
    request_sha256: "ab".repeat(32),
    tenant: payments.walletTenant(payer),
    seen_block: 1,
    claimed_at: app.clock.now().toISOString(),
    holder: null,
  };
  const meta = { actor: "test", operation: "test" };
  await app.decide(payments, payments.targetOf(id), payments.claim(claim), { meta });
}
