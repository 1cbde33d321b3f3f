/** Calls of USDC's contract for payments, and their logs. Source: Circle's FiatTokenV2_2 and EIP-3009. */

import {
  concatHex,
  decodeFunctionResult,
  encodeAbiParameters,
  parseAbi,
  toFunctionSelector,
} from "viem/utils";
import type { Call, CallResult, Hex, Log, LogQuery, Receipt } from "../../core/model/chain.ts";
import type {
  PaymentFacts,
  SignedTransfer,
  TransferAuthorization,
} from "../../core/model/ports/settlement.ts";

/** Base, where every payment settles; `network` in the form of CAIP-2. */
export const BASE = { chain_id: 8453, network: "eip155:8453" } as const;

/** USDC on Base. Source: Circle's list of contract addresses. */
export const USDC = {
  address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  decimals: 6,
  name: "USD Coin",
  version: "2",
} as const;

/** Covers transferWithAuthorization by an account without code, the first to a payee included. */
export const TRANSFER_GAS = 100_000n;

/**
 * Gas for a payer with code (Chain.hasCode) to check a signature. The code is a stranger's: it runs in a `read` of its
 * own and settles `alone`, so it cannot use up its neighbours' gas.
 */
export const CONTRACT_PAYER_GAS = 1_000_000n;

const ABI = parseAbi([
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)",
]);

const [STATE, BALANCE, MOVE, RECEIVE, CANCEL] = ABI;

/** Hashed once; encodeFunctionData would hash for every call. */
const SELECTORS = new Map(ABI.map((item) => [item.name, toFunctionSelector(item)]));

const called = ({ name }: (typeof ABI)[number], args: Hex): Hex => concatHex([SELECTORS.get(name)!, args]);

/** keccak256 of AuthorizationUsed(address,bytes32), AuthorizationCanceled(address,bytes32) and Transfer(address,address,uint256). */
const AUTHORIZATION_USED = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
const AUTHORIZATION_CANCELED = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81";
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

const ADDRESS = USDC.address.toLowerCase() as Hex;

/** The authorization's state and the payer's balance: the first two inputs of `paymentFacts`. */
export const stateCalls = ({ from, nonce }: Pick<TransferAuthorization, "from" | "nonce">): Call[] =>
  [
    called(STATE, encodeAbiParameters(STATE.inputs, [from, nonce])),
    called(BALANCE, encodeAbiParameters(BALANCE.inputs, [from])),
  ].map((data) => ({ to: ADDRESS, data }));

/** Decodes the results of `stateCalls`. */
export function authorizationFacts([state, balance]: readonly CallResult[]): Pick<
  PaymentFacts,
  "used" | "balance"
> {
  if (!state?.success || !balance?.success) throw new Error("USDC does not answer on this chain");
  return {
    used: decodeFunctionResult({ abi: ABI, functionName: "authorizationState", data: state.data }),
    balance: decodeFunctionResult({ abi: ABI, functionName: "balanceOf", data: balance.data }),
  };
}

/**
 * The calls whose results `paymentFacts` decodes; the third simulates the transfer, for contract wallets (ERC-1271)
 * too.
 */
export const factCalls = (signed: SignedTransfer): Call[] => [
  ...stateCalls(signed.transfer),
  transferCall(signed),
];

/** Decodes the results of `factCalls` for one payment. */
export function paymentFacts([state, balance, trial]: readonly CallResult[]): PaymentFacts {
  if (!state || !balance || !trial) throw new Error("USDC does not answer on this chain");
  const facts = { ...authorizationFacts([state, balance]), would_settle: trial.success };
  return trial.success ? facts : { ...facts, reason: reasonOf(trial.data) };
}

/** The text of a revert; "" = none. */
function reasonOf(data: Hex): string {
  if (!data.startsWith("0x08c379a0")) return "";
  const bytes = Buffer.from(data.slice(10), "hex");
  const length = bytes.length < 64 ? 0 : bytes.readUInt32BE(60);
  return bytes.toString("utf8", 64, Math.min(64 + length, bytes.length));
}

/** Anyone may send it. */
export const transferCall = (signed: SignedTransfer): Call => ({
  to: ADDRESS,
  data: called(MOVE, encodeAbiParameters(MOVE.inputs, argumentsOf(signed))),
});

/** The same for a ReceiveWithAuthorization; only its payee may send it. */
export const receiveCall = (signed: SignedTransfer): Call => ({
  to: ADDRESS,
  data: called(RECEIVE, encodeAbiParameters(RECEIVE.inputs, argumentsOf(signed))),
});

function argumentsOf({ transfer, signature }: SignedTransfer) {
  const { from, to, value, valid_after, valid_before, nonce } = transfer;
  return [from, to, value, valid_after, valid_before, nonce, signature] as const;
}

/** Voids an authorization by its payer's signature of CancelAuthorization; anyone may send it. */
export const cancelCall = (
  { from, nonce }: Pick<TransferAuthorization, "from" | "nonce">,
  signature: Hex,
): Call => ({
  to: ADDRESS,
  data: called(CANCEL, encodeAbiParameters(CANCEL.inputs, [from, nonce, signature])),
});

/** Logs of used authorizations of these payers and nonces, from any sender; cancellations excluded. */
export function usedQuery(
  transfers: readonly TransferAuthorization[],
  from_block: bigint,
  to_block: bigint,
): LogQuery {
  const payers = [...new Set(transfers.map(({ from }) => topicOf(from)))];
  const nonces = transfers.map(({ nonce }) => lower(nonce));
  return { address: ADDRESS, topics: [AUTHORIZATION_USED, payers, nonces], from_block, to_block };
}

/** Logs of used or cancelled authorizations of these payers and nonces. */
export function endedQuery(
  transfers: readonly TransferAuthorization[],
  from_block: bigint,
  to_block: bigint,
): LogQuery {
  const used = usedQuery(transfers, from_block, to_block);
  const [, ...whose] = used.topics;
  return { ...used, topics: [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], ...whose] };
}

/** Matches payer and nonce of a log from `endedQuery`. */
export const isAbout = ({ topics: [, payer, nonce] }: Log, transfer: TransferAuthorization): boolean =>
  payer === topicOf(transfer.from) && nonce === lower(transfer.nonce);

export const isCancellation = ({ topics: [kind] }: Log): boolean => kind === AUTHORIZATION_CANCELED;

/** Micro-USDC as a decimal string, at least cents: 50000 -> "0.05", 1000001 -> "1.000001". */
export function decimalUsdc(micro: bigint | number): string {
  const sign = micro < 0 ? "-" : "";
  const digits = String(micro)
    .replace("-", "")
    .padStart(USDC.decimals + 1, "0");
  const fraction = digits.slice(-USDC.decimals).replace(/0{1,4}$/, "");
  return `${sign}${digits.slice(0, -USDC.decimals)}.${fraction}`;
}

/**
 * True if the transaction moved exactly this payment: its AuthorizationUsed, and right after it the Transfer of its
 * amount to its payee. authorizationState does not prove that: it is also true after a cancellation.
 */
export function settledBy({ success, logs }: Receipt, transfer: TransferAuthorization): boolean {
  if (!success) return false;
  const ours = logs.filter(({ address }) => address === ADDRESS);
  const used = ours.find((log) => log.topics[0] === AUTHORIZATION_USED && isAbout(log, transfer));
  const moved = used && ours.find(({ index }) => index === used.index + 1);
  if (!moved) return false;
  const [kind, from, to] = moved.topics;
  const parties = from === topicOf(transfer.from) && to === topicOf(transfer.to);
  return kind === TRANSFER && parties && BigInt(moved.data) === transfer.value;
}

/** Payments to `pay_to` in a mined transaction of any sender: each pair of AuthorizationUsed and Transfer. */
export function paidTo(
  { success, logs }: Receipt,
  pay_to: Hex,
): Pick<TransferAuthorization, "from" | "nonce" | "value">[] {
  if (!success) return [];
  const ours = new Map(logs.flatMap((log) => (log.address === ADDRESS ? [[log.index, log]] : [])));
  return [...ours.values()].flatMap(({ topics: [kind, payer, nonce], index }) => {
    const moved = ours.get(index + 1);
    if (kind !== AUTHORIZATION_USED || !moved) return [];
    const [next, from, to] = moved.topics;
    if (next !== TRANSFER || from !== payer || to !== topicOf(pay_to)) return [];
    return [{ from: `0x${payer!.slice(26)}` as Hex, nonce: nonce!, value: BigInt(moved.data) }];
  });
}

const lower = (hex: Hex) => hex.toLowerCase() as Hex;

const topicOf = (address: Hex): Hex => `0x${lower(address).slice(2).padStart(64, "0")}`;
