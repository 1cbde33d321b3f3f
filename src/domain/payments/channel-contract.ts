/**
 * x402's channels in terms of the Chain port. Source: the specification of x402's scheme batch-settlement on EVM, and
 * the ABI in @x402/evm 2.27.0.
 */
import { decodeFunctionResult, encodeAbiParameters, encodeFunctionData, keccak256 } from "viem/utils";
import type { Call, CallResult, Hex, Log, LogQuery } from "../../core/model/chain.ts";
import { domainSeparator } from "./authorization.ts";
import { ABI } from "./generated/channels.ts";

/** The addresses on Base and every other chain. Source: the specification's "Reference Implementation". */
export const CHANNELS = "0x4020074e9df2ce1dee5a9c1b5c3f541d02a10003";
export const COLLECTOR = "0x4020806089470a89826cb9fb1f4059150b550004";

/** The terms of a channel, which never change; its id is their hash. Addresses in lower case. */
export type ChannelConfig = {
  payer: Hex;
  payer_authorizer: Hex;
  receiver: Hex;
  receiver_authorizer: Hex;
  token: Hex;
  withdraw_delay_s: number;
  salt: Hex;
};

/** An ERC-3009 authorization for the collector; its nonce is of the channel and the salt. */
export type DepositAuthorization = {
  amount_micro: number;
  valid_after: string;
  valid_before: string;
  salt: Hex;
  signature: Hex;
};

/** A channel on the chain. `withdrawal`: null unless one is pending. */
export type ChannelOnChain = {
  balance_micro: number;
  claimed_micro: number;
  refund_nonce: string;
  withdrawal: { amount_micro: number; initiated_at_s: number } | null;
};

/** A row of a claim: the total that is claimed of a channel, by its newest voucher. */
export type ClaimRow = { config: ChannelConfig; max_micro: number; signature: Hex; total_micro: number };

const DOMAIN = { name: "x402 Batch Settlement", version: "1", address: CHANNELS } as const;

const hashOf = (text: string) => keccak256(Buffer.from(text));
const CONFIG_TYPE = hashOf(
  "ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)",
);
const VOUCHER_TYPE = hashOf("Voucher(bytes32 channelId,uint128 maxClaimableAmount)");
const REFUND_TYPE = hashOf("Refund(bytes32 channelId,uint256 nonce,uint128 amount)");
const ENTRY = "ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)";
const ENTRY_TYPE = hashOf(ENTRY);
const BATCH_TYPE = hashOf(`ClaimBatch(ClaimEntry[] claims)${ENTRY}`);

const WORD = 32;
const wordOf = (value: Hex | bigint | number): string =>
  (typeof value === "string" ? value.slice(2) : value.toString(16)).padStart(2 * WORD, "0");
const structHash = (...words: (Hex | bigint | number)[]): Hex => keccak256(`0x${words.map(wordOf).join("")}`);

/** The digests of one chain. */
export function channelDigests(chain_id: number) {
  const separator = Buffer.from(domainSeparator(DOMAIN, chain_id)).toString("hex");
  const typed = (hash: Hex): Hex => keccak256(`0x1901${separator}${hash.slice(2)}`);
  const idOf = (config: ChannelConfig): Hex => {
    const { payer, payer_authorizer, receiver, receiver_authorizer, token, withdraw_delay_s, salt } = config;
    const parties = [payer, payer_authorizer, receiver, receiver_authorizer] as const;
    return typed(structHash(CONFIG_TYPE, ...parties, token, withdraw_delay_s, salt));
  };
  return {
    channelId: idOf,
    voucher: (channel_id: Hex, max_micro: bigint): Hex =>
      typed(structHash(VOUCHER_TYPE, channel_id, max_micro)),
    refund: (channel_id: Hex, nonce: bigint, amount_micro: number): Hex =>
      typed(structHash(REFUND_TYPE, channel_id, nonce, amount_micro)),
    claims: (rows: readonly ClaimRow[]): Hex => {
      const entries = rows.map(({ config, max_micro, total_micro }) =>
        structHash(ENTRY_TYPE, idOf(config), max_micro, total_micro),
      );
      return typed(structHash(BATCH_TYPE, structHash(...entries)));
    },
  };
}

export type ChannelDigests = ReturnType<typeof channelDigests>;

/** The nonce of a deposit's authorization, which binds it to its channel. */
export const depositNonce = (channel_id: Hex, salt: Hex): Hex => structHash(channel_id, salt);

const configOf = (config: ChannelConfig) => ({
  payer: config.payer,
  payerAuthorizer: config.payer_authorizer,
  receiver: config.receiver,
  receiverAuthorizer: config.receiver_authorizer,
  token: config.token,
  withdrawDelay: config.withdraw_delay_s,
  salt: config.salt,
});

const called = (data: Hex): Call => ({ to: CHANNELS, data });

const COLLECTED = [{ type: "uint256" }, { type: "uint256" }, { type: "uint256" }, { type: "bytes" }] as const;

/** Anybody may send it. */
export function depositCall(config: ChannelConfig, one: DepositAuthorization): Call {
  const times = [BigInt(one.valid_after), BigInt(one.valid_before)] as const;
  const data = encodeAbiParameters(COLLECTED, [...times, BigInt(one.salt), one.signature]);
  const args = [configOf(config), BigInt(one.amount_micro), COLLECTOR, data] as const;
  return called(encodeFunctionData({ abi: ABI, functionName: "deposit", args }));
}

/** Anybody may send it with the authorizer's signature of `claims`. One bad row refuses all. */
export const claimCall = (rows: readonly ClaimRow[], signature: Hex): Call =>
  called(
    encodeFunctionData({
      abi: ABI,
      functionName: "claimWithSignature",
      args: [
        rows.map(({ config, max_micro, signature: signed, total_micro }) => ({
          voucher: { channel: configOf(config), maxClaimableAmount: BigInt(max_micro) },
          signature: signed,
          totalClaimed: BigInt(total_micro),
        })),
        signature,
      ],
    }),
  );

/** Moves what was claimed to its receiver; anybody may send it. */
export const earningsCall = (receiver: Hex, token: Hex): Call =>
  called(encodeFunctionData({ abi: ABI, functionName: "settle", args: [receiver, token] }));

/** Anybody may send it with the authorizer's signature of `refund`. */
export const channelRefundCall = (
  config: ChannelConfig,
  { amount_micro, nonce }: { amount_micro: number; nonce: string },
  signature: Hex,
): Call =>
  called(
    encodeFunctionData({
      abi: ABI,
      functionName: "refundWithSignature",
      args: [configOf(config), BigInt(amount_micro), BigInt(nonce), signature],
    }),
  );

/** The payer's own way out: begins and finishes a withdrawal. */
export const withdrawCall = (config: ChannelConfig, amount_micro: number): Call =>
  called(
    encodeFunctionData({
      abi: ABI,
      functionName: "initiateWithdraw",
      args: [configOf(config), BigInt(amount_micro)],
    }),
  );
export const finishWithdrawalCall = (config: ChannelConfig): Call =>
  called(encodeFunctionData({ abi: ABI, functionName: "finalizeWithdraw", args: [configOf(config)] }));

/** Calls of one channel whose results `onChain` decodes. */
export const channelCalls = (channel_id: Hex): Call[] => [
  called(encodeFunctionData({ abi: ABI, functionName: "channels", args: [channel_id] })),
  called(encodeFunctionData({ abi: ABI, functionName: "pendingWithdrawals", args: [channel_id] })),
  called(encodeFunctionData({ abi: ABI, functionName: "refundNonce", args: [channel_id] })),
];

/** The number of results that one channel takes. */
export const CHANNEL_CALLS = 3;

/** Undefined where the chain has no channels' contract. */
export function onChain([escrow, pending, nonce]: readonly CallResult[]): ChannelOnChain | undefined {
  if (![escrow, pending, nonce].every((one) => one?.success && one.data !== "0x")) return undefined;
  const abi = ABI;
  const [balance, claimed] = decodeFunctionResult({ abi, functionName: "channels", data: escrow!.data });
  const [amount, initiatedAt] = decodeFunctionResult({
    abi,
    functionName: "pendingWithdrawals",
    data: pending!.data,
  });
  const refund_nonce = decodeFunctionResult({ abi, functionName: "refundNonce", data: nonce!.data });
  return {
    balance_micro: Number(balance),
    claimed_micro: Number(claimed),
    refund_nonce: String(refund_nonce),
    withdrawal: initiatedAt === 0 ? null : { amount_micro: Number(amount), initiated_at_s: initiatedAt },
  };
}

/** The sums that a receiver has claimed and moved, in micro-USDC; `receivers` in the contract. */
export const receiverCall = (receiver: Hex, token: Hex): Call =>
  called(encodeFunctionData({ abi: ABI, functionName: "receivers", args: [receiver, token] }));

export function receiverSums(answer: CallResult | undefined): { claimed_micro: bigint; moved_micro: bigint } {
  if (!answer?.success || answer.data === "0x") return { claimed_micro: 0n, moved_micro: 0n };
  const [claimed_micro, moved_micro] = decodeFunctionResult({
    abi: ABI,
    functionName: "receivers",
    data: answer.data,
  });
  return { claimed_micro, moved_micro };
}

/** keccak256 of Deposited(bytes32,address,uint128,uint128) and Settled(address,address,address,uint128). */
const DEPOSITED = hashOf("Deposited(bytes32,address,uint128,uint128)");
const SETTLED = hashOf("Settled(address,address,address,uint128)");
const REFUNDED = hashOf("Refunded(bytes32,address,uint128)");
const CLAIMED = hashOf("Claimed(bytes32,address,uint128,uint128)");

const isLog = ({ address, topics }: Log, kind: Hex, channel_id: Hex) =>
  address === CHANNELS && topics[0] === kind && topics[1] === channel_id;

/** True if a transaction's logs contain the channel's deposit. */
export const hasDeposit = (logs: readonly Log[], channel_id: Hex): boolean =>
  logs.some((log) => isLog(log, DEPOSITED, channel_id));

/** The total that a transaction claimed of a channel. */
export function claimedIn(logs: readonly Log[], channel_id: Hex): number | undefined {
  const log = logs.find((one) => isLog(one, CLAIMED, channel_id));
  return log && Number(BigInt(`0x${log.data.slice(2 + 2 * WORD)}`));
}

/** The amount that a transaction returned to a channel's payer. */
export function refundedIn(logs: readonly Log[], channel_id: Hex): number | undefined {
  const log = logs.find((one) => isLog(one, REFUNDED, channel_id));
  return log && Number(BigInt(log.data));
}

const topicOf = (address: Hex): Hex => `0x${wordOf(address.toLowerCase() as Hex)}`;

/** Logs of the transfers of earnings to a receiver. */
export const earningsQuery = (
  receiver: Hex,
  token: Hex,
  range: Pick<LogQuery, "from_block" | "to_block">,
): LogQuery => ({
  address: CHANNELS,
  topics: [SETTLED, topicOf(receiver), topicOf(token)],
  ...range,
});

export const earningsIn = ({ data }: Log): bigint => BigInt(data);

/** Gas of a deposit by an account without code, its first into a channel included. */
export const DEPOSIT_GAS = 260_000n;
export const REFUND_GAS = 140_000n;
export const EARNINGS_GAS = 120_000n;
/** A row's signature, its two sums and its calldata; and what a claim takes besides. */
export const CLAIM_ROW_GAS = 75_000n;
export const CLAIM_GAS = 60_000n;
