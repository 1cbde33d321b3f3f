/** Carries a deposit again that the chain undid, while its authorization is valid. */

import { readChannels, recordSeen } from "../../chain/channels.ts";
import type { App } from "../../core/app.ts";
import type { Channel } from "../../domain/payments/channel.ts";
import * as channels from "../../domain/payments/channel.ts";
import {
  DEPOSIT_GAS,
  depositCall,
  depositNonce,
  hasDeposit,
} from "../../domain/payments/channel-contract.ts";
import { minedBy } from "../../domain/payments/payment.ts";
import { authorizationFacts, stateCalls } from "../../domain/payments/usdc.ts";

const meta = { actor: "reactor:channels", operation: "channels.deposit" };

/** Before the end of its validity, a transaction would be refused. */
const MARGIN_S = 6;

/** Rejects with ChainUnavailable or TransactionPending. */
export async function restoreDeposit(app: App, channel: Channel): Promise<void> {
  const { deposit, channel_id, config } = channel;
  const now_s = app.clock.now().getTime() / 1_000;
  if (!deposit || Number(deposit.valid_before) < now_s + MARGIN_S) return;
  if ((await app.chain.receipt(deposit.transaction))?.block_hash === deposit.block_hash) return;
  const nonce = depositNonce(channel_id, deposit.salt);
  const { used } = authorizationFacts(await app.chain.read(stateCalls({ from: config.payer, nonce })));
  if (used) return;
  const call = depositCall(config, deposit);
  const trial = await app.chain.trial(call, DEPOSIT_GAS);
  if (!trial.success) return;
  const receipt = await app.chain.send(call, { purpose: "channel deposit", gas: DEPOSIT_GAS });
  if (!hasDeposit(receipt.logs, channel_id)) return;
  const funded = { ...deposit, ...minedBy(receipt), funded_at: app.clock.now().toISOString() };
  await app.decide(channels, channels.targetOf(channels.idOf(channel)), channels.fund(funded), { meta });
  const [read] = await readChannels(app.chain, [channel_id]);
  await recordSeen(app, channel, read!);
}
