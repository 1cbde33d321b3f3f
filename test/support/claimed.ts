/** A payment and a channel in the log without a chain, for the examples of payment_status and channel_status. */
import { channelStatus } from "../../src/api/operations/payments/channels.ts";
import { paymentStatus } from "../../src/api/operations/payments/ledger.ts";
import type { App } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import * as channels from "../../src/domain/payments/channel.ts";
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

/** A channel of 1 USDC, from which one call was paid. */
export async function channelExample(app: App): Promise<void> {
  const { id } = channelStatus.example as { id: string };
  const [namespace, chain, token, payer, channel_id] = id.split(":") as [string, string, Hex, Hex, Hex];
  const at = app.clock.now().toISOString();
  const terms = {
    payer,
    payer_authorizer: payer,
    receiver: app.pay_to,
    receiver_authorizer: app.pay_to,
    token,
    withdraw_delay_s: channels.WITHDRAW_DELAY_S,
    salt: `0x${"02".repeat(32)}` as Hex,
  };
  const opened = { network: `${namespace}:${chain}`, channel_id, ...terms, opened_at: at };
  const chain_state = { balance_micro: 1_000_000, claimed_micro: 0, refund_nonce: "0", withdrawal: null };
  const voucher: channels.AcceptedVoucher = {
    charged_micro: 50_000,
    price_micro: 50_000,
    signature: `0x${"00".repeat(65)}`,
    operation: "trade_balance",
    request_sha256: "ab".repeat(32),
    tenant: payments.walletTenant(payer),
    answer: { status: 200, sha256: "cd".repeat(32), vintage: null },
    accepted_at: at,
  };
  const meta = { actor: "test", operation: "test" };
  const target = channels.targetOf(id);
  await app.decide(channels, target, channels.see(opened, { ...chain_state, seen_block: 1, seen_at: at }), {
    meta,
  });
  await app.decide(channels, target, channels.accept(voucher), { meta });
}
