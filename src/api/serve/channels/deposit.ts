/**
 * Sends a payer's deposit to the chain, with our gas. The money goes into the contract and not to us, so nothing is
 * recorded before the send. After a crash the payer presents the same payment again, and the chain shows the deposit.
 */
import type { ChannelName } from "../../../chain/channels.ts";
import type { App } from "../../../core/app.ts";
import type { Hex, Receipt } from "../../../core/model/chain.ts";
import { ChainUnavailable } from "../../../core/model/ports/chain.ts";
import { NotSettled } from "../../../core/model/ports/settlement.ts";
import type { Channel } from "../../../domain/payments/channel.ts";
import * as channels from "../../../domain/payments/channel.ts";
import {
  DEPOSIT_GAS,
  type DepositAuthorization,
  depositCall,
  depositNonce,
  hasDeposit,
} from "../../../domain/payments/channel-contract.ts";
import { minedBy } from "../../../domain/payments/payment.ts";
import { authorizationFacts, CONTRACT_PAYER_GAS, stateCalls } from "../../../domain/payments/usdc.ts";
import { refuseUnsettled } from "../x402/charge.ts";
import { PaymentRefused, refusePayment } from "../x402/payment-refusal.ts";
import type { ChannelViews } from "./channel-view.ts";
import { refuseExpired } from "./checks.ts";
import { answeredInTime } from "./in-time.ts";

const meta = { actor: "system:channels", operation: "channels.deposit" };

/** A deposit that was sent to the chain, and its channel. */
export type CarriedDeposit = { channel: Channel; transaction: Hex; amount_micro: number };

/** Returns no transaction if the deposit is on the chain already. Throws PaymentRefused. */
export async function carryDeposit(
  app: App,
  views: ChannelViews,
  name: ChannelName,
  deposit: DepositAuthorization,
): Promise<CarriedDeposit | undefined> {
  try {
    return await carried(app, views, name, deposit);
  } catch (error) {
    if (error instanceof NotSettled)
      throw new PaymentRefused(
        "invalid_batch_settlement_evm_deposit_transaction_failed",
        `${error.message}; sign a new deposit`,
        { sent: true },
      );
    return refuseUnsettled(channels.idOf(name), error);
  }
}

async function carried(
  app: App,
  views: ChannelViews,
  name: ChannelName,
  deposit: DepositAuthorization,
): Promise<CarriedDeposit | undefined> {
  const { config, channel_id } = name;
  const nonce = depositNonce(channel_id, deposit.salt);
  const answers = await answeredInTime(app.chain.read(stateCalls({ from: config.payer, nonce })));
  const { used, balance } = authorizationFacts(answers);
  if (used) return undefined;
  refuseExpired(deposit, BigInt(Math.floor(app.clock.now().getTime() / 1_000)));
  if (balance < BigInt(deposit.amount_micro))
    refusePayment(
      "invalid_batch_settlement_evm_insufficient_balance",
      `${config.payer} has less USDC than its deposit; top it up`,
    );
  const receipt = await sent(app, name, deposit);
  if (!hasDeposit(receipt.logs, channel_id)) throw new NotSettled("the chain refused the deposit");
  const at = app.clock.now().toISOString();
  const target = channels.targetOf(channels.idOf(name));
  await views.fromChain(name);
  const funded = { ...deposit, ...minedBy(receipt), funded_at: at };
  const { result } = await app.decide(channels, target, channels.fund(funded), { meta });
  if (!result.state) throw new ChainUnavailable("the node does not show the deposit yet");
  return { channel: result.state, transaction: receipt.transaction, amount_micro: deposit.amount_micro };
}

/**
 * Simulates the deposit first. If the payer has code, that code checks the signature, so the deposit is sent unbundled.
 */
async function sent(app: App, { config }: ChannelName, deposit: DepositAuthorization): Promise<Receipt> {
  const call = depositCall(config, deposit);
  const [isContract = false] = await answeredInTime(app.chain.hasCode([config.payer]));
  const gas = isContract ? DEPOSIT_GAS + CONTRACT_PAYER_GAS : DEPOSIT_GAS;
  const trial = await answeredInTime(app.chain.trial(call, gas));
  if (!trial.success)
    return refusePayment(
      "invalid_batch_settlement_evm_deposit_simulation_failed",
      "the chain refuses the deposit: sign receiveWithAuthorization of USDC for the collector, with the channel's nonce",
    );
  return app.chain.send(call, { purpose: "channel deposit", gas, ...(isContract && { alone: true }) });
}
