/** ERC-20 tokens in terms of the Chain port: balances, allowances, and Transfer logs. Source: EIP-20. */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem/utils";
import type { Call, CallResult, Hex, Log, LogQuery } from "../../core/model/chain.ts";

const ABI = parseAbi([
  "function balanceOf(address account) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function approve(address spender, uint256 amount) returns (bool)",
  "function decimals() view returns (uint8)",
  "function symbol() view returns (string)",
]);

/** keccak256 of Transfer(address,address,uint256). */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** `symbol` and `decimals` as the contract gives them. */
export type Token = { address: Hex; symbol: string; decimals: number };

/** Asks for what `tokenIn` reads. */
export const tokenCalls = (token: Hex): Call[] => [
  { to: token, data: encodeFunctionData({ abi: ABI, functionName: "symbol" }) },
  { to: token, data: encodeFunctionData({ abi: ABI, functionName: "decimals" }) },
];

/** A token's symbol and decimals; undefined where no such contract answers. */
export function tokenIn(
  address: Hex,
  [symbol, decimals]: readonly (CallResult | undefined)[],
): Token | undefined {
  if (!hasAnswer(symbol) || !hasAnswer(decimals)) return undefined;
  try {
    return {
      address,
      symbol: decodeFunctionResult({ abi: ABI, functionName: "symbol", data: symbol.data }),
      decimals: decodeFunctionResult({ abi: ABI, functionName: "decimals", data: decimals.data }),
    };
  } catch {
    return undefined;
  }
}

/** Asks for what an account has, in the token's smallest unit; `amountIn` reads it. */
export const balanceCall = (token: Hex, account: Hex): Call => ({
  to: token,
  data: encodeFunctionData({ abi: ABI, functionName: "balanceOf", args: [account] }),
});

/** Asks how much of an owner's tokens another may move; `amountIn` reads it. */
export const allowanceCall = (token: Hex, owner: Hex, spender: Hex): Call => ({
  to: token,
  data: encodeFunctionData({ abi: ABI, functionName: "allowance", args: [owner, spender] }),
});

/** Lets another move that much of the sender's tokens; it must travel alone, since the sender is what counts. */
export const approveCall = (token: Hex, spender: Hex, amount: bigint): Call => ({
  to: token,
  data: encodeFunctionData({ abi: ABI, functionName: "approve", args: [spender, amount] }),
});

/** The most gas of `approveCall`. */
export const APPROVE_GAS = 80_000n;

/** The number that a contract answered; undefined where none did. */
export const amountIn = (answer: CallResult | undefined): bigint | undefined =>
  hasAnswer(answer) ? BigInt(answer.data) : undefined;

const hasAnswer = (answer: CallResult | undefined): answer is CallResult =>
  answer?.success === true && answer.data !== "0x";

/** Tokens that moved; `amount` in the token's smallest unit, and its place on the chain. */
export type Transfer = {
  token: Hex;
  from: Hex;
  to: Hex;
  amount: bigint;
  transaction: Hex;
  block_number: bigint;
  block_hash: Hex;
  index: number;
};

/** The logs that `transferIn` reads: what moved of a token from an account, to one, or either where it is null. */
export const transferQuery = (
  token: Hex,
  { from, to }: { from: Hex | null; to: Hex | null },
  range: Pick<LogQuery, "from_block" | "to_block">,
): LogQuery => ({
  address: token,
  topics: [TRANSFER, from && topicOf(from), to && topicOf(to)],
  ...range,
});

/** The transfer in a log; undefined for any other log. */
export function transferIn(log: Log): Transfer | undefined {
  const [kind, from, to] = log.topics;
  if (kind !== TRANSFER || !from || !to || log.data.length !== 66) return undefined;
  const { address: token, transaction, block_number, block_hash, index } = log;
  const place = { transaction, block_number, block_hash, index };
  return { token, from: accountIn(from), to: accountIn(to), amount: BigInt(log.data), ...place };
}

const topicOf = (account: Hex): Hex => `0x${account.slice(2).toLowerCase().padStart(64, "0")}`;

const accountIn = (topic: Hex): Hex => `0x${topic.slice(-40)}`;
