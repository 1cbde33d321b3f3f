/**
 * The checks of a channel's payment before any chain query. They form a list: a test omits each in turn, and a bad
 * payment must then pass. Source: "Verification Rules" of batch-settlement on EVM.
 */
import type { Hex, RecoverKey } from "../../../core/model/chain.ts";
import { readSignature, signerOf } from "../../../domain/payments/authorization.ts";
import { leastDeposit, WITHDRAW_DELAY_S } from "../../../domain/payments/channel.ts";
import type { ChannelDigests } from "../../../domain/payments/channel-contract.ts";
import { decimalUsdc, USDC } from "../../../domain/payments/usdc.ts";
import { FURTHEST_SECONDS, pathOf, SETTLING_SECONDS } from "../x402/checks.ts";
import { refusePayment } from "../x402/payment-refusal.ts";
import { DOMAIN, MAX_TIMEOUT_SECONDS, NETWORK_V2 } from "../x402/required.ts";
import type { ChannelPayment } from "./payload.ts";

/** The terms that the call's 402 requires. All hex is in lower case. */
export type RequiredVoucher = {
  pay_to: Hex;
  receiver_authorizer: Hex;
  price_micro: number;
  resource: string;
};

type VoucherAttempt = {
  payment: ChannelPayment;
  required: RequiredVoucher;
  digests: ChannelDigests;
  recover: RecoverKey;
  /** The current time in Unix seconds. */
  now: bigint;
};

export type VoucherCheck = { name: string; refuses(attempt: VoucherAttempt): void };

const ASSET = USDC.address.toLowerCase();

export const voucherChecks: VoucherCheck[] = [
  {
    name: "network",
    refuses: ({ payment: { accepted } }) => {
      if (accepted.network !== NETWORK_V2) refusePayment("invalid_network", `pay on Base: ${NETWORK_V2}`);
    },
  },
  {
    name: "terms",
    refuses: ({ payment: { accepted }, required }) => {
      const { amount, pay_to, max_timeout_seconds, extra } = accepted;
      const bad = [
        accepted.asset !== ASSET && `asset (${USDC.address})`,
        amount !== BigInt(required.price_micro) && `amount (${required.price_micro})`,
        pay_to !== required.pay_to && `payTo (${required.pay_to})`,
        max_timeout_seconds !== MAX_TIMEOUT_SECONDS && `maxTimeoutSeconds (${MAX_TIMEOUT_SECONDS})`,
        extra.name !== DOMAIN.name && `extra.name (${DOMAIN.name})`,
        extra.version !== DOMAIN.version && `extra.version (${DOMAIN.version})`,
        accepted.receiver_authorizer !== required.receiver_authorizer &&
          `extra.receiverAuthorizer (${required.receiver_authorizer})`,
        accepted.withdraw_delay_s !== WITHDRAW_DELAY_S && `extra.withdrawDelay (${WITHDRAW_DELAY_S})`,
      ].filter((field) => field !== false);
      if (bad.length > 0)
        refusePayment(
          "invalid_payment_requirements",
          `accepted differs from the terms of this call in ${bad.join(", ")}; use the terms of this answer`,
        );
    },
  },
  {
    name: "resource",
    refuses: ({ payment: { resource_url }, required: { resource } }) => {
      if (resource_url !== undefined && pathOf(resource_url) !== pathOf(resource))
        refusePayment(
          "invalid_payment_requirements",
          `resource.url: this payment is for a call other than ${resource}`,
        );
    },
  },
  {
    name: "token",
    refuses: ({ payment: { config } }) => {
      if (config.token !== ASSET)
        refusePayment(
          "invalid_batch_settlement_evm_token_mismatch",
          `channelConfig.token: deposit USDC, ${USDC.address}`,
        );
    },
  },
  {
    name: "receiver",
    refuses: ({ payment: { config }, required: { pay_to } }) => {
      if (config.receiver !== pay_to)
        refusePayment(
          "invalid_batch_settlement_evm_receiver_mismatch",
          `channelConfig.receiver: pay to ${pay_to}`,
        );
    },
  },
  {
    name: "receiver authorizer",
    refuses: ({ payment: { config }, required: { receiver_authorizer } }) => {
      if (config.receiver_authorizer !== receiver_authorizer)
        refusePayment(
          "invalid_batch_settlement_evm_receiver_authorizer_mismatch",
          `channelConfig.receiverAuthorizer: is ${receiver_authorizer} here`,
        );
    },
  },
  {
    name: "delay",
    refuses: ({ payment: { config } }) => {
      if (config.withdraw_delay_s !== WITHDRAW_DELAY_S)
        refusePayment(
          "invalid_batch_settlement_evm_withdraw_delay_mismatch",
          `channelConfig.withdrawDelay: is ${WITHDRAW_DELAY_S} here`,
        );
    },
  },
  {
    name: "payer",
    refuses: ({ payment: { config }, required: { pay_to } }) => {
      if (config.payer === pay_to || BigInt(config.payer) === 0n)
        refusePayment("invalid_payload", "channelConfig.payer: is not a wallet that could pay us");
    },
  },
  {
    name: "payer authorizer",
    refuses: ({ payment: { config } }) => {
      if (BigInt(config.payer_authorizer) === 0n)
        refusePayment(
          "invalid_batch_settlement_evm_voucher_signature",
          "channelConfig.payerAuthorizer: name a key that signs vouchers; a contract wallet can revoke its own signature",
        );
    },
  },
  {
    name: "channel id",
    refuses: ({ payment: { config, voucher }, digests }) => {
      if (digests.channelId(config) !== voucher.channel_id)
        refusePayment(
          "invalid_batch_settlement_evm_channel_id_mismatch",
          "voucher.channelId: is not the EIP-712 hash of channelConfig",
        );
    },
  },
  {
    name: "voucher signature",
    refuses: ({ payment: { config, voucher }, digests, recover }) => {
      const signature = readSignature(voucher.signature);
      const digest = Buffer.from(
        digests.voucher(voucher.channel_id, BigInt(voucher.max_micro)).slice(2),
        "hex",
      );
      if (!signature || signerOf(digest, signature, recover) !== config.payer_authorizer)
        refusePayment(
          "invalid_batch_settlement_evm_voucher_signature",
          "voucher.signature: is not by channelConfig.payerAuthorizer for this channel and sum",
        );
    },
  },
  {
    name: "least deposit",
    refuses: ({ payment: { deposit }, required: { price_micro } }) => {
      const least = leastDeposit(price_micro);
      if (deposit && deposit.amount_micro < least)
        refusePayment(
          "invalid_batch_settlement_evm_deposit_below_min_deposit",
          `deposit.amount: deposit at least ${decimalUsdc(least)} USDC`,
        );
    },
  },
  {
    name: "deposit not yet valid",
    refuses: ({ payment: { deposit }, now }) => {
      if (deposit && BigInt(deposit.valid_after) >= now)
        refusePayment(
          "invalid_batch_settlement_evm_payload_authorization_valid_after",
          `validAfter: is valid only after ${deposit.valid_after}, and the service's time is ${now}`,
        );
    },
  },
  {
    name: "deposit too far ahead",
    refuses: ({ payment: { deposit }, now }) => {
      if (deposit && BigInt(deposit.valid_before) > now + FURTHEST_SECONDS)
        refusePayment(
          "invalid_batch_settlement_evm_payload_authorization_valid_before",
          `validBefore: may be at most an hour ahead, and the service's time is ${now}`,
        );
    },
  },
];

/**
 * Refuses a deposit that would expire on its way to the chain. A deposit that is already on the chain may be expired.
 */
export function refuseExpired({ valid_before }: { valid_before: string }, now: bigint): void {
  if (BigInt(valid_before) < now + SETTLING_SECONDS)
    refusePayment(
      "invalid_batch_settlement_evm_payload_authorization_valid_before",
      `validBefore: must be valid for ${SETTLING_SECONDS} more seconds, and the service's time is ${now}; sign a new one`,
    );
}
