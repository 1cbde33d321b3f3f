/** Reads a payment by channel: x402's scheme batch-settlement, with ERC-3009 deposits. */
import { z } from "zod";
import type { Hex } from "../../../core/model/chain.ts";
import { hexRead } from "../../../core/model/fields.ts";
import type { ChannelConfig, DepositAuthorization } from "../../../domain/payments/channel-contract.ts";
import { type AcceptedRequirement, address, envelope, fitting, signature, uint256 } from "../x402/payload.ts";
import { CHANNEL_SCHEME } from "../x402/required.ts";

/** A parsed payment, not verified. A deposit comes with a voucher; the voucher of a refund charges nothing. */
export type ChannelPayment = {
  type: "voucher" | "deposit" | "refund";
  accepted: AcceptedRequirement & { receiver_authorizer: Hex; withdraw_delay_s: number };
  resource_url?: string;
  /** The payer's id of the payment (extension payment-identifier). */
  identifier?: string;
  config: ChannelConfig;
  voucher: { channel_id: Hex; max_micro: number; signature: Hex };
  deposit?: DepositAuthorization;
  /** The amount to refund; absent if everything is to be refunded. */
  amount_micro?: number;
};

const micro = uint256
  .refine((value) => value <= BigInt(Number.MAX_SAFE_INTEGER), "is more USDC than there is")
  .transform(Number);

const delay = z.int("is a whole number of seconds").positive();

const channelConfig = z.strictObject({
  payer: address,
  payerAuthorizer: address,
  receiver: address,
  receiverAuthorizer: address,
  token: address,
  withdrawDelay: delay,
  salt: hexRead(32),
});

const shared = {
  channelConfig,
  voucher: z.strictObject({ channelId: hexRead(32), maxClaimableAmount: micro, signature }),
};

const erc3009Authorization = z.strictObject({
  validAfter: uint256,
  validBefore: uint256,
  salt: hexRead(32),
  signature,
});

const payload = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("voucher"), ...shared }),
  z.strictObject({
    type: z.literal("deposit"),
    ...shared,
    deposit: z.strictObject({ amount: micro, authorization: z.strictObject({ erc3009Authorization }) }),
  }),
  z.strictObject({ type: z.literal("refund"), ...shared, amount: micro.optional() }),
]);

const schema = z.strictObject({
  ...envelope,
  accepted: envelope.accepted.extend({
    extra: z.object({
      name: z.string().max(100).optional(),
      version: z.string().max(100).optional(),
      receiverAuthorizer: address,
      withdrawDelay: delay,
    }),
  }),
  payload,
});

/** True for a payment of this scheme, even if it has other faults. */
export const isChannelPayment = (given: object): boolean =>
  "accepted" in given && (given.accepted as { scheme?: unknown } | null)?.scheme === CHANNEL_SCHEME;

/** Throws PaymentRefused, naming the first bad field. */
export function readChannelPayment(given: object): ChannelPayment {
  const { accepted, payload: paid, resource, extensions } = fitting(schema, given);
  const { scheme, network, asset, amount, payTo, maxTimeoutSeconds, extra } = accepted;
  const { payer, payerAuthorizer, receiver, receiverAuthorizer, token, withdrawDelay, salt } =
    paid.channelConfig;
  const { channelId, maxClaimableAmount, signature: signed } = paid.voucher;
  const identifier = extensions?.["payment-identifier"]?.info?.id;
  return {
    type: paid.type,
    accepted: {
      ...{ scheme, network, asset, amount, extra },
      pay_to: payTo,
      max_timeout_seconds: maxTimeoutSeconds,
      receiver_authorizer: extra.receiverAuthorizer,
      withdraw_delay_s: extra.withdrawDelay,
    },
    ...(resource && { resource_url: resource.url }),
    ...(identifier !== undefined && { identifier }),
    config: {
      ...{ payer, receiver, token, salt },
      payer_authorizer: payerAuthorizer,
      receiver_authorizer: receiverAuthorizer,
      withdraw_delay_s: withdrawDelay,
    },
    voucher: { channel_id: channelId, max_micro: maxClaimableAmount, signature: signed },
    ...(paid.type === "deposit" && { deposit: depositOf(paid.deposit) }),
    ...(paid.type === "refund" && paid.amount !== undefined && { amount_micro: paid.amount }),
  };
}

type WireDeposit = Extract<z.output<typeof payload>, { type: "deposit" }>["deposit"];

const depositOf = ({ amount, authorization }: WireDeposit): DepositAuthorization => {
  const { validAfter, validBefore, salt, signature: signed } = authorization.erc3009Authorization;
  const times = { valid_after: String(validAfter), valid_before: String(validBefore) };
  return { amount_micro: amount, ...times, salt, signature: signed };
};
