/** The payer's side of a channel, written from x402's specification of batch-settlement without a client of it. */
import { randomBytes } from "node:crypto";
import type { HDAccount, PrivateKeyAccount } from "viem/accounts";
import { encodeAbiParameters, hashTypedData, keccak256 } from "viem/utils";
import type { Hex } from "../../src/core/model/chain.ts";
import type { ChannelConfig, DepositAuthorization } from "../../src/domain/payments/channel-contract.ts";
import { USDC } from "../../src/domain/payments/usdc.ts";

type Account = HDAccount | PrivateKeyAccount;

export const SETTLEMENT = "0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003";
const COLLECTOR = "0x4020806089470a89826cB9fB1f4059150b550004";

export const domain = {
  name: "x402 Batch Settlement",
  version: "1",
  chainId: 8453,
  verifyingContract: SETTLEMENT,
} as const;

const CONFIG = [
  { name: "payer", type: "address" },
  { name: "payerAuthorizer", type: "address" },
  { name: "receiver", type: "address" },
  { name: "receiverAuthorizer", type: "address" },
  { name: "token", type: "address" },
  { name: "withdrawDelay", type: "uint40" },
  { name: "salt", type: "bytes32" },
] as const;

/** The config in the names of the wire. */
export const wireConfig = (config: ChannelConfig) => ({
  payer: config.payer,
  payerAuthorizer: config.payer_authorizer,
  receiver: config.receiver,
  receiverAuthorizer: config.receiver_authorizer,
  token: config.token,
  withdrawDelay: config.withdraw_delay_s,
  salt: config.salt,
});

export const channelIdOf = (config: ChannelConfig): Hex =>
  hashTypedData({
    domain,
    types: { ChannelConfig: CONFIG },
    primaryType: "ChannelConfig",
    message: wireConfig(config),
  });

export const saltOf = (): Hex => `0x${randomBytes(32).toString("hex")}`;

export const signVoucher = (account: Account, channel_id: Hex, max: number | bigint): Promise<Hex> =>
  account.signTypedData({
    domain,
    types: {
      Voucher: [
        { name: "channelId", type: "bytes32" },
        { name: "maxClaimableAmount", type: "uint128" },
      ],
    },
    primaryType: "Voucher",
    message: { channelId: channel_id, maxClaimableAmount: BigInt(max) },
  });

/** An ERC-3009 deposit, valid for five minutes. */
export async function signDeposit(
  account: Account,
  channel_id: Hex,
  amount_micro: number,
  {
    from = account.address as Hex,
    ...more
  }: { from?: Hex; valid_before?: string; valid_after?: string } = {},
): Promise<DepositAuthorization> {
  const salt = saltOf();
  const times = { valid_after: "0", valid_before: String(Math.floor(Date.now() / 1000) + 300), ...more };
  const words = [{ type: "bytes32" }, { type: "uint256" }] as const;
  const signature = await account.signTypedData({
    domain: { name: USDC.name, version: USDC.version, chainId: 8453, verifyingContract: USDC.address },
    types: {
      ReceiveWithAuthorization: [
        { name: "from", type: "address" },
        { name: "to", type: "address" },
        { name: "value", type: "uint256" },
        { name: "validAfter", type: "uint256" },
        { name: "validBefore", type: "uint256" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "ReceiveWithAuthorization",
    message: {
      from,
      to: COLLECTOR,
      value: BigInt(amount_micro),
      validAfter: BigInt(times.valid_after),
      validBefore: BigInt(times.valid_before),
      nonce: keccak256(encodeAbiParameters(words, [channel_id, BigInt(salt)])),
    },
  });
  return { amount_micro, ...times, salt, signature };
}
