/** A payment channel as its payer sees it: the deposit, the charges, and how to leave with or without this service. */
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import type { Call } from "../../../core/model/chain.ts";
import { address, chainHash, digits, hexBytes, time } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import type { Channel } from "../../../domain/payments/channel.ts";
import * as channels from "../../../domain/payments/channel.ts";
import { finishWithdrawalCall, withdrawCall } from "../../../domain/payments/channel-contract.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import { json, open, operation } from "../../declare/index.ts";

const usdc = z.string().regex(/^\d+\.\d{2,6}$/);

const transaction = z.object({
  to: address.describe("The channels' contract"),
  data: hexBytes.describe("The call, encoded"),
  value: z.literal("0").describe("Always 0: no ether is sent"),
});

const channelAnswer = z.object({
  id: z.string().describe("Network, asset, payer and channel id"),
  channel_id: chainHash.describe("The EIP-712 hash of the channel's configuration"),
  network: z.string().describe("CAIP-2"),
  asset: address.describe("USDC"),
  payer: address.describe("The wallet whose deposit it is"),
  payer_authorizer: address.describe("The key that signs vouchers"),
  pay_to: address.describe("The receiver of claims"),
  receiver_authorizer: address.describe("The service's key that signs claims and refunds"),
  withdraw_delay_s: z
    .int()
    .describe("Seconds between the two transactions that return the rest without this service"),
  balance_usdc: usdc.describe("All deposits, less what left the channel by a withdrawal or refund"),
  charged_usdc: usdc.describe("All accepted vouchers"),
  claimed_usdc: usdc.describe("The part of charged_usdc that the service has claimed on the chain"),
  owed_usdc: usdc.describe("The part of charged_usdc that is not claimed yet"),
  left_usdc: usdc.describe("The amount that further vouchers can pay"),
  newest_voucher: z
    .object({
      charged_usdc: usdc.describe("All charges, this one included"),
      signature: hexBytes.describe("Your signature of the sum"),
      accepted_at: time.describe("When its call was answered"),
    })
    .nullable()
    .describe("Null if only the chain shows the charges"),
  withdrawal: z
    .object({
      amount_usdc: usdc.describe("The amount that leaves the deposit"),
      begun_at: time.describe("When the chain accepted initiateWithdraw"),
      ready_at: time.describe("finalizeWithdraw works from then on"),
    })
    .nullable()
    .describe("Your pending withdrawal"),
  refund: z
    .object({
      amount_usdc: usdc.describe("The amount that returns to the payer"),
      nonce: digits.describe("The contract accepts one refund per nonce"),
      opened_at: time.describe("When it was requested"),
    })
    .nullable()
    .describe("A refund that is on its way"),
  leave: z
    .object({
      with_us: z.string().describe("The payment to send to this service"),
      without_us: z
        .object({
          begin: transaction.nullable().describe("initiateWithdraw of the rest"),
          finish: transaction.describe("finalizeWithdraw, after the delay"),
        })
        .describe("Two transactions by the payer or its voucher key; `begin` is null if nothing is left"),
    })
    .describe("The two ways to get the rest back"),
  opened_at: time.describe("When this service first saw it"),
  seen_block: z.int().describe("The chain's state in this answer is of this block or a later one"),
  development_chain: z.boolean().describe("True where the USDC is worth nothing"),
});

export const channelStatus = operation({
  name: "channel_status",
  route: "GET /v1/agent/channels/{id}",
  summary: "The status of a prepaid channel",
  description:
    "The channel named by its network, asset, payer and channel id: its deposit, what is charged, claimed and owed, and a " +
    "pending withdrawal or refund. `leave` has the transactions that return the rest without this service. Free.",
  access: [open()],
  input: z.object({
    id: channels.channelName.describe(
      "eip155:<chain>:<asset>:<payer>:<channel id>, in lower-case hex; the payment id of a voucher names its channel, too",
    ),
  }),
  output: json(z.object({ data: channelAnswer, meta: z.object({ served_at: time }) })),
  refuses: [404],
  example: {
    id: `eip155:8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913:0x70997970c51812dc3a010c7d01b50e0d17dc79c8:0x${"01".repeat(32)}`,
  },
  handle: async ({ input, app }) => {
    const id = channels.voucherOf(input.id)?.channel ?? input.id;
    const channel = await app.load(channels, channels.targetOf(id));
    if (!channel)
      return refuse("not_found", "no voucher of this channel was accepted here; its deposit is on the chain");
    return { data: shown(app, id, channel), meta: { served_at: app.clock.now().toISOString() } };
  },
});

const WITH_US =
  "Pay once more with a payload of the type refund, whose voucher repeats charged_usdc: the rest returns at once.";

function shown(app: App, id: string, channel: Channel): z.infer<typeof channelAnswer> {
  const { config, chain, charged_micro, voucher, refund } = channel;
  const rest = Math.max(0, chain.balance_micro - charged_micro);
  return {
    id,
    channel_id: channel.channel_id,
    network: channel.network,
    asset: config.token,
    payer: config.payer,
    payer_authorizer: config.payer_authorizer,
    pay_to: config.receiver,
    receiver_authorizer: config.receiver_authorizer,
    withdraw_delay_s: config.withdraw_delay_s,
    balance_usdc: decimalUsdc(chain.balance_micro),
    charged_usdc: decimalUsdc(charged_micro),
    claimed_usdc: decimalUsdc(chain.claimed_micro),
    owed_usdc: decimalUsdc(channels.owed(channel)),
    left_usdc: decimalUsdc(Math.max(0, channels.covered(channel) - charged_micro)),
    newest_voucher: voucher && {
      charged_usdc: decimalUsdc(voucher.charged_micro),
      signature: voucher.signature,
      accepted_at: voucher.accepted_at,
    },
    withdrawal: withdrawalOf(channel),
    refund: refund && {
      amount_usdc: decimalUsdc(refund.amount_micro),
      nonce: refund.nonce,
      opened_at: refund.opened_at,
    },
    leave: {
      with_us: WITH_US,
      without_us: {
        begin: rest > 0 ? asTransaction(withdrawCall(config, rest)) : null,
        finish: asTransaction(finishWithdrawalCall(config)),
      },
    },
    opened_at: channel.opened_at,
    seen_block: chain.seen_block,
    development_chain: app.embedded_chain,
  };
}

function withdrawalOf({ chain, config }: Channel) {
  if (!chain.withdrawal) return null;
  const { amount_micro, initiated_at_s } = chain.withdrawal;
  return {
    amount_usdc: decimalUsdc(amount_micro),
    begun_at: new Date(initiated_at_s * 1_000).toISOString(),
    ready_at: new Date((initiated_at_s + config.withdraw_delay_s) * 1_000).toISOString(),
  };
}

const asTransaction = ({ to, data }: Call) => ({ to, data, value: "0" as const });
