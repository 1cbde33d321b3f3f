/** An account's balances, all as of one block. */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem/utils";
import type { Call, CallResult, Hex } from "../../core/model/chain.ts";
import { MULTICALL3 } from "../../core/model/multicall.ts";
import { ChainUnavailable } from "../../core/model/ports/chain.ts";
import { USDC } from "../payments/usdc.ts";
import { amountIn, balanceCall, type Token, tokenCalls, tokenIn } from "./token.ts";

const ABI = parseAbi([
  "function getEthBalance(address addr) view returns (uint256)",
  "function getBlockNumber() view returns (uint256)",
  "function getCurrentBlockTimestamp() view returns (uint256)",
]);

/** In the smallest units. `token` is undefined without a platform token; `timestamp` in seconds of Unix time. */
export type Balances = {
  eth: bigint;
  usdc: bigint;
  token: (Token & { amount: bigint }) | undefined;
  block_number: bigint;
  timestamp: number;
};

/** One batch of calls for everything that `balancesIn` reads. */
export const balanceCalls = (account: Hex, token: Hex | undefined): Call[] => [
  { to: MULTICALL3, data: encodeFunctionData({ abi: ABI, functionName: "getEthBalance", args: [account] }) },
  { to: MULTICALL3, data: encodeFunctionData({ abi: ABI, functionName: "getBlockNumber" }) },
  { to: MULTICALL3, data: encodeFunctionData({ abi: ABI, functionName: "getCurrentBlockTimestamp" }) },
  balanceCall(USDC.address, account),
  ...(token ? [balanceCall(token, account), ...tokenCalls(token)] : []),
];

/** Throws ChainUnavailable where one of the contracts does not answer. */
export function balancesIn(token: Hex | undefined, answers: readonly CallResult[]): Balances {
  const [eth, block_number, timestamp, usdc, tokens, ...tokenAnswers] = answers;
  const numbers = [eth, block_number, timestamp].map((answer) => {
    if (!answer?.success) throw new ChainUnavailable("this chain's Multicall3 does not answer");
    return decodeFunctionResult({ abi: ABI, functionName: "getEthBalance", data: answer.data });
  });
  return {
    eth: numbers[0]!,
    usdc: amountOf(usdc, USDC.address),
    token: token && { ...requireToken(token, tokenAnswers), amount: amountOf(tokens, token) },
    block_number: numbers[1]!,
    timestamp: Number(numbers[2]!),
  };
}

/** Throws ChainUnavailable where there is no such contract on this chain. */
export function requireToken(token: Hex, answers: readonly (CallResult | undefined)[]): Token {
  const found = tokenIn(token, answers);
  if (!found) throw new ChainUnavailable(`there is no token at ${token} on this chain: see PLATFORM_TOKEN`);
  return found;
}

function amountOf(answer: CallResult | undefined, token: Hex): bigint {
  const amount = amountIn(answer);
  if (amount === undefined) throw new ChainUnavailable(`there is no token at ${token} on this chain`);
  return amount;
}
